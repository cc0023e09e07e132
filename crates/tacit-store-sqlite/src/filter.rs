//! Translation of filters to SQL conditions on `memories m`.

use rusqlite::ToSql;
use serde_json::{Value, json};
use tacit_core::{BuiltinType, Confidence, RepoPath, Source, Timestamp};
use tacit_store::Filter;

use crate::row::unit_path;

/// Memories about any number of files: a condition with one term per file has a limit.
///
/// '0' follows '/', so the range covers everything below the directory.
const OF_FILES: &str = "m.seq IN (
    WITH wanted (one) AS (SELECT value FROM json_each(?))
    SELECT memory FROM wanted CROSS JOIN memory_files ON path = one
    UNION SELECT memory FROM wanted CROSS JOIN memory_files ON path > one || '/' AND path < one || '0'
    UNION SELECT memory FROM wanted CROSS JOIN memory_links ON path = one
    UNION SELECT memory FROM wanted CROSS JOIN memory_links ON path > one || '/' AND path < one || '0')";

/// Memories of any number of symbols. '/' follows '.', so the range covers the members.
const OF_SYMBOLS: &str = "m.seq IN (
    WITH wanted (file, one) AS (SELECT value ->> 0, value ->> 1 FROM json_each(?))
    SELECT memory FROM wanted CROSS JOIN memory_links ON path = file AND name = one
    UNION SELECT memory FROM wanted CROSS JOIN memory_links
        ON path = file AND name > one || '.' AND name < one || '/')";

/// Memories of any number of modules: by their labels, and by the ranges of their paths.
const OF_MODULES: &str = "m.seq IN (
    SELECT memory FROM json_each(?) CROSS JOIN memory_modules ON module = value
    UNION SELECT memory FROM (SELECT value ->> 0 AS first, value ->> 1 AS last FROM json_each(?))
        CROSS JOIN memory_files ON path >= first AND path < last)";

/// A condition and its parameters.
#[derive(Default)]
pub(crate) struct Condition {
    terms: Vec<String>,
    values: Vec<Box<dyn ToSql>>,
}

impl Condition {
    /// Builds the condition of a filter.
    pub(crate) fn of(filter: &Filter) -> Condition {
        let mut condition = Condition::default();
        condition.one_of("m.type IN (?)", filter.types.iter());
        condition.one_of("m.source IN (?)", filter.sources.iter());
        condition.one_of("m.scope IN (?)", filter.scopes.iter());
        condition.one_of("m.status IN (?)", filter.statuses.iter());
        condition.one_of("m.review IN (?)", filter.reviews.iter());
        condition.one_of("m.author IN (?)", filter.author.iter());
        for tag in &filter.tags {
            let tagged = "m.seq IN (SELECT memory FROM memory_tags WHERE tag = ?)";
            condition.add(tagged, [tag.to_string()]);
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
            let labels = filter.modules.iter().map(|module| json!(module.label.as_str()));
            let ranges = filter.modules.iter().flat_map(|module| &module.paths);
            let ranges = ranges.map(|range| json!([range.first, range.end]));
            let values = [Value::from_iter(labels), Value::from_iter(ranges)];
            condition.add(OF_MODULES, values.map(|value| value.to_string()));
        }
        let sessions = "m.seq IN (SELECT memory FROM memory_sessions WHERE session IN (?))";
        condition.one_of(sessions, filter.sessions.iter());
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
        condition.given(
            "coalesce(m.derived_confidence, m.confidence) >= ?",
            filter.min_confidence.map(Confidence::value),
        );
        condition.given("m.created_at >= ?", filter.since.map(Timestamp::as_millis));
        condition.given("m.created_at < ?", filter.until.map(Timestamp::as_millis));
        match filter.stale {
            Some(true) => condition.terms.push("m.stale_at IS NOT NULL".into()),
            Some(false) => condition.terms.push("m.stale_at IS NULL".into()),
            None => {}
        }
        if !filter.statistics && filter.types.is_empty() {
            let types =
                BuiltinType::STATISTICS.map(|kind| format!("'{}'", kind.as_str())).join(",");
            let source = Source::ObserverInferred;
            condition.terms.push(format!("NOT (m.source = '{source}' AND m.type IN ({types}))"));
        }
        condition.given("m.fingerprint = ?", filter.fingerprint.as_ref().map(ToString::to_string));
        condition
    }

    /// Returns the SQL; `1` if there are no terms.
    pub(crate) fn sql(&self) -> String {
        if self.terms.is_empty() { "1".into() } else { self.terms.join(" AND ") }
    }

    /// Returns the parameters in order.
    pub(crate) fn parameters(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(AsRef::as_ref).collect()
    }

    /// Adds a term in which `(?)` stands for a list, unless there are no values.
    pub(crate) fn one_of<T: ToString>(
        &mut self,
        term: &str,
        values: impl ExactSizeIterator<Item = T>,
    ) {
        if values.len() > 0 {
            let marks = vec!["?"; values.len()].join(",");
            let term = term.replace("(?)", &format!("({marks})"));
            self.add(&term, values.map(|value| value.to_string()));
        }
    }

    /// Adds the parameter of a `LIMIT` after the condition.
    pub(crate) fn limit(&mut self, limit: usize) {
        self.values.push(Box::new(i64::try_from(limit).unwrap_or(i64::MAX)));
    }

    /// Adds a term if there is a value for it.
    pub(crate) fn given<T: ToSql + 'static>(&mut self, term: &str, value: Option<T>) {
        if value.is_some() {
            self.add(term, value);
        }
    }

    pub(crate) fn add<T: ToSql + 'static>(
        &mut self,
        term: &str,
        values: impl IntoIterator<Item = T>,
    ) {
        self.terms.push(format!("({term})"));
        self.values.extend(values.into_iter().map(|value| Box::new(value) as Box<dyn ToSql>));
    }
}
