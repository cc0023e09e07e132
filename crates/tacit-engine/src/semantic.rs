//! Search by meaning: giving memories their vectors, and keeping the mapped file beside the
//! database in step with it.
//!
//! The database holds the vectors; the file is made from them and may be missing, behind or
//! damaged at any time. Whoever writes vectors brings it up to date; whoever searches uses what is
//! there and reads the rest from the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tacit_core::Memory;
use tacit_fs::Wait;
use tacit_models::{Embedder, TextKind};
use tacit_store::{MemoryKey, ModelState, Store, VectorKey, VectorModel, VectorSet};
use tacit_vectors::{Batch, IndexSpec, Opened, SyncState, VectorIndex, WriteLock};

use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::embedded_text;

/// A piece of text that is embedded on its own; longer texts are embedded in several.
const PIECE_BYTES: usize = 1_000;
/// How many memories are embedded between two writes, so that a killed process loses little.
const EMBED_BATCH: usize = 32;
/// How many vectors are copied to the file at a time.
const COPY_BATCH: usize = 4_096;
/// As many vectors are read from the database where the file is not up to date.
const CATCH_UP_IN_MEMORY: usize = 20_000;
/// A word in fewer memories than this is counted as quickly as its count is looked up.
const LEAST_COMMON: u64 = 5;
/// How many rows of an earlier version are completed in one go.
const ROWS_AT_ONCE: usize = 1_000;
/// How long a writer waits for another to finish with the file.
const FILE_WAIT: Duration = Duration::from_millis(200);

/// What is said while memories get their vectors: how many have them, how many wait.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// A memory near a question, by meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Neighbour {
    pub(crate) key: MemoryKey,
    pub(crate) cosine: f32,
}

impl Engine<'_> {
    /// Lets questions and memories be embedded.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// As [`Engine::with_embedder`], with one that only stands in for another that cannot be had
    /// now: it never takes over from a model that is in use.
    #[must_use]
    pub fn with_stand_in(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.stand_in = true;
        self.with_embedder(embedder)
    }

    /// The models of a shelf, the one that answers first.
    pub fn models(&self, shelf: StoreScope) -> EngineResult<Vec<ModelState>> {
        let store = self.store(shelf).ok_or_else(|| self.not_initialised())?;
        Ok(store.models()?)
    }

    /// Gives vectors to at most `limit` memories that have none, the newest first, and brings the
    /// file up to date. When the last memory has its vectors of a new model, that model takes
    /// over. Returns how many memories got theirs.
    pub fn embed_pending(
        &mut self,
        shelf: StoreScope,
        limit: usize,
        progress: Progress<'_>,
    ) -> EngineResult<usize> {
        let Some(embedder) = self.embedder.clone() else { return Ok(0) };
        let model = vector_model(embedder.as_ref());
        let places = self.places.clone();
        let stand_in = self.stand_in;
        let store = self.store_mut(shelf)?;
        if stand_in && store.models()?.iter().any(|state| state.active && state.model != model) {
            return Ok(0);
        }
        store.add_model(&model)?;
        let mut done = 0;
        loop {
            let pending = store.pending(&model, EMBED_BATCH.min(limit - done))?;
            if pending.is_empty() {
                break;
            }
            let sets = embed(embedder.as_ref(), pending)?;
            let kept = store.put_vectors(&model, &sets)?;
            done += sets.len();
            let waiting = state(store.as_ref(), &model)?.map_or(0, |state| state.pending);
            progress(done as u64, waiting);
            // What changed while it was embedded stays pending; another round would race again.
            if done >= limit || kept == 0 {
                break;
            }
        }
        if let Some(state) = state(store.as_ref(), &model)?
            && state.pending == 0
            && (!state.active || store.models()?.len() > 1)
        {
            store.activate_model(&model)?;
            remove_other_files(&places, shelf, &model);
        }
        bring_up_to_date(&places, shelf, store.as_ref(), &model)?;
        Ok(done)
    }

    /// Notes the commonest words of a store with at least `many` memories, so that a search need
    /// not count them.
    pub fn note_common_terms(&mut self, shelf: StoreScope, many: u64) -> EngineResult<()> {
        let store = self.store_mut(shelf)?;
        let memories = store.count_terms(&[])?.memories;
        if memories >= many {
            store.note_common_terms((memories / 1_000).max(LEAST_COMMON))?;
        }
        Ok(())
    }

    /// Brings rows that an earlier version wrote into the form that is read most quickly, a few at
    /// a time, so that nobody waits long for the lock.
    pub fn complete_rows(&mut self, shelf: StoreScope) -> EngineResult<()> {
        let store = self.store_mut(shelf)?;
        while store.complete_rows(ROWS_AT_ONCE)? == ROWS_AT_ONCE {}
        Ok(())
    }

    /// Makes the file anew from the database.
    pub fn rebuild_vectors(&mut self, shelf: StoreScope) -> EngineResult<()> {
        let store = self.store(shelf).ok_or_else(|| self.not_initialised())?;
        for state in store.models()?.into_iter().filter(|state| state.active) {
            let path = vector_file(&self.places, shelf, &state.model);
            let spec = spec(&state.model)?;
            create_directory(&path)?;
            let mut lock =
                WriteLock::acquire(&path, Wait::Forever).map_err(|error| broken(&error))?;
            rebuild(&mut lock, &spec, store, &state.model)?;
            remove_other_files(&self.places, shelf, &state.model);
        }
        Ok(())
    }

    /// The memories nearest to a vector. What the file lacks is read from the database, as far as
    /// one page of it goes, or all of it if the answer is to be complete.
    pub(crate) fn nearest(
        &self,
        shelf: StoreScope,
        store: &dyn Store,
        state: &ModelState,
        vector: &[f32],
        count: usize,
        complete: bool,
    ) -> EngineResult<Vec<Neighbour>> {
        let path = vector_file(&self.places, shelf, &state.model);
        let spec = spec(&state.model)?;
        let mut near = Vec::new();
        let last = self.mapped.borrow_mut().remove(&path);
        let opened = match last.filter(|it| it.sync_state(state.generation) == SyncState::Current) {
            Some(index) => Ok(Opened::Ready(index)),
            None => VectorIndex::open(&path, &spec),
        };
        // A file that cannot be opened is as good as none: the database has it all.
        let from = match opened {
            Err(_) | Ok(Opened::Rebuild(_)) => Some(0),
            Ok(Opened::Ready(index)) => {
                near.extend(
                    index
                        .search(vector, count)
                        .map_err(|error| broken(&error))?
                        .iter()
                        .map(|hit| (VectorKey::from_number(hit.key).memory, hit.score)),
                );
                match index.sync_state(state.generation) {
                    SyncState::Current => {
                        self.mapped.borrow_mut().insert(path, index);
                        None
                    }
                    SyncState::Behind { at } => Some(at),
                    // The database was replaced by an older one: the file tells of another past.
                    SyncState::Ahead { .. } => {
                        near.clear();
                        Some(0)
                    }
                }
            }
        };
        let mut from = from;
        while let Some(generation) = from {
            let page = store.vectors_since(&state.model, generation, CATCH_UP_IN_MEMORY)?;
            near.extend(page.rows.iter().map(|(key, other)| (key.memory, dot(vector, other))));
            from = (complete && page.more).then_some(page.generation);
        }
        Ok(best(near, count))
    }
}

