//! Estimates how likely a candidate is relevant, and the floor it must reach.
//!
//! A search always has a nearest match. Two fitted logistic curves decide if it is worth showing:
//! one for queries that somebody asked, and a strict one for prompts, where the agent is shown
//! memories that nobody asked for. `docs/recall.md` describes how they were fitted and what they
//! achieve.

use crate::query::Query;

/// The required certainty that a candidate is relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// A prompt, without a query: only clearly relevant memories.
    Proactive,
    /// An event for which memories are kept, such as a command that failed before: memories that
    /// are more likely relevant than not.
    Event,
    /// A query by a person or agent: memories that may be relevant.
    Explicit,
    /// All memories, in order.
    Everything,
}

impl Strictness {
    /// Returns true for searches that no user requested; they may only show proven memories.
    pub fn is_proactive(self) -> bool {
        matches!(self, Strictness::Proactive | Strictness::Event)
    }

    /// Returns the least likelihood of a result.
    pub fn floor(self) -> f64 {
        match self {
            Strictness::Proactive => 0.54,
            Strictness::Event => 0.5,
            Strictness::Explicit => 0.1,
            Strictness::Everything => 0.0,
        }
    }
}

/// The likelihood from which on a result clearly matches an explicit query.
pub const CLEAR: f64 = 0.5;

/// The share of a prompt's information from which on its words alone name a memory.
const NAMED: f64 = 0.9;
/// The least weight of names in common that counts for a query that is not in English: a compound
/// such as an identifier or a path, or two words in capitals or numbers.
const LEAST_NAMES: usize = 2;
/// The likelihood of a neighbour found by a model without a fitted curve: just enough to be shown
/// for an explicit query.
const UNCALIBRATED: f64 = 0.25;

/// The share of a memory's cosine with ordinary prompts that is subtracted from its cosine with a
/// particular one.
const ORDINARY_SHARE: f64 = 0.4;

/// The number of words below which a prompt is brief, and the logit that each missing one costs:
/// the vector of a few words is near to many short texts.
const BRIEF: (usize, f64) = (6, 0.5);

/// The best candidates that say nothing about a prompt's background: they may be the answer.
const FOREGROUND: usize = 3;
/// The number of candidates after those that make up the background.
const BACKGROUND: usize = 13;
/// The usual background, and the number of candidates it counts for in a small store.
const USUAL_BACKGROUND: (f64, f64) = (0.35, 4.0);

/// The similarity of a query to one text of a memory, by the bundled model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Similarity {
    /// The cosine.
    pub cosine: f64,
    /// The cosine of the memory with ordinary prompts; `None` for models without a fitted curve.
    pub ordinary: Option<f64>,
}

impl Similarity {
    /// Returns by how much the query is closer to the memory than ordinary prompts are.
    pub fn excess(self) -> Option<f64> {
        self.ordinary.map(|ordinary| self.cosine - ORDINARY_SHARE * ordinary)
    }
}

/// The similarity of a query to a memory.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Meaning {
    /// The similarity to the nearest piece of its text.
    pub text: Option<Similarity>,
    /// The similarity to the nearest of its cues.
    pub cue: Option<Similarity>,
}

impl Meaning {
    /// Returns the greater cosine of text and cues.
    pub fn cosine(self) -> Option<f64> {
        self.text.into_iter().chain(self.cue).map(|one| one.cosine).reduce(f64::max)
    }

    /// Returns the greater excess of text and cues.
    pub fn excess(self) -> Option<f64> {
        self.text.into_iter().chain(self.cue).filter_map(Similarity::excess).reduce(f64::max)
    }

    /// Returns the lesser excess, if the memory has cues.
    fn lesser_excess(self) -> Option<f64> {
        Some(self.text?.excess()?.min(self.cue?.excess()?))
    }
}

/// The traits of a prompt that concern all its candidates.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PromptTraits {
    /// The likeness of the prompt to a symptom or a risky change (positive) or to routine work
    /// and general questions (negative); about -0.2 to 0.3.
    pub telling: f64,
    /// The excess of memories that are probably not the answer.
    pub background: f64,
}

impl PromptTraits {
    /// Returns the traits of a prompt, given the excess of each candidate.
    pub fn of(telling: f64, excess: impl IntoIterator<Item = f64>) -> PromptTraits {
        let mut excess: Vec<f64> = excess.into_iter().collect();
        excess.sort_by(|a, b| b.total_cmp(a));
        let others = excess.iter().skip(FOREGROUND).take(BACKGROUND);
        let (usual, weight) = USUAL_BACKGROUND;
        let count = others.len() as f64;
        let background = (others.sum::<f64>() + usual * weight) / (count + weight);
        PromptTraits { telling, background }
    }
}

