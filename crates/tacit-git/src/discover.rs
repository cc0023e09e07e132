//! Finds the repository and its worktrees without running git: every hook needs them, and starting
//! a process would cost more than the rest of the hook.

use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// The size in bytes up to which git's own files are read.
const MAX_BYTES: u64 = 4 << 20;

/// A repository, seen from a directory inside one of its worktrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The root of the current worktree.
    pub worktree: PathBuf,
    /// The root of the main worktree. For a bare repository, its own directory.
    pub main_root: PathBuf,
    /// The directory that all worktrees share, with files such as `info/exclude`.
    pub common_dir: PathBuf,
    /// The directory of this worktree alone, with files such as `HEAD`.
    pub git_dir: PathBuf,
}

impl Repository {
    /// Returns the branch that is checked out in this worktree, or `None` if HEAD is detached.
    pub fn branch(&self) -> Option<String> {
        let head = read_text(&self.git_dir.join("HEAD")).ok()?;
        head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned)
    }

    /// Returns a text that changes when another commit is checked out or the branch moves. It names
    /// the commit unless the branch is packed; then it has the times of the files that may name it.
    pub fn head_mark(&self) -> String {
        let head = read_text(&self.git_dir.join("HEAD")).unwrap_or_default();
        let head = head.trim();
        let Some(branch) = head.strip_prefix("ref: ") else { return head.to_owned() };
        let is_plain = branch.starts_with("refs/") && !branch.split('/').any(|part| part == "..");
        let loose = is_plain.then(|| read_text(&self.common_dir.join(branch)).ok()).flatten();
        if let Some(commit) = loose {
            return format!("{branch} {}", commit.trim());
        }
        let written = |file: &str| {
            let written = fs::metadata(self.common_dir.join(file)).ok()?.modified().ok()?;
            let since = written.duration_since(std::time::UNIX_EPOCH).ok()?;
            Some(format!("{file} {}", since.as_nanos()))
        };
        let files = ["packed-refs", "reftable/tables.list"].into_iter().filter_map(written);
        std::iter::once(branch.to_owned()).chain(files).collect::<Vec<_>>().join(" ")
    }

    /// Returns true if the repository may use another hash than SHA-1, which changes the index
    /// format.
    pub(crate) fn uses_other_hash(&self) -> bool {
        // An unreadable configuration may contain the setting.
        read_text(&self.common_dir.join("config"))
            .map_or(true, |config| config.to_ascii_lowercase().contains("objectformat"))
    }

    /// Returns the roots of all worktrees that still exist, including this one.
    pub fn worktrees(&self) -> Vec<PathBuf> {
        let main = (self.main_root != self.common_dir).then(|| self.main_root.clone());
        let others = fs::read_dir(self.common_dir.join("worktrees")).into_iter().flatten();
        let linked = others.flatten().filter_map(|entry| {
            let dot_git = read_text(&entry.path().join("gitdir")).ok()?;
            let root = resolve(&entry.path(), dot_git.trim()).parent()?.to_path_buf();
            root.is_dir().then_some(root)
        });
        main.into_iter().chain(linked).collect()
    }
}

/// Finds the repository that contains `start`.
pub fn discover(start: &Path) -> Option<Repository> {
    start.ancestors().find_map(at)
}

/// Finds the bare repository that contains `start`. For directories where [`discover`] finds no
/// worktree.
pub fn discover_bare(start: &Path) -> Option<PathBuf> {
    let is_bare = |directory: &&Path| is_git_dir(directory) && directory.join("refs").exists();
    start.ancestors().find(is_bare).map(Path::to_path_buf)
}

fn at(directory: &Path) -> Option<Repository> {
    let dot_git = directory.join(".git");
    let (git_dir, shared) = if fs::metadata(&dot_git).ok()?.is_dir() {
        (dot_git, None)
    } else {
        let link = read_text(&dot_git).ok()?;
        let git_dir = resolve(directory, link.strip_prefix("gitdir:")?.trim());
        let shared = read_text(&git_dir.join("commondir")).ok();
        let shared = shared.map(|path| resolve(&git_dir, path.trim()));
        (git_dir, shared)
    };
    // Without a shared directory this is a main worktree, even in a submodule or with a separate
    // git directory.
    let is_linked = shared.is_some();
    let common_dir = shared.unwrap_or_else(|| git_dir.clone());
    is_git_dir(&common_dir).then(|| Repository {
        worktree: directory.to_path_buf(),
        main_root: if is_linked { main_root(&common_dir) } else { directory.to_path_buf() },
        common_dir,
        git_dir,
    })
}

/// Reads one of git's files. It may be a pipe or a device, planted by a stranger.
fn read_text(path: &Path) -> io::Result<String> {
    tacit_fs::read_text_following(path, MAX_BYTES)
}

/// Returns the main worktree of the repository with this shared directory.
fn main_root(common_dir: &Path) -> PathBuf {
    if common_dir.file_name().is_some_and(|name| name == ".git")
        && let Some(parent) = common_dir.parent()
    {
        return parent.to_path_buf();
    }
    configured_worktree(common_dir).unwrap_or_else(|| common_dir.to_path_buf())
}

/// Reads `core.worktree` from the configuration of a submodule's repository.
fn configured_worktree(common_dir: &Path) -> Option<PathBuf> {
    let config = read_text(&common_dir.join("config")).ok()?;
    let mut in_core = false;
    for line in config.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_core = section.trim_end_matches(']').trim().eq_ignore_ascii_case("core");
        } else if in_core
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("worktree")
        {
            return Some(resolve(common_dir, value.trim().trim_matches('"')));
        }
    }
    None
}

fn is_git_dir(directory: &Path) -> bool {
    directory.join("HEAD").exists() && directory.join("objects").exists()
}

