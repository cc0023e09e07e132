//! The MCP server of Tacit as a table of a TOML file, as Codex has it.

use std::ops::Range;

use toml_edit::{Document, Item, Table, Value};

use super::entries::is_tacit;
use super::{InstallError, section};

/// The header of our table.
const HEADER: &str = "[mcp_servers.tacit]";
const SERVERS: &str = "mcp_servers";
const OURS: &str = "tacit";

/// Adds our table; an existing one is kept, unless it runs a Tacit that has moved.
pub(super) fn install(current: Option<&str>, program: &str) -> Result<String, InstallError> {
    // TOML escapes what occurs in paths as JSON does.
    let quoted = serde_json::Value::from(program).to_string();
    let table = format!("{HEADER}\ncommand = {quoted}\nargs = [\"mcp\"]");
    let Some(text) = current.filter(|text| !text.is_empty()) else {
        // An empty file gets a table without a last line break, so that it is emptied again.
        return Ok(match current {
            None => section::create(&table),
            Some(_) => table,
        });
    };
    let document = parse(text)?;
    if let Some(server) = ours(&document).filter(|server| !is_headless(server)) {
        return Ok(match moved_command(server, program) {
            Some(range) => format!("{}{quoted}{}", &text[..range.start], &text[range.end..]),
            None => text.to_owned(),
        });
    }
    let added = section::append(text, &table);
    let is_ours = |document: Document<&str>| ours(&document).and_then(command) == Some(program);
    if parse(&added).is_ok_and(is_ours) {
        return Ok(added);
    }
    // A table that is written on one line cannot be continued.
    Err(InstallError::Shape { key: SERVERS.to_owned(), expected: "a table with a header" })
}

/// Removes our table and the tables in it; `None` if nothing else is left in a file that we created.
/// An invalid file is left as it is, and so is a server inside a value.
pub(super) fn uninstall(text: &str) -> Option<String> {
    let Ok(document) = parse(text) else { return Some(text.to_owned()) };
    let mut ranges = Vec::new();
    if let Some(Item::Table(servers)) = document.get(SERVERS)
        && let Some(server) = servers.get(OURS)
        && command(server).is_some_and(is_tacit)
    {
        collect(text, servers, OURS, &mut ranges);
    }
    ranges.sort_by_key(|range| range.start);
    // Tables that follow each other were one section.
    let mut joined: Vec<Range<usize>> = Vec::new();
    let is_blank =
        |from: usize, to: usize| text.get(from..to).unwrap_or_default().trim().is_empty();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if is_blank(last.end, range.start) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    let mut rest = Some(text.to_owned());
    for range in joined.into_iter().rev() {
        rest = section::remove(&rest?, (range.start, range.end));
    }
    rest
}

/// Returns true if a table with our name runs Tacit.
pub(super) fn is_installed(text: &str) -> bool {
    parse(text).is_ok_and(|document| ours(&document).and_then(command).is_some_and(is_tacit))
}

fn parse(text: &str) -> Result<Document<&str>, InstallError> {
    Document::parse(text).map_err(|error| InstallError::Toml(error.message().to_owned()))
}

/// Returns the server with our name, however it is written.
fn ours<'d>(document: &'d Document<&str>) -> Option<&'d Item> {
    document.get(SERVERS)?.as_table_like()?.get(OURS)
}

fn command(server: &Item) -> Option<&str> {
    server.as_table_like()?.get("command")?.as_str()
}

/// Returns true for a table that exists only because others are in it.
fn is_headless(server: &Item) -> bool {
    server.as_table().is_some_and(|table| table.is_implicit() && !table.is_dotted())
}

/// Returns where the program of a server is, if it runs a Tacit at another path and is otherwise as
/// we write it. Servers with options of the user stay.
fn moved_command(server: &Item, program: &str) -> Option<Range<usize>> {
    let table = server.as_table_like()?;
    let old = command(server)?;
    let args = table.get("args")?.as_array()?;
    let is_plain = table.len() == 2 && args.iter().map(Value::as_str).eq([Some("mcp")]);
    let has_moved = is_tacit(old) && old != program && old.contains(['/', '\\']);
    if is_plain && has_moved { table.get("command")?.span() } else { None }
}

/// Collects the lines of a table or value and of the tables in it.
fn collect(text: &str, parent: &Table, key: &str, ranges: &mut Vec<Range<usize>>) {
    let Some((name, item)) = parent.get_key_value(key) else { return };
    match item {
        Item::Table(table) => collect_table(text, table, ranges),
        Item::ArrayOfTables(tables) => {
            tables.iter().for_each(|table| collect_table(text, table, ranges));
        }
        Item::Value(value) => {
            let range = name.span().zip(value.span()).map(|(name, value)| name.start..value.end);
            ranges.extend(range.map(|range| lines(text, range)));
        }
        Item::None => {}
    }
}

fn collect_table(text: &str, table: &Table, ranges: &mut Vec<Range<usize>>) {
    let mut own = Vec::new();
    for (key, item) in table {
        let is_inside = match item {
            Item::Table(inner) => inner.is_dotted(),
            item => item.is_value(),
        };
        collect(text, table, key, if is_inside { &mut own } else { &mut *ranges });
    }
    // The span of a table without a header is its name in the header of another.
    match table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
        // Comments between the header and the last value belong to the table.
        Some(header) => {
            let header = lines(text, header);
            let end = own.iter().map(|range| range.end).fold(header.end, usize::max);
            ranges.push(header.start..end);
        }
        None => ranges.append(&mut own),
    }
}

