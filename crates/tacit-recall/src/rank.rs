//! Ranking of candidates.

mod adjustment;
mod folding;
mod meaning_share;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use tacit_core::{
    Memory, MemoryId, Silence, Source, Timestamp, UniversalPhase, Usefulness, tokenize,
};

use crate::estimator::{CLEAR, Meaning, PromptTraits, Strictness, likelihood, named_likelihood};
use crate::fuse::{Fused, MatchSignals, fuse};
use crate::phase::PhaseWeights;
use crate::query::Query;
use crate::time_words::SOON_AFTER_DAYS;
use crate::words::{FieldTokens, LexicalScore};
pub use adjustment::baseline_score;
use adjustment::{factor, frequency, influence, recency};
use folding::WordSet;
use meaning_share::meaning_share;

/// The greatest influence of everything but relevance, as a share of the distance between the best
/// and the worst candidate: enough to order near-equals, too little to bury a result.
const MOST_INFLUENCE: f64 = 0.03;
/// The bonus of a memory from the time that the query names, in standard deviations.
const TIME_BONUS: f64 = 1.5;
/// The bonus of a memory from the days after that time, in which people still tell of it.
const SOON_AFTER_BONUS: f64 = 0.75;

/// The composition of the score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RankProfile {
    /// Relevance, with age, use, phase and trust ordering near-equals.
    #[default]
    Balanced,
    /// Relevance alone.
    Relevance,
    /// `(0.6 × cosine + 0.25 × recency + 0.15 × frequency) × phase × confidence × decay`, to the
    /// letter.
    Seed,
}

/// The settings of a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankSettings {
    /// The composition of the score.
    pub profile: RankProfile,
    /// The current phase, if known.
    pub phase: Option<UniversalPhase>,
    /// The weights of types by phase.
    pub weights: PhaseWeights,
    /// The required certainty that a result is relevant.
    pub strictness: Strictness,
    /// The number of results that are shown even if they are unlikely.
    pub at_least: usize,
    /// The `telling` trait of the query (see [`PromptTraits`]).
    pub telling: f64,
    /// The current time.
    pub now: Timestamp,
    /// The time that the query names.
    pub window: Option<(Timestamp, Timestamp)>,
    /// The most results.
    pub limit: usize,
    /// The most tokens of all results together; `None` for no limit.
    pub token_budget: Option<usize>,
    /// Memories that were shown already and must not be repeated.
    pub seen: Vec<MemoryId>,
    /// The uses of memories by agents that were shown them, as far as they are known.
    pub uses: BTreeMap<MemoryId, Usefulness>,
}

impl RankSettings {
    /// Returns the bonus of a memory from this time.
    fn time_bonus(&self, created: Timestamp) -> f64 {
        let Some((from, to)) = self.window else { return 0.0 };
        if (from..to).contains(&created) {
            TIME_BONUS
        } else if (to..to.plus_days(SOON_AFTER_DAYS)).contains(&created) {
            SOON_AFTER_BONUS
        } else {
            0.0
        }
    }

    /// Returns the reason why a memory may not be shown, regardless of its score.
    fn removal_reason(&self, memory: &Memory) -> Option<RemovalReason> {
        if self.seen.contains(&memory.id) {
            return Some(RemovalReason::Seen);
        }
        if !self.strictness.is_proactive() {
            return None;
        }
        if memory.body.trust.stale_at.is_some() {
            return Some(RemovalReason::Stale);
        }
        if !is_proven(memory) {
            return Some(RemovalReason::Unproven);
        }
        let silence = self.uses_of(memory).silence(memory)?;
        let is_silent = silence == Silence::Everywhere || self.strictness == Strictness::Proactive;
        is_silent.then_some(RemovalReason::Unused)
    }

    fn uses_of(&self, memory: &Memory) -> Usefulness {
        self.uses.get(&memory.id).copied().unwrap_or_default()
    }
}

/// Returns true if a memory is proven: a person confirmed it, the team committed it, or it was
/// observed in more than one session. Repeated claims of agents or files prove nothing, and neither
/// does being shown. The note of a commit is history, and never worth an interruption.
pub fn is_proven(memory: &Memory) -> bool {
    memory.body.trust.review.is_confirmed()
        || (!memory.is_unconfirmed_claim() && !is_note_of_commit(memory) && memory.observations > 1)
}

/// Returns true for the note of a commit, which says less than what was learnt.
fn is_note_of_commit(memory: &Memory) -> bool {
    memory.body.origin.source == Source::CommitAuto
}

/// A memory that may be a result.
#[derive(Debug, Clone)]
pub struct RecallCandidate {
    /// The memory to rank.
    pub memory: Memory,
    /// The position in the order of creation.
    pub key: u64,
    /// The tokens of its fields.
    pub tokens: FieldTokens,
    /// The match of its words.
    pub lexical: LexicalScore,
    /// The cosine of its nearest piece or cue.
    pub cosine: Option<f64>,
    /// The similarity of its text and of its cues.
    pub meaning: Meaning,
    /// The link to the files in the request.
    pub files: FileLink,
    /// True if it was not found itself but stands beside a match, in its session or by its files.
    pub companion: bool,
}

