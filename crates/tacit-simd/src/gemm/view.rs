//! Typed views of bytes, without copying.

/// Views bytes as signed bytes.
pub fn as_i8(bytes: &[u8]) -> &[i8] {
    // SAFETY: `u8` and `i8` have one size and alignment, and every bit pattern is valid in both.
    unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) }
}

/// Views signed bytes as bytes.
pub fn from_i8(values: &[i8]) -> &[u8] {
    // SAFETY: as in `as_i8`.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// Defines a checked view of little-endian numbers.
macro_rules! number_view {
    ($(#[$doc:meta])* $name:ident, $number:ty) => {
        $(#[$doc])*
        ///
        /// Returns `None` if the bytes are misaligned or incomplete, or the machine is big-endian.
        pub fn $name(bytes: &[u8]) -> Option<&[$number]> {
            // SAFETY: the number has no padding and every bit pattern is valid; `align_to` sees
            // to alignment and length.
            let (before, values, after) = unsafe { bytes.align_to::<$number>() };
            let whole = before.is_empty() && after.is_empty();
            (whole && cfg!(target_endian = "little")).then_some(values)
        }
    };
}

number_view!(
    /// Views bytes as 32-bit floats.
    as_f32, f32
);
number_view!(
    /// Views bytes as signed 32-bit integers.
    as_i32, i32
);
number_view!(
    /// Views bytes as unsigned 32-bit integers.
    as_u32, u32
);
