//! The words of files on disk: brought up to date as if they were read anew, and what is found with
//! them and the history.

use std::fs;

use proptest::prelude::*;
use tacit_codebase::locate::{Description, Source};
use tacit_codebase::{Codebase, Depth, Options, WordsRead};
use tacit_testkit::env::TestEnv;
use tacit_testkit::secrets::fill;

use crate::{Worktree, find, refresh};

const OPTIONS: Options<'static> = Options { threads: 2, all: false, progress: &|_, _| {} };

fn read(codebase: &Codebase) -> WordsRead {
    refresh(codebase);
    codebase.refresh_words(&OPTIONS).unwrap()
}

fn told(codebase: &Codebase, text: &str) -> Vec<String> {
    let answer = codebase
        .locate(
            &codebase.words(Depth::Thorough).unwrap(),
            &Description::read(text),
            &[],
            Depth::Thorough,
            5,
        )
        .unwrap();
    answer.files.into_iter().map(|file| file.path).collect()
}

#[test]
fn only_what_changed_is_read() {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.rs", "pub fn acquire_socket() {}\n");
    worktree.write("README.md", "A shop\n");
    worktree.write("logo.png", "no text\n");
    worktree.write("Shop.xcodeproj/project.pbxproj", "{ path = pool.rs; }\n");
    let codebase = worktree.codebase("kept");
    assert_eq!(read(&codebase), WordsRead { files: 2, read: 2, changed: true });
    assert_eq!(read(&codebase), WordsRead { files: 2, read: 0, changed: false });
    worktree.write("src/pool.rs", "pub fn release_socket() {}\n");
    assert_eq!(read(&codebase), WordsRead { files: 2, read: 1, changed: true });
    assert_eq!(told(&codebase, "release_socket is slow")[0], "src/pool.rs");
    assert!(told(&codebase, "acquire").is_empty());
}

#[test]
fn what_changed_came_or_went_is_read_before_an_answer() {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.rs", "pub fn acquire_socket() {}\n");
    let codebase = worktree.codebase("kept");
    let ask = |text: &str| {
        codebase.locate_now(&Description::read(text), &[], 5, &OPTIONS, &|_| {}).unwrap().files
    };
    // Nothing was read before; it is now.
    assert_eq!(ask("acquire_socket")[0].path, "src/pool.rs");
    fs::write(worktree.root().join("src/pool.rs"), "\n\npub fn acquire_socket() {}\n").unwrap();
    assert_eq!(ask("acquire_socket")[0].symbols[0].line, 3);
    worktree.write("src/socket.rs", "pub fn acquire_socket(address: &str) {}\n");
    assert_eq!(ask("acquire_socket").len(), 2, "a file that came");
    worktree.remove("src/socket.rs");
    worktree.remove("src/pool.rs");
    assert!(ask("acquire_socket").is_empty());
    worktree.write("docs/guide.md", "How to acquire_socket\n");
    assert_eq!(ask("acquire_socket")[0].path, "docs/guide.md", "text in a folder that came");
}

#[test]
fn damaged_words_are_read_again() {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.rs", "pub fn acquire_socket() {}\n");
    let codebase = worktree.codebase("kept");
    read(&codebase);
    fs::write(find(&worktree.folder.path().join("kept"), "words"), "nonsense").unwrap();
    let read = Description::read("acquire_socket");
    assert_eq!(codebase.locate_now(&read, &[], 5, &OPTIONS, &|_| {}).unwrap().files.len(), 1);
}

#[test]
fn words_that_no_worktree_has_leave_after_a_week() {
    let mut worktree = Worktree::new();
    worktree.write("pool.py", "def acquire(): pass\n");
    worktree.write("cart.py", "def total(): pass\n");
    let codebase = worktree.codebase("kept");
    let mut other = Worktree::new();
    other.write("cart.py", "def total(): pass\n");
    let beside = Codebase::new(&other.root(), &worktree.folder.path().join("kept"));
    read(&codebase);
    read(&beside);
    worktree.write("pool.py", "def release(): pass\n");
    worktree.remove("cart.py");
    read(&codebase);
    for (dropped, why) in [
        (1, "`acquire` is gone; the other worktree still has `total`"),
        (0, "nothing else is unused"),
    ] {
        assert_eq!(codebase.drop_unused().unwrap().words, dropped, "{why}");
    }
    assert_eq!(told(&beside, "total is wrong"), ["cart.py"]);
    // What comes back is read again.
    worktree.write("pool.py", "def acquire(): pass\n");
    read(&codebase);
    assert_eq!(told(&codebase, "acquire is slow"), ["pool.py"]);
}

