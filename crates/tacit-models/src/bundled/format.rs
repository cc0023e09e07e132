//! The format of the weights file: a header, a table of sections, and the sections, each aligned to
//! a cache line.
//!
//! Sections have no names. Writer and reader agree on their order, which the version number
//! identifies. All numbers are little-endian.

use tacit_simd::gemm::view;
use thiserror::Error;

const MAGIC: [u8; 8] = *b"TACITEMB";
/// Increased when the order or meaning of a section changes.
const VERSION: u32 = 1;
/// Alignment of sections: a cache line, which is also the widest vector register.
const ALIGNMENT: usize = 64;
/// The size of magic, version and section count in bytes.
const HEADER: usize = 16;
/// The size of an offset and a length in bytes.
const ENTRY: usize = 16;

/// The reason why a weights file cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FormatError {
    /// The file has no valid header of this version.
    #[error("not a weights file of version {VERSION}; convert the weights again")]
    Header,
    /// A section is missing, out of bounds, misaligned or of the wrong length.
    #[error("section {0} of the weights file is damaged; convert the weights again")]
    Section(usize),
}

/// Writes sections as a weights file.
pub fn write<Section: AsRef<[u8]>>(sections: &[Section]) -> Vec<u8> {
    let mut file = Vec::from(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend((sections.len() as u32).to_le_bytes());
    let mut offset = (HEADER + sections.len() * ENTRY).next_multiple_of(ALIGNMENT);
    for section in sections {
        let len = section.as_ref().len();
        file.extend((offset as u64).to_le_bytes());
        file.extend((len as u64).to_le_bytes());
        offset = (offset + len).next_multiple_of(ALIGNMENT);
    }
    for section in sections {
        file.resize(file.len().next_multiple_of(ALIGNMENT), 0);
        file.extend(section.as_ref());
    }
    file
}

/// Reads the sections of a weights file in order, without copying them.
#[derive(Clone, Debug)]
pub struct Sections<'a> {
    file: &'a [u8],
    count: usize,
    next: usize,
}

impl<'a> Sections<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// Fails if the header is not that of this version.
    pub fn open(file: &'a [u8]) -> Result<Self, FormatError> {
        let rest = file.strip_prefix(&MAGIC).ok_or(FormatError::Header)?;
        let (version, rest) = rest.split_first_chunk().ok_or(FormatError::Header)?;
        let (count, _) = rest.split_first_chunk().ok_or(FormatError::Header)?;
        if u32::from_le_bytes(*version) != VERSION {
            return Err(FormatError::Header);
        }
        Ok(Self { file, count: u32::from_le_bytes(*count) as usize, next: 0 })
    }

    /// Reads the next section as bytes.
    ///
    /// # Errors
    /// Fails if there is none or it is outside the file.
    pub fn bytes(&mut self) -> Result<&'a [u8], FormatError> {
        let section = (self.next < self.count).then(|| self.locate(self.next)).flatten();
        let section = section.ok_or(FormatError::Section(self.next))?;
        self.next += 1;
        Ok(section)
    }

    fn locate(&self, index: usize) -> Option<&'a [u8]> {
        let entry = self.file.get(HEADER + index * ENTRY..)?;
        let (offset, entry) = entry.split_first_chunk()?;
        let (len, _) = entry.split_first_chunk()?;
        let offset = usize::try_from(u64::from_le_bytes(*offset)).ok()?;
        let len = usize::try_from(u64::from_le_bytes(*len)).ok()?;
        self.file.get(offset..offset.checked_add(len)?)
    }

    /// Reads the next section as `len` bytes.
    ///
    /// # Errors
    /// Fails if the section is missing or its length differs.
    pub fn exact(&mut self, len: usize) -> Result<&'a [u8], FormatError> {
        let at = self.next;
        let bytes = self.bytes()?;
        (bytes.len() == len).then_some(bytes).ok_or(FormatError::Section(at))
    }

    /// Reads the next section as `len` signed bytes.
    ///
    /// # Errors
    /// Fails if the section is missing or its length differs.
    pub fn i8s(&mut self, len: usize) -> Result<&'a [i8], FormatError> {
        self.exact(len).map(view::as_i8)
    }

    /// Reads the next section as `len` floats.
    ///
    /// # Errors
    /// Fails if the section is missing or misaligned, or its length differs.
    pub fn f32s(&mut self, len: usize) -> Result<&'a [f32], FormatError> {
        let at = self.next;
        view::as_f32(self.exact(len * 4)?).ok_or(FormatError::Section(at))
    }

    /// Reads the next section as `len` signed integers.
    ///
    /// # Errors
    /// Fails if the section is missing or misaligned, or its length differs.
    pub fn i32s(&mut self, len: usize) -> Result<&'a [i32], FormatError> {
        let at = self.next;
        view::as_i32(self.exact(len * 4)?).ok_or(FormatError::Section(at))
    }

    /// Reads the next section as any number of unsigned integers.
    ///
    /// # Errors
    /// Fails if the section is missing or misaligned.
    pub fn u32s(&mut self) -> Result<&'a [u32], FormatError> {
        let at = self.next;
        view::as_u32(self.bytes()?).ok_or(FormatError::Section(at))
    }

    /// Returns the file from the next section on.
    pub fn rest(&self) -> &'a [u8] {
        let first = self.locate(self.next).unwrap_or_default();
        let offset = first.as_ptr().addr().saturating_sub(self.file.as_ptr().addr());
        self.file.get(offset..).unwrap_or_default()
    }

    /// Returns the error for damage in the section read last.
    pub fn damaged(&self) -> FormatError {
        FormatError::Section(self.next.saturating_sub(1))
    }
}
