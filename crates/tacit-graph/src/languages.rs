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

use crate::facts::{DefinitionKind, FileFacts};
use crate::project::{Index, Resolver};
use crate::{Language, Source};

#[cfg(feature = "bash")]
mod bash;
#[cfg(feature = "c")]
mod c;
#[cfg(feature = "cpp")]
mod cpp;
#[cfg(feature = "csharp")]
mod csharp;
#[cfg(feature = "go")]
mod go;
#[cfg(feature = "java")]
mod java;
#[cfg(feature = "kotlin")]
mod kotlin;
#[cfg(feature = "php")]
mod php;
#[cfg(feature = "python")]
mod python;
#[cfg(feature = "ruby")]
mod ruby;
#[cfg(feature = "rust")]
mod rust;
#[cfg(feature = "scala")]
mod scala;
#[cfg(feature = "swift")]
mod swift;
#[cfg(feature = "typescript")]
mod typescript;

#[cfg(feature = "typescript")]
pub(crate) use typescript::resolve::is_declaration;

/// Whether a file only declares what others do.
#[cfg(not(feature = "typescript"))]
pub(crate) fn is_declaration(_: &str) -> bool {
    false
}

/// What is known of a language.
pub(crate) struct Rules {
    pub(crate) grammar: fn() -> tree_sitter::Language,
    pub(crate) query: &'static str,
    /// Takes a statement apart that was captured as `@import`.
    pub(crate) import: fn(Node<'_>, &Source<'_>, &mut FileFacts),
    /// The name of a definition, where it is not the captured one alone.
    pub(crate) name: fn(Node<'_>, String, &Source<'_>) -> String,
    /// Whether others may use a definition.
    pub(crate) exported: fn(Node<'_>, &str, &Source<'_>) -> bool,
    /// What a definition is, where its node does not tell: a function may be a test.
    pub(crate) refine: fn(Node<'_>, &str, DefinitionKind, &Source<'_>) -> DefinitionKind,
}

/// The rules of the languages that are compiled in.
static ALL: &[(Language, &Rules)] = &[
    #[cfg(feature = "rust")]
    (Language::Rust, &rust::RULES),
    #[cfg(feature = "typescript")]
    (Language::TypeScript, &typescript::TYPESCRIPT),
    #[cfg(feature = "typescript")]
    (Language::Tsx, &typescript::TSX),
    #[cfg(feature = "typescript")]
    (Language::JavaScript, &typescript::JAVASCRIPT),
    #[cfg(feature = "python")]
    (Language::Python, &python::RULES),
    #[cfg(feature = "go")]
    (Language::Go, &go::RULES),
    #[cfg(feature = "java")]
    (Language::Java, &java::RULES),
    #[cfg(feature = "c")]
    (Language::C, &c::RULES),
    #[cfg(feature = "cpp")]
    (Language::Cpp, &cpp::RULES),
    #[cfg(feature = "csharp")]
    (Language::CSharp, &csharp::RULES),
    #[cfg(feature = "ruby")]
    (Language::Ruby, &ruby::RULES),
    #[cfg(feature = "php")]
    (Language::Php, &php::RULES),
    #[cfg(feature = "kotlin")]
    (Language::Kotlin, &kotlin::RULES),
    #[cfg(feature = "bash")]
    (Language::Bash, &bash::RULES),
    #[cfg(feature = "scala")]
    (Language::Scala, &scala::RULES),
    #[cfg(feature = "swift")]
    (Language::Swift, &swift::RULES),
];

/// The rules for a language; none if it is not compiled in.
pub(crate) fn rules(language: Language) -> Option<&'static Rules> {
    ALL.iter().find(|(known, _)| *known == language).map(|(_, rules)| *rules)
}

/// The language a text is in, where the ending of a file does not tell: `.h` may be C++.
pub(crate) fn refined(language: Language, _text: &str) -> Language {
    match language {
        #[cfg(feature = "cpp")]
        Language::C if cpp::is_cpp(_text) => Language::Cpp,
        language => language,
    }
}

/// What a grammar takes for something else without saying so: bytes that are to be blank for it to read
/// the rest rightly.
pub(crate) fn misread(language: Language, _root: Node<'_>, _text: &[u8]) -> Vec<Range<usize>> {
    match language {
        #[cfg(feature = "kotlin")]
        Language::Kotlin => kotlin::misread(_root, _text),
        _ => Vec::new(),
    }
}

