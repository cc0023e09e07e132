//! Fetching what may answer a question: by its words, by its meaning, by the files it is about
//! and by those that are used or changed together with them.

mod files;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tacit_core::{Memory, tokenize};
use tacit_models::bundled::PASSAGE_CENTRE;
use tacit_recall::{
    FieldTokens, LexicalScore, Query, RecallCandidate, halves, lexical, nearest_word,
};
use tacit_store::{
    Filter, MemoryKey, ModelState, Store, StoreResult, TermCounts, TextQuery, VectorKey,
    VectorModel,
};

use self::files::FileKeys;
pub use self::files::{LINKED, LINKED_FILES};
use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::recall::{RecallRequest, SearchChannels, SearchVector};
use crate::remember::field_tokens;
use crate::semantic::{dot, vector_model};

/// How many candidates words give, and as many meaning, for each answer that is wanted.
const CANDIDATES_EACH: usize = 5;
/// At least so many, and, unless more answers are wanted, at most so many.
const CANDIDATES: std::ops::RangeInclusive<usize> = 16..=40;
/// How many memories the words of a question may lead to before the commonest are left out.
const LOOK_UPS: u64 = 1_500;
/// A question with more words than this says enough by those that are known.
const MOST_EXPANDED: usize = 12;
/// How many known words that begin alike are looked at for one that is unknown.
const BEGIN_ALIKE: usize = 2_000;
/// Keeps the keys of the two shelves apart.
const GLOBAL_KEYS: u64 = 1 << 40;

/// What a shelf gives for the words of a question and the files at hand: all that can be had while
/// the question is still being embedded.
#[derive(Clone)]
pub(crate) struct WordSearch {
    query: Query,
    counts: TermCounts,
    files: FileKeys,
    fetched: Fetched,
}

impl WordSearch {
    /// Looks for the words of a question, and reads what they lead to.
    pub(crate) fn by_words(
        store: &dyn Store,
        recall: &RecallRequest,
        query: &Query,
        model: Option<&VectorModel>,
    ) -> StoreResult<WordSearch> {
        let mut query = query.clone();
        let mut counts = count(store, &query)?;
        if !recall.strictness.is_uninvited() && expand(store, &mut query, &counts)? {
            counts = count(store, &query)?;
        }
        let mut keys = BTreeSet::new();
        if recall.channels != SearchChannels::Meaning {
            keys.extend(by_words(store, recall, &query, &counts)?);
        }
        let files = FileKeys::find(store, recall)?;
        keys.extend(files.linked.iter().chain(&files.at_hand).chain(&files.symbols));
        let keys: Vec<MemoryKey> = keys.into_iter().collect();
        let mut fetched = Fetched::default();
        fetched.add(store, store.read_keys(&keys, &recall.filter)?, model)?;
        Ok(WordSearch { query, counts, files, fetched })
    }
}

/// Memories that may answer, by their keys.
#[derive(Default, Clone)]
struct Fetched(BTreeMap<MemoryKey, Read>);

/// A memory that was read to be ranked.
#[derive(Clone)]
struct Read {
    memory: Memory,
    tokens: FieldTokens,
    /// Of each of its pieces.
    vectors: Vec<Vec<f32>>,
}

impl Fetched {
    /// Adds memories, with their vectors where those of a model are to be compared.
    fn add(
        &mut self,
        store: &dyn Store,
        memories: Vec<(MemoryKey, Memory)>,
        model: Option<&VectorModel>,
    ) -> StoreResult<()> {
        let keys: Vec<MemoryKey> = memories.iter().map(|(key, _)| *key).collect();
        self.0.extend(memories.into_iter().map(|(key, memory)| {
            let tokens = field_tokens(&memory.body);
            (key, Read { memory, tokens, vectors: Vec::new() })
        }));
        if let Some(model) = model {
            for (VectorKey { memory, .. }, vector) in store.vectors_of(model, &keys)? {
                if let Some(read) = self.0.get_mut(&memory) {
                    read.vectors.push(vector);
                }
            }
        }
        Ok(())
    }
}

