//! The words of files on disk: brought up to date as if they were read anew, and what is found with
//! them and the history.

use std::fs;

use proptest::prelude::*;
use tacit_codebase::locate::{Description, PointerSource};
use tacit_codebase::{Codebase, RefreshOptions, SearchDepth, WordsReport};
use tacit_testkit::env::TestEnv;
use tacit_testkit::secrets::fill;

use crate::{Worktree, find, refresh};

const OPTIONS: RefreshOptions<'static> =
    RefreshOptions { threads: 2, reread_all: false, progress: &|_, _| {} };

fn refresh_words_of(codebase: &Codebase) -> WordsReport {
    refresh(codebase);
    codebase.refresh_words(&OPTIONS).unwrap()
}

fn located_paths(codebase: &Codebase, text: &str) -> Vec<String> {
    let answer = codebase
        .locate(
            &codebase.words(SearchDepth::Thorough).unwrap(),
            &Description::read(text),
            &[],
            SearchDepth::Thorough,
            5,
        )
        .unwrap();
    answer.files.into_iter().map(|file| file.path).collect()
}

#[test]
fn only_changed_files_are_read() {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.rs", "pub fn acquire_socket() {}\n");
    worktree.write("README.md", "A shop\n");
    worktree.write("logo.png", "no text\n");
    worktree.write("Shop.xcodeproj/project.pbxproj", "{ path = pool.rs; }\n");
    let codebase = worktree.codebase("kept");
    assert_eq!(refresh_words_of(&codebase), WordsReport { files: 2, read: 2, changed: true });
    assert_eq!(refresh_words_of(&codebase), WordsReport { files: 2, read: 0, changed: false });
    worktree.write("src/pool.rs", "pub fn release_socket() {}\n");
    assert_eq!(refresh_words_of(&codebase), WordsReport { files: 2, read: 1, changed: true });
    assert_eq!(located_paths(&codebase, "release_socket is slow")[0], "src/pool.rs");
    assert!(located_paths(&codebase, "acquire").is_empty());
}

#[test]
fn changed_files_are_read_before_answering() {
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
fn damaged_word_indexes_are_rebuilt() {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.rs", "pub fn acquire_socket() {}\n");
    let codebase = worktree.codebase("kept");
    refresh_words_of(&codebase);
    fs::write(find(&worktree.folder.path().join("kept"), "words"), "nonsense").unwrap();
    let description = Description::read("acquire_socket");
    assert_eq!(
        codebase.locate_now(&description, &[], 5, &OPTIONS, &|_| {}).unwrap().files.len(),
        1
    );
}

#[test]
fn words_no_worktree_uses_are_dropped() {
    let mut worktree = Worktree::new();
    worktree.write("pool.py", "def acquire(): pass\n");
    worktree.write("cart.py", "def total(): pass\n");
    let codebase = worktree.codebase("kept");
    let mut other = Worktree::new();
    other.write("cart.py", "def total(): pass\n");
    let beside = Codebase::new(&other.root(), &worktree.folder.path().join("kept"));
    refresh_words_of(&codebase);
    refresh_words_of(&beside);
    worktree.write("pool.py", "def release(): pass\n");
    worktree.remove("cart.py");
    refresh_words_of(&codebase);
    for (dropped, why) in [
        (1, "`acquire` is gone; the other worktree still has `total`"),
        (0, "nothing else is unused"),
    ] {
        assert_eq!(codebase.drop_unused().unwrap().words, dropped, "{why}");
    }
    assert_eq!(located_paths(&beside, "total is wrong"), ["cart.py"]);
    // What comes back is read again.
    worktree.write("pool.py", "def acquire(): pass\n");
    refresh_words_of(&codebase);
    assert_eq!(located_paths(&codebase, "acquire is slow"), ["pool.py"]);
}

#[test]
fn secrets_are_not_indexed_and_removed_words_leave_the_disk() {
    let mut worktree = Worktree::new();
    let codebase = worktree.codebase("kept");
    let secret = fill("ghp_{A36}", 5);
    let word = "zanzibarquokka";
    worktree.write("deploy.sh", format!("TOKEN={secret}\necho {word}\n"));
    worktree.write("pool.py", format!("def test_{secret}(): pass\nimport {word}\n"));
    refresh(&codebase);
    refresh_words_of(&codebase);
    let folder = worktree.folder.path().join("kept");
    assert!(holds(&folder, word), "words are indexed");
    assert!(!holds(&folder, &secret[4..]), "secrets are not");
    worktree.remove("deploy.sh");
    worktree.write("pool.py", "def release(): pass\n");
    refresh(&codebase);
    refresh_words_of(&codebase);
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
fn only_commits_reachable_from_head_count() {
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
    let commit_matches = |text: &str| -> Vec<String> {
        codebase.refresh(&OPTIONS).unwrap();
        codebase.refresh_words(&OPTIONS).unwrap();
        codebase.refresh_history().unwrap();
        let answer = codebase
            .locate(
                &codebase.words(SearchDepth::Thorough).unwrap(),
                &Description::read(text),
                &[],
                SearchDepth::Thorough,
                5,
            )
            .unwrap();
        let by_commit = |file: &tacit_codebase::locate::LocatedFile| {
            file.pointers.iter().any(|pointer| pointer.source == PointerSource::Commit)
        };
        answer.files.into_iter().filter(by_commit).map(|file| file.path).collect()
    };
    assert_eq!(commit_matches("invoices are not rounded"), ["a.py"]);
    assert!(commit_matches("refunds of vouchers are wrong").is_empty());
    git(&["checkout", "-q", "future"]);
    assert_eq!(commit_matches("refunds of vouchers are wrong").len(), 2);
    git(&["checkout", "-q", "main"]);
    assert!(commit_matches("refunds of vouchers are wrong").is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn an_incremental_word_index_equals_a_fresh_one(
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
            refresh_words_of(&worktree.codebase("kept"));
        }
        refresh_words_of(&worktree.codebase("fresh"));
        let bytes = |graphs: &str| {
            fs::read(find(&worktree.folder.path().join(graphs), "words")).unwrap()
        };
        prop_assert_eq!(bytes("kept"), bytes("fresh"));
    }
}
