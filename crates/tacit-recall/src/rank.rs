//! The order in which memories answer.

use std::cmp::Ordering;

use tacit_core::{Memory, MemoryId, Review, Timestamp, Tokens, UniversalPhase};

use crate::floor::{Strictness, likelihood};
use crate::fuse::{Fused, MatchSignals, fuse};
use crate::phase::PhaseWeights;
use crate::query::Query;
use crate::words::{FieldTokens, LexicalScore};

/// How far everything but relevance together can move a memory, as a share of the distance between
/// the best candidate and the worst: enough to order near-equals, too little to bury an answer.
const MOST_INFLUENCE: f64 = 0.03;
/// Days after which recency has fallen to a third.
const RECENCY_DAYS: f64 = 30.0;
/// What a memory about things that are gone keeps of its score.
const STALE: f64 = 0.5;
/// Two answers with this share of words in common are shown as one.
const FOLD: f64 = 0.8;
/// Where texts get longer than this, a vector of a piece tells less of the whole.
const SHORT_TEXT: f64 = 200.0;
/// The bonus of a memory from the time a question speaks of.
const TIME_BONUS: f64 = 0.5;

/// What rank is made of.
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

/// How to rank.
#[derive(Debug, Clone, PartialEq)]
pub struct RankSettings {
    /// What rank is made of.
    pub profile: RankProfile,
    /// The phase of work, if one is known.
    pub phase: Option<UniversalPhase>,
    /// How much types matter in a phase.
    pub weights: PhaseWeights,
    /// How sure we must be that a memory is about the question.
    pub strictness: Strictness,
    /// The present moment.
    pub now: Timestamp,
    /// The time the question speaks of.
    pub window: Option<(Timestamp, Timestamp)>,
    /// How many answers at most.
    pub limit: usize,
    /// How many tokens all answers together may take; none for as many as there are.
    pub token_budget: Option<usize>,
    /// What has been shown already and is not to be shown again.
    pub seen: Vec<MemoryId>,
}

impl RankSettings {
    /// Why a memory may not be shown, however well it matches.
    fn forbids(&self, memory: &Memory) -> Option<RemovalReason> {
        if self.seen.contains(&memory.id) {
            return Some(RemovalReason::Seen);
        }
        if !self.strictness.is_uninvited() {
            return None;
        }
        if memory.body.trust.stale_at.is_some() {
            return Some(RemovalReason::Stale);
        }
        (!is_proven(memory)).then_some(RemovalReason::Unproven)
    }
}

/// Returns whether a memory has proved true: a person confirmed it, or it was learnt in more than
/// one session that was observed. What an agent or a file merely told is not proved by being told
/// again, and nothing is by being looked at.
pub fn is_proven(memory: &Memory) -> bool {
    memory.body.trust.review == Review::Verified
        || (!memory.is_only_told() && memory.observations > 1)
}

/// A memory that may answer.
#[derive(Debug, Clone)]
pub struct RecallCandidate {
    /// The memory.
    pub memory: Memory,
    /// Its place in the order in which things were learnt.
    pub key: u64,
    /// Its tokens.
    pub tokens: FieldTokens,
    /// How well its words match.
    pub lexical: LexicalScore,
    /// The cosine of its nearest piece.
    pub cosine: Option<f64>,
    /// The same, without what all texts of the model share.
    pub centred: Option<f64>,
    /// How it is linked to the files at hand.
    pub files: FileLink,
}

/// How a memory is linked to the files at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FileLink {
    /// Not at all.
    #[default]
    None,
    /// It is about a symbol in one of them that is at hand.
    Symbol,
    /// It is about one of them.
    AtHand,
    /// It is about a file that is used together with one of them.
    Linked,
}

impl FileLink {
    /// What the link is worth, in standard deviations.
    fn bonus(self) -> f64 {
        match self {
            FileLink::None => 0.0,
            FileLink::Symbol => 1.5,
            FileLink::AtHand => 1.0,
            FileLink::Linked => 0.5,
        }
    }

    /// What is about a file at hand is about the question, whatever its words.
    fn least_likelihood(self, strictness: Strictness) -> f64 {
        match (self, strictness) {
            (FileLink::None, _)
            | (FileLink::Linked, Strictness::Proactive | Strictness::Occasion) => 0.0,
            (FileLink::Symbol | FileLink::AtHand, _) => strictness.floor().max(0.5),
            (FileLink::Linked, _) => 0.3,
        }
    }
}

