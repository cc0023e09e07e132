//! What agents noted: kept once the work passes.

use serde_json::Value;
use tacit_core::log::NoteRecord;
use tacit_core::{BuiltinType, Details, E2eObservation, MemoryType, Source};

use super::application::observation_type;
use super::{RuleInput, RuleOutput};
use crate::promotion::{Basis, MemoryCandidate};
use crate::text::one_line;
use crate::timeline::StepKind;

const NOTE_CONFIDENCE: f64 = 0.7;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    for note in &input.tree.notes {
        let about = one_line(&note.text, 100);
        // The step at which it was noted.
        let step_index = input
            .timeline
            .steps
            .iter()
            .take_while(|step| step.at <= note.at)
            .count()
            .saturating_sub(1);
        let (basis, draft) = match &note.record {
            NoteRecord::Agent(agent) => {
                let kind = &agent.memory_type;
                let details = observed(input, kind, &note.text, step_index);
                let (kind, tag) = match &details {
                    Some(_) => (kind.to_string(), None),
                    None => plain_type(kind),
                };
                let mut draft = input.draft(&kind, note.text.clone(), &note.files, NOTE_CONFIDENCE);
                draft.details = details;
                draft.tags.extend(tag);
                draft.source = Some(Source::AgentExplicit.to_string());
                draft.generator = Some("agent".to_owned());
                (Basis::Note, draft)
            }
            // Where a session takes place is nothing to learn; what was noticed on the way is told
            // better by the whole of it.
            NoteRecord::Commit(_) | NoteRecord::Checkout(_) | NoteRecord::Inferred(_) => continue,
            NoteRecord::Observation | NoteRecord::QaFailure(_) => {
                let kind = note.record.kind();
                results.reject(
                    Basis::Note,
                    about,
                    1,
                    format!("a note of the kind `{kind}` says what happened, not what was learnt"),
                );
                continue;
            }
        };
        results.candidates.push(MemoryCandidate {
            basis,
            key: note.id.clone(),
            about,
            occurrences: 1,
            at: note.at,
            step_index: Some(step_index),
            draft,
            replaces: false,
        });
    }
}

/// The details of what an agent observed in the running application; none for any other note.
fn observed(
    input: &RuleInput<'_>,
    kind: &MemoryType,
    text: &str,
    step_index: usize,
) -> Option<Value> {
    if *kind != BuiltinType::E2eObservation.into() {
        return None;
    }
    let before = input.timeline.steps.iter().take(step_index + 1).rev();
    let tool = before.into_iter().find_map(|step| match &step.kind {
        StepKind::AppCall(acted) => Some(acted.tool.clone()),
        _ => None,
    });
    let details = E2eObservation {
        observation_type: observation_type(text),
        mcp_tool_used: tool.unwrap_or_else(|| "none".to_owned()),
        app_state: None,
    };
    serde_json::to_value(details).ok()
}

/// The type a note can have, which has no details; a type that needs them becomes a tag.
fn plain_type(kind: &MemoryType) -> (String, Option<String>) {
    if matches!(kind, MemoryType::Builtin(_)) && Details::from_json(kind, None).is_ok() {
        (kind.to_string(), None)
    } else {
        (BuiltinType::ModuleInsight.to_string(), Some(kind.as_str().replace(':', "-")))
    }
}
