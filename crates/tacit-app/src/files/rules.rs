//! Follows the rules that people write: creates a memory for each, moves its link with its line, lets
//! a changed rule supersede the old one, and retires those that are gone.
//!
//! A rule is known by its text, so that two files with the same rule share one memory, which names
//! both places.

use std::collections::BTreeMap;

use tacit_bridges::written::{AdrStatus, WrittenFile, WrittenRule, read_written, replaced};
use tacit_core::{MemoryId, RepoPath};
use tacit_engine::ForgetMode;
use tacit_records::files::file_hash;
use tacit_triggers::files::plain::FileStamp;

use super::apply::{DELETED, REPLACED, UNFOLLOWED};
use super::state::{FileSyncState, SyncedFile};
use super::sync::FileSync;
use super::written::WrittenPlaces;
use crate::error::AppResult;

/// The most rules of all files together.
const MAX_RULES: usize = 1_500;
/// The most files that one memory is about.
const MAX_FILES: usize = 16;
/// The most places of a rule.
const MAX_PLACES: usize = 16;
/// The mark of a key that stands for a file that is included, or for which a link stands.
const INCLUDED: char = '@';
/// The reason for retiring a decision that its team took back.
const DEPRECATED: &str = "the decision is deprecated";
/// The beginning of the reason for retiring a decision that another one replaced.
pub(super) const SUPERSEDED: &str = "superseded by ";

/// A file of rules that has changed.
struct ChangedFile {
    path: String,
    read: WrittenFile,
    /// The keys of its rules, in order.
    keys: Vec<String>,
}

