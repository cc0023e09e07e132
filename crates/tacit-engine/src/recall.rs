//! The read gate: what is known about a question.
//!
//! `candidates (words, meaning) → fuse → influence → floor → fold → budget`. Fetching is here;
//! ranking is pure and lives in `tacit-recall`.

use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use tacit_core::{MemoryId, RepoPath, SymbolRef, Timestamp, UniversalPhase};
use tacit_models::bundled::{DIMENSIONS, MODEL_ID, QUERY_CENTRE};
use tacit_models::{Embedder, EmbedderReach, TextKind};
use tacit_recall::{
    Query, RankProfile, RankSettings, Ranked, Ranking, RecallCandidate, RemovalReason, Strictness,
    rank, time_window,
};
use tacit_store::{Filter, ListOrder, Store, StoreResult};

use crate::candidates::{WordSearch, wanted};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::hyde::HypotheticalAnswer;
use crate::lookup::{StoredMemory, sort};
use crate::semantic::vector_model;

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRequest {
    /// In words; without any, the newest that pass the filter.
    pub query: String,
    /// Which memories may answer.
    pub filter: Filter,
    /// From which time they may be.
    pub period: RecallPeriod,
    /// How many at most.
    pub limit: usize,
    /// How sure we must be that an answer is about the question.
    pub strictness: Strictness,
    /// What rank is made of.
    pub profile: RankProfile,
    /// The phase of work.
    pub phase: Option<UniversalPhase>,
    /// Files at hand.
    pub files: Vec<RepoPath>,
    /// Symbols at hand.
    pub symbols: Vec<SymbolRef>,
    /// How many tokens all answers together may take.
    pub token_budget: Option<usize>,
    /// By what candidates are found.
    pub channels: SearchChannels,
    /// What has been shown already and is not to be shown again.
    pub seen: Vec<MemoryId>,
    /// How long to wait for a server that embeds the question; none for as long as it takes.
    pub patience: Option<Duration>,
}

impl RecallRequest {
    /// A question that somebody asked, of everything there is.
    pub fn explicit(query: impl Into<String>, filter: Filter, limit: usize) -> RecallRequest {
        RecallRequest {
            query: query.into(),
            filter,
            period: RecallPeriod::Any,
            limit,
            strictness: Strictness::Explicit,
            profile: RankProfile::Balanced,
            phase: None,
            files: Vec::new(),
            symbols: Vec::new(),
            token_budget: None,
            channels: SearchChannels::Both,
            seen: Vec::new(),
            patience: None,
        }
    }

    /// A question that nobody asked: only what is clearly about it and has proved true.
    pub fn uninvited(query: impl Into<String>, limit: usize) -> RecallRequest {
        let strictness = Strictness::Proactive;
        RecallRequest { strictness, ..RecallRequest::explicit(query, Filter::default(), limit) }
    }

    /// What of the question is embedded; none if it is searched by words alone, or has none.
    pub fn embedded(&self) -> Option<String> {
        let query = Query::read(&self.query);
        (self.channels != SearchChannels::Words && !self.query.trim().is_empty())
            .then(|| query.focus(self.strictness))
    }

