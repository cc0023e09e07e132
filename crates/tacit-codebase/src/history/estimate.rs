//! How likely a file is to change when another does.
//!
//! Commits that touched the file are evidence, weighed by size and age. The structure of the
//! project is what was believed before any of them, worth a few commits. What changes with a file
//! that changes with this one is likely too, a little.

use std::collections::HashMap;

use super::names::FileId;
use super::past::History;
use super::structure::Structure;
use super::weigh::Weights;

/// A file that is likely to change with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Partner {
    /// Which.
    pub file: FileId,
    /// How likely, from 0 to 1.
    pub probability: f64,
    /// Why, the reason that gives most first.
    pub reasons: Vec<Reason>,
    /// How many commits touched both, and said something by that.
    pub together: u32,
}

/// Why two files are believed to change together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Commits touched both.
    Together {
        /// How many did.
        both: u32,
        /// How many touched the file that was asked about.
        of: u32,
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
    Through(FileId),
    /// It changes in many commits, whatever they are about.
    Busy {
        /// In how many.
        commits: u32,
    },
}

/// Directories with more files than this say nothing about any two of them.
const CROWDED: usize = 60;
/// How many of the files that most often change with one are looked at for their own partners.
const STEPS: usize = 12;
/// How many of the files that change most are candidates for every file.
const BUSIEST: usize = 20;
/// A reason that gives less than this share of a probability is not told, unless it gives most.
const WORTH_TELLING: f64 = 0.125;

/// What is known, ready to be asked.
#[derive(Debug)]
pub struct Estimator<'h> {
    history: &'h History,
    structure: &'h Structure,
    weights: Weights,
    /// The weight of each commit.
    commit_weights: Vec<f64>,
    /// The commits of each file.
    commits_of: Vec<Vec<u32>>,
    /// Those that touched too many files to say anything.
    swept_by: Vec<Vec<u32>>,
    /// The weight of the commits of each file.
    changed: Vec<f64>,
    /// The weight of all commits.
    total: f64,
    busiest: Vec<FileId>,
}

/// What sessions showed of two files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UsedTogether {
    /// The other file.
    pub file: FileId,
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
    swept: u32,
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
        Evidence { weight: 0.0, both: 0, swept: 0, sessions, doubts: [1.0; 4], importers: 0 }
    }
}

impl Evidence {
    /// Takes in a reason for belief.
    fn believe(&mut self, which: usize, likely: f64) {
        self.doubts[which] *= 1.0 - likely.min(1.0);
    }

    /// What was believed before any commit.
    fn prior(&self) -> f64 {
        1.0 - self.doubts.iter().product::<f64>()
    }

    /// How much of the belief a reason gives, as a share.
    fn share(&self, which: usize) -> f64 {
        let sure = |doubt: &f64| -doubt.max(f64::MIN_POSITIVE).ln();
        let all: f64 = self.doubts.iter().map(sure).sum();
        sure(&self.doubts[which]) / all.max(f64::MIN_POSITIVE)
    }
}

