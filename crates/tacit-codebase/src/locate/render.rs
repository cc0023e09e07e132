//! Renders an answer for people, agents and programs.

use serde_json::{Value, json};

use super::pointer::{LocateAnswer, LocatedFile, Pointer, PointerSource};

/// Minimum probability of an answer that is more than a guess.
const CONFIDENT: f32 = 0.5;
/// Minimum probability of the first file for a proactive answer, and of the files beside it.
const PROACTIVE: f32 = 0.75;
const PROACTIVE_OTHERS: f32 = 0.5;
/// Maximum number of files in a proactive answer.
const MAX_PROACTIVE: usize = 3;
/// Minimum strength of a direct mention of a file in a proactive answer.
const MIN_NAMED_STRENGTH: f32 = 0.45;
/// Maximum number of reasons per file.
const MAX_REASONS: usize = 3;

impl LocateAnswer {
    /// Returns true if the first file is more than a guess.
    #[must_use]
    pub fn is_confident(&self) -> bool {
        let first = self.files.first();
        first.is_some_and(|file| {
            file.probability >= CONFIDENT && (file.is_named() || file.words.len() > 1)
        })
    }

    /// Returns the files that may be shown without being asked for. Each must be named directly,
    /// because every project has some file that shares the words.
    pub fn proactive_files(&self) -> impl Iterator<Item = &LocatedFile> {
        let first = self.files.first();
        let is_sure = first.is_some_and(|file| file.probability >= PROACTIVE && file.is_named());
        let most = if is_sure { MAX_PROACTIVE } else { 0 };
        self.files
            .iter()
            .take(most)
            .filter(|file| file.probability >= PROACTIVE_OTHERS && file.is_named())
    }

    /// Renders the answer in lines, optionally with the symbols of each file.
    #[must_use]
    pub fn lines(&self, symbols: bool) -> Vec<String> {
        if self.files.is_empty() && self.tests.is_empty() {
            return vec![format!("No match in {} files.", self.searched_files)];
        }
        let mut lines = Vec::new();
        if !self.is_confident() {
            lines.push("No clear match; the closest files:".to_owned());
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

    /// Renders the answer as JSON.
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

    /// Renders the path with the reasons.
    #[must_use]
    pub fn line(&self) -> String {
        let reasons = self.reasons();
        if reasons.is_empty() {
            self.path.clone()
        } else {
            format!("{}  {}", self.path, reasons.join("; "))
        }
    }

    /// Returns the reasons for the file, strongest first.
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
                format!("contains {}", self.words.join(", "))
            } else {
                pointer.reason()
            });
        }
        reasons.truncate(MAX_REASONS);
        reasons
    }

    /// Explains the score: every piece of evidence with its contribution.
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

    /// Returns the factor for a piece of evidence.
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

fn rounded(push_varint: f32) -> f64 {
    (f64::from(push_varint) * 1_000.0).round() / 1_000.0
}

impl Pointer {
    fn reason(&self) -> String {
        let what = &self.what;
        match self.source {
            PointerSource::Path => format!("named as {what}"),
            PointerSource::Trace => format!("in the stack trace at {what}"),
            PointerSource::Definition => format!("defines {what}"),
            PointerSource::Module => format!("is the module {what}"),
            PointerSource::Message => format!("contains the message \"{what}\""),
            PointerSource::Words | PointerSource::SymbolWords | PointerSource::PathWords => {
                "contains its words".to_owned()
            }
            PointerSource::Commit => format!("changed by {what}"),
            PointerSource::Memory => format!("memory {what}"),
            PointerSource::Imports => format!("linked by imports to {what}"),
            PointerSource::CoChange => format!("changes with {what}"),
        }
    }
}
