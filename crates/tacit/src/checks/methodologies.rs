//! Checks of the project's own methodologies.

use std::path::Path;

use tacit_app::AppError;
use tacit_engine::MethodologyError;
use tacit_work::{DefinitionError, MAX_DEFINITION_BYTES};

use super::{DoctorFinding, State};
use crate::app::CliApp;

/// Reports files that cannot be used, each with the line of its first problem and what to do.
pub(crate) fn check(app: &CliApp) -> Vec<DoctorFinding> {
    let broken = app.places.definitions().into_iter().filter_map(|it| it.methodology.err());
    broken.map(|error| DoctorFinding::new("methodology", State::Wrong, note(error))).collect()
}

fn note(error: MethodologyError) -> String {
    let problem = match &error {
        MethodologyError::Invalid { path, source } => {
            format!("`{}`{}", path.display(), in_one_line(path, source))
        }
        _ => error.to_string(),
    };
    let hint = AppError::from(error).hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    format!("{problem}{hint}; until it is corrected, the native one is used")
}

/// Describes the first problem of a definition, with its line if that is known.
fn in_one_line(path: &Path, error: &DefinitionError) -> String {
    match error {
        DefinitionError::Fields(errors) => {
            let Some(first) = errors.first() else { return String::new() };
            let text = tacit_fs::read_nofollow(path, MAX_DEFINITION_BYTES as u64);
            let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
            let line = line_of(&text, &first.field);
            let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
            let more = match errors.len() {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            format!("{line}: {first}{more}")
        }
        // The message quotes the line between its first and its last line.
        DefinitionError::Syntax(message) => {
            let lines: Vec<&str> = message.lines().map(str::trim).collect();
            let (first, last) = (lines.first().copied(), lines.last().copied());
            let cause = last.filter(|last| Some(*last) != first);
            let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
            format!(": {}{cause}", first.unwrap_or_default())
        }
        DefinitionError::TooLarge(_) => format!(": {error}"),
    }
}

/// Returns the line that sets a field: the first with its last name, as a key or in a table's head.
fn line_of(text: &str, field: &str) -> Option<usize> {
    let names = field
        .split(['.', '[', ']'])
        .filter(|part| !part.is_empty() && !part.bytes().all(|byte| byte.is_ascii_digit()));
    let names: Vec<&str> = names.collect();
    let sets = |line: &str, name: &str| {
        let line = line.trim_start();
        let head = line.trim_start_matches('[').split([']', '=']).next().unwrap_or_default();
        let key = head.trim().rsplit('.').next().unwrap_or_default();
        key.trim().trim_matches(['"', '\'']) == name
    };
    // A field that is missing has no line of its own; that of what it belongs to is near.
    let find = |name: &&str| text.lines().position(|line| sets(line, name));
    names.iter().rev().find_map(find).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::line_of;

    #[test]
    fn fields_are_found_by_their_last_name() {
        let text = "id = \"ours\"\n\n[phases]\nplan = \"define\"\n\n[[relays]]\nfrom = \"a\"\n\n\
                    [units.levels]\n\"story\" = 1\n";
        for (field, expected) in [
            ("id", Some(1)),
            ("phases", Some(3)),
            ("phases.plan", Some(4)),
            ("relays[0].from", Some(7)),
            ("relays[0].to", Some(6)),
            ("units.levels", Some(9)),
            ("units.levels.story", Some(10)),
            ("the file", None),
            ("", None),
        ] {
            assert_eq!(line_of(text, field), expected, "{field}");
        }
    }
}