impl<'h> Estimator<'h> {
    /// Makes a history ready to be asked.
    #[must_use]
    pub fn new(history: &'h History, structure: &'h Structure, weights: Weights) -> Estimator<'h> {
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
        let mut swept_by = commits_of.clone();
        let mut changed = vec![0.0; history.names.len()];
        for (at, past) in history.commits.iter().enumerate() {
            for file in &past.files {
                commits_of[*file as usize].push(at as u32);
                changed[*file as usize] += commit_weights[at];
            }
            for file in &past.swept {
                swept_by[*file as usize].push(at as u32);
            }
        }
        let mut busiest: Vec<FileId> = history.names.living().map(|(file, _)| file).collect();
        busiest
            .sort_by(|a, b| changed[*b as usize].total_cmp(&changed[*a as usize]).then(a.cmp(b)));
        busiest.truncate(BUSIEST);
        let total = commit_weights.iter().sum();
        Estimator {
            history,
            structure,
            weights,
            commit_weights,
            commits_of,
            swept_by,
            changed,
            total,
            busiest,
        }
    }

    /// The files most likely to change with one, the likeliest first; none that nothing speaks for.
    #[must_use]
    pub fn partners(&self, file: FileId, used: &[UsedTogether], limit: usize) -> Vec<Partner> {
        let mut direct = self.direct(file);
        for UsedTogether { file: other, both, share } in used {
            let both = f64::from(*both);
            let either = both / share.clamp(f64::MIN_POSITIVE, 1.0);
            direct.entry(*other).or_default().sessions = (both, either);
        }
        self.count_swept(file, &mut direct);
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
    fn direct(&self, file: FileId) -> HashMap<FileId, Evidence> {
        let mut found: HashMap<FileId, Evidence> = HashMap::new();
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
            evidence.believe(IMPORT, self.weights.import / f64::from(*importers).sqrt());
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
            let share = self.changed[*other as usize] / total;
            evidence.believe(BUSY, self.weights.base * share);
        }
        found
    }

    fn by_name(&self, file: FileId, path: &str, found: &mut HashMap<FileId, Evidence>) {
        let namesakes = self.structure.namesakes(path);
        for other in namesakes.iter().filter(|other| **other != file) {
            let others = (namesakes.len() - 1) as f64;
            found.entry(*other).or_default().believe(STEM, self.weights.stem / others.sqrt());
        }
        let neighbours = self.structure.neighbours(path);
        if neighbours.len() <= CROWDED {
            for other in neighbours.iter().filter(|other| **other != file) {
                let others = (neighbours.len() - 1) as f64;
                let likely = self.weights.directory / others.sqrt();
                found.entry(*other).or_default().believe(DIRECTORY, likely);
            }
        }
    }

    /// Counts the commits that weigh nothing: they happened, too.
    fn count_swept(&self, file: FileId, found: &mut HashMap<FileId, Evidence>) {
        for commit in self.swept_by.get(file as usize).into_iter().flatten() {
            for other in &self.history.commits[*commit as usize].swept {
                if let Some(evidence) = found.get_mut(other) {
                    evidence.swept += 1;
                }
            }
        }
    }

    /// What counts and belief are divided by.
    fn weighed(&self, file: FileId, evidence: &Evidence) -> f64 {
        let changed = self.changed.get(file as usize).copied().unwrap_or(0.0);
        let either = self.weights.session * evidence.sessions.1;
        (changed + either + self.weights.prior_strength).max(f64::MIN_POSITIVE)
    }

    /// Counts and belief: as if the belief had been seen in a few commits.
    fn blend(&self, file: FileId, evidence: &Evidence) -> f64 {
        let seen = evidence.weight + self.weights.session * evidence.sessions.0;
        let believed = self.weights.prior_strength * evidence.prior();
        (seen + believed) / self.weighed(file, evidence)
    }

    /// A file with all that speaks for it, and what a third file adds.
    fn partner(
        &self,
        file: FileId,
        other: FileId,
        evidence: &Evidence,
        through: Option<&(f64, FileId)>,
    ) -> Partner {
        let direct = self.blend(file, evidence);
        let added = through.map_or(0.0, |(likely, _)| self.weights.transitive * likely);
        let probability = 1.0 - (1.0 - direct) * (1.0 - added);
        let mut reasons = self.reasons(file, other, evidence);
        if let Some((_, step)) = through {
            reasons.push((probability - direct, Reason::Through(*step)));
        }
        // What gives as much as another stays behind it.
        reasons.sort_by(|a, b| b.0.total_cmp(&a.0));
        let most = reasons.first().map_or(0.0, |(gives, _)| *gives);
        let least = (WORTH_TELLING * probability).min(most);
        let reasons = reasons.into_iter().filter(|(gives, _)| *gives >= least && *gives > 0.0);
        let reasons = reasons.map(|(_, reason)| reason).collect();
        Partner { file: other, probability, reasons, together: evidence.both }
    }

    /// What speaks for a file, with how much of the probability it gives.
    fn reasons(&self, file: FileId, other: FileId, evidence: &Evidence) -> Vec<(f64, Reason)> {
        let counted =
            |lists: &[Vec<u32>], file: FileId| lists.get(file as usize).map_or(0, Vec::len);
        let commits =
            |file| (counted(&self.commits_of, file) + counted(&self.swept_by, file)) as u32;
        let weighed = self.weighed(file, evidence);
        let both = evidence.both + evidence.swept;
        let (used, session) = (evidence.sessions.0, self.weights.session);
        let believed = |which| {
            self.weights.prior_strength * evidence.prior() * evidence.share(which) / weighed
        };
        vec![
            (evidence.weight / weighed, Reason::Together { both, of: commits(file) }),
            (session * used / weighed, Reason::Sessions { both: used as u32 }),
            (believed(IMPORT), Reason::Import { importers: evidence.importers }),
            (believed(STEM), Reason::Stem),
            (believed(DIRECTORY), Reason::Directory),
            (believed(BUSY), Reason::Busy { commits: commits(other) }),
        ]
    }

    /// What is likely because of a third file, and which.
    fn through(
        &self,
        file: FileId,
        direct: &HashMap<FileId, Evidence>,
    ) -> HashMap<FileId, (f64, FileId)> {
        let mut best: HashMap<FileId, (f64, FileId)> = HashMap::new();
        if self.weights.transitive <= 0.0 {
            return best;
        }
        let seen = direct.iter().filter(|(_, evidence)| evidence.both > 0);
        let mut steps: Vec<(FileId, f64)> =
            seen.map(|(other, evidence)| (*other, self.blend(file, evidence))).collect();
        steps.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        steps.truncate(STEPS);
        for (step, first) in steps {
            for (other, evidence) in self.direct(step) {
                if other == file || evidence.both == 0 {
                    continue;
                }
                let likely = first * self.blend(step, &evidence);
                let known = best.entry(other).or_insert((0.0, step));
                if likely > known.0 {
                    *known = (likely, step);
                }
            }
        }
        best
    }
}
