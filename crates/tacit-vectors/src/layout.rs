//! Where things lie in the file.
//!
//! After the header pages and the centre come segments. A segment has room for a fixed number of
//! rows and keeps what belongs together side by side: one run each of keys, checksums, deaths,
//! scales, codes and vectors. A scan therefore reads one long run per segment
//! and never touches the others; a row can be added in place without moving anything.
//!
//! Segments double in size until they hold [`LARGEST`] rows, so a young file is small and an old
//! one has long runs. Their places follow from the number of dimensions alone: no directory is
//! stored, and nothing in the file has to be trusted to find a row.

use std::ops::Range;

use tacit_simd::scan::Int8Query;

/// Regions begin on pages, so that a run's pages hold nothing else.
pub(crate) const PAGE: u64 = 4096;
/// The fixed header and the two slots, one page each.
pub(crate) const HEAD: u64 = 3 * PAGE;
/// Rows in the first segment.
const FIRST: u64 = 64;
/// Rows in every segment from the eighth on.
pub(crate) const LARGEST: u64 = 8192;
/// How many segments are smaller than [`LARGEST`].
const GROWING: usize = 7;
/// Rows in all the growing segments together.
const GROWING_ROWS: u64 = LARGEST - FIRST;
/// Row numbers fit 32 bits, with one to spare for "none".
pub(crate) const MAX_ROWS: u64 = u32::MAX as u64;

/// One of the runs of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// The caller's key: `u64`.
    Keys,
    /// The checksum of the row: `u64`.
    Sums,
    /// The deaths log, numbered on its own: `u64`.
    Deaths,
    /// The scale of the codes: `f32`.
    Scales,
    /// One signed byte per dimension.
    Codes,
    /// The vector itself: `f32` per dimension.
    Vectors,
}

impl Column {
    const ALL: [Self; 6] =
        [Self::Keys, Self::Sums, Self::Deaths, Self::Scales, Self::Codes, Self::Vectors];

    /// Returns true if the run begins on a page; the small ones share theirs.
    fn starts_page(self) -> bool {
        matches!(self, Self::Keys | Self::Codes | Self::Vectors)
    }
}

/// The geometry of a file of vectors with a given number of dimensions.
#[derive(Debug, Clone)]
pub(crate) struct FileLayout {
    dims: usize,
    /// Where each of the growing segments begins, and the first of the largest.
    starts: [u64; GROWING + 1],
    /// How many bytes a segment of [`LARGEST`] rows takes.
    largest: u64,
}

/// Rows of one segment, and the segment's own numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SegmentRows {
    /// Where the segment begins in the file.
    start: u64,
    /// How many rows the segment has room for.
    capacity: u64,
    /// The file-wide number of the first row of this part.
    pub(crate) first: u64,
    /// The place of that row within its segment.
    within: u64,
    /// How many rows.
    pub(crate) rows: usize,
}

impl FileLayout {
    pub(crate) fn new(dims: usize) -> Self {
        let mut layout = Self { dims, starts: [0; GROWING + 1], largest: 0 };
        let mut at = HEAD + (dims as u64 * 4).next_multiple_of(PAGE);
        for segment in 0..=GROWING {
            layout.starts[segment] = at;
            at += layout.segment_len(FIRST << segment);
        }
        layout.largest = layout.segment_len(LARGEST);
        layout
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    /// Where the centre's bytes lie.
    pub(crate) fn centre(&self) -> Range<u64> {
        HEAD..HEAD + self.dims as u64 * 4
    }

    /// How many bytes one row takes in a run.
    pub(crate) fn stride(&self, run: Column) -> usize {
        match run {
            Column::Keys | Column::Sums | Column::Deaths => 8,
            Column::Scales => 4,
            Column::Codes => Int8Query::stride_of(self.dims),
            Column::Vectors => self.dims * 4,
        }
    }

    /// How long a file with room for `rows` rows is at least.
    pub(crate) fn end(&self, rows: u64) -> u64 {
        match rows.checked_sub(1) {
            None => self.starts[0],
            Some(last) => {
                let (_, start, capacity) = self.segment(last);
                start + self.segment_len(capacity)
            }
        }
    }

    /// Returns the parts, one per segment, that rows `rows` fall into.
    pub(crate) fn parts(&self, rows: Range<u64>) -> impl Iterator<Item = SegmentRows> + use<'_> {
        let mut next = rows.start;
        std::iter::from_fn(move || {
            if next >= rows.end {
                return None;
            }
            let (first_row, start, capacity) = self.segment(next);
            let within = next - first_row;
            let count = (capacity - within).min(rows.end - next);
            let part = SegmentRows { start, capacity, first: next, within, rows: count as usize };
            next += count;
            Some(part)
        })
    }

