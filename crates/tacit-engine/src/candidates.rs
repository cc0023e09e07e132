//! Candidates for a query: by its words, by its meaning, by its files and the files used or changed
//! together with them, and beside the best of these.

mod companions;
mod files;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tacit_core::{Memory, Timestamp, tokenize};
use tacit_models::bundled::ORDINARY_PROMPT;
use tacit_recall::{
    FieldTokens, LexicalScore, Meaning, Query, RecallCandidate, SOON_AFTER_DAYS, Similarity,
    lexical, nearest_word, word_splits,
};
use tacit_store::{
    EmbeddedPart, Filter, MemoryKey, ModelState, Store, StoreResult, TermCounts, TextQuery,
    VectorKey, VectorModel,
};

use self::files::FileKeys;
pub use self::files::{MAX_LINKED_FILES, MIN_LINK_WEIGHT};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::recall::{RecallRequest, SearchChannels, SearchVector};
use crate::remember::field_tokens;
use crate::semantic::{dot, vector_model};

/// The least number of candidates of each channel.
const CANDIDATES: usize = 40;
/// The least number for hooks, which show few memories and must be quick.
const HOOK_CANDIDATES: usize = 16;
/// The most memories that the words of a query may match before the most frequent words are
/// skipped.
const LOOK_UPS: u64 = 1_500;
/// The most words of a query whose unknown words are corrected; a longer one has enough known
/// words.
const MOST_EXPANDED: usize = 12;
/// The most known words with the same prefix that are compared with an unknown one.
const BEGIN_ALIKE: usize = 2_000;
/// The number of best matches of each channel whose companions become candidates.
const LEADERS: usize = 5;
/// The most candidates from the time that the query names.
const FROM_WINDOW: usize = 10;
/// The offset that keeps the keys of the two stores apart.
const GLOBAL_KEYS: u64 = 1 << 40;

/// The result of searching a store for the words and files of a query: everything that can be done
/// before the query is embedded.
#[derive(Clone)]
pub(crate) struct WordSearch {
    query: Query,
    counts: TermCounts,
    files: FileKeys,
    /// The best matches, best first.
    best: Vec<MemoryKey>,
    fetched: Fetched,
}

impl WordSearch {
    /// Searches for the words of a query and reads the matches.
    pub(crate) fn by_words(
        store: &dyn Store,
        recall: &RecallRequest,
        query: &Query,
        window: Option<(Timestamp, Timestamp)>,
        model: Option<&VectorModel>,
    ) -> StoreResult<WordSearch> {
        let mut query = query.clone();
        let mut counts = count(store, &query)?;
        if !recall.strictness.is_proactive() && expand(store, &mut query, &counts)? {
            counts = count(store, &query)?;
        }
        let mut best = Vec::new();
        if recall.channels != SearchChannels::Meaning {
            best = by_words(store, recall, &query, &counts, window)?;
        }
        let mut keys: BTreeSet<MemoryKey> = best.iter().copied().collect();
        best.truncate(LEADERS);
        let files = FileKeys::find(store, recall)?;
        keys.extend(files.indirect.iter().chain(&files.direct).chain(&files.symbols));
        let keys: Vec<MemoryKey> = keys.into_iter().collect();
        let mut fetched = Fetched::default();
        fetched.add(store, store.read_keys(&keys, &recall.filter)?, model)?;
        Ok(WordSearch { query, counts, files, best, fetched })
    }
}

/// The fetched memories by key.
#[derive(Default, Clone)]
struct Fetched(BTreeMap<MemoryKey, Read>);

/// A memory that was read for ranking.
#[derive(Clone)]
struct Read {
    memory: Memory,
    tokens: FieldTokens,
    vectors: MemoryVectors,
    /// True if it was not found itself but stands beside a match.
    companion: bool,
}

/// The vectors of a memory.
#[derive(Default, Clone)]
struct MemoryVectors {
    pieces: Vec<Vec<f32>>,
    cues: Vec<Vec<f32>>,
}

impl Fetched {
    /// Adds memories, with their vectors if a model is given.
    fn add(
        &mut self,
        store: &dyn Store,
        memories: Vec<(MemoryKey, Memory)>,
        model: Option<&VectorModel>,
    ) -> StoreResult<()> {
        let keys: Vec<MemoryKey> = memories.iter().map(|(key, _)| *key).collect();
        self.0.extend(memories.into_iter().map(|(key, memory)| {
            let tokens = field_tokens(&memory.body);
            (key, Read { memory, tokens, vectors: MemoryVectors::default(), companion: false })
        }));
        if let Some(model) = model {
            for (VectorKey { memory, part }, vector) in store.vectors_of(model, &keys)? {
                let Some(Read { vectors, .. }) = self.0.get_mut(&memory) else { continue };
                match part {
                    EmbeddedPart::Piece(_) => vectors.pieces.push(vector),
                    EmbeddedPart::Cue(_) => vectors.cues.push(vector),
                }
            }
        }
        Ok(())
    }
}

