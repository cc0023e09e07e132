//! Evidence that points to files, and the answer of a search.

use super::kind::FileKind;

/// The kind of evidence for a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointerSource {
    /// A path in the description.
    Path,
    /// A frame of a stack trace.
    Trace,
    /// A definition of a name in the description.
    Definition,
    /// A module named in the description.
    Module,
    /// A message that the description quotes and the file contains.
    Message,
    /// Words that the description shares with the text of the file.
    Words,
    /// Words that the description shares with one definition.
    SymbolWords,
    /// Words that the description shares with the path.
    PathWords,
    /// A commit of the file with a similar message.
    Commit,
    /// A memory about the file that matches the description.
    Memory,
    /// An import link to a likely file.
    Imports,
    /// A co-change with a likely file.
    CoChange,
}

impl PointerSource {
    /// Returns the name in JSON and the maximum weight. `docs/locate.md` explains how the weights
    /// were chosen.
    fn name_and_weight(self) -> (&'static str, f32) {
        match self {
            PointerSource::Path => ("path", 1.5),
            PointerSource::Trace => ("trace", 0.6),
            PointerSource::Definition => ("definition", 0.7),
            PointerSource::Module => ("module", 1.0),
            PointerSource::Message => ("message", 0.4),
            PointerSource::Words => ("words", 1.0),
            PointerSource::SymbolWords => ("symbol_words", 0.5),
            PointerSource::PathWords => ("path_words", 0.7),
            PointerSource::Commit => ("commit", 0.3),
            PointerSource::Memory => ("memory", 0.4),
            PointerSource::Imports => ("imports", 0.4),
            PointerSource::CoChange => ("cochange", 0.2),
        }
    }

    /// Returns the weight of the surest pointer of this kind.
    #[must_use]
    pub fn weight(self) -> f32 {
        self.name_and_weight().1
    }

    /// Returns the name in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.name_and_weight().0
    }

    /// Returns true if the pointer names a file of a kind directly: a path does, and so does the
    /// name of a test.
    pub(crate) fn names(self, kind: FileKind) -> bool {
        self == PointerSource::Path || (self == PointerSource::Definition && kind == FileKind::Test)
    }
}

/// Evidence that points to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Pointer {
    /// The kind of evidence.
    pub source: PointerSource,
    /// The strength from 0 to about 1.
    pub strength: f32,
    /// The name, path, commit or memory behind it.
    pub what: String,
}

/// A symbol that a description is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    /// The qualified name.
    pub name: String,
    /// The first line.
    pub line: u32,
    /// The last line.
    pub end_line: u32,
    /// The score; higher is better.
    pub score: f32,
}

/// A file that a description is about.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedFile {
    /// The path.
    pub path: String,
    /// The kind of file.
    pub kind: FileKind,
    /// The score; higher is better.
    pub score: f32,
    /// The factor for evidence that does not name the file directly: some kinds of files are rarely
    /// meant.
    pub kind_weight: f32,
    /// The probability from 0 to 1 that it is right, calibrated on past results.
    pub probability: f32,
    /// The evidence, strongest first.
    pub pointers: Vec<Pointer>,
    /// Characteristic words of the description that it contains.
    pub words: Vec<String>,
    /// The symbols that the description is about, best first.
    pub symbols: Vec<Symbol>,
}

/// The answer of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocateAnswer {
    /// The files, best first.
    pub files: Vec<LocatedFile>,
    /// The number of files with any evidence, of which `files` has the best.
    pub matching_files: usize,
    /// Tests that are not among the files, best first. If the description is about tests, they are
    /// among the files.
    pub tests: Vec<LocatedFile>,
    /// The number of files searched.
    pub searched_files: u32,
}

/// Evidence from outside the index: paths with what points to them.
pub type ExternalEvidence = Vec<(String, Pointer)>;

/// A related file, its closeness, and the kind of relation.
pub type RelatedFile = (String, f32, PointerSource);
