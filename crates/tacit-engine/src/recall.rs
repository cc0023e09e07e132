//! The read gate: what is known about a question.
//!
//! `candidates (words, meaning) → fuse → influence → floor → fold → budget`. Fetching is here;
//! ranking is pure and lives in `tacit-recall`.

use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use tacit_core::{MemoryId, RepoPath, SymbolRef, Timestamp, UniversalPhase};
use tacit_models::bundled::{DIMENSIONS, MODEL_ID, QUERY_CENTRE};
use tacit_models::{Embedder, Reach, TextKind};
use tacit_recall::{
    Candidate, Profile, Query, RankSettings, Ranked, Ranking, Removal, Strictness, rank,
    time_window,
};
use tacit_store::{Filter, ListOrder, Store, StoreResult};

use crate::candidates::{Searched, wanted};
use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::hyde::Supposed;
use crate::lookup::{Found, sort};
use crate::semantic::vector_model;

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// In words; without any, the newest that pass the filter.
    pub query: String,
    /// Which memories may answer.
    pub filter: Filter,
    /// From which time they may be.
    pub period: Period,
    /// How many at most.
    pub limit: usize,
    /// How sure we must be that an answer is about the question.
    pub strictness: Strictness,
    /// What rank is made of.
    pub profile: Profile,
    /// The phase of work.
    pub phase: Option<UniversalPhase>,
    /// Files at hand.
    pub files: Vec<RepoPath>,
    /// Symbols at hand.
    pub symbols: Vec<SymbolRef>,
    /// How many tokens all answers together may take.
    pub token_budget: Option<usize>,
    /// By what candidates are found.
    pub channels: Channels,
    /// What has been shown already and is not to be shown again.
    pub seen: Vec<MemoryId>,
    /// How long to wait for a server that embeds the question; none for as long as it takes.
    pub patience: Option<Duration>,
}

impl Recall {
    /// A question that somebody asked, of everything there is.
    pub fn explicit(query: impl Into<String>, filter: Filter, limit: usize) -> Recall {
        Recall {
            query: query.into(),
            filter,
            period: Period::Any,
            limit,
            strictness: Strictness::Explicit,
            profile: Profile::Balanced,
            phase: None,
            files: Vec::new(),
            symbols: Vec::new(),
            token_budget: None,
            channels: Channels::Both,
            seen: Vec::new(),
            patience: None,
        }
    }

    /// A question that nobody asked: only what is clearly about it and has proved true.
    pub fn uninvited(query: impl Into<String>, limit: usize) -> Recall {
        let strictness = Strictness::Proactive;
        Recall { strictness, ..Recall::explicit(query, Filter::default(), limit) }
    }

    /// What of the question is embedded; none if it is searched by words alone, or has none.
    pub fn embedded(&self) -> Option<String> {
        let query = Query::read(&self.query);
        (self.channels != Channels::Words && !self.query.trim().is_empty())
            .then(|| query.focus(self.strictness))
    }

    /// The filter with the period in it; none if nothing on a shelf can pass.
    fn filter_of(&self, store: &dyn Store) -> StoreResult<Option<Filter>> {
        let mut filter = self.filter.clone();
        match self.period {
            Period::Any => {}
            Period::RecentSessions(count) => {
                let recent = store.recent_sessions(count)?;
                filter.sessions = if filter.sessions.is_empty() {
                    recent
                } else {
                    recent.into_iter().filter(|s| filter.sessions.contains(s)).collect()
                };
                if filter.sessions.is_empty() {
                    return Ok(None);
                }
            }
            Period::Window(since, until) => filter.narrow(since, until),
            Period::Around(event, days) => {
                // A moment later, so that the event itself is in the middle.
                let until = event.plus_days(days).plus_days(1e-7);
                filter.narrow(Some(event.plus_days(-days)), Some(until));
            }
        }
        Ok(Some(filter))
    }
}

/// From which time memories may be.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Period {
    /// From any time.
    #[default]
    Any,
    /// From the last sessions in which something was learnt.
    RecentSessions(usize),
    /// From a time: since then, and until before then.
    Window(Option<Timestamp>, Option<Timestamp>),
    /// From this many days before and after an event.
    Around(Timestamp, f64),
}

/// By what candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Channels {
    /// By words and by meaning.
    #[default]
    Both,
    /// By words alone.
    Words,
    /// By meaning alone.
    Meaning,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The memory and where it is.
    pub found: Found,
    /// Its place in the order; larger is better.
    pub score: f64,
    /// What put it there; none where there was nothing to rank by.
    pub why: Option<Why>,
    /// Near-twins that are part of this answer.
    pub folded: Vec<MemoryId>,
}

