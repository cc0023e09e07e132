//! Semantic search: embeds memories and keeps the mapped vector file in step with the database.
//!
//! The database owns the vectors. The file is derived from them and may be missing, outdated or
//! damaged at any time. Writers bring it up to date; readers use it and read the rest from the
//! database.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tacit_core::Memory;
use tacit_fs::Wait;
use tacit_models::{Embedder, TextKind};
use tacit_store::{EmbeddedPart, MemoryKey, ModelState, Store, VectorKey, VectorModel, VectorSet};
use tacit_vectors::{Batch, IndexSpec, Opened, SyncState, VectorIndex, WriteLock};

use crate::engine::{Engine, ProjectStore, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::embedded_texts;

/// The size of a separately embedded piece of text, in bytes.
const PIECE_BYTES: usize = 1_000;
/// The number of vectors that a search reads per memory at first: its text and some of its cues.
const VECTORS_EACH: usize = 3;
/// The number of memories embedded between two writes, so that a killed process loses little.
const EMBED_BATCH: usize = 32;
/// The number of vectors copied to the file at a time.
const COPY_BATCH: usize = 4_096;
/// The number of vectors that a search reads from the database if the file is outdated.
const CATCH_UP_IN_MEMORY: usize = 20_000;
/// The least count for which a cached count is faster than counting.
const LEAST_COMMON: u64 = 5;
/// The number of rows upgraded per transaction.
const ROWS_AT_ONCE: usize = 1_000;
/// The time a writer waits for another to finish with the file.
const FILE_WAIT: Duration = Duration::from_millis(200);

/// A progress callback: the number of embedded memories and the number still pending.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// A memory near a vector.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Neighbour {
    pub(crate) key: MemoryKey,
    pub(crate) cosine: f32,
}

