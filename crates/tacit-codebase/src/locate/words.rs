//! The words of one file, in pieces: what each definition says, and what is left. Depends on the
//! bytes and the facts of a file alone, so that it is kept by content.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use tacit_core::tokenize;
use tacit_graph::{DefinitionKind, FileFacts};

/// Changes when the same file would give other words; words of another version are not read.
pub const WORDS_VERSION: u32 = 2;

/// Text without definitions is cut into pieces of so many lines.
const LINES_PER_PIECE: usize = 80;
/// A word counts at most so often in a piece.
const MAX_COUNT: u8 = 63;
/// So many pieces of a file are kept.
const MAX_PIECES: usize = 4_000;

/// The words of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileWords<'a> {
    /// Every word, once.
    #[serde(borrow)]
    pub(crate) words: Vec<std::borrow::Cow<'a, str>>,
    /// The pieces, in the order of their first lines.
    #[serde(borrow)]
    pub(crate) pieces: Vec<Piece<'a>>,
}

/// A piece of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Piece<'a> {
    /// The qualified name of what it defines; empty for what is in no definition.
    #[serde(borrow)]
    pub(crate) name: std::borrow::Cow<'a, str>,
    pub(crate) line: u32,
    pub(crate) end_line: u32,
    /// Each word by its place, how often it is in the text, and how often in names it defines.
    pub(crate) counts: Vec<(u32, u8, u8)>,
}

impl FileWords<'_> {
    /// The words of a file.
    #[must_use]
    pub fn of(text: &str, facts: Option<&FileFacts>) -> FileWords<'static> {
        let mut collect = Collect::default();
        let lines: Vec<&str> = text.lines().collect();
        match facts {
            Some(facts) => collect.source(&lines, facts),
            None => {
                for (at, piece) in lines.chunks(LINES_PER_PIECE).enumerate().take(MAX_PIECES) {
                    let line = (at * LINES_PER_PIECE) as u32 + 1;
                    collect.open("", line, line + piece.len() as u32 - 1);
                    piece.iter().for_each(|line| collect.text(line));
                }
            }
        }
        collect.close();
        collect.words
    }

    /// The words as bytes, to be kept.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_allocvec(self).unwrap_or_default()
    }

    /// Words that were kept; none if they are not whole.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<FileWords<'_>> {
        let words: FileWords<'_> = postcard::from_bytes(bytes).ok()?;
        let known = words.words.len();
        let whole = |piece: &Piece<'_>| piece.counts.iter().all(|(at, ..)| (*at as usize) < known);
        words.pieces.iter().all(whole).then_some(words)
    }
}

/// A word as it is looked for: what stands for a whole path or a dotted name is not among them.
pub(crate) fn is_word(token: &str) -> bool {
    !token.contains(['.', '/', ':', '#', '@', '$'])
}

#[derive(Default)]
struct Collect {
    words: FileWords<'static>,
    places: HashMap<String, u32>,
    counts: HashMap<u32, (u8, u8)>,
}

impl Collect {
    /// A file with definitions: each function or method is a piece, with what is inside it; each
    /// type, without those; and what is left.
    fn source(&mut self, lines: &[&str], facts: &FileFacts) {
        let definitions = &facts.definitions;
        let is_function = |at: u32| {
            matches!(definitions[at as usize].kind, DefinitionKind::Function | DefinitionKind::Test)
        };
        let inside_function = |at: usize| {
            let mut parent = definitions[at].parent;
            while let Some(outer) = parent {
                if is_function(outer) {
                    return true;
                }
                parent = definitions[outer as usize].parent;
            }
            false
        };
        let mut owners: Vec<u32> = vec![0; lines.len()];
        let mut own: Vec<usize> = Vec::new();
        for (at, definition) in definitions.iter().enumerate() {
            if matches!(definition.kind, DefinitionKind::Value | DefinitionKind::Anonymous)
                || inside_function(at)
                || own.len() == MAX_PIECES
            {
                continue;
            }
            own.push(at);
            let first = (definition.line as usize).saturating_sub(1).min(lines.len());
            let last = (definition.end_line as usize).clamp(first, lines.len());
            owners[first..last].fill(own.len() as u32);
        }
        self.open("", 1, lines.len() as u32);
        self.lines(lines, &owners, 0);
        for value in definitions.iter().filter(|one| one.kind == DefinitionKind::Value) {
            self.name(&value.name);
        }
        for (place, at) in own.iter().enumerate() {
            let definition = &definitions[*at];
            let name = facts.qualified(*at as u32);
            self.open(&name, definition.line, definition.end_line);
            self.name(&name);
            let first = (definition.line as usize).saturating_sub(1).min(lines.len());
            let last = (definition.end_line as usize).clamp(first, lines.len());
            self.lines(&lines[first..last], &owners[first..last], place as u32 + 1);
        }
    }

    fn lines(&mut self, lines: &[&str], owners: &[u32], owner: u32) {
        for (line, of) in lines.iter().zip(owners) {
            if *of == owner {
                self.text(line);
            }
        }
    }

    fn open(&mut self, name: &str, line: u32, end_line: u32) {
        self.close();
        let piece = Piece { name: name.to_owned().into(), line, end_line, counts: Vec::new() };
        self.words.pieces.push(piece);
    }

    fn close(&mut self) {
        if let Some(piece) = self.words.pieces.last_mut() {
            piece.counts = self.counts.drain().map(|(at, (text, name))| (at, text, name)).collect();
            piece.counts.sort_unstable();
        }
    }

    fn text(&mut self, line: &str) {
        for token in tokenize(line).iter().filter(|token| is_word(token)) {
            let count = self.count(token);
            count.0 = count.0.saturating_add(1).min(MAX_COUNT);
        }
    }

    fn name(&mut self, name: &str) {
        for token in tokenize(name).iter().filter(|token| is_word(token)) {
            let count = self.count(token);
            count.1 = count.1.saturating_add(1).min(3);
        }
    }

    fn count(&mut self, token: &str) -> &mut (u8, u8) {
        let place = match self.places.get(token) {
            Some(place) => *place,
            None => {
                let place = self.words.words.len() as u32;
                self.words.words.push(token.to_owned().into());
                self.places.insert(token.to_owned(), place);
                place
            }
        };
        self.counts.entry(place).or_default()
    }
}
