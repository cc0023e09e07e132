//! Sixteen floats at a time: the vector type of the float operations.
//!
//! Each operation works on every lane separately and rounds as IEEE 754 requires, so every
//! implementation gives the same bits. Fused multiply-add is not used, because some machines lack
//! it.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(target_arch = "x86_64")]
pub(super) use avx2::Two256;
#[cfg(target_arch = "x86_64")]
pub(super) use avx512::One512;

/// The number of lanes in a block.
pub(super) const LANES: usize = 16;

/// A block of floats in memory.
pub(super) type LaneBlock = [f32; LANES];

/// Sixteen floats in registers.
pub(super) trait Lanes: Copy {
    fn splat(value: f32) -> Self;
    fn load(from: &LaneBlock) -> Self;
    fn store(self, to: &mut LaneBlock);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// Returns the minimum of each pair; NaN is not allowed.
    fn min(self, other: Self) -> Self;
    /// Returns the maximum of each pair; NaN is not allowed.
    fn max(self, other: Self) -> Self;
    fn abs(self) -> Self;
    /// Copies the signs of `other`; no lane of `self` may be negative.
    fn with_sign(self, other: Self) -> Self;
    /// Adds the low bits of `power` to the exponents.
    fn times_two_to(self, power: Self) -> Self;
    /// Returns the low byte of each bit pattern plus `offset`.
    fn low_bytes(self, offset: u8) -> [u8; LANES];

    #[inline(always)]
    fn to_array(self) -> LaneBlock {
        let mut block = [0.0; LANES];
        self.store(&mut block);
        block
    }
}

/// An array, which the compiler vectorises if it can.
#[derive(Clone, Copy)]
pub(super) struct PortableLanes(LaneBlock);

impl PortableLanes {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(f32, f32) -> f32) -> Self {
        let mut lanes = self.0;
        for (lane, other) in lanes.iter_mut().zip(other.0) {
            *lane = operation(*lane, other);
        }
        Self(lanes)
    }
}

impl Lanes for PortableLanes {
    #[inline(always)]
    fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load(from: &LaneBlock) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut LaneBlock) {
        *to = self.0;
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.map(f32::abs))
    }

    #[inline(always)]
    fn with_sign(self, other: Self) -> Self {
        self.zip(other, f32::copysign)
    }

    #[inline(always)]
    fn times_two_to(self, power: Self) -> Self {
        self.zip(power, |lane, power| {
            f32::from_bits(lane.to_bits().wrapping_add(power.to_bits() << 23))
        })
    }

    #[inline(always)]
    fn low_bytes(self, offset: u8) -> [u8; LANES] {
        self.0.map(|lane| (lane.to_bits() as u8).wrapping_add(offset))
    }
}