/// An answer and what put it where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Which candidate.
    pub candidate: usize,
    /// Its final score; larger is better.
    pub score: f64,
    /// How likely it is about the question.
    pub likelihood: f64,
    /// What words, meaning and context gave.
    pub fused: Fused,
    /// What recency, use, phase, confidence, decay and staleness gave or took.
    pub influence: f64,
    /// Near-twins that are shown as part of this answer.
    pub folded: Vec<usize>,
}

/// Why a candidate is not among the answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RemovalReason {
    /// The agent has seen it already.
    Seen,
    /// It is about things that are gone, and nobody asked for it.
    Stale,
    /// Nobody has confirmed it and it was learnt only once, and nobody asked for it.
    Unproven,
    /// It is unlikely to be about the question.
    Unlikely(f64),
    /// It says nearly the same as an answer that is shown.
    FoldedInto(usize),
    /// There are enough answers.
    BeyondLimit,
    /// It did not fit into the budget of tokens.
    BeyondBudget,
}

/// A candidate that was left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Removed {
    /// Which candidate.
    pub candidate: usize,
    /// Why.
    pub why: RemovalReason,
}

/// Answers in order, and what was left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// The answers, best first.
    pub answers: Vec<Ranked>,
    /// What was left out.
    pub removed: Vec<Removed>,
}

