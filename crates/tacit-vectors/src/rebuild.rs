//! Writes a new version of the file.
//!
//! The new version is written under a temporary name, flushed to disk, and replaces the old one by
//! renaming: readers see the old file or the new one, never a mixture. Readers that have mapped the
//! old file keep it until they close it.

use std::{io, path::PathBuf};

use tacit_fs::Replacement;

use crate::{
    Error, IndexSpec, RowCounts, WriteLock,
    append::{write_deletions, write_rows},
    encode::{centre_bytes, unit},
    header::{FileHeader, PublishedState, write_at},
    layout::{FileLayout, MAX_ROWS},
    search::check_vector,
};

/// The number of floats to buffer before rows are written: 32 MB. The centre is computed from the
/// first chunk.
const CHUNK: usize = 8 << 20;

/// A new version of an index. If it is dropped before `finish`, nothing changes.
#[derive(Debug)]
pub struct IndexRebuild<'a> {
    path: PathBuf,
    replacement: Replacement,
    spec: IndexSpec,
    layout: FileLayout,
    /// Set when the first chunk is full or the rows end.
    centre: Option<Vec<f32>>,
    keys: Vec<u64>,
    written: u64,
    buffer: Vec<f32>,
    _lock: &'a mut WriteLock,
}

impl<'a> IndexRebuild<'a> {
    pub(crate) fn begin(lock: &'a mut WriteLock, spec: &IndexSpec) -> Result<Self, Error> {
        let path = lock.path().to_owned();
        // Under the lock, temporary files of a killed process are unused.
        let replacement = tacit_fs::remove_temporaries(&path)
            .and_then(|()| Replacement::new(&path))
            .map_err(Error::io("create a file beside", &path))?;
        Ok(Self {
            path,
            replacement,
            spec: spec.clone(),
            layout: FileLayout::new(spec.dims()),
            centre: None,
            keys: Vec::new(),
            written: 0,
            buffer: Vec::new(),
            _lock: lock,
        })
    }

    /// Adds a row. If a key occurs more than once, the last row counts.
    ///
    /// # Errors
    ///
    /// Fails if the vector does not fit, or the system refuses to write.
    pub fn push(&mut self, key: u64, vector: &[f32]) -> Result<(), Error> {
        let describe = || format!("the vector of key {key}");
        check_vector(&self.path, self.layout.dims(), vector, describe)?;
        if self.keys.len() as u64 >= MAX_ROWS {
            return Err(Error::Full { path: self.path.clone() });
        }
        self.keys.push(key);
        self.buffer.extend_from_slice(vector);
        if self.buffer.len() >= CHUNK {
            self.flush().map_err(Error::io("write beside", &self.path))?;
        }
        Ok(())
    }

    /// Completes the new version at `generation`, and replaces the old one.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses to write, flush or rename; the old version is kept then.
    pub fn finish(mut self, generation: u64) -> Result<RowCounts, Error> {
        let state = self.complete(generation).map_err(Error::io("write beside", &self.path))?;
        self.replacement.publish().map_err(Error::io("replace", &self.path))?;
        Ok(RowCounts { live: state.rows - state.deletions, dead: state.deletions })
    }

    fn complete(&mut self, generation: u64) -> io::Result<PublishedState> {
        self.flush()?;
        let rows = self.keys.len() as u64;
        self.replacement.file().set_len(self.layout.end(rows))?;
        let repeated = repeated_rows(&self.keys);
        write_deletions(self.replacement.file(), &self.layout, 0, &repeated)?;
        let (centre, sum) = centre_bytes(self.centre.as_deref().unwrap_or_default());
        let (fixed, page) = FileHeader::encode(&self.spec, sum);
        write_at(self.replacement.file(), self.layout.centre().start, &centre)?;
        write_at(self.replacement.file(), 0, &page)?;
        let state = PublishedState {
            sequence: 1,
            rows,
            deletions: repeated.len() as u64,
            synced: rows,
            generation,
            max_key: self.keys.iter().copied().max().unwrap_or(0),
        };
        let (offset, bytes) = state.encode(&fixed);
        write_at(self.replacement.file(), offset, &bytes)?;
        Ok(state)
    }

    fn flush(&mut self) -> io::Result<()> {
        let centre =
            self.centre.get_or_insert_with(|| mean_direction(&self.buffer, self.layout.dims()));
        let first = self.written as usize;
        let vectors = self.buffer.chunks_exact(self.layout.dims());
        let rows: Vec<(u64, &[f32])> = self.keys[first..].iter().copied().zip(vectors).collect();
        write_rows(self.replacement.file(), &self.layout, centre, self.written, &rows)?;
        self.written += rows.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

/// Computes the mean of the vectors scaled to length one.
fn mean_direction(vectors: &[f32], dims: usize) -> Vec<f32> {
    let mut sum = vec![0.0_f64; dims];
    for vector in vectors.chunks_exact(dims) {
        for (sum, x) in sum.iter_mut().zip(unit(vector)) {
            *sum += f64::from(x);
        }
    }
    let count = (vectors.len() / dims).max(1) as f64;
    sum.into_iter().map(|sum| (sum / count) as f32).collect()
}

/// Returns the rows whose key occurs again later.
fn repeated_rows(keys: &[u64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    if keys.is_sorted_by(|a, b| a < b) {
        return Vec::new();
    }
    order.sort_unstable_by_key(|&row| (keys[row as usize], row));
    let mut repeated: Vec<u32> = order
        .windows(2)
        .filter(|pair| keys[pair[0] as usize] == keys[pair[1] as usize])
        .map(|pair| pair[0])
        .collect();
    repeated.sort_unstable();
    repeated
}
