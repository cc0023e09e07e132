//! Translation of filters to SQL conditions on `memories m`.

use tacit_core::{BuiltinType, Confidence, Source, Timestamp};
use tacit_store::Filter;
use tokio_postgres::types::{ToSql, Type};

use crate::connection::Parameter;
use crate::row::{UNIT_END, unit_path};
use crate::text::to_stored;

/// A condition and its parameters. `$1` is the project.
#[derive(Debug)]
pub(crate) struct ProjectCondition {
    terms: Vec<String>,
    values: Vec<(Box<dyn ToSql + Sync>, Type)>,
}

impl ProjectCondition {
    /// Builds the condition that a row of the alias belongs to a project.
    pub(crate) fn in_project(alias: &str, project: i64) -> ProjectCondition {
        ProjectCondition {
            terms: vec![format!("{alias}.project = $1")],
            values: vec![(Box::new(project), Type::INT8)],
        }
    }

    /// Builds the condition of a filter.
    pub(crate) fn of(project: i64, filter: &Filter) -> ProjectCondition {
        let mut condition = ProjectCondition::in_project("m", project);
        condition.one_of("m.type", &filter.types);
        condition.one_of("m.source", &filter.sources);
        condition.one_of("m.scope", &filter.scopes);
        condition.one_of("m.status", &filter.statuses);
        condition.one_of("m.review", &filter.reviews);
        condition.one_of("m.author", filter.author.as_slice());
        for tag in &filter.tags {
            condition.marked("tag", std::slice::from_ref(tag));
        }
        condition.about_files(filter);
        condition.about_symbols(filter);
        condition.in_modules(filter);
        condition.marked("session", &filter.sessions);
        condition.in_unit(filter);
        condition.given(
            "m.confidence >=",
            filter.min_confidence.map(Confidence::value),
            Type::FLOAT8,
        );
        condition.given("m.created_at >=", filter.since.map(Timestamp::as_millis), Type::INT8);
        condition.given("m.created_at <", filter.until.map(Timestamp::as_millis), Type::INT8);
        match filter.stale {
            Some(true) => condition.term("m.stale_at IS NOT NULL"),
            Some(false) => condition.term("m.stale_at IS NULL"),
            None => {}
        }
        if !filter.statistics && filter.types.is_empty() {
            let types =
                BuiltinType::STATISTICS.map(|kind| format!("'{}'", kind.as_str())).join(",");
            let source = Source::ObserverInferred;
            condition.term(format!("NOT (m.source = '{source}' AND m.type IN ({types}))"));
        }
        let fingerprint = filter.fingerprint.as_ref().map(ToString::to_string);
        condition.given("m.fingerprint =", fingerprint, Type::TEXT);
        condition
    }

