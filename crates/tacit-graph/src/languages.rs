//! One folder per language: `queries.scm` selects nodes of the syntax tree, `mod.rs` handles what
//! queries cannot express, and `resolve.rs` resolves imports.
//!
//! Captures in `queries.scm`:
//! - `@def.function`, `@def.class`, `@def.interface`, `@def.object`, `@def.module`, `@def.test`,
//!   `@def.extension` and `@def.value`: a definition, with its `@name`.
//! - `@def.member` and `@def.offered`: a function that cannot be called by its name alone. Other
//!   files can import an offered one.
//! - `@def.anonymous`: the body of an anonymous type, with its base as `@name`, or itself.
//! - `@call`, `@new`, `@extends`, `@implements` and `@use`: a reference by a name, qualified or
//!   not. A preceding `@object` is the object of the member.
//! - `@attribute`: the name of an attribute.
//! - `@tokens`: macro arguments that the grammar leaves as tokens, for [`reread`].
//! - `@dead`: code that is never compiled.
//! - `@bind`: a name that a function binds. `@bind.next`: a name that the next definition binds.
//!   `@rebind`: a parameter called `self` that is an ordinary name. `@global`: a name that an
//!   import binds at the top level.
//! - `@import`: a whole statement, for [`Rules::import`].
//! - `@package`: the name of the package.
//!
//! Comments are captured in every language.

use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::{Node, Parser, Tree};

use crate::facts::{DefinitionKind, FileFacts, ImportForm};
use crate::project::{ProjectIndex, Resolver};
use crate::{Language, SourceText};

mod bash;
mod c;
mod cpp;
mod csharp;
mod go;
mod java;
mod kotlin;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;
mod typescript;

pub(crate) use typescript::resolve::is_declaration;

/// The grammar, the query and the special cases of a language.
pub(crate) struct Rules {
    pub(crate) grammar: fn() -> tree_sitter::Language,
    pub(crate) query: &'static str,
    /// Adds the imports of a statement captured as `@import`.
    pub(crate) import: fn(Node<'_>, &SourceText<'_>, &mut FileFacts),
    /// Returns the name of a definition, given the captured one.
    pub(crate) name: fn(Node<'_>, String, &SourceText<'_>) -> String,
    /// Returns true if other files may use a definition.
    pub(crate) exported: fn(Node<'_>, &str, &SourceText<'_>) -> bool,
    /// Returns the kind of a definition, given the captured one: a function may be a test.
    pub(crate) refine: fn(Node<'_>, &str, DefinitionKind, &SourceText<'_>) -> DefinitionKind,
}

/// Returns the rules of a language.
pub(crate) fn rules(language: Language) -> &'static Rules {
    match language {
        Language::Rust => &rust::RULES,
        Language::TypeScript => &typescript::TYPESCRIPT,
        Language::Tsx => &typescript::TSX,
        Language::JavaScript => &typescript::JAVASCRIPT,
        Language::Python => &python::RULES,
        Language::Go => &go::RULES,
        Language::Java => &java::RULES,
        Language::C => &c::RULES,
        Language::Cpp => &cpp::RULES,
        Language::CSharp => &csharp::RULES,
        Language::Ruby => &ruby::RULES,
        Language::Php => &php::RULES,
        Language::Kotlin => &kotlin::RULES,
        Language::Swift => &swift::RULES,
        Language::Scala => &scala::RULES,
        Language::Bash => &bash::RULES,
    }
}

/// Returns the language of a text if the file extension is ambiguous: `.h` may be C++.
pub(crate) fn refined(language: Language, text: &str) -> Language {
    match language {
        Language::C if cpp::is_cpp(text) => Language::Cpp,
        language => language,
    }
}

/// Returns the bytes that must be blanked because the grammar misreads them without an error.
pub(crate) fn misread(language: Language, root: Node<'_>, text: &[u8]) -> Vec<Range<usize>> {
    match language {
        Language::Kotlin => kotlin::misread(root, text),
        _ => Vec::new(),
    }
}

