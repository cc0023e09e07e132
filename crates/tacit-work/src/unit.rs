//! References to units of work: from what somebody types, with the label people see.

use tacit_core::{FieldError, Problem, WorkUnitRef};

use crate::definition::Methodology;

impl Methodology {
    /// The unit that somebody means by `042/3`, from the outermost level to the innermost, or by
    /// `epic=3/story=3.2`, which may leave levels out.
    pub fn unit(&self, typed: &str) -> Result<WorkUnitRef, FieldError> {
        let wrong = |problem| FieldError::new("work unit", problem);
        let mut entries: Vec<(usize, String)> = Vec::new();
        for (at, part) in typed.split('/').enumerate() {
            let (level, entry) = match part.split_once('=') {
                Some((name, entry)) => (self.level(name).map_err(wrong)?, entry),
                None => (at, part),
            };
            if level >= self.levels.len() {
                let names = self.level_names();
                let rule = format!("`{typed}` is deeper than {} goes ({names})", self.name);
                return Err(wrong(Problem::rule(rule)));
            }
            if entries.last().is_some_and(|(above, _)| *above >= level) {
                let rule = format!("levels are given from the outermost: {}", self.level_names());
                return Err(wrong(Problem::rule(rule)));
            }
            entries.push((level, entry.trim().to_owned()));
        }
        self.reference(entries).map_err(wrong)
    }

    /// The unit with these entries, from the outermost level on; there may be more of them than
    /// there are levels, because references of others are taken as they are.
    pub fn unit_of(&self, hierarchy: Vec<String>) -> Result<WorkUnitRef, Problem> {
        self.reference(hierarchy.into_iter().enumerate().collect())
    }

    pub(crate) fn reference(&self, entries: Vec<(usize, String)>) -> Result<WorkUnitRef, Problem> {
        let label = self.label(&entries);
        let hierarchy = entries.into_iter().map(|(_, entry)| entry).collect();
        WorkUnitRef::new(&self.id, hierarchy, label)
    }

    /// What people see: the labels of the levels that have one; the innermost entry, if none has.
    fn label(&self, entries: &[(usize, String)]) -> String {
        let labels: Vec<String> = entries
            .iter()
            .filter_map(|(level, entry)| {
                let level = self.levels.get(*level)?;
                let label = level.label.as_deref()?;
                Some(label.replacen("{}", &display_entry(&level.name, entry), 1))
            })
            .collect();
        let label = match labels.is_empty() {
            true => entries.last().map(|(_, entry)| entry.clone()).unwrap_or_default(),
            false => labels.join(" / "),
        };
        label.chars().take(200).collect()
    }

    fn level(&self, name: &str) -> Result<usize, Problem> {
        let found = self.levels.iter().position(|level| level.name == name);
        found.ok_or_else(|| {
            Problem::unexpected(name, format!("a level of {} ({})", self.name, self.level_names()))
        })
    }

    fn level_names(&self) -> String {
        let names: Vec<&str> = self.levels.iter().map(|level| level.name.as_str()).collect();
        names.join(", ")
    }
}

/// An entry as it is spoken of on its level: `story_3_2` is `3.2` of the stories.
fn display_entry(level: &str, entry: &str) -> String {
    let own = entry
        .get(..level.len())
        .filter(|start| start.eq_ignore_ascii_case(level))
        .and_then(|_| entry[level.len()..].strip_prefix(['_', '-']))
        .filter(|rest| !rest.is_empty())
        .unwrap_or(entry);
    let chars: Vec<char> = own.chars().collect();
    let digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_digit);
    chars
        .iter()
        .enumerate()
        .map(|(at, c)| if *c == '_' && at > 0 && digit(at - 1) && digit(at + 1) { '.' } else { *c })
        .collect()
}
