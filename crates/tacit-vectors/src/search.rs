//! Searching: which codes to scan, how many candidates to keep, and their exact ranking.

use std::path::Path;

use tacit_simd::scan::{BitQuery, Int8Query, Level};

use crate::{
    Error, VectorIndex, encode,
    exact::ExactQuery,
    layout::Run,
    rotate::Rotation,
    scan::{self, Admission, Codes},
};

/// From so many bytes of 8-bit codes on, [`Plan::Auto`] scans bits first: 50,000 rows of the
/// bundled model. Below, there is little to gain; above, a scan of the codes drives the weights of
/// the model out of the cache, and the next question waits for them.
const BITS_FROM: u64 = 50_000 * 384;

/// Bits of fewer dimensions than this say too little about a vector.
const BITS_MIN_DIMS: u64 = 128;

/// A second thread pays from so many bytes of 8-bit codes on, and one more for each as many again.
/// Below, starting it costs more than it saves.
const BYTES_PER_THREAD: u64 = 150_000 * 384;

/// The same for the first search of a mapping, most of whose time goes into mapping its pages.
const BYTES_PER_THREAD_AT_FIRST: u64 = 50_000 * 384;

/// More threads than this wait for memory, not for arithmetic.
const MOST_THREADS: usize = 4;

/// Decides which keys may be found.
pub type Filter<'a> = dyn Fn(u64) -> bool + Sync + 'a;

/// A row that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The caller's key.
    pub key: u64,
    /// The exact cosine between the query and the row's vector.
    pub score: f32,
}

/// How candidates are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Plan {
    /// Whatever suits the number of rows.
    #[default]
    Auto,
    /// Scan the 8-bit codes of every row.
    Int8,
    /// Scan the bits of every row, then the 8-bit codes of the best so many.
    Bits {
        /// How many rows survive the first scan.
        candidates: usize,
    },
}

/// What a caller may decide about a search. Results do not depend on threads or level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchOptions {
    /// How candidates are found.
    pub plan: Plan,
    /// On how many threads, the calling one included; by default as many as pay.
    pub threads: Option<usize>,
    /// With which instructions; by default the best there are.
    pub level: Option<Level>,
}

impl VectorIndex {
    /// The `k` rows nearest to `query` among those whose keys pass `filter`: best first, equal
    /// scores by key.
    ///
    /// A query without direction (all zeros) finds nothing.
    ///
    /// # Errors
    ///
    /// When the query does not fit the index or is not finite, or the file was cut short or its
    /// deaths log is damaged. Damaged rows are left out: see [`VectorIndex::damage_seen`].
    pub fn search(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Filter<'_>>,
    ) -> Result<Vec<Hit>, Error> {
        self.search_with(query, k, filter, SearchOptions::default())
    }

    /// [`VectorIndex::search`] with a say in how.
    ///
    /// # Errors
    ///
    /// As [`VectorIndex::search`].
    pub fn search_with(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Filter<'_>>,
        options: SearchOptions,
    ) -> Result<Vec<Hit>, Error> {
        self.check_query(query)?;
        let admission = Admission { dead: self.dead()?, filter };
        let exact = ExactQuery::new(query);
        if k == 0 || self.row_count() == 0 || exact.norm() == 0.0 {
            return Ok(Vec::new());
        }
        let level = options.level.unwrap_or_else(Level::best);
        let threads = options.threads.unwrap_or_else(|| self.threads_that_pay());
        let mut turned: Vec<f32> =
            query.iter().map(|&x| (f64::from(x) / exact.norm()) as f32).collect();
        Rotation::new(self.dims()).apply(&mut turned);
        let int8 = int8_query(&turned, level);
        let wanted = shortlist(k);
        let rows = match self.resolve(options.plan, wanted) {
            Some(candidates) => {
                let bits = bit_query(&turned, level);
                let rows = scan::best(self, &bits, candidates, admission, threads);
                scan::best_of(self, &int8, wanted, rows, threads)
            }
            None => scan::best(self, &int8, wanted, admission, threads),
        };
        match self.rank(&exact, &rows) {
            Some(hits) => Ok(best_hits(hits, k)),
            None => {
                // Damaged codes can push sound rows off the shortlist, so it is not to be
                // trusted. The vectors and their checksums are.
                self.note_damage();
                Ok(self.scan_exactly(&exact, k, admission))
            }
        }
    }

    /// The same answer by comparing the query with every vector: slow, and what `search` is
    /// measured against.
    ///
    /// # Errors
    ///
    /// As [`VectorIndex::search`].
    pub fn search_exact(
        &self,
        query: &[f32],
        k: usize,
        filter: Option<&Filter<'_>>,
    ) -> Result<Vec<Hit>, Error> {
        self.check_query(query)?;
        let admission = Admission { dead: self.dead()?, filter };
        let exact = ExactQuery::new(query);
        if k == 0 || exact.norm() == 0.0 {
            return Ok(Vec::new());
        }
        Ok(self.scan_exactly(&exact, k, admission))
    }

    fn check_query(&self, query: &[f32]) -> Result<(), Error> {
        check_vector(self.path(), self.dims(), query, || "the query".to_owned())?;
        self.check_backing()
    }

