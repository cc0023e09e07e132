//! Decides which passages of instructions are rules: what to do and not to do here, and the commands
//! to do it with. Descriptions of the project are not, because they are read from the code itself.

use super::words::{OBLIGING, PROGRAMS, RULE_HEADINGS, TASK_HEADINGS, VERBS, has};
use crate::blocks::TextBlock;

/// The longest rule, in bytes. Longer passages are chapters.
const MAX_BYTES: usize = 1_200;
/// The fewest words of a rule.
const MIN_WORDS: usize = 2;

/// Beginnings of passages that address the agent or describe the file.
const NOT_RULES: &[&str] = &[
    "you are ",
    "this file ",
    "this document ",
    "this repository ",
    "this project ",
    "welcome",
    "thank",
    "see also",
    "for more ",
    "for details",
    "note that this file",
    "table of contents",
];

/// Returns true if a passage is a rule, or has the commands for a task.
pub(crate) fn is_rule(block: &TextBlock) -> bool {
    if !is_passage(block) {
        return false;
    }
    let words = lowered(&block.text);
    let rule_heading = block.is_item && has_heading(block, RULE_HEADINGS);
    rule_heading || obliges(&words) || is_imperative(&block.text) || is_task(block)
}

/// Returns true if a passage may be a rule by its form: a statement of some words that is not the
/// drawing of a folder, a table, a task to tick off or the introduction of something else.
pub(super) fn is_passage(block: &TextBlock) -> bool {
    let text = block.text.trim();
    let words = lowered(text);
    let is_drawing = text.contains("├──") || text.contains("└──");
    let is_markup = text.starts_with(['|', '<', '@', '!']) || text.starts_with("[ ]");
    let is_ticked = text.starts_with("[x]") || text.starts_with("[X]");
    let is_remark = NOT_RULES.iter().any(|start| text.to_lowercase().starts_with(start));
    text.len() <= MAX_BYTES
        && words.len() >= MIN_WORDS
        && !(is_drawing || is_markup || is_ticked || is_remark)
        && !text.ends_with(':')
        && !is_only_links(text)
}

/// Returns true if a passage has commands, below a heading that names a task.
pub(super) fn is_task(block: &TextBlock) -> bool {
    has_heading(block, TASK_HEADINGS) && has_command(&block.text)
}

/// Returns true if a text obliges, forbids or prefers something.
pub(super) fn obliges(words: &[String]) -> bool {
    OBLIGING.split(", ").any(|phrase| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|window| window == phrase)
    })
}

/// Returns true if a text begins with an order, after a label or a condition.
pub(super) fn is_imperative(text: &str) -> bool {
    let text = text.trim_start_matches(['*', '_', '"', '“']);
    let begins = |text: &str| {
        let mut words =
            text.split_whitespace().map(|word| word.trim_start_matches(['*', '_', '"']));
        let courtesy = ["please", "then", "also"];
        let first = words.find(|word| !courtesy.contains(&word.to_lowercase().as_str()));
        // `open: a.rs` is a label, not an order.
        let first = first.filter(|word| !word.ends_with(':')).and_then(|it| lowered(it).pop());
        first.is_some_and(|word| has(VERBS, &word))
    };
    let after_label = || {
        let (label, rest) = text.split_once(": ").or_else(|| text.split_once(" - "))?;
        let label = label.trim_end_matches('*');
        (label.split_whitespace().count() <= 5 && !label.contains('.')).then(|| begins(rest))
    };
    let after_condition = || {
        let first = text.split_whitespace().next()?.to_lowercase();
        let is_condition = matches!(
            first.as_str(),
            "when" | "if" | "before" | "after" | "for" | "to" | "on" | "in"
        );
        let (_, rest) = text.split_once(", ")?;
        Some(is_condition && begins(rest))
    };
    begins(text) || after_label().unwrap_or(false) || after_condition().unwrap_or(false)
}