/// Parses macro arguments that the grammar left as tokens. Also returns the number of macros that
/// may contain calls but cannot be parsed.
pub(crate) fn reread(
    language: Language,
    tokens: &[Node<'_>],
    source: &SourceText<'_>,
    parser: &mut Parser,
) -> (Option<Tree>, u32) {
    match language {
        Language::Rust => rust::macros::reread(tokens, source, parser),
        _ => (None, 0),
    }
}

/// Adds imports in places where the grammar does not expect them, except those in dead code.
pub(crate) fn missed_imports(
    root: Node<'_>,
    source: &SourceText<'_>,
    dead: &[Range<usize>],
    facts: &mut FileFacts,
) {
    if matches!(facts.language, Language::C | Language::Cpp) {
        c::missed_includes(root, source, dead, facts);
    }
}

/// Returns true if an import inside a definition is only visible there.
pub(crate) fn imports_in_scopes(language: Language) -> bool {
    matches!(language, Language::Python | Language::Rust) || is_script(language)
}

/// Returns true for TypeScript and JavaScript, where other files see only what a file exports.
pub(crate) fn is_script(language: Language) -> bool {
    matches!(language, Language::TypeScript | Language::Tsx | Language::JavaScript)
}

/// Returns the text of the modifiers at the start of a definition.
pub(crate) fn modifiers<'s>(node: Node<'_>, source: &'s SourceText<'_>) -> &'s str {
    let first = node.named_child(0).filter(|child| child.kind() == "modifiers");
    first.map_or("", |modifiers| source.text(modifiers))
}

/// Returns the text of a string without interpolation.
pub(crate) fn literal(node: Node<'_>, source: &SourceText<'_>) -> Option<String> {
    let content = node.named_child(0).filter(|_| node.named_child_count() == 1)?;
    (content.kind() == "string_content").then(|| source.text(content).to_owned())
}

/// Returns the captured name, for languages without special cases.
pub(crate) fn captured_name(_: Node<'_>, name: String, _: &SourceText<'_>) -> String {
    name
}

/// Splits the dotted path of an import into module and name. Returns `None` for a path with one
/// part.
pub(crate) fn import_by_path(path: String, all: bool) -> Option<(String, ImportForm)> {
    if all {
        return Some((path, ImportForm::Star));
    }
    let (module, name) = path.rsplit_once('.')?;
    Some((module.to_owned(), ImportForm::Item { name: name.to_owned(), local: name.to_owned() }))
}

/// Returns the literal text at the start of an expression: `'./' + name` and `` `./${name}.js` ``
/// start with `./`.
pub(crate) fn literal_prefix(expression: &str) -> &str {
    let text = expression.trim_start_matches(['(', ' ']);
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) else {
        return "";
    };
    let inner = &text[1..];
    &inner[..inner.find([quote, '$', '{', '\\']).unwrap_or(inner.len())]
}

/// Returns the captured kind, for languages without special cases.
pub(crate) fn captured_kind(
    _: Node<'_>,
    _: &str,
    kind: DefinitionKind,
    _: &SourceText<'_>,
) -> DefinitionKind {
    kind
}

/// A function that creates the resolver of a family of languages.
type MakeResolver = for<'a> fn(&'a ProjectIndex<'a>) -> Box<dyn Resolver + 'a>;

/// The families of languages that share a resolver.
static FAMILIES: [(&[Language], MakeResolver); 11] = [
    (&[Language::Rust], |index| Box::new(rust::resolve::Rust::new(index))),
    (&[Language::TypeScript, Language::Tsx, Language::JavaScript], |index| {
        Box::new(typescript::resolve::TypeScript::new(index))
    }),
    (&[Language::Python], |index| Box::new(python::resolve::Python::new(index))),
    (&[Language::Go], |index| Box::new(go::resolve::Go::new(index))),
    (&java::resolve::FAMILY, |index| Box::new(java::resolve::Java::new(index))),
    (&[Language::C, Language::Cpp], |index| Box::new(c::resolve::C::new(index))),
    (&[Language::CSharp], |index| Box::new(csharp::resolve::CSharp::new(index))),
    (&[Language::Ruby], |index| Box::new(ruby::resolve::Ruby::new(index))),
    (&[Language::Php], |index| Box::new(php::resolve::Php::new(index))),
    (&[Language::Bash], |index| Box::new(bash::resolve::Bash::new(index))),
    (&[Language::Swift], |index| Box::new(swift::resolve::Swift::new(index))),
];

/// The resolvers of a project, one per family, created on first use.
pub(crate) struct Resolvers<'a> {
    index: &'a ProjectIndex<'a>,
    made: [OnceLock<Box<dyn Resolver + 'a>>; FAMILIES.len()],
}

impl<'a> Resolvers<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Resolvers<'a> {
        Resolvers { index, made: Default::default() }
    }

    /// Lists the languages of each resolver.
    pub(crate) fn families(&self) -> impl Iterator<Item = &'static [Language]> {
        FAMILIES.iter().map(|(languages, _)| *languages)
    }

    pub(crate) fn get(&self, language: Language) -> Option<&(dyn Resolver + 'a)> {
        let at = self.families().position(|family| family.contains(&language))?;
        Some(self.made[at].get_or_init(|| FAMILIES[at].1(self.index)).as_ref())
    }
}
