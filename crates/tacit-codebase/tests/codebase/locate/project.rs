//! Small projects with a packed word index.

use tacit_codebase::locate::{
    Callbacks, Description, FileVersion, FileWords, IndexPacker, LocateAnswer, WordIndex, locate,
};
use tacit_graph::{Extractor, Language, SourceText};

/// The path and the text of a file.
pub(crate) type File = (&'static str, &'static str);

/// Packs the index of files, which must be sorted by path.
pub(crate) fn packed(files: &[File]) -> Vec<u8> {
    let mut packer = IndexPacker::default();
    for (path, text) in files {
        let facts = Language::of_path(path).and_then(|language| {
            Extractor::default().extract(language, &SourceText::new(text.as_bytes()))
        });
        let bytes = FileWords::from_text(text, facts.as_ref()).to_bytes();
        packer.push(path, FileVersion::default(), &FileWords::from_bytes(&bytes).unwrap());
    }
    packer.finish()
}

/// Searches these files.
pub(crate) fn locate_in(files: &[File], text: &str, limit: usize) -> LocateAnswer {
    let read = |path: &str| {
        files.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
    };
    let callbacks = Callbacks { read: &read, neighbours: &|_| Vec::new() };
    let bytes = packed(files);
    locate(WordIndex::new(&bytes).unwrap(), &Description::read(text), &[], &callbacks, limit)
}
