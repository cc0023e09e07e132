//! How likely a file is to change when another does.
//!
//! Commits that touched the file are evidence, weighed by size and age. The structure of the
//! project is what was believed before any of them, worth a few commits. What changes with a file
//! that changes with this one is likely too, a little.

use std::collections::HashMap;

use super::commits::History;
use super::names::TrackedFileId;
use super::structure::Structure;
use super::weights::EstimateWeights;

/// A file that is likely to change with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Partner {
    /// Which.
    pub file: TrackedFileId,
    /// How likely, from 0 to 1.
    pub probability: f64,
    /// Why, the reason that gives most first.
    pub reasons: Vec<CoChangeReason>,
    /// How many commits touched both, and said something by that.
    pub together: u32,
}

/// Why two files are believed to change together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoChangeReason {
    /// Commits touched both.
    Commits {
        /// How many did.
        both: u32,
        /// How many touched the file that was asked about.
        total: u32,
    },
    /// Sessions used both.
    Sessions {
        /// How many did.
        both: u32,
    },
    /// One imports the other.
    Import {
        /// How many files import the one that is imported.
        importers: u32,
    },
    /// They have the same subject, by their names.
    Stem,
    /// They are in the same directory.
    Directory,
    /// Both change with this file.
    Through(TrackedFileId),
    /// It changes in many commits, whatever they are about.
    Busy {
        /// In how many.
        commits: u32,
    },
}

/// Directories with more files than this say nothing about any two of them.
const CROWDED_DIRECTORY: usize = 60;
/// How many of the files that most often change with one are looked at for their own partners.
const MAX_INTERMEDIATE: usize = 12;
/// How many of the files that change most are candidates for every file.
const MAX_BUSIEST: usize = 20;
/// A reason that gives less than this share of a probability is not told, unless it gives most.
const MIN_REASON_SHARE: f64 = 0.125;

/// What is known, ready to be asked.
#[derive(Debug)]
pub struct Estimator<'h> {
    history: &'h History,
    structure: &'h Structure,
    weights: EstimateWeights,
    /// The weight of each commit.
    commit_weights: Vec<f64>,
    /// The commits of each file.
    commits_of: Vec<Vec<u32>>,
    /// Those that touched too many files to say anything.
    bulk_commits_of: Vec<Vec<u32>>,
    /// The weight of the commits of each file.
    change_weights: Vec<f64>,
    /// The weight of all commits.
    total: f64,
    busiest: Vec<TrackedFileId>,
}

/// What sessions showed of two files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionCoUse {
    /// The other file.
    pub file: TrackedFileId,
    /// In how many sessions both were used.
    pub both: u32,
    /// Of the sessions in which either was, the share in which both were.
    pub share: f64,
}

/// What is known of a pair.
#[derive(Debug, Clone, Copy)]
struct Evidence {
    weight: f64,
    both: u32,
    /// Commits that touched both among too many others.
    bulk_files: u32,
    /// Sessions that used both, and that used either.
    sessions: (f64, f64),
    /// What was believed before: for each of the reasons, the probability that it does not hold.
    doubts: [f64; 4],
    /// How many files import the one that is imported.
    importers: u32,
}

/// The places of reasons in [`Evidence::doubts`].
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
    /// Takes in a reason for belief.
    fn add_belief(&mut self, reason: usize, probability: f64) {
        self.doubts[reason] *= 1.0 - probability.min(1.0);
    }

    /// What was believed before any commit.
    fn prior(&self) -> f64 {
        1.0 - self.doubts.iter().product::<f64>()
    }

    /// How much of the belief a reason gives, as a share.
    fn share(&self, reason: usize) -> f64 {
        let sure = |doubt: &f64| -doubt.max(f64::MIN_POSITIVE).ln();
        let all: f64 = self.doubts.iter().map(sure).sum();
        sure(&self.doubts[reason]) / all.max(f64::MIN_POSITIVE)
    }
}

impl<'h> Estimator<'h> {
    /// Makes a history ready to be asked.
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
            history.names.living().map(|(file, _)| file).collect();
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

    /// The files most likely to change with one, the likeliest first; none that nothing speaks for.
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

    /// What commits and structure say about a file and each other that they say anything about.
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
            self.by_name(file, path, &mut found);
        }
        for other in self.busiest.iter().filter(|other| **other != file) {
            found.entry(*other).or_default();
        }
        // Of few commits, the share that touched a file says little: as if there had been a few more.
        let total = (self.total + self.weights.prior_strength).max(f64::MIN_POSITIVE);
        for (other, evidence) in &mut found {
            let share = self.change_weights[*other as usize] / total;
            evidence.add_belief(BUSY, self.weights.base * share);
        }
        found
    }

    fn by_name(
        &self,
        file: TrackedFileId,
        path: &str,
        found: &mut HashMap<TrackedFileId, Evidence>,
    ) {
        let namesakes = self.structure.namesakes(path);
        for other in namesakes.iter().filter(|other| **other != file) {
            let others = (namesakes.len() - 1) as f64;
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

    /// Counts the commits that weigh nothing: they happened, too.
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

    /// What counts and belief are divided by.
    fn denominator(&self, file: TrackedFileId, evidence: &Evidence) -> f64 {
        let change_weights = self.change_weights.get(file as usize).copied().unwrap_or(0.0);
        let either = self.weights.session * evidence.sessions.1;
        (change_weights + either + self.weights.prior_strength).max(f64::MIN_POSITIVE)
    }

    /// Counts and belief: as if the belief had been seen in a few commits.
    fn blend(&self, file: TrackedFileId, evidence: &Evidence) -> f64 {
        let seen = evidence.weight + self.weights.session * evidence.sessions.0;
        let believed = self.weights.prior_strength * evidence.prior();
        (seen + believed) / self.denominator(file, evidence)
    }

    /// A file with all that speaks for it, and what a third file adds.
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
        // What gives as much as another stays behind it.
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
        let most = reasons.first().map_or(0.0, |(share, _)| *share);
        let least = (MIN_REASON_SHARE * probability).min(most);
        let reasons = reasons.into_iter().filter(|(share, _)| *share >= least && *share > 0.0);
        let reasons = reasons.map(|(_, reason)| reason).collect();
        Partner { file: other, probability, reasons, together: evidence.both }
    }

    /// What speaks for a file, with how much of the probability it gives.
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

    /// What is likely because of a third file, and which.
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
