//! Finds the changed lines that explain why a finding disappeared.

use std::collections::BTreeSet;

use tacit_core::{FileRole, LineChange, RepoPath};

use super::failures::{TrackedEdit, leaf_name};
use crate::code_lines::{LineHunk, differ_in_values, has_word, identifiers, is_code, line_hunks};
use crate::files::role;
use crate::findings::Finding;
use crate::text::{MAX_QUOTE, one_line};

/// The relevance of a quoted name, of another name of code, and of a word in the name of a test.
const QUOTED: u32 = 3;
const NAMED: u32 = 2;
const MENTIONED: u32 = 1;
/// The relevance of a line that the checker printed.
const PRINTED: u32 = 4;
/// The relevance of a change from which it explains a finding.
pub(super) const TELLING: u32 = 2;
/// The relevance of the file in which a finding is, or which it names.
const SAME_FILE: u32 = 3;
/// The relevance of a file in the same directory.
const SAME_DIRECTORY: u32 = 1;
/// Maximum number of lines on one side of a hunk that one of its lines can stand for.
const MAX_HUNK: usize = 12;
/// Maximum number of changed lines in the file of a finding of which any tells the change.
const SMALL_CHANGE: usize = 8;
/// Maximum number of lines that are read around a change.
const MAX_CONTEXT: usize = 20;
/// Number of lines below the place of a finding that can show the code.
const SOURCE_LINES: usize = 3;
/// Number of lines below the place of a finding in which its line is searched by its number.
const FRAME_LINES: usize = 8;
/// Maximum number of added lines that are told together.
const JOINED_LINES: usize = 3;
/// Minimum length of a line that is recognised in an output.
const MIN_PRINTED: usize = 8;

/// A change that explains the end of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToldChange {
    pub(super) file: RepoPath,
    pub(super) change: LineChange,
    /// The relevance of the lines to the finding.
    pub(super) relevance: u32,
}

/// Names in a finding, with their relevance.
struct FindingNames {
    names: Vec<(String, u32)>,
}

impl FindingNames {
    fn read(finding: &Finding) -> FindingNames {
        let mut names: Vec<(String, u32)> = Vec::new();
        let mut add = |name: &str, weight: u32| {
            let name = name.trim();
            let known = names.iter().any(|(known, _)| known == name);
            if name.chars().count() > 2 && name.len() <= 80 && !known {
                names.push((name.to_owned(), weight));
            }
        };
        for quoted in quoted_parts(&finding.message) {
            add(quoted, QUOTED);
            // The last part of `package.Name` and `module::name` may stand alone in the code.
            if !quoted.contains(' ') {
                add(quoted.rsplit(['.', ':', '/']).next().unwrap_or(quoted), QUOTED);
            }
        }
        for word in identifiers(&finding.message).filter(|word| is_name(word)) {
            add(word, NAMED);
        }
        let test = finding.test.as_deref().map(leaf_name).unwrap_or_default();
        for word in name_words(test).into_iter().chain(name_words(&finding.message)) {
            add(&word, MENTIONED);
        }
        FindingNames { names }
    }

    /// Returns the relevance of a few lines around a change that hold a name of the finding.
    fn context(&self, text: &str) -> u32 {
        let named = |(name, weight): &(String, u32)| *weight >= NAMED && has_word(text, name);
        let near = text.lines().take(MAX_CONTEXT + 1).count() <= MAX_CONTEXT;
        if near && self.names.iter().any(named) { NAMED } else { 0 }
    }

    /// Returns the relevance of a line.
    fn relevance(&self, line: &str) -> u32 {
        let lower = line.to_lowercase();
        let known = |(name, weight): &(String, u32)| {
            let found =
                if *weight == MENTIONED { lower.contains(name) } else { has_word(line, name) };
            if found { *weight } else { 0 }
        };
        self.names.iter().map(known).sum()
    }
}

