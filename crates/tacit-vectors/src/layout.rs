//! The layout of the file.
//!
//! After the header pages and the centre come segments. A segment has room for a fixed number of
//! rows and stores them by column: keys, checksums, deletions, scales, codes and vectors. A scan
//! therefore reads one long column per segment and no other; a row can be added without moving
//! anything.
//!
//! Segments double in size until they hold [`LARGEST`] rows, so a new file is small and an old one
//! has long columns. Their offsets depend only on the number of dimensions: no directory is stored,
//! and nothing in the file has to be trusted to find a row.

use std::ops::Range;

use tacit_simd::scan::Int8Query;

/// The page size. Regions start on pages, so that the pages of a column hold nothing else.
pub(crate) const PAGE: u64 = 4096;
/// The size of the header: page 0 and the two slots, one page each.
pub(crate) const HEAD: u64 = 3 * PAGE;
/// The number of rows in the first segment.
const FIRST: u64 = 64;
/// The number of rows in every segment from the eighth on.
pub(crate) const LARGEST: u64 = 8192;
/// The number of segments smaller than [`LARGEST`].
const GROWING: usize = 7;
/// The number of rows in all growing segments together.
const GROWING_ROWS: u64 = LARGEST - FIRST;
/// Maximum number of rows: row numbers have 32 bits, one of which is reserved for "none".
pub(crate) const MAX_ROWS: u64 = u32::MAX as u64;

/// A column of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// The caller's keys: `u64`.
    Keys,
    /// The checksums of the rows: `u64`.
    Sums,
    /// The deletion log, numbered separately: `u64`.
    Deletions,
    /// The scales of the codes: `f32`.
    Scales,
    /// The codes: one signed byte per dimension.
    Codes,
    /// The vectors: `f32` per dimension.
    Vectors,
}

impl Column {
    const ALL: [Self; 6] =
        [Self::Keys, Self::Sums, Self::Deletions, Self::Scales, Self::Codes, Self::Vectors];

    /// Returns true if the column starts on a page; small columns share pages.
    fn starts_page(self) -> bool {
        matches!(self, Self::Keys | Self::Codes | Self::Vectors)
    }
}

/// The layout of a file of vectors with a given number of dimensions.
#[derive(Debug, Clone)]
pub(crate) struct FileLayout {
    dims: usize,
    /// The offsets of the growing segments, and of the first largest one.
    starts: [u64; GROWING + 1],
    /// The size in bytes of a segment of [`LARGEST`] rows.
    largest: u64,
}

/// Consecutive rows of one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SegmentRows {
    /// The offset of the segment in the file.
    start: u64,
    /// The number of rows that the segment has room for.
    capacity: u64,
    /// The file-wide number of the first row.
    pub(crate) first: u64,
    /// The index of that row in its segment.
    within: u64,
    /// The number of rows.
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

    /// Returns the byte range of the centre.
    pub(crate) fn centre(&self) -> Range<u64> {
        HEAD..HEAD + self.dims as u64 * 4
    }

    /// Returns the size in bytes of a row in a column.
    pub(crate) fn stride(&self, column: Column) -> usize {
        match column {
            Column::Keys | Column::Sums | Column::Deletions => 8,
            Column::Scales => 4,
            Column::Codes => Int8Query::stride_of(self.dims),
            Column::Vectors => self.dims * 4,
        }
    }

    /// Returns the minimum length of a file with `rows` rows.
    pub(crate) fn end(&self, rows: u64) -> u64 {
        match rows.checked_sub(1) {
            None => self.starts[0],
            Some(last) => {
                let (_, start, capacity) = self.segment(last);
                start + self.segment_len(capacity)
            }
        }
    }

    /// Splits `rows` by segment.
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

    /// Returns the byte range of `part` in a column.
    pub(crate) fn bytes(&self, part: SegmentRows, column: Column) -> Range<u64> {
        let stride = self.stride(column) as u64;
        let from = part.start + self.column_offset(part.capacity, column) + part.within * stride;
        from..from + part.rows as u64 * stride
    }

    /// Returns the byte range of one row in a column.
    pub(crate) fn row(&self, row: u64, column: Column) -> Range<u64> {
        let (first, start, capacity) = self.segment(row);
        self.bytes(
            SegmentRows { start, capacity, first: row, within: row - first, rows: 1 },
            column,
        )
    }

    /// Returns the segment of `row`: its first row, its offset and its capacity.
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
        let end = self.column_offset(capacity, Column::Vectors)
            + capacity * self.stride(Column::Vectors) as u64;
        end.next_multiple_of(PAGE)
    }

    fn column_offset(&self, capacity: u64, target: Column) -> u64 {
        let mut at = 0_u64;
        for column in Column::ALL {
            if column.starts_page() {
                at = at.next_multiple_of(PAGE);
            }
            if column == target {
                break;
            }
            at += capacity * self.stride(column) as u64;
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_do_not_overlap_and_fit_in_the_file() {
        for dims in [8, 65, 384] {
            let layout = FileLayout::new(dims);
            for rows in [1, 63, 64, 65, 192, 8128, 8129, 30_000] {
                let mut ranges: Vec<Range<u64>> = layout
                    .parts(0..rows)
                    .flat_map(|part| Column::ALL.map(|column| layout.bytes(part, column)))
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
    fn parts_cover_rows_in_order_and_match_single_rows() {
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
    fn maximum_sizes_do_not_overflow() {
        let layout = FileLayout::new(crate::MAX_DIMS);
        assert!(layout.end(MAX_ROWS) < u64::MAX / 2);
        assert_eq!(layout.row(MAX_ROWS - 1, Column::Keys).count(), 8);
    }
}
