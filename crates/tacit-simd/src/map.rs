//! Read-only memory maps of files that only ever grow.
//!
//! A [`MappedFile`] keeps the file open beside the mapping, so that the current length can be
//! compared with the mapped length ([`MappedFile::is_backed`]). Only requested ranges are borrowed,
//! so a writer can fill the unused end of a mapped file while readers use its beginning.
//!
//! Pages are faulted in by reading. Populating them first (`MADV_POPULATE_READ`) was measured to be
//! slower, because the kernel maps sixteen neighbours per fault for less than it takes to walk
//! them. It pays off only if another thread has time for it ([`page_in`]).

use std::{fs::File, io, ops::Range};

use memmap2::{Mmap, MmapOptions};

/// A read-only mapping of the first bytes of a file.
///
/// # Requirements
///
/// Bytes returned by [`MappedFile::get`] must not change while the map exists. The files that this
/// project maps guarantee that: published bytes are never written again, files are never shortened,
/// and a new version replaces an old one by renaming, which leaves the old inode (and its map)
/// unchanged. Deleting the file is harmless for the same reason.
///
/// # Limits
///
/// Another program may still truncate the file. Touching a mapped page beyond the new end raises
/// `SIGBUS` and kills the process; no code can prevent that afterwards. [`MappedFile::is_backed`]
/// costs one `fstat` (well under a microsecond) and should be called before each longer use, so
/// that only a truncation during that use can do harm.
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
    /// Fails if the file is shorter than `len`, `len` is zero or too large for this machine's
    /// addresses, or the system refuses the mapping.
    pub fn new(file: File, len: u64) -> io::Result<Self> {
        let actual = file.metadata()?.len();
        if actual < len {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                format!("the file has {actual} bytes; {len} are required"),
            ));
        }
        let size = usize::try_from(len).map_err(|_| {
            io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large to map")
        })?;
        // SAFETY: the mapping is read-only and private to this value, which also keeps the file
        // open. Its length was just checked. The bytes of returned slices do not change, because
        // the files are append-only and replaced by renaming, as the type requires; slices are
        // formed per range in `get`, never over bytes that are still being written.
        let map = unsafe { MmapOptions::new().len(size).map(&file)? };
        prefer_large_pages(&map);
        Ok(Self { file, map })
    }

    /// Returns the number of mapped bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Returns true if nothing is mapped, which [`MappedFile::new`] rules out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.len() == 0
    }

    /// Returns the bytes of `range`, or `None` if it exceeds the mapping.
    #[must_use]
    pub fn get(&self, range: Range<usize>) -> Option<&[u8]> {
        self.map.get(range)
    }

    /// Returns true if the file still covers the whole mapping.
    ///
    /// # Errors
    ///
    /// Fails if the system cannot determine the length of the open file.
    pub fn is_backed(&self) -> io::Result<bool> {
        Ok(self.file.metadata()?.len() >= self.map.len() as u64)
    }
}

/// Asks the system to cache the mapped file behind `bytes` in 2 MB pages.
///
/// Otherwise the file is cached in 4 KB pages for as long as it stays cached, and every process
/// that maps it later pays for each of them: 4.6 ms instead of 1.5 for a scan of 38 MB in a fresh
/// process, on Linux 6.18 with ext4. This is a hint, so errors are ignored.
pub fn prefer_large_pages(bytes: &[u8]) {
    #[cfg(target_os = "linux")]
    if let Some(pages) = whole_pages(bytes) {
        // SAFETY: the range is inside `bytes`, so it is mapped for as long as this borrow lasts.
        // The advice affects only how the kernel caches the file, not contents, protection or
        // lifetime.
        unsafe {
            libc::madvise(pages.as_ptr().cast_mut().cast(), pages.len(), libc::MADV_HUGEPAGE);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = bytes;
}

/// Maps the pages behind `bytes`, so that another thread that is about to read them does not wait
/// for each. This is a hint, so errors are ignored.
pub fn page_in(bytes: &[u8]) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        let skipped = bytes.as_ptr().align_offset(PAGE);
        if let Some(pages) = bytes.get(skipped..) {
            // SAFETY: the range starts at a page and is inside `bytes`, so it is mapped for as long
            // as this borrow lasts. Reading ahead does not change contents, protection or lifetime.
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

/// Returns the part of `bytes` that consists of whole large pages, if there are any.
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
    fn ranges_outside_the_mapping_are_none() {
        let (path, file) = scratch("ranges");
        let map = MappedFile::new(file, 5000).expect("mapped");
        assert_eq!(map.get(4999..5000), Some(&[7_u8][..]));
        assert_eq!(map.get(4999..5001), None);
        assert_eq!(map.get(usize::MAX - 1..usize::MAX), None);
        std::fs::remove_file(path).expect("removed");
        assert_eq!(map.get(0..1), Some(&[7_u8][..]), "a deleted file stays mapped");
    }

    #[test]
    fn truncation_is_detected() {
        let (path, file) = scratch("cut");
        assert!(MappedFile::new(file.try_clone().expect("cloned"), 5001).is_err());
        let map = MappedFile::new(file, 5000).expect("mapped");
        assert!(map.is_backed().expect("length"));
        File::options().write(true).open(&path).and_then(|f| f.set_len(10)).expect("cut");
        assert!(!map.is_backed().expect("length"));
        std::fs::remove_file(path).expect("removed");
    }
}