/// Returns the parts of a message in quotes or backticks.
pub(super) fn quoted_parts(message: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = message;
    while let Some(at) = rest.find(['`', '\'', '"', '“', '‘']) {
        let open = rest[at..].chars().next().unwrap_or('`');
        let close = match open {
            '“' => '”',
            '‘' => '’',
            same => same,
        };
        let apostrophe =
            open == '\'' && rest[..at].chars().next_back().is_some_and(char::is_alphanumeric);
        let inner = &rest[at + open.len_utf8()..];
        let end = inner.find(close).filter(|_| !apostrophe);
        rest = match end {
            Some(end) => {
                parts.push(&inner[..end]);
                &inner[end + close.len_utf8()..]
            }
            None => inner,
        };
    }
    parts
}

/// Returns true if a word is a name of code rather than of the language: it has an underscore, a
/// capital inside, or digits.
pub(super) fn is_name(word: &str) -> bool {
    let inner = word.chars().skip(1);
    word.len() > 3
        && (word.contains('_')
            || (inner.clone().any(char::is_uppercase) && inner.clone().any(char::is_lowercase)))
}

/// Returns the words of a name or a message that can name its subject, in lower case.
fn name_words(text: &str) -> Vec<String> {
    const FILLERS: [&str; 30] = [
        "test", "tests", "should", "with", "without", "when", "returns", "from", "that", "does",
        "into", "case", "works", "valid", "expected", "failed", "error", "errors", "value",
        "found", "return", "returned", "cannot", "invalid", "string", "output", "contain",
        "missing", "status", "false",
    ];
    let mut words = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        if (c.is_uppercase() && before.is_lowercase()) || !c.is_alphanumeric() {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    words.retain(|word| word.chars().count() > 4 && !FILLERS.contains(&word.as_str()));
    words
}

/// Returns true if a path of the project is the file that a checker prints, which may be relative
/// to any directory.
pub(super) fn is_printed_file(file: &RepoPath, printed: &str) -> bool {
    let printed = printed.trim_start_matches("./").trim_start_matches("../");
    let file = file.as_str();
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    !printed.is_empty() && (ends(file, printed) || ends(printed, file))
}

/// Returns the name of a file without its extension and the marks of a test.
fn subject_stem(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let stem = name.split('.').next().unwrap_or(name);
    let stem = stem.strip_suffix("_test").or_else(|| stem.strip_prefix("test_")).unwrap_or(stem);
    let stem = stem.strip_suffix("_spec").or_else(|| stem.strip_suffix("Test")).unwrap_or(stem);
    stem.strip_suffix("Tests").or_else(|| stem.strip_suffix("Spec")).unwrap_or(stem).to_lowercase()
}

/// Returns how closely a file is related to a finding.
fn file_relevance(file: &RepoPath, finding: &Finding) -> u32 {
    let Some(printed) = finding.file.as_deref() else { return 0 };
    let printed_path = printed.trim_start_matches("./");
    let directory = |path: &str| path.rsplit_once('/').map(|(dir, _)| dir.to_owned());
    if is_printed_file(file, printed) || subject_stem(file.as_str()) == subject_stem(printed) {
        SAME_FILE
    } else if directory(file.as_str())
        .is_some_and(|dir| directory(printed_path).as_ref() == Some(&dir))
    {
        SAME_DIRECTORY
    } else {
        0
    }
}

/// Returns true if an edit can be what fixed a finding: documentation fixes nothing.
pub(super) fn can_fix(file: &RepoPath) -> bool {
    role(file) != FileRole::Docs
}

/// Returns the lines of an edit that differ and are code.
fn code_hunks<'e>(file: &RepoPath, edit: &'e TrackedEdit<'_>) -> Vec<LineHunk<'e>> {
    if edit.edit.whole_file {
        return Vec::new();
    }
    let in_test = role(file) == FileRole::Test;
    line_hunks(&edit.edit.old, &edit.edit.new)
        .into_iter()
        .map(|mut hunk| {
            hunk.removed.retain(|line| is_code(file.as_str(), line));
            hunk.added.retain(|line| is_code(file.as_str(), line));
            hunk
        })
        .filter(|hunk| !hunk.removed.is_empty() || !hunk.added.is_empty())
        // A changed value in a test is not a fix.
        .filter(|hunk| !(in_test && changes_values_only(hunk)))
        .collect()
}

fn changes_values_only(hunk: &LineHunk<'_>) -> bool {
    hunk.removed.len() == hunk.added.len()
        && hunk.removed.iter().zip(&hunk.added).all(|(old, new)| differ_in_values(old, new))
}

/// Returns true if some edit changes code, other than values in tests.
pub(super) fn changes_code(edits: &[&TrackedEdit<'_>]) -> bool {
    edits
        .iter()
        .filter(|edit| can_fix(&edit.file))
        .any(|edit| edit.edit.whole_file || !code_hunks(&edit.file, edit).is_empty())
}

/// Returns the change that explains the end of a finding: the one whose lines share the most names
/// with it or were printed with it, in the file that it is about. Returns `None` if no line tells.
pub(super) fn told_change(
    finding: &Finding,
    output: &str,
    edits: &[&TrackedEdit<'_>],
) -> Option<ToldChange> {
    let names = FindingNames::read(finding);
    let printed = printed_source(finding, output);
    let relevance =
        |line: &str| names.relevance(line) + if printed.contains(line) { PRINTED } else { 0 };
    let mut best: Option<(u32, ToldChange)> = None;
    // Changed lines in the file of the finding.
    let mut lines_in_file = 0;
    let mut hunks = 0;
    for edit in edits.iter().filter(|edit| can_fix(&edit.file)) {
        let place = file_relevance(&edit.file, finding);
        let context = names.context(&edit.edit.old);
        for hunk in code_hunks(&edit.file, edit) {
            hunks += 1;
            if place == SAME_FILE {
                lines_in_file += hunk.removed.len() + hunk.added.len();
            }
            let Some((change, lines)) = telling_lines(&hunk, relevance) else { continue };
            let lines = lines + context;
            let score = lines * 2 + place;
            // Of two equal changes the last one ended the finding.
            if best.as_ref().is_none_or(|(most, _)| score >= *most) {
                let file = (*edit.file).clone();
                best = Some((score, ToldChange { file, change, relevance: lines }));
            }
        }
    }
    let (_, told) = best?;
    let in_file = file_relevance(&told.file, finding) == SAME_FILE;
    // If several places were changed and none has a name of the finding, none of them tells more.
    let small = in_file && lines_in_file <= SMALL_CHANGE && (hunks == 1 || told.relevance > 0);
    // The only change at all is the one that ended it, if it is about the setup.
    let setup = hunks == 1 && edits.len() == 1 && role(&told.file) == FileRole::Config;
    (told.relevance >= TELLING || small || setup).then_some(told)
}

/// Returns the lines of code that a checker prints below the place of a finding.
fn printed_source<'o>(finding: &Finding, output: &'o str) -> BTreeSet<&'o str> {
    let place = match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => return BTreeSet::new(),
    };
    let mut below = output.lines().skip_while(|line| !line.contains(&place)).skip(1);
    let frame: Vec<&str> = below.by_ref().take(FRAME_LINES).collect();
    let own = |line: &&&str| frame_number(line).is_some_and(|number| Some(number) == finding.line);
    // In a frame with numbers only the line of the finding counts.
    let lines = match frame.iter().find(own) {
        Some(line) => vec![*line],
        None => frame.into_iter().take(SOURCE_LINES).collect(),
    };
    lines.into_iter().map(source_line).filter(|line| line.len() >= MIN_PRINTED).collect()
}

