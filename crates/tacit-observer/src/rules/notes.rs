//! What agents noted: kept once the work passes.

use tacit_core::{BuiltinType, Details, MemoryType, Source};

use super::{Found, Scene};
use crate::log::{NoteKind, PLACE_NOTE};
use crate::promotion::{Basis, Candidate};
use crate::text::line;

const NOTE_CONFIDENCE: f64 = 0.7;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    for note in &scene.tree.notes {
        let about = line(&note.text, 100);
        // The step at which it was noted.
        let place = scene
            .timeline
            .steps
            .iter()
            .take_while(|step| step.at <= note.at)
            .count()
            .saturating_sub(1);
        let (basis, draft) = match &note.kind {
            NoteKind::Agent(kind) => {
                let (kind, tag) = plain_type(kind);
                let mut draft = scene.draft(&kind, note.text.clone(), &note.files, NOTE_CONFIDENCE);
                draft.tags.extend(tag);
                draft.source = Some(Source::AgentExplicit.to_string());
                draft.generator = Some("agent".to_owned());
                (Basis::Note, draft)
            }
            NoteKind::Commit(_) => continue,
            // Where a session takes place is nothing to learn.
            NoteKind::Other(kind) if kind == PLACE_NOTE => continue,
            NoteKind::Other(kind) => {
                found.drop(
                    Basis::Note,
                    about,
                    1,
                    format!("a note of the kind `{kind}` says what happened, not what was learnt"),
                );
                continue;
            }
        };
        found.candidates.push(Candidate {
            basis,
            key: note.id.clone(),
            about,
            occurrences: 1,
            at: note.at,
            place: Some(place),
            draft,
            replaces: false,
        });
    }
}

/// The type a note can have, which has no details; a type that needs them becomes a tag.
fn plain_type(kind: &str) -> (String, Option<String>) {
    let plain = kind.parse::<MemoryType>().is_ok_and(|kind| {
        matches!(kind, MemoryType::Builtin(_)) && Details::from_json(&kind, None).is_ok()
    });
    if plain {
        (kind.to_owned(), None)
    } else {
        (BuiltinType::ModuleInsight.to_string(), Some(kind.replace(':', "-")))
    }
}
