//! The read gate: what is known about a question.
//!
//! `candidates (words, meaning) → fuse → influence → floor → fold → budget`. Fetching is here;
//! ranking is pure and lives in `tacit-recall`.

use tacit_core::{MemoryId, RepoPath, Timestamp, UniversalPhase};
use tacit_models::TextKind;
use tacit_recall::{
    Candidate, Profile, Query, RankSettings, Ranked, Ranking, Removal, Strictness, rank,
    time_window,
};
use tacit_store::{Filter, ListOrder, ListQuery, Store, StoreResult};

use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::lookup::Found;
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
    /// How many tokens all answers together may take.
    pub token_budget: Option<usize>,
    /// By what candidates are found.
    pub channels: Channels,
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
            token_budget: None,
            channels: Channels::Both,
        }
    }
}

impl Recall {
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
    /// What kept the search from being complete, in words.
    pub notes: Vec<String>,
}

impl Engine<'_> {
    /// The memories that answer a question, best first, from every open shelf.
    pub fn recall(&self, recall: &Recall) -> EngineResult<Answers> {
        let query = Query::read(&recall.query);
        if recall.query.trim().is_empty() {
            return self.newest(recall);
        }
        let mut answers = Answers::default();
        let asked = match recall.channels {
            Channels::Words => None,
            Channels::Both | Channels::Meaning => {
                self.ask_meaning(&query, recall.strictness, &mut answers.notes)?
            }
        };
        let mut candidates = Vec::new();
        let mut shelves = Vec::new();
        for (shelf, store) in self.shelves() {
            let Some(filter) = recall.filter_of(store)? else { continue };
            let recall = Recall { filter, ..recall.clone() };
            let found = self.candidates(shelf, store, &recall, &query, asked.as_deref())?;
            shelves.extend(found.iter().map(|_| shelf));
            candidates.extend(found);
        }
        let settings = RankSettings {
            profile: recall.profile,
            phase: recall.phase,
            strictness: recall.strictness,
            now: self.clock.now(),
            window: time_window(&recall.query, self.clock.now()),
            limit: recall.limit,
            token_budget: recall.token_budget,
        };
        let ranking = rank(&query, &candidates, &settings);
        answers.take(ranking, &candidates, &shelves);
        Ok(answers)
    }

    fn newest(&self, recall: &Recall) -> EngineResult<Answers> {
        let mut listed = Vec::new();
        for (shelf, store) in self.shelves() {
            if let Some(filter) = recall.filter_of(store)? {
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
        let shown = listed
            .into_iter()
            .take(recall.limit)
            .map(|found| Recalled { found, score: 0.0, why: None, folded: Vec::new() })
            .collect();
        Ok(Answers { shown, ..Answers::default() })
    }

    /// The vector of the question, if anything has been embedded that it can be compared with.
    fn ask_meaning(
        &self,
        query: &Query,
        strictness: Strictness,
        notes: &mut Vec<String>,
    ) -> EngineResult<Option<Vec<f32>>> {
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
        if !comparable {
            return Ok(None);
        }
        match embedder.embed(&[&query.focus(strictness)], TextKind::Query, None) {
            Ok(vectors) => Ok(vectors.into_iter().next()),
            Err(error) => {
                notes.push(format!("searched by words alone: {error}"));
                Ok(None)
            }
        }
    }

    /// A list of memories from every open shelf, or from one.
    pub fn list(
        &self,
        only: Option<Shelf>,
        filter: &Filter,
        order: ListOrder,
        limit: usize,
        offset: usize,
    ) -> EngineResult<Vec<Found>> {
        let mut listed: Vec<Found> = Vec::new();
        for (shelf, store) in self.shelves().filter(|(shelf, _)| only.is_none_or(|o| o == *shelf)) {
            let query = ListQuery {
                filter: filter.clone(),
                order,
                limit: limit.saturating_add(offset),
                offset: 0,
            };
            let memories = store.list(&query)?;
            listed.extend(memories.into_iter().map(|memory| Found { shelf, memory }));
        }
        sort(&mut listed, order);
        Ok(listed.into_iter().skip(offset).take(limit).collect())
    }

    /// Counts one more showing of each memory, if that can be done without waiting.
    pub fn count_shown(&mut self, shown: &[Recalled]) {
        let now = self.clock.now();
        for shelf in [Shelf::Project, Shelf::Global] {
            let ids: Vec<MemoryId> = shown
                .iter()
                .filter(|recalled| recalled.found.shelf == shelf)
                .map(|recalled| recalled.found.memory.id)
                .collect();
            if !ids.is_empty()
                && let Ok(store) = self.store_mut(shelf)
            {
                // A missing count harms nobody; a failed recall would.
                let _ = store.touch(&ids, now);
            }
        }
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

/// The order of a list that comes from two stores, each already in that order.
fn sort(listed: &mut [Found], order: ListOrder) {
    listed.sort_by(|a, b| {
        let (a, b) = (&a.memory, &b.memory);
        match order {
            ListOrder::Newest => (b.created_at, b.id).cmp(&(a.created_at, a.id)),
            ListOrder::Oldest => (a.created_at, a.id).cmp(&(b.created_at, b.id)),
            ListOrder::Changed => (b.updated_at, b.id).cmp(&(a.updated_at, a.id)),
            ListOrder::Used => {
                let key =
                    |m: &tacit_core::Memory| (m.usage.last_accessed_at, m.usage.access_count, m.id);
                key(b).cmp(&key(a))
            }
            ListOrder::Confidence => b
                .said
                .confidence
                .value()
                .total_cmp(&a.said.confidence.value())
                .then(b.id.cmp(&a.id)),
        }
    });
}
