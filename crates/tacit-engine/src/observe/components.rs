//! Links observations of the application to the files that render what they name.

use tacit_core::{BuiltinType, RepoPath};
use tacit_observer::rules::shown_texts;
use tacit_store::{Filter, ListOrder};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

/// The most observations that are looked at in one run, and texts of each.
const OBSERVATIONS: usize = 200;
const TEXTS: usize = 8;
/// The most files of an observation.
const FILES: usize = 3;

impl Engine<'_> {
    /// Adds the files to observations without any that render what they name. `find` returns the one
    /// file that shows a text; `None` if there is none, or more than one. An observation is linked
    /// once, so that a person can remove its files. Returns the number of linked observations.
    pub fn link_components(
        &mut self,
        find: &dyn Fn(&str) -> Option<RepoPath>,
    ) -> EngineResult<usize> {
        let filter =
            Filter { types: vec![BuiltinType::E2eObservation.into()], ..Filter::default() };
        let (scope, newest) = (Some(StoreScope::Project), ListOrder::Newest);
        let mut linked = 0;
        for found in self.list(scope, &filter, newest, OBSERVATIONS, 0)? {
            let body = &found.memory.body;
            if !body.files.is_empty() {
                continue;
            }
            let mut files: Vec<RepoPath> = Vec::new();
            let mut shown = Vec::new();
            for text in shown_texts(body.content.as_str()).into_iter().take(TEXTS) {
                let Some(file) = find(&text) else { continue };
                shown.push(format!("`{text}`"));
                if !files.contains(&file) {
                    files.push(file);
                }
            }
            files.truncate(FILES);
            let id = found.memory.id;
            let name = format!("components {id}");
            let store = self.store(StoreScope::Project).ok_or_else(|| self.not_initialised())?;
            if files.is_empty() || store.count_requests(&name)? > 0 {
                continue;
            }
            let reason = format!("rendered there: {}", shown.join(", "));
            let reason = tacit_core::Reasoning::new(reason).ok();
            let mut patch = serde_json::Map::new();
            patch.insert("related_files".into(), serde_json::json!(files));
            self.edit(&id.to_string(), &patch, reason)?;
            self.claim(&name)?;
            linked += 1;
        }
        Ok(linked)
    }
}
