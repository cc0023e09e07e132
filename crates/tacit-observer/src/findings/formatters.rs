//! Files that formatters would change.

use super::output::{FindingsByLine, OutputLines};
use super::{Finding, FindingKind};

/// Finds the files that a formatter reports in its check mode.
pub(super) fn unformatted(lines: &mut OutputLines<'_>, found: &mut FindingsByLine) {
    let is_prettier = lines.iter().any(|(_, line)| {
        line.starts_with("[warn] Code style issues") || line.starts_with("Checking formatting...")
    });
    let mut last = None;
    for (at, line) in lines.iter() {
        let (tool, file) = if let Some(rest) = line.strip_prefix("Diff in ") {
            let file = rest.split(" at line ").next().unwrap_or(rest);
            ("rustfmt", file.trim_end_matches(':').trim_end_matches(|c: char| c.is_ascii_digit()))
        } else if let Some(file) = line.strip_prefix("Would reformat: ") {
            ("ruff format", file)
        } else if line.starts_with("unformatted: ") {
            let place = lines.get(at + 1).trim_start().trim_start_matches("--> ");
            ("ruff format", place.split(':').next().unwrap_or(place))
        } else if let Some(file) = line.strip_prefix("would reformat ") {
            ("black", file)
        } else if let Some(file) = line.strip_prefix("[warn] ").filter(|_| is_prettier) {
            ("prettier", file)
        } else if let Some(file) =
            line.strip_prefix("diff ").and_then(|line| line.split_once(".orig "))
        {
            ("gofmt", file.0)
        } else {
            continue;
        };
        let file = file.trim_end_matches(':');
        if file.contains(' ') || !file.contains('.') || last == Some(file) {
            continue;
        }
        last = Some(file);
        let finding = Finding::new(FindingKind::Lint, tool, "the file is not formatted");
        found.push((at, finding.rule("format").at(file, None)));
    }
}
