//! The facts of a source file, before names are resolved.
//!
//! Facts depend only on the language and the bytes of the file, so they are cached by content hash
//! and shared by branches and worktrees. [`crate::link`] resolves names.

use serde::{Deserialize, Serialize};

use crate::Language;

/// The version of the facts. It changes when the same bytes yield different facts, and invalidates
/// cached ones.
pub const FACTS_VERSION: u32 = 7;

/// The definitions, imports and references of a source file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileFacts {
    /// The language that the file was parsed as.
    pub language: Language,
    /// The number of lines.
    pub lines: u32,
    /// The definitions, outer before inner.
    pub definitions: Vec<Definition>,
    /// The imports, one per name.
    pub imports: Vec<Import>,
    /// Names that are exported under another name: `export { a as b }`.
    pub exports: Vec<Export>,
    /// The references of its definitions, without duplicates.
    pub references: Vec<Reference>,
    /// The declared package or namespace.
    pub package: Option<String>,
    /// The number of calls on values whose type only a compiler knows. They cannot be linked.
    pub dynamic_calls: u32,
    /// Imports whose path is computed at run time: the literal prefix of each path, possibly empty.
    pub computed_imports: Vec<String>,
    /// The first line with a syntax error.
    pub error_line: Option<u32>,
}

/// The kind of a definition.
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
    /// A test case or a group of them.
    Test,
    /// An addition to a type that is defined elsewhere. Not a node, but its members belong to the
    /// type.
    Extension,
    /// A constant or variable at the top level or in a type. Not a node: its name resolves to the
    /// file or the type.
    Value,
    /// A type without a name, or a block with its own receiver. Not a node. Its name lists its
    /// bases, separated by commas.
    Anonymous,
    /// A Scala object, which may share its name with a class and cannot be extended.
    Object,
}

/// A definition in a source file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Definition {
    /// The unqualified name.
    pub name: String,
    /// The kind of the definition.
    pub kind: DefinitionKind,
    /// The first line, from 1.
    pub line: u32,
    /// The last line, inclusive.
    pub end_line: u32,
    /// The index of the enclosing definition.
    pub parent: Option<u32>,
    /// Whether other files may use it.
    pub exported: bool,
    /// Whether the name can be used on its own in its scope. False for test titles, and for members
    /// of objects, which need the object.
    pub binds: bool,
    /// The checksum of the text, without layout and comments.
    pub checksum: u64,
}

/// An imported name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// The module as written in the code: `./a`, `crate::a`, `a.b`.
    pub module: String,
    /// The part of the module that is imported.
    pub form: ImportForm,
    /// Whether other files can import the name from this file.
    pub reexport: bool,
    /// The line of the import, from 1.
    pub line: u32,
    /// The index of the definition that contains the import, in languages where imports are scoped.
    /// `None` at the top level.
    pub scope: Option<u32>,
}

/// The part of a module that an import names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportForm {
    /// The module itself, by a name or only for its side effects.
    Module {
        /// The local name, if any.
        local: Option<String>,
    },
    /// A single name of the module.
    Item {
        /// The name in the other module.
        name: String,
        /// The local name. A re-export does not bind it in this file.
        local: String,
    },
    /// All names of the module.
    Star,
    /// A submodule of this file in its own file: `mod a;` in Rust.
    Part {
        /// The explicit path of that file, if there is one.
        path: Option<String>,
    },
}

impl ImportForm {
    /// Returns the local name of the import.
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

/// An exported name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// The name for other files.
    pub name: String,
    /// The name inside this file.
    pub local: String,
}

/// The way in which a reference uses a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ReferenceKind {
    /// Calls a function or constructs a type.
    Call,
    /// Extends a base class.
    Extends,
    /// Implements an interface or trait.
    Implements,
    /// Mentions the name in any other way.
    Use,
    /// Constructs a type, in languages with an explicit syntax for it.
    New,
}

/// A use of a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reference {
    /// The index of the definition that contains the use. `None` at the top level.
    pub from: Option<u32>,
    /// The kind of use.
    pub kind: ReferenceKind,
    /// The parts of the qualified name: `["self", "run"]`.
    pub path: Vec<String>,
    /// The line of the first such use, from 1.
    pub line: u32,
}

impl Reference {
    /// Returns true if the reference names the base of a type.
    pub(crate) fn is_base(&self) -> bool {
        matches!(self.kind, ReferenceKind::Extends | ReferenceKind::Implements)
    }
}

impl FileFacts {
    /// Adds an import at the top level. The extractor sets its scope later.
    pub(crate) fn import(&mut self, line: u32, module: String, form: ImportForm, reexport: bool) {
        self.imports.push(Import { module, form, reexport, line, scope: None });
    }

    /// Serialises the facts for the cache.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Reads cached facts. Returns `None` if they are damaged.
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

    /// Returns the qualified name of a definition: `Outer.inner`.
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
