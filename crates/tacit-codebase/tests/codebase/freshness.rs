//! Whether answers are of the code as it is.

use tacit_codebase::RefreshOptions;

use crate::{Worktree, find, refresh};

/// How many edges the graph has, asked as commands ask.
fn edges(worktree: &Worktree) -> u32 {
    let options = RefreshOptions { threads: 1, reread_all: false, progress: &|_, _| {} };
    let codebase = worktree.codebase("kept");
    let graph = codebase.open_or_build(&options).unwrap();
    // The answer itself names nothing.
    let newer = codebase.refresh_if_stale(&graph, Some(&[]), &options).unwrap();
    newer.unwrap_or(graph).packed().edges()
}

#[test]
fn added_removed_and_changed_files_refresh_the_graph() {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.py", "x = 1\n");
    refresh(&worktree.codebase("kept"));
    assert_eq!(edges(&worktree), 0);
    worktree.write("src/till.py", "from .pool import x\n");
    let with_import = edges(&worktree);
    assert!(with_import > 0, "a file that came");
    worktree.write("other/deep/day.py", "y = 2\n");
    worktree.write("other/deep/night.py", "from .day import y\n");
    assert!(edges(&worktree) > with_import, "a folder that came");
    worktree.remove("other/deep/night.py");
    assert_eq!(edges(&worktree), with_import, "a file that went");
    assert_eq!(edges(&worktree), with_import, "and again");
    std::fs::write(worktree.root().join("src/till.py"), "z = 3\n").unwrap();
    assert!(edges(&worktree) < with_import, "a file that was changed");
    std::fs::write(worktree.root().join("src/till.py"), "from .pool import x\n").unwrap();
    worktree.write("notes.txt", "nothing that is parsed");
    assert_eq!(edges(&worktree), with_import, "something else");
    worktree.write("src/till.py", "z = 3\n");
    assert!(edges(&worktree) < with_import, "a file with an old time");
}

#[test]
fn changed_manifests_and_ignore_rules_refresh_the_graph() {
    let mut worktree = Worktree::new();
    let paths = |to: &str| {
        format!(r#"{{"compilerOptions": {{"baseUrl": ".", "paths": {{"@/*": ["{to}/*"]}}}}}}"#)
    };
    worktree.write("tsconfig.json", paths("nowhere"));
    worktree.write("src/pool.ts", "export const x = 1;\n");
    worktree.write("src/till.ts", "import { x } from '@/pool';\nexport const y = x;\n");
    worktree.write(".gitignore", "# nothing yet\n");
    worktree.write("docs/guide.md", "Read this.\n");
    refresh(&worktree.codebase("kept"));
    assert_eq!(edges(&worktree), 0);
    worktree.write("tsconfig.json", paths("src"));
    let with_import = edges(&worktree);
    assert!(with_import > 0, "a manifest that was changed");
    worktree.write("docs/example.ts", "import { y } from '@/till';\n");
    assert!(edges(&worktree) > with_import, "a source in a folder that had none");
    worktree.write(".gitignore", "docs/\n");
    assert_eq!(edges(&worktree), with_import, "a file that is ignored now");
}

#[test]
fn a_current_graph_is_not_refreshed() {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.py", "x = 1\n");
    refresh(&worktree.codebase("kept"));
    worktree.write("notes.txt", "nothing that is parsed");
    // Whoever brings a graph up to date writes to the file that keeps others from doing so.
    let lock_time_after_query = || {
        // Longer than the clock of a file system stands still.
        std::thread::sleep(std::time::Duration::from_millis(50));
        edges(&worktree);
        let lock = find(&worktree.root().with_file_name("kept"), "lock");
        std::fs::metadata(lock).unwrap().modified().unwrap()
    };
    assert_eq!(lock_time_after_query(), lock_time_after_query());
}

#[test]
fn queries_and_builds_wait_for_the_lock() {
    let ask = |worktree: &Worktree| edges(worktree) > 0;
    let build = |worktree: &Worktree| refresh(&worktree.codebase("kept")).files == 2;
    for what in [ask as fn(&Worktree) -> bool, build] {
        let mut worktree = Worktree::new();
        worktree.write("src/pool.py", "x = 1\n");
        let codebase = worktree.codebase("kept");
        refresh(&codebase);
        let lock = std::fs::File::open(codebase.database().with_extension("lock")).unwrap();
        lock.lock().unwrap();
        worktree.write("src/till.py", "from .pool import x\n");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| what(&worktree));
            // Long enough for one that does not wait; a later one is right in any case.
            std::thread::sleep(std::time::Duration::from_millis(300));
            assert!(!waiting.is_finished());
            lock.unlock().unwrap();
            assert!(waiting.join().unwrap());
        });
    }
}

#[test]
fn files_written_during_a_build_are_seen_by_the_next_query() {
    let mut worktree = Worktree::new();
    worktree.write("src/pool.py", "x = 1\n");
    let written = worktree.root().join("src/till.py");
    let write = |_, _| {
        std::fs::write(&written, "from .pool import x\n").unwrap();
        // The graph is to be published at a later moment of the file system's clock.
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    let options = RefreshOptions { threads: 1, reread_all: false, progress: &write };
    worktree.codebase("kept").refresh(&options).unwrap();
    assert!(edges(&worktree) > 0);
}
