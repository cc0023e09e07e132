//! A file that is read again and again, in session after session, and never changed.

use super::{Found, Scene};
use crate::promotion::{Basis, Candidate, is_frequent};
use crate::signals::CONFUSING_READS;
use crate::text::key;

/// In so many sessions a file must hold somebody up.
pub const CONFUSING_SESSIONS: u32 = 3;
const CONFIDENCE: f64 = 0.6;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    for anomaly in &scene.signals.time_anomalies {
        let file = &anomaly.file;
        let before = scene.passed_before().filter(|digest| digest.confusing.contains(file)).count();
        let sessions = before as u32 + 1;
        let about = format!("`{file}`, read {} times", anomaly.read_count);
        if !is_frequent(Basis::TimeAnomaly, sessions) {
            let why = format!("{sessions} of {CONFUSING_SESSIONS} sessions");
            found.drop(Basis::TimeAnomaly, about, sessions, why);
            continue;
        }
        let content = format!(
            "`{file}` is likely to be hard to understand: in several sessions it was read {CONFUSING_READS} times or \
             more without being changed."
        );
        found.candidates.push(Candidate {
            basis: Basis::TimeAnomaly,
            key: key(&["confusing", file.as_str()]),
            about,
            occurrences: sessions,
            at: scene.digest.at,
            place: Some(scene.end()),
            draft: scene.draft("module_insight", content, std::slice::from_ref(file), CONFIDENCE),
            replaces: false,
        });
    }
}
