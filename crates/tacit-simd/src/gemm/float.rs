//! Float operations between matrix products: normalisation, activation, softmax and quantisation.
//!
//! Each is written once over [`Lanes`] and compiled for each vector width.

use super::lanes::{LANES, LaneBlock, Lanes, PortableLanes};
use super::{Kernel, Quantization};

/// Defines a method of [`Kernel`] that runs one of the functions below at its vector width.
macro_rules! per_width {
    ($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*) $(-> $result:ty)?) => {
        impl Kernel {
            $(#[$doc])*
            pub fn $name(self, $($arg: $type),*) $(-> $result)? {
                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
                fn wide($($arg: $type),*) $(-> $result)? {
                    $name::<super::lanes::One512>($($arg),*)
                }

                #[cfg(target_arch = "x86_64")]
                #[target_feature(enable = "avx2")]
                fn middle($($arg: $type),*) $(-> $result)? {
                    $name::<super::lanes::Two256>($($arg),*)
                }

                #[cfg(target_arch = "x86_64")]
                match self.level() {
                    // SAFETY: a `Kernel` of this level exists only where the features were
                    // detected.
                    super::SimdLevel::Avx512Vnni => return unsafe { wide($($arg),*) },
                    super::SimdLevel::AvxVnni | super::SimdLevel::Avx2 => {
                        // SAFETY: as above.
                        return unsafe { middle($($arg),*) };
                    }
                    _ => {}
                }
                $name::<PortableLanes>($($arg),*)
            }
        }
    };
}

per_width!(
    /// Applies the exact GELU, `x · Φ(x)`, in place.
    ///
    /// # Panics
    /// Panics if the length is not a multiple of sixteen.
    gelu(values: &mut [f32])
);

per_width!(
    /// Maps floats to bytes so that zero is exact and the range of the whole slice is used, like
    /// ONNX `DynamicQuantizeLinear`.
    ///
    /// # Panics
    /// Panics if the lengths differ or are not multiples of sixteen.
    quantize(values: &[f32], bytes: &mut [u8]) -> Quantization
);

per_width!(
    /// Adds `added` and applies layer normalisation to each row in place; a row is as long as
    /// `gain`.
    ///
    /// # Panics
    /// Panics if the slices are not whole rows or the length of a row is not a multiple of sixteen.
    add_norm(values: &mut [f32], added: &[f32], gain: &[f32], bias: &[f32], epsilon: f32)
);

per_width!(
    /// Scales a row to length one; a zero row stays zero.
    ///
    /// # Panics
    /// Panics if the length is not a multiple of sixteen.
    unit_norm(row: &mut [f32])
);

/// Adding this rounds to the nearest integer, ties to even, and leaves the integer in the low bits.
const ROUND: f32 = 12_582_912.0;

/// Splits a slice into blocks.
#[inline(always)]
fn blocks(values: &[f32]) -> &[LaneBlock] {
    let (blocks, rest) = values.as_chunks();
    assert!(rest.is_empty(), "a multiple of sixteen");
    blocks
}

/// Splits a mutable slice into blocks.
#[inline(always)]
fn blocks_mut(values: &mut [f32]) -> &mut [LaneBlock] {
    let (blocks, rest) = values.as_chunks_mut();
    assert!(rest.is_empty(), "a multiple of sixteen");
    blocks
}

#[inline(always)]
fn gelu<L: Lanes>(values: &mut [f32]) {
    let (half, one) = (L::splat(0.5), L::splat(1.0));
    let inverse_root = L::splat(std::f32::consts::FRAC_1_SQRT_2);
    for block in blocks_mut(values) {
        let x = L::load(block);
        let above = one.add(erf(x.mul(inverse_root)));
        half.mul(x).mul(above).store(block);
    }
}

