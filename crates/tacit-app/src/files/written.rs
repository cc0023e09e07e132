//! Finds the files in which people write rules. A repository chooses their names, so no link is
//! followed, and their number, depth and size are limited.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use tacit_bridges::written::{
    DECISION_FOLDERS, ROOT_FILES, RULE_FOLDERS, WrittenKind, is_decision_file, is_decision_record,
    is_rule_file, kind_of, nested_name,
};
use tacit_core::Config;
use tacit_triggers::files::TriggerLayout;
use tacit_triggers::files::plain::{self, FileStamp};

/// The most files that are followed.
const MAX_FILES: usize = 400;
/// The most bytes of a file that is read. Instructions are a few kilobytes long.
const MAX_BYTES: u64 = 256 * 1024;
/// The most levels of folders in a folder of rules.
const MAX_DEPTH: usize = 4;
/// The most entries of a folder that are looked at.
const MAX_ENTRIES: usize = 2_000;

/// The places of files with rules in a worktree.
pub(super) struct WrittenPlaces {
    root: PathBuf,
    /// False if no rules are followed.
    is_on: bool,
    /// Further files and folders.
    added: Vec<String>,
    /// Files and folders that are left out, those that other memories follow included.
    left_out: Vec<String>,
}

impl WrittenPlaces {
    pub(super) fn of(root: &Path, config: &Config, triggers: &TriggerLayout) -> WrittenPlaces {
        let names = config.rules_files.split(',');
        let names = names.map(|name| name.trim().trim_end_matches('/'));
        let (left_out, added): (Vec<&str>, Vec<&str>) =
            names.filter(|name| !name.is_empty()).partition(|name| name.starts_with('!'));
        let plain = |name: &str| name.trim_start_matches('!').trim_start_matches("./").to_owned();
        let mut left_out: Vec<String> = left_out.into_iter().map(plain).collect();
        left_out.extend(triggers.decisions.iter().chain(&triggers.indexes).cloned());
        WrittenPlaces {
            root: root.to_owned(),
            is_on: config.rules_follow,
            added: added.into_iter().map(plain).collect(),
            left_out,
        }
    }

    /// Returns true if the rules of a file are followed.
    pub(super) fn wants(&self, path: &str) -> bool {
        let is_at = |place: &String| is_at_or_below(path, place);
        let is_added = || self.added.iter().any(is_at) && is_rule_file(path);
        self.is_on && !self.left_out.iter().any(is_at) && (kind_of(path).is_some() || is_added())
    }

    /// Lists the files that are looked for at each event, with their stamps: all but those in folders
    /// of the project's code. Reads none of them.
    pub(super) fn list(&self) -> BTreeMap<String, FileStamp> {
        let mut found = BTreeMap::new();
        if !self.is_on {
            return found;
        }
        let added = self.added.iter().map(String::as_str);
        for file in ROOT_FILES.into_iter().chain(added) {
            self.add(file, &mut found);
        }
        let added = self.added.iter().map(String::as_str);
        for folder in RULE_FOLDERS.into_iter().chain(added) {
            self.walk(folder, 0, is_rule_file, &mut found);
        }
        for folder in DECISION_FOLDERS {
            self.walk(folder, 0, is_decision_file, &mut found);
        }
        found
    }

    /// Lists instructions in folders of the project's code, as far as git tracks them.
    pub(super) fn nested(&self) -> BTreeMap<String, FileStamp> {
        let mut found = BTreeMap::new();
        if !self.is_on {
            return found;
        }
        for path in tacit_git::tracked_files(&self.root).unwrap_or_default() {
            if nested_name(&path) {
                self.add(&path, &mut found);
            }
        }
        found
    }

    /// Returns the stamp of a followed file, or of a link at its place; `None` if there is none.
    pub(super) fn stamp(&self, path: &str) -> Option<FileStamp> {
        let stamp = plain::stamp(&self.root, path);
        stamp.or_else(|| self.linked(path).map(|target| (0, target.len() as u64)))
    }

    /// Returns the file for which a link stands, from the root: `CLAUDE.md` is often a link to
    /// `AGENTS.md`. Links to anything but a followed file lead nowhere, and so do those in folders.
    pub(super) fn linked(&self, path: &str) -> Option<String> {
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink());
        let link = self.root.join(path);
        if !ROOT_FILES.contains(&path) || !is_link(&link) {
            return None;
        }
        let target = fs::read_link(&link).ok()?;
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in target.to_str()?.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                _ => parts.push(part),
            }
        }
        let target = Some(parts.join("/")).filter(|_| target.is_relative())?;
        let is_file = self.wants(&target) && plain::stamp(&self.root, &target).is_some();
        (is_file && target != path).then_some(target)
    }

    /// Reads a file and tells its kind; `None` if it is too large or cannot be read.
    pub(super) fn read(&self, path: &str) -> Option<(WrittenKind, Vec<u8>)> {
        plain::stamp(&self.root, path)?;
        let bytes = tacit_fs::read_nofollow(&self.root.join(path), MAX_BYTES).ok()?;
        let by_form = || match std::str::from_utf8(&bytes).is_ok_and(is_decision_record) {
            true => WrittenKind::Decision,
            false => WrittenKind::Instructions,
        };
        Some((kind_of(path).unwrap_or_else(by_form), bytes))
    }

    fn add(&self, path: &str, found: &mut BTreeMap<String, FileStamp>) {
        if found.len() < MAX_FILES
            && self.wants(path)
            && let Some(stamp) = self.stamp(path)
        {
            found.insert(path.to_owned(), stamp);
        }
    }

    fn walk(
        &self,
        folder: &str,
        depth: usize,
        is_wanted: fn(&str) -> bool,
        found: &mut BTreeMap<String, FileStamp>,
    ) {
        if depth > MAX_DEPTH || found.len() >= MAX_FILES || !self.is_folder(folder) {
            return;
        }
        let Ok(entries) = fs::read_dir(self.root.join(folder)) else { return };
        let mut names: Vec<(String, bool)> = Vec::new();
        for entry in entries.flatten().take(MAX_ENTRIES) {
            if let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) {
                names.push((name, kind.is_dir()));
            }
        }
        names.sort();
        for (name, is_folder) in names {
            let path = format!("{folder}/{name}");
            if is_folder {
                self.walk(&path, depth + 1, is_wanted, found);
            } else if is_wanted(&path) {
                self.add(&path, found);
            }
        }
    }

    /// Returns true for a folder that is reached without a link.
    fn is_folder(&self, path: &str) -> bool {
        let mut at = self.root.clone();
        Path::new(path).components().all(|part| {
            at.push(part);
            matches!(part, std::path::Component::Normal(_))
                && fs::symlink_metadata(&at).is_ok_and(|there| there.is_dir())
        })
    }
}

fn is_at_or_below(path: &str, place: &str) -> bool {
    let rest = path.strip_prefix(place);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
