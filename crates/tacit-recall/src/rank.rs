//! Ranking of candidates.

use std::cmp::Ordering;

use tacit_core::{
    BuiltinType, Memory, MemoryId, Source, Timestamp, Tokens, UniversalPhase, tokenize,
};

use crate::estimator::{CLEAR, Meaning, PromptTraits, Strictness, likelihood, named_likelihood};
use crate::fuse::{Fused, MatchSignals, fuse};
use crate::phase::PhaseWeights;
use crate::query::Query;
use crate::time_words::SOON_AFTER_DAYS;
use crate::words::{FieldTokens, LexicalScore};

/// The greatest influence of everything but relevance, as a share of the distance between the best
/// and the worst candidate: enough to order near-equals, too little to bury a result.
const MOST_INFLUENCE: f64 = 0.03;
/// The number of days in which recency falls to a third.
const RECENCY_DAYS: f64 = 30.0;
/// The factor of a stale memory's score.
const STALE: f64 = 0.5;
/// The share of common words from which on two results are folded into one.
const FOLD: f64 = 0.8;
/// The length of a text, in tokens, above which the vector of a piece says less about the whole.
const SHORT_TEXT: f64 = 200.0;
/// The share of brackets and other marks of code up to which texts are prose that names code.
const PROSE_MARKS: f64 = 0.03;
/// The share of marks from which on texts are code.
const CODE_MARKS: f64 = 0.05;
/// The BM25 score of the best candidate from which on words have their full weight. It is a sum of
/// information, in nats: below, the match is of one or two words that many memories have.
const TELLING_WORDS: f64 = 10.0;
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
        (!is_proven(memory)).then_some(RemovalReason::Unproven)
    }
}

/// Returns true if a memory is proven: a person confirmed it, the team committed it, or it was
/// observed in more than one session. Repeated claims of agents or files prove nothing, and neither
/// does being shown.
pub fn is_proven(memory: &Memory) -> bool {
    memory.body.trust.review.is_confirmed()
        || (!memory.is_unconfirmed_claim() && memory.observations > 1)
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
        let is_in_the_way =
            |ranked: &Ranked| is_unnamed_card(query, &candidates[ranked.candidate].memory);
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
        let twin = (ranking.answers.iter_mut())
            .find(|shown| sets[shown.candidate].overlap(&sets[at]) >= FOLD);
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
        let cost = texts_split_into_expected_tokens(&candidates[at].memory);
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
    let body = &memory.body;
    let is_card = memory.memory_type() == BuiltinType::ModuleInsight.into()
        && body.origin.source == Source::ObserverInferred
        && body.origin.generator.is_some();
    let is_asked = |token: &str| query.terms().iter().any(|term| term.token == token);
    is_card
        && !body.modules.iter().any(|module| {
            let name = module.as_str().rsplit('/').next().unwrap_or_default();
            let tokens = tokenize(name);
            !tokens.is_empty() && tokens.iter().all(is_asked)
        })
}

/// The distinct words of a text as sorted hashes, for fast comparison of many pairs.
struct WordSet(Vec<u64>);

impl WordSet {
    fn of(tokens: &Tokens) -> WordSet {
        let mut words: Vec<u64> = tokens
            .iter()
            .map(|token| {
                token.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                })
            })
            .collect();
        words.sort_unstable();
        words.dedup();
        WordSet(words)
    }

    /// Returns the share of words that two texts have in common.
    fn overlap(&self, other: &WordSet) -> f64 {
        let (small, large) =
            if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        // The common words are at most those of the smaller set.
        if (small.0.len() as f64) < FOLD * large.0.len() as f64 || large.0.is_empty() {
            return 0.0;
        }
        let mut rest = large.0.as_slice();
        let mut common = 0;
        for word in &small.0 {
            let at = rest.partition_point(|other| other < word);
            rest = &rest[at..];
            common += usize::from(rest.first() == Some(word));
        }
        common as f64 / (small.0.len() + large.0.len() - common) as f64
    }
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
                    let influence = MOST_INFLUENCE * influence(recency, frequency, factor);
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