impl Engine<'_> {
    /// Everything on a shelf that may answer.
    pub(crate) fn candidates(
        &self,
        shelf: StoreScope,
        store: &dyn Store,
        recall: &RecallRequest,
        searched: WordSearch,
        asked: &[SearchVector],
    ) -> EngineResult<Vec<RecallCandidate>> {
        let WordSearch { query, counts, files, mut fetched } = searched;
        let active = self.active_model(store)?;
        if let Some(state) = &active {
            let mut near = Vec::new();
            for probe in asked {
                near.extend(self.by_meaning(shelf, store, state, recall, probe, &fetched)?);
            }
            fetched.add(store, near, Some(&state.model))?;
        }
        let (entries, read): (Vec<FieldTokens>, Vec<_>) = (fetched.0.into_iter())
            .map(|(key, Read { memory, tokens, vectors })| (tokens, (key, memory, vectors)))
            .unzip();
        let scores = match recall.channels {
            SearchChannels::Meaning => vec![LexicalScore::default(); entries.len()],
            SearchChannels::Both | SearchChannels::Words => {
                lexical(&query, counts.memories, &counts.documents, &entries)
            }
        };
        let offset = if shelf == StoreScope::Global { GLOBAL_KEYS } else { 0 };
        let centred: Vec<Option<Vec<f32>>> = asked
            .iter()
            .map(|probe| probe.centre.as_ref().map(|centre| without(&probe.vector, centre)))
            .collect();
        Ok(read
            .into_iter()
            .zip(entries)
            .zip(scores)
            .map(|(((key, memory, vectors), tokens), lexical)| {
                let meaning = active.as_ref().and_then(|_| nearness(asked, &centred, &vectors));
                RecallCandidate {
                    key: key + offset,
                    tokens,
                    lexical,
                    cosine: meaning.map(|(cosine, _)| cosine),
                    centred: meaning.and_then(|(_, centred)| centred),
                    files: files.link(key),
                    memory,
                }
            })
            .collect())
    }

    /// The memories whose meaning is near that of what is asked, without those that are known.
    fn by_meaning(
        &self,
        shelf: StoreScope,
        store: &dyn Store,
        state: &ModelState,
        recall: &RecallRequest,
        SearchVector { vector, wanted, .. }: &SearchVector,
        known: &Fetched,
    ) -> EngineResult<Vec<(MemoryKey, Memory)>> {
        // Nobody who did not ask waits for vectors that are not where they can be found quickly.
        let complete = !recall.strictness.is_uninvited();
        // Nearly everything passes a filter that was not asked for, and what does not is left out.
        let look_at = if recall.filter == Filter::default() { 1 } else { 8 };
        let look_at = wanted.saturating_mul(look_at);
        let near = self.nearest(shelf, store, state, vector, look_at, complete)?;
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
        Ok(passing.into_iter().filter_map(|key| Some((key, read.remove(&key)?))).collect())
    }

    fn active_model(&self, store: &dyn Store) -> StoreResult<Option<ModelState>> {
        let Some(embedder) = &self.embedder else { return Ok(None) };
        let model = vector_model(embedder.as_ref());
        Ok(store.models()?.into_iter().find(|state| state.active && state.model == model))
    }
}

/// How many candidates each way to an answer gives.
pub(crate) fn wanted(limit: usize) -> usize {
    limit.saturating_mul(CANDIDATES_EACH).clamp(*CANDIDATES.start(), *CANDIDATES.end()).max(limit)
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
) -> StoreResult<Vec<MemoryKey>> {
    let chosen = query.select(counts.memories, &counts.documents, LOOK_UPS);
    let text = TextQuery {
        tokens: chosen.iter().map(|token| (*token).to_owned()).collect(),
        filter: recall.filter.clone(),
        // Alone, words need only enough for the exact scores to reorder; beside meaning, each
        // must bring what the other misses.
        limit: match recall.channels {
            SearchChannels::Words => recall.limit.saturating_mul(2),
            SearchChannels::Both | SearchChannels::Meaning => wanted(recall.limit),
        },
        // Where the rarest word is in more memories than that, the newest of them must do.
        newest: Some(LOOK_UPS as usize),
    };
    Ok(store.search_text(&text)?.iter().map(|hit| hit.key).collect())
}

/// Leads words that no memory has back to words that some have, as the project writes them.
/// Returns whether there were any.
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
        let meant = if replaced.contains(&token) { Vec::new() } else { meant_by(store, &token)? };
        if !meant.is_empty() {
            replaced.push(token);
            found.extend(meant);
        }
    }
    if found.is_empty() {
        return Ok(false);
    }
    query.remove(&replaced);
    query.add(found);
    Ok(true)
}

/// The known words that an unknown one stands for.
fn meant_by(store: &dyn Store, token: &str) -> StoreResult<Vec<String>> {
    // A word on its own is kept in its shortest form.
    let form = |part: &str| tokenize(part).iter().next().unwrap_or_default().to_owned();
    let parts: Vec<String> =
        halves(token).iter().flat_map(|(one, other)| [form(one), form(other)]).collect();
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
    let known = store.known_terms(&beginning, BEGIN_ALIKE)?;
    Ok(nearest_word(token, &known).map(str::to_owned).into_iter().collect())
}

/// Of the pieces of a memory and of what is asked the nearest pair: the cosine, and the cosine
/// without what all texts of the model share, where that is known.
fn nearness(
    asked: &[SearchVector],
    centred_asked: &[Option<Vec<f32>>],
    vectors: &[Vec<f32>],
) -> Option<(f64, Option<f64>)> {
    let mut nearest: Option<(f64, Option<f64>)> = None;
    for vector in vectors {
        let rest =
            centred_asked.iter().any(Option::is_some).then(|| without(vector, &PASSAGE_CENTRE));
        for (probe, centred_probe) in asked.iter().zip(centred_asked) {
            let cosine = f64::from(dot(&probe.vector, vector)) - probe.excess;
            let centred =
                centred_probe.as_ref().zip(rest.as_ref()).map(|(a, b)| f64::from(dot(a, b)));
            nearest = Some(match nearest {
                None => (cosine, centred),
                Some((best, best_centred)) => {
                    (best.max(cosine), best_centred.zip(centred).map(|(a, b)| a.max(b)))
                }
            });
        }
    }
    nearest
}

/// A vector without its share in `centre`, of length one.
fn without(vector: &[f32], centre: &[f32]) -> Vec<f32> {
    let rest: Vec<f32> = vector.iter().zip(centre).map(|(v, c)| v - c).collect();
    let length = dot(&rest, &rest).sqrt().max(f32::MIN_POSITIVE);
    rest.into_iter().map(|value| value / length).collect()
}