/// The link of a memory to the files in the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileLink {
    /// The memory is not linked.
    #[default]
    None,
    /// The memory is about a symbol in the request.
    Symbol,
    /// The memory is about a file in the request.
    Direct,
    /// The memory is about a file that is used together with one in the request.
    Indirect,
}

impl FileLink {
    /// Returns the bonus of the link, in standard deviations.
    fn bonus(self) -> f64 {
        match self {
            FileLink::None => 0.0,
            FileLink::Symbol => 1.5,
            FileLink::Direct => 1.0,
            FileLink::Indirect => 0.5,
        }
    }

    /// Returns the least likelihood: a memory about a requested file is relevant regardless of its
    /// words.
    fn least_likelihood(self, strictness: Strictness) -> f64 {
        match (self, strictness) {
            (FileLink::None, _)
            | (FileLink::Indirect, Strictness::Proactive | Strictness::Event) => 0.0,
            (FileLink::Symbol | FileLink::Direct, _) => strictness.floor().max(0.5),
            (FileLink::Indirect, _) => 0.3,
        }
    }
}

/// A result and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// The index of the candidate.
    pub candidate: usize,
    /// The final score; larger is better.
    pub score: f64,
    /// The likelihood that it is relevant.
    pub likelihood: f64,
    /// The contributions of words, meaning and context.
    pub fused: Fused,
    /// The contribution of recency, use, phase, confidence, decay and staleness.
    pub influence: f64,
    /// Near-duplicates that are shown as part of this result.
    pub folded: Vec<usize>,
}

/// The reason why a candidate is not a result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RemovalReason {
    /// The agent has seen it already.
    Seen,
    /// The memory is stale, and the search is proactive.
    Stale,
    /// The memory is unproven, and the search is proactive.
    Unproven,
    /// The memory was shown often and never used, and the search is proactive.
    Unused,
    /// The memory is probably irrelevant; its likelihood is given.
    Unlikely(f64),
    /// Another memory supersedes it; its id is given.
    SupersededBy(MemoryId),
    /// The memory nearly duplicates this result.
    FoldedInto(usize),
    /// The results are complete without it.
    BeyondLimit,
    /// The memory exceeds the token budget.
    BeyondBudget,
}

/// A removed candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removed {
    /// The index of the candidate.
    pub candidate: usize,
    /// The reason for its removal.
    pub why: RemovalReason,
}

/// Results in order, and the removed candidates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// The results, best first.
    pub answers: Vec<Ranked>,
    /// The removed candidates.
    pub removed: Vec<Removed>,
    /// True if at least one result clearly matches.
    pub is_clear: bool,
}

/// Ranks candidates. The result does not depend on their order.
pub fn rank(query: &Query, candidates: &[RecallCandidate], settings: &RankSettings) -> Ranking {
    let mut scored = score(query, candidates, settings);
    scored.sort_by(|a, b| {
        // Only a few memories are shown without a request, so the likeliest come first.
        let likelier = match settings.strictness {
            Strictness::Proactive => b.likelihood.total_cmp(&a.likelihood),
            _ => Ordering::Equal,
        };
        let is_in_the_way = |ranked: &Ranked| {
            let memory = &candidates[ranked.candidate].memory;
            is_unnamed_card(query, memory) || is_note_of_commit(memory)
        };
        (is_in_the_way(a).cmp(&is_in_the_way(b)))
            .then(likelier)
            .then_with(|| by_score_then_id(candidates, a, b))
    });
    let sets: Vec<WordSet> =
        candidates.iter().map(|candidate| WordSet::of(&candidate.tokens.text)).collect();
    let mut ranking = Ranking::default();
    let mut tokens_left = settings.token_budget.unwrap_or(usize::MAX);
    for answer in scored {
        let at = answer.candidate;
        let mut remove = |why| ranking.removed.push(Removed { candidate: at, why });
        if let Some(why) = settings.removal_reason(&candidates[at].memory) {
            remove(why);
            continue;
        }
        let is_wanted = ranking.answers.len() < settings.at_least;
        if answer.likelihood < settings.strictness.floor() && !is_wanted {
            remove(RemovalReason::Unlikely(answer.likelihood));
            continue;
        }
        let twin =
            (ranking.answers.iter_mut()).find(|shown| sets[shown.candidate].is_nearly(&sets[at]));
        if let Some(twin) = twin {
            let into = twin.candidate;
            twin.folded.push(at);
            remove(RemovalReason::FoldedInto(into));
            continue;
        }
        if ranking.answers.len() >= settings.limit {
            remove(RemovalReason::BeyondLimit);
            continue;
        }
        let cost = injection_tokens(&candidates[at].memory);
        if cost > tokens_left {
            remove(RemovalReason::BeyondBudget);
            continue;
        }
        tokens_left -= cost;
        ranking.is_clear |= answer.likelihood >= CLEAR;
        ranking.answers.push(answer);
    }
    ranking
}

