//! Outlines of the files that linking one file looks at, for languages where these are all of a
//! kind: read at once where the store of facts would be asked ten thousand times.
//!
//! They are known by the hashes of the files, so one that is old is not wrong, only of no use, and
//! the facts are asked instead. Written whenever all is linked.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use tacit_fs::Replacement;
use tacit_graph::{FACTS_VERSION, FileFacts, FileId, asks_all, sum};
use tacit_simd::map::Map;

use crate::facts::Hash;

const MAGIC: &[u8; 8] = b"TACITOL1";
/// The mark, the version of facts, and how many entries follow.
const HEADER: usize = 16;
/// A hash, a sum of the bytes, where they begin and how many they are.
const ENTRY: usize = 32;

/// Outlines that were kept, in the order of the files.
pub(crate) struct Outlines {
    map: Map,
    count: usize,
}

impl Outlines {
    /// Opens a file of outlines; none if it is none that can be read.
    pub(crate) fn open(path: &Path) -> Option<Outlines> {
        let file = tacit_fs::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        let map = Map::new(file, length).ok()?;
        let head = map.get(0..HEADER)?;
        let count = number(head, 12)? as usize;
        let whole = head.get(..8)? == MAGIC
            && number(head, 8)? == FACTS_VERSION
            && HEADER.checked_add(count.checked_mul(ENTRY)?)? <= map.len();
        whole.then_some(Outlines { map, count })
    }

    /// The outline of a file, if it is that of the same bytes.
    pub(crate) fn get(&self, file: FileId, hash: &Hash) -> Option<FileFacts> {
        FileFacts::from_bytes(self.bytes(file as usize, hash)?)
    }

    fn bytes(&self, at: usize, hash: &Hash) -> Option<&[u8]> {
        let (known, bytes) = self.entry(at)?;
        (known == hash.as_slice()).then_some(bytes)
    }

    /// The hash and the bytes of an entry, if they are whole.
    fn entry(&self, at: usize) -> Option<(&[u8], &[u8])> {
        let start = HEADER + (at < self.count).then_some(at)? * ENTRY;
        let entry = self.map.get(start..start + ENTRY)?;
        let (from, length) = (number(entry, 24)? as usize, number(entry, 28)? as usize);
        let bytes = self.map.get(from..from.checked_add(length)?)?;
        let written = u64::from_le_bytes(entry.get(16..24)?.try_into().ok()?);
        (length > 0 && sum(bytes) == written).then_some((&entry[..16], bytes))
    }
}

/// Writes the outlines of all files, taking over those that are there.
pub(crate) fn write<'f>(
    path: &Path,
    files: impl ExactSizeIterator<Item = (&'f Hash, Option<&'f FileFacts>)>,
) -> std::io::Result<()> {
    let before = Outlines::open(path);
    let entries = before.iter().flat_map(|all| (0..all.count).filter_map(|at| all.entry(at)));
    let known: HashMap<&[u8], &[u8]> = entries.collect();
    let count = files.len();
    let mut head = Vec::with_capacity(HEADER + count * ENTRY);
    head.extend(MAGIC);
    head.extend(FACTS_VERSION.to_le_bytes());
    head.extend((count as u32).to_le_bytes());
    tacit_fs::remove_temporaries(path)?;
    let mut replacement = Replacement::new(path)?;
    let mut file = BufWriter::new(replacement.file());
    let mut start = HEADER + count * ENTRY;
    file.seek(SeekFrom::Start(start as u64))?;
    for (hash, facts) in files {
        let facts = facts.filter(|facts| asks_all(facts.language));
        let bytes = match (facts, known.get(hash.as_slice())) {
            (None, _) => Cow::Borrowed(&[][..]),
            (Some(_), Some(bytes)) => Cow::Borrowed(*bytes),
            (Some(facts), None) => Cow::Owned(facts.outline().to_bytes()),
        };
        file.write_all(&bytes)?;
        head.extend(hash);
        head.extend(sum(&bytes).to_le_bytes());
        head.extend((start as u32).to_le_bytes());
        head.extend((bytes.len() as u32).to_le_bytes());
        start += bytes.len();
    }
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&head)?;
    file.flush()?;
    drop(file);
    replacement.publish_light()
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
