//! From vectors to codes.
//!
//! A row is stored three times over, each coarser and quicker to scan than the one before: the
//! vector as given; one signed byte per dimension; one bit per dimension.
//!
//! Codes are made from the vector scaled to length one, so that comparing them estimates cosines;
//! then centred, because models do not spread their vectors around the origin (the bundled one has
//! a mean of length 0.77) and what all rows share tells none apart; then rotated, because a few
//! coordinates far larger than the rest would otherwise set the scale for all. A query is only
//! rotated: its product with the centre is the same for every row.

use tacit_simd::scan::{BitQuery, Int8Query};

use crate::{
    checksum::checksum,
    exact,
    layout::{Layout, Run},
    rotate::Rotation,
};

/// The codes of a vector and what scales them.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    pub(crate) scale: f32,
    pub(crate) bit_scale: f32,
    pub(crate) codes: Vec<i8>,
    pub(crate) bits: Vec<u8>,
    /// Room for the vector on its way to bits.
    work: Vec<f32>,
}

/// Makes the codes of one file.
#[derive(Debug)]
pub(crate) struct Encoder {
    centre: Vec<f32>,
    rotation: Rotation,
}

impl Encoder {
    pub(crate) fn new(centre: Vec<f32>) -> Self {
        let rotation = Rotation::new(centre.len());
        Self { centre, rotation }
    }

    pub(crate) fn centre(&self) -> &[f32] {
        &self.centre
    }

    /// Encodes a finite vector into `into`, whose room is reused.
    pub(crate) fn encode(&self, vector: &[f32], into: &mut Codes) {
        let norm = exact::norm(vector);
        let unit = if norm > 0.0 { 1.0 / norm } else { 0.0 };
        into.work.clear();
        into.work.extend(vector.iter().map(|&x| (f64::from(x) * unit) as f32));

        for (x, centre) in into.work.iter_mut().zip(&self.centre) {
            *x -= centre;
        }
        self.rotation.apply(&mut into.work);

        into.scale = int8(&into.work, &mut into.codes);

        let (mut squares, mut sizes) = (0.0_f32, 0.0_f32);
        into.bits.clear();
        into.bits.resize(BitQuery::stride_of(vector.len()), 0);
        for (i, &x) in into.work.iter().enumerate() {
            squares += x * x;
            sizes += x.abs();
            into.bits[i / 8] |= u8::from(x > 0.0) << (i % 8);
        }
        // With this scale the estimate of `dot(query, x)` by signs has no bias towards long or
        // short, flat or spiky vectors: it is exact for the query that points along `x`.
        into.bit_scale = if sizes > 0.0 { squares / sizes } else { 0.0 };
    }
}

/// Quantises to signed bytes, symmetric around zero, and returns the scale that undoes it.
pub(crate) fn int8(unit: &[f32], codes: &mut Vec<i8>) -> f32 {
    let peak = unit.iter().fold(0.0_f32, |peak, x| peak.max(x.abs()));
    let scale = peak / 127.0;
    let inverse = if scale > 0.0 { 1.0 / scale } else { 0.0 };
    codes.clear();
    codes.extend(unit.iter().map(|x| {
        // Rounds half away from zero, like `round`, which is a library call on older processors.
        let code = x * inverse;
        (code + 0.5_f32.copysign(code)) as i8
    }));
    scale
}

/// The checksum that a row carries; its number is part of it, so that rows cannot be swapped.
pub(crate) fn row_sum(row: u64, parts: &[&[u8]; 6]) -> u64 {
    checksum(row, parts)
}

/// Rows on their way into the file: one buffer per run, for consecutive rows of one segment.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    pub(crate) rows: usize,
    keys: Vec<u8>,
    sums: Vec<u8>,
    scales: Vec<u8>,
    bit_scales: Vec<u8>,
    bits: Vec<u8>,
    codes: Vec<u8>,
    vectors: Vec<u8>,
}

impl Encoded {
    /// Adds the row numbered `row`.
    pub(crate) fn push(&mut self, row: u64, key: u64, vector: &[f32], codes: &Codes) {
        let key = key.to_le_bytes();
        let (scale, bit_scale) = (codes.scale.to_le_bytes(), codes.bit_scale.to_le_bytes());
        let codes_at = self.codes.len();
        self.codes.extend(codes.codes.iter().map(|code| code.cast_unsigned()));
        self.codes.resize(codes_at + Int8Query::stride_of(vector.len()), 0);
        let vector_at = self.vectors.len();
        self.vectors.extend(vector.iter().flat_map(|x| x.to_le_bytes()));
        let sum = row_sum(
            row,
            &[
                &key,
                &scale,
                &bit_scale,
                &codes.bits,
                &self.codes[codes_at..],
                &self.vectors[vector_at..],
            ],
        );
        self.keys.extend(key);
        self.sums.extend(sum.to_le_bytes());
        self.scales.extend(scale);
        self.bit_scales.extend(bit_scale);
        self.bits.extend(&codes.bits);
        self.rows += 1;
    }

    /// The buffers by the run they belong to.
    pub(crate) fn runs(&self) -> [(Run, &[u8]); 7] {
        [
            (Run::Keys, &self.keys),
            (Run::Sums, &self.sums),
            (Run::Scales, &self.scales),
            (Run::BitScales, &self.bit_scales),
            (Run::Bits, &self.bits),
            (Run::Codes, &self.codes),
            (Run::Vectors, &self.vectors),
        ]
    }

    /// Forgets the rows and keeps the room.
    pub(crate) fn clear(&mut self) {
        let Self { rows, keys, sums, scales, bit_scales, bits, codes, vectors } = self;
        *rows = 0;
        for run in [keys, sums, scales, bit_scales, bits, codes, vectors] {
            run.clear();
        }
    }
}

/// An entry of the deaths log: the dead row, and a check that depends on the entry's number.
pub(crate) fn death(entry: u64, row: u32) -> u64 {
    let check = checksum(entry, &[b"death", &row.to_le_bytes()]) >> 32;
    check << 32 | u64::from(row)
}

/// The row that an entry of the deaths log names, if the entry is whole.
pub(crate) fn dead_row(entry: u64, word: u64) -> Option<u32> {
    let row = word as u32;
    (death(entry, row) == word).then_some(row)
}

/// The bytes of a centre as they are stored, and their checksum.
pub(crate) fn centre_bytes(centre: &[f32]) -> (Vec<u8>, u64) {
    let bytes: Vec<u8> = centre.iter().flat_map(|x| x.to_le_bytes()).collect();
    let sum = checksum(2, &[&bytes]);
    (bytes, sum)
}

/// The centre that stored bytes stand for, if they are whole.
pub(crate) fn centre_of(bytes: &[u8], sum: u64, layout: &Layout) -> Option<Vec<f32>> {
    (bytes.len() == layout.dims() * 4 && checksum(2, &[bytes]) == sum)
        .then(|| exact::floats(bytes).collect())
}
