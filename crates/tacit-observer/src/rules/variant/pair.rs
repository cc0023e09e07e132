//! Pairs of a command that failed and the near variant that worked, with their wording.

use super::reason::{Reason, ReasonKind, listed_names};
use crate::command_form::{ANY, CommandCall, canonical_name, has_letter};
use crate::text::{one_line, quote, quoted_list};

/// Maximum length of a form, in characters.
const MAX_FORM: usize = 100;
/// Maximum length of a quoted reason, in characters.
const MAX_REASON: usize = 120;
/// Maximum number of options shown that only the variant has.
const MAX_ADDED: usize = 2;
/// Maximum length of an option's value, in characters.
const MAX_VALUE: usize = 40;

/// Options that switch off a protection: they are no advice.
const BYPASSES: [&str; 13] = [
    "--admin",
    "--force",
    "-f",
    "--force-with-lease",
    "--no-verify",
    "--no-gpg-sign",
    "--break-system-packages",
    "--privileged",
    "--insecure",
    "--allow-root",
    "--skip-checks",
    "--no-check-certificate",
    "--dangerously-skip-permissions",
];

/// Package managers that run the same scripts.
const PACKAGE_MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];

/// A lesson about a command: its failing form, the working form, and the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct VariantLesson {
    /// The form of the command that does not work.
    pub(super) failing: String,
    /// The form of the command that does.
    pub(super) working: Option<String>,
    /// The line of the output that says why.
    pub(super) error: String,
    pub(super) text: String,
}

impl VariantLesson {
    /// Returns the subject, equal for lessons that say the same: the command that does not work,
    /// or the text if there is no command that does.
    pub(super) fn subject(&self) -> &str {
        if self.working.is_some() { &self.failing } else { &self.text }
    }
}

/// Returns the index of the command that a reason is about.
pub(super) fn call_at_fault(reason: &Reason, calls: &[CommandCall<'_>]) -> Option<usize> {
    let name = reason.name.as_str();
    let is_option = |word: &String| {
        word == name
            || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
            || (name.len() == 2 && has_letter(word, name))
    };
    calls.iter().position(|call| match reason.kind {
        ReasonKind::Program => {
            let words = call.all_words();
            let starts = words.first().is_some_and(|word| word == name);
            starts || (call.program() == name && !call.launcher().is_empty())
        }
        ReasonKind::Module => {
            let top = name.split(['.', '/']).next().unwrap_or(name);
            let is_interpreter = matches!(call.program_name(), "python" | "node" | "ruby");
            call.program() == top || (is_interpreter && !name.starts_with(['.', '/']))
        }
        ReasonKind::Option => call.arguments().iter().any(is_option) && !call.runs_own_code(),
        ReasonKind::Value => value_position(call, name).is_some(),
        ReasonKind::Subcommand | ReasonKind::Task => {
            call.arguments().iter().take(3).any(|word| word == name) && !call.runs_own_code()
        }
        ReasonKind::Login => call.program_name() == "gh",
        ReasonKind::Variable | ReasonKind::Feature | ReasonKind::Refused | ReasonKind::Version => {
            !call.subcommands().is_empty() || !call.launcher().is_empty()
        }
        ReasonKind::Setting => false,
    })
}

/// Returns the index of the argument that has an unknown value.
fn value_position(call: &CommandCall<'_>, name: &str) -> Option<usize> {
    let first = name.split(',').next().filter(|name| !name.is_empty())?;
    call.arguments().iter().position(|word| {
        let value = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
        value.split(',').any(|part| part == first)
    })
}

/// Returns the form of a command that fails for this reason.
pub(super) fn failing_form(reason: &Reason, call: &CommandCall<'_>) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    match reason.kind {
        ReasonKind::Program => {
            words.extend(call.launcher().iter().map(String::as_str));
            let is_wrapper = words.first() == Some(&reason.name.as_str());
            if is_wrapper {
                words.truncate(1);
            } else {
                words.push(call.program());
            }
        }
        ReasonKind::Login => {
            words.push(call.program());
            words.extend(call.subcommands().first().map(String::as_str));
        }
        _ => {
            words.extend(call.launcher().iter().map(String::as_str));
            words.push(call.program());
            words.extend(call.subcommands().iter().map(String::as_str));
            let is_script = matches!(call.program_name(), "python" | "node" | "ruby");
            if is_script && reason.kind == ReasonKind::Module {
                words.extend(call.operands().next());
            }
        }
    }
    match reason.kind {
        ReasonKind::Option => {
            words.push(&reason.name);
        }
        ReasonKind::Value => {
            words.extend(option_of_value(call, &reason.name));
            words.push(reason.name.split(',').next()?);
        }
        ReasonKind::Subcommand | ReasonKind::Task if !words.contains(&reason.name.as_str()) => {
            words.push(&reason.name);
        }
        _ => {}
    }
    as_form(&words)
}