#[test]
fn secrets_are_not_indexed_and_what_is_gone_leaves_the_disk() {
    let mut worktree = Worktree::new();
    let codebase = worktree.codebase("kept");
    let secret = fill("ghp_{A36}", 5);
    let word = "zanzibarquokka";
    worktree.write("deploy.sh", format!("TOKEN={secret}\necho {word}\n"));
    worktree.write("pool.py", format!("def test_{secret}(): pass\nimport {word}\n"));
    refresh(&codebase);
    read(&codebase);
    let folder = worktree.folder.path().join("kept");
    assert!(holds(&folder, word), "words are indexed");
    assert!(!holds(&folder, &secret[4..]), "secrets are not");
    worktree.remove("deploy.sh");
    worktree.write("pool.py", "def release(): pass\n");
    refresh(&codebase);
    read(&codebase);
    codebase.drop_unused().unwrap();
    assert!(!holds(&folder, word), "what is gone leaves with it");
}

/// Returns true if any file below a folder holds a text, in any case.
fn holds(folder: &std::path::Path, text: &str) -> bool {
    let text = text.to_lowercase().into_bytes();
    fs::read_dir(folder).unwrap().any(|entry| {
        let bytes = fs::read(entry.unwrap().path()).unwrap().to_ascii_lowercase();
        bytes.windows(text.len()).any(|window| window == text)
    })
}

#[test]
fn only_what_head_can_reach_is_known() {
    let env = TestEnv::new("no binary");
    let root = env.project();
    let git = |arguments: &[&str]| env.git(&root, arguments);
    let commit = |file: &str, text: &str, message: &str| {
        fs::write(root.join(file), text).unwrap();
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", message]);
    };
    git(&["init", "-q", "-b", "main"]);
    commit("a.py", "def one(): pass\n", "Start");
    commit("b.py", "def two(): pass\n", "Start again");
    commit("a.py", "def one(): return 1\n", "Invoices are rounded to whole pennies");
    git(&["checkout", "-q", "-b", "future"]);
    commit("b.py", "def two(): return 2\n", "Refunds of vouchers are counted twice");
    commit("c.py", "def three(): return 3\n", "Refunds of vouchers have a file");
    git(&["checkout", "-q", "main"]);
    let codebase = Codebase::new(&root, &env.root().join("kept"));
    let by_commits = |text: &str| -> Vec<String> {
        codebase.refresh(&OPTIONS).unwrap();
        codebase.refresh_words(&OPTIONS).unwrap();
        codebase.refresh_history().unwrap();
        let answer = codebase
            .locate(
                &codebase.words(Depth::Thorough).unwrap(),
                &Description::read(text),
                &[],
                Depth::Thorough,
                5,
            )
            .unwrap();
        let by_commit = |file: &tacit_codebase::locate::Located| {
            file.pointers.iter().any(|pointer| pointer.source == Source::Commit)
        };
        answer.files.into_iter().filter(by_commit).map(|file| file.path).collect()
    };
    assert_eq!(by_commits("invoices are not rounded"), ["a.py"]);
    assert!(by_commits("refunds of vouchers are wrong").is_empty());
    git(&["checkout", "-q", "future"]);
    assert_eq!(by_commits("refunds of vouchers are wrong").len(), 2);
    git(&["checkout", "-q", "main"]);
    assert!(by_commits("refunds of vouchers are wrong").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn words_that_were_brought_up_to_date_are_those_that_would_be_read_anew(
        steps in prop::collection::vec((0_usize..4, 0_usize..4), 1..12),
    ) {
        let mut worktree = Worktree::new();
        let paths = ["a.py", "src/b.rs", "docs/c.md", "d/e.ts"];
        let texts = ["def one(): pass\n", "pub fn two() {}\n", "plain words\n"];
        for (path, text) in steps {
            match texts.get(text) {
                Some(text) => worktree.write(paths[path], text),
                None if worktree.root().join(paths[path]).exists() => worktree.remove(paths[path]),
                None => {}
            }
            read(&worktree.codebase("kept"));
        }
        read(&worktree.codebase("fresh"));
        let bytes = |graphs: &str| {
            fs::read(find(&worktree.folder.path().join(graphs), "words")).unwrap()
        };
        prop_assert_eq!(bytes("kept"), bytes("fresh"));
    }
}
