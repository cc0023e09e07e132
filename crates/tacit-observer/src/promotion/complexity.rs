//! The last stage: a small task teaches little, whatever it looks like.

use tacit_core::log::Complexity;

use super::MemoryCandidate;
use crate::files::module;
use crate::timeline::Timeline;

/// A change of no more files and lines than this is trivial.
const TRIVIAL_FILES: usize = 1;
const TRIVIAL_LINES: usize = 10;
/// One of more files, lines or modules than this is complex.
const STANDARD_FILES: usize = 10;
const STANDARD_LINES: usize = 400;
const STANDARD_MODULES: usize = 4;

/// The most memories that a task of a size may leave.
pub(super) fn max_memories(complexity: Complexity) -> usize {
    match complexity {
        Complexity::Trivial => 2,
        Complexity::Standard => 10,
        Complexity::Complex => 25,
    }
}

/// How large a task is by the size and the spread of what it changed.
pub fn infer_complexity(timeline: &Timeline) -> Complexity {
    let files = timeline.changed_files();
    let lines: usize = timeline.changes().map(|(_, _, change)| change.lines()).sum();
    let modules: std::collections::BTreeSet<String> = files.iter().map(module).collect();
    size(files.len(), lines, modules.len())
}

fn size(files: usize, lines: usize, modules: usize) -> Complexity {
    if files <= TRIVIAL_FILES && lines <= TRIVIAL_LINES {
        Complexity::Trivial
    } else if files > STANDARD_FILES || lines > STANDARD_LINES || modules > STANDARD_MODULES {
        Complexity::Complex
    } else {
        Complexity::Standard
    }
}

/// Candidates, each with its score.
type Scored = Vec<(f64, MemoryCandidate)>;

/// Parts those that there is room for, the best first, from those that there is not.
pub fn limit_to_complexity(mut scored: Scored, complexity: Complexity) -> (Scored, Scored) {
    scored.sort_by(|(x, a), (y, b)| {
        y.total_cmp(x).then_with(|| a.draft.kind.cmp(&b.draft.kind)).then_with(|| a.key.cmp(&b.key))
    });
    let cut = scored.split_off(scored.len().min(max_memories(complexity)));
    (scored, cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_and_spread_determine_complexity() {
        use Complexity::{Complex, Standard, Trivial};
        for (files, lines, modules, expected) in [
            (0, 0, 0, Trivial),
            (1, 10, 1, Trivial),
            (1, 11, 1, Standard),
            (2, 2, 1, Standard),
            (10, 400, 4, Standard),
            (11, 400, 4, Complex),
            (10, 401, 4, Complex),
            (10, 400, 5, Complex),
        ] {
            assert_eq!(size(files, lines, modules), expected, "{files} {lines} {modules}");
        }
    }

    #[test]
    fn complexity_limits_the_number_of_memories() {
        let candidates = |count: u32| {
            (0..count)
                .map(|number| {
                    let candidate = MemoryCandidate {
                        basis: super::super::Basis::Note,
                        key: format!("{number:02}"),
                        about: String::new(),
                        occurrences: 1,
                        at: tacit_core::Timestamp::MIN,
                        step_index: None,
                        draft: tacit_core::Draft::default(),
                        replaces: false,
                    };
                    (f64::from(number), candidate)
                })
                .collect::<Vec<_>>()
        };
        for (complexity, max_memories) in
            [(Complexity::Trivial, 2), (Complexity::Standard, 10), (Complexity::Complex, 25)]
        {
            for (count, kept) in [
                (max_memories - 1, max_memories - 1),
                (max_memories, max_memories),
                (max_memories + 1, max_memories),
            ] {
                let (room, cut) = limit_to_complexity(candidates(count), complexity);
                assert_eq!((room.len(), cut.len()), (kept as usize, (count - kept) as usize));
                // The best are kept.
                assert!(cut.iter().all(|(score, _)| room.iter().all(|(better, _)| better > score)));
            }
        }
    }
}
