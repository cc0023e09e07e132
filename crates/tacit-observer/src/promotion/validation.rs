//! The first stage: what comes from work that failed, was given up or was never checked is not kept.

use tacit_core::RepoPath;

use super::MemoryCandidate;
use crate::reverts::AbandonedApproach;
use crate::session_tree::Release;
use crate::validation::SessionVerdict;

/// Why a candidate is not kept, or that it may be.
pub fn check_validated(
    candidate: &MemoryCandidate,
    verdict: &SessionVerdict,
    release: &Release,
    abandoned_approaches: &[AbandonedApproach],
) -> Result<(), String> {
    // What the user said holds whatever came of the work.
    let Some(step_index) = candidate.step_index else { return Ok(()) };
    match release {
        Release::Never(why) | Release::Wait(why) => return Err(why.clone()),
        Release::Now => {}
    }
    if !verdict.holds(step_index) {
        return Err("no check passed after it".to_owned());
    }
    let files: Vec<RepoPath> = candidate
        .draft
        .related_files
        .iter()
        .filter_map(|file| RepoPath::new(file.as_str()).ok())
        .collect();
    match abandoned_approaches.iter().find(|approach| approach.includes(step_index, &files)) {
        Some(approach) => Err(format!("it was thrown away with its approach ({})", approach.how)),
        None => Ok(()),
    }
}
