//! Infers an undeclared unit of work from the names of the branch and of spec files. No file is
//! read.

use tacit_core::WorkUnitRef;

use crate::definition::Methodology;

/// Branches for all work, which name no unit.
const TRUNKS: [&str; 12] = [
    "main",
    "master",
    "trunk",
    "develop",
    "dev",
    "development",
    "staging",
    "production",
    "release",
    "releases",
    "gh-pages",
    "HEAD",
];

/// Conventional prefixes of branches that name the kind of work.
const WORK_KINDS: [&str; 20] = [
    "feature", "features", "feat", "fix", "bugfix", "bug", "hotfix", "chore", "docs", "refactor",
    "test", "perf", "story", "epic", "task", "spec", "issue", "ticket", "change", "wip",
];

/// Words before a number that only say what is counted.
const COUNT_WORDS: [&str; 8] = ["story", "issue", "issues", "task", "spec", "ticket", "gh", "us"];

/// The layout of a tool's spec files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecLayout {
    /// A directory for each change that is not archived.
    OpenSpec,
    /// A numbered directory for each spec, which stays.
    SpecKit,
    /// A numbered file for each story, which stays.
    Stories,
}

impl SpecLayout {
    /// Directories to search, most specific first.
    pub const DIRECTORIES: [(SpecLayout, &'static str); 4] = [
        (SpecLayout::OpenSpec, "openspec/changes"),
        (SpecLayout::SpecKit, "specs"),
        (SpecLayout::Stories, "docs/stories"),
        (SpecLayout::Stories, "_bmad-output/implementation-artifacts"),
    ];

    /// Returns the unit that an entry of the directory names, or `None` for other entries.
    fn unit_name(self, entry: &str) -> Option<UnitName> {
        match self {
            SpecLayout::OpenSpec => {
                let other = entry == "archive" || entry.starts_with(['.', '_']);
                (!other).then(|| UnitName::Word(entry.to_owned()))
            }
            SpecLayout::SpecKit => match parse_number(entry)? {
                number @ UnitName::Number(_) => Some(number),
                _ => None,
            },
            SpecLayout::Stories => {
                let stem = entry.strip_suffix(".md")?;
                let stem = stem.strip_suffix(".story").unwrap_or(stem);
                parse_dotted(strip_count_word(stem).unwrap_or(stem))
            }
        }
    }
}

/// The entries of a project's spec directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecFiles {
    /// The layout.
    pub layout: SpecLayout,
    /// The directory, relative to the root of the worktree.
    pub directory: &'static str,
    /// The names of the entries.
    pub entries: Vec<String>,
}

/// A name of a unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
enum UnitName {
    /// `1.2`: the second part of the first.
    Dotted(String, String),
    /// `ABC-123`.
    Ticket(String),
    /// `042`.
    Number(String),
    /// Any other name.
    Word(String),
}

/// Returns true for a branch on which all work is done.
pub fn is_trunk(branch: &str) -> bool {
    let first = branch.split('/').next().unwrap_or_default();
    TRUNKS.contains(&branch) || first.starts_with("release")
}

impl Methodology {
    /// Infers the unit of work from the branch and the names of spec files, with a description of
    /// the source.
    pub fn infer(
        &self,
        branch: Option<&str>,
        specs: Option<&SpecFiles>,
    ) -> Option<(WorkUnitRef, String)> {
        let branch = branch.filter(|branch| !is_trunk(branch));
        let unit_name = branch.map(read_branch);
        if let Some(specs) = specs {
            let matches_branch = |entry: &&String| {
                let unit = specs.layout.unit_name(entry);
                unit.is_some()
                    && (unit == unit_name || branch.is_some_and(|b| has_segment(b, entry)))
            };
            let mut open =
                specs.entries.iter().filter(|entry| specs.layout.unit_name(entry).is_some());
            let entry = match specs.entries.iter().find(matches_branch) {
                Some(entry) => Some(entry),
                // A single open change must be the current one; other layouts keep finished specs.
                None if branch.is_none() && specs.layout == SpecLayout::OpenSpec => {
                    open.next().filter(|_| open.next().is_none())
                }
                None => None,
            };
            if let Some(entry) = entry {
                let unit = self.unit_named(&specs.layout.unit_name(entry)?)?;
                return Some((unit, format!("`{}/{entry}`", specs.directory)));
            }
        }
        let unit = self.unit_named(&unit_name?)?;
        Some((unit, format!("the branch `{}`", branch.unwrap_or_default())))
    }

