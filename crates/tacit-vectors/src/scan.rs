//! Scanning one run of codes over all rows, on one or more threads.

use std::ops::Range;

use tacit_simd::scan::{BitQuery, Int8Query};

use crate::{
    Filter, VectorIndex, exact,
    index::Dead,
    layout::{LARGEST, Run},
    top::Top,
};

/// Rows per call of a kernel: enough to make the call free, few enough for a buffer on the stack.
const BLOCK: usize = 512;

/// Which rows may be found.
#[derive(Clone, Copy)]
pub(crate) struct Admission<'a> {
    pub(crate) dead: &'a Dead,
    pub(crate) filter: Option<&'a Filter<'a>>,
}

impl Admission<'_> {
    pub(crate) fn admits(&self, index: &VectorIndex, row: u64) -> bool {
        !self.dead.contains(row) && self.filter.is_none_or(|filter| filter(index.key(row)))
    }
}

/// A query against one kind of codes. Scores only rank: a factor all rows share is left out.
#[derive(Debug)]
pub(crate) enum Codes {
    /// Signed bytes against signed bytes.
    Int8(Int8Query),
    /// Small integers against signs; the sum of the integers turns "where set" into "plus or
    /// minus".
    Bits { query: BitQuery, sum: i32 },
}

impl Codes {
    fn runs(&self) -> (Run, Run) {
        match self {
            Self::Int8(_) => (Run::Codes, Run::Scales),
            Self::Bits { .. } => (Run::Bits, Run::BitScales),
        }
    }

    /// Writes the score of each row into `scores`.
    fn score(&self, rows: &[u8], scales: &[u8], dots: &mut [i32], scores: &mut [f32]) {
        let (factor, offset) = match self {
            Self::Int8(query) => {
                query.dots(rows, dots);
                (1, 0)
            }
            Self::Bits { query, sum } => {
                query.dots(rows, dots);
                (2, -sum)
            }
        };
        for ((score, dot), scale) in scores.iter_mut().zip(dots).zip(exact::floats(scales)) {
            *score = (factor * *dot + offset) as f32 * scale;
        }
    }
}

/// The best `limit` rows of the whole index, best first.
pub(crate) fn best(
    index: &VectorIndex,
    codes: &Codes,
    limit: usize,
    admission: Admission<'_>,
    threads: usize,
) -> Vec<u32> {
    let rows = index.row_count();
    // Whole segments per thread, so that each scans long runs.
    let share = rows.div_ceil(threads.max(1) as u64).next_multiple_of(LARGEST).max(1);
    let shares = (0..rows).step_by(share as usize).map(|from| from..(from + share).min(rows));
    in_parallel(shares, |range| scan(index, codes, limit, admission, range))
        .into_iter()
        .reduce(|mut all, part| {
            all.merge(part);
            all
        })
        .map(Top::into_rows)
        .unwrap_or_default()
}

/// The best `limit` of some rows, which have been admitted before, best first.
pub(crate) fn best_of(
    index: &VectorIndex,
    codes: &Codes,
    limit: usize,
    mut rows: Vec<u32>,
    threads: usize,
) -> Vec<u32> {
    // In the order of the file, neighbouring candidates share pages.
    rows.sort_unstable();
    let (run, scale_run) = codes.runs();
    let shares = rows.chunks(rows.len().div_ceil(threads.max(1)).max(BLOCK));
    in_parallel(shares, |rows| {
        let mut top = Top::new(limit);
        for &row in rows {
            let (mut dot, mut score) = ([0], [0.0]);
            let (bytes, scale) = (index.row(row.into(), run), index.row(row.into(), scale_run));
            codes.score(bytes, scale, &mut dot, &mut score);
            if top.admits(score[0]) {
                top.offer(score[0], row);
            }
        }
        top
    })
    .into_iter()
    .reduce(|mut all, part| {
        all.merge(part);
        all
    })
    .map(Top::into_rows)
    .unwrap_or_default()
}

fn scan(
    index: &VectorIndex,
    codes: &Codes,
    limit: usize,
    admission: Admission<'_>,
    range: Range<u64>,
) -> Top {
    let mut top = Top::new(limit);
    let (mut dots, mut scores) = ([0; BLOCK], [0.0; BLOCK]);
    let (run, scale_run) = codes.runs();
    let stride = index.layout().stride(run);
    for part in index.layout().parts(range) {
        let (rows, scales) = (index.run(part, run), index.run(part, scale_run));
        let blocks = rows.chunks(BLOCK * stride).zip(scales.chunks(BLOCK * 4));
        for (first, (rows, scales)) in (part.first..).step_by(BLOCK).zip(blocks) {
            let count = scales.len() / 4;
            let (dots, scores) = (&mut dots[..count], &mut scores[..count]);
            codes.score(rows, scales, dots, scores);
            for (row, &score) in (first..).zip(&*scores) {
                if top.admits(score) && admission.admits(index, row) {
                    top.offer(score, row as u32);
                }
            }
        }
    }
    top
}

/// Does `work` on every share, the first on this thread and each other on one of its own.
pub(crate) fn in_parallel<S: Send, R: Send>(
    shares: impl Iterator<Item = S>,
    work: impl Fn(S) -> R + Sync,
) -> Vec<R> {
    let mut shares = shares.into_iter();
    let Some(first) = shares.next() else { return Vec::new() };
    std::thread::scope(|scope| {
        let work = &work;
        let others: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
        let mut results = vec![work(first)];
        for other in others {
            match other.join() {
                Ok(result) => results.push(result),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    })
}
