//! Files that define what a description names.

use tacit_core::tokenize;

use super::description::{CodeName, Description};
use super::index::{FileNumber, WordIndex};
use super::kind::FileKind;
use super::mentions::{COMMON, FileMention, split_file_name};
use super::report_words::is_report_word;

/// A plain word is a name if it is defined in no more files than this, and counts so much.
const POSSIBLE_NAME_FILES: usize = 2;
const POSSIBLE_NAME_WEIGHT: f32 = 0.5;

/// A name whose owner is not what defines it counts so much.
const FOREIGN_WEIGHT: f32 = 0.5;

/// A piece that defines a name.
#[derive(Debug, Clone, Copy)]
struct Definition {
    piece: u32,
    file: FileNumber,
    /// How many of the owners that are named are its own, from the nearest on.
    owners: usize,
}

/// The files that define what a description names.
pub(crate) fn definition_mentions(
    index: WordIndex<'_>,
    description: &Description,
) -> Vec<FileMention> {
    let mut mentions = Vec::new();
    // What any report may say is a name only in the title.
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
    for (name, most) in names.chain(possible_names).filter(|(name, _)| index.may_have(name)) {
        let mut found = find_definitions(index, &name);
        let in_code = |one: &Definition| index.kind(one.file).is_code();
        // What only tests define is the name of a test, unless it is a plain word.
        if most == POSSIBLE_NAME_FILES || found.iter().any(in_code) {
            found.retain(in_code);
        }
        // Where the module is named too, its own definitions are meant.
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

/// The definitions of a name in sources and tests; those with most of the owners that are named.
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
            let mut modules = std::iter::once(split_file_name(path).0).chain(folders.rsplit('/'));
            shared += owners.take_while(|owner| modules.any(|module| module == *owner)).count();
        }
        found.push(Definition { piece: posting.piece, file: piece.file, owners: shared });
    }
    let most = found.iter().map(|one| one.owners).max().unwrap_or(0);
    found.retain(|one| one.owners == most);
    found
}

/// Those of a name's definitions that are in the module that it names.
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

/// Whether a name has an owner that defines nothing of the kind. A value may have any name, so that
/// `pool.close` may be `Pool.close`.
fn is_foreign(name: &CodeName, found: &[Definition]) -> bool {
    let is_value = |owner: &String| owner.starts_with(|c: char| c.is_lowercase() || c == '_');
    let owned = match name.parts.as_slice() {
        [] | [_] => false,
        [owner, _] => !is_value(owner),
        _ => true,
    };
    owned && !name.imported && found.iter().all(|one| one.owners == 0)
}
