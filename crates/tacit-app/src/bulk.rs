//! Changes of many memories by a person: few entries in the history, and short transactions.

use tacit_core::log::MemoryVerdict;
use tacit_core::{MemoryId, Reasoning, Review, StatusKind, Tag, Timestamp};
use tacit_engine::{Engine, EngineError, EngineResult, ForgetMode};

use crate::verdict::Verdict;

/// The memories of one transaction, which is one change in the history of a store. Hooks wait for a
/// transaction before they write.
pub const MOST_AT_ONCE: usize = 2_000;

/// A change of many memories.
#[derive(Debug, Clone, PartialEq)]
pub enum BulkChange {
    /// Confirm them.
    Confirm(Option<Reasoning>),
    /// Flag them for review: wrong or outdated.
    Flag(MemoryVerdict, Reasoning),
    /// Take them out of use.
    Forget(ForgetMode, Reasoning),
    /// Bring them back.
    Restore,
    /// Add tags and remove tags.
    Retag(Vec<Tag>, Vec<Tag>),
}

/// The result for many memories.
#[derive(Debug, Default)]
pub struct BulkReport {
    /// The number of memories for which it worked.
    pub changed: usize,
    /// The memories for which it did not, with the reasons.
    pub failed: Vec<(MemoryId, EngineError)>,
    /// True if it was stopped; what was done stays.
    pub was_cancelled: bool,
}

/// Changes memories. One for which it fails does not stop the others.
///
/// `go_on` is called before each transaction with the number of memories done, and stops the work with false.
/// A store that cannot be written is an error only if nothing was changed yet; later, it stops the work, and is
/// the reason of the last one that failed.
pub fn change_many(
    engine: &mut Engine<'_>,
    ids: &[MemoryId],
    change: &BulkChange,
    now: Timestamp,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> EngineResult<BulkReport> {
    let mut report = BulkReport::default();
    for chunk in ids.chunks(MOST_AT_ONCE) {
        if !go_on(report.changed + report.failed.len()) {
            report.was_cancelled = true;
            break;
        }
        let done = sort_out(engine, chunk, change, &mut report)
            .and_then(|possible| change_part(engine, &possible, change, now, &mut report));
        if let Err(error) = done {
            if report.changed == 0 {
                return Err(error);
            }
            // The caller must learn what to take back.
            report.was_cancelled = true;
            report.failed.extend(chunk.last().map(|id| (*id, error)));
            break;
        }
    }
    Ok(report)
}

/// Returns the memories that the change is possible for. Those already in that state have failed: they would
/// make the change of all others fail.
fn sort_out(
    engine: &Engine<'_>,
    ids: &[MemoryId],
    change: &BulkChange,
    report: &mut BulkReport,
) -> EngineResult<Vec<MemoryId>> {
    let target = match change {
        BulkChange::Forget(ForgetMode::Retire, _) => StatusKind::Retired,
        BulkChange::Forget(ForgetMode::Archive, _) => StatusKind::Archived,
        BulkChange::Restore => StatusKind::Active,
        _ => return Ok(ids.to_vec()),
    };
    let state = if target == StatusKind::Active { "in use" } else { target.as_str() };
    let mut possible = Vec::with_capacity(ids.len());
    for id in ids {
        match engine.find(&id.to_string()) {
            Ok(found) if found.memory.status.kind() == target => {
                report.failed.push((*id, EngineError::AlreadyInState { id: *id, state }));
            }
            Ok(_) => possible.push(*id),
            Err(error) if is_about_one(&error) => report.failed.push((*id, error)),
            Err(error) => return Err(error),
        }
    }
    Ok(possible)
}

/// Changes memories as one change. If it fails because of one of them, tries each half.
fn change_part(
    engine: &mut Engine<'_>,
    ids: &[MemoryId],
    change: &BulkChange,
    now: Timestamp,
    report: &mut BulkReport,
) -> EngineResult<()> {
    let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let done = match change {
        _ if ids.is_empty() => return Ok(()),
        BulkChange::Confirm(reason) => engine.verify(&names, reason.clone()),
        BulkChange::Flag(verdict, reason) => {
            Verdict::Plain(*verdict).flag_all(engine, &names, reason.clone(), Review::Needed, now)
        }
        BulkChange::Forget(mode, reason) => engine.forget_all(&names, *mode, reason.clone()),
        BulkChange::Restore => engine.restore_all(&names),
        BulkChange::Retag(add, remove) => engine.retag_all(&names, add, remove),
    };
    match (done, ids) {
        (Ok(_), _) => report.changed += ids.len(),
        (Err(error), _) if !is_about_one(&error) => return Err(error),
        (Err(error), [id]) => report.failed.push((*id, error)),
        (Err(_), _) => {
            let (first, second) = ids.split_at(ids.len() / 2);
            change_part(engine, first, change, now, report)?;
            change_part(engine, second, change, now, report)?;
        }
    }
    Ok(())
}

/// Returns true for an error because of a memory, false for one of the store.
fn is_about_one(error: &EngineError) -> bool {
    !matches!(
        error,
        EngineError::Store(_) | EngineError::Io { .. } | EngineError::NotInitialised { .. }
    )
}
