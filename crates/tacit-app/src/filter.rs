//! Filters for memories as words: what people write in flags and addresses.

use tacit_core::{BuiltinType, Confidence, MemoryType, Problem, SymbolRef};
use tacit_store::{Filter, WorkUnitFilter};

use crate::app::App;
use crate::error::{AppError, AppResult, did_you_mean};
use crate::graph::CodeTarget;
use crate::human_time;
use crate::module_map::module_filters;

/// The conditions of a filter, unchecked. Empty ones do not count.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(missing_docs, reason = "each field is the filter's field of the same name")]
pub struct FilterWords {
    pub types: Vec<String>,
    pub sources: Vec<String>,
    pub scopes: Vec<String>,
    /// Active if not given; `all` for every state.
    pub status: Option<String>,
    pub reviews: Vec<String>,
    pub tags: Vec<String>,
    /// Files, directories, or `path::symbol`; relative to the current directory.
    pub files: Vec<String>,
    /// Labels, or the directories of modules; `.` is the root.
    pub modules: Vec<String>,
    pub sessions: Vec<String>,
    /// The entries of the hierarchy, separated by slashes.
    pub work_unit: Option<String>,
    pub methodology: Option<String>,
    pub author: Option<String>,
    pub min_confidence: Option<Confidence>,
    pub since: Option<String>,
    pub until: Option<String>,
    pub stale: Option<bool>,
}

impl FilterWords {
    /// Returns true if every memory would match.
    pub fn is_empty(&self) -> bool {
        *self == FilterWords::default()
    }

    /// Checks the words. `name` is how the door calls a condition, for errors: `--type`.
    pub fn filter(&self, app: &App, name: impl Fn(&str) -> String) -> AppResult<Filter> {
        let now = app.now();
        let when = |text: &Option<String>| {
            text.as_deref().map(|text| human_time::parse(text, now)).transpose()
        };
        let (mut files, mut symbols) = (Vec::new(), Vec::new());
        for typed in split_paths(app, &self.files) {
            match CodeTarget::parse(app, &typed)? {
                CodeTarget { path, symbol: Some(name) } => {
                    symbols.push(SymbolRef::of(path.as_str(), &name)?);
                }
                CodeTarget { path, symbol: None } => files.push(path),
            }
        }
        let is_unit = self.work_unit.is_some() || self.methodology.is_some();
        let hierarchy = |path: &String| path.split('/').map(str::to_owned).collect();
        let sessions: Vec<String> = self.sessions.iter().map(|session| safe(session)).collect();
        let types = self.types.iter().map(|text| memory_type(&name("type"), text));
        Ok(Filter {
            types: types.collect::<AppResult<_>>()?,
            sources: words(&name("source"), &self.sources)?,
            scopes: words(&name("scope"), &self.scopes)?,
            statuses: match self.status.as_deref().unwrap_or("active") {
                "all" => Vec::new(),
                one => words(&name("status"), &[one.to_owned()])
                    .map_err(|error| error.hint("`all` shows memories in every state"))?,
            },
            reviews: words(&name("review"), &self.reviews)?,
            tags: words(&name("tag"), &self.tags)?,
            files,
            symbols,
            modules: module_filters(app, words(&name("module"), &self.modules)?)?,
            sessions: words(&name("session"), &sessions)?,
            work_unit: is_unit.then(|| WorkUnitFilter {
                methodology: self.methodology.clone(),
                hierarchy: self.work_unit.as_ref().map(hierarchy).unwrap_or_default(),
            }),
            author: words(&name("author"), self.author.as_slice())?.pop(),
            min_confidence: self.min_confidence,
            since: when(&self.since)?,
            until: when(&self.until)?,
            stale: self.stale,
            fingerprint: None,
            statistics: false,
        })
    }
}

/// Parses a type; the error suggests similar ones. `name` is how the door calls it.
pub fn memory_type(name: &str, text: &str) -> AppResult<MemoryType> {
    text.parse().map_err(|problem: Problem| {
        let words = BuiltinType::ALL.iter().map(|kind| kind.as_str());
        AppError::usage(format!("{name} {problem}")).hint(did_you_mean(text, words))
    })
}

/// Splits lists of paths at their commas. A path that is there stays whole, comma or not.
pub fn split_paths(app: &App, typed: &[String]) -> Vec<String> {
    let is_there = |text: &str| app.directory.join(text).exists();
    let parts = typed.iter().flat_map(|text| match text.contains(',') && !is_there(text) {
        true => text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect(),
        false => vec![text.as_str()],
    });
    parts.map(str::to_owned).collect()
}

fn words<T: std::str::FromStr<Err = Problem>>(name: &str, texts: &[String]) -> AppResult<Vec<T>> {
    texts
        .iter()
        .map(|text| text.parse().map_err(|problem| AppError::usage(format!("{name} {problem}"))))
        .collect()
}

/// Redacts a session name as the store does, so that it matches the stored one.
fn safe(session: &str) -> String {
    tacit_redact::identifier(session).into_owned()
}
