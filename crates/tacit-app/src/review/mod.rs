//! Review: the memories that a person should confirm, correct or reject, and what follows from each
//! decision.
//!
//! The doors draw [`ReviewCard`]s and pass keys to a [`ReviewDialogue`], which says what to do; the store is
//! changed only in `decide`.

mod card;
mod decide;
mod dialogue;
mod queue;
mod reminder;
mod session;
mod value;

use tacit_engine::{StoreAccess, StoreScope};

use crate::app::App;
use crate::error::AppResult;
use crate::{code, graph};

pub use card::{MemoryEvidence, ReviewCard, card};
pub use decide::{
    Decided, REJECTED, ReviewDecision, decide, likely_originals, link_confirmed, take_back, tracked,
};
pub use dialogue::{
    MOST_CHOICES, ReviewCommand, ReviewDialogue, ReviewKey, ReviewStep, ReviewTally,
};
pub use queue::{
    AutoConfirmed, CERTAIN, ReviewItem, ReviewQueue, ReviewReason, USED, is_about_changed_code,
    review_item, review_queue, why_auto_confirmed,
};
pub use reminder::{drop_waiting, due_reminder, note_waiting};
pub use session::{SessionReview, last_session, session_review};

/// Compares memories with the code as it is, if there is a graph of it.
pub fn compare_with_code(app: &App) -> AppResult<()> {
    if !app.places.database(StoreScope::Project).exists() || !graph::main_codebase(app).exists() {
        return Ok(());
    }
    graph::refresh_existing(app, false)?;
    let mut engine = app.engine(StoreAccess::Write(StoreScope::Project))?;
    // Renames first: a symbol that only moved is not gone.
    code::follow_renames(app, &mut engine, false)?;
    code::link_memories(app, &mut engine).map(drop)
}
