//! Files that define what a description names.

use tacit_core::tokenize;

use super::description::{Description, Name};
use super::index::{FileAt, Index};
use super::kind::FileKind;
use super::named::{COMMON, Named, split};
use super::report::is_of_reports;

/// A plain word is a name if it is defined in no more files than this, and counts so much.
const MAYBE_IN: usize = 2;
const MAYBE: f32 = 0.5;

/// A name whose owner is not what defines it counts so much.
const FOREIGN: f32 = 0.5;

/// A piece that defines a name.
#[derive(Debug, Clone, Copy)]
struct Definition {
    piece: u32,
    file: FileAt,
    /// How many of the owners that are named are its own, from the nearest on.
    owners: usize,
}

/// The files that define what a description names.
pub(crate) fn defined(index: Index<'_>, description: &Description) -> Vec<Named> {
    let mut named = Vec::new();
    // What any report may say is a name only in the title.
    let means = |word: &&String| {
        let tokens = tokenize(word);
        let titled = |token: &str| {
            description.title.binary_search_by(|known| known.as_str().cmp(token)).is_ok()
        };
        tokens.iter().all(|token| titled(token) || !is_of_reports(token))
    };
    let maybe = description.maybe.iter().filter(means);
    let maybe = maybe
        .map(|word| (Name { parts: vec![word.clone()], weight: MAYBE, imported: false }, MAYBE_IN));
    let names = description.names.iter().map(|name| (name.clone(), COMMON));
    for (name, most) in names.chain(maybe).filter(|(name, _)| index.may_have(name)) {
        let mut found = definitions(index, &name);
        let in_code = |one: &Definition| index.kind(one.file).is_code();
        // What only tests define is the name of a test, unless it is a plain word.
        if most == MAYBE_IN || found.iter().any(in_code) {
            found.retain(in_code);
        }
        // Where the module is named too, its own definitions are meant.
        let inside = within_module(index, &name, &found);
        let foreign = inside.is_none() && is_foreign(&name, &found);
        let found = inside.unwrap_or(found);
        let mut of: Vec<FileAt> = found.iter().map(|one| one.file).collect();
        of.sort_unstable();
        of.dedup();
        if of.is_empty() || of.len() > most {
            continue;
        }
        let share = if foreign { FOREIGN } else { 1.0 };
        let strength = share * name.weight / (of.len() as f32).powf(0.8);
        for file in of {
            let Some(one) = found.iter().find(|one| one.file == file) else { continue };
            let own = name.parts.len().saturating_sub(one.owners + 1);
            let what = name.parts[own..].join(".");
            named.push(Named { file, strength, what, piece: Some(one.piece), titled: false });
        }
    }
    named
}

/// The definitions of a name in sources and tests; those with most of the owners that are named.
fn definitions(index: Index<'_>, name: &Name) -> Vec<Definition> {
    let Some(last) = name.parts.last() else { return Vec::new() };
    let tokens = tokenize(last);
    let Some(joined) = tokens.iter().next().and_then(|token| index.word(token)) else {
        return Vec::new();
    };
    let mut found: Vec<Definition> = Vec::new();
    for posting in joined.postings().filter(|posting| posting.name > 0) {
        let Some(piece) = index.piece(posting.piece) else { continue };
        let kind = index.kind(piece.file);
        if !kind.is_code() && kind != FileKind::Test {
            continue;
        }
        let mut names = piece.name.rsplit('.').peekable();
        // What is in no definition defines values, whose case is not kept.
        let constant =
            piece.name.is_empty() && last.contains(|c: char| c.is_ascii_uppercase() || c == '_');
        if !constant && names.peek() != Some(&last.as_str()) {
            continue;
        }
        names.next();
        let mut owners = name.parts.iter().rev().skip(1).peekable();
        let mut shared = 0;
        while names.peek().is_some_and(|own| owners.peek().is_some_and(|owner| owner == own)) {
            names.next();
            owners.next();
            shared += 1;
        }
        // Packages lend their names to what is below them.
        if names.peek().is_none() {
            let path = index.path(piece.file);
            let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
            let mut modules = std::iter::once(split(path).0).chain(folders.rsplit('/'));
            shared += owners.take_while(|owner| modules.any(|module| module == *owner)).count();
        }
        found.push(Definition { piece: posting.piece, file: piece.file, owners: shared });
    }
    let most = found.iter().map(|one| one.owners).max().unwrap_or(0);
    found.retain(|one| one.owners == most);
    found
}

/// Those of a name's definitions that are in the module that it names.
fn within_module(index: Index<'_>, name: &Name, found: &[Definition]) -> Option<Vec<Definition>> {
    let (_, owners) = name.parts.split_last().filter(|(_, owners)| !owners.is_empty())?;
    let (module, _) = index.of_module(owners)?;
    let path = index.path(module);
    let folder = path.strip_suffix("__init__.py").unwrap_or(path);
    let is_inside = |one: &&Definition| index.path(one.file).starts_with(folder);
    let inside: Vec<Definition> = found.iter().filter(is_inside).copied().collect();
    (!inside.is_empty()).then_some(inside)
}

/// Whether a name has an owner that defines nothing of the kind. A value may have any name, so that
/// `pool.close` may be `Pool.close`.
fn is_foreign(name: &Name, found: &[Definition]) -> bool {
    let is_value = |owner: &String| owner.starts_with(|c: char| c.is_lowercase() || c == '_');
    let owned = match name.parts.as_slice() {
        [] | [_] => false,
        [owner, _] => !is_value(owner),
        _ => true,
    };
    owned && !name.imported && found.iter().all(|one| one.owners == 0)
}
