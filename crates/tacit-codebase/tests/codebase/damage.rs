//! Damaged and unwritable files: all of them can be rebuilt, and the existing ones are used until
//! then.

use std::fs;
use std::path::Path;

use tacit_codebase::locate::Description;
use tacit_codebase::{Codebase, CodebaseError, RefreshOptions, SearchDepth};
use tacit_testkit::env::TestEnv;

use crate::{Worktree, find, refresh};

const OPTIONS: RefreshOptions<'static> =
    RefreshOptions { threads: 1, reread_all: false, progress: &|_, _| {} };

fn shop() -> Worktree {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.py", "def acquire_socket(): pass\n");
    worktree.write("src/till.py", "from .pool import acquire_socket\n");
    let codebase = worktree.codebase("kept");
    refresh(&codebase);
    codebase.refresh_words(&OPTIONS).unwrap();
    worktree
}

/// Returns the number of edges, and the reason why they may be stale.
fn ask(codebase: &Codebase) -> Result<(u32, Option<String>), CodebaseError> {
    let graph = codebase.open_or_build(&OPTIONS)?;
    let graph = codebase.refresh_if_stale(&graph, Some(&[]), &OPTIONS)?.unwrap_or(graph);
    Ok((graph.packed().edges(), graph.stale_reason().map(str::to_owned)))
}

fn locate(codebase: &Codebase) -> usize {
    let read = Description::read("acquire_socket is slow");
    codebase.locate_now(&read, &[], 5, &OPTIONS, &|_| {}).unwrap().files.len()
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 0x81;
    fs::write(path, bytes).unwrap();
}

#[test]
fn flipped_bytes_are_detected() {
    let worktree = shop();
    let (codebase, folder) = (worktree.codebase("kept"), worktree.folder.path().join("kept"));
    let (edges, _) = ask(&codebase).unwrap();
    let description = Description::read("acquire_socket in src/pool.py hangs");
    for ending in ["graph", "words"] {
        let path = find(&folder, ending);
        let whole = fs::read(&path).unwrap();
        for at in (0..whole.len()).step_by(7) {
            flip(&path, at);
            assert!(codebase.open().is_err() || ending == "words", "{at}");
            assert!(codebase.words(SearchDepth::Thorough).is_err() || ending == "graph", "{at}");
            // A quick search may answer anything, but must not fail.
            if let Ok(words) = codebase.words(SearchDepth::Quick) {
                codebase.locate(&words, &description, &[], SearchDepth::Quick, 5).unwrap();
            }
            fs::write(&path, &whole).unwrap();
        }
    }
    flip(&find(&folder, "graph"), 200);
    assert_eq!(ask(&codebase).unwrap(), (edges, None));
    assert!(codebase.open().is_ok());
    let found = locate(&codebase);
    flip(&find(&folder, "words"), 200);
    assert_eq!(locate(&codebase), found);
    assert!(found > 0 && codebase.words(SearchDepth::Thorough).is_ok());
}

/// Returns damaged variants of a database.
fn damaged(whole: &[u8]) -> Vec<Vec<u8>> {
    let mut middle = whole.to_vec();
    let length = whole.len();
    middle[length / 2..].fill(0xa5);
    let mut schema = whole.to_vec();
    schema[100..1000].fill(0xff);
    vec![b"not a database, but long enough to be read as one".repeat(100), middle, schema]
}

/// Replaces a database file that is not open.
fn replace(path: &Path, bytes: &[u8]) {
    for beside in ["-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{beside}", path.display()));
    }
    fs::write(path, bytes).unwrap();
}

