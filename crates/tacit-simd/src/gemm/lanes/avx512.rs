//! Sixteen lanes in one 512-bit register.
//!
//! Every `unsafe` block relies on this: the methods are inlined into functions that have AVX-512 F,
//! BW, DQ and VL, and only such functions use the type.

use std::arch::x86_64::{
    __m512, _mm_storeu_si128, _mm512_abs_ps, _mm512_add_epi32, _mm512_add_ps, _mm512_and_ps,
    _mm512_castps_si512, _mm512_castsi512_ps, _mm512_cvtepi32_epi8, _mm512_div_ps, _mm512_loadu_ps,
    _mm512_max_ps, _mm512_min_ps, _mm512_mul_ps, _mm512_or_ps, _mm512_set1_epi32, _mm512_set1_ps,
    _mm512_slli_epi32, _mm512_storeu_ps, _mm512_sub_ps,
};

use super::{LANES, LaneBlock, Lanes};

/// One 512-bit register.
#[derive(Clone, Copy)]
pub(in super::super) struct One512(__m512);

impl Lanes for One512 {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_set1_ps(value) })
    }

    #[inline(always)]
    fn load(from: &LaneBlock) -> Self {
        // SAFETY: the caller has AVX-512, and a block is 64 bytes.
        Self(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut LaneBlock) {
        // SAFETY: the caller has AVX-512, and a block is 64 bytes.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), self.0) };
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_abs_ps(self.0) })
    }

    #[inline(always)]
    fn with_sign(self, other: Self) -> Self {
        // SAFETY: the caller has AVX-512.
        Self(unsafe { _mm512_or_ps(self.0, _mm512_and_ps(other.0, _mm512_set1_ps(-0.0))) })
    }

    #[inline(always)]
    fn times_two_to(self, power: Self) -> Self {
        // SAFETY: the caller has AVX-512.
        unsafe {
            let power = _mm512_slli_epi32::<23>(_mm512_castps_si512(power.0));
            let sum = _mm512_add_epi32(_mm512_castps_si512(self.0), power);
            Self(_mm512_castsi512_ps(sum))
        }
    }

    #[inline(always)]
    fn low_bytes(self, offset: u8) -> [u8; LANES] {
        let mut bytes = [0; LANES];
        // SAFETY: the caller has AVX-512, and the array is 16 bytes.
        unsafe {
            let bits = _mm512_castps_si512(self.0);
            let sum = _mm512_add_epi32(bits, _mm512_set1_epi32(i32::from(offset)));
            _mm_storeu_si128(bytes.as_mut_ptr().cast(), _mm512_cvtepi32_epi8(sum));
        }
        bytes
    }
}
