//! A review in progress: performs the commands of the dialogue on the store.

use tacit_app::review::{
    Decided, MOST_CHOICES, ReviewCard, ReviewCommand, ReviewDialogue, ReviewItem, ReviewKey, card,
    decide, likely_originals, take_back, tracked,
};
use tacit_app::{AppError, AppResult};
use tacit_engine::{StoreAccess, StoredMemory};
use tacit_store::ActionKind;

use crate::app::CliApp;
use crate::commands::edit::edit_in_editor;

/// A review in progress.
pub(super) struct ReviewRun<'a> {
    pub(super) app: &'a CliApp,
    pub(super) dialogue: ReviewDialogue,
    items: Vec<ReviewItem>,
    /// The current memory with its evidence, read when it is first shown.
    card: Option<(usize, ReviewCard)>,
    /// The memories that the current one may duplicate, while one is being chosen.
    pub(super) originals: Vec<StoredMemory>,
}

/// The next step of the door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterKey {
    /// Show the review again and wait for a key.
    Show,
    /// Give the terminal to the editor, and call [`ReviewRun::edit`].
    Edit,
    /// End the review.
    Quit,
}

impl<'a> ReviewRun<'a> {
    pub(super) fn new(app: &'a CliApp, items: Vec<ReviewItem>) -> ReviewRun<'a> {
        let dialogue = ReviewDialogue::new(items.len());
        ReviewRun { app, dialogue, items, card: None, originals: Vec::new() }
    }

    /// Returns the current memory with its evidence; `None` behind the last one.
    pub(super) fn card(&mut self) -> AppResult<Option<&ReviewCard>> {
        let Some(index) = self.dialogue.current() else { return Ok(None) };
        if self.card.as_ref().is_none_or(|(known, _)| *known != index) {
            let engine = self.app.engine(StoreAccess::ReadBoth)?;
            self.card = Some((index, card(&engine, self.items[index].clone())?));
        }
        Ok(self.card.as_ref().map(|(_, card)| card))
    }

    /// Handles a key. A failure is shown, and the review goes on.
    pub(super) fn press(&mut self, key: ReviewKey) -> AfterKey {
        let Some(command) = self.dialogue.press(key) else { return AfterKey::Show };
        let performed = match command {
            ReviewCommand::Quit => return AfterKey::Quit,
            ReviewCommand::Edit => return AfterKey::Edit,
            ReviewCommand::Decide(decision) => self.current_id().and_then(|id| {
                let decided = decide(self.app, id, decision)?;
                self.keep(decided.found);
                self.dialogue.done(Some(decision), decided.change);
                Ok(())
            }),
            ReviewCommand::FindOriginals => self.find_originals(),
            ReviewCommand::TakeBack(step) => {
                let id = self.items[step.index].found.memory.id;
                let taken = step.change.map(|change| take_back(self.app, id, change)).transpose();
                taken.map(|found| {
                    self.dialogue.taken_back();
                    found.into_iter().for_each(|found| self.keep(found));
                })
            }
        };
        if let Err(error) = performed {
            self.dialogue.failed(command, in_one_line(&error));
        }
        AfterKey::Show
    }

    /// Offers the memories that are nearest to the current one.
    fn find_originals(&mut self) -> AppResult<()> {
        let current = self.dialogue.current().and_then(|index| self.items.get(index));
        let Some(current) = current else { return Ok(()) };
        self.originals = likely_originals(self.app, &current.found, MOST_CHOICES)?;
        self.dialogue.offer(self.originals.iter().map(|found| found.memory.id).collect());
        Ok(())
    }

    /// Opens the current memory in the user's editor.
    pub(super) fn edit(&mut self) {
        match self.try_edit() {
            Ok(Some(decided)) => {
                self.keep(decided.found);
                self.dialogue.done(None, decided.change);
            }
            Ok(None) => self.dialogue.failed(ReviewCommand::Edit, "nothing changed".into()),
            Err(error) => self.dialogue.failed(ReviewCommand::Edit, in_one_line(&error)),
        }
    }

    fn try_edit(&mut self) -> AppResult<Option<Decided>> {
        let app = self.app;
        let id = self.current_id()?;
        let mut engine =
            app.engine_with_embedder(StoreAccess::WriteBoth)?.on_behalf_of(app.voice());
        let before = engine.find(&id.to_string())?.memory;
        let edited = tracked(app, &mut engine, id, ActionKind::Edit, |engine| {
            edit_in_editor(app, engine, &before, None).map(|(found, _)| found)
        })?;
        if edited.found.memory == before {
            return Ok(None);
        }
        tacit_app::remember::embed_recent(&mut engine, edited.found.store);
        tacit_app::remember::make_commands_hot(&engine, &edited.found.memory);
        Ok(Some(edited))
    }

    fn current_id(&self) -> AppResult<tacit_core::MemoryId> {
        let current = self.dialogue.current().and_then(|index| self.items.get(index));
        let current = current.ok_or_else(|| AppError::usage("no memory is shown"))?;
        Ok(current.found.memory.id)
    }

    /// Replaces a memory by its present state.
    fn keep(&mut self, found: StoredMemory) {
        let same = |item: &&mut ReviewItem| item.found.memory.id == found.memory.id;
        if let Some(item) = self.items.iter_mut().find(same) {
            item.found = found;
        }
        self.card = None;
    }
}

/// Describes an error for the line at the bottom.
fn in_one_line(error: &AppError) -> String {
    match &error.hint {
        Some(hint) => format!("{}; {hint}", error.message),
        None => error.message.clone(),
    }
}