    /// The filter with the period in it; none if nothing on a shelf can pass.
    fn filter_of(&self, store: &dyn Store) -> StoreResult<Option<Filter>> {
        let mut filter = self.filter.clone();
        match self.period {
            RecallPeriod::Any => {}
            RecallPeriod::RecentSessions(count) => {
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
            RecallPeriod::Window(since, until) => filter.narrow(since, until),
            RecallPeriod::Around(event, days) => {
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
pub enum RecallPeriod {
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
pub enum SearchChannels {
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
pub struct RecallResult {
    /// The memory and where it is.
    pub found: StoredMemory,
    /// Its place in the order; larger is better.
    pub score: f64,
    /// What put it there; none where there was nothing to rank by.
    pub why: Option<ScoreBreakdown>,
    /// Near-twins that are part of this answer.
    pub folded: Vec<MemoryId>,
}

/// Every contribution to an answer's place.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "each is what it says")]
pub struct ScoreBreakdown {
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
pub struct OmittedResult {
    /// The memory and where it is.
    pub found: StoredMemory,
    /// Why.
    pub why: RemovalReason,
}

/// What is known about a question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecallResults {
    /// The answers, best first.
    pub shown: Vec<RecallResult>,
    /// What was considered and not shown.
    pub omitted: Vec<OmittedResult>,
    /// What kept the search from being complete, in words.
    pub notes: Vec<String>,
    /// The supposed answer that was searched by as well, if the question alone found little.
    pub supposed: Option<HypotheticalAnswer>,
}

/// A vector to search by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchVector {
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
struct StoreSearch<'s> {
    shelf: StoreScope,
    store: &'s dyn Store,
    recall: RecallRequest,
    words: WordSearch,
}

impl Engine<'_> {
    /// The memories that answer a question, best first, from every open shelf.
    pub fn recall(&self, recall: &RecallRequest) -> EngineResult<RecallResults> {
        let query = Query::read(&recall.query);
        if recall.query.trim().is_empty() {
            return self.newest(recall);
        }
        let mut answers = RecallResults::default();
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
        recall: &RecallRequest,
        query: &Query,
        notes: &mut Vec<String>,
    ) -> EngineResult<(Vec<StoreSearch<'s>>, Vec<SearchVector>)> {
        let embedder = match recall.channels {
            SearchChannels::Words => None,
            SearchChannels::Both | SearchChannels::Meaning => self.comparable(notes)?,
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
                    let recall = RecallRequest { filter, ..recall.clone() };
                    let words = WordSearch::by_words(store, &recall, query, model.as_ref())?;
                    searched.push(StoreSearch { shelf, store, recall, words });
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
            let probe = vector.map(|vector| SearchVector {
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
        let warm = embedder.reach() == EmbedderReach::Bundled && !self.mapped.borrow().is_empty();
        warm || embedder.has_started(question, TextKind::Query)
    }

    /// The candidates of every open shelf, and the shelf of each.
    fn all_candidates(
        &self,
        searched: Vec<StoreSearch<'_>>,
        asked: &[SearchVector],
    ) -> EngineResult<(Vec<RecallCandidate>, Vec<StoreScope>)> {
        let mut candidates = Vec::new();
        let mut shelves = Vec::new();
        for StoreSearch { shelf, store, recall, words } in searched {
            let found = self.candidates(shelf, store, &recall, words, asked)?;
            shelves.extend(found.iter().map(|_| shelf));
            candidates.extend(found);
        }
        Ok((candidates, shelves))
    }

    fn newest(&self, recall: &RecallRequest) -> EngineResult<RecallResults> {
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
            .map(|found| RecallResult { found, score: 0.0, why: None, folded: Vec::new() })
            .collect();
        Ok(RecallResults { shown, ..RecallResults::default() })
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

impl RecallResults {
    /// Turns a ranking of candidates into answers.
    fn take(&mut self, ranking: Ranking, candidates: &[RecallCandidate], shelves: &[StoreScope]) {
        let found =
            |at: usize| StoredMemory { shelf: shelves[at], memory: candidates[at].memory.clone() };
        self.shown = ranking
            .answers
            .into_iter()
            .map(|ranked| RecallResult {
                found: found(ranked.candidate),
                score: ranked.score,
                why: Some(why(&candidates[ranked.candidate], &ranked)),
                folded: ranked.folded.iter().map(|at| candidates[*at].memory.id).collect(),
            })
            .collect();
        self.omitted = ranking
            .removed
            .into_iter()
            .map(|removed| OmittedResult { found: found(removed.candidate), why: removed.why })
            .collect();
    }
}

fn why(candidate: &RecallCandidate, ranked: &Ranked) -> ScoreBreakdown {
    ScoreBreakdown {
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
fn shown_ids(ranking: &Ranking, candidates: &[RecallCandidate]) -> Vec<MemoryId> {
    ranking.answers.iter().map(|answer| candidates[answer.candidate].memory.id).collect()
}
