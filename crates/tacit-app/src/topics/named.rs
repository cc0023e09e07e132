//! The commands that a memory names.

use super::prefix::{INTERPRETERS, MULTI, is_assignment, is_plain, is_trivial};

/// The longest form, in words. The rest of a quoted command is an example.
const MAX_WORDS: usize = 4;
/// A quoted command with at most this many words is about its options, too.
const SHORT: usize = 3;
/// The most commands taken from one text.
const MAX_COMMANDS: usize = 8;

/// Returns the commands that a text names, as forms (see [`tacit_observer::runs_command`]): in
/// backticks, or a known tool with its subcommand in a sentence.
///
/// ```
/// use tacit_app::topics::command_forms;
/// assert_eq!(command_forms("`make migrate` needs the VPN"), ["make migrate"]);
/// assert_eq!(command_forms("Run docker compose up before the tests"), ["docker compose up"]);
/// ```
pub fn command_forms(text: &str) -> Vec<String> {
    let mut forms: Vec<String> = Vec::new();
    for (index, part) in text.split('`').enumerate() {
        let is_quoted = index % 2 == 1;
        let found = if is_quoted { quoted(part).into_iter().collect() } else { in_prose(part) };
        for form in found {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    forms.truncate(MAX_COMMANDS);
    forms
}

/// Returns the form of a command in backticks.
fn quoted(text: &str) -> Option<String> {
    let words: Vec<&str> =
        text.split_whitespace().skip_while(|word| is_assignment(word) || *word == "sudo").collect();
    let (first, rest) = words.split_first()?;
    let program = first.rsplit('/').next().unwrap_or(first);
    if !is_program(program, rest.is_empty()) {
        return None;
    }
    let is_short = words.len() <= SHORT;
    let rest = rest
        .iter()
        .take(MAX_WORDS - 1)
        .take_while(|word| !is_placeholder(word) && (is_short || !word.starts_with('-')));
    Some([program].into_iter().chain(rest.copied()).collect::<Vec<_>>().join(" "))
}

/// Returns true if a word may be a program: alone in backticks, most words are names in the code.
fn is_program(word: &str, is_alone: bool) -> bool {
    let is_name = is_plain(word) && !is_trivial(word) && word.starts_with(char::is_lowercase);
    let is_code = word.contains([':', '_', '@']) || word.contains(char::is_uppercase);
    // A tool with many uses is not a command without one of them.
    let is_broad = MULTI.contains(&word) || INTERPRETERS.contains(&word);
    is_name && !(is_alone && (is_code || is_broad))
}

/// Returns true for a word that stands for something else.
fn is_placeholder(word: &str) -> bool {
    word.contains(['<', '>', '$', '{', '*', '…', '|', '&', ';'])
        || word == "..."
        || (word.len() == 1 && word.contains(char::is_uppercase))
}

/// Returns the forms of known tools in a sentence.
fn in_prose(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let clean = |word: &'_ str| word.trim_matches(|c: char| ",;:()'\"".contains(c)).to_owned();
    let is_word = |word: &str| is_plain(word) && word.chars().all(|c| !c.is_uppercase());
    let mut forms = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let program = clean(word);
        if !MULTI.contains(&program.as_str()) {
            continue;
        }
        let mut parts = vec![program];
        for next in words[at + 1..].iter().take(2) {
            let is_nested = parts.last().is_some_and(|last| NESTED.contains(&last.as_str()));
            let part = clean(next.trim_end_matches('.'));
            if (parts.len() > 1 && !is_nested) || !is_word(&part) {
                break;
            }
            parts.push(part);
        }
        if parts.len() > 1 {
            forms.push(parts.join(" "));
        }
    }
    forms
}

/// Subcommands that mean nothing without the word after them.
const NESTED: [&str; 4] = ["compose", "exec", "run", "task"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_named_in_backticks_or_by_a_known_tool() {
        let cases: [(&str, &[&str]); 13] = [
            ("`cargo flamegraph` needs root", &["cargo flamegraph"]),
            ("Never `git push --force` on main", &["git push --force"]),
            (
                "run `ledgerctl dlq replay --topic X --since 2h` and check",
                &["ledgerctl dlq replay"],
            ),
            ("`./scripts/deploy.sh staging` needs a token", &["deploy.sh staging"]),
            ("`AWS_PROFILE=dev terraform apply` is slow", &["terraform apply"]),
            ("`psql` must use the socket", &["psql"]),
            ("`git` is old here, and `python` too", &[]),
            ("`createPaymentIntent` and `FORMAT_VERSION` and `ls`", &[]),
            ("the flag `--no-verify` is off, see `src/Pool.rs`", &[]),
            (
                "Start it with docker compose up, then npm run seed.",
                &["docker compose up", "npm run seed"],
            ),
            ("terraform apply fails without the lock", &["terraform apply"]),
            ("`pytest <path>` and `pytest -n auto`", &["pytest", "pytest -n auto"]),
            ("Invoices are rounded half to even", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(command_forms(text), expected, "{text}");
        }
    }
}