/// Joins words to a form, unless it would be too long or needs quotes.
fn as_form(words: &[&str]) -> Option<String> {
    let is_quotable = |word: &&str| {
        !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || c == '`' || c == '$')
    };
    let form = format!("{} {ANY}", words.join(" "));
    (words.iter().all(is_quotable) && form.chars().count() <= MAX_FORM).then_some(form)
}

/// Returns the option that an unknown value belongs to.
fn option_of_value<'c>(call: &'c CommandCall<'_>, name: &str) -> Option<&'c str> {
    let at = value_position(call, name)?;
    let word = &call.arguments()[at];
    let option = match word.split_once('=') {
        Some((option, _)) => option,
        None => call.arguments().get(at.checked_sub(1)?)?,
    };
    option.starts_with('-').then_some(option)
}

/// Returns true if `variant` does the same as the failed command without the fault.
pub(super) fn is_variant(
    reason: &Reason,
    failed: &CommandCall<'_>,
    variant: &CommandCall<'_>,
) -> bool {
    let asks_for_help =
        |word: &String| matches!(word.as_str(), "--help" | "-h" | "help" | "--version" | "-V");
    if variant.arguments().iter().any(asks_for_help) {
        return false;
    }
    let name = reason.name.as_str();
    let same_program = failed.program_name() == variant.program_name();
    let same_command = same_program && failed.subcommands() == variant.subcommands();
    let same_start = failed.launcher() == variant.launcher()
        && failed.program() == variant.program()
        && failed.assignments() == variant.assignments();
    let added = added_options(failed, variant);
    if added.iter().any(|option| is_bypass(option)) {
        return false;
    }
    let is_suggested = |word: &String| reason.suggested.as_ref() == Some(word);
    match reason.kind {
        ReasonKind::Program => {
            let wrapped = failed.launcher().first().is_some_and(|word| word == name);
            let without_wrapper = wrapped && same_command && !shares_launcher(variant, name);
            let elsewhere = !wrapped && same_program && !same_start;
            let renamed = match canonical_name(name) {
                "docker-compose" => starts_with(variant, &["docker", "compose"]),
                "pip" => {
                    starts_with(variant, &["uv", "pip"]) || starts_with(variant, &["uv", "add"])
                }
                manager if PACKAGE_MANAGERS.contains(&manager) => {
                    PACKAGE_MANAGERS.contains(&variant.program_name())
                        && !same_program
                        && failed.subcommands() == variant.subcommands()
                }
                _ => false,
            };
            without_wrapper || elsewhere || renamed
        }
        ReasonKind::Module => {
            let same_script = failed.operands().next() == variant.operands().next();
            let is_tool = !matches!(failed.program_name(), "python" | "node" | "ruby");
            same_program && !same_start && (is_tool || same_script)
        }
        ReasonKind::Option => {
            let has_option = |word: &String| {
                word == name
                    || word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
                    || (name.len() == 2 && has_letter(word, name))
            };
            same_command && !variant.arguments().iter().any(has_option)
        }
        ReasonKind::Value => same_command && value_position(variant, name).is_none(),
        ReasonKind::Subcommand => {
            let is_gone = !variant.arguments().iter().take(3).any(|word| word == name);
            let similar = variant.subcommands().iter().any(|word| are_similar(word, name));
            let shared = failed.operands().any(|word| variant.operands().any(|own| own == word));
            same_program && is_gone && (similar || shared)
        }
        ReasonKind::Task => {
            let managers = PACKAGE_MANAGERS.contains(&failed.program_name())
                && PACKAGE_MANAGERS.contains(&variant.program_name());
            let is_gone = !variant.arguments().iter().any(|word| word == name);
            let mut tasks = variant.arguments().iter().take(2);
            let similar = tasks.any(|word| are_similar(word, name) || is_suggested(word));
            (same_program || managers) && is_gone && similar
        }
        ReasonKind::Feature => {
            let enables = |option: &&str| {
                ["-tags", "--tags", "--features", "-F", "--all-features", "-P"]
                    .iter()
                    .any(|start| option.starts_with(start))
            };
            same_command && added.iter().any(enables)
        }
        ReasonKind::Refused => {
            (same_command && !added.is_empty())
                || (!same_start
                    && failed.subcommands() == variant.subcommands()
                    && PACKAGE_MANAGERS.contains(&variant.program_name()))
        }
        ReasonKind::Version => same_command && !same_start,
        ReasonKind::Login => {
            same_program
                && failed.subcommands().first() == variant.subcommands().first()
                && added.iter().any(|option| matches!(*option, "--repo" | "-R" | "--hostname"))
        }
        ReasonKind::Variable => {
            let sets = |word: &String| word.split('=').next() == Some(name);
            same_command && variant.assignments().iter().any(sets)
        }
        ReasonKind::Setting => same_program && (!same_start || !added.is_empty()),
    }
}

