//! Small projects, packed as they are on disk.

use tacit_codebase::locate::{
    Callbacks, Description, FileVersion, FileWords, IndexPacker, LocateAnswer, WordIndex, locate,
};
use tacit_graph::{Extractor, Language, SourceText};

/// A file: its path and its text.
pub(crate) type File = (&'static str, &'static str);

/// The index of files, which are in the order of their paths.
pub(crate) fn packed(files: &[File]) -> Vec<u8> {
    let mut packer = IndexPacker::default();
    for (path, text) in files {
        let facts = Language::of_path(path).and_then(|language| {
            Extractor::default().extract(language, &SourceText::new(text.as_bytes()))
        });
        let bytes = FileWords::of(text, facts.as_ref()).to_bytes();
        packer.push(path, FileVersion::default(), &FileWords::from_bytes(&bytes).unwrap());
    }
    packer.finish()
}

/// What a text is about, among files.
pub(crate) fn locate_in(files: &[File], text: &str, limit: usize) -> LocateAnswer {
    let read = |path: &str| {
        files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
    };
    let callbacks = Callbacks { read: &read, neighbours: &|_| Vec::new() };
    let bytes = packed(files);
    locate(WordIndex::new(&bytes).unwrap(), &Description::read(text), &[], &callbacks, limit)
}
