//! A folder for each language: `queries.scm` says which nodes of the syntax tree matter, `mod.rs`
//! what queries cannot say, `resolve.rs` what its imports mean.
//!
//! Captures of `queries.scm`: `@def.function`, `@def.class`, `@def.interface`, `@def.object`,
//! `@def.module`, `@def.test`, `@def.extension` and `@def.value` with a `@name`; so are `@def.member`
//! and `@def.offered`, for functions that nobody knows by their name alone, or only those who import
//! it; `@def.anonymous` on the body of a type without a name, with what it is based on as `@name`, or
//! itself; `@call`, `@new`, `@extends`, `@implements` and `@use` on names, qualified or not, after the
//! `@object` they are a member of; `@attribute` on the names of attributes; `@tokens` on what the
//! grammar leaves as tokens, which [`reread`] may know better; `@dead` on what is never compiled;
//! `@bind` on names that are bound inside a function, `@bind.next` on those of the one after them,
//! `@rebind` where even `self` is just a name, `@global` where an import binds it in the file; `@import`
//! on whole statements, which [`Rules::import`] takes apart; `@package` on the name of the package.
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

/// What is known of a language.
pub(crate) struct Rules {
    pub(crate) grammar: fn() -> tree_sitter::Language,
    pub(crate) query: &'static str,
    /// Takes a statement apart that was captured as `@import`.
    pub(crate) import: fn(Node<'_>, &SourceText<'_>, &mut FileFacts),
    /// The name of a definition, where it is not the captured one alone.
    pub(crate) name: fn(Node<'_>, String, &SourceText<'_>) -> String,
    /// Whether others may use a definition.
    pub(crate) exported: fn(Node<'_>, &str, &SourceText<'_>) -> bool,
    /// What a definition is, where its node does not tell: a function may be a test.
    pub(crate) refine: fn(Node<'_>, &str, DefinitionKind, &SourceText<'_>) -> DefinitionKind,
}

/// The rules for a language.
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

/// The language a text is in, where the ending of a file does not tell: `.h` may be C++.
pub(crate) fn refined(language: Language, text: &str) -> Language {
    match language {
        Language::C if cpp::is_cpp(text) => Language::Cpp,
        language => language,
    }
}

/// What a grammar takes for something else without saying so: bytes that are to be blank for it to read
/// the rest rightly.
pub(crate) fn misread(language: Language, root: Node<'_>, text: &[u8]) -> Vec<Range<usize>> {
    match language {
        Language::Kotlin => kotlin::misread(root, text),
        _ => Vec::new(),
    }
}

/// Parses what a grammar left as tokens, where the language says what they are, and tells of how many
/// it does not although something may be called in them.
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

/// Finds imports that the grammar does not expect where they are, but for those that are dead.
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

/// Whether an import inside a definition counts there alone.
pub(crate) fn imports_in_scopes(language: Language) -> bool {
    matches!(language, Language::Python | Language::Rust) || is_script(language)
}

/// Whether a language is TypeScript or JavaScript: others know of a file what it exports.
pub(crate) fn is_script(language: Language) -> bool {
    matches!(language, Language::TypeScript | Language::Tsx | Language::JavaScript)
}

/// The modifiers that a definition begins with, as they are written.
pub(crate) fn modifiers<'s>(node: Node<'_>, source: &'s SourceText<'_>) -> &'s str {
    let first = node.named_child(0).filter(|child| child.kind() == "modifiers");
    first.map_or("", |modifiers| source.of(modifiers))
}

/// The text of a string that nothing is put into.
pub(crate) fn literal(node: Node<'_>, source: &SourceText<'_>) -> Option<String> {
    let content = node.named_child(0).filter(|_| node.named_child_count() == 1)?;
    (content.kind() == "string_content").then(|| source.of(content).to_owned())
}

/// For languages whose definitions are called what they are called.
pub(crate) fn captured_name(_: Node<'_>, name: String, _: &SourceText<'_>) -> String {
    name
}

/// What an import by a dotted path brings: all that is in it, or what its last part names; none if
/// it has only one part.
pub(crate) fn import_by_path(path: String, all: bool) -> Option<(String, ImportForm)> {
    if all {
        return Some((path, ImportForm::Star));
    }
    let (module, name) = path.rsplit_once('.')?;
    Some((module.to_owned(), ImportForm::Item { name: name.to_owned(), local: name.to_owned() }))
}

/// The text that an expression begins with, as far as it is written down: `'./' + name` begins with
/// `./`, and so does `` `./${name}.js` ``.
pub(crate) fn literal_prefix(expression: &str) -> &str {
    let text = expression.trim_start_matches(['(', ' ']);
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) else {
        return "";
    };
    let inner = &text[1..];
    &inner[..inner.find([quote, '$', '{', '\\']).unwrap_or(inner.len())]
}

/// For languages whose nodes tell what they are.
pub(crate) fn captured_kind(
    _: Node<'_>,
    _: &str,
    kind: DefinitionKind,
    _: &SourceText<'_>,
) -> DefinitionKind {
    kind
}

/// Makes the resolver of a family of languages. It may look at all files of its languages.
type MakeResolver = for<'a> fn(&'a ProjectIndex<'a>) -> Box<dyn Resolver + 'a>;

/// Languages that share a resolver.
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

/// The resolvers of a project, one for each family, made when one of its languages is first asked
/// about.
pub(crate) struct Resolvers<'a> {
    index: &'a ProjectIndex<'a>,
    made: [OnceLock<Box<dyn Resolver + 'a>>; FAMILIES.len()],
}

impl<'a> Resolvers<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Resolvers<'a> {
        Resolvers { index, made: Default::default() }
    }

    /// The languages that each resolver is for.
    pub(crate) fn families(&self) -> impl Iterator<Item = &'static [Language]> {
        FAMILIES.iter().map(|(languages, _)| *languages)
    }

    pub(crate) fn of(&self, language: Language) -> Option<&(dyn Resolver + 'a)> {
        let at = self.families().position(|family| family.contains(&language))?;
        Some(self.made[at].get_or_init(|| FAMILIES[at].1(self.index)).as_ref())
    }
}
