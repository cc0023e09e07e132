//! Kernels for the bundled embedding model: u8 × i8 matrix products and the float operations
//! between them.
//!
//! A [`Kernel`] proves that the processor supports one [`SimdLevel`], so every method on it is
//! safe. All levels give the same bits: integer sums are exact, and float operations round in the
//! same order everywhere (sums run over sixteen fixed lanes, and a product is never fused with the
//! following addition). Vectors computed on different machines can therefore be compared.
//!
//! Weights must be in -64..=64 (see [`pack`]): the AVX2 kernel adds two products in sixteen bits,
//! and 2 × 255 × 64 is the most that fits.

mod attention;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod float;
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;
mod pack;
mod portable;
#[cfg(test)]
mod tests;
mod tile;
pub mod view;

pub use attention::AttentionScratch;
pub use pack::{PackError, PackedColumns, pack, packed_len};

use pack::{GROUP, PANEL};
use tile::Dequantize;

/// An instruction set with its own kernels, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SimdLevel {
    /// 512-bit `vpdpbusd`: servers, and Zen 4 and later.
    Avx512Vnni,
    /// 256-bit `vpdpbusd`: Intel client processors since 2021, which lack AVX-512.
    AvxVnni,
    /// `vpmaddubsw` and `vpmaddwd`.
    Avx2,
    /// `sdot` on aarch64.
    NeonDot,
    /// Widening multiplies on aarch64.
    Neon,
    /// Plain Rust; the reference for all the others.
    Portable,
}

impl SimdLevel {
    const ALL: [Self; 6] =
        [Self::Avx512Vnni, Self::AvxVnni, Self::Avx2, Self::NeonDot, Self::Neon, Self::Portable];

    #[cfg(target_arch = "x86_64")]
    fn supported(self) -> bool {
        match self {
            Self::Avx512Vnni => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vnni")
            }
            Self::AvxVnni => {
                is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxvnni")
            }
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            Self::NeonDot | Self::Neon => false,
            Self::Portable => true,
        }
    }

    #[cfg(target_arch = "aarch64")]
    fn supported(self) -> bool {
        match self {
            Self::NeonDot => std::arch::is_aarch64_feature_detected!("dotprod"),
            // NEON is part of every aarch64 target that has an operating system.
            Self::Neon | Self::Portable => true,
            Self::Avx512Vnni | Self::AvxVnni | Self::Avx2 => false,
        }
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn supported(self) -> bool {
        self == Self::Portable
    }
}

/// A linear layer: packed weights, and the scales and biases that convert the integer product to
/// floats.
#[derive(Clone, Copy, Debug)]
pub struct Linear<'a> {
    columns: PackedColumns<'a>,
    scales: &'a [f32],
    bias: &'a [f32],
}

impl<'a> Linear<'a> {
    /// Combines packed weights with one scale and one bias per output column; `None` if the lengths
    /// differ.
    pub fn new(columns: PackedColumns<'a>, scales: &'a [f32], bias: &'a [f32]) -> Option<Self> {
        (scales.len() == columns.n() && bias.len() == columns.n()).then_some(Self {
            columns,
            scales,
            bias,
        })
    }

    /// Returns the number of output columns.
    pub fn n(&self) -> usize {
        self.columns.n()
    }
}

/// The mapping of activations to bytes: `float = (byte - zero_point) * scale`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantization {
    /// The difference between two adjacent bytes.
    pub scale: f32,
    /// The byte that stands for zero.
    pub zero_point: u8,
}

/// The kernels of one level that this processor supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(SimdLevel);

impl Kernel {
    /// Returns the kernels of the best level that this processor supports.
    pub fn best() -> Self {
        SimdLevel::ALL.into_iter().find_map(Self::new).unwrap_or(Self(SimdLevel::Portable))
    }

    /// Returns the kernels of a level, or `None` if the processor lacks it.
    fn new(level: SimdLevel) -> Option<Self> {
        level.supported().then_some(Self(level))
    }

    /// Returns the kernels of all levels that this processor supports, best first.
    pub fn available() -> Vec<Self> {
        SimdLevel::ALL.into_iter().filter_map(Self::new).collect()
    }

    /// Returns the level of these kernels.
    pub fn level(self) -> SimdLevel {
        self.0
    }

    /// Computes `out = dequantized(rows) × weights + bias`, subtracting the zero point in integers.
    ///
    /// # Panics
    /// Panics if a slice is not a whole number of rows of the right length.
    pub fn linear(
        self,
        rows: &[u8],
        quantization: Quantization,
        layer: &Linear<'_>,
        out: &mut [f32],
    ) {
        let columns = &layer.columns;
        let m = rows.len() / columns.k_padded();
        assert_eq!(rows.len(), m * columns.k_padded(), "rows of activations");
        assert_eq!(out.len(), m * columns.n(), "rows of output");
        let output = &mut Dequantize {
            out,
            n: layer.n(),
            scale: quantization.scale,
            zero_point: i32::from(quantization.zero_point),
            col_sums: columns.col_sums(),
            scales: layer.scales,
            bias: layer.bias,
        };
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: a `Kernel` of this level exists only where the features were detected.
            SimdLevel::Avx512Vnni => unsafe { avx512::run(rows, m, columns, output) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            SimdLevel::AvxVnni => unsafe { avx2::run_vnni(rows, m, columns, output) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            SimdLevel::Avx2 => unsafe { avx2::run(rows, m, columns, output) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            SimdLevel::NeonDot => unsafe { neon::run_dot(rows, m, columns, output) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: as above.
            SimdLevel::Neon => unsafe { neon::run(rows, m, columns, output) },
            _ => portable::run(rows, m, columns, output),
        }
    }
}
