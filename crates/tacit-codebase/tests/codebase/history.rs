//! Histories of real repositories: read once, stored, and correct after anything that git can do.

use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tacit_codebase::history::{EstimateWeights, Estimator, History, Structure};
use tacit_codebase::{Codebase, CodebaseResult, HistoryReport};
use tacit_testkit::env::TestEnv;

/// An empty repository.
struct Repository {
    env: TestEnv,
    root: PathBuf,
}

impl Repository {
    fn new() -> Repository {
        let env = TestEnv::new("no binary");
        let root = env.project();
        env.git(&root, &["init", "-q"]);
        Repository { env, root }
    }

    fn git(&self, arguments: &[&str]) {
        self.env.git(&self.root, arguments);
    }

    fn output(&self, arguments: &[&str]) -> String {
        let output = self.env.command_for("git").args(arguments).current_dir(&self.root).output();
        String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
    }

    fn shell(&self, script: &str) {
        let mut command = self.env.command_for("sh");
        let names =
            ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"];
        for name in names {
            command.env(name, "t@example.com");
        }
        let status = command.args(["-c", script]).current_dir(&self.root).status();
        assert!(status.unwrap().success());
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes files and commits everything.
    fn commit(&self, files: &[&str], text: &str) {
        files.iter().for_each(|file| self.write(file, &format!("{file}\n{text}\n")));
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", text]);
    }

    fn codebase(&self, name: &str) -> Codebase {
        Codebase::new(&self.root, &self.env.root().join(name))
    }

    fn refresh(&self) -> HistoryReport {
        self.codebase("kept").refresh_history().unwrap()
    }

    fn history(&self) -> History {
        self.codebase("kept").history().unwrap()
    }

    /// Reads the history without any stored state.
    fn fresh_history(&self) -> History {
        read(&self.root, &self.env.root().join("fresh"))
    }
}

fn read(root: &Path, directory: &Path) -> History {
    let _ = fs::remove_dir_all(directory);
    let codebase = Codebase::new(root, directory);
    codebase.refresh_history().unwrap();
    codebase.history().unwrap()
}

fn report(read: usize, dropped: usize) -> HistoryReport {
    HistoryReport { read, dropped }
}

fn existing(history: &History) -> Vec<&str> {
    let mut paths: Vec<&str> = history.names.existing().map(|(_, path)| path).collect();
    paths.sort_unstable();
    paths
}

/// Returns the number of commits that touched both files.
fn together(history: &History, one: &str, other: &str) -> u32 {
    let structure = Structure::default();
    let estimator = Estimator::new(history, &structure, EstimateWeights::default());
    let (one, other) = (history.names.find(one).unwrap(), history.names.find(other).unwrap());
    let partners = estimator.partners(one, &[], 1_000);
    let partner = partners.iter().find(|partner| partner.file == other);
    partner.map_or(0, |partner| partner.together)
}

#[test]
fn only_new_commits_are_read() {
    let repository = Repository::new();
    repository.commit(&["a.rs", "b.rs"], "one");
    repository.commit(&["a.rs", "b.rs", "c.rs"], "two");
    assert_eq!(repository.refresh(), report(2, 0));
    assert_eq!(repository.refresh(), report(0, 0));
    repository.commit(&["a.rs"], "three");
    assert_eq!(repository.refresh(), report(1, 0));
    assert_eq!(repository.history(), repository.fresh_history());
    assert_eq!(together(&repository.history(), "a.rs", "b.rs"), 2);
}

#[test]
fn concurrent_readers_read_each_commit_once() {
    let repository = Repository::new();
    for text in ["one", "two", "three"] {
        repository.commit(&["a.rs", "b.rs"], text);
    }
    let read: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| repository.refresh().read)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(read, 3);
    assert_eq!(repository.history(), repository.fresh_history());
}

#[test]
fn partners_are_ranked_by_probability() {
    let repository = Repository::new();
    assert!(repository.codebase("kept").partners("a.rs").is_empty());
    for text in ["one", "two", "three"] {
        repository.commit(&["x/a.rs", "y/b.rs"], text);
    }
    repository.commit(&["z/c.rs"], "four");
    repository.refresh();
    let partners = repository.codebase("kept").partners("x/a.rs");
    assert!(partners["y/b.rs"] > 0.4, "{partners:?}");
    assert!(partners["z/c.rs"] < partners["y/b.rs"], "{partners:?}");
    assert!(repository.codebase("kept").partners("unknown.rs").is_empty());
}

#[test]
fn files_keep_their_identity_through_renames() {
    let repository = Repository::new();
    repository.commit(&["src/old.rs", "src/other.rs"], "one");
    repository.git(&["mv", "src/old.rs", "src/new.rs"]);
    repository.commit(&[], "move");
    repository.refresh();
    repository.commit(&["src/new.rs", "src/other.rs"], "two");
    // A new file with the old name is another file.
    repository.commit(&["src/old.rs"], "three");
    repository.refresh();
    let history = repository.history();
    assert_eq!(together(&history, "src/new.rs", "src/other.rs"), 2);
    assert_eq!(together(&history, "src/old.rs", "src/other.rs"), 0);
    assert_eq!(history, repository.fresh_history());
}

