//! The read gate: what is known about a question.
//!
//! `candidates (words, meaning) → fuse → influence → floor → fold → budget`. Fetching is here;
//! ranking is pure and lives in `tacit-recall`.

use std::collections::BTreeSet;

use tacit_core::{MemoryId, RepoPath, UniversalPhase};
use tacit_models::TextKind;
use tacit_models::bundled::{DIMENSIONS, MODEL_ID, PASSAGE_CENTRE, QUERY_CENTRE};
use tacit_recall::{
    Candidate, FieldTokens, Lexical, Profile, Query, RankSettings, Ranked, Ranking, Removal,
    Strictness, lexical, rank, time_window,
};
use tacit_store::{
    Filter, ListOrder, ListQuery, MemoryKey, ModelState, Store, StoreResult, TextQuery, VectorKey,
};

use crate::engine::{Engine, Shelf};
use crate::error::EngineResult;
use crate::hyde::Supposed;
use crate::lookup::Found;
use crate::remember::index_entry;
use crate::semantic::{dot, vector_model};

/// How many candidates words give, and as many meaning.
const CANDIDATES: usize = 40;
/// How many memories the words of a question may lead to before the commonest are left out.
const LOOK_UPS: u64 = 1_500;
/// The bonus of a memory about a file at hand, in standard deviations.
const FILE_BONUS: f64 = 1.0;
/// Keeps the keys of the two shelves apart.
const GLOBAL_KEYS: u64 = 1 << 40;