/// Ranks candidates. The same candidates in any order give the same ranking.
pub fn rank(query: &Query, candidates: &[RecallCandidate], settings: &RankSettings) -> Ranking {
    let mut scored = score(query, candidates, settings);
    scored.sort_by(|a, b| by_score_then_id(candidates, a, b));
    let sets: Vec<WordSet> =
        candidates.iter().map(|candidate| WordSet::of(&candidate.tokens.text)).collect();
    let mut ranking = Ranking::default();
    let mut tokens_left = settings.token_budget.unwrap_or(usize::MAX);
    for answer in scored {
        let at = answer.candidate;
        let mut remove = |why| ranking.removed.push(Removed { candidate: at, why });
        if let Some(why) = settings.forbids(&candidates[at].memory) {
            remove(why);
            continue;
        }
        if answer.likelihood < settings.strictness.floor() {
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
        let cost = tokens_of(&candidates[at].memory);
        if cost > tokens_left {
            remove(RemovalReason::BeyondBudget);
            continue;
        }
        tokens_left -= cost;
        ranking.answers.push(answer);
    }
    ranking
}

/// The distinct words of a text, as numbers in order, so that many pairs can be compared.
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

    /// The share of words two texts have in common.
    fn overlap(&self, other: &WordSet) -> f64 {
        let (small, large) =
            if self.0.len() <= other.0.len() { (self, other) } else { (other, self) };
        // No more than the smaller can be common.
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
    candidates
        .iter()
        .zip(fused)
        .enumerate()
        .map(|(at, (candidate, fused))| {
            let likelihood = likelihood(
                query,
                settings.strictness,
                candidate.lexical.coverage,
                candidate.cosine,
                candidate.centred,
            )
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
    let in_window =
        settings.window.is_some_and(|(from, to)| (from..to).contains(&candidate.memory.created_at));
    MatchSignals {
        words: candidate.lexical.score,
        meaning: candidate.cosine,
        bonus: candidate.files.bonus() + if in_window { TIME_BONUS } else { 0.0 },
        key: candidate.key,
        session: candidate.memory.body.subject.placement().session().map(ToString::to_string),
    }
}

/// What the question leans on, less meaning where the texts are long.
fn meaning_share(query: &Query, candidates: &[RecallCandidate]) -> f64 {
    let lengths = candidates.iter().map(|candidate| candidate.tokens.text.iter().len() as f64);
    let average = lengths.sum::<f64>() / candidates.len().max(1) as f64;
    let long = ((average - SHORT_TEXT) / (3.0 * SHORT_TEXT)).clamp(0.0, 1.0);
    let share = query.meaning_share();
    if query.terms().len() > 40 { share } else { share - 0.2 * long }
}

/// How much a memory is worth knowing when nothing is asked: by its phase, its age, its use and how
/// far it can be trusted.
pub fn standing(
    memory: &Memory,
    phase: Option<UniversalPhase>,
    weights: &PhaseWeights,
    most_used: u64,
    now: Timestamp,
) -> f64 {
    let lively = 0.25 * recency(memory, now) + 0.15 * frequency(memory, most_used);
    (0.6 + lively) * factor(memory, phase, weights, now)
}

/// From 1 for what was just used down towards 0.
fn recency(memory: &Memory, now: Timestamp) -> f64 {
    let last = memory.usage.last_accessed_at.max(memory.created_at);
    (-now.days_since(last).max(0.0) / RECENCY_DAYS).exp()
}

/// From 0 for what was never used to 1 for what was used most.
fn frequency(memory: &Memory, most: u64) -> f64 {
    if most == 0 {
        return 0.0;
    }
    (1.0 + memory.usage.access_count as f64).ln() / (1.0 + most as f64).ln()
}

/// Phase, confidence, decay and staleness, multiplied.
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

/// Everything but relevance, from -1 to 1.
fn influence(recency: f64, frequency: f64, factor: f64) -> f64 {
    let lively = (0.25 * recency + 0.15 * frequency) / 0.4;
    (0.5 * (lively * 2.0 - 1.0) + 0.5 * (factor.min(1.5) / 0.75 - 1.0)).clamp(-1.0, 1.0)
}

/// About how many tokens a memory takes in front of an agent.
fn tokens_of(memory: &Memory) -> usize {
    let title = memory.body.title.as_ref().map_or(0, |title| title.as_str().len());
    (title + memory.body.content.as_str().len()).div_ceil(4) + 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_core::{Clock, Confidence, Draft, IdSource, tokenize};
    use tacit_testkit::time::{FixedIds, ManualClock};

    fn candidates(texts: &[(&str, f64, Option<f64>)]) -> Vec<RecallCandidate> {
        let (clock, ids) = (ManualClock::default(), FixedIds::default());
        texts
            .iter()
            .enumerate()
            .map(|(at, (text, words, cosine))| {
                let draft = Draft { content: (*text).into(), ..Draft::default() };
                let body = draft.check(Confidence::HIGH).unwrap();
                let memory = Memory::begin(ids.next_id(clock.now()), body, clock.now());
                RecallCandidate {
                    tokens: FieldTokens {
                        title: tokenize(""),
                        text: tokenize(text),
                        labels: tokenize(""),
                    },
                    memory,
                    key: at as u64 * 10,
                    lexical: LexicalScore { score: *words, coverage: 0.5 },
                    cosine: *cosine,
                    centred: *cosine,
                    files: FileLink::None,
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
    fn the_fresher_of_two_equals_comes_first_and_no_answer_is_buried() {
        let query = Query::read("pool");
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
    fn the_seed_formula_is_literal() {
        let query = Query::read("pool");
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
        // A module insight weighs 1.3 when exploring.
        let expected = (0.6 * 0.8 + 0.25 * (-1.0_f64).exp() + 0.15 * 1.0) * 1.3 * 0.5;
        assert!((score - expected).abs() < 1e-9, "{score} {expected}");
    }

    #[test]
    fn twins_fold_limits_hold_and_everything_is_accounted_for() {
        let query = Query::read("pool");
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
    fn the_order_of_candidates_does_not_matter() {
        let query = Query::read("pool");
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
    fn time_and_floor() {
        let query = Query::read("what broke yesterday");
        let mut two = candidates(&[("alpha", 3.0, Some(0.5)), ("omega", 3.0, Some(0.5))]);
        two[1].memory.created_at = settings().now.plus_days(-1.0);
        let window = Some((settings().now.plus_days(-2.0), settings().now.plus_days(-0.5)));
        assert_eq!(order(&rank(&query, &two, &RankSettings { window, ..settings() }))[0], 1);
        let strict = RankSettings { strictness: Strictness::Proactive, ..settings() };
        two[0].lexical.coverage = 0.0;
        two[0].centred = Some(0.0);
        let ranking = rank(&query, &two, &strict);
        assert!(
            ranking
                .removed
                .iter()
                .any(|r| matches!(r.why, RemovalReason::Unlikely(_)) && r.candidate == 0)
        );
    }
}