#[test]
fn damaged_databases_are_rebuilt() {
    let mut worktree = shop();
    let (codebase, folder) = (worktree.codebase("kept"), worktree.folder.path().join("kept"));
    let (edges, _) = ask(&codebase).unwrap();
    let own = codebase.database();
    for path in [own.clone(), folder.join("facts.db"), folder.join("words.db")] {
        let whole = fs::read(&path).unwrap();
        for (number, bytes) in damaged(&whole).into_iter().enumerate() {
            replace(&path, &bytes);
            worktree.write("src/note.py", format!("acquire_socket = {number}\n"));
            assert_eq!(ask(&codebase).unwrap().0, edges, "{} {number}", path.display());
            assert!(locate(&codebase) > 0, "{} {number}", path.display());
            worktree.remove("src/note.py");
        }
    }
    codebase.mark_linked().unwrap();
    replace(&own, b"no database");
    assert!(!codebase.is_linked().unwrap());
}

#[test]
fn a_damaged_history_is_read_again() {
    let env = TestEnv::new("no binary");
    let root = env.project();
    env.git(&root, &["init", "-q"]);
    for number in 0..40 {
        for name in ["pool", "till"] {
            fs::write(root.join(format!("{name}{number}.py")), format!("x = {number}\n")).unwrap();
        }
        env.git(&root, &["add", "-A"]);
        env.git(&root, &["commit", "-q", "-m", &format!("commit {number}")]);
    }
    let codebase = Codebase::new(&root, &env.root().join("kept"));
    codebase.refresh_history().unwrap();
    let (history, messages) = (codebase.history().unwrap(), codebase.messages(9).unwrap());
    // Co-changes depend on the imports in the graph.
    refresh(&codebase);
    let together = codebase.partners("pool0.py");
    flip(&find(&env.root().join("kept"), "graph"), 300);
    assert_eq!(codebase.partners("pool0.py"), together);
    assert!(codebase.open().is_ok() && !together.is_empty());
    let path = find(&env.root().join("kept"), "history");
    let whole = fs::read(&path).unwrap();
    for bytes in damaged(&whole) {
        // The damage is found either by a reader or by a refresh.
        for looks in [true, false] {
            replace(&path, &bytes);
            if looks {
                codebase.refresh_history().unwrap();
            }
            assert_eq!(codebase.messages(9).unwrap(), messages);
            assert_eq!(codebase.history().unwrap(), history);
        }
    }
}

#[test]
fn blocking_paths_are_reported() {
    for ending in ["db", "lock", "graph"] {
        let worktree = shop();
        let codebase = worktree.codebase("kept");
        let graph = find(&worktree.folder.path().join("kept"), "graph");
        let path = graph.with_extension(ending);
        fs::remove_file(&graph).unwrap();
        let _ = fs::remove_file(&path);
        fs::create_dir(&path).unwrap();
        let error = ask(&codebase).unwrap_err();
        assert!(matches!(error, CodebaseError::PathBlocked { path: named } if named == path));
    }
    let mut worktree = Worktree::new();
    worktree.write("a.py", "x = 1\n");
    let folder = worktree.folder.path().join("kept");
    fs::write(&folder, "a file").unwrap();
    let error = ask(&worktree.codebase("kept")).unwrap_err();
    assert!(matches!(error, CodebaseError::PathBlocked { path } if path == folder));
}

/// A full disk stands for one that cannot be written.
#[cfg(target_os = "linux")]
#[test]
fn unwritable_directories_answer_from_the_last_graph() {
    let mut worktree = shop();
    let (codebase, folder) = (worktree.codebase("kept"), worktree.folder.path().join("kept"));
    let before = ask(&codebase).unwrap();
    assert_eq!(before.1, None);
    let lock = find(&folder, "graph").with_extension("lock");
    fs::remove_file(&lock).unwrap();
    std::os::unix::fs::symlink("/dev/full", &lock).unwrap();
    assert_eq!(ask(&codebase).unwrap(), before, "it is current");
    worktree.write("src/late.py", "from .pool import acquire_socket\n");
    let (edges, why) = ask(&codebase).unwrap();
    assert_eq!(edges, before.0);
    assert!(why.is_some_and(|why| why.contains("lock")));
    assert!(locate(&codebase) > 0);
    fs::remove_file(find(&folder, "graph")).unwrap();
    assert!(ask(&codebase).unwrap_err().is_unwritable());
}
