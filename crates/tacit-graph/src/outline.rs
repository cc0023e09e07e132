//! What of a file's facts others can depend on, and whom a change of it can touch.
//!
//! Linking a file reads of all other files nothing but their outlines. So an edit that leaves the
//! outline as it was, such as one inside a function, changes no links but those of the file itself.

use crate::Language;
use crate::facts::{Definition, DefinitionKind, FileFacts, Form, Import, Reference};
use crate::languages::is_open;
use crate::mention::renaming;

/// Whose links a change of a file's text can touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touched {
    /// Its own.
    Itself,
    /// Also those of files that asked it what a name means.
    Askers,
    /// Also those of files that mention a name whose meaning may be another.
    Naming,
    /// Those of any file.
    Anyone,
}

impl FileFacts {
    /// What others can depend on: no lines, no sums, and of references only what types are based on.
    #[must_use]
    pub fn outline(&self) -> FileFacts {
        let definition =
            |one: &Definition| Definition { line: 0, end_line: 0, sum: 0, ..one.clone() };
        let bases = self.references.iter().filter(|reference| reference.is_base());
        FileFacts {
            language: self.language,
            lines: 0,
            definitions: self.definitions.iter().map(definition).collect(),
            imports: self.imports.iter().map(|one| Import { line: 0, ..one.clone() }).collect(),
            exports: self.exports.clone(),
            references: bases.map(|one| Reference { line: 0, ..one.clone() }).collect(),
            package: self.package.clone(),
            dynamic_calls: 0,
            computed: Vec::new(),
            error_line: None,
        }
    }

    /// The outline without imports that nobody else can meet.
    pub(crate) fn offered(&self) -> FileFacts {
        let mut outline = self.outline();
        // Others meet what is imported here where it is passed on, under its own name or another,
        // and where they look for a member in what a type here is based on. Parts of a module are
        // modules to all. In Swift, what is imported also decides which declarations of others a
        // function here belongs to.
        let all = !outline.references.is_empty()
            || !outline.exports.is_empty()
            || self.language == Language::Swift;
        let is_part = |import: &Import| matches!(import.form, Form::Part { .. });
        outline.imports.retain(|import| all || import.reexport || is_part(import));
        outline
    }
}

/// Whose links can differ when a file that said one thing says another.
#[must_use]
pub fn touched(before: &FileFacts, after: &FileFacts) -> Touched {
    if before.offered() == after.offered() {
        return Touched::Itself;
    }
    // In an open namespace, a name that appears can hide one from files that never met it.
    if renaming(before, after).is_some() {
        return Touched::Naming;
    }
    let asked_by_file = !is_open(before.language) && !is_open(after.language);
    // Resolvers look at these of all files, whoever asks.
    let as_seen_by_all = before.language == after.language
        && before.package == after.package
        && modules(before) == modules(after);
    if asked_by_file && as_seen_by_all { Touched::Askers } else { Touched::Anyone }
}

/// What a file adds to the tree of modules of a Rust crate.
fn modules(facts: &FileFacts) -> (Vec<(&str, &Form)>, Vec<String>) {
    if facts.language != Language::Rust {
        return (Vec::new(), Vec::new());
    }
    let parts = facts.imports.iter().filter(|import| matches!(import.form, Form::Part { .. }));
    let inner = facts.definitions.iter().enumerate();
    let inner = inner.filter(|(_, definition)| definition.kind == DefinitionKind::Module);
    (
        parts.map(|part| (part.module.as_str(), &part.form)).collect(),
        inner.map(|(at, _)| facts.qualified(at as u32)).collect(),
    )
}
