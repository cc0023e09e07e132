//! Identifiers that clients give to sessions, calls and subagents, which may contain secrets.

use std::borrow::Cow;

use crate::redact;

/// Returns an identifier without secrets that is still distinct: an identifier that contains a
/// secret is replaced by a short hash, which is always the same.
///
/// The hash has 32 bits, too few to recover the secret.
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
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Cow::Owned(format!("redacted-{:08x}", (hash >> 32) as u32 ^ hash as u32))
}
