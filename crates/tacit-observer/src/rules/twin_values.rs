//! Learns values that stand in several files and change together, such as a version.

use tacit_core::RepoPath;

use super::{RuleInput, RuleOutput};
use crate::promotion::Basis;
use crate::text::{counted, quote, quoted_list, stable_key};

/// Minimum number of sessions that changed the value in the same files.
const MIN_SESSIONS: usize = 2;
const CONFIDENCE: f64 = 0.75;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    for twin in &input.digest.twins {
        let earlier = input
            .past_digests
            .iter()
            .filter(|digest| digest.session != input.digest.session)
            .filter(|digest| digest.twins.iter().any(|other| other.files == twin.files))
            .count();
        let names: Vec<&str> = twin.files.iter().map(RepoPath::as_str).collect();
        let (about, sessions) = (quoted_list(&names), earlier + 1);
        if sessions < MIN_SESSIONS {
            let why = format!("{sessions} of {MIN_SESSIONS} sessions");
            results.reject(Basis::CoAccess, about, sessions as u32, why);
            continue;
        }
        let all = if names.len() == 2 { "both" } else { "all of them" };
        let content = format!(
            "The same value stands in {about}: change {all} ({} became {} in each).",
            quote(&twin.old),
            quote(&twin.new)
        );
        let mut draft = input.draft("gotcha", content, &twin.files, CONFIDENCE);
        draft.reasoning = Some(format!(
            "It was changed in each of them in {}.",
            counted(sessions, "session", "sessions")
        ));
        let key = stable_key(&["twin_values", &names.join("\n")]);
        let mut candidate =
            input.candidate_at_end(Basis::CoAccess, key, about, sessions as u32, draft);
        // An edit is no work that could fail.
        candidate.step_index = None;
        results.candidates.push(candidate);
    }
}
