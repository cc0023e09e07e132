//! Finds the files that define names in a description.

use tacit_core::tokenize;

use super::description::{CodeName, Description};
use super::index::{FileNumber, WordIndex};
use super::kind::FileKind;
use super::mentions::{COMMON, FileMention, split_file_name};
use super::report_words::is_report_word;

/// A plain word is treated as a name if at most this many files define it, with this weight.
const POSSIBLE_NAME_FILES: usize = 2;
const POSSIBLE_NAME_WEIGHT: f32 = 0.5;

/// Factor for a name whose owner is not the one that defines it.
const FOREIGN_WEIGHT: f32 = 0.5;

/// A piece that defines a name.
#[derive(Debug, Clone, Copy)]
struct Definition {
    piece: u32,
    file: FileNumber,
    /// The number of matching owners, counted from the innermost.
    owners: usize,
}

/// Finds the files that define names in a description.
pub(crate) fn definition_mentions(
    index: WordIndex<'_>,
    description: &Description,
) -> Vec<FileMention> {
    let mut mentions = Vec::new();
    // A word common in reports is a name only in the title.
    let is_specific = |word: &&String| {
        let tokens = tokenize(word);
        let in_title = |token: &str| {
            description.title.binary_search_by(|known| known.as_str().cmp(token)).is_ok()
        };
        tokens.iter().all(|token| in_title(token) || !is_report_word(token))
    };
    let possible_names = description.possible_names.iter().filter(is_specific);
    let possible_names = possible_names.map(|word| {
        (
            CodeName { parts: vec![word.clone()], weight: POSSIBLE_NAME_WEIGHT, imported: false },
            POSSIBLE_NAME_FILES,
        )
    });
    let names = description.names.iter().map(|name| (name.clone(), COMMON));
    for (name, most) in names.chain(possible_names).filter(|(name, _)| index.may_define(name)) {
        let mut found = find_definitions(index, &name);
        let in_code = |one: &Definition| index.kind(one.file).is_code();
        // A name that only tests define is the name of a test, unless it is a plain word.
        if most == POSSIBLE_NAME_FILES || found.iter().any(in_code) {
            found.retain(in_code);
        }
        // If the module is named too, only its definitions are meant.
        let inside = within_module(index, &name, &found);
        let foreign = inside.is_none() && is_foreign(&name, &found);
        let found = inside.unwrap_or(found);
        let mut files: Vec<FileNumber> = found.iter().map(|one| one.file).collect();
        files.sort_unstable();
        files.dedup();
        if files.is_empty() || files.len() > most {
            continue;
        }
        let share = if foreign { FOREIGN_WEIGHT } else { 1.0 };
        let strength = share * name.weight / (files.len() as f32).powf(0.8);
        for file in files {
            let Some(one) = found.iter().find(|one| one.file == file) else { continue };
            let own = name.parts.len().saturating_sub(one.owners + 1);
            let what = name.parts[own..].join(".");
            mentions.push(FileMention {
                file,
                strength,
                what,
                piece: Some(one.piece),
                in_title: false,
            });
        }
    }
    mentions
}

/// Finds the definitions of a name in sources and tests, keeping those with the most matching
/// owners.
fn find_definitions(index: WordIndex<'_>, name: &CodeName) -> Vec<Definition> {
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
        // Top-level values have no piece of their own, and their case is not stored.
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
        // Names of packages qualify what is inside them.
        if names.peek().is_none() {
            let path = index.path(piece.file);
            let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
            let mut modules = std::iter::once(split_file_name(path).0).chain(folders.rsplit('/'));
            shared += owners.take_while(|owner| modules.any(|module| module == *owner)).count();
        }
        found.push(Definition { piece: posting.piece, file: piece.file, owners: shared });
    }
    let most = found.iter().map(|one| one.owners).max().unwrap_or(0);
    found.retain(|one| one.owners == most);
    found
}

/// Returns the definitions that are in the module that the name gives.
fn within_module(
    index: WordIndex<'_>,
    name: &CodeName,
    found: &[Definition],
) -> Option<Vec<Definition>> {
    let (_, owners) = name.parts.split_last().filter(|(_, owners)| !owners.is_empty())?;
    let (module, _) = index.file_of_module(owners)?;
    let path = index.path(module);
    let folder = path.strip_suffix("__init__.py").unwrap_or(path);
    let is_inside = |one: &&Definition| index.path(one.file).starts_with(folder);
    let inside: Vec<Definition> = found.iter().filter(is_inside).copied().collect();
    (!inside.is_empty()).then_some(inside)
}

/// Returns true if a name has an owner that defines nothing like it. A variable may have any name,
/// so `pool.close` may be `Pool.close`.
fn is_foreign(name: &CodeName, found: &[Definition]) -> bool {
    let is_value = |owner: &String| owner.starts_with(|c: char| c.is_lowercase() || c == '_');
    let owned = match name.parts.as_slice() {
        [] | [_] => false,
        [owner, _] => !is_value(owner),
        _ => true,
    };
    owned && !name.imported && found.iter().all(|one| one.owners == 0)
}