/// Returns the weight of meaning for a query. Words get the rest in full only if some candidate
/// matches enough of them: the best of several chance matches stands out as far as a real one.
fn meaning_share(query: &Query, candidates: &[RecallCandidate]) -> f64 {
    let best = candidates.iter().map(|candidate| candidate.lexical.score).fold(0.0, f64::max);
    1.0 - (1.0 - usual_meaning_share(query, candidates)) * (best / TELLING_WORDS).min(1.0)
}

/// Returns the weight of meaning if words match well: less if the texts are long, because the
/// vector of a piece says little about the whole, and more if they are code, which shares few words
/// with a question and many by chance. A long query has enough words of its own.
fn usual_meaning_share(query: &Query, candidates: &[RecallCandidate]) -> f64 {
    let share = query.meaning_share();
    if query.is_long() {
        return share;
    }
    let mean = |of: fn(&RecallCandidate) -> f64| {
        candidates.iter().map(of).sum::<f64>() / candidates.len().max(1) as f64
    };
    let length = mean(|candidate| candidate.tokens.text.iter().len() as f64);
    let marks = mean(|candidate| code_marks(candidate.memory.body.content.as_str()));
    let long = ((length - SHORT_TEXT) / (3.0 * SHORT_TEXT)).clamp(0.0, 1.0);
    let code = ((marks - PROSE_MARKS) / (CODE_MARKS - PROSE_MARKS)).clamp(0.0, 1.0);
    share - 0.2 * long + 0.2 * code
}

/// Returns the share of a text's bytes that are brackets and other marks of code.
fn code_marks(text: &str) -> f64 {
    let marks = text.bytes().filter(|byte| b"(){}[]=<>;_".contains(byte)).count();
    marks as f64 / text.len().max(1) as f64
}

/// Scores a memory without a query: by phase, age, use and trust.
pub fn baseline_score(
    memory: &Memory,
    phase: Option<UniversalPhase>,
    weights: &PhaseWeights,
    most_used: u64,
    now: Timestamp,
) -> f64 {
    let lively = 0.25 * recency(memory, now) + 0.15 * frequency(memory, most_used);
    (0.6 + lively) * factor(memory, phase, weights, now)
}

/// Returns 1 for a memory that was just used, decaying towards 0.
fn recency(memory: &Memory, now: Timestamp) -> f64 {
    let last = memory.usage.last_accessed_at.max(memory.created_at);
    (-now.days_since(last).max(0.0) / RECENCY_DAYS).exp()
}

/// Returns 0 for a memory that was never used, up to 1 for the most used one.
fn frequency(memory: &Memory, most: u64) -> f64 {
    if most == 0 {
        return 0.0;
    }
    (1.0 + memory.usage.access_count as f64).ln() / (1.0 + most as f64).ln()
}

/// Returns the product of phase, confidence, decay and staleness.
fn factor(
    memory: &Memory,
    phase: Option<UniversalPhase>,
    weights: &PhaseWeights,
    now: Timestamp,
) -> f64 {
    let phase = phase.map_or(1.0, |phase| weights.weight(phase, &memory.memory_type()));
    let stale = if memory.body.trust.stale_at.is_some() { STALE } else { 1.0 };
    phase * memory.body.confidence.value() * memory.decay(now) * stale
}

/// Returns the combined influence of everything but relevance, from -1 to 1.
fn influence(recency: f64, frequency: f64, factor: f64) -> f64 {
    let lively = (0.25 * recency + 0.15 * frequency) / 0.4;
    (0.5 * (lively * 2.0 - 1.0) + 0.5 * (factor.min(1.5) / 0.75 - 1.0)).clamp(-1.0, 1.0)
}

