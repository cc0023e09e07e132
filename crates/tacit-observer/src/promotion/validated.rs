//! The first stage: what comes from work that failed, was given up or was never checked is not kept.

use tacit_core::RepoPath;

use super::Candidate;
use crate::reverts::Abandoned;
use crate::session_tree::Release;
use crate::validation::Verdict;

/// Why a candidate is not kept, or that it may be.
pub fn is_validated(
    candidate: &Candidate,
    verdict: &Verdict,
    release: &Release,
    abandoned: &[Abandoned],
) -> Result<(), String> {
    // What the user said holds whatever came of the work.
    let Some(place) = candidate.place else { return Ok(()) };
    match release {
        Release::Never(why) | Release::Wait(why) => return Err(why.clone()),
        Release::Now => {}
    }
    if !verdict.holds(place) {
        return Err("no check passed after it".to_owned());
    }
    let files: Vec<RepoPath> = candidate
        .draft
        .related_files
        .iter()
        .filter_map(|file| RepoPath::new(file.as_str()).ok())
        .collect();
    match abandoned.iter().find(|approach| approach.includes(place, &files)) {
        Some(approach) => Err(format!("it was thrown away with its approach ({})", approach.how)),
        None => Ok(()),
    }
}
