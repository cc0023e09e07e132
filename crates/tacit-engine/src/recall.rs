//! Recall: fetches candidates, ranks them and returns the results.
//!
//! The pipeline is `candidates (words, meaning) → fuse → influence → floor → fold → budget`.
//! Fetching happens here; ranking is pure and lives in `tacit-recall`.

use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use tacit_core::{MemoryId, RepoPath, SymbolRef, Timestamp, UniversalPhase};
use tacit_models::bundled::{DIMENSIONS, MODEL_ID, TELLING_DIRECTION};
use tacit_models::{Embedder, EmbedderReach, TextKind};
use tacit_recall::{
    CLEAR, Query, RankProfile, RankSettings, Ranked, Ranking, RecallCandidate, RemovalReason,
    Strictness, rank, time_window,
};
use tacit_store::{Filter, ListOrder, Store, StoreResult};

use crate::candidates::{WordSearch, candidate_limit};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::hyde::HypotheticalAnswer;
use crate::lookup::{StoredMemory, sort};
use crate::semantic::{dot, vector_model};

/// A query with its options.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallRequest {
    /// The query text. If empty, the newest memories that pass the filter are returned.
    pub query: String,
    /// The filter of the results.
    pub filter: Filter,
    /// The period the results must be from.
    pub period: RecallPeriod,
    /// The most results.
    pub limit: usize,
    /// The required certainty that a result is relevant.
    pub strictness: Strictness,
    /// The number of results that are shown even if they are unlikely.
    pub at_least: usize,
    /// The composition of the score.
    pub profile: RankProfile,
    /// The current phase.
    pub phase: Option<UniversalPhase>,
    /// Files that the query is about.
    pub files: Vec<RepoPath>,
    /// Symbols that the query is about.
    pub symbols: Vec<SymbolRef>,
    /// The most tokens of all results together.
    pub token_budget: Option<usize>,
    /// The search channels to use.
    pub channels: SearchChannels,
    /// Memories that were shown already and must not be repeated.
    pub seen: Vec<MemoryId>,
    /// The most time to wait for a server that embeds the query; `None` for no limit.
    pub embed_timeout: Option<Duration>,
}

impl RecallRequest {
    /// Creates an explicit query of a person or agent.
    pub fn explicit(query: impl Into<String>, filter: Filter, limit: usize) -> RecallRequest {
        RecallRequest {
            query: query.into(),
            filter,
            period: RecallPeriod::Any,
            limit,
            strictness: Strictness::Explicit,
            at_least: 0,
            profile: RankProfile::Balanced,
            phase: None,
            files: Vec::new(),
            symbols: Vec::new(),
            token_budget: None,
            channels: SearchChannels::Both,
            seen: Vec::new(),
            embed_timeout: None,
        }
    }

    /// Creates a proactive query of a hook: only clearly relevant, proven memories are returned.
    pub fn proactive(query: impl Into<String>, limit: usize) -> RecallRequest {
        let strictness = Strictness::Proactive;
        RecallRequest { strictness, ..RecallRequest::explicit(query, Filter::default(), limit) }
    }

    /// Returns the text to embed; `None` if the query is empty or searches by words only.
    pub fn embedding_text(&self) -> Option<String> {
        let query = Query::parse(&self.query);
        (self.channels != SearchChannels::Words && !self.query.trim().is_empty())
            .then(|| query.embedding_text(self.strictness))
    }

    /// Returns the filter including the period; `None` if no memory of the store can pass.
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
                // Slightly later, because the end of a window is exclusive.
                let until = event.plus_days(days).plus_days(1e-7);
                filter.narrow(Some(event.plus_days(-days)), Some(until));
            }
        }
        Ok(Some(filter))
    }
}

/// The period that memories must be from.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum RecallPeriod {
    /// Any time.
    #[default]
    Any,
    /// The last sessions that produced memories.
    RecentSessions(usize),
    /// A start and an exclusive end.
    Window(Option<Timestamp>, Option<Timestamp>),
    /// A number of days before and after an event.
    Around(Timestamp, f64),
}

/// The channels by which candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchChannels {
    /// Words and meaning.
    #[default]
    Both,
    /// Words only.
    Words,
    /// Meaning only.
    Meaning,
}

/// A result of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct RecallResult {
    /// The memory and its store.
    pub found: StoredMemory,
    /// The score; larger is better.
    pub score: f64,
    /// The parts of the score; `None` if nothing was ranked.
    pub why: Option<ScoreBreakdown>,
    /// Near-duplicates that are part of this result.
    pub folded: Vec<MemoryId>,
    /// Memories that cannot be true together with this one.
    pub conflicts: Vec<MemoryId>,
}

impl RecallResult {
    /// Creates a result that was not ranked.
    pub fn unranked(found: StoredMemory) -> RecallResult {
        RecallResult { found, score: 0.0, why: None, folded: Vec::new(), conflicts: Vec::new() }
    }
}

/// The parts of a result's score.
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

