//! Dot products over quantised codes, for scanning a vector index.
//!
//! Two kinds of rows are scanned, both against one prepared query: rows of 8-bit integers
//! ([`Int8Query`]) and rows of single bits ([`BitQuery`]). Results are exact integers, so every
//! [`Level`] gives the same answer to the last bit; which one runs is only a matter of speed.
//! Scales, selection and rescoring belong to the index, not here.

mod bits;
mod int8;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::sync::OnceLock;

pub use self::{bits::BitQuery, int8::Int8Query};

/// Which instructions a kernel may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Plain Rust; every machine has it, and it is the oracle for the others.
    Portable,
    /// 64-bit ARM's vector unit.
    Neon,
    /// AVX2 and scalar POPCNT.
    Avx2,
    /// AVX-512 with VNNI and VPOPCNTDQ.
    Avx512,
}

impl Level {
    /// Every level, slowest first.
    pub const ALL: [Self; 4] = [Self::Portable, Self::Neon, Self::Avx2, Self::Avx512];

    /// The fastest level of this processor, asked once per process.
    #[must_use]
    pub fn best() -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        *BEST.get_or_init(|| {
            let last = Self::ALL.into_iter().rfind(|level| level.is_available());
            last.unwrap_or(Self::Portable)
        })
    }

    /// Whether this processor can run the level.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Neon => cfg!(all(target_arch = "aarch64", target_endian = "little")),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("popcnt")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512vnni")
                    && std::arch::is_x86_feature_detected!("avx512vpopcntdq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// This level where the processor has it, the portable one where not.
    ///
    /// Queries pass what they are given through here, so that naming a level by hand can never
    /// reach instructions the processor lacks.
    fn or_portable(self) -> Self {
        if self.is_available() { self } else { Self::Portable }
    }
}
