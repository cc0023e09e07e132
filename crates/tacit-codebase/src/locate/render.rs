//! An answer as people, agents and programs read it.

use serde_json::{Value, json};

use super::pointer::{LocateAnswer, LocatedFile, Pointer, PointerSource};

/// What is less likely than this is a guess.
const CONFIDENT: f32 = 0.5;
/// What is less likely than this is not told to who did not ask; the others beside it may be less
/// so, but must be more likely than not.
const PROACTIVE: f32 = 0.75;
const PROACTIVE_OTHERS: f32 = 0.5;
/// So many files are told to who did not ask.
const MAX_PROACTIVE: usize = 3;
/// How surely a file must be named, by any name, to be told to who did not ask.
const MIN_NAMED_STRENGTH: f32 = 0.45;
/// So many reasons are told for a file.
const MAX_REASONS: usize = 3;

impl LocateAnswer {
    /// Whether the first file is more than a guess.
    #[must_use]
    pub fn is_confident(&self) -> bool {
        let first = self.files.first();
        first.is_some_and(|file| {
            file.probability >= CONFIDENT && (file.is_named() || file.words.len() > 1)
        })
    }

    /// The files that may be told to who did not ask: something names each of them. Words alone are
    /// in some file of any project.
    pub fn proactive_files(&self) -> impl Iterator<Item = &LocatedFile> {
        let first = self.files.first();
        let is_sure = first.is_some_and(|file| file.probability >= PROACTIVE && file.is_named());
        let most = if is_sure { MAX_PROACTIVE } else { 0 };
        self.files
            .iter()
            .take(most)
            .filter(|file| file.probability >= PROACTIVE_OTHERS && file.is_named())
    }

    /// The answer in lines, with the symbols of each file if they are asked for.
    #[must_use]
    pub fn lines(&self, symbols: bool) -> Vec<String> {
        if self.files.is_empty() && self.tests.is_empty() {
            return vec![format!(
                "Nothing here has to do with it, among {} files.",
                self.searched_files
            )];
        }
        let mut lines = Vec::new();
        if !self.is_confident() {
            lines.push("Nothing is clearly about it; these come nearest:".to_owned());
        }
        for file in &self.files {
            lines.push(file.line());
            if symbols {
                lines.extend(file.symbols.iter().map(|symbol| {
                    format!("  {}  lines {}-{}", symbol.name, symbol.line, symbol.end_line)
                }));
            }
        }
        if !self.tests.is_empty() {
            lines.push("Tests:".to_owned());
            lines.extend(self.tests.iter().map(|file| format!("  {}", file.path)));
        }
        lines
    }

    /// The answer for programs.
    #[must_use]
    pub fn to_json(&self, explain: bool) -> Value {
        let files = |files: &[LocatedFile]| -> Value {
            files.iter().map(|file| file.to_json(explain)).collect()
        };
        json!({
            "confident": self.is_confident(), "among": self.searched_files,
            "files": files(&self.files), "tests": files(&self.tests),
        })
    }
}

impl LocatedFile {
    fn is_named(&self) -> bool {
        let names = [
            PointerSource::Path,
            PointerSource::Trace,
            PointerSource::Definition,
            PointerSource::Module,
            PointerSource::Message,
        ];
        let names = |pointer: &Pointer| {
            names.contains(&pointer.source) && pointer.strength >= MIN_NAMED_STRENGTH
        };
        self.pointers.iter().any(names)
    }

    /// The file and why.
    #[must_use]
    pub fn line(&self) -> String {
        let reasons = self.reasons();
        if reasons.is_empty() {
            self.path.clone()
        } else {
            format!("{}  {}", self.path, reasons.join("; "))
        }
    }

    /// Why it was found, the weightiest first.
    #[must_use]
    pub fn reasons(&self) -> Vec<String> {
        let mut reasons: Vec<String> = Vec::new();
        let mut has_words = false;
        for pointer in &self.pointers {
            let words = matches!(
                pointer.source,
                PointerSource::Words | PointerSource::SymbolWords | PointerSource::PathWords
            );
            if words && (has_words || self.words.is_empty()) {
                continue;
            }
            has_words |= words;
            reasons.push(if words {
                format!("has {}", self.words.join(", "))
            } else {
                pointer.reason()
            });
        }
        reasons.truncate(MAX_REASONS);
        reasons
    }

    /// Every pointer with what it counts.
    #[must_use]
    pub fn explain(&self) -> Vec<String> {
        let counts = |pointer: &Pointer| {
            let weight = pointer.source.weight();
            let what = if pointer.what.is_empty() {
                String::new()
            } else {
                format!(" ({})", pointer.what)
            };
            let (name, strength) = (pointer.source.as_str(), pointer.strength);
            let kind_weight = self.kind_weight_for(pointer);
            let less = if kind_weight < 1.0 {
                format!(" × {kind_weight} as {}", self.kind.as_str())
            } else {
                String::new()
            };
            format!(
                "{name} {strength:.2} × {weight}{less} = {:.2}{what}",
                strength * weight * kind_weight
            )
        };
        self.pointers.iter().map(counts).collect()
    }

    /// What counts of a pointer.
    fn kind_weight_for(&self, pointer: &Pointer) -> f32 {
        if pointer.source.names(self.kind) { 1.0 } else { self.kind_weight }
    }

    fn to_json(&self, explain: bool) -> Value {
        let symbols: Vec<Value> = self
            .symbols
            .iter()
            .map(|symbol| json!({"name": symbol.name, "line": symbol.line, "end_line": symbol.end_line}))
            .collect();
        let mut value = json!({
            "file": self.path, "kind": self.kind.as_str(), "score": rounded(self.score),
            "likely": rounded(self.probability), "reasons": self.reasons(), "symbols": symbols,
        });
        if explain {
            let pointer = |pointer: &Pointer| {
                json!({
                    "source": pointer.source.as_str(), "strength": rounded(pointer.strength),
                    "weight": rounded(pointer.source.weight()), "share": rounded(self.kind_weight_for(pointer)),
                    "what": pointer.what,
                })
            };
            value["pointers"] = self.pointers.iter().map(pointer).collect();
        }
        value
    }
}

fn rounded(number: f32) -> f64 {
    (f64::from(number) * 1_000.0).round() / 1_000.0
}

impl Pointer {
    fn reason(&self) -> String {
        let what = &self.what;
        match self.source {
            PointerSource::Path => format!("named as {what}"),
            PointerSource::Trace => format!("in the trace at {what}"),
            PointerSource::Definition => format!("defines {what}"),
            PointerSource::Module => format!("is {what}"),
            PointerSource::Message => format!("says \"{what}\""),
            PointerSource::Words | PointerSource::SymbolWords | PointerSource::PathWords => {
                "has its words".to_owned()
            }
            PointerSource::Commit => format!("changed by {what}"),
            PointerSource::Memory => format!("memory {what}"),
            PointerSource::Imports => format!("goes with {what}"),
            PointerSource::CoChange => format!("changes with {what}"),
        }
    }
}
