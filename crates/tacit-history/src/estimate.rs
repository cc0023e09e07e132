//! How likely a file is to change when another does.
//!
//! Commits that touched the file are evidence, weighed by size and age. The structure of the
//! project is what was believed before any of them, worth a few commits. What changes with a file
//! that changes with this one is likely too, a little.

use std::collections::HashMap;

use crate::history::History;
use crate::names::FileId;
use crate::structure::Structure;
use crate::weigh::Weights;

/// A file that is likely to change with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Partner {
    /// Which.
    pub file: FileId,
    /// How likely, from 0 to 1.
    pub probability: f64,
    /// Why, the strongest reason first.
    pub reasons: Vec<Reason>,
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
#[derive(Debug, Clone, Copy, Default)]
struct Evidence {
    weight: f64,
    both: u32,
    /// Sessions that used both, and that used either.
    sessions: (f64, f64),
    /// What was believed before, as the probability that none of the reasons holds.
    unlikely: f64,
    import: Option<u32>,
    stem: bool,
    directory: bool,
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
        let mut changed = vec![0.0; history.names.len()];
        for (at, past) in history.commits.iter().enumerate() {
            for file in &past.files {
                commits_of[*file as usize].push(at as u32);
                changed[*file as usize] += commit_weights[at];
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
            changed,
            total,
            busiest,
        }
    }

    /// The files most likely to change with one, the likeliest first.
    #[must_use]
    pub fn partners(&self, file: FileId, used: &[UsedTogether], limit: usize) -> Vec<Partner> {
        let mut direct = self.direct(file);
        for UsedTogether { file: other, both, share } in used {
            let fresh = Evidence { unlikely: 1.0, ..Evidence::default() };
            let both = f64::from(*both);
            let either = both / share.clamp(f64::MIN_POSITIVE, 1.0);
            direct.entry(*other).or_insert(fresh).sessions = (both, either);
        }
        let mut partners: HashMap<FileId, Partner> = HashMap::with_capacity(direct.len());
        for (other, evidence) in &direct {
            let probability = self.blend(file, evidence);
            let reasons = self.reasons(file, *other, evidence);
            partners.insert(*other, Partner { file: *other, probability, reasons });
        }
        self.through(file, &mut partners);
        let mut partners: Vec<Partner> = partners
            .into_values()
            .filter(|partner| self.history.names.path(partner.file).is_some())
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
        let fresh = Evidence { unlikely: 1.0, ..Evidence::default() };
        for commit in self.commits_of.get(file as usize).into_iter().flatten() {
            let weight = self.commit_weights[*commit as usize];
            for other in &self.history.commits[*commit as usize].files {
                if *other != file {
                    let evidence = found.entry(*other).or_insert(fresh);
                    evidence.weight += weight;
                    evidence.both += 1;
                }
            }
        }
        for (other, importers) in self.structure.imports(file) {
            let evidence = found.entry(*other).or_insert(fresh);
            evidence.import = Some(*importers);
            evidence.unlikely *= 1.0 - self.weights.import / f64::from(*importers).sqrt();
        }
        if let Some(path) = self.history.names.path(file) {
            self.by_name(file, path, &mut found);
        }
        for other in self.busiest.iter().filter(|other| **other != file) {
            found.entry(*other).or_insert(fresh);
        }
        for (other, evidence) in &mut found {
            let share = self.changed[*other as usize] / self.total.max(f64::MIN_POSITIVE);
            evidence.unlikely *= 1.0 - (self.weights.base * share).min(1.0);
        }
        found
    }

    fn by_name(&self, file: FileId, path: &str, found: &mut HashMap<FileId, Evidence>) {
        let fresh = Evidence { unlikely: 1.0, ..Evidence::default() };
        let namesakes = self.structure.namesakes(path);
        for other in namesakes.iter().filter(|other| **other != file) {
            let evidence = found.entry(*other).or_insert(fresh);
            evidence.stem = true;
            let others = (namesakes.len() - 1) as f64;
            evidence.unlikely *= 1.0 - self.weights.stem / others.sqrt();
        }
        let neighbours = self.structure.neighbours(path);
        if neighbours.len() <= CROWDED {
            for other in neighbours.iter().filter(|other| **other != file) {
                let evidence = found.entry(*other).or_insert(fresh);
                evidence.directory = true;
                let others = (neighbours.len() - 1) as f64;
                evidence.unlikely *= 1.0 - self.weights.directory / others.sqrt();
            }
        }
    }

    /// Counts and belief: as if the belief had been seen in a few commits.
    fn blend(&self, file: FileId, evidence: &Evidence) -> f64 {
        let strength = self.weights.prior_strength;
        let prior = 1.0 - evidence.unlikely;
        let changed = self.changed.get(file as usize).copied().unwrap_or(0.0);
        let (both, either) = evidence.sessions;
        let session = self.weights.session;
        let seen = evidence.weight + session * both;
        (seen + strength * prior) / (changed + session * either + strength).max(f64::MIN_POSITIVE)
    }

    fn reasons(&self, file: FileId, other: FileId, evidence: &Evidence) -> Vec<Reason> {
        let commits = |file: FileId| self.commits_of.get(file as usize).map_or(0, Vec::len) as u32;
        let of = commits(file);
        let together = (evidence.both > 0).then_some(Reason::Together { both: evidence.both, of });
        let sessions = (evidence.sessions.0 > 0.0)
            .then_some(Reason::Sessions { both: evidence.sessions.0 as u32 });
        let import = evidence.import.map(|importers| Reason::Import { importers });
        let stem = evidence.stem.then_some(Reason::Stem);
        let directory = evidence.directory.then_some(Reason::Directory);
        let reasons: Vec<Reason> =
            [together, sessions, import, stem, directory].into_iter().flatten().collect();
        if reasons.is_empty() { vec![Reason::Busy { commits: commits(other) }] } else { reasons }
    }

    /// Adds what is likely because of a third file.
    fn through(&self, file: FileId, partners: &mut HashMap<FileId, Partner>) {
        if self.weights.transitive <= 0.0 {
            return;
        }
        let mut steps: Vec<(FileId, f64)> = partners
            .values()
            .filter(|partner| matches!(partner.reasons.first(), Some(Reason::Together { .. })))
            .map(|partner| (partner.file, partner.probability))
            .collect();
        steps.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        steps.truncate(STEPS);
        let mut best: HashMap<FileId, (f64, FileId)> = HashMap::new();
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
        for (other, (likely, step)) in best {
            let partner = partners.entry(other).or_insert(Partner {
                file: other,
                probability: 0.0,
                reasons: Vec::new(),
            });
            let added = self.weights.transitive * likely;
            partner.probability = 1.0 - (1.0 - partner.probability) * (1.0 - added);
            if partner.reasons.is_empty() {
                partner.reasons.push(Reason::Through(step));
            }
        }
    }
}
