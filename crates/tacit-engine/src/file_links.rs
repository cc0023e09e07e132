//! The links of memories to the lines of files that they follow.

use tacit_core::{MemoryId, References, Source};
use tacit_store::ActionKind;

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;

impl Engine<'_> {
    /// Points memories of the project to other places, as one change. An imported memory follows its
    /// file from now on. The memories keep their time of change, because they say the same as before.
    /// Returns their number.
    pub fn move_file_links(&mut self, moves: &[(MemoryId, References)]) -> EngineResult<usize> {
        let action = self.tacit_action(ActionKind::Rename, "the lines moved");
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        let mut moved = 0;
        for (id, references) in moves {
            let Some(before) = transaction.read(&[*id])?.pop() else { continue };
            let mut after = before.clone();
            after.body.references.clone_from(references);
            if after.body.origin.source == Source::Imported {
                after.body.origin.source = Source::File;
            }
            if after != before {
                transaction.update(&before, &after)?;
                moved += 1;
            }
        }
        transaction.commit()?;
        Ok(moved)
    }
}
