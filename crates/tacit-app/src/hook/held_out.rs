//! Sessions in which nothing is shown, to measure what showing memories is worth.

use tacit_core::is_held_out;
use tacit_engine::Engine;

use super::Hook;
use crate::error::AppResult;

impl Hook<'_> {
    /// Returns the group of a session that begins: true if everything is withheld, false if it is
    /// compared with those, `None` if nothing is measured.
    pub(super) fn group(&self) -> Option<bool> {
        self.group.get().unwrap_or_else(|| {
            let share = self.config().report_holdout;
            (share > 0.0).then(|| is_held_out(&self.event.session, share))
        })
    }

    /// Looks up the group of the session: the one with which it began, or that of the session it
    /// continues. Returns true if everything is withheld.
    pub(super) fn look_up_group(&self, engine: &Engine<'_>) -> AppResult<bool> {
        let known = engine.session(&self.event.session)?;
        let group = match (known, self.group()) {
            (Some(known), _) => known.held_out,
            (None, None) => None,
            (None, drawn) => match engine.continued_session(&self.event)? {
                Some(before) => before.held_out,
                None => drawn,
            },
        };
        self.group.set(Some(group));
        Ok(group == Some(true))
    }
}
