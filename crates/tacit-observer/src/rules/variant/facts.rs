//! Failures that state a rule of the repository, the shell or a tool: they teach without a variant.

use super::pair::VariantLesson;
use super::reason::significant_lines;
use crate::command_form::CommandCall;
use crate::text::one_line;

/// Messages of a tool that state a rule, with the lesson.
struct StatedRule {
    /// The program that reports it.
    program: &'static str,
    /// The subcommands, or none.
    subcommands: &'static [&'static str],
    /// An option that the command must have, or an empty text.
    option: &'static str,
    /// Parts of a line, of which one must occur.
    messages: &'static [&'static str],
    /// The form of the command that fails.
    failing: &'static str,
    /// The form that works, or an empty text.
    working: &'static str,
    text: &'static str,
}

const STATED_RULES: &[StatedRule] = &[
    StatedRule {
        program: "gh",
        subcommands: &["pr", "merge"],
        option: "",
        messages: &["Auto merge is not allowed for this repository"],
        failing: "gh pr merge --auto",
        working: "",
        text: "`gh pr merge --auto` is refused: auto merge is not allowed for this repository. Wait \
               for the checks, then merge without `--auto`.",
    },
    StatedRule {
        program: "gh",
        subcommands: &["pr", "merge"],
        option: "--admin",
        messages: &["All comments must be resolved", "all conversations must be resolved"],
        failing: "gh pr merge",
        working: "",
        text: "`gh pr merge` is refused while a review thread is open, also with `--admin`: resolve \
               every thread first.",
    },
    StatedRule {
        program: "gh",
        subcommands: &["pr", "merge"],
        option: "",
        messages: &["All comments must be resolved", "all conversations must be resolved"],
        failing: "gh pr merge",
        working: "",
        text: "`gh pr merge` is refused while a review thread is open: resolve every thread first.",
    },
    StatedRule {
        program: "gh",
        subcommands: &["pr", "merge"],
        option: "",
        messages: &["Merge commits are not allowed on this repository"],
        failing: "gh pr merge --merge",
        working: "gh pr merge --squash",
        text: "`gh pr merge --merge` is refused: merge commits are not allowed on this repository. \
               Use `--squash` or `--rebase`.",
    },
    StatedRule {
        program: "gh",
        subcommands: &["pr", "merge"],
        option: "",
        messages: &["Squash merges are not allowed on this repository"],
        failing: "gh pr merge --squash",
        working: "gh pr merge --merge",
        text: "`gh pr merge --squash` is refused: squash merges are not allowed on this repository. \
               Use `--merge` or `--rebase`.",
    },
    StatedRule {
        program: "git",
        subcommands: &["commit"],
        option: "",
        messages: &["agent refused operation", "gpg failed to sign the data"],
        failing: "",
        working: "",
        text: "Commits are signed here. If `git commit` fails to sign, the key is locked: ask the \
               user to unlock it instead of trying again.",
    },
    StatedRule {
        program: "git",
        subcommands: &["commit"],
        option: "",
        messages: &["[type-empty]", "[type-enum]", "[subject-empty]"],
        failing: "",
        working: "",
        text: "commitlint checks commit messages here: write them as `type: subject`, such as `fix: …`.",
    },
    StatedRule {
        program: "go",
        subcommands: &["run"],
        option: "",
        messages: &["cannot run *_test.go files"],
        failing: "",
        working: "",
        text: "`go run` refuses files named `*_test.go`: give a scratch program another name.",
    },
    StatedRule {
        program: "golangci-lint",
        subcommands: &["run"],
        option: "",
        messages: &["named files must be .go files"],
        failing: "",
        working: "",
        text: "`golangci-lint run` takes directories or files, not both (\"named files must be .go \
               files\").",
    },
    StatedRule {
        program: "sed",
        subcommands: &[],
        option: "",
        messages: &["invalid command code", "extra characters at the end of"],
        failing: "sed -i",
        working: "sed -i ''",
        text: "sed is BSD sed here: `sed -i ''`, not `sed -i`.",
    },
];

