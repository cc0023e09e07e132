//! `cargo xtask lint-words`: the part of `docs/glossary.md` and CONTRIBUTING's rules about English
//! that a program can check.

mod prose;
mod source;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::table::{Align, Table};
use crate::workspace::Workspace;

/// Check the wording of doc comments, help, errors, test names and type names.
#[derive(Debug, clap::Args)]
pub(crate) struct LintWords {
    /// Another checkout to check instead of this one.
    directory: Option<PathBuf>,
    /// Print the number of findings by rule instead of each finding.
    #[arg(long)]
    counts: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    DocOpening,
    DocOneWord,
    HelpOpening,
    ErrorForm,
    TestName,
    ReusedType,
    ArchaicWord,
    MissingFile,
}

/// Files that a rule does not apply to.
const EXCEPTIONS: &[(&str, Rule)] = &[
    // The rule's own words, and tests of it.
    ("xtask/src/lint_words/prose.rs", Rule::ArchaicWord),
    ("xtask/src/lint_words/source.rs", Rule::ArchaicWord),
    // The answers of `tacit when` and `tacit how` are sentences of a fixed form.
    ("crates/tacit-triggers/src/resolve_error.rs", Rule::ErrorForm),
    // Errors about records begin with a code that agents look for.
    ("crates/tacit/src/commands/records/input.rs", Rule::ErrorForm),
    ("crates/tacit/src/commands/records/merge.rs", Rule::ErrorForm),
    // Test data in the words of users.
    ("crates/tacit-records/tests/records/excerpts.rs", Rule::ArchaicWord),
];

const RULES: [Rule; 8] = [
    Rule::DocOpening,
    Rule::DocOneWord,
    Rule::HelpOpening,
    Rule::ErrorForm,
    Rule::TestName,
    Rule::ReusedType,
    Rule::ArchaicWord,
    Rule::MissingFile,
];

/// The documents whose readers look for the files they name. Others name files of users.
const MAINTAINERS: [&str; 5] =
    ["AGENTS.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/internals.md", "docs/storage.md"];

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Rule::DocOpening => "doc comment opens with a question word or pronoun",
            Rule::DocOneWord => "doc comment is one word",
            Rule::HelpOpening => "help does not open with an imperative",
            Rule::ErrorForm => "error message is not a lower-case phrase without a full stop",
            Rule::TestName => "test name opens with a question word or pronoun",
            Rule::ReusedType => "type name is public in more than one file",
            Rule::ArchaicWord => "word that plain English does without",
            Rule::MissingFile => "document names a source file that does not exist",
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LintFinding {
    line: usize,
    rule: Rule,
    text: String,
}

/// A public type that a file declares.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    line: usize,
    name: String,
}

impl LintWords {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let root = self.directory.as_deref().unwrap_or(&workspace.root);
        let findings = lint(root)?;
        if self.counts {
            println!("{}", counts(&findings));
            return Ok(());
        }
        report(&findings)
    }
}

/// Fails with every finding on standard error; a step of `cargo xtask ci`.
pub(crate) fn lint_words(workspace: &Workspace) -> Result<()> {
    report(&lint(&workspace.root)?)
}

fn report(findings: &[(PathBuf, LintFinding)]) -> Result<()> {
    for (path, LintFinding { line, rule, text }) in findings {
        eprintln!("{}:{line}: {rule}: {text}", path.display());
    }
    if findings.is_empty() {
        println!("the words are in order");
        return Ok(());
    }
    bail!("{} findings; CONTRIBUTING.md has the rules under \"English\"", findings.len())
}

fn counts(findings: &[(PathBuf, LintFinding)]) -> String {
    let mut table = Table::new([("rule", Align::Left), ("findings", Align::Right)]);
    for rule in RULES {
        let count = findings.iter().filter(|(_, finding)| finding.rule == rule).count();
        table.row([rule.to_string(), count.to_string()]);
    }
    table.row(["together".to_owned(), findings.len().to_string()]);
    table.to_string()
}

/// Returns the findings of a checkout, in order of path and line.
fn lint(root: &Path) -> Result<Vec<(PathBuf, LintFinding)>> {
    let mut findings = Vec::new();
    let mut declared: BTreeMap<String, Vec<(PathBuf, usize)>> = BTreeMap::new();
    let paths = tracked(root)?;
    for path in &paths {
        let Ok(text) = std::fs::read_to_string(root.join(path)) else { continue };
        let found = if path.extension().is_some_and(|extension| extension == "rs") {
            let file = source::read(&text).with_context(|| format!("`{}`", path.display()))?;
            // Types of tests and examples share no namespace with the product.
            if path.components().any(|part| part.as_os_str() == "src") {
                for Declaration { line, name } in file.declarations {
                    declared.entry(name).or_default().push((path.clone(), line));
                }
            }
            file.findings
        } else {
            let mut found = prose::markdown(&text);
            let is_for_maintainers = MAINTAINERS.iter().any(|document| path == Path::new(document));
            let named = prose::source_files(&text)
                .filter(|(_, name)| is_for_maintainers && !exists(&paths, name));
            found.extend(named.map(|(line, name)| LintFinding {
                line,
                rule: Rule::MissingFile,
                text: name.to_owned(),
            }));
            found
        };
        findings.extend(
            found
                .into_iter()
                .filter(|finding| !EXCEPTIONS.iter().any(|it| excepts(it, path, finding)))
                .map(|finding| (path.clone(), finding)),
        );
    }
    for (name, places) in declared.into_iter().filter(|(_, places)| places.len() > 1) {
        findings.extend(places.into_iter().map(|(path, line)| {
            (path, LintFinding { line, rule: Rule::ReusedType, text: name.clone() })
        }));
    }
    findings.sort_by(|(path, a), (other, b)| (path, a.line).cmp(&(other, b.line)));
    Ok(findings)
}

fn excepts((file, rule): &(&str, Rule), path: &Path, finding: &LintFinding) -> bool {
    path == Path::new(file) && finding.rule == *rule
}

/// Returns true if a path ends with the name of a file as a document gives it: `gate.rs`,
/// `remember/gate.rs`.
fn exists(paths: &[PathBuf], name: &str) -> bool {
    paths.iter().any(|path| path.ends_with(name.trim_start_matches("./")))
}

/// Returns the Rust sources and the documents that git tracks, but not transcripts and fixtures,
/// which quote what others wrote.
fn tracked(root: &Path) -> Result<Vec<PathBuf>> {
    let output = std::process::Command::new("git")
        .args(["ls-files", "-z", "--", "*.rs", "*.md"])
        .current_dir(root)
        .output()
        .context("cannot run git")?;
    if !output.status.success() {
        bail!("`{}` is not a git checkout", root.display());
    }
    let listed = String::from_utf8(output.stdout).context("git listed a path that is not UTF-8")?;
    let quotes = |path: &str| {
        path.split('/').any(|part| ["corpus", "fixtures"].contains(&part))
            || path.contains("/tests/cmd/")
    };
    Ok(listed
        .split('\0')
        .filter(|path| !path.is_empty() && !quotes(path))
        .map(PathBuf::from)
        .collect())
}
