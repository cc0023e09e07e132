//! Brings the memories of lessons up to date: stores new ones, changes those whose lesson changed, and
//! retires those that no longer hold. What a person edited, verified, flagged or forgot is left alone.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, json};
use tacit_core::{Draft, Memory, MemoryId, Reasoning, Review, Source, StaleKind, StatusKind};
use tacit_engine::{Engine, EngineError, ForgetMode, StoreScope};
use tacit_history::{Lesson, LessonKind};
use tacit_store::{Filter, ListOrder};

use super::draft::{draft, memory_type};
use super::state::{LearntLesson, LearntState, key_of, text_hash};
use crate::error::AppResult;

/// The reason for retiring a memory whose lesson is no longer drawn. Only such a memory returns with
/// its lesson.
const NO_LONGER: &str = "the history no longer shows it";

/// The fate of a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LessonOutcome {
    /// A new memory.
    New,
    /// A memory that is changed.
    Changed,
    /// A memory that says the same.
    Same,
    /// A person forgot its memory, so it stays forgotten.
    Forgotten,
    /// A person edited, verified or flagged its memory, so that stays as it is.
    Kept,
    /// The lesson no longer holds, so its memory is retired.
    Retired,
    /// The write gate refuses it.
    Refused,
}

impl LessonOutcome {
    /// Returns the word for JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LessonOutcome::New => "new",
            LessonOutcome::Changed => "changed",
            LessonOutcome::Same => "same",
            LessonOutcome::Forgotten => "forgotten",
            LessonOutcome::Kept => "kept",
            LessonOutcome::Retired => "retired",
            LessonOutcome::Refused => "refused",
        }
    }
}

/// A lesson with what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SettledLesson {
    /// The lesson; `None` if it no longer holds.
    pub lesson: Option<Lesson>,
    /// The memory; `None` if the lesson has none.
    pub memory: Option<MemoryId>,
    /// The outcome of the lesson.
    pub outcome: LessonOutcome,
}

/// Decides what becomes of each lesson. `is_whole` is false if not all commits were read, so that a
/// missing lesson says nothing.
pub(super) fn plan(
    engine: &Engine<'_>,
    lessons: Vec<Lesson>,
    state: &LearntState,
    is_whole: bool,
) -> AppResult<Vec<SettledLesson>> {
    let adoptable = adoptable(engine, &lessons, state)?;
    let mut drawn = BTreeSet::new();
    let mut planned = Vec::new();
    for lesson in lessons {
        let key = key_of(&lesson);
        let known = state.lessons.get(&key);
        let adopted = adoptable.get(&(lesson.kind, lesson.title.clone()));
        let id = known.map(|known| known.id).or(adopted.copied());
        drawn.insert(key);
        let outcome = match id {
            None => LessonOutcome::New,
            Some(id) => match find(engine, id)? {
                None => LessonOutcome::Forgotten,
                Some(memory) => outcome(&memory, &draft(&lesson), known),
            },
        };
        planned.push(SettledLesson { lesson: Some(lesson), memory: id, outcome });
    }
    for (key, known) in state.lessons.iter().filter(|(key, _)| is_whole && !drawn.contains(*key)) {
        let Some(memory) = find(engine, known.id)? else { continue };
        let is_ours = memory.status.kind() == StatusKind::Active
            && !is_edited(&memory, Some(known))
            && memory.body.trust.review != Review::Verified;
        if is_ours {
            let _ = key;
            planned.push(SettledLesson {
                lesson: None,
                memory: Some(known.id),
                outcome: LessonOutcome::Retired,
            });
        }
    }
    Ok(planned)
}

/// Returns the memories of earlier runs by kind and title, in case the state was lost.
fn adoptable(
    engine: &Engine<'_>,
    lessons: &[Lesson],
    state: &LearntState,
) -> AppResult<BTreeMap<(LessonKind, String), MemoryId>> {
    if lessons.iter().all(|lesson| state.lessons.contains_key(&key_of(lesson))) {
        return Ok(BTreeMap::new());
    }
    let sources = vec![Source::GitHistory, Source::File];
    let filter = Filter { sources, ..Filter::everything() };
    let listed =
        engine.list(Some(StoreScope::Project), &filter, ListOrder::Oldest, usize::MAX >> 1, 0)?;
    let mut found = BTreeMap::new();
    for stored in listed {
        let memory = stored.memory;
        let Some(title) = &memory.body.title else { continue };
        let is_file = memory.body.origin.source == Source::File;
        for kind in LessonKind::ALL {
            let fits = memory.memory_type() == memory_type(kind).into()
                && is_file == (kind == LessonKind::Build);
            if fits {
                found.insert((kind, title.to_string()), memory.id);
            }
        }
    }
    Ok(found)
}

