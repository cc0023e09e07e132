//! Reads a description: its words, paths, stack frames, names in code, and error messages.

use std::collections::HashMap;

use tacit_core::tokenize;

use super::excerpt::excerpt;
use super::imports::{Imports, parse_import};
use super::names::{is_unspaced, names_in};
use super::report_form::without_references;
use super::report_words::is_report_word;
use super::words::is_word;
use super::zones::{Zone, is_raised, message, zones};

/// A path as it is written in a description.
#[derive(Debug, Clone, PartialEq)]
pub struct PathMention {
    /// The path, or its last components.
    pub path: String,
    /// The line number, if given.
    pub line: Option<u32>,
    /// True if it is a stack frame; frames keep the order of the trace.
    pub in_trace: bool,
    /// True if it is in the title.
    pub(crate) in_title: bool,
}

/// A name that looks like one in code.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeName {
    /// The parts of a qualified name: `a.b.C` has three.
    pub parts: Vec<String>,
    /// The confidence that it is a name and meant.
    pub weight: f32,
    /// True if code in the description imports its first part.
    pub(crate) imported: bool,
}

/// A description that was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Description {
    /// The words with their weights, each once.
    pub words: Vec<(String, f32)>,
    /// The paths it mentions.
    pub paths: Vec<PathMention>,
    /// The names that look like code.
    pub names: Vec<CodeName>,
    /// Plain words that may be names as well.
    pub(crate) possible_names: Vec<String>,
    /// The words of the title, sorted.
    pub(crate) title: Vec<String>,
    /// The imports of its code.
    imports: Imports,
    /// Messages that were printed or quoted.
    pub messages: Vec<String>,
    /// The text that was read, perhaps an excerpt.
    pub(crate) text: String,
    /// The part that is being read.
    part: Part,
    /// True if the title is about tests.
    pub tests: bool,
    /// True if the title is about documentation.
    pub documents: bool,
}

/// Maximum number of paths, names and messages.
const MAX_ITEMS: usize = 60;
/// Minimum length of plain words that may be names, and their maximum number.
const MIN_NAME_LENGTH: usize = 6;
const MAX_POSSIBLE_NAMES: usize = 120;
/// Maximum number of words; long descriptions get more, because most of theirs belong to a log.
const MAX_WORDS: usize = 160;
const MAX_WORDS_LONG: usize = 640;
/// Weight of common report words below the title.
const REPORT_WORD_WEIGHT: f32 = 0.3;
/// Number of words of prose after which the weight is halved, and its minimum: people say first
/// what it is about.
const HALF_WEIGHT_WORDS: f32 = 50.0;
const MIN_WEIGHT: f32 = 0.2;
/// Weight of names in code.
const CODE_NAME_WEIGHT: f32 = 0.4;

/// A part of a description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Part {
    /// The whole text, if it is short.
    #[default]
    Whole,
    /// The first half of a long description, which may use half of the space.
    Beginning,
    /// The second half, whose last lines matter most.
    End,
}

impl Part {
    /// Adds an item, up to `most`. In the second half, an earlier item that `may_go` is removed to
    /// make room.
    fn keep<T>(self, kept: &mut Vec<T>, most: usize, one: T, may_go: impl Fn(&T) -> bool) {
        let room = if self == Part::Beginning { most / 2 } else { most };
        if self == Part::End && kept.len() == most {
            let index = kept.iter().skip(most / 2).position(may_go).unwrap_or(0);
            kept.remove(most / 2 + index);
        }
        if kept.len() < room {
            kept.push(one);
        }
    }
}

