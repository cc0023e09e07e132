//! Which files of a worktree git keeps, read from its index without running git. A file that git
//! keeps is part of the repository even where a pattern of `.gitignore` matches it.

use std::path::Path;

use crate::discover::discover;
use crate::error::{GitResult, refusal};
use crate::spawn::{LONG, QUICK, run};

/// A larger index is not read: it would be that of some millions of files.
const LARGEST: u64 = 512 << 20;

/// The paths that git keeps in a worktree, in its own order. None if it is the root of no worktree,
/// or its index is of a kind that is not read here: of another hash, or in several files.
#[must_use]
pub fn tracked_files(worktree: &Path) -> Option<Vec<String>> {
    let entries = entries(worktree)?;
    let plain = entries.into_iter().filter(|entry| entry.plain);
    Some(plain.filter_map(|entry| String::from_utf8(entry.path).ok()).collect())
}

/// The paths of a worktree at or below `prefix` that git keeps, whatever they are: files, links,
/// repositories of others. The case of letters does not count, because some file systems do not tell
/// it apart. Git itself is asked where its index cannot be read here.
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

/// Returns whether any commit that is known here has a path at or below `folder`, except some names
/// in it: on a branch, a remote one, in the reflog, or just fetched. Files of a checkout that failed,
/// or is still going on, are in no index yet.
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
        return Err(refusal(worktree, "rev-list", &output));
    }
    Ok(!output.stdout.is_empty())
}

/// The commits that were fetched last.
fn fetched(git_dir: &Path) -> Vec<String> {
    const MOST: usize = 100;
    let text =
        tacit_fs::read_text_following(&git_dir.join("FETCH_HEAD"), 1 << 20).unwrap_or_default();
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    let is_name = |name: &&str| name.len() >= 40 && name.bytes().all(|b| b.is_ascii_hexdigit());
    names.filter(is_name).take(MOST).map(str::to_owned).collect()
}

struct Entry {
    path: Vec<u8>,
    /// True for a file; false for a link or a submodule.
    plain: bool,
}

fn entries(worktree: &Path) -> Option<Vec<Entry>> {
    let repository = discover(worktree).filter(|found| found.worktree == worktree)?;
    if repository.uses_other_hash() {
        return None;
    }
    let index = tacit_fs::read_following(&repository.git_dir.join("index"), LARGEST).ok()?;
    read(&index)
}

/// The paths at or below `prefix` that git keeps in the index of a worktree.
fn list_files(worktree: &Path, prefix: &str) -> GitResult<Vec<String>> {
    let below = format!(":(top,literal,icase){prefix}");
    let output = run(worktree, &["ls-files", "-z", "--cached", "--", &below], &[], QUICK)?;
    if !output.status.success() {
        return Err(refusal(worktree, "ls-files", &output));
    }
    let names = output.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty());
    Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Times, device, owner and size, which tell nothing here; then the mode is among them.
const MODE: usize = 24;
const FLAGS: usize = 60;
const FIXED: usize = 62;
/// A flag says that more of them follow.
const EXTENDED: u16 = 0x4000;
/// The length of the path, or more than it can hold.
const LENGTH: u16 = 0x0fff;
/// What kind of file an entry is, and which kind a plain file is.
const KIND: u32 = 0o170_000;
const PLAIN: u32 = 0o100_000;

/// The entries of an index of version 2, 3 or 4. Nothing in it is believed.
fn read(index: &[u8]) -> Option<Vec<Entry>> {
    let rest = index.strip_prefix(b"DIRC")?;
    let version = number(rest, 0)?;
    let count = number(rest, 4)? as usize;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12;
    let mut name: Vec<u8> = Vec::new();
    let mut paths = Vec::new();
    for _ in 0..count {
        let entry = index.get(at..)?;
        let flags = u16::from_be_bytes(entry.get(FLAGS..FIXED)?.try_into().ok()?);
        let start = FIXED + if version > 2 && flags & EXTENDED != 0 { 2 } else { 0 };
        let mut text = entry.get(start..)?;
        let mut taken = start;
        if version == 4 {
            let (dropped, bytes) = offset(text)?;
            name.truncate(name.len().checked_sub(dropped)?);
            text = text.get(bytes..)?;
            taken += bytes;
        } else {
            name.clear();
        }
        let length = text.iter().position(|byte| *byte == 0)?;
        name.extend(&text[..length]);
        taken += length;
        // Entries of the older versions end with one to eight zeroes, at a multiple of eight.
        at += if version == 4 { taken + 1 } else { (taken + 8) & !7 };
        if name.is_empty() || name.iter().any(u8::is_ascii_control) {
            return None;
        }
        // An index of longer hashes has something else where the flags should be.
        let told = usize::from(flags & LENGTH);
        if told < usize::from(LENGTH) && told != name.len() {
            return None;
        }
        paths.push(Entry { path: name.clone(), plain: number(entry, MODE)? & KIND == PLAIN });
    }
    // The rest of an index that is in several files is elsewhere.
    (index.get(at..at + 4) != Some(b"link")).then_some(paths)
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// How much of the path before is dropped, and how many bytes that took.
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
    use std::fs;
    use std::process::Command;

    use proptest::prelude::*;

    #[expect(clippy::disallowed_methods, reason = "tests make repositories")]
    fn git(directory: &Path, arguments: &[&str]) {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(arguments)
            .current_dir(directory)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

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
        // Flags that need a third version.
        git(&root, &["update-index", "--index-version", "2", "--skip-worktree", "a.py"]);
        assert_eq!(tracked_files(&root).unwrap(), paths);
        assert_eq!(tracked_files(&root.join("lib")), None, "it is not the root");
        git(&root, &["update-index", "--split-index"]);
        fs::write(root.join("b.py"), "").unwrap();
        git(&root, &["add", "b.py"]);
        assert_eq!(tracked_files(&root), None, "the rest is elsewhere");
    }

    #[test]
    fn an_index_of_longer_hashes_is_not_taken_for_another() {
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
    fn everything_below_a_folder_is_told_whatever_it_is() {
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
    fn what_any_commit_has_was_tracked() {
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

    proptest! {
        #[test]
        fn any_bytes_are_read(version in 0_u8..6, count in 0_u8..4, rest in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = b"DIRC\0\0\0".to_vec();
            bytes.extend([version, 0, 0, 0, count]);
            bytes.extend(rest);
            let _ = read(&bytes);
        }
    }
}
