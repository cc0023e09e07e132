//! Estimates how likely a file is to change when another does.
//!
//! Commits that touched both files are evidence, weighted by size and age. The structure of the
//! project is the prior, worth a few commits. Files that change with a co-changed file add a
//! little.

use std::collections::HashMap;

use super::commits::History;
use super::names::TrackedFileId;
use super::structure::Structure;
use super::weights::EstimateWeights;

/// A file that is likely to change with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Partner {
    /// The other file.
    pub file: TrackedFileId,
    /// The probability from 0 to 1.
    pub probability: f64,
    /// The reasons, strongest first.
    pub reasons: Vec<CoChangeReason>,
    /// The number of commits that touched both, without bulk commits.
    pub together: u32,
}

/// A reason to expect that two files change together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoChangeReason {
    /// Commits that touched both.
    Commits {
        /// The number of commits that touched both.
        both: u32,
        /// The number of commits that touched the given file.
        total: u32,
    },
    /// Sessions that used both.
    Sessions {
        /// The number of sessions that used both.
        both: u32,
    },
    /// An import of one by the other.
    Import {
        /// The number of files that import the imported one.
        importers: u32,
    },
    /// A common stem of their names.
    Stem,
    /// A common directory.
    Directory,
    /// A third file with which both change.
    Through(TrackedFileId),
    /// A file that changes in many commits, whatever they are about.
    Busy {
        /// The number of commits that touched it.
        commits: u32,
    },
}

/// Larger directories say nothing about any two of their files.
const CROWDED_DIRECTORY: usize = 60;
/// Number of strongest partners whose own partners are considered.
const MAX_INTERMEDIATE: usize = 12;
/// Number of most frequently changed files that are candidates for every file.
const MAX_BUSIEST: usize = 20;
/// Reasons with a smaller share of the probability are left out, except the strongest.
const MIN_REASON_SHARE: f64 = 0.125;

/// The history, prepared for queries.
#[derive(Debug)]
pub struct Estimator<'h> {
    history: &'h History,
    structure: &'h Structure,
    weights: EstimateWeights,
    /// The weight of each commit.
    commit_weights: Vec<f64>,
    /// The commits of each file, without bulk commits.
    commits_of: Vec<Vec<u32>>,
    /// The bulk commits of each file.
    bulk_commits_of: Vec<Vec<u32>>,
    /// The total weight of the commits of each file.
    change_weights: Vec<f64>,
    /// The weight of all commits.
    total: f64,
    busiest: Vec<TrackedFileId>,
}

/// The sessions in which two files were used together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionCoUse {
    /// The other file.
    pub file: TrackedFileId,
    /// The number of sessions that used both.
    pub both: u32,
    /// The share of these among the sessions that used either.
    pub share: f64,
}

/// The evidence for a pair of files.
#[derive(Debug, Clone, Copy)]
struct Evidence {
    weight: f64,
    both: u32,
    /// Bulk commits that touched both.
    bulk_files: u32,
    /// Sessions that used both, and that used either.
    sessions: (f64, f64),
    /// The prior: for each structural reason, the probability that it does not apply.
    doubts: [f64; 4],
    /// The number of files that import the imported one.
    importers: u32,
}

/// Indexes into [`Evidence::doubts`].
const IMPORT: usize = 0;
const STEM: usize = 1;
const DIRECTORY: usize = 2;
const BUSY: usize = 3;

impl Default for Evidence {
    fn default() -> Evidence {
        let sessions = (0.0, 0.0);
        Evidence { weight: 0.0, both: 0, bulk_files: 0, sessions, doubts: [1.0; 4], importers: 0 }
    }
}

impl Evidence {
    /// Adds a structural reason.
    fn add_belief(&mut self, reason: usize, probability: f64) {
        self.doubts[reason] *= 1.0 - probability.min(1.0);
    }

    /// Returns the prior probability.
    fn prior(&self) -> f64 {
        1.0 - self.doubts.iter().product::<f64>()
    }

    /// Returns the share of the prior that a reason contributes.
    fn share(&self, reason: usize) -> f64 {
        let sure = |doubt: &f64| -doubt.max(f64::MIN_POSITIVE).ln();
        let all: f64 = self.doubts.iter().map(sure).sum();
        sure(&self.doubts[reason]) / all.max(f64::MIN_POSITIVE)
    }
}

