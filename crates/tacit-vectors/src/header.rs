//! The header pages: the format of the file, and how much of it is valid.
//!
//! Page 0 is written once: format, model, dimensions. Pages 1 and 2 are two slots for the
//! [`PublishedState`]. A writer always overwrites the older one, so an interruption leaves the
//! other intact. That one small write publishes a state, after all its data has been written: rows
//! beyond the published count do not exist.

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom, Write},
};

use crate::{
    IndexSpec, RebuildReason,
    checksum::checksum,
    layout::{HEAD, MAX_ROWS, PAGE},
};

const MAGIC: &[u8; 8] = b"TACITVEC";
const VERSION: u32 = 2;
/// The length of the part of page 0 that its checksum covers.
const FIXED: usize = 256;
const NAME: usize = 160;
const STATE: usize = 64;

/// The checksums of page 0, which never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileHeader {
    /// The checksum of the centre, which searches never read.
    pub(crate) centre_sum: u64,
    /// The checksum of page 0. It seeds the checksums of the slots, so that a slot is valid in its
    /// own file only.
    pub(crate) sum: u64,
}

/// The valid extent of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PublishedState {
    /// The number of the publication; the higher of two valid slots is the newer.
    pub(crate) sequence: u64,
    /// The number of published rows, including dead ones.
    pub(crate) rows: u64,
    /// The number of published entries of the deletion log.
    pub(crate) deletions: u64,
    /// The number of rows known to have reached the disk.
    pub(crate) synced: u64,
    /// The database generation that the file matches.
    pub(crate) generation: u64,
    /// The largest key ever added. A larger key needs no search for its predecessor.
    pub(crate) max_key: u64,
}

impl FileHeader {
    /// Encodes page 0 of a new file.
    pub(crate) fn encode(spec: &IndexSpec, centre_sum: u64) -> (Self, Vec<u8>) {
        let mut page = vec![0; PAGE as usize];
        page[..8].copy_from_slice(MAGIC);
        page[8..12].copy_from_slice(&VERSION.to_le_bytes());
        page[12..16].copy_from_slice(&(spec.dims() as u32).to_le_bytes());
        page[16..24].copy_from_slice(&model_sum(spec).to_le_bytes());
        page[24..32].copy_from_slice(&centre_sum.to_le_bytes());
        // The name is only for messages; the checksum decides, so a long name may be truncated.
        let name = &spec.model()[..spec.model().floor_char_boundary(NAME)];
        page[32] = name.len() as u8;
        page[33..33 + name.len()].copy_from_slice(name.as_bytes());
        let sum = checksum(0, &[&page[..FIXED - 8]]);
        page[FIXED - 8..FIXED].copy_from_slice(&sum.to_le_bytes());
        (Self { centre_sum, sum }, page)
    }

    fn decode(page: &[u8], spec: &IndexSpec) -> Result<Self, RebuildReason> {
        if page[..8] != *MAGIC || u32_at(page, 8) != VERSION {
            return Err(RebuildReason::OtherFormat);
        }
        let sum = u64_at(page, FIXED - 8);
        if sum != checksum(0, &[&page[..FIXED - 8]]) {
            return Err(RebuildReason::Damaged("the header does not match its checksum".into()));
        }
        if u64_at(page, 16) != model_sum(spec) {
            let name = &page[33..33 + usize::from(page[32]).min(NAME)];
            return Err(RebuildReason::OtherModel {
                found: String::from_utf8_lossy(name).into_owned(),
            });
        }
        let dims = u32_at(page, 12) as usize;
        if dims != spec.dims() {
            return Err(RebuildReason::OtherDims { found: dims });
        }
        Ok(Self { centre_sum: u64_at(page, 24), sum })
    }
}

