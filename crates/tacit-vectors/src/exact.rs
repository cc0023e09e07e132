//! Exact cosines, in one fixed order of summation.
//!
//! Products of two `f32` are exact in `f64`, and the eight partial sums are added in a fixed order,
//! so a score depends only on the two vectors: not on the processor, and not on how a row became a
//! candidate.

const LANES: usize = 8;

/// A query vector with its length.
#[derive(Debug)]
pub(crate) struct ExactQuery<'a> {
    vector: &'a [f32],
    norm: f64,
}

impl<'a> ExactQuery<'a> {
    pub(crate) fn new(vector: &'a [f32]) -> Self {
        Self { vector, norm: norm(vector) }
    }

    /// Returns the length of the query vector.
    pub(crate) fn norm(&self) -> f64 {
        self.norm
    }

    /// Computes the cosine between the query and a stored vector; zero if either has no direction.
    pub(crate) fn cosine(&self, stored: &[u8]) -> f32 {
        let (mut dots, mut squares) = ([0.0_f64; LANES], [0.0_f64; LANES]);
        let (query, query_rest) = self.vector.as_chunks::<LANES>();
        let (rows, rows_rest) = stored.as_chunks::<{ LANES * 4 }>();
        for (query, row) in query.iter().zip(rows) {
            let (row, _) = row.as_chunks::<4>();
            for lane in 0..LANES {
                let x = f64::from(f32::from_le_bytes(row[lane]));
                dots[lane] += f64::from(query[lane]) * x;
                squares[lane] += x * x;
            }
        }
        for (lane, (query, x)) in query_rest.iter().zip(floats(rows_rest)).enumerate() {
            dots[lane] += f64::from(*query) * f64::from(x);
            squares[lane] += f64::from(x) * f64::from(x);
        }
        let lengths = self.norm * sum(squares).sqrt();
        if lengths > 0.0 { (sum(dots) / lengths) as f32 } else { 0.0 }
    }
}

/// Computes the length of a vector.
pub(crate) fn norm(vector: &[f32]) -> f64 {
    let mut squares = [0.0_f64; LANES];
    for chunk in vector.chunks(LANES) {
        for (square, x) in squares.iter_mut().zip(chunk) {
            *square += f64::from(*x) * f64::from(*x);
        }
    }
    sum(squares).sqrt()
}

/// Decodes little-endian floats.
pub(crate) fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
}

fn sum(lanes: [f64; LANES]) -> f64 {
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(vector: &[f32]) -> Vec<u8> {
        vector.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn cosines_of_extreme_vectors() {
        let cases: [(&[f32], &[f32], f32); 6] = [
            (&[1.0, 0.0], &[1.0, 0.0], 1.0),
            (&[1.0, 0.0], &[0.0, 2.0], 0.0),
            (&[3.0, 4.0], &[-6.0, -8.0], -1.0),
            (&[1.0, 1.0], &[0.0, 0.0], 0.0),
            (&[f32::MAX, f32::MAX], &[f32::MAX, f32::MAX], 1.0),
            (&[f32::MIN_POSITIVE; 9], &[1e-45; 9], 1.0),
        ];
        for (query, row, expected) in cases {
            let cosine = ExactQuery::new(query).cosine(&bytes(row));
            assert!((cosine - expected).abs() < 1e-6, "{query:?} {row:?} gave {cosine}");
        }
    }
}
