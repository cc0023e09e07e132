//! Following of renamed files, forwards and, if the history was rewritten, backwards.

use serde_json::Value;
use tacit_core::RepoPath;
use tacit_store::{ActionKind, ChangeItem, ChangeQuery};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// The most changes of a memory that are searched for an earlier name.
const LOOKED_AT: usize = 50;

/// Resolves renamed files.
pub trait RenameResolver {
    /// Returns true if a file or directory exists.
    fn exists(&self, path: &RepoPath) -> bool;

    /// Returns the current name of the file that last had this name, if it differs.
    fn current_name(&self, path: &RepoPath) -> Option<RepoPath>;

    /// Returns true if any commit contains the name.
    fn is_in_history(&self, path: &RepoPath) -> bool;
}

impl Engine<'_> {
    /// Updates renamed files in every memory about them. Returns the old and new names.
    pub fn follow_files(
        &mut self,
        files: &dyn RenameResolver,
    ) -> EngineResult<Vec<(RepoPath, RepoPath)>> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(Vec::new()) };
        let mut followed = Vec::new();
        for from in store.files_in_use()? {
            if files.exists(&from) {
                continue;
            }
            let to = match files.current_name(&from) {
                Some(to) => Some(to),
                // The commit that caused the earlier rename is no longer part of the history.
                None if !files.is_in_history(&from) => self.earlier_name(&from)?,
                None => None,
            };
            if let Some(to) = to.filter(|to| files.exists(to)) {
                self.rename_file(&from, &to)?;
                followed.push((from, to));
            }
        }
        Ok(followed)
    }

    /// Returns the name that memories had for a file before they followed its rename.
    fn earlier_name(&self, path: &RepoPath) -> EngineResult<Option<RepoPath>> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(None) };
        let filter =
            tacit_store::Filter { files: vec![path.clone()], ..tacit_store::Filter::default() };
        let about =
            self.list(Some(StoreScope::Project), &filter, tacit_store::ListOrder::Oldest, 1, 0)?;
        let Some(found) = about.first() else { return Ok(None) };
        let query = ChangeQuery {
            memory: Some(found.memory.id),
            limit: LOOKED_AT,
            ..ChangeQuery::default()
        };
        let changes = store.changes(&query)?;
        let renames = changes.iter().filter(|change| change.action.kind == ActionKind::Rename);
        let items = renames.flat_map(|change| &change.items);
        let mut own = items.filter(|item| item.memory == found.memory.id);
        Ok(own.find_map(|item| previous_name(item, path)))
    }
}

/// Returns the name that a change replaced with this one.
fn previous_name(item: &ChangeItem, path: &RepoPath) -> Option<RepoPath> {
    let files = |fields: &Option<serde_json::Map<String, Value>>| -> Vec<String> {
        let listed = fields.as_ref().and_then(|fields| fields.get("related_files"));
        let listed = listed.and_then(Value::as_array).into_iter().flatten();
        listed.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let (before, after) = (files(&item.before), files(&item.after));
    if before.iter().any(|file| file == path.as_str()) || !after.contains(&path.to_string()) {
        return None;
    }
    let gone = before.into_iter().find(|file| !after.contains(file))?;
    RepoPath::new(gone).ok()
}