impl PublishedState {
    /// Encodes the slot that publishes this state, and returns its offset.
    pub(crate) fn encode(&self, fixed: &FileHeader) -> (u64, [u8; STATE]) {
        let mut bytes = [0; STATE];
        let fields =
            [self.sequence, self.rows, self.deletions, self.synced, self.generation, self.max_key];
        for (field, slot) in fields.into_iter().zip(bytes.chunks_exact_mut(8)) {
            slot.copy_from_slice(&field.to_le_bytes());
        }
        let sum = checksum(fixed.sum, &[&bytes[..STATE - 8]]);
        bytes[STATE - 8..].copy_from_slice(&sum.to_le_bytes());
        (PAGE * (1 + self.sequence % 2), bytes)
    }

    fn decode(bytes: &[u8], fixed: &FileHeader) -> Option<Self> {
        if u64_at(bytes, STATE - 8) != checksum(fixed.sum, &[&bytes[..STATE - 8]]) {
            return None;
        }
        let [sequence, rows, deletions, synced, generation, max_key] =
            [0, 8, 16, 24, 32, 40].map(|at| u64_at(bytes, at));
        // Each deletion names a different row, so a valid state satisfies all of these.
        (rows <= MAX_ROWS && deletions <= rows && synced <= rows).then_some(Self {
            sequence,
            rows,
            deletions,
            synced,
            generation,
            max_key,
        })
    }
}

/// Reads the header and the newest valid state.
pub(crate) fn read(
    file: &File,
    spec: &IndexSpec,
) -> io::Result<Result<(FileHeader, PublishedState), RebuildReason>> {
    let mut head = vec![0; HEAD as usize];
    match read_at(file, 0, &mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Ok(Err(RebuildReason::Damaged("the file ends within the header".into())));
        }
        Err(error) => return Err(error),
    }
    let (page, slots) = head.split_at(PAGE as usize);
    let fixed = match FileHeader::decode(page, spec) {
        Ok(fixed) => fixed,
        Err(reason) => return Ok(Err(reason)),
    };
    let newest = slots
        .chunks_exact(PAGE as usize)
        .filter_map(|slot| PublishedState::decode(&slot[..STATE], &fixed))
        .max_by_key(|state| state.sequence);
    Ok(match newest {
        Some(state) => Ok((fixed, state)),
        None => Err(RebuildReason::Damaged("neither of its two states is valid".into())),
    })
}

/// Reads exactly `into.len()` bytes at an offset.
pub(crate) fn read_at(mut file: &File, at: u64, into: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(into)
}

/// Writes bytes at an offset.
pub(crate) fn write_at(mut file: &File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(word)
}

fn model_sum(spec: &IndexSpec) -> u64 {
    checksum(1, &[spec.model().as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_round_trip_and_flipped_bits_are_detected() {
        let spec = IndexSpec::new("model", 384).expect("fits");
        let (fixed, page) = FileHeader::encode(&spec, 5);
        assert_eq!(FileHeader::decode(&page, &spec), Ok(fixed));
        let state = PublishedState {
            sequence: 3,
            rows: 10,
            deletions: 2,
            synced: 9,
            generation: 77,
            max_key: u64::MAX,
        };
        let (offset, mut bytes) = state.encode(&fixed);
        assert_eq!(offset, 2 * PAGE);
        assert_eq!(PublishedState::decode(&bytes, &fixed), Some(state));
        for bit in 0..STATE * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(PublishedState::decode(&bytes, &fixed), None);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        let (other, _) = FileHeader::encode(&spec, 6);
        assert_eq!(
            PublishedState::decode(&bytes, &other),
            None,
            "a slot is valid in its own file only"
        );
    }

    #[test]
    fn long_names_are_truncated_for_display_only() {
        let long = "ä".repeat(200);
        let spec = IndexSpec::new(&long, 8).expect("fits");
        let (_, page) = FileHeader::encode(&spec, 0);
        assert!(FileHeader::decode(&page, &spec).is_ok());
        let other = IndexSpec::new(&"ä".repeat(199), 8).expect("fits");
        let Err(RebuildReason::OtherModel { found }) = FileHeader::decode(&page, &other) else {
            panic!("another model was accepted");
        };
        assert_eq!(found, "ä".repeat(80));
    }
}