impl Engine<'_> {
    /// Sets the embedder of queries and memories.
    #[must_use]
    pub fn with_embedder(mut self, embedder: Arc<dyn Embedder>) -> Self {
        self.embedder = Some(embedder);
        self
    }

    /// Like [`Engine::with_embedder`], with a replacement for an embedder that is unavailable. It
    /// becomes the active model only if it `takes_over`. Vectors of other models are kept in any case,
    /// complete or not, because the embedder may come back.
    #[must_use]
    pub fn with_fallback_embedder(mut self, embedder: Arc<dyn Embedder>, takes_over: bool) -> Self {
        self.embedder_is_fallback = true;
        self.fallback_takes_over = takes_over;
        self.with_embedder(embedder)
    }

    /// Returns the models of a store, the active one first.
    pub fn models(&self, scope: StoreScope) -> EngineResult<Vec<ModelState>> {
        let store = self.store(scope).ok_or_else(|| self.not_initialised())?;
        Ok(store.models()?)
    }

    /// Embeds at most `limit` pending memories, newest first, and updates the file. Once the last
    /// memory has vectors of a new model, that model becomes active. Returns the number of embedded
    /// memories.
    pub fn embed_pending(
        &mut self,
        scope: StoreScope,
        limit: usize,
        progress: Progress<'_>,
    ) -> EngineResult<usize> {
        let Some(embedder) = self.embedder.clone() else { return Ok(0) };
        let model = vector_model(embedder.as_ref());
        let paths = self.paths.clone();
        let is_fallback = self.embedder_is_fallback;
        // In a team, one person's embedder must not replace the model of everybody else.
        let in_team = scope == StoreScope::Project && self.is_in_team();
        let may_replace = (!is_fallback || self.fallback_takes_over) && !in_team;
        let store = self.store_mut(scope)?;
        let is_other = |state: &ModelState| state.active && state.model != model;
        if !may_replace && store.models()?.iter().any(is_other) {
            return Ok(0);
        }
        store.add_model(&model)?;
        let mut done = 0;
        loop {
            let pending = store.pending(&model, EMBED_BATCH.min(limit - done))?;
            if pending.is_empty() {
                break;
            }
            let sets = embed(embedder.as_ref(), &pending)?;
            let kept = store.put_vectors(&model, &sets)?;
            done += sets.len();
            let waiting = state(store, &model)?.map_or(0, |state| state.pending);
            progress(done as u64, waiting);
            // Memories that changed meanwhile stay pending; another round could race again.
            if done >= limit || kept == 0 {
                break;
            }
        }
        if in_team {
            // Its index is the server's, and the file of the copy is written when that follows.
            return Ok(done);
        }
        if let Some(state) = state(store, &model)?
            && state.pending == 0
            && (!state.active || !is_fallback && store.models()?.len() > 1)
        {
            store.activate_model(&model)?;
            if !is_fallback {
                store.delete_other_models(&model)?;
                remove_other_files(&paths, scope, &model);
            }
        }
        bring_up_to_date(&paths, scope, store, &model)?;
        Ok(done)
    }

    /// Returns true if memories have no vectors of the current embedder yet. Other models wait for
    /// their own embedder.
    pub fn waits_for_vectors(&self, scope: StoreScope) -> bool {
        let (Some(embedder), Some(store)) = (&self.embedder, self.store(scope)) else {
            return false;
        };
        let state = state(store, &vector_model(embedder.as_ref()));
        state.is_ok_and(|state| state.is_some_and(|state| state.pending > 0))
    }

    /// Caches the counts of common words in a store with at least `many` memories, which speeds up
    /// searches.
    pub fn cache_common_terms(&mut self, scope: StoreScope, many: u64) -> EngineResult<()> {
        let store = self.store_mut(scope)?;
        let memories = store.count_terms(&[])?.memories;
        if memories >= many {
            store.cache_common_terms((memories / 1_000).max(LEAST_COMMON))?;
        }
        Ok(())
    }

    /// Upgrades rows of an earlier version, a few at a time to keep the lock short.
    pub fn upgrade_rows(&mut self, scope: StoreScope) -> EngineResult<()> {
        let store = self.store_mut(scope)?;
        while store.upgrade_rows(ROWS_AT_ONCE)? == ROWS_AT_ONCE {}
        Ok(())
    }

    /// Rebuilds the vector file from the database.
    pub fn rebuild_vectors(&mut self, scope: StoreScope) -> EngineResult<()> {
        let store = match (&self.project, scope) {
            // The file is that of the copy.
            (Some(ProjectStore::Team(team)), StoreScope::Project) => team.local.as_ref(),
            _ => self.store(scope).ok_or_else(|| self.not_initialised())?,
        };
        for state in store.models()?.into_iter().filter(|state| state.active) {
            let path = vector_file(&self.paths, scope, &state.model);
            let spec = spec(&state.model)?;
            create_directory(&path)?;
            let mut lock =
                WriteLock::acquire(&path, Wait::Forever).map_err(|error| broken(&error))?;
            rebuild(&mut lock, &spec, store, &state.model)?;
            remove_other_files(&self.paths, scope, &state.model);
        }
        Ok(())
    }

    /// Returns the memories nearest to a vector. Vectors missing from the file are read from the
    /// database: one page of them, or all if `complete`.
    pub(crate) fn nearest(
        &self,
        scope: StoreScope,
        store: &dyn Store,
        state: &ModelState,
        vector: &[f32],
        count: usize,
        complete: bool,
    ) -> EngineResult<Vec<Neighbour>> {
        let rows = count.saturating_mul(VECTORS_EACH);
        if let Some(found) = store.nearest(&state.model, vector, rows)? {
            let exact = found.iter().map(|(key, other)| (key.memory, dot(vector, other)));
            return Ok(best(exact.collect(), count));
        }
        let path = vector_file(&self.paths, scope, &state.model);
        let spec = spec(&state.model)?;
        let mut near = Vec::new();
        let last = self.mapped.borrow_mut().remove(&path);
        let opened = match last.filter(|it| it.sync_state(state.generation) == SyncState::Current) {
            Some(index) => Ok(Opened::Ready(index)),
            None => VectorIndex::open(&path, &spec),
        };
        // If the file cannot be opened, the database has all vectors.
        let from = match opened {
            Err(_) | Ok(Opened::Rebuild(_)) => Some(0),
            Ok(Opened::Ready(index)) => {
                near.extend(nearest_rows(&index, vector, count)?);
                match index.sync_state(state.generation) {
                    SyncState::Current => {
                        self.mapped.borrow_mut().insert(path, index);
                        None
                    }
                    SyncState::Behind { at } => Some(at),
                    // The database was replaced by an older one, so the file does not belong to it.
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

/// Returns the rows of the file nearest to a vector, of at least `count` memories if it has as many.
fn nearest_rows(
    index: &VectorIndex,
    vector: &[f32],
    count: usize,
) -> EngineResult<Vec<(MemoryKey, f32)>> {
    let mut rows = count.saturating_mul(VECTORS_EACH);
    loop {
        let hits = index.search(vector, rows).map_err(|error| broken(&error))?;
        let near: Vec<(MemoryKey, f32)> =
            hits.iter().map(|hit| (VectorKey::from_number(hit.key).memory, hit.score)).collect();
        let memories: HashSet<MemoryKey> = near.iter().map(|(key, _)| *key).collect();
        if memories.len() >= count || near.len() < rows {
            return Ok(near);
        }
        rows = rows.saturating_mul(4);
    }
}

/// Keeps the best piece or cue of each memory, best first.
fn best(mut near: Vec<(MemoryKey, f32)>, count: usize) -> Vec<Neighbour> {
    near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut seen = HashSet::new();
    near.into_iter()
        .filter(|(key, _)| seen.insert(*key))
        .take(count)
        .map(|(key, cosine)| Neighbour { key, cosine })
        .collect()
}

fn embed(embedder: &dyn Embedder, pending: &[(MemoryKey, Memory)]) -> EngineResult<Vec<VectorSet>> {
    let texts: Vec<(Vec<String>, Vec<&str>)> = pending
        .iter()
        .map(|(_, memory)| match embedded_texts(&memory.body) {
            Some(texts) => (pieces(&texts.text), texts.cues),
            None => Default::default(),
        })
        .collect();
    let mut all: Vec<&str> = Vec::new();
    for (pieces, cues) in &texts {
        all.extend(pieces.iter().map(String::as_str));
        all.extend(cues);
    }
    let mut vectors = embedder
        .embed(&all, TextKind::Passage, None)
        .map_err(|error| EngineError::Embedding(error.to_string()))?
        .into_iter();
    Ok(pending
        .iter()
        .zip(&texts)
        .map(|((key, memory), (pieces, cues))| VectorSet {
            key: *key,
            memory_updated_at: memory.updated_at,
            pieces: vectors.by_ref().take(pieces.len()).collect(),
            cues: vectors.by_ref().take(cues.len()).collect(),
        })
        .collect())
}

/// Splits a text at sentences and lines into pieces that the model can read.
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
    pieces.truncate(usize::from(EmbeddedPart::MOST));
    pieces
}

/// Copies missing vectors from the database to the file. If another process is writing the file, it
/// is left to that process.
pub(crate) fn bring_up_to_date(
    paths: &StorePaths,
    scope: StoreScope,
    store: &dyn Store,
    model: &VectorModel,
) -> EngineResult<()> {
    let path = vector_file(paths, scope, model);
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

/// Returns the state of a model in a store.
pub(crate) fn state(store: &dyn Store, model: &VectorModel) -> EngineResult<Option<ModelState>> {
    Ok(store.models()?.into_iter().find(|state| state.model == *model))
}

/// Returns the store's name of an embedder's model.
pub(crate) fn vector_model(embedder: &dyn Embedder) -> VectorModel {
    let model = embedder.model();
    VectorModel { name: model.name().to_owned(), dims: model.dims() }
}

/// Returns the path of a model's vector file.
fn vector_file(paths: &StorePaths, scope: StoreScope, model: &VectorModel) -> PathBuf {
    let name: String = model
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' })
        .collect();
    paths.vectors(scope).join(format!("{name}-{}.vec", model.dims))
}

/// Deletes the files of inactive models. A leftover file does no harm.
fn remove_other_files(paths: &StorePaths, scope: StoreScope, model: &VectorModel) {
    let kept = vector_file(paths, scope, model);
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

/// Returns the dot product, always summed in the same order.
pub(crate) fn dot(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_split_into_pieces_without_loss() {
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
    fn memories_are_ranked_by_their_nearest_piece() {
        let near = best(vec![(1, 0.2), (2, 0.5), (1, 0.9), (3, 0.5)], 2);
        assert_eq!(near, [Neighbour { key: 1, cosine: 0.9 }, Neighbour { key: 2, cosine: 0.5 }]);
    }
}
