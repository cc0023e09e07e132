//! A filter as a condition on `memories m`.

use rusqlite::ToSql;
use serde_json::{Value, json};
use tacit_core::RepoPath;
use tacit_store::Filter;

use crate::row::unit_path;

/// Memories of any number of files: a condition with a term for each has a limit.
///
/// '0' follows '/', so that the range is what lies below the directory.
const OF_FILES: &str = "m.seq IN (
    WITH wanted (one) AS (SELECT value FROM json_each(?))
    SELECT memory FROM wanted CROSS JOIN memory_files ON path = one
    UNION SELECT memory FROM wanted CROSS JOIN memory_files ON path > one || '/' AND path < one || '0'
    UNION SELECT memory FROM wanted CROSS JOIN memory_links ON path = one
    UNION SELECT memory FROM wanted CROSS JOIN memory_links ON path > one || '/' AND path < one || '0')";

/// Memories of any number of symbols. '/' follows '.', so that the range is the members.
const OF_SYMBOLS: &str = "m.seq IN (
    WITH wanted (file, one) AS (SELECT value ->> 0, value ->> 1 FROM json_each(?))
    SELECT memory FROM wanted CROSS JOIN memory_links ON path = file AND name = one
    UNION SELECT memory FROM wanted CROSS JOIN memory_links
        ON path = file AND name > one || '.' AND name < one || '/')";

/// A condition and the values of its question marks.
pub(crate) struct Condition {
    terms: Vec<String>,
    values: Vec<Box<dyn ToSql>>,
}

impl Condition {
    /// The condition a filter sets.
    pub(crate) fn of(filter: &Filter) -> Condition {
        let mut condition = Condition { terms: Vec::new(), values: Vec::new() };
        condition.one_of("m.type", filter.types.iter().map(|t| t.as_str().to_owned()));
        condition.one_of("m.source", filter.sources.iter().map(ToString::to_string));
        condition.one_of("m.scope", filter.scopes.iter().map(ToString::to_string));
        condition.one_of("m.status", filter.statuses.iter().map(ToString::to_string));
        condition.one_of("m.review", filter.reviews.iter().map(ToString::to_string));
        condition.one_of("m.author", filter.author.iter().map(ToString::to_string));
        for tag in &filter.tags {
            condition.add(
                "m.seq IN (SELECT memory FROM memory_tags WHERE tag = ?)",
                [tag.as_str().to_owned()],
            );
        }
        if !filter.files.is_empty() {
            let paths: Vec<&str> = filter.files.iter().map(RepoPath::as_str).collect();
            condition.add(OF_FILES, [json!(paths).to_string()]);
        }
        if !filter.symbols.is_empty() {
            let symbols = filter.symbols.iter().map(|symbol| json!([symbol.path(), symbol.name()]));
            condition.add(OF_SYMBOLS, [Value::from_iter(symbols).to_string()]);
        }
        if !filter.modules.is_empty() {
            let marks = vec!["?"; filter.modules.len()].join(",");
            condition.add(
                &format!("m.seq IN (SELECT memory FROM memory_modules WHERE module IN ({marks}))"),
                filter.modules.iter().map(ToString::to_string),
            );
        }
        if !filter.sessions.is_empty() {
            let marks = vec!["?"; filter.sessions.len()].join(",");
            condition.add(
                &format!(
                    "m.seq IN (SELECT memory FROM memory_sessions WHERE session IN ({marks}))"
                ),
                filter.sessions.iter().map(ToString::to_string),
            );
        }
        if let Some(unit) = &filter.work_unit {
            let mut terms = Vec::new();
            let mut values = Vec::new();
            if !unit.hierarchy.is_empty() {
                let first = unit_path(&unit.hierarchy);
                // U+0020 follows U+001F, which ends every entry.
                let last = format!("{} ", first.trim_end_matches('\u{1f}'));
                terms.push("path >= ? AND path < ?");
                values.extend([first, last]);
            }
            if let Some(methodology) = &unit.methodology {
                terms.push("methodology = ?");
                values.push(methodology.clone());
            }
            let terms = if terms.is_empty() { "true".to_owned() } else { terms.join(" AND ") };
            condition
                .add(&format!("m.work_unit IN (SELECT seq FROM work_units WHERE {terms})"), values);
        }
        if let Some(confidence) = filter.min_confidence {
            condition.add("m.confidence >= ?", [confidence.value()]);
        }
        if let Some(since) = filter.since {
            condition.add("m.created_at >= ?", [since.as_millis()]);
        }
        if let Some(until) = filter.until {
            condition.add("m.created_at < ?", [until.as_millis()]);
        }
        match filter.stale {
            Some(true) => condition.terms.push("m.stale_at IS NOT NULL".into()),
            Some(false) => condition.terms.push("m.stale_at IS NULL".into()),
            None => {}
        }
        if let Some(fingerprint) = &filter.fingerprint {
            condition.add("m.fingerprint = ?", [fingerprint.to_string()]);
        }
        condition
    }

    /// The condition; `1` if there is none.
    pub(crate) fn sql(&self) -> String {
        if self.terms.is_empty() { "1".into() } else { self.terms.join(" AND ") }
    }

    /// The values, in the order of the question marks.
    pub(crate) fn parameters(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(AsRef::as_ref).collect()
    }

    fn one_of(&mut self, column: &str, values: impl ExactSizeIterator<Item = String>) {
        if values.len() > 0 {
            let marks = vec!["?"; values.len()].join(",");
            self.add(&format!("{column} IN ({marks})"), values);
        }
    }

    fn add<T: ToSql + 'static>(&mut self, term: &str, values: impl IntoIterator<Item = T>) {
        self.terms.push(format!("({term})"));
        self.values.extend(values.into_iter().map(|value| Box::new(value) as Box<dyn ToSql>));
    }
}