/// A question.
#[derive(Debug, Clone, PartialEq)]
pub struct Recall {
    /// In words; without any, the newest that pass the filter.
    pub query: String,
    /// Which memories may answer.
    pub filter: Filter,
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

impl Engine<'_> {
    /// The memories that answer a question, best first, from every open shelf.
    pub fn recall(&self, recall: &Recall) -> EngineResult<Answers> {
        let query = Query::read(&recall.query);
        if recall.query.trim().is_empty() {
            return self.newest(recall);
        }
        let mut answers = Answers::default();
        let mut asked: Vec<Probe> = match recall.channels {
            Channels::Words => Vec::new(),
            Channels::Both | Channels::Meaning => {
                self.ask_meaning(&query, recall, &mut answers.notes)?.into_iter().collect()
            }
        };
        let (mut candidates, mut shelves) = self.all_candidates(recall, &query, &asked)?;
        let settings = RankSettings {
            profile: recall.profile,
            phase: recall.phase,
            strictness: recall.strictness,
            now: self.clock.now(),
            window: time_window(&recall.query, self.clock.now()),
            limit: recall.limit,
            token_budget: recall.token_budget,
        };
        let mut ranking = rank(&query, &candidates, &settings);
        if let Some(question) = asked.first()
            && self.should_suppose(recall, &query, &candidates)
        {
            match self.suppose(recall, &query, question) {
                Err(why) => answers.notes.push(format!("no supposed answer to search by: {why}")),
                Ok((mut supposed, probe)) => {
                    let before = shown_ids(&ranking, &candidates);
                    asked.push(probe);
                    (candidates, shelves) = self.all_candidates(recall, &query, &asked)?;
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

    /// The candidates of every open shelf, and the shelf of each.
    fn all_candidates(
        &self,
        recall: &Recall,
        query: &Query,
        asked: &[Probe],
    ) -> EngineResult<(Vec<Candidate>, Vec<Shelf>)> {
        let mut candidates = Vec::new();
        let mut shelves = Vec::new();
        for (shelf, store) in self.shelves() {
            let found = self.candidates(shelf, store, recall, query, asked)?;
            shelves.extend(found.iter().map(|_| shelf));
            candidates.extend(found);
        }
        Ok((candidates, shelves))
    }

    fn newest(&self, recall: &Recall) -> EngineResult<Answers> {
        let listed = self.list(None, &recall.filter, ListOrder::Newest, recall.limit, 0)?;
        let shown = listed
            .into_iter()
            .map(|found| Recalled { found, score: 0.0, why: None, folded: Vec::new() })
            .collect();
        Ok(Answers { shown, ..Answers::default() })
    }

    /// The vector of the question, if anything has been embedded that it can be compared with.
    fn ask_meaning(
        &self,
        query: &Query,
        recall: &Recall,
        notes: &mut Vec<String>,
    ) -> EngineResult<Option<Probe>> {
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
        let calibrated = model.name == MODEL_ID && model.dims == DIMENSIONS;
        match embedder.embed(&[&query.focus(recall.strictness)], TextKind::Query, None) {
            Ok(vectors) => Ok(vectors.into_iter().next().map(|vector| Probe {
                vector,
                centre: calibrated.then(|| QUERY_CENTRE.to_vec()),
                wanted: CANDIDATES.max(recall.limit),
                excess: 0.0,
            })),
            Err(error) => {
                notes.push(format!("searched by words alone: {error}"));
                Ok(None)
            }
        }
    }

    fn candidates(
        &self,
        shelf: Shelf,
        store: &dyn Store,
        recall: &Recall,
        query: &Query,
        asked: &[Probe],
    ) -> EngineResult<Vec<Candidate>> {
        let tokens: Vec<&str> = query.terms().iter().map(|term| term.token.as_str()).collect();
        let counts = store.count_terms(&tokens)?;
        let chosen = query.select(counts.memories, &counts.documents, LOOK_UPS);
        let text = TextQuery {
            tokens: chosen.iter().map(|token| (*token).to_owned()).collect(),
            filter: recall.filter.clone(),
            // Alone, words need only enough for the exact scores to reorder; beside meaning, each
            // must bring what the other misses.
            limit: match recall.channels {
                Channels::Words => recall.limit.saturating_mul(2),
                Channels::Both | Channels::Meaning => CANDIDATES.max(recall.limit),
            },
            // Where the rarest word is in more memories than that, the newest of them must do.
            newest: Some(LOOK_UPS as usize),
        };
        let mut keys: BTreeSet<MemoryKey> = BTreeSet::new();
        if recall.channels != Channels::Meaning {
            keys.extend(store.search_text(&text)?.iter().map(|hit| hit.key));
        }
        let active = self.active_model(store)?;
        if let Some(state) = &active {
            for probe in asked {
                keys.extend(self.near(shelf, store, state, &recall.filter, probe)?);
            }
        }
        let keys: Vec<MemoryKey> = keys.into_iter().collect();
        let memories = store.read_keys(&keys, &recall.filter)?;
        let meanings = match &active {
            Some(state) if !asked.is_empty() => meanings(store, state, asked, &keys)?,
            _ => Vec::new(),
        };
        let entries: Vec<FieldTokens> = memories
            .iter()
            .map(|(_, memory)| {
                let entry = index_entry(&memory.said);
                FieldTokens { title: entry.title, body: entry.body, labels: entry.labels }
            })
            .collect();
        let scores = match recall.channels {
            Channels::Meaning => vec![Lexical::default(); entries.len()],
            Channels::Both | Channels::Words => {
                lexical(query, counts.memories, &counts.documents, &entries)
            }
        };
        let offset = if shelf == Shelf::Global { GLOBAL_KEYS } else { 0 };
        Ok(memories
            .into_iter()
            .zip(entries)
            .zip(scores)
            .map(|(((key, memory), tokens), lexical)| {
                let meaning = meanings.iter().find(|(known, ..)| *known == key);
                let at_hand = recall.files.iter().any(|file| memory.said.files.contains(file));
                Candidate {
                    key: key + offset,
                    tokens,
                    lexical,
                    cosine: meaning.map(|(_, cosine, _)| *cosine),
                    centred: meaning.and_then(|(.., centred)| *centred),
                    bonus: if at_hand { FILE_BONUS } else { 0.0 },
                    memory,
                }
            })
            .collect())
    }

    /// The memories nearest to a probe that pass a filter.
    fn near(
        &self,
        shelf: Shelf,
        store: &dyn Store,
        state: &ModelState,
        filter: &Filter,
        Probe { vector, wanted, .. }: &Probe,
    ) -> EngineResult<Vec<MemoryKey>> {
        if *filter == Filter::default() {
            // Nearly everything passes, and what does not is left out when it is read.
            let near = self.nearest(shelf, store, state, vector, *wanted)?;
            return Ok(near.iter().map(|near| near.key).collect());
        }
        let near = self.nearest(shelf, store, state, vector, wanted.saturating_mul(8))?;
        let near: Vec<MemoryKey> = near.iter().map(|near| near.key).collect();
        let passing = store.read_keys(&near, filter)?;
        Ok(passing.iter().take(*wanted).map(|(key, _)| *key).collect())
    }

    fn active_model(&self, store: &dyn Store) -> StoreResult<Option<ModelState>> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let model = vector_model(embedder.as_ref());
        Ok(store.models()?.into_iter().find(|state| state.active && state.model == model))
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

/// The memories that are shown.
fn shown_ids(ranking: &Ranking, candidates: &[Candidate]) -> Vec<MemoryId> {
    ranking.answers.iter().map(|answer| candidates[answer.candidate].memory.id).collect()
}

/// For each memory, of its pieces and of what is asked the nearest pair: the cosine, and the cosine
/// without what all texts of the model share, where that is known.
fn meanings(
    store: &dyn Store,
    state: &ModelState,
    asked: &[Probe],
    keys: &[MemoryKey],
) -> StoreResult<Vec<(MemoryKey, f64, Option<f64>)>> {
    let centred_asked: Vec<Option<Vec<f32>>> = asked
        .iter()
        .map(|probe| probe.centre.as_ref().map(|centre| without(&probe.vector, centre)))
        .collect();
    let mut meanings: Vec<(MemoryKey, f64, Option<f64>)> = Vec::new();
    for (VectorKey { memory, .. }, vector) in store.vectors_of(&state.model, keys)? {
        let rest =
            centred_asked.iter().any(Option::is_some).then(|| without(&vector, &PASSAGE_CENTRE));
        for (probe, centred_probe) in asked.iter().zip(&centred_asked) {
            let cosine = f64::from(dot(&probe.vector, &vector)) - probe.excess;
            let centred =
                centred_probe.as_ref().zip(rest.as_ref()).map(|(a, b)| f64::from(dot(a, b)));
            match meanings.last_mut() {
                Some((known, best, best_centred)) if *known == memory => {
                    *best = best.max(cosine);
                    *best_centred = best_centred.zip(centred).map(|(a, b)| a.max(b));
                }
                _ => meanings.push((memory, cosine, centred)),
            }
        }
    }
    Ok(meanings)
}

/// A vector without its share in `centre`, of length one.
fn without(vector: &[f32], centre: &[f32]) -> Vec<f32> {
    let rest: Vec<f32> = vector.iter().zip(centre).map(|(v, c)| v - c).collect();
    let length = dot(&rest, &rest).sqrt().max(f32::MIN_POSITIVE);
    rest.into_iter().map(|value| value / length).collect()
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