/// Every contribution to an answer's place.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "each is what it says")]
pub struct Why {
    pub words: f64,
    pub meaning: f64,
    pub bonus: f64,
    pub context: f64,
    pub influence: f64,
    pub likelihood: f64,
    pub bm25: f64,
    pub coverage: f64,
    pub cosine: Option<f64>,
}

/// Something that was not shown, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Omitted {
    /// The memory and where it is.
    pub found: Found,
    /// Why.
    pub why: Removal,
}

/// What is known about a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// The answers, best first.
    pub shown: Vec<Recalled>,
    /// What was considered and not shown.
    pub omitted: Vec<Omitted>,
    /// Number of results beyond the limit.
    pub more: usize,
    /// What kept the search from being complete, in words.
    pub notes: Vec<String>,
    /// The supposed answer that was searched by as well, if the question alone found little.
    pub supposed: Option<Supposed>,
}

/// A vector to search by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Probe {
    pub(crate) vector: Vec<f32>,
    /// What all vectors of its kind share, where that is known of the model.
    pub(crate) centre: Option<Vec<f32>>,
    /// How many of the memories near it are wanted.
    pub(crate) wanted: usize,
    /// What its cosines have too much, compared with those of a question.
    pub(crate) excess: f64,
}

/// A shelf, and what it gives for the words of a question.
#[derive(Clone)]
struct OnShelf<'s> {
    shelf: Shelf,
    store: &'s dyn Store,
    recall: Recall,
    words: Searched,
}

impl Engine<'_> {
    /// The memories that answer a question, best first, from every open shelf.
    pub fn recall(&self, recall: &Recall) -> EngineResult<Answers> {
        let query = Query::read(&recall.query);
        if recall.query.trim().is_empty() {
            return self.newest(recall);
        }
        let mut answers = Answers::default();
        let (searched, mut asked) = self.search(recall, &query, &mut answers.notes)?;
        // What was read is used up by ranking it, and needed again only where an answer may be
        // supposed.
        let again = self.generator.is_some().then(|| searched.clone());
        let (mut candidates, mut shelves) = self.all_candidates(searched, &asked)?;
        let settings = RankSettings {
            profile: recall.profile,
            phase: recall.phase,
            weights: self.weights(recall.phase),
            strictness: recall.strictness,
            now: self.clock.now(),
            window: time_window(&recall.query, self.clock.now()),
            limit: recall.limit,
            token_budget: recall.token_budget,
            seen: recall.seen.clone(),
        };
        let mut ranking = rank(&query, &candidates, &settings);
        if let Some(question) = asked.first()
            && let Some(searched) = again
            && self.should_suppose(recall, &query, &candidates)
        {
            match self.suppose(recall, &query, question) {
                Err(why) => answers.notes.push(format!("no supposed answer to search by: {why}")),
                Ok((mut supposed, probe)) => {
                    let before = shown_ids(&ranking, &candidates);
                    asked.push(probe);
                    (candidates, shelves) = self.all_candidates(searched, &asked)?;
                    ranking = rank(&query, &candidates, &settings);
                    supposed.found = shown_ids(&ranking, &candidates);
                    supposed.found.retain(|id| !before.contains(id));
                    answers.supposed = Some(supposed);
                }
            }
        }
        answers.take(ranking, &candidates, &shelves);
        Ok(answers)
    }

    /// Looks for the words of a question on every open shelf while the question is embedded.
    fn search<'s>(
        &'s self,
        recall: &Recall,
        query: &Query,
        notes: &mut Vec<String>,
    ) -> EngineResult<(Vec<OnShelf<'s>>, Vec<Probe>)> {
        let embedder = match recall.channels {
            Channels::Words => None,
            Channels::Both | Channels::Meaning => self.comparable(notes)?,
        };
        let calibrated = embedder.as_ref().is_some_and(|embedder| {
            embedder.model().name() == MODEL_ID && embedder.model().dims() == DIMENSIONS
        });
        let model = embedder.as_ref().map(|embedder| vector_model(embedder.as_ref()));
        let (focus, patience) = (query.focus(recall.strictness), recall.patience);
        let alone =
            embedder.as_ref().is_some_and(|embedder| self.embeds_alone(&**embedder, &focus));
        let embed =
            embedder.map(|embedder| move || embedder.embed(&[&focus], TextKind::Query, patience));
        std::thread::scope(|scope| {
            let (mut later, mut beside) = (None, None);
            match embed {
                Some(embed) if alone => later = Some(embed),
                Some(embed) => beside = Some(scope.spawn(embed)),
                None => {}
            }
            let mut searched = Vec::new();
            for (shelf, store) in self.shelves() {
                if let Some(filter) = recall.filter_of(store)? {
                    let recall = Recall { filter, ..recall.clone() };
                    let words = Searched::by_words(store, &recall, query, model.as_ref())?;
                    searched.push(OnShelf { shelf, store, recall, words });
                }
            }
            let embedded = match beside.map(ScopedJoinHandle::join) {
                None => later.map(|embed| embed()),
                Some(Ok(embedded)) => Some(embedded),
                Some(Err(panic)) => std::panic::resume_unwind(panic),
            };
            let vector = match embedded {
                None => None,
                Some(Ok(vectors)) => vectors.into_iter().next(),
                Some(Err(error)) => {
                    notes.push(format!("searched by words alone: {error}"));
                    None
                }
            };
            let probe = vector.map(|vector| Probe {
                vector,
                centre: calibrated.then(|| QUERY_CENTRE.to_vec()),
                wanted: wanted(recall.limit),
                excess: 0.0,
            });
            Ok((searched, probe.into_iter().collect()))
        })
    }

    /// Whether a thread of its own would not be worth what it costs: the question is being embedded
    /// already, or this is a process that stays and has all it needs in memory.
    fn embeds_alone(&self, embedder: &dyn Embedder, question: &str) -> bool {
        let warm = embedder.reach() == Reach::Bundled && !self.mapped.borrow().is_empty();
        warm || embedder.has_begun(question, TextKind::Query)
    }

    /// The candidates of every open shelf, and the shelf of each.
    fn all_candidates(
        &self,
        searched: Vec<OnShelf<'_>>,
        asked: &[Probe],
    ) -> EngineResult<(Vec<Candidate>, Vec<Shelf>)> {
        let mut candidates = Vec::new();
        let mut shelves = Vec::new();
        for OnShelf { shelf, store, recall, words } in searched {
            let found = self.candidates(shelf, store, &recall, words, asked)?;
            shelves.extend(found.iter().map(|_| shelf));
            candidates.extend(found);
        }
        Ok((candidates, shelves))
    }

    fn newest(&self, recall: &Recall) -> EngineResult<Answers> {
        let (mut listed, mut total) = (Vec::new(), 0);
        for (shelf, store) in self.shelves() {
            if let Some(filter) = recall.filter_of(store)? {
                total += store.count(&filter)?;
                listed.extend(self.list(
                    Some(shelf),
                    &filter,
                    ListOrder::Newest,
                    recall.limit,
                    0,
                )?);
            }
        }
        sort(&mut listed, ListOrder::Newest);
        let shown: Vec<Recalled> = listed
            .into_iter()
            .take(recall.limit)
            .map(|found| Recalled { found, score: 0.0, why: None, folded: Vec::new() })
            .collect();
        let more = total.saturating_sub(shown.len());
        Ok(Answers { shown, more, ..Answers::default() })
    }

    /// Who embeds the question, if there is anything to compare its vector with.
    fn comparable(&self, notes: &mut Vec<String>) -> EngineResult<Option<Arc<dyn Embedder>>> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let model = vector_model(embedder.as_ref());
        let mut comparable = false;
        for (_, store) in self.shelves() {
            for state in store.models()?.iter().filter(|state| state.active) {
                comparable |= state.model == model && state.generation > 0;
                if state.model != model {
                    notes.push(format!(
                        "vectors are of {}, not of {}; `tacit maintain` embeds everything again",
                        state.model.name, model.name
                    ));
                }
            }
        }
        Ok(comparable.then(|| embedder.clone()))
    }
}

