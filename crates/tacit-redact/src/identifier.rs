//! Names that clients give to sessions, calls and helpers: kept as they are, unless a secret is in
//! them.

use std::borrow::Cow;

use crate::redact;

/// Returns a name without secrets that still tells things apart: one that holds a secret is
/// replaced by a short sum of it, the same each time.
///
/// The sum has 32 bits, so it tells less of a secret than anybody could find it by.
///
/// ```
/// assert_eq!(tacit_redact::identifier("5f2c-a1"), "5f2c-a1");
/// let hidden = tacit_redact::identifier("password=hunter2");
/// assert!(hidden.starts_with("redacted-") && !hidden.contains("hunter2"));
/// ```
pub fn identifier(name: &str) -> Cow<'_, str> {
    if redact(name).is_clean() {
        return Cow::Borrowed(name);
    }
    // FNV-1a, folded.
    let sum = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Cow::Owned(format!("redacted-{:08x}", (sum >> 32) as u32 ^ sum as u32))
}
