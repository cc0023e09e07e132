//! Search: scans all codes for candidates, and ranks them exactly.

use std::path::Path;

use tacit_simd::{gemm::Kernel, scan::Int8Query};

use crate::{
    Error, VectorIndex, encode,
    exact::{ExactQuery, floats},
    index::DeadRows,
    layout::Column,
    top::TopRows,
};

/// The number of rows per call of the kernel: enough to make the call free, few enough for a buffer
/// on the stack.
const BLOCK: usize = 512;

/// A row found by a search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorHit {
    /// The caller's key.
    pub key: u64,
    /// The exact cosine between the query and the row's vector.
    pub score: f32,
}

impl VectorIndex {
    /// Returns the `k` rows nearest to `query`: best first, equal scores by key.
    ///
    /// A query without direction (all zeros) finds nothing.
    ///
    /// # Errors
    ///
    /// Fails if the query does not fit the index or is not finite, or the file was truncated or its
    /// deletion log is damaged. Damaged rows are left out: see [`VectorIndex::damage_seen`].
    pub fn search(&self, query: &[f32], k: usize) -> Result<Vec<VectorHit>, Error> {
        let exact = self.exact_query(query)?;
        let dead = self.dead()?;
        if k == 0 || exact.norm() == 0.0 {
            return Ok(Vec::new());
        }
        let candidates = self.candidates(query, shortlist(k), dead);
        match candidates.into_iter().map(|row| self.hit(&exact, row.into())).collect() {
            Some(hits) => Ok(best_hits(hits, k)),
            None => {
                // Damaged codes can push intact rows off the shortlist, so it cannot be trusted.
                // The vectors with their checksums can.
                self.note_damage();
                Ok(self.scan_exactly(&exact, k, dead))
            }
        }
    }

    /// Searches by comparing the query with every vector: slow, for comparison with `search`.
    ///
    /// # Errors
    ///
    /// The same as [`VectorIndex::search`].
    pub fn search_exact(&self, query: &[f32], k: usize) -> Result<Vec<VectorHit>, Error> {
        let exact = self.exact_query(query)?;
        let dead = self.dead()?;
        if k == 0 || exact.norm() == 0.0 {
            return Ok(Vec::new());
        }
        Ok(self.scan_exactly(&exact, k, dead))
    }

    fn exact_query<'a>(&self, query: &'a [f32]) -> Result<ExactQuery<'a>, Error> {
        check_vector(self.path(), self.dims(), query, || "the query".to_owned())?;
        self.check_backing()?;
        Ok(ExactQuery::new(query))
    }

    /// Returns the `limit` live rows with the best code scores.
    fn candidates(&self, query: &[f32], limit: usize, dead: &DeadRows) -> Vec<u32> {
        let query: Vec<f32> = encode::unit(query).collect();
        let codes: Vec<i8> = encode::int8(&query).1.collect();
        let query = Int8Query::new(&codes, Kernel::best());
        let mut top = TopRows::new(limit);
        let mut dots = [0; BLOCK];
        for part in self.layout().parts(0..self.row_count()) {
            let (codes, scales) =
                (self.column(part, Column::Codes), self.column(part, Column::Scales));
            let blocks = codes.chunks(BLOCK * query.stride()).zip(scales.chunks(BLOCK * 4));
            for (first, (codes, scales)) in (part.first..).step_by(BLOCK).zip(blocks) {
                let dots = &mut dots[..scales.len() / 4];
                query.dots(codes, dots);
                for (row, (&dot, scale)) in (first..).zip(dots.iter().zip(floats(scales))) {
                    // Scores are only compared, so the query's scale, which all rows share, is left
                    // out.
                    let score = dot as f32 * scale;
                    if top.admits(score) && !dead.contains(row) {
                        top.offer(score, row as u32);
                    }
                }
            }
        }
        top.into_rows()
    }

    fn scan_exactly(&self, query: &ExactQuery<'_>, k: usize, dead: &DeadRows) -> Vec<VectorHit> {
        let mut hits = Vec::new();
        for row in (0..self.row_count()).filter(|&row| !dead.contains(row)) {
            match self.hit(query, row) {
                Some(hit) => hits.push(hit),
                None => self.note_damage(),
            }
        }
        best_hits(hits, k)
    }

    /// Scores a row exactly; `None` if the row is damaged.
    fn hit(&self, query: &ExactQuery<'_>, row: u64) -> Option<VectorHit> {
        self.is_intact(row).then(|| VectorHit {
            key: self.key(row),
            score: query.cosine(self.row(row, Column::Vectors)),
        })
    }
}

/// Returns how many rows to rank exactly for the best `k`.
///
/// Codes misplaced a row by up to 8 positions among 2,000 vectors of the bundled model, and by more
/// if rows are closer. Fifty more exact scores cost less than 0.1 ms.
fn shortlist(k: usize) -> usize {
    k.saturating_mul(2).max(k.saturating_add(100))
}

fn best_hits(mut hits: Vec<VectorHit>, k: usize) -> Vec<VectorHit> {
    hits.sort_unstable_by(|a, b| b.score.total_cmp(&a.score).then(a.key.cmp(&b.key)));
    hits.truncate(k);
    hits
}

/// Rejects vectors that do not fit an index.
pub(crate) fn check_vector(
    path: &Path,
    dims: usize,
    vector: &[f32],
    describe: impl Fn() -> String,
) -> Result<(), Error> {
    if vector.len() != dims {
        let (path, found) = (path.to_owned(), vector.len());
        return Err(Error::WrongDims { path, expected: dims, found });
    }
    if vector.iter().any(|x| !x.is_finite()) {
        return Err(Error::NotFinite { path: path.to_owned(), detail: describe() });
    }
    Ok(())
}
