//! Sixteen lanes in two 256-bit registers.
//!
//! Every `unsafe` block relies on this: the methods are inlined into functions that have AVX2, and
//! only such functions use the type.

use std::arch::x86_64::{
    __m256, _mm_packus_epi16, _mm_storeu_si128, _mm256_add_epi32, _mm256_add_ps, _mm256_and_ps,
    _mm256_and_si256, _mm256_andnot_ps, _mm256_castps_si256, _mm256_castsi256_ps,
    _mm256_castsi256_si128, _mm256_div_ps, _mm256_extracti128_si256, _mm256_loadu_ps,
    _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps, _mm256_or_ps, _mm256_packus_epi32,
    _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_set1_ps, _mm256_slli_epi32,
    _mm256_storeu_ps, _mm256_sub_ps,
};

use super::{LANES, LaneBlock, Lanes};

/// Two 256-bit registers, low lanes first.
#[derive(Clone, Copy)]
pub(in super::super) struct Two256(__m256, __m256);

impl Lanes for Two256 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: the caller has AVX2.
        let lanes = unsafe { _mm256_set1_ps(value) };
        Self(lanes, lanes)
    }

    #[inline(always)]
    fn load(from: &LaneBlock) -> Self {
        let start = from.as_ptr();
        // SAFETY: the caller has AVX2, and a block is twice 32 bytes.
        unsafe { Self(_mm256_loadu_ps(start), _mm256_loadu_ps(start.add(8))) }
    }

    #[inline(always)]
    fn store(self, to: &mut LaneBlock) {
        let start = to.as_mut_ptr();
        // SAFETY: the caller has AVX2, and a block is twice 32 bytes.
        unsafe {
            _mm256_storeu_ps(start, self.0);
            _mm256_storeu_ps(start.add(8), self.1);
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_add_ps(self.0, other.0), _mm256_add_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_sub_ps(self.0, other.0), _mm256_sub_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_mul_ps(self.0, other.0), _mm256_mul_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_div_ps(self.0, other.0), _mm256_div_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_min_ps(self.0, other.0), _mm256_min_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe { Self(_mm256_max_ps(self.0, other.0), _mm256_max_ps(self.1, other.1)) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            Self(_mm256_andnot_ps(sign, self.0), _mm256_andnot_ps(sign, self.1))
        }
    }

    #[inline(always)]
    fn with_sign(self, other: Self) -> Self {
        // SAFETY: the caller has AVX2.
        unsafe {
            let sign = _mm256_set1_ps(-0.0);
            Self(
                _mm256_or_ps(self.0, _mm256_and_ps(other.0, sign)),
                _mm256_or_ps(self.1, _mm256_and_ps(other.1, sign)),
            )
        }
    }

    #[inline(always)]
    fn times_two_to(self, power: Self) -> Self {
        let half = |lanes: __m256, power: __m256| {
            // SAFETY: the caller has AVX2.
            unsafe {
                let power = _mm256_slli_epi32::<23>(_mm256_castps_si256(power));
                _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(lanes), power))
            }
        };
        Self(half(self.0, power.0), half(self.1, power.1))
    }

    #[inline(always)]
    fn low_bytes(self, offset: u8) -> [u8; LANES] {
        let mut bytes = [0; LANES];
        // SAFETY: the caller has AVX2, and the array is 16 bytes.
        unsafe {
            let (offset, mask) = (_mm256_set1_epi32(i32::from(offset)), _mm256_set1_epi32(0xff));
            let low = _mm256_add_epi32(_mm256_castps_si256(self.0), offset);
            let high = _mm256_add_epi32(_mm256_castps_si256(self.1), offset);
            let (low, high) = (_mm256_and_si256(low, mask), _mm256_and_si256(high, mask));
            // Packing works on each half of the register separately; the permutation restores the
            // order.
            let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(low, high));
            let halves = (_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
            let packed = _mm_packus_epi16(halves.0, halves.1);
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), packed);
        }
        bytes
    }
}
