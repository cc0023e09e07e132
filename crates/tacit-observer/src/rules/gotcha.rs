//! Edits that were corrected at once, again and again: what one is likely to get wrong there.

use std::collections::BTreeMap;

use tacit_core::RepoPath;

use super::{Found, Scene};
use crate::files::is_checked;
use crate::promotion::{Basis, Candidate, is_frequent};
use crate::signals::{Backtrack, LikelyCause};
use crate::text::{key, names, times};

const CONFIDENCE: f64 = 0.65;

pub(super) fn infer(scene: &Scene<'_>, found: &mut Found) {
    let mut by_file: BTreeMap<(&RepoPath, bool), Vec<&Backtrack>> = BTreeMap::new();
    for backtrack in &scene.signals.backtracks {
        let cascades = backtrack.likely_cause == LikelyCause::CascadingChange;
        by_file.entry((&backtrack.file, cascades)).or_default().push(backtrack);
    }
    for ((file, cascades), here) in by_file {
        let earlier: Vec<&Backtrack> = scene
            .passed_before()
            .flat_map(|digest| &digest.backtracks)
            .filter(|other| {
                other.file == *file
                    && (other.likely_cause == LikelyCause::CascadingChange) == cascades
            })
            .collect();
        let count = (here.len() + earlier.len()) as u32;
        let about = format!("`{file}`");
        if !is_checked(file) {
            found.drop(Basis::Backtrack, about, count, "wording is corrected all the time");
            continue;
        }
        if !is_frequent(Basis::Backtrack, count) {
            found.drop(Basis::Backtrack, about, count, "once may be chance");
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
                found.drop(Basis::Backtrack, about, count, "another file had to change each time");
                continue;
            }
            let other: Vec<&str> = with.iter().map(RepoPath::as_str).collect();
            let content = format!(
                "`{file}` is likely to change together with {}: what was written in it had to be corrected \
                 after the other was changed, {}. The last time: {}.",
                names(&other),
                times(count as usize),
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
                times(count as usize),
                last.correction
            );
            (content, vec![file.clone()])
        };
        found.candidates.push(Candidate {
            basis: Basis::Backtrack,
            key: key(&["gotcha", file.as_str(), if cascades { "cascades" } else { "" }]),
            about,
            occurrences: count,
            at: scene.at(last.place),
            place: here.iter().map(|one| one.place).max(),
            draft: scene.draft("gotcha", content, &files, CONFIDENCE),
            replaces: false,
        });
    }
}
