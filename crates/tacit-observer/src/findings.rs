//! Findings that checkers print about the code: failed tests, compile errors, lint and type rules.

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
    /// The checker that printed it, such as `golangci-lint`.
    pub tool: &'static str,
    /// The file as printed.
    pub file: Option<String>,
    /// The line in the file, from 1.
    pub line: Option<u32>,
    /// The violated rule or the error code, such as `goconst` or `E0308`.
    pub rule: Option<String>,
    /// The name of the failed test.
    pub test: Option<String>,
    /// The message without the position and the rule, on one line.
    pub message: String,
}

/// Returns the findings in the output of a checker, in order. Log lines, summaries and what passing
/// tests print are no findings.
pub fn findings(output: &str) -> Vec<Finding> {
    let _ = output;
    Vec::new()
}