/// Messages of zsh with the lesson.
const SHELL_RULES: [(&str, &str); 5] = [
    (
        "no matches found: ",
        "The shell is zsh: a pattern without a match stops the whole command (\"no matches found\"). \
         Quote words with `*` such as `--include='*.go'`, and list files with `find` if there may \
         be none.",
    ),
    (
        "bad substitution",
        "The shell is zsh: bash expansions such as `${!name}` and `${name^^}` fail (\"bad substitution\").",
    ),
    (
        "read-only variable: ",
        "The shell is zsh: `status` and other special names are read-only; use another name for the variable.",
    ),
    (
        "event not found: ",
        "The shell is zsh: `!` in double quotes is history expansion (\"event not found\"); use single quotes.",
    ),
    (
        "command not found: #",
        "The shell is zsh: comments (`# …`) in a command line are run as commands; leave them out.",
    ),
];

/// Returns the rules that the output of a command states.
pub(super) fn stated_rules(calls: &[CommandCall<'_>], output: &str) -> Vec<VariantLesson> {
    let lines = significant_lines(output);
    let mut lessons: Vec<VariantLesson> = Vec::new();
    for line in &lines {
        lessons.extend(shell_rule(line, calls));
        lessons.extend(protected_branch(line, calls));
        let stated_rule = STATED_RULES.iter().find(|rule| {
            let runs = |call: &CommandCall<'_>| {
                call.program_name() == rule.program
                    && call.subcommands().iter().zip(rule.subcommands).all(|(a, b)| a == b)
                    && call.subcommands().len() >= rule.subcommands.len()
                    && (rule.option.is_empty()
                        || call.arguments().iter().any(|word| word == rule.option))
            };
            rule.messages.iter().any(|message| line.contains(message)) && calls.iter().any(runs)
        });
        if let Some(rule) = stated_rule {
            let working = (!rule.working.is_empty()).then_some(rule.working);
            lessons.push(stated(rule.failing, working, line, rule.text.to_owned()));
        }
    }
    let mut texts = std::collections::BTreeSet::new();
    lessons.retain(|lesson| texts.insert(lesson.text.clone()));
    lessons
}

fn stated(failing: &str, working: Option<&str>, line: &str, text: String) -> VariantLesson {
    let (failing, working) = (failing.to_owned(), working.map(str::to_owned));
    VariantLesson { failing, working, error: one_line(line, 160), text }
}

/// Reads a message of zsh, which a client runs with `eval`.
fn shell_rule(line: &str, calls: &[CommandCall<'_>]) -> Option<VariantLesson> {
    let is_shell = line.starts_with("zsh:") || line.starts_with("(eval):");
    let (message, text) =
        SHELL_RULES.iter().filter(|_| is_shell).find(|(message, _)| line.contains(message))?;
    // An option with an unquoted pattern fails every time.
    let option = line.split_once(message)?.1.split_once('=').map(|(option, _)| option);
    let option = option.filter(|option| option.starts_with("--"));
    let failing = option.and_then(|option| {
        let has = |call: &&CommandCall<'_>| {
            call.arguments().iter().any(|word| word.starts_with(&format!("{option}=")))
        };
        Some(format!("{} {option}=*", calls.iter().find(has)?.program_name()))
    });
    Some(stated(&failing.unwrap_or_default(), None, line, (*text).to_owned()))
}

/// Reads the refusal of a push to a protected branch.
fn protected_branch(line: &str, calls: &[CommandCall<'_>]) -> Option<VariantLesson> {
    let is_refusal = line.contains("rotected branch")
        && ["failed", "declined", "not allowed"].iter().any(|word| line.contains(word));
    let is_rule = line.contains("Changes must be made through a pull request");
    if !is_refusal && !is_rule {
        return None;
    }
    let push = calls.iter().find(|call| {
        call.program_name() == "git" && call.subcommands().first().is_some_and(|s| s == "push")
    })?;
    let named = line.split_once("refs/heads/").map(|(_, rest)| rest);
    let named = named.and_then(|rest| rest.split_whitespace().next());
    let branch = named.map(|name| name.trim_end_matches('.')).or(push.operands().nth(1))?;
    let is_name = |c: char| c.is_alphanumeric() || "-_./".contains(c);
    if branch.is_empty() || !branch.chars().all(is_name) {
        return None;
    }
    let text = format!(
        "`{branch}` is protected: a direct push is refused. Push a branch and open a pull request."
    );
    Some(stated(&format!("git push {branch}"), None, line, text))
}