/// Returns the likelihood that a candidate is relevant, from 0 to 1. `coverage` is the share of the
/// query's information that its words have.
pub fn likelihood(
    query: &Query,
    strictness: Strictness,
    traits: PromptTraits,
    coverage: f64,
    meaning: Meaning,
) -> f64 {
    // The same share is worth more in a long query than in a short one.
    let matched = (coverage * query.terms().len().min(40) as f64).min(6.0);
    let by_words = logistic(-3.0 + 5.0 * coverage + 0.4 * matched);
    let Some(excess) = meaning.excess() else {
        // A model without a fitted curve. Somebody who asked can judge the result themselves.
        let is_near = meaning.cosine().is_some() && strictness != Strictness::Proactive;
        return if is_near { by_words.max(UNCALIBRATED) } else { by_words };
    };
    if strictness == Strictness::Proactive {
        let (enough, cost) = BRIEF;
        let brevity = cost * enough.saturating_sub(query.terms().len()) as f64;
        let by_meaning = logistic(unasked(excess, meaning.lesser_excess(), traits) - brevity);
        // A prompt that is little more than a name, such as that of a change, is about what has it.
        return if coverage >= NAMED { by_meaning.max(by_words) } else { by_meaning };
    }
    // Words suffice: somebody who searches for an error code means that error code.
    by_words.max(logistic(-5.6 + 12.7 * excess + 2.3 * coverage + 0.18 * matched))
}

/// Returns the likelihood that a memory is relevant to a query that is not in English, given the
/// weight of the names in common.
pub(crate) fn named_likelihood(traits: PromptTraits, names: usize) -> f64 {
    if names < LEAST_NAMES { 0.0 } else { logistic(1.0 + 7.6 * traits.telling) }
}

/// Returns the logit that a memory should be shown with a prompt.
///
/// A near memory counts for less if many others are as near, or if the prompt is routine. Text and
/// cues that agree count for more than either alone. Shared words are not a term: prompts that have
/// words in common with a memory but no use for it are as frequent as those that it helps.
fn unasked(excess: f64, lesser: Option<f64>, traits: PromptTraits) -> f64 {
    let agreement = lesser.map_or(0.0, |lesser| 0.08 + 8.5 * (lesser - 0.4));
    -11.22 + 34.5 * excess + agreement + 7.6 * traits.telling - 15.9 * traits.background
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(cosine: f64) -> Option<Similarity> {
        Some(Similarity { cosine, ordinary: Some(0.4) })
    }

    fn prompt(text: Option<Similarity>, cue: Option<Similarity>, traits: PromptTraits) -> f64 {
        let query = Query::parse("the worker pool leaks sockets after every fork");
        likelihood(&query, Strictness::Proactive, traits, 0.0, Meaning { text, cue })
    }

    const PLAIN: PromptTraits = PromptTraits { telling: 0.0, background: 0.33 };

    #[test]
    fn closer_memories_are_more_likely() {
        assert!(prompt(near(0.5), None, PLAIN) < 0.1);
        assert!(prompt(near(0.8), None, PLAIN) > 0.9);
        assert!(prompt(near(0.6), near(0.7), PLAIN) > prompt(near(0.5), near(0.7), PLAIN));
        let often_near = Some(Similarity { cosine: 0.65, ordinary: Some(0.5) });
        assert!(prompt(often_near, None, PLAIN) < prompt(near(0.65), None, PLAIN));
    }

    #[test]
    fn routine_prompts_and_crowded_backgrounds_need_a_nearer_memory() {
        let memory = near(0.66);
        let of = |telling, background| {
            prompt(memory, None, PromptTraits { telling, background })
                >= Strictness::Proactive.floor()
        };
        assert!(of(0.1, 0.33));
        assert!(!of(-0.2, 0.33));
        assert!(!of(0.1, 0.45));
    }

    #[test]
    fn brief_prompts_need_a_nearer_memory() {
        let of = |text: &str| {
            let meaning = Meaning { text: near(0.68), cue: None };
            likelihood(&Query::parse(text), Strictness::Proactive, PLAIN, 0.0, meaning)
        };
        assert!(of("go on") < of("why does the connection pool leak"));
        let enough = of("the worker pool leaks sockets after every fork");
        assert_eq!(
            enough,
            of("the worker pool leaks sockets after every fork of the first process")
        );
    }

    #[test]
    fn background_is_the_usual_one_in_a_small_store() {
        let of = |excess: &[f64]| PromptTraits::of(0.0, excess.iter().copied()).background;
        assert_eq!(of(&[0.9, 0.8, 0.7]), USUAL_BACKGROUND.0);
        assert!(of(&[0.9, 0.8, 0.7, 0.5, 0.5]) > USUAL_BACKGROUND.0);
        assert!(of(&[0.2; 40]) < 0.25);
    }

    #[test]
    fn names_carry_queries_in_other_languages_unless_they_are_routine() {
        let floor = Strictness::Proactive.floor();
        let of = |telling, names| named_likelihood(PromptTraits { telling, ..PLAIN }, names);
        assert!(of(0.0, 2) > floor);
        assert!(of(0.0, 1) < floor);
        assert!(of(-0.2, 2) < floor);
    }

    #[test]
    fn uncalibrated_models_only_answer_explicit_queries() {
        let query = Query::parse("why does the pool leak");
        let text = Some(Similarity { cosine: 0.4, ordinary: None });
        let of =
            |strictness| likelihood(&query, strictness, PLAIN, 0.0, Meaning { text, cue: None });
        assert!(of(Strictness::Explicit) > Strictness::Explicit.floor());
        assert!(of(Strictness::Proactive) < Strictness::Proactive.floor());
    }

    #[test]
    fn words_alone_can_reach_the_floor() {
        let query = Query::parse("why does the pool leak");
        let of = |coverage| {
            likelihood(&query, Strictness::Proactive, PLAIN, coverage, Meaning::default())
        };
        assert!(of(1.0) > Strictness::Proactive.floor());
        assert!(of(0.0) < Strictness::Explicit.floor());
    }
}
