//! The unit of work that nobody declared, told by the name of the branch and by spec files. Names
//! alone are looked at: no file is read.

use tacit_core::WorkUnitRef;

use crate::definition::Methodology;

/// Branches on which everything and so nothing in particular is worked on.
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

/// What branches begin with by convention, saying what sort of work it is and not which.
const WORK_KINDS: [&str; 20] = [
    "feature", "features", "feat", "fix", "bugfix", "bug", "hotfix", "chore", "docs", "refactor",
    "test", "perf", "story", "epic", "task", "spec", "issue", "ticket", "change", "wip",
];

/// Words before a number that only say what is counted.
const COUNT_WORDS: [&str; 8] = ["story", "issue", "issues", "task", "spec", "ticket", "gh", "us"];

/// Where a tool keeps its spec files, and how it names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecLayout {
    /// A directory for each change that is not archived.
    OpenSpec,
    /// A directory for each spec, numbered; they stay.
    SpecKit,
    /// A file for each story, numbered; they stay.
    Stories,
}

impl SpecLayout {
    /// Every directory that is looked for, the surest first.
    pub const DIRECTORIES: [(SpecLayout, &'static str); 4] = [
        (SpecLayout::OpenSpec, "openspec/changes"),
        (SpecLayout::SpecKit, "specs"),
        (SpecLayout::Stories, "docs/stories"),
        (SpecLayout::Stories, "_bmad-output/implementation-artifacts"),
    ];

    /// What an entry of the directory is called as a unit of work; none if it is something else.
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

/// The entries of the directory in which a project keeps its specs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecFiles {
    /// How they are named.
    pub layout: SpecLayout,
    /// The directory, from the root of the worktree.
    pub directory: &'static str,
    /// The names of its entries.
    pub entries: Vec<String>,
}

/// What a name names.
#[derive(Debug, Clone, PartialEq, Eq)]
enum UnitName {
    /// `1.2`: the second part of the first.
    Dotted(String, String),
    /// `ABC-123`.
    Ticket(String),
    /// `042`.
    Number(String),
    /// Only itself.
    Word(String),
}

/// Whether everything is worked on on this branch.
pub fn is_trunk(branch: &str) -> bool {
    let first = branch.split('/').next().unwrap_or_default();
    TRUNKS.contains(&branch) || first.starts_with("release")
}

impl Methodology {
    /// The unit of work that a branch and the names of spec files tell, if they tell one; and, in
    /// words, what told it.
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
                // Nothing else is being changed; specs that stay when they are done tell nothing.
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

/// What a branch names: a story, a ticket, a number, or only itself.
fn read_branch(branch: &str) -> UnitName {
    let segments: Vec<&str> = branch.split('/').collect();
    let last = segments.last().copied().unwrap_or_default();
    let sort = segments.len().checked_sub(2).map(|at| segments[at].to_lowercase());
    let of_story = sort.as_deref() == Some("story");
    if let Some(story) = strip_count_word(last).or(of_story.then_some(last)).and_then(parse_dotted)
    {
        return story;
    }
    // `1.2-name`, but not `1-2-name`, which may be anything where no story is spoken of.
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

/// `1.2`, `1-2` or `1_2`, at the end or before another word.
fn parse_dotted(text: &str) -> Option<UnitName> {
    let (first, rest) = leading_digits(text)?;
    let rest = rest.strip_prefix(['.', '-', '_'])?;
    let (second, rest) = leading_digits(rest)?;
    // `1.2.3` is a version and no story, and `1.2.title` a story with its title.
    let ends = rest.is_empty()
        || (rest.starts_with(['-', '_', '.'])
            && !rest[1..].starts_with(|c: char| c.is_ascii_digit()));
    ends.then(|| UnitName::Dotted(first.to_owned(), second.to_owned()))
}

/// `ABC-123` as a word of its own.
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

/// `12-name`, `#12`, `issue-12`.
fn parse_number(text: &str) -> Option<UnitName> {
    let text = strip_count_word(text).unwrap_or(text);
    let (number, rest) = leading_digits(text.strip_prefix('#').unwrap_or(text))?;
    let ends = rest.is_empty() || rest.starts_with(['-', '_']);
    // A date tells when, not what.
    let date = number.len() == 4 && leading_digits(rest.get(1..).unwrap_or_default()).is_some();
    (ends && !date).then(|| UnitName::Number(number.to_owned()))
}

/// What follows a word that only says what is counted.
fn strip_count_word(text: &str) -> Option<&str> {
    let (word, rest) = text.split_once(['-', '_', '.'])?;
    COUNT_WORDS.contains(&word.to_lowercase().as_str()).then_some(rest)
}

/// Up to six digits, and what follows them.
fn leading_digits(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (1..=6).contains(&end).then(|| text.split_at(end))
}

/// Whether a branch is called like an entry, or like it in one of its segments.
fn has_segment(branch: &str, entry: &str) -> bool {
    branch.split('/').any(|segment| segment == entry)
}