/// Reads the number of a line in a frame: `12 | x`, `> 12 | x`.
fn frame_number(line: &str) -> Option<u32> {
    let (number, _) = line.split_once(['|', '│'])?;
    number.trim().trim_start_matches('>').trim().parse().ok()
}

/// Strips what checkers print around a line of code: `12 | x`, `> x`, `[task] x`.
fn source_line(line: &str) -> &str {
    let mut line = line.trim();
    if let Some(rest) = line.strip_prefix('[')
        && let Some((_, rest)) = rest.split_once("] ")
    {
        line = rest.trim();
    }
    line = line.strip_prefix('>').map_or(line, str::trim);
    if let Some((number, rest)) = line.split_once(['|', '│'])
        && number.trim().chars().all(|c| c.is_ascii_digit())
    {
        line = rest.trim();
    }
    line
}

/// Returns the lines that stand for a hunk, and their relevance.
fn telling_lines(
    hunk: &LineHunk<'_>,
    relevance: impl Fn(&str) -> u32,
) -> Option<(LineChange, u32)> {
    let most_relevant = |lines: &[&str]| -> Option<(u32, usize)> {
        let scored = lines.iter().enumerate().map(|(at, line)| (relevance(line), at));
        scored.max_by_key(|(score, at)| (*score, std::cmp::Reverse(*at)))
    };
    let (removed, added) = (most_relevant(&hunk.removed), most_relevant(&hunk.added));
    let score = removed.map_or(0, |(score, _)| score).max(added.map_or(0, |(score, _)| score));
    let long = hunk.removed.len().max(hunk.added.len()) > MAX_HUNK;
    if long && score < TELLING {
        return None;
    }
    // The more relevant side leads; the other one is the line most like it.
    let old_leads = removed.map_or(0, |(score, _)| score) > added.map_or(0, |(score, _)| score);
    let (old, new) = if old_leads {
        let old = removed.map(|(_, at)| hunk.removed[at]);
        (old, old.and_then(|old| most_alike(old, &hunk.added)))
    } else {
        let new = added.map(|(_, at)| hunk.added[at]);
        let old = match new {
            Some(new) => most_alike(new, &hunk.removed),
            None => removed.map(|(_, at)| hunk.removed[at]),
        };
        (old, new)
    };
    // A few lines that replace one are told together.
    let together =
        !hunk.added.is_empty() && hunk.added.len() <= JOINED_LINES && hunk.removed.len() <= 1;
    let new = if together { Some(hunk.added.join(" ")) } else { new.map(str::to_owned) };
    let quote = |line: &str| one_line(line, MAX_QUOTE);
    let change = LineChange { removed: old.map(quote), added: new.as_deref().map(quote) };
    // A change after the point where both are cut is not told.
    (change.removed != change.added).then_some((change, score))
}