impl Description {
    /// Reads a description.
    #[must_use]
    pub fn read(text: &str) -> Description {
        let excerpt = excerpt(text);
        let cut = excerpt.len() < text.len();
        let mut read = Description::default();
        let mut counts: HashMap<String, f32> = HashMap::new();
        let zones = zones(&excerpt);
        read.imports = Imports::from_zones(&zones);
        let mut prose_words = 0;
        for (at, (zone, line)) in zones.iter().enumerate() {
            read.part = match cut {
                false => Part::Whole,
                true if at < zones.len() / 2 => Part::Beginning,
                true => Part::End,
            };
            let position_weight =
                (HALF_WEIGHT_WORDS / (HALF_WEIGHT_WORDS + prose_words as f32)).max(MIN_WEIGHT);
            let line_weight = match zone {
                Zone::Title => 3.0,
                Zone::Prose => position_weight,
                Zone::Code => 0.25 * position_weight,
                Zone::Trace if read.part == Part::End => 0.3,
                Zone::Trace => 0.3 * position_weight,
            };
            let prose = matches!(zone, Zone::Title | Zone::Prose);
            let line_words = if prose { without_references(line) } else { (*line).to_owned() };
            let tokens = tokenize(&line_words);
            for token in tokens.iter().filter(|token| is_word(token) && !is_letter(token)) {
                let count = counts.entry(token.to_owned()).or_default();
                if *zone == Zone::Title {
                    read.title.push(token.to_owned());
                } else if is_report_word(token) {
                    *count = count.max(REPORT_WORD_WEIGHT * line_weight);
                    continue;
                }
                *count += line_weight;
            }
            read.line(*zone, line);
            if *zone == Zone::Prose {
                prose_words += line.split_whitespace().count();
            }
        }
        read.title.sort_unstable();
        read.forget_defined_names(&zones);
        let title =
            zones.first().map(|(_, line)| tokenize(line).joined().to_owned()).unwrap_or_default();
        read.tests = title.split(' ').any(|word| word == "test");
        read.documents = title
            .split(' ')
            .any(|word| ["doc", "document", "readm", "changelog", "docstr"].contains(&word));
        // Repetitions add less and less.
        read.words =
            counts.into_iter().map(|(word, count)| (word, 2.2 * count / (1.2 + count))).collect();
        read.words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        read.words.truncate(if cut { MAX_WORDS_LONG } else { MAX_WORDS });
        read.text = excerpt.into_owned();
        read
    }

    fn line(&mut self, zone: Zone, line: &str) {
        if zone == Zone::Trace {
            if is_raised(line) {
                if let Some((raised, message)) = line.split_once(':') {
                    self.message(message);
                    self.name(raised, 0.4);
                }
                return;
            }
            self.add_paths(line, zone);
            if let Some((_, function)) = line.rsplit_once(", in ") {
                self.name(function, 0.5);
            }
            return;
        }
        self.add_paths(line, zone);
        if let Some(message) = message(line) {
            self.message(message);
        }
        if zone == Zone::Code {
            match parse_import(line) {
                Some((module, Some(names))) => names_in(names).for_each(|name| {
                    self.name(&format!("{module}.{}", name.text), CODE_NAME_WEIGHT);
                }),
                Some((modules, None)) => {
                    names_in(modules).for_each(|name| self.name(name.text, CODE_NAME_WEIGHT));
                }
                None => names_in(line)
                    .filter(|name| name.text.len() > 2 && !name.text.starts_with("__"))
                    .for_each(|name| self.name(name.text, CODE_NAME_WEIGHT)),
            }
            return;
        }
        for quote in ['"', '\'', '`'] {
            line.split(quote).skip(1).step_by(2).for_each(|quoted| self.message(quoted));
        }
        for (at, span) in line.split('`').enumerate() {
            for name in names_in(span) {
                let weight = if at % 2 == 1 { 1.0 } else { name.confidence() };
                if weight <= 0.0 {
                    self.note_possible_name(name.text);
                } else {
                    let title = if zone == Zone::Title { 1.5 } else { 1.0 };
                    self.name(name.text, weight * title);
                }
            }
        }
    }

    fn name(&mut self, text: &str, weight: f32) {
        let parts: Vec<String> = text
            .split(['.', ':', '#'])
            .map(|part| part.trim_matches(|c: char| !c.is_alphanumeric() && c != '_'))
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        let full_name = self.imports.full_name(&parts);
        let imported = full_name.is_some();
        let parts = full_name.unwrap_or(parts);
        // A single letter is a name only if its module is given: `django.db.models.Q`.
        let short = parts.last().is_none_or(|last| last.chars().count() < 2) && parts.len() < 3;
        if parts.is_empty() || short || parts.len() > 8 {
            return;
        }
        if let Some(known) = self.names.iter_mut().find(|known| known.parts == parts) {
            known.weight = known.weight.max(weight) + 0.1;
        } else {
            self.part.keep(
                &mut self.names,
                MAX_ITEMS,
                CodeName { parts, weight, imported },
                |_| true,
            );
        }
    }