/// Returns true for an option that switches off a protection.
pub(super) fn is_bypass(option: &str) -> bool {
    BYPASSES.contains(&option.split('=').next().unwrap_or(option))
}

fn shares_launcher(call: &CommandCall<'_>, name: &str) -> bool {
    call.launcher().first().is_some_and(|word| word == name)
}

fn starts_with(call: &CommandCall<'_>, words: &[&str]) -> bool {
    call.all_words().len() >= words.len()
        && call.all_words().iter().zip(words).all(|(word, wanted)| word == wanted)
}

/// Returns true if two names share a part of at least three letters.
fn are_similar(a: &str, b: &str) -> bool {
    let parts = |name: &str| -> Vec<String> {
        name.split(|c: char| !c.is_alphanumeric())
            .filter(|part| part.len() >= 3)
            .map(str::to_lowercase)
            .collect()
    };
    let (a, b) = (parts(a), parts(b));
    a.iter().any(|part| b.iter().any(|own| own.starts_with(part) || part.starts_with(own)))
}

/// Returns the options that only the variant has.
fn added_options<'c>(failed: &CommandCall<'_>, variant: &'c CommandCall<'_>) -> Vec<&'c str> {
    let options = variant.arguments().iter().map(String::as_str);
    let name = |option: &str| option.split('=').next().unwrap_or_default().to_owned();
    options
        .filter(|word| word.len() > 1 && word.starts_with('-') && *word != "--")
        .filter(|word| failed.arguments().iter().all(|own| name(own) != name(word)))
        .map(|word| word.split('=').next().unwrap_or(word))
        .collect()
}

/// Returns the form of the command that works.
fn working_form(
    reason: &Reason,
    failed: &CommandCall<'_>,
    variant: &CommandCall<'_>,
) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    let is_new = |word: &&String| !failed.assignments().contains(word);
    if matches!(
        reason.kind,
        ReasonKind::Module | ReasonKind::Version | ReasonKind::Variable | ReasonKind::Setting
    ) {
        words.extend(variant.assignments().iter().filter(is_new).map(String::as_str));
    }
    words.extend(variant.launcher().iter().map(String::as_str));
    words.push(variant.program());
    let subcommands = match reason.kind {
        // Any subcommand of the program is found in the same place.
        ReasonKind::Program if failed.subcommands() != variant.subcommands() => 0,
        ReasonKind::Program | ReasonKind::Login => 1,
        _ => 2,
    };
    words.extend(variant.subcommands().iter().take(subcommands).map(String::as_str));
    let is_script = matches!(variant.program_name(), "python" | "node" | "ruby");
    if is_script && reason.kind == ReasonKind::Module {
        words.extend(variant.operands().next());
    }
    if !matches!(reason.kind, ReasonKind::Program | ReasonKind::Module | ReasonKind::Task) {
        let known =
            option_of_value(failed, &reason.name).filter(|_| reason.kind == ReasonKind::Value);
        let options = known.into_iter().chain(added_options(failed, variant));
        for option in options.take(MAX_ADDED) {
            words.extend(with_value(variant, option));
        }
    }
    as_form(&words)
}

/// Returns an option of a command with its value.
fn with_value<'c>(call: &'c CommandCall<'_>, option: &str) -> Vec<&'c str> {
    let arguments = call.arguments();
    let Some(at) = arguments.iter().position(|word| word.split('=').next() == Some(option)) else {
        return Vec::new();
    };
    let mut words = vec![arguments[at].as_str()];
    let takes_next = !arguments[at].contains('=')
        && arguments.get(at + 1).is_some_and(|value| {
            !value.starts_with(['-', '.', '/']) && value.chars().count() <= MAX_VALUE
        });
    if takes_next {
        words.push(&arguments[at + 1]);
    }
    words
}

