//! Merges the index entry by entry. It is generated from the records, so remaining differences
//! disappear the next time.

use std::collections::{BTreeMap, BTreeSet};

use crate::category::RecordCategory;
use crate::text::{IndexForm, arrow_path, index_of_lines};

/// Merges two indexes: keeps additions and removals of both sides.
pub fn merge_index(base: &str, ours: &str, theirs: &str) -> String {
    let form = IndexForm::of(ours);
    let (base, ours, theirs) = (entries(base), entries(ours), entries(theirs));
    let keys: BTreeSet<_> = ours.keys().chain(theirs.keys()).copied().collect();
    let mut lines: BTreeMap<RecordCategory, Vec<&str>> = BTreeMap::new();
    for key in keys {
        let (before, our, their) = (base.get(&key), ours.get(&key), theirs.get(&key));
        let line = if before == our { their } else { our };
        if let Some(line) = line {
            lines.entry(key.0).or_default().push(line);
        }
    }
    index_of_lines(&lines, form)
}

/// Returns the lines of an index by record.
fn entries(text: &str) -> BTreeMap<(RecordCategory, &str), &str> {
    text.lines()
        .filter_map(|line| {
            let link = || {
                let mut ends = line.match_indices("](");
                let target = ends.find(|(at, _)| !line[..*at].ends_with('\\'))?.0;
                Some(line[target + 2..].split_once(')')?.0)
            };
            let path = line.strip_prefix("- [").and_then(|_| arrow_path(line).or_else(link))?;
            let (folder, name) = path.split_once('/')?;
            let category = RecordCategory::of_folder(folder)?;
            Some(((category, name.strip_suffix(".json")?), line))
        })
        .collect()
}
