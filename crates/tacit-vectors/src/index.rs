//! An open index: mapping, checking, and reading single rows.

use std::{
    collections::HashSet,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

use tacit_simd::map::Map;

use crate::{
    Error, Opened, Reason, Spec,
    encode::{centre_of, dead_row, row_sum},
    header::{self, Fixed, State, u64_at},
    layout::{Layout, Part, Run},
};

/// At most so many published rows are not known to have reached the disk. Opening checks these:
/// they are what a power cut can take back.
pub(crate) const UNSYNCED: u64 = 64;

/// A vector index, open for searching.
///
/// It sees the file as of the moment it was opened; open it again to see more. Opening costs some
/// tens of microseconds.
#[derive(Debug)]
pub struct VectorIndex {
    path: PathBuf,
    layout: Layout,
    fixed: Fixed,
    state: State,
    map: Map,
    dead: OnceLock<Dead>,
    damage: AtomicBool,
}

/// How a file stands to the database it is derived from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It holds what the database holds.
    InStep,
    /// It lacks changes after this generation; a writer can catch up.
    Behind {
        /// The generation the file is in step with.
        at: u64,
    },
    /// It is ahead of the database, which must have been set back; rebuild.
    Ahead {
        /// The generation the file is in step with.
        at: u64,
    },
}

/// How many rows an index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Census {
    /// Rows that a search can find.
    pub live: u64,
    /// Rows that were replaced or removed; a rebuild leaves them out.
    pub dead: u64,
}

/// One bit per row, set where it was replaced or removed.
#[derive(Debug, Default)]
pub(crate) struct Dead(Vec<u64>);

impl Dead {
    pub(crate) fn contains(&self, row: u64) -> bool {
        self.0.get((row / 64) as usize).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Marks a row; false if it was marked before.
    pub(crate) fn insert(&mut self, row: u64) -> bool {
        let word = (row / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let fresh = self.0[word] >> (row % 64) & 1 == 0;
        self.0[word] |= 1 << (row % 64);
        fresh
    }

    /// Marks the rows that entries of the deaths log name, the first of which is `first`.
    pub(crate) fn read(&mut self, first: u64, log: &[u8], rows: u64) -> Result<(), String> {
        for (entry, word) in (first..).zip(log.chunks_exact(8)) {
            match dead_row(entry, u64_at(word, 0)).map(u64::from) {
                Some(row) if row < rows && self.insert(row) => {}
                _ => return Err(format!("entry {entry} of the deaths log is not sound")),
            }
        }
        Ok(())
    }
}

impl VectorIndex {
    /// Opens the index at `path` if it holds what `spec` says and can be trusted.
    ///
    /// Reads the header and the few rows that may not have reached the disk; the rest is checked
    /// by [`VectorIndex::verify`], and row by row as a search comes to rank it.
    ///
    /// # Errors
    ///
    /// When the system refuses to open, read or map the file. A file that is merely absent,
    /// foreign or damaged is not an error but an [`Opened::Rebuild`].
    pub fn open(path: &Path, spec: &Spec) -> Result<Opened<Self>, Error> {
        let file =
            tacit_fs::none_if_missing(tacit_fs::open(path)).map_err(Error::io("open", path))?;
        let Some(file) = file else { return Ok(Opened::Rebuild(Reason::Absent)) };
        let (fixed, state) = match header::read(&file, spec).map_err(Error::io("read", path))? {
            Ok(head) => head,
            Err(reason) => return Ok(Opened::Rebuild(reason)),
        };
        let layout = Layout::new(spec.dims());
        let needed = layout.end(state.rows);
        let length = file.metadata().map_err(Error::io("read the length of", path))?.len();
        if length < needed {
            let what = format!("it has {length} bytes, and its rows need {needed}");
            return Ok(Opened::Rebuild(Reason::Damaged(what)));
        }
        let map = Map::new(file, needed).map_err(Error::io("map", path))?;
        let index = Self {
            path: path.to_owned(),
            layout,
            fixed,
            state,
            map,
            dead: OnceLock::new(),
            damage: AtomicBool::new(false),
        };
        let unsynced = state.synced.max(state.rows.saturating_sub(UNSYNCED))..state.rows;
        if let Some(row) = unsynced.into_iter().find(|&row| !index.is_whole(row)) {
            let what = format!("row {row} never reached the disk");
            return Ok(Opened::Rebuild(Reason::Damaged(what)));
        }
        Ok(Opened::Ready(index))
    }

    /// The generation the file is in step with.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// How the file stands to a database at `generation`.
    #[must_use]
    pub fn standing(&self, generation: u64) -> Standing {
        let at = self.state.generation;
        match at.cmp(&generation) {
            std::cmp::Ordering::Equal => Standing::InStep,
            std::cmp::Ordering::Less => Standing::Behind { at },
            std::cmp::Ordering::Greater => Standing::Ahead { at },
        }
    }

    /// Counts the rows.
    #[must_use]
    pub fn census(&self) -> Census {
        Census { live: self.state.rows - self.state.deaths, dead: self.state.deaths }
    }

    /// The number of dimensions.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.layout.dims()
    }

    /// Whether a search has come across a row that contradicts its checksum.
    ///
    /// Such rows are left out of results. The index should be rebuilt.
    #[must_use]
    pub fn damage_seen(&self) -> bool {
        self.damage.load(Ordering::Relaxed)
    }

    /// The keys a search can find, with their vectors, in the order they were added.
    ///
    /// # Errors
    ///
    /// When the file was cut short or its deaths log is damaged. A damaged row is an error in its
    /// place.
    pub fn rows(&self) -> Result<impl Iterator<Item = Result<(u64, Vec<f32>), Error>> + '_, Error> {
        self.check_backing()?;
        let dead = self.dead()?;
        Ok((0..self.state.rows).filter(|&row| !dead.contains(row)).map(|row| {
            if !self.is_whole(row) {
                return Err(Error::damaged(&self.path, format!("row {row}")));
            }
            let vector = crate::exact::floats(self.row(row, Run::Vectors)).collect();
            Ok((self.key(row), vector))
        }))
    }