/// Writes the lesson of a failed command with the variant that worked, or with the names that the
/// output lists.
pub(super) fn lesson(
    reason: &Reason,
    output: &str,
    failed: &CommandCall<'_>,
    variant: Option<&CommandCall<'_>>,
) -> Option<VariantLesson> {
    let failing = failing_form(reason, failed)?;
    let working = match variant {
        Some(variant) => Some(working_form(reason, failed, variant)?),
        None => None,
    };
    if working.as_deref() == Some(&failing) {
        return None;
    }
    let command = command_at_fault(reason, failed);
    let error = one_line(&reason.line, MAX_REASON);
    let text = match (reason.kind, &working) {
        (ReasonKind::Value, _) => {
            let names: Vec<&str> = reason.name.split(',').collect();
            let listed = listed_names(output);
            let option = option_of_value(failed, &reason.name);
            let command = option.map_or(command.clone(), |option| format!("{command} {option}"));
            let has = format!("{} has no {} here", quote(&command), quoted_list(&names));
            match (&working, listed.as_slice()) {
                (None, []) => return None,
                (_, [_, ..]) => format!("{has}; it has {}.", listed.join(", ")),
                (Some(working), []) => format!("{has}: use {}.", quote(working)),
            }
        }
        (_, None) => return None,
        (ReasonKind::Program, Some(working)) => {
            let wrapped = shares_launcher(failed, &reason.name);
            let name = quote(&reason.name);
            if wrapped && variant.is_some_and(|variant| variant.launcher().is_empty()) {
                let text = format!("{name} is not installed here: run commands without it.");
                return Some(VariantLesson { failing, working: None, error, text });
            } else {
                format!("{name} is not on the path here: use {}.", quote(working))
            }
        }
        (ReasonKind::Module, Some(working)) => format!(
            "{} does not work here (no module {}): use {}.",
            quote(&command),
            reason.name,
            quote(working)
        ),
        (ReasonKind::Option, Some(working)) => {
            option_text(reason, &command, failed, variant?, working)
        }
        (ReasonKind::Subcommand, Some(working)) => {
            format!("There is no {} here: use {}.", quote(&command), quote(working))
        }
        (ReasonKind::Task, Some(working)) => {
            format!("There is no task {} here: use {}.", quote(&reason.name), quote(working))
        }
        (ReasonKind::Login, Some(working)) => format!(
            "{} cannot tell the repository from this clone's remotes: use {}.",
            quote(&command),
            quote(working)
        ),
        (ReasonKind::Variable, Some(working)) => {
            format!("{} needs {}: use {}.", quote(&command), quote(&reason.name), quote(working))
        }
        (ReasonKind::Setting, Some(working)) => {
            let why = error.trim_end_matches('.');
            format!("{} failed here ({why}): {} works.", quote(&command), quote(working))
        }
        (ReasonKind::Feature | ReasonKind::Refused | ReasonKind::Version, Some(working)) => {
            let why = error.trim_end_matches('.');
            format!("{} does not work here ({why}): use {}.", quote(&command), quote(working))
        }
    };
    Some(VariantLesson { failing, working, error, text })
}

fn option_text(
    reason: &Reason,
    command: &str,
    failed: &CommandCall<'_>,
    variant: &CommandCall<'_>,
    working: &str,
) -> String {
    let has = format!("{} has no {} here", quote(command), quote(&reason.name));
    let arguments = failed.arguments();
    let at = arguments.iter().position(|word| *word == reason.name);
    let value = at.and_then(|at| arguments.get(at + 1)).filter(|word| !word.starts_with('-'));
    // A word with blanks can only be a value; others may be arguments of their own.
    let value = value.filter(|value| value.contains(' '));
    let is_operand = value.is_some_and(|value| variant.operands().any(|own| own == value));
    if is_operand {
        format!("{has}: give its value as an argument, {}.", quote(&format!("{command} VALUE …")))
    } else if added_options(failed, variant).is_empty() {
        format!("{has}; it works without.")
    } else {
        format!("{has}; {} works.", quote(working))
    }
}

/// Returns the command that a text names.
fn command_at_fault(reason: &Reason, failed: &CommandCall<'_>) -> String {
    let mut words: Vec<&str> = failed.launcher().iter().map(String::as_str).collect();
    words.push(failed.program());
    let most = if reason.kind == ReasonKind::Login { 1 } else { 2 };
    words.extend(failed.subcommands().iter().take(most).map(String::as_str));
    if reason.kind == ReasonKind::Module && failed.launcher().is_empty() {
        words.extend(failed.operands().next());
    }
    words.join(" ")
}
