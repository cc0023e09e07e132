//! An open index: maps the file, checks it and reads rows.

use std::{
    collections::HashSet,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use tacit_simd::map::MappedFile;

use crate::{
    Error, IndexSpec, Opened, RebuildReason,
    encode::{decode_centre, decode_deletion, row_checksum},
    header::{self, FileHeader, PublishedState, u64_at},
    layout::{Column, FileLayout, SegmentRows},
};

/// Maximum number of published rows that may not have reached the disk. Opening checks these,
/// because a power cut can lose them.
pub(crate) const MAX_UNSYNCED: u64 = 64;

/// A vector index that is open for searching.
///
/// A search sees the file as of opening; open the index again to see newer rows. Opening takes some
/// tens of microseconds.
#[derive(Debug)]
pub struct VectorIndex {
    path: PathBuf,
    layout: FileLayout,
    fixed: FileHeader,
    state: PublishedState,
    map: MappedFile,
    dead: OnceLock<DeadRows>,
    damaged: AtomicBool,
}

/// The generation of a file compared with that of its database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncState {
    /// The file has all changes.
    Current,
    /// The file lacks changes after this generation; a writer can append them.
    Behind {
        /// The generation of the file.
        at: u64,
    },
    /// The file is newer than the database, which must have been restored from a backup;
    /// rebuild.
    Ahead {
        /// The generation of the file.
        at: u64,
    },
}

/// The number of rows of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowCounts {
    /// Rows that searches can find.
    pub live: u64,
    /// Rows that were replaced or removed; a rebuild drops them.
    pub dead: u64,
}

/// A bit set of the rows that were replaced or removed.
#[derive(Debug, Default)]
pub(crate) struct DeadRows(Vec<u64>);

