//! From vectors to codes.
//!
//! A row is stored twice: the vector as given, and one signed byte per dimension, which is quick
//! to scan.
//!
//! Codes are made from the vector scaled to length one, so that comparing them estimates cosines;
//! then centred, because models do not spread their vectors around the origin (the bundled one has
//! a mean of length 0.77) and what all rows share tells none apart. A query is not centred: its
//! product with the centre is the same for every row.

use tacit_simd::scan::Int8Query;

use crate::{
    checksum::checksum,
    exact,
    layout::{Column, FileLayout},
};

/// Returns a finite vector scaled to length one; one without direction becomes zero.
pub(crate) fn unit(vector: &[f32]) -> impl Iterator<Item = f32> + '_ {
    let norm = exact::norm(vector);
    let inverse = if norm > 0.0 { 1.0 / norm } else { 0.0 };
    vector.iter().map(move |&x| (f64::from(x) * inverse) as f32)
}

/// Quantises to signed bytes, symmetric around zero, and returns the scale that undoes it.
pub(crate) fn int8(values: &[f32]) -> (f32, impl Iterator<Item = i8> + '_) {
    let peak = values.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
    let scale = peak / 127.0;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    let codes = values.iter().map(move |x| {
        // Rounds half away from zero, like `round`, which is a library call on older processors.
        let code = x * inverse;
        (code + 0.5_f32.copysign(code)) as i8
    });
    (scale, codes)
}

/// Returns the checksum that a row carries; its number is part of it, so that rows cannot be
/// swapped.
pub(crate) fn row_sum(row: u64, parts: &[&[u8]; 4]) -> u64 {
    checksum(row, parts)
}

/// Rows on their way into the file: one buffer per run, for consecutive rows of one segment.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    keys: Vec<u8>,
    sums: Vec<u8>,
    scales: Vec<u8>,
    codes: Vec<u8>,
    vectors: Vec<u8>,
}

impl Encoded {
    /// Encodes a finite vector as the row numbered `row`.
    pub(crate) fn push(&mut self, row: u64, key: u64, vector: &[f32], centre: &[f32]) {
        let centred: Vec<f32> = unit(vector).zip(centre).map(|(x, centre)| x - centre).collect();
        let (scale, codes) = int8(&centred);
        let (key, scale) = (key.to_le_bytes(), scale.to_le_bytes());
        let codes_at = self.codes.len();
        self.codes.extend(codes.map(i8::cast_unsigned));
        self.codes.resize(codes_at + Int8Query::stride_of(vector.len()), 0);
        let vector_at = self.vectors.len();
        self.vectors.extend(vector.iter().flat_map(|x| x.to_le_bytes()));
        let sum =
            row_sum(row, &[&key, &scale, &self.codes[codes_at..], &self.vectors[vector_at..]]);
        self.keys.extend(key);
        self.sums.extend(sum.to_le_bytes());
        self.scales.extend(scale);
    }

    /// Returns the buffers by the run they belong to.
    pub(crate) fn runs(&self) -> [(Column, &[u8]); 5] {
        [
            (Column::Keys, &self.keys),
            (Column::Sums, &self.sums),
            (Column::Scales, &self.scales),
            (Column::Codes, &self.codes),
            (Column::Vectors, &self.vectors),
        ]
    }
}

/// Returns an entry of the deaths log: the dead row, and a check that depends on the entry's
/// number.
pub(crate) fn death(entry: u64, row: u32) -> u64 {
    let check = checksum(entry, &[b"death", &row.to_le_bytes()]) >> 32;
    check << 32 | u64::from(row)
}

/// Returns the row that an entry of the deaths log names, if the entry is whole.
pub(crate) fn dead_row(entry: u64, word: u64) -> Option<u32> {
    let row = word as u32;
    (death(entry, row) == word).then_some(row)
}

/// Returns the bytes of a centre as they are stored, and their checksum.
pub(crate) fn centre_bytes(centre: &[f32]) -> (Vec<u8>, u64) {
    let bytes: Vec<u8> = centre.iter().flat_map(|x| x.to_le_bytes()).collect();
    let sum = checksum(2, &[&bytes]);
    (bytes, sum)
}

/// Returns the centre that stored bytes stand for, if they are whole.
pub(crate) fn centre_of(bytes: &[u8], sum: u64, layout: &FileLayout) -> Option<Vec<f32>> {
    (bytes.len() == layout.dims() * 4 && checksum(2, &[bytes]) == sum)
        .then(|| exact::floats(bytes).collect())
}