fn find(engine: &Engine<'_>, id: MemoryId) -> AppResult<Option<Memory>> {
    match engine.find(&id.to_string()) {
        Ok(found) => Ok(Some(found.memory)),
        Err(EngineError::NoSuchMemory { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Decides about a lesson that has a memory.
fn outcome(memory: &Memory, draft: &Draft, known: Option<&LearntLesson>) -> LessonOutcome {
    let is_active = memory.status.kind() == StatusKind::Active;
    if !is_active {
        let left = memory.status.inactive_since();
        let by_us = left.is_some_and(|(_, reason)| reason.as_str() == NO_LONGER);
        return if by_us { LessonOutcome::Changed } else { LessonOutcome::Forgotten };
    }
    if memory.body.content.as_str().trim() == draft.content.trim() {
        return LessonOutcome::Same;
    }
    let trust = &memory.body.trust;
    let is_flagged = trust.stale_cause() == Some(StaleKind::Reported);
    // A file that says something else now is the word of the team, even if a person verified the old one.
    let follows_file = memory.body.origin.source == Source::File;
    let is_settled = trust.review == Review::Verified && !follows_file;
    if is_edited(memory, known) || is_settled || (is_flagged && !follows_file) {
        return LessonOutcome::Kept;
    }
    LessonOutcome::Changed
}

/// Returns true if somebody changed the text since it was written.
fn is_edited(memory: &Memory, known: Option<&LearntLesson>) -> bool {
    known.is_some_and(|known| known.text != text_hash(memory.body.content.as_str()))
}

/// Applies a plan, and notes in the state which memory each lesson has.
pub(super) fn apply(
    engine: &mut Engine<'_>,
    planned: &mut [SettledLesson],
    state: &mut LearntState,
) -> AppResult<()> {
    store_new(engine, planned)?;
    for settled in planned.iter_mut() {
        match (settled.outcome, &settled.lesson, settled.memory) {
            (LessonOutcome::Changed, Some(lesson), Some(id)) => {
                settled.outcome = change(engine, id, &draft(lesson))?;
            }
            (LessonOutcome::Retired, _, Some(id)) => {
                let reason = Reasoning::new(NO_LONGER)?;
                match engine.forget(&id.to_string(), ForgetMode::Retire, reason) {
                    Ok(_) | Err(EngineError::AlreadyInState { .. }) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            _ => {}
        }
    }
    for settled in planned.iter() {
        let (Some(lesson), Some(id)) = (&settled.lesson, settled.memory) else { continue };
        let key = key_of(lesson);
        let writes = matches!(
            settled.outcome,
            LessonOutcome::New | LessonOutcome::Changed | LessonOutcome::Same
        );
        if writes || !state.lessons.contains_key(&key) {
            // The text as it was stored: secrets were redacted.
            let text = find(engine, id)?.map(|memory| text_hash(memory.body.content.as_str()));
            let text = text.unwrap_or_default();
            state.lessons.insert(key, LearntLesson { id, text });
        }
    }
    Ok(())
}

/// Stores new lessons as one change, so that one `tacit undo` takes them all back.
fn store_new(engine: &mut Engine<'_>, planned: &mut [SettledLesson]) -> AppResult<()> {
    let mut new: Vec<&mut SettledLesson> =
        planned.iter_mut().filter(|settled| settled.outcome == LessonOutcome::New).collect();
    let drafts: Vec<Draft> =
        new.iter().filter_map(|settled| settled.lesson.as_ref()).map(draft).collect();
    if drafts.is_empty() {
        return Ok(());
    }
    for (settled, result) in new.iter_mut().zip(engine.remember_all(StoreScope::Project, drafts)?) {
        match result {
            Ok(stored) => settled.memory = stored.memory.map(|memory| memory.id),
            Err(EngineError::RecentlyForgotten { id, .. }) => {
                settled.memory = Some(id);
                settled.outcome = LessonOutcome::Forgotten;
            }
            Err(EngineError::Invalid(_)) => settled.outcome = LessonOutcome::Refused,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Changes a memory to what its lesson says now.
fn change(engine: &mut Engine<'_>, id: MemoryId, draft: &Draft) -> AppResult<LessonOutcome> {
    let mut patch = Map::new();
    patch.insert("title".into(), json!(draft.title));
    patch.insert("content".into(), json!(draft.content));
    patch.insert("details".into(), json!(draft.details));
    patch.insert("references".into(), json!(draft.references));
    patch.insert("related_files".into(), json!(draft.related_files));
    patch.insert("related_modules".into(), json!(draft.related_modules));
    patch.insert("confidence".into(), json!(draft.confidence));
    patch.insert("commit".into(), json!(draft.commit));
    patch.insert("review".into(), json!(draft.review));
    patch.insert("stale_at".into(), json!(null));
    patch.insert("stale_kind".into(), json!(null));
    patch.insert("stale_why".into(), json!(null));
    let id = id.to_string();
    match engine.edit(&id, &patch, Reasoning::new("the history shows more").ok()) {
        Ok((stored, _)) if stored.memory.status.kind() == StatusKind::Active => {}
        Ok(_) => match engine.restore(&id) {
            Ok(_) | Err(EngineError::AlreadyInState { .. }) => {}
            Err(EngineError::Duplicate(_)) => return Ok(LessonOutcome::Kept),
            Err(error) => return Err(error.into()),
        },
        Err(EngineError::Duplicate(_)) => return Ok(LessonOutcome::Kept),
        Err(EngineError::Invalid(_)) => return Ok(LessonOutcome::Refused),
        Err(error) => return Err(error.into()),
    }
    Ok(LessonOutcome::Changed)
}
