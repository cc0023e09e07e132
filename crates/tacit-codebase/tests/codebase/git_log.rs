//! Parsing of git logs, and identities of files.

use proptest::prelude::*;
use tacit_codebase::history::{CommittedChange, FileNameHistory, History, LoggedCommit, parse_log};

fn add(path: &str) -> CommittedChange {
    CommittedChange::Added(path.into())
}

fn touch(path: &str) -> CommittedChange {
    CommittedChange::Modified(path.into())
}

fn delete(path: &str) -> CommittedChange {
    CommittedChange::Deleted(path.into())
}

fn rename(from: &str, to: &str) -> CommittedChange {
    CommittedChange::Renamed { from: from.into(), to: to.into() }
}

#[test]
fn git_logs_are_parsed() {
    let log = b"\x02aa\x0012\x00Ada\x00Say why\n\nAt length\n\x00\x00\n:1 2 3 4 M\0a.rs\0:1 2 3 4 R087\0b.rs\0c.rs\0\
        \x02bb\x0013\x00Ada\x00Nothing\n\x00\x00\
        \x02cc\x0014\x00Ada\x00More\n\x00\x00\n:0 1 2 3 A\0d\x01.rs\0:1 2 3 4 C90\0a.rs\0e.rs\0:1 2 3 4 D\0f\xff.rs\0\
        :1 2 3 4 T\0link\0:1 2 3 4 R100\0g\xff\0g.rs\0:1 2 3 4 R100\0h.rs\0h\xff\0";
    let expected = [
        LoggedCommit {
            id: "aa".into(),
            at: 12,
            author: "Ada".into(),
            message: "Say why\n\nAt length".into(),
            changes: vec![touch("a.rs"), rename("b.rs", "c.rs")],
            unnameable: 0,
        },
        LoggedCommit {
            id: "bb".into(),
            at: 13,
            author: "Ada".into(),
            message: "Nothing".into(),
            ..LoggedCommit::default()
        },
        LoggedCommit {
            id: "cc".into(),
            at: 14,
            author: "Ada".into(),
            message: "More".into(),
            changes: vec![
                add("d\u{1}.rs"),
                add("e.rs"),
                touch("link"),
                add("g.rs"),
                delete("h.rs"),
            ],
            unnameable: 1,
        },
    ];
    assert_eq!(parse_log(log), expected);
}

#[test]
fn file_identities_follow_adds_renames_and_deletes() {
    // A name, the changes, the file that each touches, and the files that exist in the end.
    type Row<'a> = (&'a str, Vec<CommittedChange>, Vec<u32>, Vec<(u32, &'a str)>);
    let ab = || rename("a", "b");
    let table: Vec<Row<'_>> = vec![
        ("renamed", vec![add("a"), ab(), touch("b")], vec![0, 0, 0], vec![(0, "b")]),
        ("replaced", vec![add("a"), ab(), add("a")], vec![0, 0, 1], vec![(0, "b"), (1, "a")]),
        ("old name on a branch", vec![add("a"), ab(), touch("a")], vec![0, 0, 0], vec![(0, "b")]),
        ("old name deleted", vec![add("a"), ab(), delete("a")], vec![0, 0, 0], vec![(0, "b")]),
        ("back again", vec![add("a"), delete("a"), add("a")], vec![0, 0, 0], vec![(0, "a")]),
        ("and back", vec![add("a"), ab(), rename("b", "a")], vec![0, 0, 0], vec![(0, "a")]),
        ("over another", vec![add("a"), add("b"), ab()], vec![0, 1, 0], vec![(0, "b")]),
        ("in the middle", vec![touch("a"), delete("z")], vec![0, 1], vec![(0, "a")]),
        ("from nowhere", vec![rename("x", "y")], vec![0], vec![(0, "y")]),
        ("on two branches", vec![add("a"), add("a")], vec![0, 0], vec![(0, "a")]),
    ];
    for (name, changes, files, existing) in table {
        let (mut names, mut events) = (FileNameHistory::default(), Vec::new());
        let touched: Vec<u32> =
            changes.iter().map(|change| names.apply(change, &mut events)).collect();
        assert_eq!(touched, files, "{name}");
        assert_eq!(names.existing().collect::<Vec<_>>(), existing, "{name}");
        let mut again = FileNameHistory::default();
        events.into_iter().for_each(|event| again.replay(event));
        assert_eq!(again, names, "{name}");
    }
}

fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![Just(0_u8), Just(2), Just(b':'), Just(b'R'), Just(b' '), any::<u8>()]
}

proptest! {
    #[test]
    fn any_bytes_are_accepted_as_a_log(bytes in prop::collection::vec(byte(), 0..300)) {
        let commits = parse_log(&bytes);
        let history = History::from_commits(&commits);
        prop_assert_eq!(history.commits.len(), commits.len());
        for past in &history.commits {
            prop_assert!(past.files.iter().all(|file| (*file as usize) < history.names.len()));
        }
    }
}