#[test]
fn merges_are_skipped_and_old_names_on_branches_resolve() {
    let repository = Repository::new();
    repository.commit(&["a.rs", "b.rs"], "one");
    repository.git(&["checkout", "-q", "-b", "side"]);
    repository.write("a.rs", "a.rs\nside\n");
    repository.write("b.rs", "b.rs\nside\n");
    repository.git(&["commit", "-qam", "on the side"]);
    repository.git(&["checkout", "-q", "-"]);
    repository.git(&["mv", "a.rs", "moved.rs"]);
    repository.git(&["commit", "-qm", "move"]);
    repository.git(&["merge", "-q", "--no-edit", "side"]);
    assert_eq!(repository.refresh(), report(3, 0));
    let history = repository.history();
    assert_eq!(existing(&history), ["b.rs", "moved.rs"]);
    assert_eq!(together(&history, "moved.rs", "b.rs"), 2);
}

#[test]
fn bulk_commits_link_no_files() {
    let repository = Repository::new();
    let names: Vec<String> = (0..101).map(|number| format!("f{number}.rs")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    repository.commit(&names, "everything");
    repository.commit(&names[..100], "nearly");
    repository.refresh();
    let history = repository.history();
    assert_eq!(together(&history, "f0.rs", "f1.rs"), 1);
    assert!(history.commits[0].files.is_empty());
    assert_eq!(history.commits[0].size, 101);
    // Each file still counts the commit.
    let file = history.names.find("f0.rs").unwrap();
    assert_eq!(history.commits.iter().filter(|past| past.touched(file)).count(), 2);
}

#[test]
fn only_rewritten_commits_are_read_again() {
    let repository = Repository::new();
    for text in ["one", "two", "three"] {
        repository.commit(&["a.rs", "b.rs"], text);
    }
    repository.refresh();
    repository.commit(&["c.rs"], "draft");
    assert_eq!(repository.refresh(), report(1, 0));
    repository.git(&["commit", "-q", "--amend", "-m", "better"]);
    assert_eq!(repository.refresh(), report(1, 1));
    repository.git(&["reset", "-q", "--hard", "HEAD~2"]);
    assert_eq!(repository.refresh(), report(0, 2));
    repository.git(&["checkout", "-q", "-b", "elsewhere", "HEAD~1"]);
    repository.git(&["mv", "a.rs", "d.rs"]);
    repository.commit(&["b.rs"], "move");
    assert_eq!(repository.refresh(), report(1, 1));
    assert_eq!(existing(&repository.history()), ["b.rs", "d.rs"]);
    assert_eq!(repository.history(), repository.fresh_history());
    // The last commit seen no longer exists.
    repository.git(&["checkout", "-q", "--orphan", "new"]);
    repository.commit(&["z.rs"], "again");
    repository.git(&["branch", "-q", "-D", "elsewhere"]);
    repository.git(&["reflog", "expire", "--expire=now", "--all"]);
    repository.git(&["gc", "-q", "--prune=now"]);
    repository.refresh();
    assert_eq!(repository.history(), repository.fresh_history());
}

#[test]
fn unshallowing_a_clone_rereads_its_history() {
    let repository = Repository::new();
    for text in ["one", "two", "three"] {
        repository.commit(&["a.rs", "b.rs"], text);
    }
    let clone = repository.env.root().join("clone");
    let (from, to) = (format!("file://{}", repository.root.display()), clone.display().to_string());
    repository.git(&["clone", "-q", "--depth", "2", &from, &to]);
    let codebase = Codebase::new(&clone, &repository.env.root().join("of-clone"));
    assert_eq!(codebase.refresh_history().unwrap(), report(2, 0));
    repository.env.git(&clone, &["fetch", "-q", "--unshallow"]);
    assert_eq!(codebase.refresh_history().unwrap(), report(3, 2));
    assert_eq!(codebase.history().unwrap(), repository.fresh_history());
}

#[test]
fn a_damaged_history_is_read_again() {
    let repository = Repository::new();
    for n in 0..40 {
        let text = format!("change {n} {}", "of many words ".repeat(40));
        repository.commit(&["a.rs", "b.rs"], &text);
    }
    let whole = repository.refresh();
    let fresh_history = repository.fresh_history();
    let name = |entry: fs::DirEntry| entry.path();
    let kept =
        || fs::read_dir(repository.env.root().join("kept")).unwrap().map(|e| name(e.unwrap()));
    let path = kept().find(|path| path.extension().is_some_and(|end| end == "history")).unwrap();
    let good = fs::read(&path).unwrap();
    let mut torn = good.clone();
    torn[8_192..].fill(0xa5);
    for (how, bytes) in [
        ("no database", b"nothing of the kind".to_vec()),
        ("torn", torn),
        ("cut", good[..5_000].to_vec()),
    ] {
        fs::write(&path, bytes).unwrap();
        let messages = repository.codebase("kept").messages(3);
        assert_eq!(messages.map(|report| report.len()).ok(), Some(3), "{how}");
        fs::write(&path, b"nothing of the kind").unwrap();
        assert_eq!(repository.refresh(), whole, "{how}");
        fs::write(&path, b"nothing of the kind").unwrap();
        assert_eq!(repository.history().commits, fresh_history.commits, "{how}");
    }
}

#[test]
fn repositories_without_commits_have_an_empty_history() {
    let repository = Repository::new();
    assert_eq!(repository.refresh(), report(0, 0));
    assert_eq!(repository.history(), History::default());
    let nowhere = repository.env.root().join("nowhere");
    fs::create_dir(&nowhere).unwrap();
    assert_eq!(read(&nowhere, &repository.env.root().join("n")), History::default());
    let never: CodebaseResult<History> = repository.codebase("never").history();
    assert!(never.unwrap_err().to_string().contains("yet"));
}

#[cfg(target_os = "linux")]
#[test]
fn files_with_non_utf8_names_are_counted() {
    use std::os::unix::ffi::OsStrExt;
    let repository = Repository::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.rs");
    fs::write(repository.root.join(name), "x").unwrap();
    repository.commit(&["a b.rs", "tab\there.rs", "日本.rs"], "strange\n\nnames");
    repository.refresh();
    let history = repository.history();
    assert_eq!(existing(&history), ["a b.rs", "tab\there.rs", "日本.rs"]);
    assert_eq!(history.commits[0].size, 4);
}

/// An operation on a repository.
#[derive(Debug, Clone)]
enum Step {
    Commit(Vec<u8>),
    Move(u8, u8),
    Delete(u8),
    Amend,
    Back(u8),
    Look,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => prop::collection::vec(0..6_u8, 1..4).prop_map(Step::Commit),
        2 => (0..6_u8, 0..6_u8).prop_map(|(from, to)| Step::Move(from, to)),
        1 => (0..6_u8).prop_map(Step::Delete),
        1 => Just(Step::Amend),
        1 => (1..3_u8).prop_map(Step::Back),
        2 => Just(Step::Look),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, max_shrink_iters: 20, ..ProptestConfig::default() })]

    #[test]
    fn incremental_history_equals_a_fresh_read(steps in prop::collection::vec(step(), 1..14)) {
        let repository = Repository::new();
        let name = |number: u8| format!("f{number}.rs");
        let there = |number: u8| repository.root.join(name(number)).exists();
        repository.commit(&["f0.rs", "f1.rs"], "first");
        let mut commits = 1;
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Commit(files) => {
                    let names: Vec<String> = files.iter().copied().map(name).collect();
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    repository.commit(&names, &format!("change {at}"));
                    commits += 1;
                }
                Step::Move(from, to) if there(*from) && from != to => {
                    repository.git(&["mv", "-f", &name(*from), &name(*to)]);
                    repository.commit(&[], "move");
                    commits += 1;
                }
                Step::Delete(file) if there(*file) => {
                    repository.git(&["rm", "-q", &name(*file)]);
                    repository.commit(&[], "delete");
                    commits += 1;
                }
                Step::Amend => {
                    repository.git(&["commit", "-q", "--amend", "--allow-empty", "-m", &format!("amended {at}")]);
                }
                Step::Back(by) if commits > i32::from(*by) => {
                    repository.git(&["reset", "-q", "--hard", &format!("HEAD~{by}")]);
                    commits -= i32::from(*by);
                }
                Step::Look => {
                    repository.refresh();
                }
                Step::Move(..) | Step::Delete(_) | Step::Back(_) => {}
            }
        }
        repository.refresh();
        prop_assert_eq!(repository.history(), repository.fresh_history());
    }
}

#[test]
fn a_reader_that_was_killed_is_continued() {
    let repository = Repository::new();
    repository.commit(&["a.rs"], "first");
    let tree = repository.output(&["rev-parse", "HEAD^{tree}"]);
    // More commits than are read at once, made by one process.
    let script = "c=$(git rev-parse HEAD); for n in $(seq 1200); do \
                  c=$(git commit-tree -p $c -m $n TREE); done; git reset -q --hard $c";
    repository.shell(&script.replace("TREE", &tree));
    let codebase = repository.codebase("kept");
    let killed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        codebase.refresh_history_with(&|_, _| std::panic::resume_unwind(Box::new(())))
    }));
    assert!(killed.is_err(), "after the first batch");
    let rest = repository.refresh();
    assert!(rest.read > 0 && rest.read < 1_201, "{rest:?}");
    assert_eq!(rest.dropped, 0);
    assert_eq!(repository.history(), repository.fresh_history());
    assert_eq!(codebase.stored_commits(2_000).unwrap().len(), 1_201);
    assert_eq!(repository.refresh(), report(0, 0));
}