/// Each memory once, with its best piece, best first.
fn best(mut near: Vec<(MemoryKey, f32)>, count: usize) -> Vec<Neighbour> {
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut seen = std::collections::HashSet::new();
    near.into_iter()
        .filter(|(key, _)| seen.insert(*key))
        .take(count)
        .map(|(key, cosine)| Neighbour { key, cosine })
        .collect()
}

fn embed(
    embedder: &dyn Embedder,
    pending: Vec<(MemoryKey, Memory)>,
) -> EngineResult<Vec<VectorSet>> {
    let texts: Vec<Vec<String>> = pending
        .iter()
        .map(|(_, memory)| {
            embedded_text(&memory.body).map(|text| pieces(&text)).unwrap_or_default()
        })
        .collect();
    let all: Vec<&str> = texts.iter().flatten().map(String::as_str).collect();
    let mut vectors = embedder
        .embed(&all, TextKind::Passage, None)
        .map_err(|error| EngineError::Embedding(error.to_string()))?
        .into_iter();
    Ok(pending
        .into_iter()
        .zip(texts)
        .map(|((key, memory), pieces)| VectorSet {
            key,
            seen: memory.updated_at,
            pieces: vectors.by_ref().take(pieces.len()).collect(),
        })
        .collect())
}

/// Splits a text at the ends of sentences and lines into pieces that a model reads whole.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut piece = String::new();
    for sentence in text.split_inclusive(['\n', '.', '?', '!']) {
        if !piece.trim().is_empty() && piece.len() + sentence.len() > PIECE_BYTES {
            pieces.push(std::mem::take(&mut piece));
        }
        piece.push_str(sentence);
        while piece.len() > 2 * PIECE_BYTES {
            let rest = piece.split_off(piece.floor_char_boundary(PIECE_BYTES));
            pieces.push(std::mem::replace(&mut piece, rest));
        }
    }
    if !piece.trim().is_empty() {
        pieces.push(piece);
    }
    pieces.truncate(VectorKey::PIECES as usize);
    pieces
}

