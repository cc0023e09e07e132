//! Following files that were renamed, forth and, where the history was rewritten, back.

use serde_json::Value;
use tacit_core::RepoPath;
use tacit_store::{ActionKind, ChangeItem, ChangeQuery};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// How many changes of a memory are looked through for the name a file had.
const LOOKED_AT: usize = 50;

/// Where files are.
pub trait RenameResolver {
    /// Whether a file, or a directory, is there.
    fn is_there(&self, path: &RepoPath) -> bool;

    /// What the file that last had a name is called now, if that is another name.
    fn renamed(&self, path: &RepoPath) -> Option<RepoPath>;

    /// Whether any commit knows the name.
    fn is_known(&self, path: &RepoPath) -> bool;
}

impl Engine<'_> {
    /// Follows renamed files in every memory that is about them; from which name to which.
    pub fn follow_files(
        &mut self,
        files: &dyn RenameResolver,
    ) -> EngineResult<Vec<(RepoPath, RepoPath)>> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(Vec::new()) };
        let mut followed = Vec::new();
        for from in store.files_in_use()? {
            if files.is_there(&from) {
                continue;
            }
            let to = match files.renamed(&from) {
                Some(to) => Some(to),
                // It was followed to here by a commit that is no longer part of the history.
                None if !files.is_known(&from) => self.earlier_name(&from)?,
                None => None,
            };
            if let Some(to) = to.filter(|to| files.is_there(to)) {
                self.rename_file(&from, &to)?;
                followed.push((from, to));
            }
        }
        Ok(followed)
    }

    /// The name that memories had for a file before they followed it to this one.
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
        Ok(own.find_map(|item| left_behind(item, path)))
    }
}

/// The name that a change replaced by this one.
fn left_behind(item: &ChangeItem, path: &RepoPath) -> Option<RepoPath> {
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
