//! Lists the tracked files of a worktree by reading git's index, without running git. A tracked
//! file belongs to the repository even if `.gitignore` matches it.

use std::path::Path;

use crate::discover::discover;
use crate::error::{GitResult, command_failed};
use crate::spawn::{BRIEF, LONG, QUICK, run};

/// The size in bytes up to which an index is read. A larger one would list millions of files.
const MAX_BYTES: u64 = 512 << 20;
/// The same while an agent waits: about 70,000 files.
const MAX_WAITED_BYTES: u64 = 8 << 20;
/// The size in bytes up to which the log of HEAD is read.
const MAX_LOG_BYTES: u64 = 4 << 20;

/// Returns the regular files that git tracks in a worktree, in the order of the index. Returns
/// `None` if `worktree` is not the root of a worktree, or if its index cannot be read here: with
/// another hash than SHA-1, or split into several files.
#[must_use]
pub fn tracked_files(worktree: &Path) -> Option<Vec<String>> {
    let entries = entries(worktree)?;
    let regular = entries.into_iter().filter(|entry| entry.regular);
    Some(regular.filter_map(|entry| String::from_utf8(entry.path).ok()).collect())
}

/// Returns those of some files that differ from git's index: changed since they were added, or
/// deleted. Compares sizes and times only, as git itself does first. Files that are not in the index
/// are left out, because they may be ignored. Returns `None` if the index cannot be read here, or is
/// too large to read while an agent waits.
#[must_use]
pub fn changed_since_index(worktree: &Path, files: &[&str]) -> Option<Vec<String>> {
    let states = compare_with_index(worktree, files)?;
    let changed = files.iter().zip(states).filter(|(_, state)| *state == IndexState::Changed);
    Some(changed.map(|(file, _)| (*file).to_owned()).collect())
}

/// Returns true if a commit was made here after a time, in seconds since 1970, and none of the files
/// differs from the last commit. Runs git only if that is likely. Returns false if git cannot tell
/// at once.
#[must_use]
pub fn committed_since(worktree: &Path, files: &[&str], since: i64) -> bool {
    let Some(repository) = discover(worktree) else { return false };
    let log = repository.git_dir.join("logs").join("HEAD");
    let Ok(log) = tacit_fs::read_text_following(&log, MAX_LOG_BYTES) else { return false };
    let is_later = |line: &str| {
        // The line is `OLD NEW NAME <MAIL> SECONDS ZONE<tab>MESSAGE`.
        let (head, message) = line.split_once('\t')?;
        let seconds: i64 = head.rsplit(' ').nth(1)?.parse().ok()?;
        Some(message.starts_with("commit") && seconds >= since)
    };
    let is_done = |state: &IndexState| matches!(state, IndexState::Same | IndexState::Missing);
    log.lines().rev().any(|line| is_later(line).unwrap_or(false))
        && compare_with_index(worktree, files).is_some_and(|states| states.iter().all(is_done))
        && nothing_is_staged(worktree, files)
}

/// Returns true if git's index has the same of some files as the last commit.
fn nothing_is_staged(worktree: &Path, files: &[&str]) -> bool {
    let files: Vec<String> = files.iter().map(|file| format!(":(top,literal){file}")).collect();
    let mut arguments = vec!["diff-index", "--cached", "--quiet", "--no-ext-diff"];
    arguments.extend(["--no-textconv", "--ignore-submodules=all", "HEAD", "--"]);
    arguments.extend(files.iter().map(String::as_str));
    run(worktree, &arguments, &[], BRIEF).is_ok_and(|output| output.status.success())
}

/// A file of the worktree, compared with git's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexState {
    Same,
    /// Changed or deleted since it was added.
    Changed,
    /// Only in the worktree.
    Untracked,
    /// In neither.
    Missing,
}