/// Copies to the file what the database has and it lacks. A file that another process is writing
/// is left to that process, or to the next.
fn bring_up_to_date(
    places: &StorePaths,
    shelf: StoreScope,
    store: &dyn Store,
    model: &VectorModel,
) -> EngineResult<()> {
    let path = vector_file(places, shelf, model);
    let spec = spec(model)?;
    create_directory(&path)?;
    let mut lock = match WriteLock::acquire(&path, Wait::AtMost(FILE_WAIT)) {
        Ok(lock) => lock,
        Err(tacit_vectors::Error::Busy { .. }) => return Ok(()),
        Err(error) => return Err(broken(&error)),
    };
    let behind = match lock.append(&spec).map_err(|error| broken(&error))? {
        Opened::Ready(mut appender) => loop {
            let page = store.vectors_since(model, appender.generation(), COPY_BATCH)?;
            if page.generation < appender.generation() {
                break true;
            }
            let put: Vec<(u64, &[f32])> = page
                .rows
                .iter()
                .map(|(key, vector)| (key.to_number(), vector.as_slice()))
                .collect();
            let batch = Batch { generation: page.generation, put: &put, remove: &[] };
            if page.generation > appender.generation() {
                appender.apply(&batch).map_err(|error| broken(&error))?;
            }
            if !page.more {
                break false;
            }
        },
        Opened::Rebuild(_) => true,
    };
    if behind {
        rebuild(&mut lock, &spec, store, model)?;
    }
    Ok(())
}

fn rebuild(
    lock: &mut WriteLock,
    spec: &IndexSpec,
    store: &dyn Store,
    model: &VectorModel,
) -> EngineResult<()> {
    let mut rebuild = lock.rebuild(spec).map_err(|error| broken(&error))?;
    let mut generation = 0;
    loop {
        let page = store.vectors_since(model, generation, COPY_BATCH)?;
        for (key, vector) in &page.rows {
            rebuild.push(key.to_number(), vector).map_err(|error| broken(&error))?;
        }
        generation = page.generation;
        if !page.more {
            break;
        }
    }
    rebuild.finish(generation).map_err(|error| broken(&error))?;
    Ok(())
}

/// The state of a model in a store.
pub(crate) fn state(store: &dyn Store, model: &VectorModel) -> EngineResult<Option<ModelState>> {
    Ok(store.models()?.into_iter().find(|state| state.model == *model))
}

/// An embedder's model as a store names it.
pub(crate) fn vector_model(embedder: &dyn Embedder) -> VectorModel {
    let model = embedder.model();
    VectorModel { name: model.name().to_owned(), dims: model.dims() }
}

/// Where the vectors of a model are.
fn vector_file(places: &StorePaths, shelf: StoreScope, model: &VectorModel) -> PathBuf {
    let name: String = model
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' })
        .collect();
    places.vectors(shelf).join(format!("{name}-{}.vec", model.dims))
}

/// Removes the files of models that are no longer in use. One that stays does no harm.
fn remove_other_files(places: &StorePaths, shelf: StoreScope, model: &VectorModel) {
    let kept = vector_file(places, shelf, model);
    let Some(entries) = kept.parent().and_then(|directory| std::fs::read_dir(directory).ok())
    else {
        return;
    };
    let name = kept.file_name().unwrap_or_default().to_string_lossy().into_owned();
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(&name) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn create_directory(file: &Path) -> EngineResult<()> {
    let Some(directory) = file.parent() else { return Ok(()) };
    tacit_fs::create_folder(directory)
        .map_err(|source| EngineError::Io { path: directory.to_path_buf(), source })
}

fn spec(model: &VectorModel) -> EngineResult<IndexSpec> {
    IndexSpec::new(&model.name, model.dims).map_err(|error| broken(&error))
}

fn broken(error: &tacit_vectors::Error) -> EngineError {
    EngineError::Vectors(error.to_string())
}

/// The product of two vectors, always summed in the same order.
pub(crate) fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fall_into_pieces_that_lose_nothing() {
        let text = "A sentence. Another one! ".repeat(200);
        let parts = pieces(&text);
        assert!(parts.len() > 3);
        assert!(parts.iter().all(|piece| piece.len() <= 2 * PIECE_BYTES));
        assert_eq!(parts.concat(), text.trim_end());
        assert_eq!(pieces("short"), ["short"]);
        assert_eq!(pieces(&"é".repeat(3_000)).concat(), "é".repeat(3_000));
        assert!(pieces("  \n ").is_empty());
    }

    #[test]
    fn a_memory_is_as_near_as_its_nearest_piece() {
        let near = best(vec![(1, 0.2), (2, 0.5), (1, 0.9), (3, 0.5)], 2);
        assert_eq!(near, [Neighbour { key: 1, cosine: 0.9 }, Neighbour { key: 2, cosine: 0.5 }]);
    }
}