/// A candidate that was not returned.
#[derive(Debug, Clone, PartialEq)]
pub struct OmittedResult {
    /// The memory and its store.
    pub found: StoredMemory,
    /// The reason for its removal.
    pub why: RemovalReason,
}

/// The results of a query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecallResults {
    /// The results, best first.
    pub shown: Vec<RecallResult>,
    /// The candidates that were removed.
    pub omitted: Vec<OmittedResult>,
    /// Number of results beyond the limit.
    pub more: usize,
    /// True if at least one result clearly matches, or if there was no query.
    pub is_clear: bool,
    /// True if the meaning of the query was searched for, and not only its words.
    pub by_meaning: bool,
    /// Messages about limits of the search.
    pub notes: Vec<String>,
    /// The hypothetical answer that was also searched for, if the query alone found little.
    pub hypothetical: Option<HypotheticalAnswer>,
}

/// A vector to search for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SearchVector {
    pub(crate) vector: Vec<f32>,
    /// True for the bundled model, whose likelihoods are fitted.
    pub(crate) is_calibrated: bool,
    /// The most neighbours to return.
    pub(crate) limit: usize,
    /// The amount to subtract from its cosines to make them comparable with those of a query.
    pub(crate) cosine_offset: f64,
}

impl SearchVector {
    /// Returns how much a query looks like a symptom or a risky change, and not like routine work.
    fn telling(&self) -> f64 {
        let along = || f64::from(dot(&self.vector, &TELLING_DIRECTION));
        if self.is_calibrated { along() } else { 0.0 }
    }
}

/// The word search of one store.
#[derive(Clone)]
struct StoreSearch<'s> {
    scope: StoreScope,
    store: &'s dyn Store,
    recall: RecallRequest,
    words: WordSearch,
}

