//! Memory identifiers: sortable in full, and short enough to type.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::clock::Timestamp;
use crate::field::Problem;

/// The length of a short identifier, in characters.
pub const SHORT_ID_LENGTH: usize = 8;

/// The identifier of a memory: a UUID of version 7, so that identifiers sort by creation time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MemoryId(Uuid);

impl MemoryId {
    /// Creates an identifier from a time and 80 random bits.
    pub fn from_parts(at: Timestamp, random: [u8; 10]) -> MemoryId {
        let millis = u64::try_from(at.as_millis()).unwrap_or(0);
        MemoryId(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    /// Creates an identifier from 16 bytes; `None` unless they are a UUID of version 7.
    pub fn from_bytes(bytes: [u8; 16]) -> Option<MemoryId> {
        let uuid = Uuid::from_bytes(bytes);
        (uuid.get_version_num() == 7).then_some(MemoryId(uuid))
    }

    /// Returns the 16 bytes, which sort like the identifiers.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Returns the short form: the last eight hexadecimal digits. They are random, whereas the
    /// first digits are a clock and equal for all memories created in the same minute.
    pub fn short(&self) -> ShortId {
        let bytes = self.0.as_bytes();
        ShortId(u32::from_be_bytes([bytes[12], bytes[13], bytes[14], bytes[15]]))
    }
}

impl fmt::Display for MemoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}

impl FromStr for MemoryId {
    type Err = Problem;

    fn from_str(text: &str) -> Result<MemoryId, Problem> {
        Uuid::try_parse(text)
            .ok()
            .and_then(|uuid| MemoryId::from_bytes(*uuid.as_bytes()))
            .ok_or_else(|| Problem::unexpected(text, "a memory id (a UUID of version 7)"))
    }
}

impl TryFrom<String> for MemoryId {
    type Error = Problem;

    fn try_from(text: String) -> Result<MemoryId, Problem> {
        text.parse()
    }
}

impl From<MemoryId> for String {
    fn from(id: MemoryId) -> String {
        id.to_string()
    }
}

/// The eight characters by which people and agents refer to a memory. Two memories can share them;
/// a lookup returns all matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortId(u32);

impl ShortId {
    /// Returns the eight characters as a number.
    pub fn value(self) -> u32 {
        self.0
    }

    /// Returns the range of short identifiers that start with `prefix`; `None` unless it is one to
    /// eight hexadecimal digits.
    pub fn range_of_prefix(prefix: &str) -> Option<std::ops::RangeInclusive<u32>> {
        let digits = prefix.len();
        if !(1..=SHORT_ID_LENGTH).contains(&digits)
            || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            return None;
        }
        let free_bits = 4 * (SHORT_ID_LENGTH - digits) as u32;
        let first = u64::from(u32::from_str_radix(prefix, 16).ok()?) << free_bits;
        let last = first | ((1_u64 << free_bits) - 1);
        Some(first as u32..=last as u32)
    }
}

impl fmt::Display for ShortId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// A source of new identifiers.
pub trait IdSource {
    /// Returns a new identifier with the creation time `at`.
    fn next_id(&self, at: Timestamp) -> MemoryId;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(random: u8) -> MemoryId {
        MemoryId::from_parts(Timestamp::from_millis(1_763_000_000_000).unwrap(), [random; 10])
    }

    #[test]
    fn ids_survive_text_and_byte_round_trips() {
        let id = id(0xab);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(MemoryId::from_bytes(*id.as_bytes()), Some(id));
        assert!(id.to_string().ends_with(&id.short().to_string()));
    }

    #[test]
    fn ids_sort_by_creation_time() {
        let earlier = MemoryId::from_parts(Timestamp::from_millis(1_000).unwrap(), [0xff; 10]);
        let later = MemoryId::from_parts(Timestamp::from_millis(2_000).unwrap(), [0; 10]);
        assert!(earlier < later);
        assert!(earlier.to_string() < later.to_string());
    }

    #[test]
    fn uuids_of_other_versions_are_rejected() {
        assert!("550e8400-e29b-41d4-a716-446655440000".parse::<MemoryId>().is_err());
        assert!("".parse::<MemoryId>().is_err());
    }

    #[test]
    fn prefixes_map_to_ranges() {
        assert_eq!(ShortId::range_of_prefix("a1b2c3d4"), Some(0xa1b2_c3d4..=0xa1b2_c3d4));
        assert_eq!(ShortId::range_of_prefix("A"), Some(0xa000_0000..=0xafff_ffff));
        for wrong in ["", "xyz", "a1b2c3d45", "é"] {
            assert_eq!(ShortId::range_of_prefix(wrong), None, "{wrong}");
        }
    }
}