impl Answers {
    /// Turns a ranking of candidates into answers.
    fn take(&mut self, ranking: Ranking, candidates: &[Candidate], shelves: &[Shelf]) {
        let found = |at: usize| Found { shelf: shelves[at], memory: candidates[at].memory.clone() };
        self.shown = ranking
            .answers
            .into_iter()
            .map(|ranked| Recalled {
                found: found(ranked.candidate),
                score: ranked.score,
                why: Some(why(&candidates[ranked.candidate], &ranked)),
                folded: ranked.folded.iter().map(|at| candidates[*at].memory.id).collect(),
            })
            .collect();
        let removed = ranking.removed.iter();
        self.more = removed.filter(|removed| removed.why == Removal::BeyondLimit).count();
        self.omitted = ranking
            .removed
            .into_iter()
            .map(|removed| Omitted { found: found(removed.candidate), why: removed.why })
            .collect();
    }
}

fn why(candidate: &Candidate, ranked: &Ranked) -> Why {
    Why {
        words: ranked.fused.words,
        meaning: ranked.fused.meaning,
        bonus: ranked.fused.bonus,
        context: ranked.fused.context,
        influence: ranked.influence,
        likelihood: ranked.likelihood,
        bm25: candidate.lexical.score,
        coverage: candidate.lexical.coverage,
        cosine: candidate.cosine,
    }
}

/// The memories that are shown.
fn shown_ids(ranking: &Ranking, candidates: &[Candidate]) -> Vec<MemoryId> {
    ranking.answers.iter().map(|answer| candidates[answer.candidate].memory.id).collect()
}
