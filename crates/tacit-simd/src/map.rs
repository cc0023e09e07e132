//! Read-only memory maps of files that only ever grow.
//!
//! A [`MappedFile`] keeps the file open beside the mapping, so that the length of what is really there
//! can be compared with what was mapped ([`MappedFile::is_backed`]). Slices are handed out range by
//! range: bytes nobody asks for are never borrowed, which is what lets a writer fill the unused
//! end of a mapped file while readers look at its beginning.
//!
//! Whoever reads pages leaves them to be faulted in: asking for them first (`MADV_POPULATE_READ`)
//! was measured and is slower, for the kernel maps sixteen neighbours per fault for less than it
//! takes to walk them. It pays only where another thread has the time for it ([`page_in`]).

use std::{fs::File, io, ops::Range};

use memmap2::{Mmap, MmapOptions};

/// A read-only mapping of the first bytes of a file.
///
/// # What a caller promises
///
/// Bytes that are asked for through [`MappedFile::get`] must not change while the map lives. The files
/// mapped by this project keep that promise by construction: published bytes are never written
/// again, files are never shortened, and a new version replaces an old one by renaming, which
/// leaves the old inode (and this map of it) as it was. Deleting the file is harmless for the
/// same reason.
///
/// # What cannot be promised
///
/// A stranger may still truncate the file. Touching a mapped page beyond the new end raises
/// `SIGBUS` and ends the process; no code can prevent that after the fact. [`MappedFile::is_backed`]
/// costs one `fstat` (well under a microsecond) and is to be called before each longer use, so
/// that only a truncation during that very use can do harm.
#[derive(Debug)]
pub struct MappedFile {
    file: File,
    map: Mmap,
}

impl MappedFile {
    /// Maps the first `len` bytes of `file`.
    ///
    /// # Errors
    ///
    /// When the file is shorter than `len`, `len` is zero or too large for this machine's
    /// addresses, or the system refuses the mapping.
    pub fn new(file: File, len: u64) -> io::Result<Self> {
        let actual = file.metadata()?.len();
        if actual < len {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("the file has {actual} bytes where {len} were to be mapped"),
            ));
        }
        let size = usize::try_from(len)
            .map_err(|_| io::Error::new(io::ErrorKind::FileTooLarge, "too large to be mapped"))?;
        // SAFETY: the mapping is read-only and private to this value, which also keeps the file
        // open. Its length lies within the file as of just now. That the bytes under handed-out
        // slices stay as they are is the append-only, replace-by-rename discipline described on
        // the type; slices are formed per range in `get`, never over bytes still being written.
        let map = unsafe { MmapOptions::new().len(size).map(&file)? };
        prefer_large_pages(&map);
        Ok(Self { file, map })
    }

    /// How many bytes are mapped.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Returns true if nothing is mapped; never so for a map made by [`MappedFile::new`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.len() == 0
    }

    /// Returns the bytes of `range`, or `None` where it leaves the mapping.
    #[must_use]
    pub fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        self.map.get(range)
    }

    /// Returns true if the file still covers the whole mapping.
    ///
    /// # Errors
    ///
    /// When the system cannot tell the length of the open file.
    pub fn is_backed(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() >= self.map.len() as u64)
    }
}

/// Lets the page cache hold the mapped file behind `bytes` in pages of 2 MB where the system can.
///
/// What a map faults in from disk is otherwise cached in pages of 4 KB for as long as it stays
/// cached, and every process that maps it later pays for each of them: 4.6 ms instead of 1.5 for a
/// scan of 38 MB in a fresh process, on Linux 6.18 with ext4. It is a hint, so a refusal is fine.
pub fn prefer_large_pages(bytes: &[u8]) {
    #[cfg(target_os = "linux")]
    if let Some(pages) = whole_pages(bytes) {
        // SAFETY: the range lies in `bytes`, so it is mapped for as long as this borrow lasts. The
        // advice is about how the kernel caches what backs it and changes neither contents,
        // protection nor lifetime.
        unsafe {
            libc::madvise(pages.as_ptr().cast_mut().cast(), pages.len(), libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Maps the pages behind `bytes`, so that another thread that is about to read them does not wait
/// for each. It is a hint, so a refusal is fine.
pub fn page_in(bytes: &[u8]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let skipped = bytes.as_ptr().align_offset(PAGE);
        if let Some(pages) = bytes.get(skipped..) {
            // SAFETY: the range begins at a page and lies in `bytes`, so it is mapped for as long
            // as this borrow lasts. Reading ahead changes neither contents, protection nor lifetime.
            unsafe {
                libc::madvise(
                    pages.as_ptr().cast_mut().cast(),
                    pages.len(),
                    libc::MADV_POPULATE_READ,
                );
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Returns the part of `bytes` that whole large pages can hold, if it is worth asking for any.
#[cfg(target_os = "linux")]
fn whole_pages(bytes: &[u8]) -> Option<&[u8]> {
    const LARGE: usize = 2 << 20;
    let skipped = bytes.as_ptr().align_offset(LARGE);
    let rest = bytes.get(skipped..)?;
    let whole = rest.len() / LARGE * LARGE;
    (whole > 0).then(|| &rest[..whole])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn scratch(name: &str) -> (std::path::PathBuf, File) {
        let path = std::env::temp_dir().join(format!("tacit-map-{}-{name}", std::process::id()));
        let mut file = File::create_new(&path).expect("scratch file");
        file.write_all(&[7; 5000]).expect("written");
        (path.clone(), File::open(path).expect("opened"))
    }

    #[test]
    fn hands_out_ranges_and_refuses_what_lies_outside() {
        let (path, file) = scratch("ranges");
        let map = MappedFile::new(file, 5000).expect("mapped");
        assert_eq!(map.get(4999..5000), Some(&[7_u8][..]));
        assert_eq!(map.get(4999..5001), None);
        assert_eq!(map.get(usize::MAX - 1..usize::MAX), None);
        std::fs::remove_file(path).expect("removed");
        assert_eq!(map.get(0..1), Some(&[7_u8][..]), "a deleted file stays mapped");
    }

    #[test]
    fn notices_a_file_that_was_cut() {
        let (path, file) = scratch("cut");
        assert!(MappedFile::new(file.try_clone().expect("cloned"), 5001).is_err());
        let map = MappedFile::new(file, 5000).expect("mapped");
        assert!(map.is_backed().expect("length"));
        File::options().write(true).open(&path).and_then(|f| f.set_len(10)).expect("cut");
        assert!(!map.is_backed().expect("length"));
        std::fs::remove_file(path).expect("removed");
    }
}
