//! First promotion stage: drops what comes from work that failed, was abandoned or was never
//! checked.

use tacit_core::RepoPath;

use super::MemoryCandidate;
use crate::reverts::AbandonedApproach;
use crate::session_tree::Release;
use crate::text::one_line;
use crate::validation::SessionVerdict;

/// Maximum length of a failed command in the reason, in characters.
const MAX_SUMMARY: usize = 100;

/// Returns the reason why a candidate must not be kept, or `Ok`.
pub fn check_validated(
    candidate: &MemoryCandidate,
    verdict: &SessionVerdict,
    release: &Release,
    abandoned_approaches: &[AbandonedApproach],
) -> Result<(), String> {
    // Statements of the user do not depend on the outcome of the work.
    let Some(step_index) = candidate.step_index else { return Ok(()) };
    match release {
        Release::Never(why) | Release::Wait(why) => return Err(why.clone()),
        Release::Now => {}
    }
    let files: Vec<RepoPath> = candidate
        .draft
        .related_files
        .iter()
        .filter_map(|file| RepoPath::new(file.as_str()).ok())
        .collect();
    if let Some(failed) = verdict.veto(step_index, &files) {
        return Err(format!("failed: {}", one_line(&failed.summary, MAX_SUMMARY)));
    }
    if !verdict.covers_step(step_index) {
        return Err("no check passed after it".to_owned());
    }
    match abandoned_approaches.iter().find(|approach| approach.includes(step_index, &files)) {
        Some(approach) => Err(format!("it was discarded with its approach ({})", approach.how)),
        None => Ok(()),
    }
}