impl Engine<'_> {
    /// Returns the candidates of a store.
    pub(crate) fn candidates(
        &self,
        scope: StoreScope,
        store: &dyn Store,
        recall: &RecallRequest,
        searched: WordSearch,
        asked: &[SearchVector],
    ) -> EngineResult<Vec<RecallCandidate>> {
        let WordSearch { query, counts, files, mut best, mut fetched } = searched;
        let active = self.active_model(store)?;
        if let Some(state) = &active {
            let mut near = Vec::new();
            for probe in asked {
                let found = self.by_meaning(scope, store, state, recall, probe, &fetched)?;
                best.extend(found.best);
                near.extend(found.unknown);
            }
            fetched.add(store, near, Some(&state.model))?;
        }
        // A hook shows only what matches by itself.
        if !recall.strictness.is_proactive() {
            let model = active.as_ref().map(|state| &state.model);
            fetched.add_companions(store, &recall.filter, &best, model)?;
        }
        let (entries, read): (Vec<FieldTokens>, Vec<_>) = (fetched.0.into_iter())
            .map(|(key, Read { memory, tokens, vectors, companion })| {
                (tokens, (key, memory, vectors, companion))
            })
            .unzip();
        let scores = match recall.channels {
            SearchChannels::Meaning => vec![LexicalScore::default(); entries.len()],
            SearchChannels::Both | SearchChannels::Words => {
                lexical(&query, counts.memories, &counts.documents, &entries)
            }
        };
        let offset = if scope == StoreScope::Global { GLOBAL_KEYS } else { 0 };
        Ok(read
            .into_iter()
            .zip(entries)
            .zip(scores)
            .map(|(((key, memory, vectors, companion), tokens), lexical)| {
                let nearest = |vectors: &[Vec<f32>]| {
                    active.as_ref().and_then(|_| greatest_similarity(asked, vectors))
                };
                let (text, cue) = (nearest(&vectors.pieces), nearest(&vectors.cues));
                let meaning = Meaning { text, cue };
                RecallCandidate {
                    key: key + offset,
                    tokens,
                    lexical,
                    cosine: meaning.cosine(),
                    meaning,
                    files: files.link(key),
                    companion,
                    memory,
                }
            })
            .collect())
    }

    /// Returns the memories near the query by meaning.
    fn by_meaning(
        &self,
        scope: StoreScope,
        store: &dyn Store,
        state: &ModelState,
        recall: &RecallRequest,
        SearchVector { vector, limit: wanted, .. }: &SearchVector,
        known: &Fetched,
    ) -> EngineResult<NearMemories> {
        // A hook does not wait for vectors that are not in the file.
        let complete = !recall.strictness.is_proactive();
        // Nearly all memories pass the default filter, so there is no need to fetch more.
        let look_at = if recall.filter == Filter::default() { 1 } else { 8 };
        let look_at = wanted.saturating_mul(look_at);
        let near = self.nearest(scope, store, state, vector, look_at, complete)?;
        let keys: Vec<MemoryKey> = near.iter().map(|near| near.key).collect();
        let unknown: Vec<MemoryKey> =
            keys.iter().copied().filter(|key| !known.0.contains_key(key)).collect();
        let mut read: HashMap<MemoryKey, Memory> =
            store.read_keys(&unknown, &recall.filter)?.into_iter().collect();
        let passing = keys
            .into_iter()
            .filter(|key| read.contains_key(key) || known.0.contains_key(key))
            .take(*wanted)
            .collect::<Vec<_>>();
        Ok(NearMemories {
            best: passing.iter().copied().take(LEADERS).collect(),
            unknown: passing
                .into_iter()
                .filter_map(|key| Some((key, read.remove(&key)?)))
                .collect(),
        })
    }

    fn active_model(&self, store: &dyn Store) -> StoreResult<Option<ModelState>> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let model = vector_model(embedder.as_ref());
        Ok(store.models()?.into_iter().find(|state| state.active && state.model == model))
    }
}

/// The memories near a query by meaning.
struct NearMemories {
    /// The nearest, nearest first.
    best: Vec<MemoryKey>,
    /// The memories that were not fetched yet.
    unknown: Vec<(MemoryKey, Memory)>,
}

/// Returns the number of candidates of each channel. It does not depend on the number of results
/// unless that is larger, so that a request for fewer results has the same first ones.
pub(crate) fn candidate_limit(recall: &RecallRequest) -> usize {
    let least = if recall.strictness.is_proactive() { HOOK_CANDIDATES } else { CANDIDATES };
    recall.limit.max(least)
}

fn count(store: &dyn Store, query: &Query) -> StoreResult<TermCounts> {
    let tokens: Vec<&str> = query.terms().iter().map(|term| term.token.as_str()).collect();
    store.count_terms(&tokens)
}

