//! The values of a memory, each with its limits.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::words::{checked_text, word_enum};
use crate::field::{LengthUnit, Problem};
use crate::text::clean::is_stray_control;

checked_text! {
    /// A one-line heading of at most 120 characters.
    Title, |text| line(text, 120)
}
checked_text! {
    /// The text of a memory, at most 8 KiB.
    Content, |text| block(text, 8 * 1024)
}
checked_text! {
    /// A reason or explanation, at most 4 KiB.
    Reasoning, |text| block(text, 4 * 1024)
}
checked_text! {
    /// The short form for inline citations.
    Citation, |text| line(text, 120)
}
checked_text! {
    /// A link to further reading: an address, a ticket, a document.
    Reference, |text| line(text, 500)
}
checked_text! {
    /// The author of a memory or a change.
    Author, |text| line(text, 200)
}
checked_text! {
    /// The author of a memory's wording: `user`, `rules`, or the name of a model.
    Generator, |text| line(text, 200)
}
checked_text! {
    /// A module of the code base.
    Module, |text| line(text, 200)
}
checked_text! {
    /// A node of the code graph.
    NodeRef, |text| line(text, 500)
}
checked_text! {
    /// A symbol of the code as `path::name`, such as `src/pool.rs::Pool.close`.
    SymbolRef, |text| symbol_ref(&text)
}
checked_text! {
    /// An agent client's identifier of a session.
    SessionId, |text| word(text, 128, "a session id: 1 to 128 characters without spaces")
}
checked_text! {
    /// A git commit: 7 to 64 lower-case hexadecimal digits.
    CommitSha, |text| {
        let text = text.to_ascii_lowercase();
        let fits = (7..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
        if fits { Ok(text) } else {
            Err(Problem::unexpected(&text, "a commit id: 7 to 64 hexadecimal digits"))
        }
    }
}
checked_text! {
    /// The fingerprint of an error: 16 lower-case hexadecimal digits.
    FingerprintDigest, |text| {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 16 && text.bytes().all(is_digit) { Ok(text) } else {
            Err(Problem::unexpected(&text, "a fingerprint: 16 hexadecimal digits"))
        }
    }
}
checked_text! {
    /// A lower-case label of at most 64 characters without spaces or commas.
    Tag, |text| {
        let text = text.to_lowercase();
        if text.contains(',') {
            return Err(Problem::unexpected(&text, "one tag: separate tags with spaces"));
        }
        word(text, 64, "a tag: 1 to 64 characters without spaces, such as `hot-topic`")
    }
}
checked_text! {
    /// A path inside the project, relative to its root, with forward slashes.
    RepoPath, repo_path
}

word_enum! {
    /// The source of a memory.
    Source, "a source" {
        /// An agent asked to remember it.
        AgentExplicit = "agent_explicit",
        /// The observer inferred it from behaviour.
        ObserverInferred = "observer_inferred",
        /// Taken from a QA report.
        QaAuto = "qa_auto",
        /// Taken from the answer of an MCP tool.
        McpAuto = "mcp_auto",
        /// Taken from a commit.
        CommitAuto = "commit_auto",
        /// A person stated it.
        UserTaught = "user_taught",
        /// Imported from a file or from another tool's store.
        Imported = "imported",
        /// Follows a file of the project, such as a record, a decision or the workflow of CI.
        File = "file",
        /// Concluded from the commits of the project.
        GitHistory = "git_history",
    }
}

impl Source {
    /// Returns true if the source only claims it: an agent, a file or a commit message. Repeating a
    /// claim proves nothing, because a repository can make every agent that reads it repeat the
    /// claim.
    pub fn is_claim(self) -> bool {
        matches!(self, Source::AgentExplicit | Source::Imported | Source::File | Source::GitHistory)
    }
}

word_enum! {
    /// The six phases to which every methodology maps its own.
    UniversalPhase, "a phase" {
        /// Planning, specifying and writing failing tests.
        Define = "define",
        /// Writing the code.
        Implement = "implement",
        /// Reviewing and testing.
        Validate = "validate",
        /// Refactoring, cleaning up, fixing what validation found.
        Refine = "refine",
        /// Research and discovery.
        Explore = "explore",
        /// Retrospectives and lessons learned.
        Reflect = "reflect",
    }
}

/// A confidence from 0 to 1, rounded to six decimals so that it is the same in every store and
/// file.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(f64);

impl Confidence {
    /// The value of the word `high`.
    pub const HIGH: Confidence = Confidence(1.0);
    /// The value of the word `medium`.
    pub const MEDIUM: Confidence = Confidence(0.67);
    /// The value of the word `low`.
    pub const LOW: Confidence = Confidence(0.33);

    /// Checks that the value is between 0 and 1.
    pub fn new(value: f64) -> Result<Confidence, Problem> {
        if (0.0..=1.0).contains(&value) {
            // Adding zero turns -0.0 into 0.0, so that equal values have equal bits.
            Ok(Confidence((value * 1e6).round() / 1e6 + 0.0))
        } else {
            Err(Problem::unexpected(&value.to_string(), "a confidence between 0 and 1"))
        }
    }

    /// Returns the number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Returns the larger of the two.
    pub fn max(self, other: Confidence) -> Confidence {
        if other.0 > self.0 { other } else { self }
    }
}

impl std::str::FromStr for Confidence {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Confidence, Problem> {
        match text {
            "high" => Ok(Confidence::HIGH),
            "medium" => Ok(Confidence::MEDIUM),
            "low" => Ok(Confidence::LOW),
            _ => text.parse::<f64>().ok().and_then(|value| Confidence::new(value).ok()).ok_or_else(
                || {
                    Problem::unexpected(
                        text,
                        "a confidence: high, medium, low, or a number between 0 and 1",
                    )
                },
            ),
        }
    }
}

impl TryFrom<f64> for Confidence {
    type Error = Problem;

    fn try_from(value: f64) -> Result<Confidence, Problem> {
        Confidence::new(value)
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> f64 {
        confidence.0
    }
}

/// The number of days in which the weight of a memory halves.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct HalfLife(f64);

impl HalfLife {
    /// Checks that the number of days is above 0 and at most 36500.
    pub fn from_days(days: f64) -> Result<HalfLife, Problem> {
        if days > 0.0 && days <= 36_500.0 {
            Ok(HalfLife(days))
        } else {
            Err(Problem::unexpected(
                &days.to_string(),
                "a half-life: more than 0 and at most 36500 days",
            ))
        }
    }

    /// Returns the number of days.
    pub fn days(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for HalfLife {
    type Error = Problem;

    fn try_from(days: f64) -> Result<HalfLife, Problem> {
        HalfLife::from_days(days)
    }
}

impl From<HalfLife> for f64 {
    fn from(half_life: HalfLife) -> f64 {
        half_life.0
    }
}

/// A sorted set of at most `MAX` values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    try_from = "Vec<T>",
    bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de> + Ord")
)]
pub struct BoundedSet<T, const MAX: usize>(BTreeSet<T>);

impl<T, const MAX: usize> Default for BoundedSet<T, MAX> {
    fn default() -> Self {
        BoundedSet(BTreeSet::new())
    }
}

impl<T: Ord, const MAX: usize> BoundedSet<T, MAX> {
    /// The most values the set can have.
    pub const LIMIT: usize = MAX;

    /// Collects distinct values. Fails above the limit.
    pub fn collect(values: impl IntoIterator<Item = T>) -> Result<Self, Problem> {
        let values: BTreeSet<T> = values.into_iter().collect();
        if values.len() > MAX {
            return Err(Problem::TooMany { max: MAX, actual: values.len() });
        }
        Ok(BoundedSet(values))
    }

    /// Iterates over the values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        self.0.iter()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the set contains `value`.
    pub fn contains(&self, value: &T) -> bool {
        self.0.contains(value)
    }
}

impl<T: Ord + Clone, const MAX: usize> BoundedSet<T, MAX> {
    /// Adds as many of the other values as fit. Returns the rest.
    pub fn merged(&self, others: &Self) -> (Self, Vec<T>) {
        let mut merged = self.0.clone();
        let mut left_out = Vec::new();
        for value in &others.0 {
            if merged.len() < MAX || merged.contains(value) {
                merged.insert(value.clone());
            } else {
                left_out.push(value.clone());
            }
        }
        (BoundedSet(merged), left_out)
    }
}

impl<T: Ord, const MAX: usize> TryFrom<Vec<T>> for BoundedSet<T, MAX> {
    type Error = Problem;

    fn try_from(values: Vec<T>) -> Result<Self, Problem> {
        BoundedSet::collect(values)
    }
}

impl Reference {
    /// Returns the file of a place such as `CLAUDE.md:12` or `CLAUDE.md#Build`; the whole text of any
    /// other reference.
    pub fn file(&self) -> &str {
        let file = self.as_str().split('#').next().unwrap_or_default();
        match file.rsplit_once(':') {
            Some((before, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => before,
            _ => file,
        }
    }
}

/// The tags of a memory.
pub type Tags = BoundedSet<Tag, 12>;
/// The files a memory is about.
pub type Files = BoundedSet<RepoPath, 64>;
/// The symbols that a memory's author named.
pub type Symbols = BoundedSet<SymbolRef, 32>;
/// The modules a memory is about.
pub type Modules = BoundedSet<Module, 64>;
/// The links of a memory to further reading.
pub type References = BoundedSet<Reference, 32>;
/// The sessions that confirmed a memory.
pub type Sessions = BoundedSet<SessionId, 256>;

/// Checks a single line: not empty, no control characters, at most `max` characters.
pub(crate) fn line(text: String, max: usize) -> Result<String, Problem> {
    let text = trimmed(text)?;
    if text.contains(['\n', '\t']) {
        return Err(Problem::unexpected(&text, "one line of text"));
    }
    let actual = text.chars().count();
    if actual > max {
        return Err(Problem::TooLong { max, actual, unit: LengthUnit::Characters });
    }
    Ok(text)
}

/// Checks a multi-line text of at most `max` bytes.
fn block(text: String, max: usize) -> Result<String, Problem> {
    let text = trimmed(text)?;
    if text.len() > max {
        return Err(Problem::TooLong { max, actual: text.len(), unit: LengthUnit::Bytes });
    }
    Ok(text)
}

/// Checks a single word without white space.
fn word(text: String, max: usize, expected: &str) -> Result<String, Problem> {
    let fits = !text.is_empty()
        && text.chars().count() <= max
        && !text.chars().any(|c| c.is_whitespace() || c.is_control());
    if fits { Ok(text) } else { Err(Problem::unexpected(&text, expected)) }
}

fn trimmed(mut text: String) -> Result<String, Problem> {
    if let Some(stray) = text.chars().find(|&c| is_stray_control(c)) {
        return Err(Problem::rule(format!("contains the control character {stray:?}")));
    }
    let end = text.trim_end().len();
    text.truncate(end);
    let start = text.len() - text.trim_start().len();
    text.drain(..start);
    if text.is_empty() { Err(Problem::Empty) } else { Ok(text) }
}

/// Checks a path inside the project. A folder may be written with a slash at its end.
fn repo_path(mut text: String) -> Result<String, Problem> {
    const MAX: usize = 1024;
    if text.len() > 1 && text.ends_with('/') {
        text.pop();
    }
    let wrong = |why: &str| Err(Problem::unexpected(&text, why));
    if text.is_empty() {
        return Err(Problem::Empty);
    }
    if text.len() > MAX {
        return Err(Problem::TooLong { max: MAX, actual: text.len(), unit: LengthUnit::Bytes });
    }
    if text.chars().any(char::is_control) {
        return wrong("a path without control characters");
    }
    if text.starts_with('/') || text.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return wrong("a plain path relative to the project's root, such as `src/main.rs`");
    }
    Ok(text)
}

/// Checks a path and the name of a symbol in it, outer names first.
fn symbol_ref(text: &str) -> Result<String, Problem> {
    const MAX: usize = 200;
    let expected = "a symbol as `path::name`, such as `src/pool.rs::Pool.close`";
    let Some((path, name)) = text.split_once("::") else {
        return Err(Problem::unexpected(text, expected));
    };
    let name = name.trim_end_matches("()").replace("::", ".");
    let fits = !name.is_empty()
        && name.chars().count() <= MAX
        && !name.chars().any(|c| c.is_whitespace() || c.is_control() || c == '`')
        && name.split('.').all(|part| !part.is_empty());
    if !fits {
        return Err(Problem::unexpected(text, expected));
    }
    Ok(format!("{}::{name}", repo_path(path.to_owned())?))
}

impl SymbolRef {
    /// Creates a reference from a file and a name.
    pub fn of(path: &str, name: &str) -> Result<SymbolRef, Problem> {
        SymbolRef::new(format!("{path}::{name}"))
    }

    /// Returns the file that defines the symbol.
    pub fn path(&self) -> RepoPath {
        let path = self.0.split_once("::").map_or(self.0.as_str(), |(path, _)| path);
        RepoPath(path.to_owned())
    }

    /// Returns the qualified name, such as `Pool.close`.
    pub fn name(&self) -> &str {
        self.0.split_once("::").map_or("", |(_, name)| name)
    }

    /// Returns the same symbol in another file.
    #[must_use]
    pub fn moved(&self, to: &RepoPath) -> SymbolRef {
        SymbolRef(format!("{to}::{}", self.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_lines_and_sections_name_a_file() {
        for (text, file) in [
            ("CLAUDE.md", "CLAUDE.md"),
            ("docs/CLAUDE.md:12", "docs/CLAUDE.md"),
            ("CLAUDE.md#Build / Tests", "CLAUDE.md"),
            ("src/a.rs:name", "src/a.rs:name"),
            ("https://example.org/a", "https://example.org/a"),
        ] {
            assert_eq!(Reference::new(text).unwrap().file(), file, "{text}");
        }
    }

    #[test]
    fn limits_are_enforced_at_the_boundary() {
        assert!(Title::new("x".repeat(120)).is_ok());
        assert_eq!(
            Title::new("é".repeat(121)).unwrap_err().to_string(),
            "is 121 characters long; the limit is 120"
        );
        assert!(Content::new("x".repeat(8192)).is_ok());
        assert_eq!(
            Content::new("x".repeat(8193)).unwrap_err().to_string(),
            "is 8193 bytes long; the limit is 8192"
        );
        let tags = |n: usize| Tags::collect((0..n).map(|i| Tag::new(format!("t{i}")).unwrap()));
        assert!(tags(12).is_ok());
        assert_eq!(tags(13), Err(Problem::TooMany { max: 12, actual: 13 }));
    }

    #[test]
    fn text_is_trimmed_and_never_empty() {
        assert_eq!(Content::new("  a\n b \n").unwrap().as_str(), "a\n b");
        assert_eq!(Content::new(" \n "), Err(Problem::Empty));
        assert!(Content::new("a\0b").is_err());
        assert!(Title::new("two\nlines").is_err());
    }

    #[test]
    fn paths_stay_inside_the_project() {
        for good in ["src/main.rs", "a", "a b/ü.txt", ".github/x"] {
            assert!(RepoPath::new(good).is_ok(), "{good}");
        }
        assert_eq!(RepoPath::new("tasks/").map(|path| path.to_string()), Ok("tasks".to_owned()));
        for bad in ["", "/", "/etc/passwd", "../x", "a/../b", "a//b", "a//", "./a", "a\0", "a\nb"] {
            assert!(RepoPath::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn symbols_consist_of_a_path_and_a_name() {
        for (text, path, name) in [
            ("src/pool.rs::Pool.close", "src/pool.rs", "Pool.close"),
            ("src/pool.rs::Pool::close()", "src/pool.rs", "Pool.close"),
            ("a b/ü.py::run", "a b/ü.py", "run"),
        ] {
            let symbol = SymbolRef::new(text).unwrap();
            assert_eq!((symbol.path().as_str(), symbol.name()), (path, name), "{text}");
            assert_eq!(SymbolRef::new(symbol.as_str()).unwrap(), symbol, "{text}");
        }
        for bad in ["", "src/a.rs", "src/a.rs::", "::a", "../a::b", "a::b c", "a::b..c", "a::`b`"] {
            assert!(SymbolRef::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn confidence_parses_words_and_numbers() {
        for (text, value) in [("high", 1.0), ("medium", 0.67), ("low", 0.33), ("0.5", 0.5)] {
            assert_eq!(text.parse::<Confidence>().unwrap().value(), value);
        }
        for wrong in ["", "huge", "1.1", "-0.1", "NaN", "inf"] {
            assert!(wrong.parse::<Confidence>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn merging_reports_what_does_not_fit() {
        let first = BoundedSet::<u8, 3>::collect([1, 2]).unwrap();
        let second = BoundedSet::<u8, 3>::collect([2, 3, 4]).unwrap();
        let (merged, left_out) = first.merged(&second);
        assert_eq!(merged.iter().copied().collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(left_out, [4]);
    }
}