impl<'h> Estimator<'h> {
    /// Prepares a history for queries.
    #[must_use]
    pub fn new(
        history: &'h History,
        structure: &'h Structure,
        weights: EstimateWeights,
    ) -> Estimator<'h> {
        let newest = history.commits.iter().map(|past| past.at).max().unwrap_or(0);
        let commit_weights: Vec<f64> = history
            .commits
            .iter()
            .map(|past| match past.files.len() {
                0 => 0.0,
                _ => weights.commit(past.size, newest.saturating_sub(past.at)),
            })
            .collect();
        let mut commits_of = vec![Vec::new(); history.names.len()];
        let mut bulk_commits_of = commits_of.clone();
        let mut change_weights = vec![0.0; history.names.len()];
        for (at, past) in history.commits.iter().enumerate() {
            for file in &past.files {
                commits_of[*file as usize].push(at as u32);
                change_weights[*file as usize] += commit_weights[at];
            }
            for file in &past.bulk_files {
                bulk_commits_of[*file as usize].push(at as u32);
            }
        }
        let mut busiest: Vec<TrackedFileId> =
            history.names.existing().map(|(file, _)| file).collect();
        busiest.sort_by(|a, b| {
            change_weights[*b as usize].total_cmp(&change_weights[*a as usize]).then(a.cmp(b))
        });
        busiest.truncate(MAX_BUSIEST);
        let total = commit_weights.iter().sum();
        Estimator {
            history,
            structure,
            weights,
            commit_weights,
            commits_of,
            bulk_commits_of,
            change_weights,
            total,
            busiest,
        }
    }

    /// Returns the files most likely to change with `file`, most probable first, without those of
    /// probability 0.
    #[must_use]
    pub fn partners(
        &self,
        file: TrackedFileId,
        used: &[SessionCoUse],
        limit: usize,
    ) -> Vec<Partner> {
        let mut direct = self.direct(file);
        for SessionCoUse { file: other, both, share } in used {
            let both = f64::from(*both);
            let either = both / share.clamp(f64::MIN_POSITIVE, 1.0);
            direct.entry(*other).or_default().sessions = (both, either);
        }
        self.count_bulk_commits(file, &mut direct);
        let through = self.through(file, &direct);
        for other in through.keys() {
            direct.entry(*other).or_default();
        }
        let mut partners: Vec<Partner> = direct
            .iter()
            .filter(|(other, _)| self.history.names.path(**other).is_some())
            .map(|(other, evidence)| self.partner(file, *other, evidence, through.get(other)))
            .filter(|partner| partner.probability > 0.0)
            .collect();
        partners.sort_by(|a, b| {
            b.probability.total_cmp(&a.probability).then_with(|| a.file.cmp(&b.file))
        });
        partners.truncate(limit);
        partners
    }

    /// Collects the evidence of commits and structure for every other file.
    fn direct(&self, file: TrackedFileId) -> HashMap<TrackedFileId, Evidence> {
        let mut found: HashMap<TrackedFileId, Evidence> = HashMap::new();
        for commit in self.commits_of.get(file as usize).into_iter().flatten() {
            let weight = self.commit_weights[*commit as usize];
            for other in &self.history.commits[*commit as usize].files {
                if *other != file {
                    let evidence = found.entry(*other).or_default();
                    evidence.weight += weight;
                    evidence.both += 1;
                }
            }
        }
        for (other, importers) in self.structure.imports(file) {
            let evidence = found.entry(*other).or_default();
            evidence.importers = *importers;
            evidence.add_belief(IMPORT, self.weights.import / f64::from(*importers).sqrt());
        }
        if let Some(path) = self.history.names.path(file) {
            self.add_name_evidence(file, path, &mut found);
        }
        for other in self.busiest.iter().filter(|other| **other != file) {
            found.entry(*other).or_default();
        }
        // With few commits the share says little, so the prior is added to the total.
        let total = (self.total + self.weights.prior_strength).max(f64::MIN_POSITIVE);
        for (other, evidence) in &mut found {
            let share = self.change_weights[*other as usize] / total;
            evidence.add_belief(BUSY, self.weights.base * share);
        }
        found
    }

    fn add_name_evidence(
        &self,
        file: TrackedFileId,
        path: &str,
        found: &mut HashMap<TrackedFileId, Evidence>,
    ) {
        let same_stem = self.structure.same_stem(path);
        for other in same_stem.iter().filter(|other| **other != file) {
            let others = (same_stem.len() - 1) as f64;
            found.entry(*other).or_default().add_belief(STEM, self.weights.stem / others.sqrt());
        }
        let neighbours = self.structure.neighbours(path);
        if neighbours.len() <= CROWDED_DIRECTORY {
            for other in neighbours.iter().filter(|other| **other != file) {
                let others = (neighbours.len() - 1) as f64;
                let probability = self.weights.directory / others.sqrt();
                found.entry(*other).or_default().add_belief(DIRECTORY, probability);
            }
        }
    }

    /// Counts bulk commits, which carry no weight but are shown.
    fn count_bulk_commits(
        &self,
        file: TrackedFileId,
        found: &mut HashMap<TrackedFileId, Evidence>,
    ) {
        for commit in self.bulk_commits_of.get(file as usize).into_iter().flatten() {
            for other in &self.history.commits[*commit as usize].bulk_files {
                if let Some(evidence) = found.get_mut(other) {
                    evidence.bulk_files += 1;
                }
            }
        }
    }

    /// Returns the denominator of the probability: the weight of all evidence and of the prior.
    fn denominator(&self, file: TrackedFileId, evidence: &Evidence) -> f64 {
        let change_weights = self.change_weights.get(file as usize).copied().unwrap_or(0.0);
        let either = self.weights.session * evidence.sessions.1;
        (change_weights + either + self.weights.prior_strength).max(f64::MIN_POSITIVE)
    }

    /// Combines evidence and prior, as if the prior had been seen in a few commits.
    fn blend(&self, file: TrackedFileId, evidence: &Evidence) -> f64 {
        let seen = evidence.weight + self.weights.session * evidence.sessions.0;
        let believed = self.weights.prior_strength * evidence.prior();
        (seen + believed) / self.denominator(file, evidence)
    }

    /// Creates a partner with its reasons and the contribution of a third file.
    fn partner(
        &self,
        file: TrackedFileId,
        other: TrackedFileId,
        evidence: &Evidence,
        through: Option<&(f64, TrackedFileId)>,
    ) -> Partner {
        let direct = self.blend(file, evidence);
        let added = through.map_or(0.0, |(probability, _)| self.weights.transitive * probability);
        let probability = 1.0 - (1.0 - direct) * (1.0 - added);
        let mut reasons = self.reasons(file, other, evidence);
        if let Some((_, step)) = through {
            reasons.push((probability - direct, CoChangeReason::Through(*step)));
        }
        // The sort is stable: equal reasons keep their order.
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
        let most = reasons.first().map_or(0.0, |(share, _)| *share);
        let least = (MIN_REASON_SHARE * probability).min(most);
        let reasons = reasons.into_iter().filter(|(share, _)| *share >= least && *share > 0.0);
        let reasons = reasons.map(|(_, reason)| reason).collect();
        Partner { file: other, probability, reasons, together: evidence.both }
    }

    /// Returns the reasons with their shares of the probability.
    fn reasons(
        &self,
        file: TrackedFileId,
        other: TrackedFileId,
        evidence: &Evidence,
    ) -> Vec<(f64, CoChangeReason)> {
        let counted =
            |lists: &[Vec<u32>], file: TrackedFileId| lists.get(file as usize).map_or(0, Vec::len);
        let commits =
            |file| (counted(&self.commits_of, file) + counted(&self.bulk_commits_of, file)) as u32;
        let denominator = self.denominator(file, evidence);
        let both = evidence.both + evidence.bulk_files;
        let (used, session) = (evidence.sessions.0, self.weights.session);
        let believed = |reason| {
            self.weights.prior_strength * evidence.prior() * evidence.share(reason) / denominator
        };
        vec![
            (evidence.weight / denominator, CoChangeReason::Commits { both, total: commits(file) }),
            (session * used / denominator, CoChangeReason::Sessions { both: used as u32 }),
            (believed(IMPORT), CoChangeReason::Import { importers: evidence.importers }),
            (believed(STEM), CoChangeReason::Stem),
            (believed(DIRECTORY), CoChangeReason::Directory),
            (believed(BUSY), CoChangeReason::Busy { commits: commits(other) }),
        ]
    }

    /// Returns files reached through a third file, with the probability and that file.
    fn through(
        &self,
        file: TrackedFileId,
        direct: &HashMap<TrackedFileId, Evidence>,
    ) -> HashMap<TrackedFileId, (f64, TrackedFileId)> {
        let mut best: HashMap<TrackedFileId, (f64, TrackedFileId)> = HashMap::new();
        if self.weights.transitive <= 0.0 {
            return best;
        }
        let seen = direct.iter().filter(|(_, evidence)| evidence.both > 0);
        let mut steps: Vec<(TrackedFileId, f64)> =
            seen.map(|(other, evidence)| (*other, self.blend(file, evidence))).collect();
        steps.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        steps.truncate(MAX_INTERMEDIATE);
        for (step, first) in steps {
            for (other, evidence) in self.direct(step) {
                if other == file || evidence.both == 0 {
                    continue;
                }
                let probability = first * self.blend(step, &evidence);
                let known = best.entry(other).or_insert((0.0, step));
                if probability > known.0 {
                    *known = (probability, step);
                }
            }
        }
        best
    }
}
