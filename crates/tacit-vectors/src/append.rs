//! Adds and removes rows in place.
//!
//! New data is written beyond the part that readers use, and then published by one small write (see
//! `header`). Published bytes are never written again: a replaced or removed row is added to the
//! deletion log, which grows like the rows.

use std::{collections::HashMap, fs::File, io, path::PathBuf};

use crate::{
    Error, IndexSpec, Opened, RebuildReason, WriteLock,
    encode::{EncodedRows, decode_centre, encode_deletion},
    header::{self, FileHeader, PublishedState, read_at, u64_at, write_at},
    index::{DeadRows, MAX_UNSYNCED, VectorIndex},
    layout::{Column, FileLayout, MAX_ROWS},
    lock,
    search::check_vector,
};

/// Changes that are applied together: after an interruption either all of them are visible or none.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The database generation that the index matches after this batch.
    pub generation: u64,
    /// Rows to add or replace. If a key occurs more than once, the last row counts.
    pub put: &'a [(u64, &'a [f32])],
    /// Keys to remove. Unknown keys are ignored, and keys in `put` are not removed.
    pub remove: &'a [u64],
}

/// An index that is open for writing, under its lock.
#[derive(Debug)]
pub struct Appender<'a> {
    file: File,
    path: PathBuf,
    layout: FileLayout,
    centre: Vec<f32>,
    fixed: FileHeader,
    state: PublishedState,
    /// Read on first use.
    dead: Option<DeadRows>,
    _lock: &'a mut WriteLock,
}

impl<'a> Appender<'a> {
    pub(crate) fn open(lock: &'a mut WriteLock, spec: &IndexSpec) -> Result<Opened<Self>, Error> {
        let path = lock.path().to_owned();
        // The reader's checks apply to a writer too: appending to a damaged file would hide the
        // damage.
        if let Opened::Rebuild(reason) = VectorIndex::open(&path, spec)? {
            return Ok(Opened::Rebuild(reason));
        }
        let file = tacit_fs::open_to_write(&path).map_err(Error::io("open for writing", &path))?;
        // If somebody deletes the lock file during a write, this second lock keeps the next writer
        // out. On Windows, locks are mandatory and would keep readers out as well.
        if cfg!(unix) {
            lock::hold(&file, lock.wait(), &path)?;
        }
        let (fixed, state) = match header::read(&file, spec).map_err(Error::io("read", &path))? {
            Ok(head) => head,
            Err(reason) => return Ok(Opened::Rebuild(reason)),
        };
        let layout = FileLayout::new(spec.dims());
        let mut centre = vec![0; spec.dims() * 4];
        read_at(&file, layout.centre().start, &mut centre).map_err(Error::io("read", &path))?;
        let Some(centre) = decode_centre(&centre, fixed.centre_sum, &layout) else {
            return Ok(Opened::Rebuild(RebuildReason::Damaged("the centre".into())));
        };
        let dead = None;
        Ok(Opened::Ready(Self { file, path, layout, centre, fixed, state, dead, _lock: lock }))
    }

    /// Returns the generation of the file: the database knows what has changed since.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// Adds, replaces and removes rows. Readers that open the index afterwards see the whole batch.
    ///
    /// Afterwards the batch survives a crash of the process. A power cut can lose the last few rows;
    /// opening the index detects that, and they are rebuilt from the database.
    ///
    /// # Errors
    ///
    /// Fails if a vector does not fit, the batch is older than the file, or the system refuses to
    /// write. The index then keeps its previous content.
    pub fn apply(&mut self, batch: &Batch<'_>) -> Result<(), Error> {
        if batch.generation < self.state.generation {
            let (at, given) = (self.state.generation, batch.generation);
            return Err(Error::Backwards { path: self.path.clone(), at, given });
        }
        for (key, vector) in batch.put {
            let describe = || format!("the vector of key {key}");
            check_vector(&self.path, self.layout.dims(), vector, describe)?;
        }
        let put = last_of_each(batch.put);
        if self.state.rows + put.len() as u64 > MAX_ROWS {
            return Err(Error::Full { path: self.path.clone() });
        }
        let mut keys: Vec<u64> =
            put.iter().map(|(key, _)| *key).chain(batch.remove.iter().copied()).collect();
        keys.sort_unstable();
        keys.dedup();
        let removed = self.live_rows_of(&keys)?;

        let mut next = self.state;
        next.sequence += 1;
        next.generation = batch.generation;
        next.rows += put.len() as u64;
        next.deletions += removed.len() as u64;
        next.max_key = put.iter().map(|(key, _)| *key).fold(next.max_key, u64::max);
        self.write(&put, &removed, &mut next).map_err(Error::io("write", &self.path))?;
        self.state = next;
        if let Some(dead) = &mut self.dead {
            for row in removed {
                dead.insert(row.into());
            }
        }
        Ok(())
    }

