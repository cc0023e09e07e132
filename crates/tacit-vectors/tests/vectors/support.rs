//! A temporary index, generated vectors, and a map as the model of an index.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use tacit_fs::Wait;
use tacit_vectors::{Batch, IndexSpec, Opened, RowCounts, VectorHit, VectorIndex, WriteLock};

/// The live keys and their vectors.
pub(crate) type Model = BTreeMap<u64, Vec<f32>>;

/// An index in its own directory.
pub(crate) struct Scratch {
    dir: tempfile::TempDir,
    pub(crate) spec: IndexSpec,
}

impl Scratch {
    pub(crate) fn new(dims: usize) -> Self {
        let dir = tempfile::tempdir().expect("a scratch directory");
        Self { dir, spec: IndexSpec::new("test-model", dims).expect("dimensions that fit") }
    }

    /// Returns an index of `rows` clustered vectors under keys 0, 1, …, at generation 1.
    pub(crate) fn filled(dims: usize, rows: u64) -> (Self, Model) {
        let scratch = Self::new(dims);
        let model: Model = (0..rows).map(|key| (key, vector(dims, key))).collect();
        scratch.rebuild(1, &model);
        (scratch, model)
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("vectors")
    }

    pub(crate) fn rebuild(&self, generation: u64, rows: &Model) {
        self.rebuild_under(&mut self.lock(), generation, rows);
    }

    /// Rebuilds the index from its own live rows.
    pub(crate) fn drop_dead_rows(&self) -> RowCounts {
        let mut lock = self.lock();
        let index = self.open();
        self.rebuild_under(&mut lock, index.generation(), &contents(&index))
    }

    fn rebuild_under(&self, lock: &mut WriteLock, generation: u64, rows: &Model) -> RowCounts {
        let mut rebuild = lock.rebuild(&self.spec).expect("begun");
        for (key, vector) in rows {
            rebuild.push(*key, vector).expect("pushed");
        }
        rebuild.finish(generation).expect("rebuilt")
    }

    pub(crate) fn apply(&self, generation: u64, put: &[(u64, &[f32])], remove: &[u64]) {
        let mut lock = self.lock();
        let mut appender = lock.append(&self.spec).expect("opened").ready().expect("usable");
        appender.apply(&Batch { generation, put, remove }).expect("appended");
    }

    pub(crate) fn lock(&self) -> WriteLock {
        WriteLock::acquire(&self.path(), Wait::Forever).expect("locked")
    }

    pub(crate) fn try_open(&self) -> Opened<VectorIndex> {
        VectorIndex::open(&self.path(), &self.spec).expect("no trouble with the system")
    }

    pub(crate) fn open(&self) -> VectorIndex {
        match self.try_open() {
            Opened::Ready(index) => index,
            Opened::Rebuild(reason) => panic!("not usable: {reason}"),
        }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(self.path()).expect("read")
    }

    pub(crate) fn overwrite(&self, bytes: &[u8]) {
        overwrite(&self.path(), bytes);
    }
}

/// Replaces a file by one with these bytes; readers of the old file are not affected.
pub(crate) fn overwrite(path: &Path, bytes: &[u8]) {
    let temporary = path.with_extension("test");
    std::fs::write(&temporary, bytes).expect("written");
    std::fs::rename(&temporary, path).expect("renamed");
}

/// Returns the rows of an index, which must be undamaged.
pub(crate) fn contents(index: &VectorIndex) -> Model {
    let rows = index.rows().expect("sound");
    rows.map(|row| row.expect("an undamaged row")).collect()
}

/// Returns the vector of a key: in one of eight clusters, off the origin, not normalised.
pub(crate) fn vector(dims: usize, key: u64) -> Vec<f32> {
    let mut own = Random::new(key + 1);
    let mut cluster = Random::new(key % 8 + 1_000_000);
    let length = 0.5 + own.uniform();
    (0..dims)
        .map(|i| {
            let mean = if i == dims / 3 { 3.0 } else { 0.3 };
            length * (mean + cluster.uniform() - 0.5 + 0.6 * (own.uniform() - 0.5))
        })
        .collect()
}

/// Returns the best `k` keys of a model by exhaustive comparison.
pub(crate) fn nearest(model: &Model, query: &[f32], k: usize) -> Vec<u64> {
    let mut scored: Vec<(f64, u64)> =
        model.iter().map(|(key, vector)| (cosine(query, vector), *key)).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored.into_iter().take(k).map(|(_, key)| key).collect()
}

pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 { dot(a, b) / lengths } else { 0.0 }
}

pub(crate) fn keys(hits: &[VectorHit]) -> Vec<u64> {
    hits.iter().map(|hit| hit.key).collect()
}

/// A pseudo-random generator with the same numbers in every run.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub(crate) fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }
}
