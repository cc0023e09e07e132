//! Multi-head attention in floats, like the published graph.
//!
//! For each head the keys are transposed once, so that both products (queries by keys, weights by
//! values) run over columns in lanes and add up each sum in the same order, whatever the tile size.

use super::Kernel;
use super::float::softmax;
use super::lanes::{LANES, LaneBlock, Lanes, PortableLanes};

/// The number of dimensions of a head.
pub(super) const HEAD: usize = 32;
/// The number of sixteen-lane registers per head.
const BLOCKS: usize = HEAD / LANES;
/// The number of keys processed at a time; the keys are padded to a multiple of this.
const KEYS: usize = BLOCKS * LANES;

/// Buffers that attention reuses across heads and layers.
#[derive(Debug, Default)]
pub struct AttentionScratch {
    /// The keys in groups of [`KEYS`], each group transposed: one entry per dimension.
    keys: Vec<[LaneBlock; BLOCKS]>,
    /// The values: one entry per token.
    values: Vec<[LaneBlock; BLOCKS]>,
    scores: Vec<f32>,
}

impl Kernel {
    /// Computes attention from the first `queries` tokens to all. `qkv` holds for each token its
    /// query, key and value, with all heads of each side by side; `out` receives one row per query.
    ///
    /// # Panics
    /// Panics if the slices do not contain whole rows of whole heads.
    pub fn attend(
        self,
        qkv: &[f32],
        queries: usize,
        width: usize,
        scratch: &mut AttentionScratch,
        out: &mut [f32],
    ) {
        #[cfg(target_arch = "x86_64")]
        use super::{
            SimdLevel,
            lanes::{One512, Two256},
        };

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
        fn wide(heads: Heads<'_>, scratch: &mut AttentionScratch, out: &mut [f32]) {
            attend::<One512, 6>(heads, scratch, out);
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2")]
        fn middle(heads: Heads<'_>, scratch: &mut AttentionScratch, out: &mut [f32]) {
            attend::<Two256, 2>(heads, scratch, out);
        }

        assert!(width > 0 && width.is_multiple_of(HEAD) && qkv.len().is_multiple_of(3 * width));
        let tokens = qkv.len() / (3 * width);
        assert!(queries <= tokens && out.len() == queries * width);
        let heads = Heads { qkv, tokens, queries, width };
        #[cfg(target_arch = "x86_64")]
        match self.level() {
            // SAFETY: a `Kernel` of this level exists only where the features were detected.
            SimdLevel::Avx512Vnni => return unsafe { wide(heads, scratch, out) },
            // SAFETY: as above.
            SimdLevel::AvxVnni | SimdLevel::Avx2 => return unsafe { middle(heads, scratch, out) },
            _ => {}
        }
        attend::<PortableLanes, 1>(heads, scratch, out);
    }
}

#[derive(Clone, Copy)]
struct Heads<'a> {
    qkv: &'a [f32],
    tokens: usize,
    queries: usize,
    width: usize,
}

impl Heads<'_> {
    /// Returns one head's part of a token's query (0), key (1) or value (2).
    #[inline(always)]
    fn part(&self, token: usize, part: usize, head: usize) -> &[f32; HEAD] {
        let at = (token * 3 + part) * self.width + head * HEAD;
        self.qkv[at..].first_chunk().expect("tokens are whole heads wide")
    }
}

#[inline(always)]
fn attend<L: Lanes, const R: usize>(
    heads: Heads<'_>,
    scratch: &mut AttentionScratch,
    out: &mut [f32],
) {
    let padded = heads.tokens.next_multiple_of(KEYS);
    scratch.keys.clear();
    scratch.keys.resize(padded / KEYS * HEAD, [[0.0; LANES]; BLOCKS]);
    scratch.values.resize(heads.tokens, [[0.0; LANES]; BLOCKS]);
    scratch.scores.resize(R * padded, 0.0);
    for head in 0..heads.width / HEAD {
        for token in 0..heads.tokens {
            let (group, place) = (token / KEYS, token % KEYS);
            let keys = &mut scratch.keys[group * HEAD..][..HEAD];
            for (keys, key) in keys.iter_mut().zip(heads.part(token, 1, head)) {
                keys.as_flattened_mut()[place] = *key;
            }
            let value = scratch.values[token].as_flattened_mut();
            value.copy_from_slice(heads.part(token, 2, head));
        }
        let mut row = 0;
        while row < heads.queries {
            if heads.queries - row >= R {
                tile::<L, R>(&heads, head, row, scratch, out);
                row += R;
            } else {
                tile::<L, 1>(&heads, head, row, scratch, out);
                row += 1;
            }
        }
    }
}

/// Computes attention of `R` queries from `row` for one head.
#[inline(always)]
fn tile<L: Lanes, const R: usize>(
    heads: &Heads<'_>,
    head: usize,
    row: usize,
    scratch: &mut AttentionScratch,
    out: &mut [f32],
) {
    let padded = heads.tokens.next_multiple_of(KEYS);
    let scores = &mut scratch.scores[..R * padded];
    let queries: [&[f32; HEAD]; R] = std::array::from_fn(|r| heads.part(row + r, 0, head));
    for (group, keys) in scratch.keys.as_chunks::<HEAD>().0.iter().enumerate() {
        let mut sums = [[L::splat(0.0); BLOCKS]; R];
        for (d, keys) in keys.iter().enumerate() {
            let keys: [L; BLOCKS] = std::array::from_fn(|b| L::load(&keys[b]));
            for (sums, query) in sums.iter_mut().zip(&queries) {
                let query = L::splat(query[d]);
                for (sum, keys) in sums.iter_mut().zip(keys) {
                    *sum = sum.add(query.mul(keys));
                }
            }
        }
        for (sums, scores) in sums.iter().zip(scores.chunks_exact_mut(padded)) {
            let scores = &mut scores.as_chunks_mut().0[group * BLOCKS..][..BLOCKS];
            for (sum, scores) in sums.iter().zip(scores) {
                sum.store(scores);
            }
        }
    }
    let mut inverses = [0.0; R];
    for (scores, inverse) in scores.chunks_exact_mut(padded).zip(&mut inverses) {
        *inverse = softmax::<L>(scores, heads.tokens, 1.0 / (HEAD as f32).sqrt());
    }
    let weights: [&[f32]; R] = std::array::from_fn(|r| &scores[r * padded..][..heads.tokens]);
    let mut sums = [[L::splat(0.0); BLOCKS]; R];
    for (token, values) in scratch.values[..heads.tokens].iter().enumerate() {
        let values: [L; BLOCKS] = std::array::from_fn(|b| L::load(&values[b]));
        for (sums, weights) in sums.iter_mut().zip(&weights) {
            let weight = L::splat(weights[token]);
            for (sum, values) in sums.iter_mut().zip(values) {
                *sum = sum.add(weight.mul(values));
            }
        }
    }
    for (r, sums) in sums.iter().enumerate() {
        let out = &mut out[(row + r) * heads.width + head * HEAD..][..HEAD];
        for (sum, out) in sums.iter().zip(out.as_chunks_mut().0) {
            sum.mul(L::splat(inverses[r])).store(out);
        }
    }
}