impl Engine<'_> {
    /// Returns the memories that answer a query, best first, from every open store.
    pub fn recall(&self, recall: &RecallRequest) -> EngineResult<RecallResults> {
        let query = Query::parse(&recall.query);
        if recall.query.trim().is_empty() {
            return self.newest(recall);
        }
        let mut answers = RecallResults::default();
        let window = time_window(&recall.query, self.clock.now());
        let (searched, mut asked) = self.search(recall, &query, window, &mut answers.notes)?;
        answers.by_meaning = !asked.is_empty();
        // Ranking consumes the word search, which is needed again only for a hypothetical answer.
        let again = self.generator.is_some().then(|| searched.clone());
        let (mut candidates, mut scopes) = self.all_candidates(searched, &asked)?;
        let mut superseded = self.give_way(recall, &mut candidates, &mut scopes)?;
        let settings = RankSettings {
            profile: recall.profile,
            phase: recall.phase,
            weights: self.weights(recall.phase),
            strictness: recall.strictness,
            at_least: recall.at_least,
            telling: asked.first().map_or(0.0, SearchVector::telling),
            now: self.clock.now(),
            window,
            limit: recall.limit,
            token_budget: recall.token_budget,
            seen: recall.seen.clone(),
            uses: self.uses().clone(),
        };
        let mut ranking = rank(&query, &candidates, &settings);
        if let Some(question) = asked.first()
            && let Some(searched) = again
            && self.should_try_hyde(recall, &query, &candidates)
        {
            match self.hypothetical_answer(recall, &query, question) {
                Err(why) => answers.notes.push(format!("no hypothetical answer: {why}")),
                Ok((mut hypothetical, probe)) => {
                    let before = clear_ids(&ranking, &candidates);
                    asked.push(probe);
                    (candidates, scopes) = self.all_candidates(searched, &asked)?;
                    superseded = self.give_way(recall, &mut candidates, &mut scopes)?;
                    ranking = rank(&query, &candidates, &settings);
                    hypothetical.found = clear_ids(&ranking, &candidates);
                    hypothetical.found.retain(|id| !before.contains(id));
                    answers.hypothetical = Some(hypothetical);
                }
            }
        }
        answers.take(ranking, &candidates, &scopes);
        answers.omitted.extend(superseded);
        self.add_conflicting(recall, &mut answers)?;
        Ok(answers)
    }

    /// Searches every open store for the words of a query while the query is embedded.
    fn search<'s>(
        &'s self,
        recall: &RecallRequest,
        query: &Query,
        window: Option<(Timestamp, Timestamp)>,
        notes: &mut Vec<String>,
    ) -> EngineResult<(Vec<StoreSearch<'s>>, Vec<SearchVector>)> {
        let embedder = match recall.channels {
            SearchChannels::Words => None,
            SearchChannels::Both | SearchChannels::Meaning => self.usable_embedder(notes)?,
        };
        let is_calibrated = embedder.as_ref().is_some_and(|embedder| {
            embedder.model().name() == MODEL_ID && embedder.model().dims() == DIMENSIONS
        });
        let model = embedder.as_ref().map(|embedder| vector_model(embedder.as_ref()));
        let (focus, patience) = (query.embedding_text(recall.strictness), recall.embed_timeout);
        let inline =
            embedder.as_ref().is_some_and(|embedder| self.embeds_inline(&**embedder, &focus));
        let embed =
            embedder.map(|embedder| move || embedder.embed(&[&focus], TextKind::Query, patience));
        std::thread::scope(|threads| {
            let (mut deferred, mut spawned) = (None, None);
            match embed {
                Some(embed) if inline => deferred = Some(embed),
                Some(embed) => spawned = Some(threads.spawn(embed)),
                None => {}
            }
            let mut searched = Vec::new();
            for (scope, store) in self.stores() {
                if let Some(filter) = recall.filter_of(store)? {
                    let recall = RecallRequest { filter, ..recall.clone() };
                    let words =
                        WordSearch::by_words(store, &recall, query, window, model.as_ref())?;
                    searched.push(StoreSearch { scope, store, recall, words });
                }
            }
            let embedded = match spawned.map(ScopedJoinHandle::join) {
                None => deferred.map(|embed| embed()),
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
                is_calibrated,
                limit: candidate_limit(recall),
                cosine_offset: 0.0,
            });
            Ok((searched, probe.into_iter().collect()))
        })
    }

    /// Returns true if a separate thread is not worth its cost: the query is already being
    /// embedded, or this is a long-running process with the model in memory.
    fn embeds_inline(&self, embedder: &dyn Embedder, question: &str) -> bool {
        let warm = embedder.reach() == EmbedderReach::Bundled && !self.mapped.borrow().is_empty();
        warm || embedder.has_started(question, TextKind::Query)
    }

    /// Returns the candidates of all stores, and the store of each.
    fn all_candidates(
        &self,
        searched: Vec<StoreSearch<'_>>,
        asked: &[SearchVector],
    ) -> EngineResult<(Vec<RecallCandidate>, Vec<StoreScope>)> {
        let mut candidates = Vec::new();
        let mut scopes = Vec::new();
        for StoreSearch { scope, store, recall, words } in searched {
            let found = self.candidates(scope, store, &recall, words, asked)?;
            scopes.extend(found.iter().map(|_| scope));
            candidates.extend(found);
        }
        Ok((candidates, scopes))
    }

    fn newest(&self, recall: &RecallRequest) -> EngineResult<RecallResults> {
        let (mut listed, mut total) = (Vec::new(), 0);
        for (scope, store) in self.stores() {
            let Some(filter) = recall.filter_of(store)? else { continue };
            total += store.count(&filter)?;
            let (mut offset, mut wanted) = (0, recall.limit);
            while wanted > 0 {
                let page =
                    self.list(Some(scope), &filter, ListOrder::Newest, recall.limit, offset)?;
                let (read, is_last) = (page.len(), page.len() < recall.limit);
                let page = self.without_superseded(page)?;
                total -= read - page.len();
                offset += read;
                wanted = if is_last { 0 } else { wanted.saturating_sub(page.len()) };
                listed.extend(page);
            }
        }
        sort(&mut listed, ListOrder::Newest);
        let shown: Vec<RecallResult> =
            listed.into_iter().take(recall.limit).map(RecallResult::unranked).collect();
        let more = total.saturating_sub(shown.len());
        Ok(RecallResults { shown, more, is_clear: true, ..RecallResults::default() })
    }

    /// Returns the embedder of the query, if there are vectors to compare with.
    fn usable_embedder(&self, notes: &mut Vec<String>) -> EngineResult<Option<Arc<dyn Embedder>>> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let model = vector_model(embedder.as_ref());
        let mut usable_embedder = false;
        for (_, store) in self.stores() {
            for state in store.models()?.iter().filter(|state| state.active) {
                usable_embedder |= state.model == model && state.generation > 0;
                if state.model != model {
                    notes.push(format!(
                        "vectors are of {}, not of {}; run `tacit maintain` to embed everything again",
                        state.model.name, model.name
                    ));
                }
            }
        }
        Ok(usable_embedder.then(|| embedder.clone()))
    }
}

impl RecallResults {
    /// Takes the results from a ranking of candidates.
    fn take(&mut self, ranking: Ranking, candidates: &[RecallCandidate], scopes: &[StoreScope]) {
        let found =
            |at: usize| StoredMemory { store: scopes[at], memory: candidates[at].memory.clone() };
        self.is_clear = ranking.is_clear;
        self.shown = ranking
            .answers
            .into_iter()
            .map(|ranked| RecallResult {
                found: found(ranked.candidate),
                score: ranked.score,
                why: Some(why(&candidates[ranked.candidate], &ranked)),
                folded: ranked.folded.iter().map(|at| candidates[*at].memory.id).collect(),
                conflicts: Vec::new(),
            })
            .collect();
        let removed = ranking.removed.iter();
        self.more = removed.filter(|removed| removed.why == RemovalReason::BeyondLimit).count();
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

/// Returns the identifiers of the results that clearly match.
fn clear_ids(ranking: &Ranking, candidates: &[RecallCandidate]) -> Vec<MemoryId> {
    let clear = ranking.answers.iter().filter(|answer| answer.likelihood >= CLEAR);
    clear.map(|answer| candidates[answer.candidate].memory.id).collect()
}
