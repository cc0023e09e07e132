//! Encodes vectors as codes.
//!
//! A row is stored twice: as the given vector, and as one signed byte per dimension, which is fast
//! to scan.
//!
//! Codes are computed from the vector scaled to length one, so that comparing them estimates
//! cosines. The mean of all rows is subtracted first: models do not spread their vectors around the
//! origin (the mean of the bundled model has length 0.77), and what all rows share does not
//! distinguish them. A query is not centred: its product with the centre is the same for every row.

use tacit_simd::scan::Int8Query;

use crate::{
    checksum::checksum,
    exact,
    layout::{Column, FileLayout},
};

/// Scales a finite vector to length one; a vector without direction becomes zero.
pub(crate) fn unit(vector: &[f32]) -> impl Iterator<Item = f32> + '_ {
    let norm = exact::norm(vector);
    let inverse = if norm > 0.0 { 1.0 / norm } else { 0.0 };
    vector.iter().map(move |&x| (f64::from(x) * inverse) as f32)
}

/// Quantises to signed bytes, symmetric around zero, and returns the scale for decoding.
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

/// Computes the checksum of a row. The row number is part of it, so that rows cannot be swapped.
pub(crate) fn row_checksum(row: u64, parts: &[&[u8]; 4]) -> u64 {
    checksum(row, parts)
}

/// Encoded rows: one buffer per column, for consecutive rows of one segment.
#[derive(Debug, Default)]
pub(crate) struct EncodedRows {
    keys: Vec<u8>,
    sums: Vec<u8>,
    scales: Vec<u8>,
    codes: Vec<u8>,
    vectors: Vec<u8>,
}

impl EncodedRows {
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
            row_checksum(row, &[&key, &scale, &self.codes[codes_at..], &self.vectors[vector_at..]]);
        self.keys.extend(key);
        self.sums.extend(sum.to_le_bytes());
        self.scales.extend(scale);
    }

    /// Returns the buffers with their columns.
    pub(crate) fn columns(&self) -> [(Column, &[u8]); 5] {
        [
            (Column::Keys, &self.keys),
            (Column::Sums, &self.sums),
            (Column::Scales, &self.scales),
            (Column::Codes, &self.codes),
            (Column::Vectors, &self.vectors),
        ]
    }
}

/// Encodes an entry of the deletion log: the removed row, and a checksum that includes the entry
/// number.
pub(crate) fn encode_deletion(entry: u64, row: u32) -> u64 {
    let check = checksum(entry, &[b"death", &row.to_le_bytes()]) >> 32;
    check << 32 | u64::from(row)
}

/// Decodes an entry of the deletion log; `None` if its checksum does not match.
pub(crate) fn decode_deletion(entry: u64, word: u64) -> Option<u32> {
    let row = word as u32;
    (encode_deletion(entry, row) == word).then_some(row)
}

/// Encodes a centre and computes its checksum.
pub(crate) fn centre_bytes(centre: &[f32]) -> (Vec<u8>, u64) {
    let bytes: Vec<u8> = centre.iter().flat_map(|x| x.to_le_bytes()).collect();
    let sum = checksum(2, &[&bytes]);
    (bytes, sum)
}

/// Decodes a centre; `None` if its checksum does not match.
pub(crate) fn decode_centre(bytes: &[u8], sum: u64, layout: &FileLayout) -> Option<Vec<f32>> {
    (bytes.len() == layout.dims() * 4 && checksum(2, &[bytes]) == sum)
        .then(|| exact::floats(bytes).collect())
}