    fn unit_named(&self, unit_name: &UnitName) -> Option<WorkUnitRef> {
        let level = self.branch_level;
        let entries = match unit_name {
            UnitName::Dotted(first, second) => {
                let whole = (level, format!("{first}.{second}"));
                match self.dotted_level {
                    Some(parent) => vec![(parent, first.clone()), whole],
                    None => vec![whole],
                }
            }
            UnitName::Ticket(name) | UnitName::Number(name) | UnitName::Word(name) => {
                vec![(level, name.clone())]
            }
        };
        self.reference(entries).ok()
    }
}

/// Reads the unit that a branch names: a story, a ticket, a number, or the branch itself.
fn read_branch(branch: &str) -> UnitName {
    let segments: Vec<&str> = branch.split('/').collect();
    let last = segments.last().copied().unwrap_or_default();
    let sort = segments.len().checked_sub(2).map(|at| segments[at].to_lowercase());
    let of_story = sort.as_deref() == Some("story");
    if let Some(story) = strip_count_word(last).or(of_story.then_some(last)).and_then(parse_dotted)
    {
        return story;
    }
    // `1.2-name`, but not `1-2-name`, which may mean anything outside of stories.
    if let Some(story @ UnitName::Dotted(..)) = parse_dotted(last)
        && last.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with('.')
    {
        return story;
    }
    if let Some(parse_ticket) = segments.iter().rev().find_map(|segment| parse_ticket(segment)) {
        return parse_ticket;
    }
    if let Some(number) = parse_number(last) {
        return number;
    }
    let first = segments.first().map(|first| first.to_lowercase()).unwrap_or_default();
    let conventional = segments.len() > 1 && WORK_KINDS.contains(&first.as_str());
    UnitName::Word(segments[usize::from(conventional)..].join("-"))
}

/// Parses `1.2`, `1-2` or `1_2`, at the end or before another word.
fn parse_dotted(text: &str) -> Option<UnitName> {
    let (first, rest) = leading_digits(text)?;
    let rest = rest.strip_prefix(['.', '-', '_'])?;
    let (second, rest) = leading_digits(rest)?;
    // `1.2.3` is a version, and `1.2.title` a story with its title.
    let ends = rest.is_empty()
        || (rest.starts_with(['-', '_', '.'])
            && !rest[1..].starts_with(|c: char| c.is_ascii_digit()));
    ends.then(|| UnitName::Dotted(first.to_owned(), second.to_owned()))
}

/// Parses `ABC-123` as a whole word.
fn parse_ticket(text: &str) -> Option<UnitName> {
    let starts = text.char_indices().filter(|(at, c)| {
        c.is_ascii_uppercase() && !text[..*at].ends_with(|p: char| p.is_ascii_alphanumeric())
    });
    starts.map(|(at, _)| &text[at..]).find_map(|rest| {
        let key = rest.find(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit())?;
        let (number, after) = leading_digits(rest[key..].strip_prefix('-')?)?;
        let whole = (2..=10).contains(&key) && !after.starts_with(|c: char| c.is_alphanumeric());
        whole.then(|| UnitName::Ticket(format!("{}-{number}", &rest[..key])))
    })
}

/// Parses `12-name`, `#12`, `issue-12`.
fn parse_number(text: &str) -> Option<UnitName> {
    let text = strip_count_word(text).unwrap_or(text);
    let (number, rest) = leading_digits(text.strip_prefix('#').unwrap_or(text))?;
    let ends = rest.is_empty() || rest.starts_with(['-', '_']);
    // A date names no unit.
    let date = number.len() == 4 && leading_digits(rest.get(1..).unwrap_or_default()).is_some();
    (ends && !date).then(|| UnitName::Number(number.to_owned()))
}

/// Removes a leading word that only says what is counted.
fn strip_count_word(text: &str) -> Option<&str> {
    let (word, rest) = text.split_once(['-', '_', '.'])?;
    COUNT_WORDS.contains(&word.to_lowercase().as_str()).then_some(rest)
}

/// Splits off up to six leading digits.
fn leading_digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (1..=6).contains(&end).then(|| text.split_at(end))
}

/// Returns true if a segment of the branch equals the entry.
fn has_segment(branch: &str, entry: &str) -> bool {
    branch.split('/').any(|segment| segment == entry)
}