/// Returns the line that shares half of the identifiers with another one, or the only line.
fn most_alike<'a>(line: &str, others: &[&'a str]) -> Option<&'a str> {
    let known: BTreeSet<&str> = identifiers(line).collect();
    let shared = |other: &str| identifiers(other).filter(|word| known.contains(word)).count();
    let best = others.iter().copied().max_by_key(|other| shared(other))?;
    let half = 2 * shared(best) >= known.len().max(identifiers(best).count());
    (others.len() == 1 || half).then_some(best)
}

/// Marks of comments that switch off a rule.
const SUPPRESSIONS: [&str; 14] = [
    "nolint",
    "eslint-disable",
    "noqa",
    "type: ignore",
    "pyright: ignore",
    "pylint: disable",
    "rubocop:disable",
    "@SuppressWarnings",
    "#[allow(",
    "#[expect(",
    "@ts-expect-error",
    "@ts-ignore",
    "NOLINT",
    "biome-ignore",
];

/// Returns the comment by which an edit switches off the rule of a finding, without the reason given.
pub(super) fn suppression(finding: &Finding, edits: &[&TrackedEdit<'_>]) -> Option<String> {
    let rule = finding.rule.as_deref()?;
    edits.iter().find_map(|edit| {
        let file = finding.file.as_deref().unwrap_or_default();
        if !is_printed_file(&edit.file, file) {
            return None;
        }
        let hunks = line_hunks(&edit.edit.old, &edit.edit.new);
        let added = hunks.iter().flat_map(|hunk| &hunk.added);
        added.copied().find_map(|line| suppressing_comment(line, rule))
    })
}

/// Reads `//nolint:rule // why` as `//nolint:rule // reason`.
fn suppressing_comment(line: &str, rule: &str) -> Option<String> {
    let at = SUPPRESSIONS.iter().find_map(|mark| line.find(mark))?;
    if !has_word(&line[at..], rule) {
        return None;
    }
    let signs = line[..at].trim_end().trim_end_matches(['/', '#', '*']).len();
    let comment = line[signs..].trim_start();
    let end = comment.find(rule)? + rule.len();
    let rest = comment[end..].trim_start_matches([']', ')', '"']);
    let closing = &comment[end..comment.len() - rest.len()];
    // A list of several rules is shortened to this one.
    let before = &comment[..end - rule.len()];
    let head = before.rfind([':', ' ', '(', '[']).map_or(before, |at| &before[..=at]);
    let rest = rest.trim_start_matches(|c: char| c == ',' || c.is_alphanumeric()).trim_start();
    let sign = ["// ", "-- ", "# ", ": "].iter().find(|sign| rest.starts_with(**sign));
    let reason = sign.map_or(String::new(), |sign| format!(" {sign}reason"));
    Some(format!("{head}{rule}{closing}{reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_names_are_found() {
        for (message, expected) in [
            ("cannot find `x` in `y`", vec!["x", "y"]),
            ("can't import name 'create_app' from 'x.cli'", vec!["create_app", "x.cli"]),
            ("string \"a b\" is open: “c” and `", vec!["a b", "c"]),
            ("nothing", vec![]),
        ] {
            assert_eq!(quoted_parts(message), expected, "{message}");
        }
    }

    #[test]
    fn printed_files_are_recognised_from_any_directory() {
        let file = RepoPath::new("cmd/cli/reset_test.go").unwrap();
        for (printed, expected) in [
            ("cmd/cli/reset_test.go", true),
            ("reset_test.go", true),
            ("./cli/reset_test.go", true),
            ("/home/me/p/cmd/cli/reset_test.go", true),
            ("../../cmd/cli/reset_test.go", true),
            ("test.go", false),
            ("other/reset_test.go", false),
            ("", false),
        ] {
            assert_eq!(is_printed_file(&file, printed), expected, "{printed}");
        }
    }

    #[test]
    fn suppressions_are_told_without_their_reason() {
        for (line, rule, expected) in [
            (
                "func New() Client { //nolint:ireturn // two implementations",
                "ireturn",
                Some("//nolint:ireturn // reason"),
            ),
            ("//nolint:errcheck,gosec // best effort", "gosec", Some("//nolint:gosec // reason")),
            ("import x  # noqa: E402", "E402", Some("# noqa: E402")),
            (
                "x = f()  # type: ignore[no-any-return]",
                "no-any-return",
                Some("# type: ignore[no-any-return]"),
            ),
            (
                "#[allow(clippy::too_many_arguments)]",
                "too_many_arguments",
                Some("#[allow(clippy::too_many_arguments)]"),
            ),
            (
                "// eslint-disable-next-line no-console -- it is a tool",
                "no-console",
                Some("// eslint-disable-next-line no-console -- reason"),
            ),
            ("return err //nolint:wrapcheck", "errcheck", None),
            ("return wrapcheck(err)", "wrapcheck", None),
        ] {
            assert_eq!(suppressing_comment(line, rule).as_deref(), expected, "{line}");
        }
    }
}
