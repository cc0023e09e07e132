//! An answer as people, agents and programs read it.

use serde_json::{Value, json};

use super::pointer::{Answer, Located, Pointer, Source};

/// What is less likely than this is a guess.
const GUESS: f32 = 0.5;
/// What is less likely than this is not told to who did not ask; the others beside it may be less
/// so, but must be more likely than not.
const SURE: f32 = 0.75;
const BESIDE: f32 = 0.5;
/// So many files are told to who did not ask.
const MOST_SURE: usize = 3;
/// How surely a file must be named, by any name, to be told to who did not ask.
const NAMED: f32 = 0.45;
/// So many reasons are told for a file.
const REASONS: usize = 3;

impl Answer {
    /// Whether the first file is more than a guess.
    #[must_use]
    pub fn is_confident(&self) -> bool {
        let first = self.files.first();
        first.is_some_and(|file| file.likely >= GUESS && (file.is_named() || file.words.len() > 1))
    }

    /// The files that may be told to who did not ask: something names each of them. Words alone are
    /// in some file of any project.
    pub fn sure(&self) -> impl Iterator<Item = &Located> {
        let first = self.files.first();
        let is_sure = first.is_some_and(|file| file.likely >= SURE && file.is_named());
        let most = if is_sure { MOST_SURE } else { 0 };
        self.files.iter().take(most).filter(|file| file.likely >= BESIDE && file.is_named())
    }

    /// The answer in lines, with the symbols of each file if they are asked for.
    #[must_use]
    pub fn lines(&self, symbols: bool) -> Vec<String> {
        if self.files.is_empty() && self.tests.is_empty() {
            return vec![format!("Nothing here has to do with it, among {} files.", self.among)];
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
        let files = |files: &[Located]| -> Value {
            files.iter().map(|file| file.to_json(explain)).collect()
        };
        json!({
            "confident": self.is_confident(), "among": self.among,
            "files": files(&self.files), "tests": files(&self.tests),
        })
    }
}

impl Located {
    fn is_named(&self) -> bool {
        let names =
            [Source::Path, Source::Trace, Source::Definition, Source::Module, Source::Message];
        let names =
            |pointer: &Pointer| names.contains(&pointer.source) && pointer.strength >= NAMED;
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
        let mut worded = false;
        for pointer in &self.pointers {
            let words = matches!(pointer.source, Source::Words | Source::Piece | Source::PathWords);
            if words && (worded || self.words.is_empty()) {
                continue;
            }
            worded |= words;
            reasons.push(if words {
                format!("has {}", self.words.join(", "))
            } else {
                pointer.reason()
            });
        }
        reasons.truncate(REASONS);
        reasons
    }

    /// Every pointer with what it counts.
    #[must_use]
    pub fn explained(&self) -> Vec<String> {
        let counts = |pointer: &Pointer| {
            let weight = pointer.source.weight();
            let what = if pointer.what.is_empty() {
                String::new()
            } else {
                format!(" ({})", pointer.what)
            };
            let (name, strength) = (pointer.source.as_str(), pointer.strength);
            let share = self.share_of(pointer);
            let less = if share < 1.0 {
                format!(" × {share} as {}", self.kind.as_str())
            } else {
                String::new()
            };
            format!(
                "{name} {strength:.2} × {weight}{less} = {:.2}{what}",
                strength * weight * share
            )
        };
        self.pointers.iter().map(counts).collect()
    }

    /// What counts of a pointer.
    fn share_of(&self, pointer: &Pointer) -> f32 {
        if pointer.source.names(self.kind) { 1.0 } else { self.share }
    }

    fn to_json(&self, explain: bool) -> Value {
        let symbols: Vec<Value> = self
            .symbols
            .iter()
            .map(|symbol| json!({"name": symbol.name, "line": symbol.line, "end_line": symbol.end_line}))
            .collect();
        let mut value = json!({
            "file": self.path, "kind": self.kind.as_str(), "score": rounded(self.score),
            "likely": rounded(self.likely), "reasons": self.reasons(), "symbols": symbols,
        });
        if explain {
            let pointer = |pointer: &Pointer| {
                json!({
                    "source": pointer.source.as_str(), "strength": rounded(pointer.strength),
                    "weight": rounded(pointer.source.weight()), "share": rounded(self.share_of(pointer)),
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
            Source::Path => format!("named as {what}"),
            Source::Trace => format!("in the trace at {what}"),
            Source::Definition => format!("defines {what}"),
            Source::Module => format!("is {what}"),
            Source::Message => format!("says \"{what}\""),
            Source::Words | Source::Piece | Source::PathWords => "has its words".to_owned(),
            Source::Commit => format!("changed by {what}"),
            Source::Memory => format!("memory {what}"),
            Source::Near => format!("goes with {what}"),
            Source::Together => format!("changes with {what}"),
        }
    }
}
