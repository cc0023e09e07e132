//! A file that is read again and again, in session after session, and never changed.

use super::{RuleInput, RuleOutput};
use crate::promotion::{Basis, is_frequent};
use crate::signals::CONFUSING_READS;
use crate::text::stable_key;

const CONFIDENCE: f64 = 0.6;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    for used in input.signals.file_accesses.iter().filter(|used| used.is_confusing()) {
        let file = &used.file;
        let before =
            input.passed_digests().filter(|digest| digest.confusing.contains(file)).count();
        let sessions = before as u32 + 1;
        let about = format!("`{file}`, read {} times", used.reads);
        if !is_frequent(Basis::TimeAnomaly, sessions) {
            let why = format!("{sessions} of {} sessions", Basis::TimeAnomaly.min_occurrences());
            results.reject(Basis::TimeAnomaly, about, sessions, why);
            continue;
        }
        let content = format!(
            "`{file}` is likely to be hard to understand: in several sessions it was read {CONFUSING_READS} times or \
             more without being changed."
        );
        let draft = input.draft("module_insight", content, std::slice::from_ref(file), CONFIDENCE);
        let key = stable_key(&["confusing", file.as_str()]);
        results.candidates.push(input.candidate_at_end(
            Basis::TimeAnomaly,
            key,
            about,
            sessions,
            draft,
        ));
    }
}
