//! Edits that were corrected at once, again and again: what one is likely to get wrong there.

use std::collections::BTreeMap;

use tacit_core::RepoPath;

use super::{RuleInput, RuleOutput};
use crate::files::is_checked;
use crate::promotion::{Basis, MemoryCandidate, is_frequent};
use crate::signals::{Backtrack, LikelyCause};
use crate::text::{count_times, quoted_list, stable_key};

const CONFIDENCE: f64 = 0.65;

pub(super) fn infer(input: &RuleInput<'_>, results: &mut RuleOutput) {
    let mut by_file: BTreeMap<(&RepoPath, bool), Vec<&Backtrack>> = BTreeMap::new();
    for backtrack in &input.signals.backtracks {
        let cascades = backtrack.likely_cause == LikelyCause::CascadingChange;
        by_file.entry((&backtrack.file, cascades)).or_default().push(backtrack);
    }
    for ((file, cascades), here) in by_file {
        let earlier: Vec<&Backtrack> = input
            .passed_digests()
            .flat_map(|digest| &digest.backtracks)
            .filter(|other| {
                other.file == *file
                    && (other.likely_cause == LikelyCause::CascadingChange) == cascades
            })
            .collect();
        let count = (here.len() + earlier.len()) as u32;
        let about = format!("`{file}`");
        if !is_checked(file) {
            results.reject(Basis::Backtrack, about, count, "wording is corrected all the time");
            continue;
        }
        if !is_frequent(Basis::Backtrack, count) {
            results.reject(Basis::Backtrack, about, count, "once may be chance");
            continue;
        }
        let Some(last) = here.last() else { continue };
        let (content, files) = if cascades {
            let mut with: Vec<RepoPath> = here.iter().flat_map(|one| one.between.clone()).collect();
            with.retain(|other| {
                here.iter().chain(&earlier).filter(|one| one.between.contains(other)).count() >= 2
            });
            with.sort();
            with.dedup();
            if with.is_empty() {
                results.reject(
                    Basis::Backtrack,
                    about,
                    count,
                    "another file had to change each time",
                );
                continue;
            }
            let other: Vec<&str> = with.iter().map(RepoPath::as_str).collect();
            let content = format!(
                "`{file}` is likely to change together with {}: what was written in it had to be corrected \
                 after the other was changed, {}. The last time: {}.",
                quoted_list(&other),
                count_times(count as usize),
                last.correction
            );
            (content, [vec![file.clone()], with].concat())
        } else {
            let cause = match last.likely_cause {
                LikelyCause::MissingContext => {
                    "something that was read only afterwards told better"
                }
                _ => "the first assumption was wrong",
            };
            let content = format!(
                "Edits of `{file}` had to be corrected within a few steps, {}. Likely cause: {cause}. The last \
                 time: {}.",
                count_times(count as usize),
                last.correction
            );
            (content, vec![file.clone()])
        };
        results.candidates.push(MemoryCandidate {
            basis: Basis::Backtrack,
            key: stable_key(&["gotcha", file.as_str(), if cascades { "cascades" } else { "" }]),
            about,
            occurrences: count,
            at: input.time_of(last.step_index),
            step_index: here.iter().map(|one| one.step_index).max(),
            draft: input.draft("gotcha", content, &files, CONFIDENCE),
            replaces: false,
        });
    }
}
