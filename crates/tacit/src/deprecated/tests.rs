//! The command lines that old names and synonyms become.

use super::*;

/// Rewrites a command line whose words have no spaces.
fn rewritten(line: &str) -> (String, Option<String>) {
    let arguments = line.split(' ').map(OsString::from).collect();
    let Rewritten { arguments, note } = rewrite(arguments);
    let words: Vec<String> =
        arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    (words.join(" "), note)
}

#[test]
fn old_names_become_new_ones() {
    for (old, new) in [
        ("tacit impact src/a.rs", "tacit code impact src/a.rs"),
        ("tacit flow a b --json", "tacit code path a b --json"),
        ("tacit graph --json build", "tacit code index --json"),
        ("tacit -C x graph stats", "tacit -C x code index --stats"),
        ("tacit --directory=x health", "tacit --directory=x doctor --quick"),
        ("tacit proactive some text", "tacit recall --as-hook some text"),
        ("tacit proactive --help", "tacit recall --help"),
        ("tacit help graph build", "tacit help code index"),
        ("tacit help stats", "tacit help status"),
        ("tacit qa report -", "tacit work qa -"),
        ("tacit hooks clean-inline --yes", "tacit agents clean --yes"),
        ("tacit hook why --session s -n 5", "tacit why --in-session s --limit 5"),
        ("tacit verify", "tacit review --stale"),
        ("tacit verify --reason why", "tacit review --stale --reason why"),
        ("tacit verify ab12 --reason why", "tacit review confirm ab12 --reason why"),
        ("tacit tag", "tacit list --tags"),
        ("tacit tag ab12", "tacit show ab12"),
        ("tacit tag ab12 a b -r c", "tacit edit ab12 --tag a --tag b --untag c"),
        ("tacit tag --remove=c ab12", "tacit edit ab12 --untag c"),
        ("tacit link ab12 supersedes cd34", "tacit edit ab12 --link supersedes:cd34"),
        ("tacit link ab12 validates -f a.rs", "tacit edit ab12 --link validates:./a.rs"),
        (
            "tacit link ab12 validates cd34 --remove --json",
            "tacit edit ab12 --unlink validates:cd34 --json",
        ),
        (
            "tacit link ab12 validates cd34 --confidence low",
            "tacit edit ab12 --link validates:cd34 --link-confidence low",
        ),
        ("tacit link --help", "tacit edit --help"),
    ] {
        let (line, note) = rewritten(old);
        assert_eq!(line, new);
        assert!(note.is_some(), "{old}");
    }
}

#[test]
fn other_commands_stay_as_they_are() {
    for line in [
        "tacit",
        "tacit recall verify",
        "tacit -C impact recall x",
        "tacit hook claude",
        "tacit validate pass",
        "tacit -- impact",
    ] {
        assert_eq!(rewritten(line), (line.to_owned(), None));
    }
}

#[test]
fn synonyms_are_silent() {
    assert_eq!(rewritten("tacit version"), ("tacit --version".to_owned(), None));
    assert_eq!(rewritten("tacit -C x ls -n 3"), ("tacit -C x list -n 3".to_owned(), None));
    assert_eq!(rewritten("tacit help rm"), ("tacit help forget".to_owned(), None));
}

#[test]
fn the_note_names_both_commands() {
    let note = |line| rewritten(line).1.unwrap_or_default();
    assert_eq!(note("tacit verify ab12"), "`tacit verify` is now `tacit review confirm`");
    assert_eq!(note("tacit graph build"), "`tacit graph build` is now `tacit code index`");
    assert_eq!(note("tacit tag ab12 x"), "`tacit tag` is now `tacit edit --tag`");
}
