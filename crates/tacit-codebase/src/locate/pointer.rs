//! What points to files, and what was found.

use super::kind::FileKind;

/// What points to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PointerSource {
    /// The description names its path.
    Path,
    /// It is in a stack trace.
    Trace,
    /// It defines a name that the description has.
    Definition,
    /// The description names it as a module.
    Module,
    /// It has a message that the description quotes.
    Message,
    /// Its text has words of the description.
    Words,
    /// One of its definitions has.
    SymbolWords,
    /// Its path has.
    PathWords,
    /// A commit with a like message touched it.
    Commit,
    /// A memory that answers the description is about it.
    Memory,
    /// It goes with a file that the description is about: one imports the other.
    Imports,
    /// It changes with a file that the description is about.
    CoChange,
}

impl PointerSource {
    /// The word for it, and what the surest pointer of this kind counts. `docs/locate.md` says what
    /// these were chosen on.
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

    /// The word for it.
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

/// Something that points to a file, from 0 to about 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Pointer {
    /// What kind of pointer it is.
    pub source: PointerSource,
    /// How surely.
    pub strength: f32,
    /// What there is to say about it.
    pub what: String,
}

/// A symbol that a description is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Symbol {
    /// Its qualified name.
    pub name: String,
    /// Its first line.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Its place in the order; larger is better.
    pub score: f32,
}

/// A file that a description is about.
#[derive(Debug, Clone, PartialEq)]
pub struct LocatedFile {
    /// The file.
    pub path: String,
    /// What sort of file it is.
    pub kind: FileKind,
    /// Its place in the order; larger is better.
    pub score: f32,
    /// What counts of that which does not name it: files of some sorts are rarely meant.
    pub kind_weight: f32,
    /// How likely it is right, from 0 to 1, by those that were so before.
    pub probability: f32,
    /// What points to it, the weightiest first.
    pub pointers: Vec<Pointer>,
    /// Telling words of the description that it has.
    pub words: Vec<String>,
    /// What in it the description is about, the best first.
    pub symbols: Vec<Symbol>,
}

/// What a description is about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocateAnswer {
    /// The files, the surest first.
    pub files: Vec<LocatedFile>,
    /// The tests that are not among the files, the surest first. They are if the description is
    /// about tests.
    pub tests: Vec<LocatedFile>,
    /// How many files were looked among.
    pub searched_files: u32,
}

/// What was found elsewhere: a file by its path, and what points to it.
pub type ExternalEvidence = Vec<(String, Pointer)>;

/// A file that goes with another, how closely, and why.
pub type Neighbour = (String, f32, PointerSource);