fn compare_with_index(worktree: &Path, files: &[&str]) -> Option<Vec<IndexState>> {
    let entries = look_up(&index(worktree, MAX_WAITED_BYTES)?, files)?;
    let compare = |(file, entry): (&&str, Option<IndexedFile>)| {
        match (std::fs::symlink_metadata(worktree.join(file)), entry) {
            (Err(_), Some(_)) => IndexState::Changed,
            (Err(_), None) => IndexState::Missing,
            (Ok(_), None) => IndexState::Untracked,
            // A submodule has commits of its own.
            (Ok(found), Some(_)) if found.is_dir() => IndexState::Same,
            (Ok(found), Some(entry)) => {
                let seconds = tacit_fs::platform::modified_at(&found) / 1_000_000_000;
                let is_same = u64::from(entry.size) == found.len() & u64::from(u32::MAX)
                    && entry.modified == seconds as u32;
                if is_same { IndexState::Same } else { IndexState::Changed }
            }
        }
    };
    Some(files.iter().zip(entries).map(compare).collect())
}

/// Returns all tracked paths at or below `prefix`: files, links and submodules. Ignores case,
/// because some file systems do. Runs git if the index cannot be read here.
pub fn tracked_below(worktree: &Path, prefix: &str) -> GitResult<Vec<String>> {
    let below = |path: &[u8]| {
        path.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
            && matches!(path.get(prefix.len()), None | Some(b'/'))
    };
    match entries(worktree) {
        Some(entries) => {
            let paths = entries.iter().map(|entry| entry.path.as_slice());
            let paths = paths.filter(|path| below(path));
            Ok(paths.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
        }
        None => list_files(worktree, prefix),
    }
}

/// Returns true if any known commit has a path at or below `folder`, except for some names in it.
/// Looks at all branches, remotes, the reflog and the last fetch, because the files of a failed or
/// running checkout are not in the index yet.
pub fn ever_tracked(worktree: &Path, folder: &str, except: &[&str]) -> GitResult<bool> {
    let below = format!(":(top,icase){folder}");
    let except = except.iter().map(|name| format!(":(top,icase,exclude){folder}/{name}"));
    let except: Vec<String> = except.collect();
    let fetched = discover(worktree).map(|found| fetched(&found.git_dir)).unwrap_or_default();
    let mut arguments = vec!["rev-list", "--max-count=1", "--full-history", "--ignore-missing"];
    arguments.extend(["--all", "--reflog"]);
    arguments.extend(fetched.iter().map(String::as_str));
    arguments.extend(["--", &below]);
    arguments.extend(except.iter().map(String::as_str));
    let output = run(worktree, &arguments, &[], LONG)?;
    if !output.status.success() {
        return Err(command_failed(worktree, "rev-list", &output));
    }
    Ok(!output.stdout.is_empty())
}

/// Returns the commits of the last fetch.
fn fetched(git_dir: &Path) -> Vec<String> {
    const MAX_COMMITS: usize = 100;
    let text =
        tacit_fs::read_text_following(&git_dir.join("FETCH_HEAD"), 1 << 20).unwrap_or_default();
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    let is_name = |name: &&str| name.len() >= 40 && name.bytes().all(|b| b.is_ascii_hexdigit());
    names.filter(is_name).take(MAX_COMMITS).map(str::to_owned).collect()
}

struct Entry {
    path: Vec<u8>,
    /// True for a file; false for a link or a submodule.
    regular: bool,
}

/// The time of the last modification, in seconds since 1970, and the size, as git saw them.
#[derive(Clone, Copy)]
struct IndexedFile {
    modified: u32,
    size: u32,
}

fn entries(worktree: &Path) -> Option<Vec<Entry>> {
    read(&index(worktree, MAX_BYTES)?)
}

/// Reads the bytes of the index; `None` if there are too many.
fn index(worktree: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let repository = discover(worktree).filter(|found| found.worktree == worktree)?;
    if repository.uses_other_hash() {
        return None;
    }
    tacit_fs::read_following(&repository.git_dir.join("index"), max_bytes).ok()
}

/// Asks git for the tracked paths at or below `prefix`.
fn list_files(worktree: &Path, prefix: &str) -> GitResult<Vec<String>> {
    let below = format!(":(top,literal,icase){prefix}");
    let output = run(worktree, &["ls-files", "-z", "--cached", "--", &below], &[], QUICK)?;
    if !output.status.success() {
        return Err(command_failed(worktree, "ls-files", &output));
    }
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Offsets into an index entry. Device, inode and owner are not needed.
const MODIFIED: usize = 8;
const MODE: usize = 24;
const SIZE: usize = 36;
const FLAGS: usize = 60;
const FIXED: usize = 62;
/// The flag that marks two more bytes of flags.
const EXTENDED: u16 = 0x4000;
/// The bits of the path length. All of them are set if the path is longer.
const LENGTH: u16 = 0x0fff;
/// The bits of the file type, and their value for a regular file.
const KIND: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// Reads the entries of an index. The bytes are untrusted.
fn read(index: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    visit(index, |path, entry| {
        let regular = number(entry, MODE)? & KIND == REGULAR;
        entries.push(Entry { path: path.to_vec(), regular });
        Some(())
    })?;
    Some(entries)
}

/// Finds some files in an index, without listing the others. The bytes are untrusted.
fn look_up(index: &[u8], files: &[&str]) -> Option<Vec<Option<IndexedFile>>> {
    let mut wanted: Vec<usize> = (0..files.len()).collect();
    wanted.sort_unstable_by_key(|at| files[*at]);
    let mut wanted = wanted.into_iter().peekable();
    let mut found = vec![None; files.len()];
    // Git sorts the paths by their bytes.
    visit(index, |path, entry| {
        while wanted.next_if(|at| files[*at].as_bytes() < path).is_some() {}
        while let Some(at) = wanted.next_if(|at| files[*at].as_bytes() == path) {
            let (modified, size) = (number(entry, MODIFIED)?, number(entry, SIZE)?);
            found[at] = Some(IndexedFile { modified, size });
        }
        Some(())
    })?;
    Some(found)
}

/// Visits the entries of an index of version 2, 3 or 4, each with its path and the bytes from its
/// beginning.
fn visit(index: &[u8], mut visitor: impl FnMut(&[u8], &[u8]) -> Option<()>) -> Option<()> {
    let rest = index.strip_prefix(b"DIRC")?;
    let version = number(rest, 0)?;
    let count = number(rest, 4)? as usize;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let entry = index.get(at..)?;
        let flags = u16::from_be_bytes(entry.get(FLAGS..FIXED)?.try_into().ok()?);
        let start = FIXED + if version > 2 && flags & EXTENDED != 0 { 2 } else { 0 };
        let mut text = entry.get(start..)?;
        let mut length_so_far = start;
        if version == 4 {
            let (dropped, bytes) = offset(text)?;
            name.truncate(name.len().checked_sub(dropped)?);
            text = text.get(bytes..)?;
            length_so_far += bytes;
        } else {
            name.clear();
        }
        let length = text.iter().position(|byte| *byte == 0)?;
        name.extend(&text[..length]);
        length_so_far += length;
        // In versions 2 and 3, one to eight zero bytes pad an entry to a multiple of eight.
        at += if version == 4 { length_so_far + 1 } else { (length_so_far + 8) & !7 };
        if name.is_empty() || name.iter().any(u8::is_ascii_control) {
            return None;
        }
        // With longer hashes, other bytes stand where the flags should be.
        let stated_length = usize::from(flags & LENGTH);
        if stated_length < usize::from(LENGTH) && stated_length != name.len() {
            return None;
        }
        visitor(&name, entry)?;
    }
    // A `link` extension marks a split index: its other entries are in another file.
    (index.get(at..at + 4) != Some(b"link")).then_some(())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Reads how many bytes of the previous path to drop. Returns that and the length of the number.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(8) {
        value = (value << 7) | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_git::git;
    use std::fs;

    use proptest::prelude::*;

    #[test]
    fn every_version_of_an_index_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        git(&root, &["init", "-q"]);
        assert_eq!(tracked_files(&root), None, "nothing was ever added");
        let long = format!("lib/{}.py", "long_name_".repeat(20));
        let mut paths = vec!["a.py", "lib/Größe.py", "lib/http.py", "lib/httputil.py", &long];
        for path in &paths {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), "x = 1\n").unwrap();
        }
        paths.sort_unstable();
        fs::write(root.join(".gitignore"), "lib\n").unwrap();
        git(&root, &["add", "-f", "a.py", "lib"]);
        for version in ["2", "3", "4"] {
            git(&root, &["update-index", "--index-version", version]);
            assert_eq!(tracked_files(&root).unwrap(), paths, "version {version}");
        }
        // This flag needs version 3.
        git(&root, &["update-index", "--index-version", "2", "--skip-worktree", "a.py"]);
        assert_eq!(tracked_files(&root).unwrap(), paths);
        assert_eq!(tracked_files(&root.join("lib")), None, "it is not the root");
        git(&root, &["update-index", "--split-index"]);
        fs::write(root.join("b.py"), "").unwrap();
        git(&root, &["add", "b.py"]);
        assert_eq!(tracked_files(&root), None, "the rest is elsewhere");
    }

    #[test]
    fn sha256_indexes_are_left_to_git() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        git(&root, &["init", "-q", "--object-format=sha256"]);
        for name in ["a.py", "b.py", "c.py"] {
            fs::write(root.join(name), "x = 1\n").unwrap();
        }
        git(&root, &["add", "."]);
        assert_eq!(tracked_files(&root), None);
        fs::create_dir(root.join(".tacit")).unwrap();
        fs::write(root.join(".tacit/memory.db"), "x").unwrap();
        git(&root, &["add", "-f", "."]);
        assert_eq!(tracked_below(&root, ".tacit").unwrap(), [".tacit/memory.db"]);
    }

    #[test]
    fn tracked_below_lists_files_and_links_ignoring_case() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        git(&root, &["init", "-q"]);
        assert_eq!(tracked_below(&root, ".tacit").unwrap(), Vec::<String>::new());
        fs::create_dir(root.join(".tacit")).unwrap();
        fs::create_dir(root.join(".TACIT")).unwrap();
        for name in [".TACIT/x", ".tacit/memory.db", ".tacitly", "a"] {
            fs::write(root.join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink("elsewhere", root.join(".tacit/logs")).unwrap();
        git(&root, &["add", "-f", "."]);
        let expected = [".TACIT/x", ".tacit/logs", ".tacit/memory.db"];
        assert_eq!(tracked_below(&root, ".tacit").unwrap(), expected);
        git(&root, &["update-index", "--split-index"]);
        fs::write(root.join("b"), "").unwrap();
        git(&root, &["add", "b"]);
        assert!(entries(&root).is_none(), "it is in several files");
        assert_eq!(tracked_below(&root, ".tacit").unwrap(), expected);
    }

    #[test]
    fn ever_tracked_looks_at_all_branches_and_fetches() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let ever = |root: &Path| ever_tracked(root, ".tacit", &["config.toml"]).unwrap();
        git(&root, &["init", "-q", "-b", "main"]);
        assert!(!ever(&root), "no commit yet");
        fs::create_dir(root.join(".tacit")).unwrap();
        fs::write(root.join(".tacit/config.toml"), "").unwrap();
        git(&root, &["add", "."]);
        git(&root, &["commit", "-q", "-m", "settings"]);
        assert!(!ever(&root));
        git(&root, &["checkout", "-q", "-b", "side"]);
        fs::write(root.join(".tacit/Memory.db"), "").unwrap();
        git(&root, &["add", "."]);
        git(&root, &["commit", "-q", "-m", "a store"]);
        git(&root, &["rm", "-q", ".tacit/Memory.db"]);
        git(&root, &["commit", "-q", "-m", "no store"]);
        git(&root, &["checkout", "-q", "main"]);
        assert!(ever(&root), "on another branch, and gone there");
        let other = folder.path().canonicalize().unwrap().join("other");
        git(&root, &["init", "-q", "other"]);
        git(&other, &["fetch", "-q", "..", "side"]);
        assert!(ever(&other), "just fetched");
    }

    #[test]
    fn only_tracked_files_count_as_changed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        git(&root, &["init", "-q"]);
        fs::create_dir(root.join("src")).unwrap();
        fs::write(root.join(".gitignore"), ".env\n").unwrap();
        for name in ["a.py", "src/b.py", "src/c.py", ".env", "z.py"] {
            fs::write(root.join(name), "x = 1\n").unwrap();
        }
        git(&root, &["add", "."]);
        let files = ["z.py", "src", "src/b.py", "gone.py", ".env", "a.py", "new.py", "z.py"];
        let changed = || changed_since_index(&root, &files).unwrap();
        assert_eq!(changed(), Vec::<String>::new());
        fs::write(root.join("new.py"), "x = 1\n").unwrap();
        fs::write(root.join("src/b.py"), "x = 100\n").unwrap();
        fs::write(root.join("src/c.py"), "x = 100\n").unwrap();
        fs::remove_file(root.join("z.py")).unwrap();
        for version in ["2", "4"] {
            git(&root, &["update-index", "--index-version", version]);
            assert_eq!(changed(), ["z.py", "src/b.py", "z.py"], "version {version}");
        }
    }

    #[test]
    fn staged_files_are_not_committed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        git(&root, &["init", "-q"]);
        for name in ["a.py", "b.py"] {
            fs::write(root.join(name), "x = 1\n").unwrap();
        }
        git(&root, &["add", "."]);
        git(&root, &["commit", "-q", "-m", "first"]);
        let committed = |files: &[&str]| committed_since(&root, files, 0);
        assert!(committed(&["a.py", "b.py", "never.py"]));
        assert!(!committed_since(&root, &["a.py"], i64::MAX), "no commit is that late");
        fs::write(root.join("a.py"), "x = 100\n").unwrap();
        assert!(!committed(&["a.py"]), "changed");
        fs::write(root.join("b.py"), "x = 100\n").unwrap();
        git(&root, &["add", "a.py"]);
        git(&root, &["commit", "-q", "-m", "second", "-o", "b.py"]);
        assert!(!committed(&["a.py"]), "staged");
        assert!(committed(&["b.py"]));
        git(&root, &["commit", "-q", "-m", "third"]);
        assert!(committed(&["a.py", "b.py"]));
        fs::write(root.join("new.py"), "x = 1\n").unwrap();
        assert!(!committed(&["new.py"]), "untracked");
    }

    #[test]
    fn a_large_index_is_not_read_while_an_agent_waits() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        git(&root, &["init", "-q"]);
        fs::write(root.join("a.py"), "x = 1\n").unwrap();
        git(&root, &["add", "."]);
        git(&root, &["commit", "-q", "-m", "first"]);
        assert!(committed_since(&root, &["a.py"], 0));
        let index = root.join(".git/index");
        let length = fs::metadata(&index).unwrap().len();
        let file = fs::OpenOptions::new().write(true).open(&index).unwrap();
        file.set_len(MAX_WAITED_BYTES + length).unwrap();
        assert_eq!(changed_since_index(&root, &["a.py"]), None);
        assert!(!committed_since(&root, &["a.py"], 0));
        assert_eq!(tracked_files(&root).unwrap(), ["a.py"]);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(version in 0_u8..6, count in 0_u8..4, rest in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = b"DIRC\0\0\0".to_vec();
            bytes.extend([version, 0, 0, 0, count]);
            bytes.extend(rest);
            let _ = read(&bytes);
            let _ = look_up(&bytes, &["a", "b/c"]);
        }
    }
}