/// Resolves a path from one of git's files against `base`, and removes `.` and `..`.
fn resolve(base: &Path, text: &str) -> PathBuf {
    let mut resolved = PathBuf::new();
    for component in base.join(text).components() {
        match component {
            Component::ParentDir => drop(resolved.pop()),
            Component::CurDir => {}
            other => resolved.push(other),
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_git::git;

    /// Creates a repository `main` with one commit.
    fn repository() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path().canonicalize().expect("a path").join("main");
        fs::create_dir_all(root.join("src/deep")).expect("directories");
        git(&root, &["init", "-q"]);
        git(&root, &["commit", "-q", "--allow-empty", "-m", "first"]);
        (directory, root)
    }

    #[test]
    fn discover_works_from_any_subdirectory() {
        let (_temp, root) = repository();
        for inside in [root.clone(), root.join("src"), root.join("src/deep")] {
            let found = discover(&inside).expect("a repository");
            assert_eq!((&found.worktree, &found.main_root), (&root, &root));
            assert_eq!(found.common_dir, root.join(".git"));
        }
    }

    #[test]
    fn discover_finds_nothing_outside_a_repository() {
        let directory = tempfile::tempdir().expect("a directory");
        assert_eq!(discover(directory.path()), None);
        fs::write(directory.path().join(".git"), "nonsense").expect("a file");
        assert_eq!(discover(directory.path()), None);
    }

    #[test]
    fn worktrees_share_the_main_root() {
        let (_temp, root) = repository();
        git(&root, &["worktree", "add", "-q", "../side", "-b", "side"]);
        let side = root.with_file_name("side");
        let found = discover(&side).expect("a repository");
        assert_eq!((&found.worktree, &found.main_root), (&side, &root));
        assert_eq!(found.common_dir, root.join(".git"));
        assert_eq!(found.worktrees(), [root.clone(), side.clone()]);
        fs::remove_dir_all(&side).unwrap();
        assert_eq!(found.worktrees(), [root]);
    }

    #[test]
    fn the_mark_of_the_head_changes_with_the_commit() {
        let (_temp, root) = repository();
        let mark = || discover(&root).expect("a repository").head_mark();
        let mut marks = vec![mark()];
        assert_eq!(mark(), marks[0]);
        for arguments in [
            &["commit", "-q", "--allow-empty", "-m", "second"][..],
            &["pack-refs", "--all"],
            &["commit", "-q", "--allow-empty", "-m", "third"],
            &["checkout", "-q", "-b", "side"],
            &["checkout", "-q", "--detach", "HEAD~1"],
        ] {
            git(&root, arguments);
            let new = mark();
            assert!(!marks.contains(&new), "{arguments:?}: {new}");
            marks.push(new);
        }
    }

    #[test]
    fn a_bare_repository_is_its_own_root() {
        let (_temp, root) = repository();
        let bare = root.with_file_name("bare.git");
        git(&root, &["clone", "-q", "--bare", ".", "../bare.git"]);
        git(&bare, &["worktree", "add", "-q", "../tree", "-b", "tree"]);
        let found = discover(&root.with_file_name("tree")).expect("a repository");
        assert_eq!(found.main_root, bare);
        assert_eq!(found.worktrees(), [root.with_file_name("tree")]);
        assert_eq!(discover(&bare), None);
        assert_eq!(discover_bare(&bare.join("objects")), Some(bare));
        assert_eq!(discover_bare(&root), None);
    }

    #[test]
    fn submodules_and_their_worktrees_have_their_own_main_root() {
        let (_temp, inner) = repository();
        let outer = inner.with_file_name("outer");
        fs::create_dir(&outer).expect("a directory");
        git(&outer, &["init", "-q"]);
        git(&outer, &["submodule", "--quiet", "add", "../main", "sub"]);
        let sub = outer.join("sub");
        let found = discover(&sub).expect("a repository");
        assert_eq!((&found.worktree, &found.main_root), (&sub, &sub));
        git(&sub, &["worktree", "add", "-q", "../../side-of-sub", "-b", "side"]);
        let found = discover(&inner.with_file_name("side-of-sub")).expect("a repository");
        assert_eq!(found.main_root, sub);
    }

    use proptest::prelude::*;

    /// Generates what git writes into such a file, and what it never would.
    fn content() -> impl Strategy<Value = Vec<u8>> {
        let path = prop_oneof![
            Just("../other".to_owned()),
            Just("elsewhere".to_owned()),
            Just("/".to_owned()),
            Just("..".repeat(3_000)),
            Just("../".repeat(3_000)),
            Just("a\0b".to_owned()),
            any::<String>(),
        ];
        prop_oneof![
            any::<Vec<u8>>(),
            path.clone().prop_map(|path| format!("gitdir: {path}\n").into_bytes()),
            path.clone().prop_map(|path| format!("[core]\n worktree = {path}\n").into_bytes()),
            path.prop_map(String::into_bytes),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn arbitrary_bytes_in_git_files_never_panic(
            dot_git in content(), commondir in content(), config in content(),
        ) {
            let directory = tempfile::tempdir().unwrap();
            let elsewhere = directory.path().join("elsewhere");
            fs::create_dir_all(elsewhere.join("objects")).unwrap();
            fs::write(elsewhere.join("HEAD"), "ref: refs/heads/main").unwrap();
            fs::write(elsewhere.join("commondir"), commondir).unwrap();
            fs::write(elsewhere.join("config"), config).unwrap();
            fs::write(directory.path().join(".git"), dot_git).unwrap();
            if let Some(found) = discover(directory.path()) {
                prop_assert_eq!(found.worktree, directory.path());
                prop_assert!(is_git_dir(&found.common_dir));
            }
        }
    }
}
