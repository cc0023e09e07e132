//! The MCP server of Tacit as a table of a TOML file, as Codex has it.

use super::entries::is_tacit;
use super::{InstallError, section};

/// The header of our table.
const HEADER: &str = "[mcp_servers.tacit]";

/// Adds our table; an existing one is kept, unless it runs a Tacit that has moved.
pub(super) fn install(current: Option<&str>, program: &str) -> Result<String, InstallError> {
    // TOML escapes what occurs in paths as JSON does.
    let program = serde_json::Value::from(program);
    let table = format!("{HEADER}\ncommand = {program}\nargs = [\"mcp\"]");
    let Some(text) = current.filter(|text| !text.is_empty()) else {
        // An empty file gets a table without a last line break, so that it is emptied again.
        return Ok(match current {
            None => section::create(&table),
            Some(_) => table,
        });
    };
    if let Some((range, command)) = find(text) {
        let moved = command.contains(['/', '\\']) && program.as_str() != Some(&*command);
        return Ok(match moved && is_tacit(&command) {
            true => section::replace(text, range, &table),
            false => text.to_owned(),
        });
    }
    // A table that is written on one line or with dotted keys cannot be continued.
    let is_closed = |line: &str| {
        let rest = line.trim_start().strip_prefix("mcp_servers").map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(['=', '.']))
    };
    if text.lines().any(is_closed) {
        return Err(InstallError::Shape {
            key: "mcp_servers".to_owned(),
            expected: "a table with a header",
        });
    }
    Ok(section::append(text, &table))
}

/// Removes our table; `None` if nothing else is left in a file that we created.
pub(super) fn uninstall(text: &str) -> Option<String> {
    match find(text) {
        Some((range, command)) if is_tacit(&command) => section::remove(text, range),
        _ => Some(text.to_owned()),
    }
}

/// Returns true if a table with our name runs Tacit.
pub(super) fn is_installed(text: &str) -> bool {
    find(text).is_some_and(|(_, command)| is_tacit(&command))
}

/// Finds the table with our name, without blank lines and comments after it, and its command.
fn find(text: &str) -> Option<((usize, usize), String)> {
    let mut found: Option<(usize, usize)> = None;
    let mut command = String::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        let end = at + line.trim_end().len();
        match &mut found {
            None if trimmed == HEADER => found = Some((at, end)),
            None => {}
            Some(_) if trimmed.is_empty() || trimmed.starts_with(['[', '#']) => break,
            Some((_, last)) => {
                *last = end;
                if let Some(value) = trimmed.strip_prefix("command").map(str::trim_start) {
                    let value = value.trim_start_matches('=').trim();
                    command = serde_json::from_str(value)
                        .unwrap_or_else(|_| value.trim_matches('\'').to_owned());
                }
            }
        }
        at += line.len();
    }
    found.map(|range| (range, command))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_new_file_contains_only_the_table() {
        let text = install(None, "/a b/tacit").expect("a file");
        assert_eq!(text, "[mcp_servers.tacit]\ncommand = \"/a b/tacit\"\nargs = [\"mcp\"]\n");
        assert!(is_installed(&text));
        assert_eq!(uninstall(&text), None);
    }

    #[test]
    fn removing_the_table_restores_the_file() {
        for before in [
            "",
            "\n",
            "model = \"x\"",
            "model = \"x\"\n\n[mcp_servers.other]\ncommand = 'y'\n",
            "# a comment\r\n[tui]\r\na = 1\r\n",
        ] {
            let with = install(Some(before), "tacit").expect("a file");
            assert_eq!(install(Some(&with), "tacit").expect("a file"), with);
            assert_eq!(uninstall(&with).as_deref(), Some(before), "{with}");
        }
    }

    #[test]
    fn text_that_the_user_adds_later_is_kept() {
        let with = install(Some("a = 1\n"), "tacit").expect("a file");
        let edited = format!("{with}\n# mine\n[mcp_servers.other]\ncommand = \"y\"\n");
        let left = uninstall(&edited).expect("a file");
        assert_eq!(left, "a = 1\n\n# mine\n[mcp_servers.other]\ncommand = \"y\"\n");
    }

    #[test]
    fn tables_of_others_are_kept() {
        let other = "[mcp_servers.tacit]\ncommand = \"npx\"\n";
        assert_eq!(install(Some(other), "tacit").expect("a file"), other);
        assert_eq!(uninstall(other).as_deref(), Some(other));
        assert!(!is_installed(other));
        for closed in ["mcp_servers = {}\n", "mcp_servers.x.command = \"y\"\n"] {
            assert!(install(Some(closed), "tacit").is_err(), "{closed}");
        }
    }

    #[test]
    fn a_program_that_has_moved_is_replaced_in_place() {
        let old = install(Some("a = 1\n"), "/old/tacit").expect("a file");
        let new = install(Some(&old), "/new/tacit").expect("a file");
        assert_eq!(new, old.replace("/old/", "/new/"));
        // A file that a team shares has the bare name.
        let shared = install(None, "tacit").expect("a file");
        assert_eq!(install(Some(&shared), "/new/tacit").expect("a file"), shared);
    }

    proptest! {
        #[test]
        fn adding_and_removing_restores_the_text(text in "([a-z# =\"]{0,9}(\n|\r\n)?){0,6}") {
            let with = install(Some(&text), "tacit").expect("a file");
            prop_assert_eq!(uninstall(&with), Some(text));
        }
    }
}