impl FileSync<'_> {
    /// Syncs the rules of all files.
    pub(super) fn sync_rules(
        &mut self,
        places: &WrittenPlaces,
        listed: &BTreeMap<String, FileStamp>,
        state: &FileSyncState,
    ) -> AppResult<()> {
        let before: BTreeMap<String, SyncedFile> = self.state.rule_files();
        let mut changed = Vec::new();
        let mut number = 0;
        for (path, stamp) in listed.iter().filter(|(path, _)| places.wants(path)) {
            if number > MAX_RULES {
                break;
            }
            self.seen.insert(path.clone());
            changed.extend(self.changed(places, path, *stamp));
            number += self.state.files.get(path).map_or(0, |file| file.texts.len());
        }
        let gone: Vec<(&String, &SyncedFile)> =
            before.iter().filter(|(path, _)| !self.seen.contains(*path)).collect();
        for (path, _) in &gone {
            self.state.files.remove(*path);
        }
        let known = known_ids(&before);
        let mut replaced_by = Vec::new();
        for file in &changed {
            let replaced = self.replaced_by(file, before.get(&file.path))?;
            for (at, (key, rule)) in file.keys.iter().zip(&file.read.rules).enumerate() {
                let was_committed = is_committed_in(&before, key);
                let known = known.get(key).copied();
                let id = self.follow_rule(&file.path, key, rule, known, was_committed)?;
                let Some(id) = id else { continue };
                if let Some(state) = self.state.files.get_mut(&file.path) {
                    state.memories.insert(key.clone(), id);
                }
                if let Some((old, _)) = replaced.iter().find(|(_, new)| *new == at) {
                    self.supersede(id, *old)?;
                }
            }
            replaced_by.push(replaced);
        }
        for (file, replaced) in changed.iter().zip(&replaced_by) {
            self.retire_gone(file, before.get(&file.path), replaced)?;
        }
        for (path, file) in gone {
            let reason = if places.wants(path) { DELETED } else { UNFOLLOWED };
            if reason == UNFOLLOWED || !state.is_elsewhere(path) {
                self.retire_file(path, file, reason)?;
            }
        }
        self.supersede_decisions(&changed, &before)?;
        self.move_links(&before)
    }

    /// Reads a file if it has changed, and notes its rules in the state.
    fn changed(
        &mut self,
        places: &WrittenPlaces,
        path: &str,
        stamp: FileStamp,
    ) -> Option<ChangedFile> {
        if !self.all && self.is_followed(path, |known| known.rules && known.stamp == stamp) {
            return None;
        }
        let (read, hash) = match places.linked(path) {
            Some(target) => {
                let read = WrittenFile { includes: vec![(target, 0)], ..WrittenFile::default() };
                (read, "a link".to_owned())
            }
            None => match places.read(path) {
                // What cannot be read as text has no rules.
                Some((kind, bytes)) => {
                    (read_written(kind, path, &bytes).unwrap_or_default(), file_hash(&bytes))
                }
                None => (WrittenFile::default(), "too large".to_owned()),
            },
        };
        if !self.all && self.is_followed(path, |known| known.rules && known.hash == hash) {
            if let Some(known) = self.state.files.get_mut(path) {
                known.stamp = stamp;
            }
            return None;
        }
        let keys: Vec<String> = read.rules.iter().map(key_of).collect();
        let lines = read.rules.iter().map(|rule| rule.line.to_string());
        let mut texts: BTreeMap<String, String> = keys.iter().cloned().zip(lines).collect();
        for (included, line) in &read.includes {
            texts.entry(format!("{INCLUDED}{included}")).or_insert_with(|| line.to_string());
        }
        let committed = self.is_committed(path, &hash);
        let mut memories = self.state.files.remove(path).unwrap_or_default().memories;
        memories.retain(|key, _| texts.contains_key(key));
        let synced = SyncedFile { stamp, hash, committed, memories, texts, rules: true };
        self.state.files.insert(path.to_owned(), synced);
        Some(ChangedFile { path: path.to_owned(), read, keys })
    }

    /// Returns which rules of a file replaced which memories: the old one, and the position of the
    /// new one.
    fn replaced_by(
        &mut self,
        file: &ChangedFile,
        before: Option<&SyncedFile>,
    ) -> AppResult<Vec<(MemoryId, usize)>> {
        let Some(before) = before else { return Ok(Vec::new()) };
        let mut old: Vec<(usize, &String, MemoryId)> = Vec::new();
        for (key, id) in &before.memories {
            let line = before.texts.get(key).and_then(|line| line.parse().ok());
            old.push((line.unwrap_or_default(), key, *id));
        }
        old.sort();
        if old.iter().all(|(_, key, _)| file.keys.contains(key)) {
            return Ok(Vec::new());
        }
        let new: Vec<&str> =
            file.read.rules.iter().map(|rule| rule.draft.content.as_str()).collect();
        let mut texts: Vec<String> = Vec::new();
        for (_, key, id) in &old {
            let kept = file.keys.iter().position(|other| other == *key);
            texts.push(match kept {
                Some(at) => new[at].to_owned(),
                None => self
                    .find(*id)?
                    .map_or_else(String::new, |memory| memory.body.content.as_str().to_owned()),
            });
        }
        let was: Vec<&str> = texts.iter().map(String::as_str).collect();
        Ok(replaced(&was, &new).into_iter().map(|(one, other)| (old[one].2, other)).collect())
    }

    /// Creates or finds the memory of a rule, and gives it the trust in its files.
    fn follow_rule(
        &mut self,
        path: &str,
        key: &str,
        rule: &WrittenRule,
        known: Option<MemoryId>,
        was_committed: Option<bool>,
    ) -> AppResult<Option<MemoryId>> {
        let committed = is_committed_in(&self.state.files, key).unwrap_or(false);
        let known = match known {
            Some(id) => Some(id),
            None => self.written_as(path, &rule.draft.content)?,
        };
        if let Some(id) = known
            && self.settle_rule(id, committed, was_committed)?
        {
            return Ok(Some(id));
        }
        let mut draft = rule.draft.clone();
        draft.references = places_in(&self.state.files, key);
        draft.related_files = self.files_of(path, rule);
        self.create_rule(&format!("{path}:{}", rule.line), draft, committed)
    }

    /// Returns the files that a rule is about: those that it names, and those it applies to.
    fn files_of(&self, path: &str, rule: &WrittenRule) -> Vec<String> {
        let root = self.app.worktree();
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut files: Vec<String> = Vec::new();
        for named in &rule.paths {
            let beside = (!folder.is_empty()).then(|| format!("{folder}/{named}"));
            let found = beside.into_iter().chain([named.clone()]).find(|named| {
                RepoPath::new(named.as_str()).is_ok() && root.join(named).symlink_metadata().is_ok()
            });
            files.extend(found.filter(|found| files.len() < MAX_FILES && !files.contains(found)));
        }
        files
    }

    /// Retires the rules of a file that are gone. Those that another file still has stay.
    fn retire_gone(
        &mut self,
        file: &ChangedFile,
        before: Option<&SyncedFile>,
        replaced: &[(MemoryId, usize)],
    ) -> AppResult<()> {
        let Some(before) = before else { return Ok(()) };
        for (key, id) in before.memories.iter().filter(|(key, _)| !file.keys.contains(key)) {
            let reason = match &file.read.status {
                Some(AdrStatus::Deprecated) => DEPRECATED.to_owned(),
                Some(AdrStatus::Superseded(Some(by))) => format!("{SUPERSEDED}{by}"),
                Some(AdrStatus::Superseded(None)) => format!("{SUPERSEDED}another decision"),
                _ if replaced.iter().any(|(old, _)| old == id) => REPLACED.to_owned(),
                _ => DELETED.to_owned(),
            };
            let line = before.texts.get(key).map_or("", String::as_str);
            let name = format!("{}:{line}", file.path);
            self.forget(&file.path, &name, *id, ForgetMode::Retire, &reason)?;
        }
        Ok(())
    }

    /// Retires the rules of a file that was deleted, or is no longer followed.
    fn retire_file(&mut self, path: &str, file: &SyncedFile, reason: &str) -> AppResult<()> {
        for (key, id) in &file.memories {
            let name = format!("{path}:{}", file.texts.get(key).map_or("", String::as_str));
            self.forget(path, &name, *id, ForgetMode::Retire, reason)?;
        }
        Ok(())
    }

    /// Links decisions to those that they replaced, as the records of the replaced ones say.
    fn supersede_decisions(
        &mut self,
        changed: &[ChangedFile],
        before: &BTreeMap<String, SyncedFile>,
    ) -> AppResult<()> {
        for file in changed {
            let Some(AdrStatus::Superseded(Some(by))) = &file.read.status else { continue };
            let old = before.get(&file.path).and_then(|before| before.memories.values().next());
            let (Some(old), Some(new)) = (old, self.decision_named(&file.path, by)) else {
                continue;
            };
            self.supersede(new, *old)?;
        }
        Ok(())
    }

    /// Returns the memory of the record beside another one with this file name or number.
    fn decision_named(&self, beside: &str, by: &str) -> Option<MemoryId> {
        let (folder, _) = beside.rsplit_once('/')?;
        let number = |text: &str| {
            let digits: String = text
                .chars()
                .skip_while(|c| !c.is_ascii_digit())
                .take_while(char::is_ascii_digit)
                .collect();
            digits.parse::<u64>().ok()
        };
        let is_number = by.bytes().all(|byte| byte.is_ascii_digit());
        let mut files = self.state.files.iter().filter(|(path, file)| {
            let name = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
            file.rules
                && name.is_some_and(|name| {
                    name == by || is_number && number(by).is_some() && number(name) == number(by)
                })
        });
        files.find_map(|(_, file)| file.memories.values().next().copied())
    }

    /// Points the memories whose lines have moved to their places.
    fn move_links(&mut self, before: &BTreeMap<String, SyncedFile>) -> AppResult<()> {
        let mut moved: BTreeMap<MemoryId, Vec<String>> = BTreeMap::new();
        for file in self.state.rule_files().into_values() {
            for (key, id) in file.memories {
                let places = places_in(&self.state.files, &key);
                if places_in(before, &key) != places {
                    moved.insert(id, places);
                }
            }
        }
        self.point_to(moved)
    }
}