    /// Reads everything and compares it with its checksums.
    ///
    /// # Errors
    ///
    /// Names the first thing that is damaged.
    pub fn verify(&self) -> Result<Census, Error> {
        self.check_backing()?;
        let centre = self.bytes(self.layout.centre());
        if centre_of(centre, self.fixed.centre_sum, &self.layout).is_none() {
            return Err(Error::damaged(&self.path, "the centre"));
        }
        let dead = self.dead()?;
        let mut keys = HashSet::new();
        for row in 0..self.state.rows {
            if !self.is_whole(row) {
                return Err(Error::damaged(&self.path, format!("row {row}")));
            }
            if !dead.contains(row) && !keys.insert(self.key(row)) {
                let what = format!("key {} lives twice, again in row {row}", self.key(row));
                return Err(Error::damaged(&self.path, what));
            }
        }
        Ok(self.census())
    }

    /// Refuses to go on when the file has become shorter than its mapping: see [`Map`].
    pub(crate) fn check_backing(&self) -> Result<(), Error> {
        match self.map.is_backed() {
            Ok(true) => Ok(()),
            Ok(false) => Err(Error::damaged(&self.path, "it was cut short while open")),
            Err(error) => Err(Error::io("read the length of", &self.path)(error)),
        }
    }

    /// The dead rows, read from their log at first use.
    pub(crate) fn dead(&self) -> Result<&Dead, Error> {
        if let Some(dead) = self.dead.get() {
            return Ok(dead);
        }
        let mut dead = Dead::default();
        for part in self.layout.parts(0..self.state.deaths) {
            dead.read(part.first, self.run(part, Run::Deaths), self.state.rows)
                .map_err(|what| Error::damaged(&self.path, what))?;
        }
        Ok(self.dead.get_or_init(|| dead))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn row_count(&self) -> u64 {
        self.state.rows
    }

    pub(crate) fn note_damage(&self) {
        self.damage.store(true, Ordering::Relaxed);
    }

    /// A run of the rows of `part`, which must be published.
    pub(crate) fn run(&self, part: Part, run: Run) -> &[u8] {
        self.bytes(self.layout.bytes(part, run))
    }

    /// What one published row holds in one run.
    pub(crate) fn row(&self, row: u64, run: Run) -> &[u8] {
        self.bytes(self.layout.row(row, run))
    }

    pub(crate) fn key(&self, row: u64) -> u64 {
        u64_at(self.row(row, Run::Keys), 0)
    }

    /// Whether a published row agrees with its checksum.
    pub(crate) fn is_whole(&self, row: u64) -> bool {
        let parts =
            [Run::Keys, Run::Scales, Run::Codes, Run::Vectors].map(|run| self.row(row, run));
        u64_at(self.row(row, Run::Sums), 0) == row_sum(row, &parts)
    }

    /// Bytes of the mapping. Published rows lie within it: their number was checked against the
    /// length of the file before it was mapped, and the map covers all their segments.
    fn bytes(&self, range: Range<u64>) -> &[u8] {
        let bytes = self.map.get(range.start as usize..range.end as usize);
        bytes.unwrap_or_else(|| unreachable!("{range:?} of `{}`", self.path.display()))
    }
}