/// Parses what a grammar left as tokens, where the language says what they are, and tells of how many
/// it does not although something may be called in them.
pub(crate) fn reread(
    _language: Language,
    _tokens: &[Node<'_>],
    _source: &Source<'_>,
    _parser: &mut Parser,
) -> (Option<Tree>, u32) {
    match _language {
        #[cfg(feature = "rust")]
        Language::Rust => rust::macros::reread(_tokens, _source, _parser),
        _ => (None, 0),
    }
}

/// Finds imports that the grammar does not expect where they are, but for those that are dead.
pub(crate) fn missed_imports(
    _root: Node<'_>,
    _source: &Source<'_>,
    _dead: &[Range<usize>],
    _facts: &mut FileFacts,
) {
    #[cfg(feature = "c")]
    if matches!(_facts.language, Language::C | Language::Cpp) {
        c::missed_includes(_root, _source, _dead, _facts);
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

/// For languages whose definitions are called what they are called.
pub(crate) fn own_name(_: Node<'_>, name: String, _: &Source<'_>) -> String {
    name
}

/// What an import by a dotted path brings: all that is in it, or what its last part names; none if
/// it has only one part.
#[cfg(any(feature = "cpp", feature = "java"))]
pub(crate) fn by_path(path: String, all: bool) -> Option<(String, crate::facts::Form)> {
    use crate::facts::Form;

    if all {
        return Some((path, Form::Star));
    }
    let (module, name) = path.rsplit_once('.')?;
    Some((module.to_owned(), Form::Item { name: name.to_owned(), local: name.to_owned() }))
}

/// The text that an expression begins with, as far as it is written down: `'./' + name` begins with
/// `./`, and so does `` `./${name}.js` ``.
#[cfg(any(feature = "typescript", feature = "php"))]
pub(crate) fn beginning(expression: &str) -> &str {
    let text = expression.trim_start_matches(['(', ' ']);
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '\'' | '"' | '`')) else {
        return "";
    };
    let inner = &text[1..];
    &inner[..inner.find([quote, '$', '{', '\\']).unwrap_or(inner.len())]
}

/// For languages whose nodes tell what they are.
pub(crate) fn as_it_is(
    _: Node<'_>,
    _: &str,
    kind: DefinitionKind,
    _: &Source<'_>,
) -> DefinitionKind {
    kind
}

/// The resolvers of a project, one for each family of languages.
pub(crate) struct Resolvers<'a> {
    index: &'a Index<'a>,
    families: Vec<Family<'a>>,
}

/// Languages that share a resolver, which is made when one of them is first asked about: it may
/// look at all files of its languages.
struct Family<'a> {
    languages: &'static [Language],
    make: fn(&'a Index<'a>) -> Box<dyn Resolver + 'a>,
    made: OnceLock<Box<dyn Resolver + 'a>>,
}

impl<'a> Resolvers<'a> {
    pub(crate) fn new(index: &'a Index<'a>) -> Resolvers<'a> {
        let mut families: Vec<Family<'a>> = Vec::new();
        type Make<'a> = fn(&'a Index<'a>) -> Box<dyn Resolver + 'a>;
        let mut add = |languages: &'static [Language], make: Make<'a>| {
            families.push(Family { languages, make, made: OnceLock::new() });
        };
        #[cfg(feature = "rust")]
        add(&[Language::Rust], |index| Box::new(rust::resolve::Rust::new(index)));
        #[cfg(feature = "typescript")]
        add(&[Language::TypeScript, Language::Tsx, Language::JavaScript], |index| {
            Box::new(typescript::resolve::TypeScript::new(index))
        });
        #[cfg(feature = "python")]
        add(&[Language::Python], |index| Box::new(python::resolve::Python::new(index)));
        #[cfg(feature = "go")]
        add(&[Language::Go], |index| Box::new(go::resolve::Go::new(index)));
        #[cfg(feature = "java")]
        add(&java::resolve::FAMILY, |index| Box::new(java::resolve::Java::new(index)));
        #[cfg(feature = "c")]
        add(&[Language::C, Language::Cpp], |index| Box::new(c::resolve::C::new(index)));
        #[cfg(feature = "csharp")]
        add(&[Language::CSharp], |index| Box::new(csharp::resolve::CSharp::new(index)));
        #[cfg(feature = "ruby")]
        add(&[Language::Ruby], |index| Box::new(ruby::resolve::Ruby::new(index)));
        #[cfg(feature = "php")]
        add(&[Language::Php], |index| Box::new(php::resolve::Php::new(index)));
        #[cfg(feature = "bash")]
        add(&[Language::Bash], |index| Box::new(bash::resolve::Bash::new(index)));
        #[cfg(feature = "swift")]
        add(&[Language::Swift], |index| Box::new(swift::resolve::Swift::new(index)));
        Resolvers { index, families }
    }

    /// The languages that each resolver is for.
    pub(crate) fn families(&self) -> impl Iterator<Item = &'static [Language]> {
        self.families.iter().map(|family| family.languages)
    }

    pub(crate) fn of(&self, language: Language) -> Option<&(dyn Resolver + 'a)> {
        let family = self.families.iter().find(|family| family.languages.contains(&language))?;
        Some(family.made.get_or_init(|| (family.make)(self.index)).as_ref())
    }
}