    /// The exact scores of some rows, or `None` if one of them is damaged.
    fn rank(&self, query: &ExactQuery<'_>, rows: &[u32]) -> Option<Vec<Hit>> {
        let hit = |&row: &u32| {
            let row = u64::from(row);
            self.is_whole(row).then(|| Hit {
                key: self.key(row),
                score: query.cosine(self.row(row, Run::Vectors)),
            })
        };
        rows.iter().map(hit).collect()
    }

    fn scan_exactly(&self, query: &ExactQuery<'_>, k: usize, admission: Admission<'_>) -> Vec<Hit> {
        let threads = self.threads_that_pay() as u64;
        let share = self.row_count().div_ceil(threads).max(1);
        let shares = (0..self.row_count()).step_by(share as usize).map(|from| (from, share));
        let hits = scan::in_parallel(shares, |(from, share)| {
            let mut hits = Vec::new();
            for row in from..(from + share).min(self.row_count()) {
                if !admission.admits(self, row) {
                    continue;
                }
                if self.is_whole(row) {
                    let score = query.cosine(self.row(row, Run::Vectors));
                    hits.push(Hit { key: self.key(row), score });
                } else {
                    self.note_damage();
                }
                if hits.len() >= 4 * k.max(256) {
                    hits = best_hits(hits, k);
                }
            }
            hits
        });
        best_hits(hits.concat(), k)
    }

    /// How many candidates the bits are to leave, or `None` to scan 8-bit codes at once.
    fn resolve(&self, plan: Plan, wanted: usize) -> Option<usize> {
        match plan {
            Plan::Int8 => None,
            Plan::Bits { candidates } => Some(candidates.max(wanted)),
            Plan::Auto => bit_candidates(self.row_count(), self.dims() as u64, wanted),
        }
    }

    fn threads_that_pay(&self) -> usize {
        let bytes = self.row_count() * self.layout().stride(Run::Codes) as u64;
        let share =
            if self.is_first_search() { BYTES_PER_THREAD_AT_FIRST } else { BYTES_PER_THREAD };
        let useful = (bytes / share + 1) as usize;
        if useful == 1 {
            // Asking how many processors there are reads files: not for nothing.
            return 1;
        }
        let there = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        useful.min(there).min(MOST_THREADS)
    }
}

/// How many rows are ranked exactly for `k` wanted: the error of 8-bit codes is a few places.
fn shortlist(k: usize) -> usize {
    k.saturating_mul(2).max(k.saturating_add(50))
}

/// How many rows the bits pass on, or `None` where they are not worth scanning.
///
/// Measured with the bundled model on real text and questions: to keep 99% of the best ten, bits
/// have to pass on 128 of 2,250 rows and 270 of 28,800, a number that doubles while the rows grow
/// twelvefold. One in 64 is twice that and more; 4,096 leaves room for millions. Fewer dimensions,
/// which make the estimate coarser, get more.
fn bit_candidates(rows: u64, dims: u64, wanted: usize) -> Option<usize> {
    if dims < BITS_MIN_DIMS || rows * dims < BITS_FROM {
        return None;
    }
    let candidates = (rows / 64).min(4096).max(rows / 256) * 384_u64.div_ceil(dims);
    Some((candidates as usize).max(wanted.saturating_mul(16)))
}

fn int8_query(turned: &[f32], level: Level) -> Codes {
    let mut codes = Vec::new();
    encode::int8(turned, &mut codes);
    Codes::Int8(Int8Query::new(&codes, level))
}

fn bit_query(turned: &[f32], level: Level) -> Codes {
    let peak = turned.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
    let scale = if peak > 0.0 { f32::from(BitQuery::MAX_VALUE) / peak } else { 0.0 };
    let values: Vec<i8> = turned.iter().map(|x| (x * scale).round() as i8).collect();
    let sum = values.iter().map(|&value| i32::from(value)).sum();
    Codes::Bits { query: BitQuery::new(&values, level), sum }
}

fn best_hits(mut hits: Vec<Hit>, k: usize) -> Vec<Hit> {
    hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    hits.truncate(k);
    hits
}

/// Refuses vectors that do not fit an index.
pub(crate) fn check_vector(
    path: &Path,
    dims: usize,
    vector: &[f32],
    what: impl Fn() -> String,
) -> Result<(), Error> {
    if vector.len() != dims {
        let (path, found) = (path.to_owned(), vector.len());
        return Err(Error::WrongDims { path, expected: dims, found });
    }
    if vector.iter().any(|x| !x.is_finite()) {
        return Err(Error::NotFinite { path: path.to_owned(), what: what() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_scanned_where_there_is_much_to_scan_and_they_say_enough() {
        for (rows, dims, candidates) in [
            (49_999, 384, None),
            (50_000, 384, Some(960)),
            (100_000, 384, Some(1562)),
            (300_000, 384, Some(4096)),
            (4_000_000, 384, Some(15_625)),
            (18_000, 1024, None),
            (20_000, 1024, Some(960)),
            (1_000_000, 128, Some(3 * 4096)),
            (100_000_000, 64, None),
        ] {
            assert_eq!(bit_candidates(rows, dims, 60), candidates, "{rows} x {dims}");
        }
        assert_eq!(bit_candidates(300_000, 384, 1000), Some(16_000));
    }
}