/// Computes the error function to 1.5e-7 with formula 7.1.26 of Abramowitz and Stegun.
#[inline(always)]
fn erf<L: Lanes>(x: L) -> L {
    const P: f32 = 0.327_591_1;
    const LAST: f32 = 1.061_405_4;
    const REST: [f32; 4] = [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let one = L::splat(1.0);
    let size = x.abs();
    let t = one.div(one.add(L::splat(P).mul(size)));
    let mut series = L::splat(LAST);
    for coefficient in REST {
        series = series.mul(t).add(L::splat(coefficient));
    }
    let tail = series.mul(t).mul(exp(L::splat(0.0).sub(size.mul(size))));
    one.sub(tail).with_sign(x)
}

/// Computes `e^x` for `x` of at most 0, to a few units in the last place. Values below -87 count as
/// -87, whose result vanishes in any sum of floats near one.
#[inline(always)]
fn exp<L: Lanes>(x: L) -> L {
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    const TAYLOR: [f32; 5] = [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 1.0 / 2.0, 1.0];
    let x = x.max(L::splat(-87.0));
    let power = x.mul(L::splat(std::f32::consts::LOG2_E)).add(L::splat(ROUND));
    let n = power.sub(L::splat(ROUND));
    let r = x.sub(n.mul(L::splat(LN_2_HIGH))).sub(n.mul(L::splat(LN_2_LOW)));
    let mut series = L::splat(1.0 / 720.0);
    for coefficient in TAYLOR {
        series = series.mul(r).add(L::splat(coefficient));
    }
    series.mul(r).add(L::splat(1.0)).times_two_to(power)
}

#[inline(always)]
fn quantize<L: Lanes>(values: &[f32], bytes: &mut [u8]) -> Quantization {
    assert_eq!(values.len(), bytes.len(), "one byte for each value");
    let blocks = blocks(values);
    let (mut low, mut high) = (L::splat(0.0), L::splat(0.0));
    for block in blocks {
        low = low.min(L::load(block));
        high = high.max(L::load(block));
    }
    let low = fold(low, f32::min);
    let high = fold(high, f32::max);
    let scale = if high > low { (high - low) / 255.0 } else { 1.0 };
    let zero_point = (-low / scale).round_ties_even().clamp(0.0, 255.0);
    let inverse = L::splat(1.0 / scale);
    let (least, most) = (L::splat(-zero_point), L::splat(255.0 - zero_point));
    let zero_point = zero_point as u8;
    for (bytes, block) in bytes.as_chunks_mut::<LANES>().0.iter_mut().zip(blocks) {
        let steps = L::load(block).mul(inverse).max(least).min(most);
        *bytes = steps.add(L::splat(ROUND)).low_bytes(zero_point);
    }
    Quantization { scale, zero_point }
}

#[inline(always)]
fn add_norm<L: Lanes>(values: &mut [f32], added: &[f32], gain: &[f32], bias: &[f32], epsilon: f32) {
    let width = gain.len();
    assert!(width > 0 && bias.len() == width && values.len() == added.len());
    assert!(values.len().is_multiple_of(width), "whole rows");
    let (gain, bias) = (blocks(gain), blocks(bias));
    for (row, added) in values.chunks_exact_mut(width).zip(added.chunks_exact(width)) {
        let row = blocks_mut(row);
        let mut sums = L::splat(0.0);
        for (block, added) in row.iter_mut().zip(blocks(added)) {
            let sum = L::load(block).add(L::load(added));
            sum.store(block);
            sums = sums.add(sum);
        }
        let mean = L::splat(total(sums) / width as f32);
        let mut squares = L::splat(0.0);
        for block in &*row {
            let deviation = L::load(block).sub(mean);
            squares = squares.add(deviation.mul(deviation));
        }
        let variance = total(squares) / width as f32;
        let inverse = L::splat(1.0 / (variance + epsilon).sqrt());
        for (block, (gain, bias)) in row.iter_mut().zip(gain.iter().zip(bias)) {
            let deviation = L::load(block).sub(mean).mul(inverse);
            deviation.mul(L::load(gain)).add(L::load(bias)).store(block);
        }
    }
}

#[inline(always)]
fn unit_norm<L: Lanes>(row: &mut [f32]) {
    let row = blocks_mut(row);
    let mut squares = L::splat(0.0);
    for block in &*row {
        squares = squares.add(L::load(block).mul(L::load(block)));
    }
    let length = total(squares).sqrt();
    if length > 0.0 {
        for block in row {
            L::load(block).div(L::splat(length)).store(block);
        }
    }
}

/// Converts a row of scores to weights, and returns the factor that makes their sum one. Elements
/// past `count` are padding; their weights are negligible.
#[inline(always)]
pub(super) fn softmax<L: Lanes>(row: &mut [f32], count: usize, scale: f32) -> f32 {
    row[count..].fill(f32::MIN);
    let row = blocks_mut(row);
    let mut greatest = L::splat(f32::MIN);
    for block in &*row {
        greatest = greatest.max(L::load(block));
    }
    let greatest = fold(greatest, |a, b| if a > b { a } else { b });
    let (greatest, scale) = (L::splat(greatest), L::splat(scale));
    let mut sums = L::splat(0.0);
    for block in row {
        let weight = exp(L::load(block).sub(greatest).mul(scale));
        weight.store(block);
        sums = sums.add(weight);
    }
    1.0 / total(sums)
}

/// Adds sixteen lanes.
#[inline(always)]
fn total<L: Lanes>(lanes: L) -> f32 {
    fold(lanes, |a, b| a + b)
}

/// Reduces sixteen lanes to one by halving four times.
#[inline(always)]
fn fold<L: Lanes>(lanes: L, combine: impl Fn(f32, f32) -> f32) -> f32 {
    let mut lanes = lanes.to_array();
    for width in [8, 4, 2, 1] {
        for l in 0..width {
            lanes[l] = combine(lanes[l], lanes[l + width]);
        }
    }
    lanes[0]
}
