//! Long bodies of the session log, compressed: outputs and edits take a third of their size.

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use crate::field::Problem;

/// The fewest bytes that are worth compressing.
const LEAST: usize = 512;
/// The most bytes of a compressed body, so that damage cannot ask for any amount of memory.
const MOST: usize = 1024 * 1024;
/// The effort of compression: a hook waits for it, and more gains little.
const LEVEL: u8 = 3;

/// Compresses a body. Returns `None` if it is better stored as it is.
pub(super) fn pack_body(body: &str) -> Option<Vec<u8>> {
    if !(LEAST..=MOST).contains(&body.len()) {
        return None;
    }
    let packed = compress_to_vec_zlib(body.as_bytes(), LEVEL);
    (packed.len() < body.len()).then_some(packed)
}

/// Restores the compressed body of a row. Fails if it is damaged.
pub fn unpack_body(packed: &[u8]) -> Result<String, Problem> {
    let bytes = decompress_to_vec_zlib_with_limit(packed, MOST).ok();
    let body = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    body.ok_or_else(|| Problem::rule("cannot be decompressed"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_long_bodies_are_packed() {
        assert_eq!(pack_body(&"a".repeat(LEAST - 1)), None);
        assert_eq!(pack_body(&"a".repeat(MOST + 1)), None);
        let most = "a".repeat(MOST);
        assert_eq!(unpack_body(&pack_body(&most).unwrap()).unwrap(), most);
    }

    #[test]
    fn damaged_bodies_are_refused() {
        let mut packed = pack_body(&"error: no such file\n".repeat(100)).unwrap();
        assert!(unpack_body(&packed[..packed.len() - 1]).is_err());
        *packed.last_mut().unwrap() ^= 1;
        assert!(unpack_body(&packed).is_err());
        let bomb = compress_to_vec_zlib(&vec![b'a'; MOST + 1], LEVEL);
        assert!(unpack_body(&bomb).is_err());
        assert!(unpack_body(&compress_to_vec_zlib(&[0xff; 600], LEVEL)).is_err());
    }

    proptest! {
        #[test]
        fn packed_bodies_are_restored(words in prop::collection::vec("[a-z]{1,3}|é|\n|\\PC", 0..900)) {
            let body = words.concat();
            if let Some(packed) = pack_body(&body) {
                prop_assert!(packed.len() < body.len());
                prop_assert_eq!(unpack_body(&packed).unwrap(), body);
            }
        }

        #[test]
        fn any_bytes_are_unpacked_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = unpack_body(&bytes);
        }
    }
}