    /// Where the rows of `part` lie within one of its runs.
    pub(crate) fn bytes(&self, part: SegmentRows, run: Column) -> Range<u64> {
        let stride = self.stride(run) as u64;
        let from = part.start + self.run_offset(part.capacity, run) + part.within * stride;
        from..from + part.rows as u64 * stride
    }

    /// Where one row lies within a run.
    pub(crate) fn row(&self, row: u64, run: Column) -> Range<u64> {
        let (first, start, capacity) = self.segment(row);
        self.bytes(SegmentRows { start, capacity, first: row, within: row - first, rows: 1 }, run)
    }

    /// Returns the segment that `row` falls into: its first row, its place and its capacity.
    fn segment(&self, row: u64) -> (u64, u64, u64) {
        if row < GROWING_ROWS {
            let segment = (row / FIRST + 1).ilog2() as usize;
            (((1 << segment) - 1) * FIRST, self.starts[segment], FIRST << segment)
        } else {
            let segment = (row - GROWING_ROWS) / LARGEST;
            let start = self.starts[GROWING] + segment * self.largest;
            (GROWING_ROWS + segment * LARGEST, start, LARGEST)
        }
    }

    fn segment_len(&self, capacity: u64) -> u64 {
        let end = self.run_offset(capacity, Column::Vectors)
            + capacity * self.stride(Column::Vectors) as u64;
        end.next_multiple_of(PAGE)
    }

    fn run_offset(&self, capacity: u64, wanted: Column) -> u64 {
        let mut at = 0_u64;
        for run in Column::ALL {
            if run.starts_page() {
                at = at.next_multiple_of(PAGE);
            }
            if run == wanted {
                break;
            }
            at += capacity * self.stride(run) as u64;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_never_overlap_and_the_file_ends_behind_them() {
        for dims in [8, 65, 384] {
            let layout = FileLayout::new(dims);
            for rows in [1, 63, 64, 65, 192, 8128, 8129, 30_000] {
                let mut ranges: Vec<Range<u64>> = layout
                    .parts(0..rows)
                    .flat_map(|part| Column::ALL.map(|run| layout.bytes(part, run)))
                    .collect();
                ranges.push(0..HEAD);
                ranges.push(layout.centre());
                ranges.sort_by_key(|range| range.start);
                assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
                assert!(ranges.last().expect("some").end <= layout.end(rows));
            }
        }
    }

    #[test]
    fn parts_cover_rows_in_order_and_agree_with_single_rows() {
        let layout = FileLayout::new(20);
        for span in [0..0, 0..1, 60..70, 0..20_000, 8127..8129, 40_000..40_001] {
            let mut next = span.start;
            for part in layout.parts(span.clone()) {
                assert_eq!(part.first, next);
                for i in [0, part.rows as u64 / 2, part.rows as u64 - 1] {
                    let whole = layout.bytes(part, Column::Codes);
                    let stride = layout.stride(Column::Codes) as u64;
                    let from = whole.start + i * stride;
                    assert_eq!(layout.row(next + i, Column::Codes), from..from + stride);
                }
                next += part.rows as u64;
            }
            assert_eq!(next, span.end.max(span.start));
        }
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let layout = FileLayout::new(crate::MAX_DIMS);
        assert!(layout.end(MAX_ROWS) < u64::MAX / 2);
        assert_eq!(layout.row(MAX_ROWS - 1, Column::Keys).count(), 8);
    }
}
