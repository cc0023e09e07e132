//! Adding and removing rows in place.
//!
//! Everything is written beyond what readers look at, and then published by one small write (see
//! `header`). Nothing that was published is ever written again: a replaced or removed row is
//! named in the deaths log, which grows like the rows do.

use std::{collections::HashMap, fs::File, io, path::PathBuf};

use crate::{
    Error, IndexSpec, Opened, RebuildReason, WriteLock,
    encode::{Encoded, centre_of, death},
    header::{self, FileHeader, PublishedState, read_at, u64_at, write_at},
    index::{DeadRows, UNSYNCED, VectorIndex},
    layout::{Column, FileLayout, MAX_ROWS},
    lock,
    search::check_vector,
};

/// Changes that belong together: after an interruption either all of them count or none.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The database generation the index is in step with once this batch is in.
    pub generation: u64,
    /// Rows to add, or to put in place of earlier ones with the same key. The last of several
    /// with the same key counts.
    pub put: &'a [(u64, &'a [f32])],
    /// Keys to remove; those the index does not hold are ignored, and those in `put` are put.
    pub remove: &'a [u64],
}

/// An index open for writing, under its lock.
#[derive(Debug)]
pub struct Appender<'a> {
    file: File,
    path: PathBuf,
    layout: FileLayout,
    centre: Vec<f32>,
    fixed: FileHeader,
    state: PublishedState,
    /// Known once needed.
    dead: Option<DeadRows>,
    _lock: &'a mut WriteLock,
}

impl<'a> Appender<'a> {
    pub(crate) fn open(lock: &'a mut WriteLock, spec: &IndexSpec) -> Result<Opened<Self>, Error> {
        let path = lock.path().to_owned();
        // The reader's checks apply to a writer too: building on a damaged end would hide it.
        if let Opened::Rebuild(reason) = VectorIndex::open(&path, spec)? {
            return Ok(Opened::Rebuild(reason));
        }
        let file = tacit_fs::open_to_write(&path).map_err(Error::io("open for writing", &path))?;
        // Should someone delete the lock file while a writer is at work, this second lock keeps
        // the next writer out. Elsewhere locks are mandatory and would keep readers out as well.
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
        let Some(centre) = centre_of(&centre, fixed.centre_sum, &layout) else {
            return Ok(Opened::Rebuild(RebuildReason::Damaged("the centre".into())));
        };
        let dead = None;
        Ok(Opened::Ready(Self { file, path, layout, centre, fixed, state, dead, _lock: lock }))
    }

    /// Returns the generation the file is in step with: ask the database for what changed since.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// Adds, replaces and removes rows; readers that open the index afterwards see all of it.
    ///
    /// When this returns, the batch survives the death of the process. Whether it survives a power
    /// cut is left to the system for a few rows at a time, and noticed when it does not: the
    /// database has them.
    ///
    /// # Errors
    ///
    /// When a vector does not fit, the batch is older than the file, or the system refuses to
    /// write. The index then holds what it held before.
    pub fn apply(&mut self, batch: &Batch<'_>) -> Result<(), Error> {
        if batch.generation < self.state.generation {
            let (at, given) = (self.state.generation, batch.generation);
            return Err(Error::Backwards { path: self.path.clone(), at, given });
        }
        for (key, vector) in batch.put {
            let what = || format!("the vector of key {key}");
            check_vector(&self.path, self.layout.dims(), vector, what)?;
        }
        let put = last_of_each(batch.put);
        if self.state.rows + put.len() as u64 > MAX_ROWS {
            return Err(Error::Full { path: self.path.clone() });
        }
        let mut keys: Vec<u64> =
            put.iter().map(|(key, _)| *key).chain(batch.remove.iter().copied()).collect();
        keys.sort_unstable();
        keys.dedup();
        let dying = self.live_rows_of(&keys)?;

        let mut next = self.state;
        next.turn += 1;
        next.generation = batch.generation;
        next.rows += put.len() as u64;
        next.deaths += dying.len() as u64;
        next.max_key = put.iter().map(|(key, _)| *key).fold(next.max_key, u64::max);
        self.write(&put, &dying, &mut next).map_err(Error::io("write", &self.path))?;
        self.state = next;
        if let Some(dead) = &mut self.dead {
            for row in dying {
                dead.insert(row.into());
            }
        }
        Ok(())
    }