/// Extends a range to whole lines, without the line break of the last.
fn lines(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[range.end..];
    let line = rest.split('\n').next().unwrap_or(rest);
    start..range.end + line.trim_end().len()
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
        for closed in ["mcp_servers = {}\n", "mcp_servers = 1\n", "[[mcp_servers]]\n"] {
            assert!(install(Some(closed), "tacit").is_err(), "{closed}");
        }
        let broken = "[mcp_servers.tacit\ncommand = \"tacit\"\n";
        assert!(install(Some(broken), "tacit").is_err());
        assert_eq!(uninstall(broken).as_deref(), Some(broken));
    }

    #[test]
    fn every_notation_of_our_table_is_recognised() {
        for (table, rest) in [
            ("[mcp_servers.tacit] # mine\ncommand = \"tacit\" # too\n", ""),
            ("[mcp_servers.\"tacit\"]\ncommand = 'tacit'\n", ""),
            ("[ mcp_servers . tacit ]\n\n# why\ncommand = \"tacit\"\n", ""),
            ("[mcp_servers]\ntacit = {command = \"tacit\"}\n", "[mcp_servers]\n"),
            ("[mcp_servers]\ntacit.args = [\n]\ntacit.command = \"tacit\"\n", "[mcp_servers]\n"),
        ] {
            let text = format!("a = 1\n{table}[other]\nb = 2\n");
            assert!(is_installed(&text), "{text}");
            assert_eq!(install(Some(&text), "/new/tacit").expect("a file"), text);
            let left = format!("a = 1\n{rest}[other]\nb = 2\n");
            assert_eq!(uninstall(&text).as_deref(), Some(&*left), "{text}");
        }
    }

    #[test]
    fn tables_inside_ours_are_removed_with_it() {
        let env = "[mcp_servers.tacit.env]\nA = \"b\"\n";
        let ours = "[mcp_servers.tacit]\ncommand = \"tacit\"\n";
        for text in [
            format!("a = 1\n\n{ours}\n{env}"),
            format!("a = 1\n\n{env}\n{ours}"),
            format!("a = 1\n\n{ours}{env}\n[mcp_servers.tacit.tools.search]\nenabled = true\n"),
        ] {
            assert_eq!(uninstall(&text).as_deref(), Some("a = 1\n"), "{text}");
        }
        let apart = format!("{ours}\n[other]\nb = 2\n\n{env}\n[last]\n");
        assert_eq!(uninstall(&apart).as_deref(), Some("\n[other]\nb = 2\n\n[last]\n"));
        // Earlier versions left this behind.
        let with = install(Some(env), "tacit").expect("a file");
        assert!(is_installed(&with) && with.starts_with(env), "{with}");
    }

    #[test]
    fn a_program_that_has_moved_is_replaced_in_place() {
        let old = install(Some("a = 1\n"), "/old/tacit").expect("a file");
        let new = install(Some(&old), "/new/tacit").expect("a file");
        assert_eq!(new, old.replace("/old/", "/new/"));
        // A file that a team shares has the bare name.
        let shared = install(None, "tacit").expect("a file");
        assert_eq!(install(Some(&shared), "/new/tacit").expect("a file"), shared);
        for options in [
            "args = [\"-C\", \"x\", \"mcp\"]\n",
            "args = [\"mcp\"]\nstartup_timeout_sec = 20\n",
            "args = [\"mcp\"]\n\n[mcp_servers.tacit.env]\nA = \"b\"\n",
        ] {
            let own = format!("[mcp_servers.tacit]\ncommand = \"/old/tacit\"\n{options}");
            assert_eq!(install(Some(&own), "/new/tacit").expect("a file"), own);
        }
    }

    proptest! {
        #[test]
        fn adding_and_removing_restores_the_text(text in "([a-c# =\"'.{}\\[\\]]{0,9}(\n|\r\n)?){0,6}") {
            restores(&text)?;
        }

        #[test]
        fn tables_around_ours_are_kept(pieces in prop::collection::vec(prop::sample::select(vec![
            "[mcp_servers]\n", "[mcp_servers.a]\n", "[ mcp_servers . 'b' ] # c\n", "[\"tacit\"]\r\n",
            "[mcp_servers.c.tacit]\n", "[tacit.mcp_servers]\n", "command = \"tacit\"\n", "\n", " # x\n",
            "x = '''\n[mcp_servers.tacit]\n'''\n", "y.z = [ # [\n]\n", "tacit = 1\n", "# end",
            "[mcp_servers.tacit]\n", "mcp_servers.tacit.command = \"tacit\"\n",
        ]), 0..7)) {
            restores(&pieces.concat())?;
        }
    }

    fn restores(text: &str) -> Result<(), TestCaseError> {
        let Ok(with) = install(Some(text), "tacit") else { return Ok(()) };
        let document = parse(&with).expect("valid");
        prop_assert!(ours(&document).is_some());
        if with != text {
            prop_assert_eq!(uninstall(&with), Some(text.to_owned()));
        }
        let left = uninstall(&with).unwrap_or_default();
        prop_assert!(parse(&left).is_ok(), "{left}");
        prop_assert!(!is_installed(&left) || document.get(SERVERS).is_some_and(Item::is_value));
        Ok(())
    }
}