    /// Adds a parameter. Returns its placeholder.
    pub(crate) fn parameter<T: ToSql + Sync + 'static>(&mut self, value: T, kind: Type) -> String {
        self.values.push((Box::new(value), kind));
        format!("${}", self.values.len())
    }

    /// Adds a term.
    pub(crate) fn term(&mut self, term: impl Into<String>) {
        self.terms.push(term.into());
    }

    /// Adds a comparison if there is a value to compare with.
    pub(crate) fn given<T: ToSql + Sync + 'static>(
        &mut self,
        comparison: &str,
        value: Option<T>,
        kind: Type,
    ) {
        if let Some(value) = value {
            let place = self.parameter(value, kind);
            self.term(format!("{comparison} {place}"));
        }
    }

    /// Adds the term that a column is one of these texts, unless there are none.
    pub(crate) fn one_of<T: ToString>(&mut self, column: &str, values: &[T]) {
        if !values.is_empty() {
            let texts = self.parameter(texts(values), Type::TEXT_ARRAY);
            self.term(format!("{column} = ANY({texts})"));
        }
    }

    /// Returns the SQL.
    pub(crate) fn sql(&self) -> String {
        self.terms.join(" AND ")
    }

    /// Returns the parameters in order.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        self.values.iter().map(|(value, kind)| (value.as_ref(), kind.clone())).collect()
    }

    /// Adds the term that a memory has one of these marks, unless there are none.
    fn marked<T: ToString>(&mut self, kind: &str, values: &[T]) {
        if !values.is_empty() {
            let texts = self.parameter(texts(values), Type::TEXT_ARRAY);
            self.term(format!(
                "m.seq IN (SELECT k.seq FROM memory_marks k
                 WHERE k.project = $1 AND k.kind = '{kind}' AND k.value = ANY({texts}))"
            ));
        }
    }

    /// Adds the term that a memory is about one of the files, or a file in one of these folders.
    ///
    /// The bounds of a folder are parameters: an expression in their place would keep row-level security
    /// from using the index.
    fn about_files(&mut self, filter: &Filter) {
        if filter.files.is_empty() {
            return;
        }
        let paths = texts(&filter.files);
        // '0' follows '/', so the range has everything below the folder.
        let [first, last] = ["/", "0"].map(|end| with_end(&paths, end));
        let paths = self.parameter(paths, Type::TEXT_ARRAY);
        let first = self.parameter(first, Type::TEXT_ARRAY);
        let last = self.parameter(last, Type::TEXT_ARRAY);
        let folders = format!("unnest({first}, {last}) AS w (first, last)");
        self.term(format!(
            "m.seq IN (
                 SELECT k.seq FROM memory_marks k
                 WHERE k.project = $1 AND k.kind = 'file' AND k.value = ANY({paths})
                 UNION ALL SELECT k.seq FROM {folders} JOIN memory_marks k
                 ON k.project = $1 AND k.kind = 'file' AND k.value > w.first AND k.value < w.last
                 UNION ALL SELECT l.seq FROM memory_links l
                 WHERE l.project = $1 AND l.path = ANY({paths})
                 UNION ALL SELECT l.seq FROM {folders} JOIN memory_links l
                 ON l.project = $1 AND l.path > w.first AND l.path < w.last)"
        ));
    }

    /// Adds the term that a memory belongs to one of the modules: by its label, or by a range of its paths.
    fn in_modules(&mut self, filter: &Filter) {
        if filter.modules.is_empty() {
            return;
        }
        let labels: Vec<&str> = filter.modules.iter().map(|it| it.label.as_str()).collect();
        let ranges = || filter.modules.iter().flat_map(|module| &module.paths);
        let first: Vec<&str> = ranges().map(|range| range.first.as_str()).collect();
        let end: Vec<&str> = ranges().map(|range| range.end.as_str()).collect();
        let labels = self.parameter(texts(&labels), Type::TEXT_ARRAY);
        let first = self.parameter(texts(&first), Type::TEXT_ARRAY);
        let end = self.parameter(texts(&end), Type::TEXT_ARRAY);
        self.term(format!(
            "m.seq IN (
                 SELECT k.seq FROM memory_marks k
                 WHERE k.project = $1 AND k.kind = 'module' AND k.value = ANY({labels})
                 UNION ALL SELECT k.seq FROM unnest({first}, {end}) AS w (first, last)
                 JOIN memory_marks k ON k.project = $1 AND k.kind = 'file'
                     AND k.value >= w.first AND k.value < w.last)"
        ));
    }

    /// Adds the term that a memory is about one of the symbols, or a member of one.
    fn about_symbols(&mut self, filter: &Filter) {
        if filter.symbols.is_empty() {
            return;
        }
        let paths: Vec<String> =
            filter.symbols.iter().map(|s| to_stored(s.path().as_str()).into_owned()).collect();
        let names: Vec<String> =
            filter.symbols.iter().map(|s| to_stored(s.name()).into_owned()).collect();
        // '/' follows '.', so the range has the members.
        let [first, last] = [".", "/"].map(|end| with_end(&names, end));
        let paths = self.parameter(paths, Type::TEXT_ARRAY);
        let names = self.parameter(names, Type::TEXT_ARRAY);
        let first = self.parameter(first, Type::TEXT_ARRAY);
        let last = self.parameter(last, Type::TEXT_ARRAY);
        self.term(format!(
            "m.seq IN (
                 SELECT l.seq FROM unnest({paths}, {names}) AS w (path, name)
                 JOIN memory_links l ON l.project = $1 AND l.path = w.path AND l.name = w.name
                 UNION ALL SELECT l.seq FROM unnest({paths}, {first}, {last}) AS w (path, first, last)
                 JOIN memory_links l ON l.project = $1 AND l.path = w.path
                     AND l.name > w.first AND l.name < w.last)"
        ));
    }

    fn in_unit(&mut self, filter: &Filter) {
        let Some(unit) = &filter.work_unit else { return };
        self.term("m.unit_path IS NOT NULL");
        if !unit.hierarchy.is_empty() {
            let first = unit_path(&unit.hierarchy);
            // U+0020 follows U+001F, which ends every entry.
            let last = format!("{} ", first.trim_end_matches(UNIT_END));
            self.given("m.unit_path >=", Some(first), Type::TEXT);
            self.given("m.unit_path <", Some(last), Type::TEXT);
        }
        let methodology = unit.methodology.as_deref().map(|text| to_stored(text).into_owned());
        self.given("m.methodology =", methodology, Type::TEXT);
    }
}

fn texts<T: ToString>(values: &[T]) -> Vec<String> {
    values.iter().map(|value| to_stored(&value.to_string()).into_owned()).collect()
}

fn with_end(texts: &[String], end: &str) -> Vec<String> {
    texts.iter().map(|text| format!("{text}{end}")).collect()
}
