//! What one source file says, before anything in it is resolved.
//!
//! Facts depend on the language and the bytes of the file alone, so they are kept by content hash
//! and shared by branches and worktrees. What a name means is decided in [`crate::link`].

use serde::{Deserialize, Serialize};

use crate::Language;

/// Changes when the same bytes would give other facts; facts of another version are not read.
pub const FACTS_VERSION: u32 = 7;

/// What one source file says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The language it was read as.
    pub language: Language,
    /// How many lines it has.
    pub lines: u32,
    /// What it defines, outer before inner.
    pub definitions: Vec<Definition>,
    /// What it imports, a name at a time.
    pub imports: Vec<Import>,
    /// Names that stand for something under another name outside: `export { a as b }`.
    pub exports: Vec<Export>,
    /// What its definitions call and are based on, each once.
    pub references: Vec<Reference>,
    /// The package or namespace it declares itself to be in.
    pub package: Option<String>,
    /// Calls on values whose type only a compiler knows; nothing can be said of them.
    pub dynamic_calls: u32,
    /// Imports of which only the program knows what they mean when it runs: the path that each begins
    /// with, as far as it is written down.
    pub computed_imports: Vec<String>,
    /// The first line that could not be parsed.
    pub error_line: Option<u32>,
}

/// What a definition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum DefinitionKind {
    /// A function or a method.
    Function,
    /// A class, struct, enum or record.
    Class,
    /// An interface, trait or protocol.
    Interface,
    /// A module or namespace inside a file.
    Module,
    /// A test.
    Test,
    /// What adds to a type that is defined elsewhere; no node, but its members belong to the type.
    Extension,
    /// A constant or variable at the top of a file or in a type; no node, but its name leads to the
    /// file or the type.
    Value,
    /// A type without a name, or a block with an object of its own; no node. It is called what it is
    /// based on, divided by commas.
    Anonymous,
    /// An object that may stand beside a class of its name, and is no type.
    Object,
}

/// Something that is defined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// Its own name.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// Its first line, from 1.
    pub line: u32,
    /// Its last line.
    pub end_line: u32,
    /// The definition it is in, by its place in the list.
    pub parent: Option<u32>,
    /// Whether others may use it.
    pub exported: bool,
    /// Whether its name means it where it stands. The title of a test does not, nor does the name of
    /// a member of an object, which is only known with the object.
    pub binds: bool,
    /// A sum of its text that ignores how it is laid out.
    pub checksum: u64,
}

/// A name that comes from elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// From where, in the words of the language: `./a`, `crate::a`, `a.b`.
    pub module: String,
    /// What of it.
    pub form: ImportForm,
    /// Whether the name can be imported from here again.
    pub reexport: bool,
    /// The line.
    pub line: u32,
    /// The definition that has it, in languages where it counts there alone; none at the top of the
    /// file.
    pub scope: Option<u32>,
}

/// What an import brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportForm {
    /// The module itself, under a name or for its effects.
    Module {
        /// Its name here.
        local: Option<String>,
    },
    /// One thing of it.
    Item {
        /// Its name there.
        name: String,
        /// Its name here; none if it only passes through.
        local: String,
    },
    /// Everything in it.
    Star,
    /// A part of this file's own module, in a file of its own.
    Part {
        /// Where that file is, if it is said.
        path: Option<String>,
    },
}

impl ImportForm {
    /// The name that an import brings.
    #[must_use]
    pub fn local(&self) -> Option<&str> {
        match self {
            ImportForm::Item { local, .. } | ImportForm::Module { local: Some(local) } => {
                Some(local)
            }
            ImportForm::Module { local: None } | ImportForm::Star | ImportForm::Part { .. } => None,
        }
    }
}

/// A name under which something is known outside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name outside.
    pub name: String,
    /// The name here.
    pub local: String,
}

/// How a reference uses what it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReferenceKind {
    /// It is called or constructed.
    Call,
    /// It is a base class.
    Extends,
    /// It is an interface or trait that is implemented.
    Implements,
    /// It is named.
    Use,
    /// It is a type that is constructed, in a language that says so.
    New,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The definition that has it; none at the top of the file.
    pub from: Option<u32>,
    /// How it is used.
    pub kind: ReferenceKind,
    /// The name with what qualifies it: `a`, `self`, `run`.
    pub path: Vec<String>,
    /// The line.
    pub line: u32,
}

impl Reference {
    /// Whether it names what a type is based on.
    pub(crate) fn is_base(&self) -> bool {
        matches!(self.kind, ReferenceKind::Extends | ReferenceKind::Implements)
    }
}

impl FileFacts {
    /// Adds an import as its statement says it, of the whole file until its scope is known.
    pub(crate) fn import(&mut self, line: u32, module: String, form: ImportForm, reexport: bool) {
        self.imports.push(Import { module, form, reexport, line, scope: None });
    }

    /// The facts as bytes, to be kept.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Facts that were kept; none if they are not whole.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<FileFacts> {
        let facts: FileFacts = postcard::from_bytes(bytes).ok()?;
        let known = facts.definitions.len();
        let before = |index: Option<u32>, end: usize| index.is_none_or(|i| (i as usize) < end);
        let whole = facts.definitions.iter().enumerate().all(|(i, d)| before(d.parent, i))
            && facts.imports.iter().all(|import| before(import.scope, known))
            && facts.references.iter().all(|r| before(r.from, known) && !r.path.is_empty());
        whole.then_some(facts)
    }

    /// The name of a definition with those it is in: `Outer.inner`.
    #[must_use]
    pub fn qualified(&self, index: u32) -> String {
        let mut names = Vec::new();
        let mut at = Some(index);
        while let Some(definition) = at.and_then(|i| self.definitions.get(i as usize)) {
            if definition.kind != DefinitionKind::Anonymous {
                names.push(definition.name.as_str());
            }
            at = definition.parent;
        }
        names.reverse();
        names.join(".")
    }
}