/// Returns the key of a rule: a hash of its text.
fn key_of(rule: &WrittenRule) -> String {
    file_hash(rule.draft.content.as_bytes())
}

/// Returns the memories of rules by key, wherever they stand.
fn known_ids(files: &BTreeMap<String, SyncedFile>) -> BTreeMap<String, MemoryId> {
    let memories = files.values().flat_map(|file| &file.memories);
    memories.map(|(key, id)| (key.clone(), *id)).collect()
}

/// Returns true if a rule is in a committed file; `None` if it is in none.
fn is_committed_in(files: &BTreeMap<String, SyncedFile>, key: &str) -> Option<bool> {
    let mut with_rule = files.values().filter(|file| file.rules && file.texts.contains_key(key));
    let first = with_rule.next()?;
    Some(first.committed || with_rule.any(|file| file.committed))
}

/// Returns the places of a rule: its lines, and those where a file is included that has it.
fn places_in(files: &BTreeMap<String, SyncedFile>, key: &str) -> Vec<String> {
    let mut places = Vec::new();
    let mut open: Vec<&String> = Vec::new();
    for (path, file) in files.iter().filter(|(_, file)| file.rules) {
        if let Some(line) = file.texts.get(key) {
            places.push(format!("{path}:{line}"));
            open.push(path);
        }
    }
    let mut seen = open.clone();
    while let Some(included) = open.pop() {
        let mark = format!("{INCLUDED}{included}");
        for (path, file) in files.iter().filter(|(_, file)| file.rules) {
            let Some(line) = file.texts.get(&mark).filter(|_| !seen.contains(&path)) else {
                continue;
            };
            seen.push(path);
            open.push(path);
            // A link has no line of its own.
            places.push(if line == "0" { path.clone() } else { format!("{path}:{line}") });
        }
    }
    places.truncate(MAX_PLACES);
    places
}