    fn note_possible_name(&mut self, word: &str) {
        let plain =
            word.len() >= MIN_NAME_LENGTH && word.bytes().all(|byte| byte.is_ascii_lowercase());
        if plain && !self.possible_names.iter().any(|known| known == word) {
            self.part.keep(&mut self.possible_names, MAX_POSSIBLE_NAMES, word.to_owned(), |_| true);
        }
    }

    fn message(&mut self, text: &str) {
        let text = text.trim();
        let words = text.split_whitespace().count();
        if (3..=40).contains(&words) && !self.messages.iter().any(|m| m == text) {
            self.part.keep(&mut self.messages, MAX_ITEMS, text.to_owned(), |_| true);
        }
    }

    fn add_paths(&mut self, line: &str, zone: Zone) {
        let separates = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;=|“”„‘’«»".contains(c);
        let pieces: Vec<&str> = line.split(separates).filter(|piece| !piece.is_empty()).collect();
        for (at, piece) in pieces.iter().enumerate() {
            // `File "app.py", line 12`
            let line = || pieces.get(at + 2).filter(|_| pieces.get(at + 1) == Some(&"line"));
            self.add_path(piece, zone, line);
            // Scripts without spaces have none around a path.
            if !piece.is_ascii() && piece.contains(is_unspaced) {
                piece.split(is_unspaced).for_each(|part| self.add_path(part, zone, || None));
            }
        }
    }

    fn add_path<'t>(&mut self, piece: &str, zone: Zone, line: impl Fn() -> Option<&'t &'t str>) {
        let Some(mut mention) = parse_path(piece) else { return };
        mention.in_trace = zone == Zone::Trace;
        mention.in_title = zone == Zone::Title;
        mention.line = mention.line.or_else(|| digits(line()?));
        if !self.paths.contains(&mention) {
            self.part.keep(&mut self.paths, MAX_ITEMS, mention, |known| !known.in_trace);
        }
    }

    /// Drops names that code in the description defines itself.
    fn forget_defined_names(&mut self, zones: &[(Zone, &str)]) {
        let mut defined: Vec<&str> = Vec::new();
        for (_, line) in zones.iter().filter(|(zone, _)| *zone == Zone::Code) {
            let line = line.trim_start_matches(['>', '.', ' ']);
            for keyword in ["class ", "def ", "fn ", "function ", "async def ", "struct "] {
                if let Some(rest) = line.strip_prefix(keyword) {
                    defined.extend(names_in(rest).next().map(|name| name.text));
                }
            }
        }
        self.names.retain(|name| !name.parts.iter().any(|part| defined.contains(&part.as_str())));
    }
}

/// Returns true for a single letter or digit, which says nothing.
fn is_letter(word: &str) -> bool {
    word.len() == 1
}

fn digits(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Parses a path with an extension, and perhaps `:line` or `#Lline`.
fn parse_path(piece: &str) -> Option<PathMention> {
    let piece = piece.trim_end_matches(['.', ':', '!', '?', '*']).trim_start_matches(['*', '@']);
    let (piece, url) = match piece.split_once("://") {
        Some((_, rest)) => (rest.split_once('/')?.1, true),
        None => (piece, false),
    };
    let (piece, anchor) = piece.split_once('#').unwrap_or((piece, ""));
    // A drive letter is not followed by a line number.
    let piece = piece.get(2..).filter(|_| piece.get(1..3) == Some(":\\")).unwrap_or(piece);
    let mut parts = piece.split(':');
    let path = parts.next()?.replace('\\', "/");
    let line = parts.next().and_then(digits).or_else(|| digits(anchor.strip_prefix('L')?));
    let file = path.rsplit('/').next()?;
    let (stem, ending) = file.rsplit_once('.')?;
    let plausible = (1..=5).contains(&ending.len())
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && stem.chars().any(|c| c.is_alphanumeric() || c == '_')
        && (!url || path.contains('/'));
    let path = path.trim_start_matches("./").to_owned();
    plausible.then_some(PathMention { path, line, in_trace: false, in_title: false })
}
