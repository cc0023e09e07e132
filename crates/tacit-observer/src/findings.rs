//! Findings that checkers print about the code: failed tests, compile errors, lint and type rules.
//!
//! Each family of checkers reads the whole output. Families with blocks of several lines come
//! first and take their lines, so that what a failed test prints is no finding of another family.

mod formatters;
mod go;
mod javascript;
mod jvm;
mod located;
mod numbered;
mod output;
mod platforms;
mod python;
mod rust;

mod usage;

use output::{OutputLines, on_one_line};
pub(crate) use output::{is_quiet_log, without_task};

const MAX_FINDINGS: usize = 200;

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// A failed test.
    Test,
    /// Code that does not compile.
    Compile,
    /// A violated rule of a linter or formatter.
    Lint,
    /// A type error.
    Types,
    /// An error of the tool itself, such as an unknown flag.
    Usage,
}

/// A finding of a checker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of finding.
    pub kind: FindingKind,
    /// The checker that printed it, such as `golangci-lint`; empty if the output does not tell.
    pub tool: &'static str,
    /// The file as printed.
    pub file: Option<String>,
    /// The line in the file, from 1.
    pub line: Option<u32>,
    /// The violated rule or the error code, such as `goconst` or `E0308`.
    pub rule: Option<String>,
    /// The name of the failed test.
    pub test: Option<String>,
    /// The message without the position and the rule, on one line; empty if the runner printed
    /// only the name of the failed test.
    pub message: String,
}

impl Finding {
    fn new(kind: FindingKind, tool: &'static str, message: &str) -> Self {
        let message = on_one_line(message);
        Self { kind, tool, file: None, line: None, rule: None, test: None, message }
    }

    fn at(mut self, file: &str, line: Option<u32>) -> Self {
        self.file = Some(file.trim().to_owned()).filter(|file| !file.is_empty());
        self.line = line.filter(|line| *line > 0);
        self
    }

    fn rule(mut self, rule: &str) -> Self {
        self.rule = Some(rule.trim().to_owned()).filter(|rule| !rule.is_empty());
        self
    }

    fn test(mut self, test: &str) -> Self {
        self.test = Some(on_one_line(test)).filter(|test| !test.is_empty());
        self
    }

    /// Returns the finding as one line, much as its checker prints it:
    /// `setup.go:175: make it a constant (goconst)`, `error[E0308]: mismatched types`, or
    /// `TestResume: expected 2 sessions, got 1`.
    pub fn text(&self) -> String {
        match (&self.test, &self.file, self.line) {
            (Some(test), ..) if self.message.is_empty() => format!("{test} failed"),
            (Some(test), ..) => format!("{test}: {}", self.message),
            // The Rust compiler prints the place on a line of its own.
            (None, ..) if matches!(self.tool, "rustc" | "clippy") => self.labelled(),
            (None, Some(file), Some(line)) => format!("{file}:{line}: {}", self.labelled()),
            (None, Some(file), None) => format!("{file}: {}", self.labelled()),
            (None, None, _) => self.labelled(),
        }
    }

    /// Returns the message with the rule or the code, where its checker prints it.
    pub(crate) fn labelled(&self) -> String {
        let message = &self.message;
        match (self.tool, &self.rule) {
            ("rustc", Some(code)) if self.kind == FindingKind::Compile => {
                format!("error[{code}]: {message}")
            }
            ("tsc" | "dotnet", Some(code)) => format!("error {code}: {message}"),
            (_, Some(rule)) if rule != "format" => format!("{message} ({rule})"),
            _ => message.clone(),
        }
    }
}

/// Returns the findings in the output of a checker, in order. Log lines, summaries and what passing
/// tests print are no findings.
pub fn findings(output: &str) -> Vec<Finding> {
    let text = output::readable(output);
    let mut lines = OutputLines::new(&text);
    let mut found = Vec::new();
    for family in [
        go::tests,
        python::tests,
        rust::tests,
        javascript::tests,
        numbered::tests,
        jvm::tests,
        platforms::tests,
        rust::compiler,
        python::linters,
        javascript::linters,
        jvm::builds,
        located::compilers_and_linters,
        formatters::unformatted,
    ] {
        family(&mut lines, &mut found);
    }
    if found.is_empty() {
        usage::mistakes(&lines, &mut found);
    }
    found.sort_by_key(|(at, _)| *at);
    let mut unique: Vec<Finding> = Vec::new();
    for (_, finding) in found {
        if unique.len() == MAX_FINDINGS {
            break;
        }
        if !unique.contains(&finding) {
            unique.push(finding);
        }
    }
    unique
}
