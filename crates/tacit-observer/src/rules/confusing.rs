//! A file that is read again and again, in session after session, and never changed.

use super::{Found, Scene};
use crate::promotion::{Basis, is_frequent};
use crate::signals::CONFUSING_READS;
use crate::text::key;

const CONFIDENCE: f64 = 0.6;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    for used in scene.signals.file_accesses.iter().filter(|used| used.is_confusing()) {
        let file = &used.file;
        let before = scene.passed_before().filter(|digest| digest.confusing.contains(file)).count();
        let sessions = before as u32 + 1;
        let about = format!("`{file}`, read {} times", used.reads);
        if !is_frequent(Basis::TimeAnomaly, sessions) {
            let why = format!("{sessions} of {} sessions", Basis::TimeAnomaly.least());
            found.drop(Basis::TimeAnomaly, about, sessions, why);
            continue;
        }
        let content = format!(
            "`{file}` is likely to be hard to understand: in several sessions it was read {CONFUSING_READS} times or \
             more without being changed."
        );
        let draft = scene.draft("module_insight", content, std::slice::from_ref(file), CONFIDENCE);
        let key = key(&["confusing", file.as_str()]);
        found.candidates.push(scene.at_end(Basis::TimeAnomaly, key, about, sessions, draft));
    }
}