/// Returns true for a generated description of a module that the query does not name. Such cards
/// have a little of everything, and would stand in front of memories that answer the query.
fn is_unnamed_card(query: &Query, memory: &Memory) -> bool {
    let is_asked = |token: &str| query.terms().iter().any(|term| term.token == token);
    memory.is_module_card()
        && !memory.body.modules.iter().any(|module| {
            let name = module.as_str().rsplit('/').next().unwrap_or_default();
            let tokens = tokenize(name);
            !tokens.is_empty() && tokens.iter().all(is_asked)
        })
}

fn by_score_then_id(candidates: &[RecallCandidate], a: &Ranked, b: &Ranked) -> Ordering {
    let id = |ranked: &Ranked| candidates[ranked.candidate].memory.id;
    b.score.total_cmp(&a.score).then_with(|| id(a).cmp(&id(b)))
}

fn score(query: &Query, candidates: &[RecallCandidate], settings: &RankSettings) -> Vec<Ranked> {
    let signals: Vec<MatchSignals> =
        candidates.iter().map(|candidate| signals(candidate, settings)).collect();
    let fused = fuse(&signals, meaning_share(query, candidates));
    let best = fused.iter().map(|f| f.score).fold(0.0, f64::max).max(1e-9);
    let most_used = candidates.iter().map(|c| c.memory.usage.access_count).max().unwrap_or(0);
    let excess = candidates.iter().filter_map(|candidate| candidate.meaning.excess());
    let traits = PromptTraits::of(settings.telling, excess);
    candidates
        .iter()
        .zip(fused)
        .enumerate()
        .map(|(at, (candidate, fused))| {
            let likelihood = likelihood(
                query,
                settings.strictness,
                traits,
                candidate.lexical.coverage,
                candidate.meaning,
            )
            .max(named_likelihood(traits, candidate.lexical.names))
            .max(candidate.files.least_likelihood(settings.strictness));
            let recency = recency(&candidate.memory, settings.now);
            let frequency = frequency(&candidate.memory, most_used);
            let factor = factor(&candidate.memory, settings.phase, &settings.weights, settings.now);
            let (score, influence) = match settings.profile {
                RankProfile::Relevance => (fused.score / best, 0.0),
                RankProfile::Balanced => {
                    let influence = MOST_INFLUENCE
                        * influence(
                            recency,
                            frequency,
                            factor,
                            &settings.uses_of(&candidate.memory),
                        );
                    (fused.score / best + influence, influence)
                }
                RankProfile::Seed => {
                    let cosine = candidate.cosine.unwrap_or(0.0);
                    let seed = 0.6 * cosine + 0.25 * recency + 0.15 * frequency;
                    (seed * factor, seed * factor - 0.6 * cosine)
                }
            };
            Ranked { candidate: at, score, likelihood, fused, influence, folded: Vec::new() }
        })
        .collect()
}

fn signals(candidate: &RecallCandidate, settings: &RankSettings) -> MatchSignals {
    let body = &candidate.memory.body;
    MatchSignals {
        words: candidate.lexical.score,
        meaning: candidate.cosine,
        bonus: candidate.files.bonus() + settings.time_bonus(candidate.memory.created_at),
        key: candidate.key,
        session: body.subject.placement().session().map(ToString::to_string),
        companion: candidate.companion,
        asks: asks(body.content.as_str()),
        files: files_of(candidate),
    }
}

/// Returns true if a text has a question mark at the end of a word.
fn asks(text: &str) -> bool {
    let mut marks = text.match_indices('?');
    marks.any(|(at, _)| text[at + 1..].chars().next().is_none_or(char::is_whitespace))
}

/// Returns the files that a memory is about or names, each once. The prefixes of the two sides of a
/// diff are ignored.
fn files_of(candidate: &RecallCandidate) -> Vec<String> {
    let named = candidate.tokens.text.iter().filter(|token| names_file(token));
    let about = candidate.memory.body.files.iter().map(|file| file.as_str().to_lowercase());
    let mut files: Vec<String> = named
        .map(|path| path.strip_prefix("a/").or(path.strip_prefix("b/")).unwrap_or(path).to_owned())
        .chain(about)
        .collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// Returns true for tokens such as `src/pool.rs`, but not for addresses.
fn names_file(token: &str) -> bool {
    token.rsplit_once('/').is_some_and(|(directory, name)| {
        !directory.contains("//")
            && name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && !end.is_empty())
    })
}

/// Returns the approximate number of tokens that a memory takes in an injection.
fn injection_tokens(memory: &Memory) -> usize {
    let title = memory.body.title.as_ref().map_or(0, |title| title.as_str().len());
    (title + memory.body.content.as_str().len()).div_ceil(4) + 12
}

#[cfg(test)]
mod tests;