    fn write(
        &self,
        put: &[(u64, &[f32])],
        removed: &[u32],
        next: &mut PublishedState,
    ) -> io::Result<()> {
        let length = self.layout.end(next.rows);
        if self.file.metadata()?.len() < length {
            self.file.set_len(length)?;
        }
        write_rows(&self.file, &self.layout, &self.centre, self.state.rows, put)?;
        write_deletions(&self.file, &self.layout, self.state.deletions, removed)?;
        if next.rows - next.synced > MAX_UNSYNCED {
            self.file.sync_data()?;
            next.synced = next.rows;
        }
        let (offset, bytes) = next.encode(&self.fixed);
        write_at(&self.file, offset, &bytes)
    }

    /// Returns the live rows with any of these keys, which must be sorted.
    fn live_rows_of(&mut self, keys: &[u64]) -> Result<Vec<u32>, Error> {
        let known = keys.partition_point(|&key| key <= self.state.max_key);
        let keys = &keys[..known];
        let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else {
            return Ok(Vec::new());
        };
        let dead = match self.dead.take() {
            Some(dead) => dead,
            None => self.read_dead()?,
        };
        let mut found = Vec::new();
        let mut column = Vec::new();
        for part in self.layout.parts(0..self.state.rows) {
            column.resize(part.rows * 8, 0);
            read_at(&self.file, self.layout.bytes(part, Column::Keys).start, &mut column)
                .map_err(Error::io("read", &self.path))?;
            for (row, key) in (part.first..).zip(column.chunks_exact(8)) {
                let key = u64_at(key, 0);
                let matches = first <= key && key <= last && keys.binary_search(&key).is_ok();
                if matches && !dead.contains(row) {
                    found.push(row as u32);
                }
            }
        }
        self.dead = Some(dead);
        Ok(found)
    }

    fn read_dead(&self) -> Result<DeadRows, Error> {
        let mut dead = DeadRows::default();
        let mut column = Vec::new();
        for part in self.layout.parts(0..self.state.deletions) {
            column.resize(part.rows * 8, 0);
            read_at(&self.file, self.layout.bytes(part, Column::Deletions).start, &mut column)
                .map_err(Error::io("read", &self.path))?;
            dead.read(part.first, &column, self.state.rows)
                .map_err(|problem| Error::damaged(&self.path, problem))?;
        }
        Ok(dead)
    }
}

/// Releases the second lock at once. The drop also extends the borrow of the first lock: two
/// appenders in one process would wait for each other forever.
impl Drop for Appender<'_> {
    fn drop(&mut self) {
        // Closing the file unlocks it anyway.
        let _ = self.file.unlock();
    }
}

/// Keeps the last row of each key.
fn last_of_each<'a>(put: &[(u64, &'a [f32])]) -> Vec<(u64, &'a [f32])> {
    let last: HashMap<u64, usize> =
        put.iter().enumerate().map(|(index, (key, _))| (*key, index)).collect();
    put.iter()
        .enumerate()
        .filter(|(index, (key, _))| last.get(key) == Some(index))
        .map(|(_, row)| *row)
        .collect()
}

/// Encodes rows and writes them, starting with row number `first`.
pub(crate) fn write_rows(
    file: &File,
    layout: &FileLayout,
    centre: &[f32],
    first: u64,
    rows: &[(u64, &[f32])],
) -> io::Result<()> {
    for part in layout.parts(first..first + rows.len() as u64) {
        let from = (part.first - first) as usize;
        let mut encoded = EncodedRows::default();
        for (row, (key, vector)) in (part.first..).zip(&rows[from..from + part.rows]) {
            encoded.push(row, *key, vector, centre);
        }
        for (column, bytes) in encoded.columns() {
            write_at(file, layout.bytes(part, column).start, bytes)?;
        }
    }
    Ok(())
}

/// Writes entries of the deletion log, starting with entry number `first`.
pub(crate) fn write_deletions(
    file: &File,
    layout: &FileLayout,
    first: u64,
    rows: &[u32],
) -> io::Result<()> {
    for part in layout.parts(first..first + rows.len() as u64) {
        let from = (part.first - first) as usize;
        let entries: Vec<u8> = (part.first..)
            .zip(&rows[from..from + part.rows])
            .flat_map(|(entry, &row)| encode_deletion(entry, row).to_le_bytes())
            .collect();
        write_at(file, layout.bytes(part, Column::Deletions).start, &entries)?;
    }
    Ok(())
}