/// Returns true if a text has a command of several words, or a block of shell code.
pub(super) fn has_command(text: &str) -> bool {
    let fenced = text.split("```").nth(1).is_some_and(is_shell_code);
    let spans = text.split('`').skip(1).step_by(2);
    let is_command = |span: &str| {
        let mut words = span.split_whitespace();
        let program = words.next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c);
        let is_program = program.starts_with(|c: char| c.is_ascii_lowercase() || c == '.')
            && program.chars().all(is_name);
        is_program && words.next().is_some() && !span.contains(['=', '{', ';'])
    };
    fenced || (!text.contains("```") && spans.into_iter().any(is_command))
}

/// Returns true if a fenced block is code for a shell: its language says so, or its first line does.
fn is_shell_code(code: &str) -> bool {
    let mut lines = code.lines().map(str::trim);
    let language = lines.next().unwrap_or_default();
    let mut commands = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let Some(first) = commands.next() else { return false };
    match language {
        "sh" | "bash" | "shell" | "console" | "zsh" => true,
        "" | "text" => {
            let first = first.trim_start_matches("$ ");
            let program = first.split_whitespace().find(|word| !word.contains('='));
            program.is_some_and(|word| word.starts_with("./") || has(PROGRAMS, word))
        }
        _ => false,
    }
}

/// Returns true if a heading of a block has one of these words.
pub(super) fn has_heading(block: &TextBlock, words: &str) -> bool {
    let headings = block.headings.iter().flat_map(|heading| lowered(heading));
    headings.into_iter().any(|word| has(words, &word))
}

/// Returns the words of a text in lower case, without punctuation around them.
pub(super) fn lowered(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'");
    text.split(|c: char| !c.is_alphanumeric() && c != '\'')
        .map(|word| word.trim_matches('\'').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// Returns true if a text says nothing beside its links.
fn is_only_links(text: &str) -> bool {
    let outside: String = text
        .split('[')
        .enumerate()
        .map(|(at, part)| match at {
            0 => part,
            _ => part.split_once(')').map_or("", |(_, rest)| rest),
        })
        .collect();
    text.contains("](") && lowered(&outside).len() < 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(heading: &str, text: &str) -> TextBlock {
        TextBlock {
            line: 1,
            headings: vec![heading.into()],
            text: text.into(),
            is_item: true,
            has_intro: false,
        }
    }

    #[test]
    fn rules_are_told_from_descriptions() {
        for (heading, text, expected) in [
            ("Notes", "Never run npm, the lock file is of pnpm", true),
            ("Notes", "Use pnpm for packages", true),
            ("Notes", "**Errors**: wrap them with `anyhow::Context`", true),
            ("Notes", "When you add a migration, run the seeds again", true),
            ("Notes", "Tests must not open sockets", true),
            ("Notes", "Money is stored as integer cents rather than floats", true),
            ("Code style", "2 spaces, no semicolons", true),
            ("Commands", "`pnpm test --run`: all tests once", true),
            ("Build", "```sh\nmake all\n```", true),
            ("Architecture", "`src/api` has the handlers", false),
            ("Hot paths", "open: `src/open.rs`, `src/migrate.rs`", false),
            ("Overview", "A web shop for bicycles in Django", false),
            ("Overview", "`pnpm dev` starts it", false),
            ("Structure", "```\nsrc\n├── api\n└── web\n```", false),
            ("Rules", "Always", false),
            ("Rules", "[ ] always run the linter", false),
            ("Rules", "| Always | run | it |", false),
            ("Rules", "You are an expert in Rust and must be concise", false),
            ("Rules", "Before a commit, always:", false),
            ("Rules", "[Style guide](docs/style.md)", false),
            ("Rules", "See [the guide](docs/a.md), [other](b.md)", false),
        ] {
            assert_eq!(is_rule(&item(heading, text)), expected, "{heading}: {text}");
        }
    }

    #[test]
    fn commands_are_told_from_names() {
        for (text, expected) in [
            ("`cargo test -p api`", true),
            ("`./run.sh all`", true),
            ("`src/api.rs`", false),
            ("`make`", false),
            ("`let x = 1`", false),
            ("`User name`", false),
            ("```rust\nfn main() {}\n```", false),
            ("```bash\nmake all\n```", true),
            ("```\n# all of it\nRUST_LOG=debug cargo test\n```", true),
            ("```\n/// use tokio::time;\n```", false),
        ] {
            assert_eq!(has_command(text), expected, "{text}");
        }
    }
}