impl DeadRows {
    pub(crate) fn contains(&self, row: u64) -> bool {
        self.0.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Marks a row; returns false if it was already marked.
    pub(crate) fn insert(&mut self, row: u64) -> bool {
        let word = (row / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let fresh = self.0[word] >> (row % 64) & 1 == 0;
        self.0[word] |= 1 << (row % 64);
        fresh
    }

    /// Marks the rows in entries of the deletion log, the first of which has number `first`.
    pub(crate) fn read(&mut self, first: u64, log: &[u8], rows: u64) -> Result<(), String> {
        for (entry, word) in (first..).zip(log.chunks_exact(8)) {
            match decode_deletion(entry, u64_at(word, 0)).map(u64::from) {
                Some(row) if row < rows && self.insert(row) => {}
                _ => return Err(format!("entry {entry} of the deletion log is invalid")),
            }
        }
        Ok(())
    }
}

impl VectorIndex {
    /// Opens the index at `path` if it matches `spec` and is undamaged.
    ///
    /// Only the header and the rows that may not have reached the disk are checked here.
    /// [`VectorIndex::verify`] checks the rest, and a search checks the rows that it ranks.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses to open, read or map the file. A missing, foreign or damaged
    /// file is not an error but an [`Opened::Rebuild`].
    pub fn open(path: &Path, spec: &IndexSpec) -> Result<Opened<Self>, Error> {
        let file =
            tacit_fs::none_if_missing(tacit_fs::open(path)).map_err(Error::io("open", path))?;
        let Some(file) = file else { return Ok(Opened::Rebuild(RebuildReason::Absent)) };
        let (fixed, state) = match header::read(&file, spec).map_err(Error::io("read", path))? {
            Ok(head) => head,
            Err(reason) => return Ok(Opened::Rebuild(reason)),
        };
        let layout = FileLayout::new(spec.dims());
        let needed = layout.end(state.rows);
        let length = file.metadata().map_err(Error::io("read the length of", path))?.len();
        if length < needed {
            let problem = format!("the file has {length} bytes; its rows need {needed}");
            return Ok(Opened::Rebuild(RebuildReason::Damaged(problem)));
        }
        let map = MappedFile::new(file, needed).map_err(Error::io("map", path))?;
        let index = Self {
            path: path.to_owned(),
            layout,
            fixed,
            state,
            map,
            dead: OnceLock::new(),
            damaged: AtomicBool::new(false),
        };
        let unsynced = state.synced.max(state.rows.saturating_sub(MAX_UNSYNCED))..state.rows;
        if let Some(row) = unsynced.into_iter().find(|&row| !index.is_intact(row)) {
            let problem = format!("row {row} never reached the disk");
            return Ok(Opened::Rebuild(RebuildReason::Damaged(problem)));
        }
        Ok(Opened::Ready(index))
    }

    /// Returns the generation of the file.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// Compares the file with a database at `generation`.
    #[must_use]
    pub fn sync_state(&self, generation: u64) -> SyncState {
        let at = self.state.generation;
        match at.cmp(&generation) {
            std::cmp::Ordering::Equal => SyncState::Current,
            std::cmp::Ordering::Less => SyncState::Behind { at },
            std::cmp::Ordering::Greater => SyncState::Ahead { at },
        }
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn row_counts(&self) -> RowCounts {
        RowCounts { live: self.state.rows - self.state.deletions, dead: self.state.deletions }
    }

    /// Returns the number of dimensions.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.layout.dims()
    }

    /// Returns true if a search has found a row that does not match its checksum.
    ///
    /// Such rows are left out of results; the index should be rebuilt.
    #[must_use]
    pub fn damage_seen(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Returns the live keys with their vectors, in the order they were added.
    ///
    /// # Errors
    ///
    /// Fails if the file was truncated or its deletion log is damaged. A damaged row is an error in
    /// its place.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<(u64, Vec<f32>), Error>> + '_, Error> {
        self.check_backing()?;
        let dead = self.dead()?;
        Ok((0..self.state.rows).filter(|&row| !dead.contains(row)).map(|row| {
            if !self.is_intact(row) {
                return Err(Error::damaged(&self.path, format!("row {row}")));
            }
            let vector = crate::exact::floats(self.row(row, Column::Vectors)).collect();
            Ok((self.key(row), vector))
        }))
    }

    /// Checks the whole file against its checksums.
    ///
    /// # Errors
    ///
    /// Describes the first damage.
    pub fn verify(&self) -> Result<RowCounts, Error> {
        self.check_backing()?;
        let centre = self.bytes(self.layout.centre());
        if decode_centre(centre, self.fixed.centre_sum, &self.layout).is_none() {
            return Err(Error::damaged(&self.path, "the centre"));
        }
        let dead = self.dead()?;
        let mut keys = HashSet::new();
        for row in 0..self.state.rows {
            if !self.is_intact(row) {
                return Err(Error::damaged(&self.path, format!("row {row}")));
            }
            if !dead.contains(row) && !keys.insert(self.key(row)) {
                let problem =
                    format!("key {} is live twice, the second time in row {row}", self.key(row));
                return Err(Error::damaged(&self.path, problem));
            }
        }
        Ok(self.row_counts())
    }

    /// Fails if the file has become shorter than its mapping: see [`MappedFile`].
    pub(crate) fn check_backing(&self) -> Result<(), Error> {
        match self.map.is_backed() {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::damaged(&self.path, "the file was truncated while open")),
            Err(error) => Err(Error::io("read the length of", &self.path)(error)),
        }
    }

    /// Returns the dead rows, reading the log on first use.
    pub(crate) fn dead(&self) -> Result<&DeadRows, Error> {
        if let Some(dead) = self.dead.get() {
            return Ok(dead);
        }
        let mut dead = DeadRows::default();
        for part in self.layout.parts(0..self.state.deletions) {
            dead.read(part.first, self.column(part, Column::Deletions), self.state.rows)
                .map_err(|problem| Error::damaged(&self.path, problem))?;
        }
        Ok(self.dead.get_or_init(|| dead))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn layout(&self) -> &FileLayout {
        &self.layout
    }

    pub(crate) fn row_count(&self) -> u64 {
        self.state.rows
    }

    pub(crate) fn note_damage(&self) {
        self.damaged.store(true, Ordering::Relaxed);
    }

    /// Returns the values of a column for `part`, which must be published.
    pub(crate) fn column(&self, part: SegmentRows, column: Column) -> &[u8] {
        self.bytes(self.layout.bytes(part, column))
    }

    /// Returns the value of a published row in a column.
    pub(crate) fn row(&self, row: u64, column: Column) -> &[u8] {
        self.bytes(self.layout.row(row, column))
    }

    pub(crate) fn key(&self, row: u64) -> u64 {
        u64_at(self.row(row, Column::Keys), 0)
    }

    /// Returns true if a published row matches its checksum.
    pub(crate) fn is_intact(&self, row: u64) -> bool {
        let parts = [Column::Keys, Column::Scales, Column::Codes, Column::Vectors]
            .map(|column| self.row(row, column));
        u64_at(self.row(row, Column::Sums), 0) == row_checksum(row, &parts)
    }

    /// Returns bytes of the mapping. Published rows are always inside it: the length of the file
    /// was checked before mapping, and the map covers all their segments.
    fn bytes(&self, range: Range<u64>) -> &[u8] {
        let bytes = self.map.get(range.start as usize..range.end as usize);
        bytes.unwrap_or_else(|| unreachable!("{range:?} of `{}`", self.path.display()))
    }
}
