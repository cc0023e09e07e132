//! A digest of rows, by which a copy is verified.

use std::fmt;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::TransferRow;

/// The number of rows and the sum of their hashes. It does not depend on the order of the rows, so
/// that pages can be added as they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowsDigest {
    /// The number of rows.
    pub rows: u64,
    /// The sum of the hashes, modulo 2^128.
    sum: u128,
}

impl RowsDigest {
    /// Adds a row.
    pub fn add(&mut self, row: &TransferRow) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(hash(row));
    }
}

impl fmt::Display for RowsDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:032x}", self.rows, self.sum)
    }
}

/// Returns the digest of rows in any order.
pub fn digest_of_rows<'r>(rows: impl IntoIterator<Item = &'r TransferRow>) -> RowsDigest {
    let mut digest = RowsDigest::default();
    for row in rows {
        digest.add(row);
    }
    digest
}

/// Hashes a row. A row that cannot be written as JSON, which none is, hashes like its table.
fn hash(row: &TransferRow) -> u128 {
    let json = canonical(row).unwrap_or_else(|_| row.table().as_str().to_owned());
    let mut first = [0; 16];
    first.copy_from_slice(&Sha256::digest(json.as_bytes())[..16]);
    u128::from_be_bytes(first)
}

/// Writes a row as JSON in which the order of fields says nothing.
fn canonical(row: &impl Serialize) -> serde_json::Result<String> {
    let mut value = serde_json::to_value(row)?;
    value.sort_all_objects();
    serde_json::to_string(&value)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tacit_core::Timestamp;

    use super::*;
    use crate::transfer::{RequestRow, TransferRow};

    fn request(name: &str) -> TransferRow {
        TransferRow::Request(RequestRow { name: name.into(), at: Timestamp::MIN })
    }

    #[test]
    fn digests_tell_rows_apart_and_not_their_order() {
        let (one, two) = (request("one"), request("two"));
        let digest = digest_of_rows([&one, &two]);
        assert_eq!(digest, digest_of_rows([&two, &one]));
        for other in [vec![&one], vec![&one, &one], vec![&one, &two, &two], vec![]] {
            assert_ne!(digest, digest_of_rows(other));
        }
    }

    #[test]
    fn the_order_of_fields_says_nothing() {
        let one = json!({"a": 1, "b": {"c": 2, "d": 3}});
        let other = json!({"b": {"d": 3, "c": 2}, "a": 1});
        assert_eq!(canonical(&one).unwrap(), canonical(&other).unwrap());
    }
}