/// Returns the approximate number of tokens that a memory takes in an injection.
fn texts_split_into_expected_tokens(memory: &Memory) -> usize {
    let title = memory.body.title.as_ref().map_or(0, |title| title.as_str().len());
    (title + memory.body.content.as_str().len()).div_ceil(4) + 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimator::Similarity;
    use tacit_core::{Clock, Confidence, Draft, IdSource, Review, tokenize};
    use tacit_testkit::time::{FixedIds, ManualClock};

    fn candidates(texts: &[(&str, f64, Option<f64>)]) -> Vec<RecallCandidate> {
        let (clock, ids) = (ManualClock::default(), FixedIds::default());
        texts
            .iter()
            .enumerate()
            .map(|(at, (text, words, cosine))| {
                let draft = Draft { content: (*text).into(), ..Draft::default() };
                let body = draft.check(Confidence::HIGH).unwrap();
                let memory = Memory::new(ids.next_id(clock.now()), body, clock.now());
                RecallCandidate {
                    tokens: FieldTokens {
                        title: tokenize(""),
                        text: tokenize(text),
                        labels: tokenize(""),
                        cues: tokenize(""),
                    },
                    memory,
                    key: at as u64 * 10,
                    lexical: LexicalScore {
                        score: *words,
                        coverage: 0.5,
                        ..LexicalScore::default()
                    },
                    cosine: *cosine,
                    meaning: Meaning {
                        text: cosine.map(|cosine| Similarity { cosine, ordinary: Some(0.4) }),
                        cue: None,
                    },
                    files: FileLink::None,
                    companion: false,
                }
            })
            .collect()
    }

    fn settings() -> RankSettings {
        RankSettings {
            profile: RankProfile::Balanced,
            phase: None,
            weights: PhaseWeights::default(),
            strictness: Strictness::Everything,
            at_least: 0,
            telling: 0.0,
            now: ManualClock::default().now(),
            window: None,
            limit: 10,
            token_budget: None,
            seen: Vec::new(),
        }
    }

    fn order(ranking: &Ranking) -> Vec<usize> {
        ranking.answers.iter().map(|answer| answer.candidate).collect()
    }

    #[test]
    fn recency_breaks_ties_but_never_buries_a_result() {
        let query = Query::parse("pool");
        let mut pair = candidates(&[
            ("alpha", 5.0, Some(0.7)),
            ("omega", 5.0, Some(0.7)),
            ("other", 0.0, Some(0.1)),
        ]);
        pair[0].memory.usage.last_accessed_at = settings().now.plus_days(-300.0);
        pair[0].memory.created_at = settings().now.plus_days(-300.0);
        assert_eq!(order(&rank(&query, &pair, &settings()))[0], 1);

        let mut better = candidates(&[
            ("alpha", 9.0, Some(0.9)),
            ("omega", 1.0, Some(0.3)),
            ("other", 0.0, Some(0.1)),
        ]);
        better[0].memory.created_at = settings().now.plus_days(-3000.0);
        better[0].memory.usage.last_accessed_at = better[0].memory.created_at;
        better[0].memory.body.confidence = Confidence::LOW;
        better[1].memory.usage.access_count = 1_000;
        assert_eq!(order(&rank(&query, &better, &settings()))[0], 0);
    }

    #[test]
    fn words_count_by_the_information_that_they_match() {
        let query = Query::parse("who may open the door");
        let first = |words| {
            let mut some = vec![("door", words, Some(0.55)), ("entry", 0.0, Some(0.6))];
            some.extend([("other", 0.0, Some(0.4)); 8]);
            order(&rank(&query, &candidates(&some), &settings()))[0]
        };
        assert_eq!(first(2.0), 1, "a match by chance");
        assert_eq!(first(12.0), 0);
    }

    #[test]
    fn the_seed_formula_is_literal() {
        let query = Query::parse("pool");
        let mut one = candidates(&[("alpha", 5.0, Some(0.8))]);
        one[0].memory.usage.last_accessed_at = settings().now.plus_days(-30.0);
        one[0].memory.created_at = settings().now.plus_days(-30.0);
        one[0].memory.usage.access_count = 3;
        one[0].memory.body.confidence = Confidence::new(0.5).unwrap();
        let seed = RankSettings {
            profile: RankProfile::Seed,
            phase: Some(UniversalPhase::Explore),
            ..settings()
        };
        let score = rank(&query, &one, &seed).answers[0].score;
        // The weight of a module insight in the explore phase is 1.3.
        let expected = (0.6 * 0.8 + 0.25 * (-1.0_f64).exp() + 0.15 * 1.0) * 1.3 * 0.5;
        assert!((score - expected).abs() < 1e-9, "{score} {expected}");
    }

    #[test]
    fn duplicates_fold_and_every_removal_has_a_reason() {
        let query = Query::parse("pool");
        let some = candidates(&[
            (
                "close the pool before every fork of the worker process or both share one socket",
                9.0,
                Some(0.9),
            ),
            (
                "close the pool before each fork of the worker process or both share one socket",
                8.0,
                Some(0.9),
            ),
            ("something else entirely", 5.0, Some(0.5)),
            ("and a third thing", 1.0, Some(0.2)),
        ]);
        let ranking = rank(&query, &some, &RankSettings { limit: 2, ..settings() });
        assert_eq!(order(&ranking), [0, 2]);
        assert_eq!(ranking.answers[0].folded, [1]);
        let why: Vec<_> = ranking.removed.iter().map(|r| (r.candidate, r.why)).collect();
        assert_eq!(why, [(1, RemovalReason::FoldedInto(0)), (3, RemovalReason::BeyondLimit)]);

        let tight = RankSettings { token_budget: Some(22), ..settings() };
        let ranking = rank(&query, &some, &tight);
        assert_eq!(order(&ranking), [2]);
    }

    #[test]
    fn candidate_order_does_not_matter() {
        let query = Query::parse("pool");
        let some = candidates(&[
            ("a1", 3.0, Some(0.3)),
            ("b2", 3.0, Some(0.3)),
            ("c3", 1.0, None),
            ("d4", 0.0, Some(0.9)),
        ]);
        let ids = |list: &[RecallCandidate]| -> Vec<_> {
            rank(&query, list, &settings())
                .answers
                .iter()
                .map(|a| list[a.candidate].memory.id)
                .collect()
        };
        let mut reversed = some.clone();
        reversed.reverse();
        assert_eq!(ids(&some), ids(&reversed));
    }

    #[test]
    fn time_window_adds_a_bonus_and_the_floor_removes() {
        let query = Query::parse("what broke yesterday");
        let mut two = candidates(&[("alpha", 3.0, Some(0.5)), ("omega", 3.0, Some(0.5))]);
        two[1].memory.created_at = settings().now.plus_days(-1.0);
        let window = Some((settings().now.plus_days(-2.0), settings().now.plus_days(-0.5)));
        assert_eq!(order(&rank(&query, &two, &RankSettings { window, ..settings() }))[0], 1);
        let strict = RankSettings { strictness: Strictness::Proactive, ..settings() };
        let unlikely = |ranking: &Ranking| {
            let removed = ranking.removed.iter();
            removed.filter(|removed| matches!(removed.why, RemovalReason::Unlikely(_))).count()
        };
        for one in &mut two {
            one.lexical.coverage = 0.0;
            one.memory.body.trust.review = Review::Verified;
        }
        assert_eq!(unlikely(&rank(&query, &two, &strict)), 2);
        let few = RankSettings { at_least: 1, ..strict };
        let ranking = rank(&query, &two, &few);
        assert_eq!((ranking.answers.len(), unlikely(&ranking)), (1, 1));
        assert!(!ranking.is_clear);
    }

    #[test]
    fn module_cards_stay_behind_unless_their_module_is_named() {
        let mut two = candidates(&[("card", 9.0, Some(0.8)), ("memory", 1.0, Some(0.4))]);
        let card = Draft {
            content: "card".into(),
            source: Some(Source::ObserverInferred.to_string()),
            generator: Some("rules".into()),
            related_modules: vec!["src/billing".into()],
            ..Draft::default()
        };
        two[0].memory.body = card.check(Confidence::HIGH).unwrap();
        for (text, expected) in [("why does it leak", [1, 0]), ("what is billing for", [0, 1])] {
            assert_eq!(order(&rank(&Query::parse(text), &two, &settings())), expected, "{text}");
        }
    }
}