    fn write(
        &self,
        put: &[(u64, &[f32])],
        dying: &[u32],
        next: &mut PublishedState,
    ) -> io::Result<()> {
        let length = self.layout.end(next.rows);
        if self.file.metadata()?.len() < length {
            self.file.set_len(length)?;
        }
        write_rows(&self.file, &self.layout, &self.centre, self.state.rows, put)?;
        write_deaths(&self.file, &self.layout, self.state.deaths, dying)?;
        if next.rows - next.synced > UNSYNCED {
            self.file.sync_data()?;
            next.synced = next.rows;
        }
        let (place, bytes) = next.encode(&self.fixed);
        write_at(&self.file, place, &bytes)
    }

    /// Returns the rows that hold any of these keys, which are sorted, and are not dead.
    fn live_rows_of(&mut self, keys: &[u64]) -> Result<Vec<u32>, Error> {
        let known = keys.partition_point(|&key| key <= self.state.max_key);
        let keys = &keys[..known];
        let (Some(&least), Some(&most)) = (keys.first(), keys.last()) else {
            return Ok(Vec::new());
        };
        let dead = match self.dead.take() {
            Some(dead) => dead,
            None => self.read_dead()?,
        };
        let mut found = Vec::new();
        let mut run = Vec::new();
        for part in self.layout.parts(0..self.state.rows) {
            run.resize(part.rows * 8, 0);
            read_at(&self.file, self.layout.bytes(part, Column::Keys).start, &mut run)
                .map_err(Error::io("read", &self.path))?;
            for (row, key) in (part.first..).zip(run.chunks_exact(8)) {
                let key = u64_at(key, 0);
                let wanted = least <= key && key <= most && keys.binary_search(&key).is_ok();
                if wanted && !dead.contains(row) {
                    found.push(row as u32);
                }
            }
        }
        self.dead = Some(dead);
        Ok(found)
    }

    fn read_dead(&self) -> Result<DeadRows, Error> {
        let mut dead = DeadRows::default();
        let mut run = Vec::new();
        for part in self.layout.parts(0..self.state.deaths) {
            run.resize(part.rows * 8, 0);
            read_at(&self.file, self.layout.bytes(part, Column::Deaths).start, &mut run)
                .map_err(Error::io("read", &self.path))?;
            dead.read(part.first, &run, self.state.rows)
                .map_err(|what| Error::damaged(&self.path, what))?;
        }
        Ok(dead)
    }
}

/// Besides letting go of the second lock at once, this keeps the borrow of the first alive as long
/// as the appender: two appenders in one process would wait for each other forever.
impl Drop for Appender<'_> {
    fn drop(&mut self) {
        // Closing the file unlocks it anyway.
        let _ = self.file.unlock();
    }
}

/// Returns the rows to write: of several with one key, the last.
fn last_of_each<'a>(put: &[(u64, &'a [f32])]) -> Vec<(u64, &'a [f32])> {
    let last: HashMap<u64, usize> =
        put.iter().enumerate().map(|(place, (key, _))| (*key, place)).collect();
    put.iter()
        .enumerate()
        .filter(|(place, (key, _))| last.get(key) == Some(place))
        .map(|(_, row)| *row)
        .collect()
}

/// Encodes rows and writes them from row number `first` on.
pub(crate) fn write_rows(
    file: &File,
    layout: &FileLayout,
    centre: &[f32],
    first: u64,
    rows: &[(u64, &[f32])],
) -> io::Result<()> {
    for part in layout.parts(first..first + rows.len() as u64) {
        let from = (part.first - first) as usize;
        let mut encoded = Encoded::default();
        for (row, (key, vector)) in (part.first..).zip(&rows[from..from + part.rows]) {
            encoded.push(row, *key, vector, centre);
        }
        for (run, bytes) in encoded.runs() {
            write_at(file, layout.bytes(part, run).start, bytes)?;
        }
    }
    Ok(())
}

/// Writes entries of the deaths log from entry number `first` on.
pub(crate) fn write_deaths(
    file: &File,
    layout: &FileLayout,
    first: u64,
    rows: &[u32],
) -> io::Result<()> {
    for part in layout.parts(first..first + rows.len() as u64) {
        let from = (part.first - first) as usize;
        let entries: Vec<u8> = (part.first..)
            .zip(&rows[from..from + part.rows])
            .flat_map(|(entry, &row)| death(entry, row).to_le_bytes())
            .collect();
        write_at(file, layout.bytes(part, Column::Deaths).start, &entries)?;
    }
    Ok(())
}