fn by_words(
    store: &dyn Store,
    recall: &RecallRequest,
    query: &Query,
    counts: &TermCounts,
    window: Option<(Timestamp, Timestamp)>,
) -> StoreResult<Vec<MemoryKey>> {
    let chosen = query.select(counts.memories, &counts.documents, LOOK_UPS);
    let text = TextQuery {
        tokens: chosen.iter().map(|token| (*token).to_owned()).collect(),
        filter: recall.filter.clone(),
        // Alone, the word search needs only enough for the exact scores to reorder; with meaning,
        // each channel must find what the other misses.
        limit: match recall.channels {
            SearchChannels::Words => recall.limit.saturating_mul(2),
            SearchChannels::Both | SearchChannels::Meaning => candidate_limit(recall),
        },
        // If even the rarest word has more matches, only the newest are ranked.
        newest: Some(LOOK_UPS as usize),
    };
    let mut keys: Vec<MemoryKey> = store.search_text(&text)?.iter().map(|hit| hit.key).collect();
    if let Some((from, to)) = window {
        let mut text = TextQuery { limit: FROM_WINDOW, ..text };
        text.filter.narrow(Some(from), Some(to.plus_days(SOON_AFTER_DAYS)));
        for hit in store.search_text(&text)? {
            if !keys.contains(&hit.key) {
                keys.push(hit.key);
            }
        }
    }
    Ok(keys)
}

/// Replaces words that no memory contains with known ones. Returns true if any was replaced.
fn expand(store: &dyn Store, query: &mut Query, counts: &TermCounts) -> StoreResult<bool> {
    if query.terms().len() > MOST_EXPANDED {
        return Ok(false);
    }
    let unknown: Vec<String> = query
        .terms()
        .iter()
        .zip(&counts.documents)
        .filter(|(_, documents)| **documents == 0)
        .map(|(term, _)| term.token.clone())
        .collect();
    let (mut replaced, mut found) = (Vec::new(), Vec::new());
    let pairs: Vec<[&str; 2]> = (query.terms().windows(2))
        .map(|pair| [pair[0].token.as_str(), pair[1].token.as_str()])
        .collect();
    let joined: Vec<String> = pairs.iter().map(|pair| pair.concat()).collect();
    let known = store.count_terms(&joined.iter().map(String::as_str).collect::<Vec<_>>())?;
    for ((pair, joined), documents) in pairs.iter().zip(joined).zip(known.documents) {
        if documents > 0 {
            replaced.extend(pair.iter().map(|part| (*part).to_owned()));
            found.push(joined);
        }
    }
    replaced.retain(|part| unknown.contains(part));
    for token in unknown {
        let corrected =
            if replaced.contains(&token) { Vec::new() } else { corrections(store, &token)? };
        if !corrected.is_empty() {
            replaced.push(token);
            found.extend(corrected);
        }
    }
    if found.is_empty() {
        return Ok(false);
    }
    query.remove(&replaced);
    query.add(found);
    Ok(true)
}

/// Returns the known words that an unknown one probably means.
fn corrections(store: &dyn Store, token: &str) -> StoreResult<Vec<String>> {
    // The index holds stems.
    let form = |part: &str| tokenize(part).iter().next().unwrap_or_default().to_owned();
    let parts: Vec<String> =
        word_splits(token).iter().flat_map(|(one, other)| [form(one), form(other)]).collect();
    let counts = store.count_terms(&parts.iter().map(String::as_str).collect::<Vec<_>>())?;
    let both = parts
        .chunks(2)
        .zip(counts.documents.chunks(2))
        .map(|(pair, counts)| (counts[0].min(counts[1]), pair))
        .filter(|(least, _)| *least > 0)
        .max();
    if let Some((_, pair)) = both {
        return Ok(pair.to_vec());
    }
    let beginning: String = token.chars().take(2).collect();
    let known = store.terms_with_prefix(&beginning, BEGIN_ALIKE)?;
    Ok(nearest_word(token, &known).map(str::to_owned).into_iter().collect())
}

/// Returns the greatest similarity between the search vectors and the vectors of a memory: by the
/// excess over ordinary prompts if all are of the bundled model, else by the cosine.
fn greatest_similarity(asked: &[SearchVector], vectors: &[Vec<f32>]) -> Option<Similarity> {
    let is_calibrated = asked.iter().all(|probe| probe.is_calibrated);
    let similarity = |probe: &SearchVector, vector: &[f32], ordinary: Option<f64>| {
        let cosine = f64::from(dot(&probe.vector, vector)) - probe.cosine_offset;
        Similarity { cosine, ordinary }
    };
    vectors
        .iter()
        .flat_map(|vector| {
            let ordinary = is_calibrated.then(|| f64::from(dot(&ORDINARY_PROMPT, vector)));
            asked.iter().map(move |probe| similarity(probe, vector, ordinary))
        })
        .max_by(|a, b| {
            let height = |one: &Similarity| one.excess().unwrap_or(one.cosine);
            height(a).total_cmp(&height(b))
        })
}
