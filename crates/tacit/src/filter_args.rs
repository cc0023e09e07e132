//! The flags that choose memories, shared by all commands that filter.

use clap::Args;
use tacit_app::graph::CodeTarget;
use tacit_app::human_time;
use tacit_app::{AppError, AppResult, did_you_mean};
use tacit_core::{BuiltinType, Confidence, Problem, SymbolRef};
use tacit_store::{Filter, WorkUnitFilter};

use crate::app::CliApp;

/// Filters for memories. Lists are given by repeating an option, or separated by commas.
#[derive(Debug, Args, Default)]
pub(crate) struct FilterArgs {
    #[arg(
        long = "type",
        short = 't',
        value_name = "TYPE",
        value_delimiter = ',',
        value_parser = trimmed,
        help_heading = "Filters",
        help = format!("Only of these types: {}", BuiltinType::CHOICE_WORDS)
    )]
    types: Vec<String>,
    /// Only with all of these tags.
    #[arg(
        long = "tag",
        value_name = "TAG",
        value_delimiter = ',',
        value_parser = trimmed,
        help_heading = "Filters"
    )]
    tags: Vec<String>,
    /// Only about one of these files, directories or symbols.
    #[arg(long = "file", short = 'f', value_name = "PATH[::SYMBOL]", help_heading = "Filters")]
    files: Vec<String>,
    /// Only about one of these modules.
    #[arg(
        long = "module",
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = trimmed,
        help_heading = "Filters"
    )]
    modules: Vec<String>,
    /// Only from one of these sources.
    #[arg(
        long = "source",
        value_name = "SOURCE",
        value_delimiter = ',',
        value_parser = trimmed,
        help_heading = "Filters"
    )]
    sources: Vec<String>,
    /// Only of one of these scopes.
    #[arg(
        long = "scope",
        value_name = "SCOPE",
        value_delimiter = ',',
        value_parser = trimmed,
        help_heading = "Filters"
    )]
    scopes: Vec<String>,
    /// Only in this state: active (if not given), retired, archived, or all.
    #[arg(long = "status", value_name = "STATUS", help_heading = "Filters")]
    status: Option<String>,
    /// Only in this review state: none, needed or verified.
    #[arg(long = "review", value_name = "STATE", help_heading = "Filters")]
    review: Option<String>,
    /// Only stored or confirmed in this session.
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    session: Option<String>,
    /// Only learnt in this unit of work, outermost entry first, separated by slashes.
    #[arg(long, value_name = "PATH", help_heading = "Filters")]
    work_unit: Option<String>,
    /// Only by this author.
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    author: Option<String>,
    /// Only with at least this confidence: high, medium, low, or a number from 0 to 1.
    #[arg(long, value_name = "CONFIDENCE", help_heading = "Filters")]
    min_confidence: Option<Confidence>,
    #[arg(
        long,
        value_name = "WHEN",
        help_heading = "Filters",
        help = format!("Only created since: {}", human_time::FORMS)
    )]
    since: Option<String>,
    /// Only created before; a day or a month stands for its beginning.
    #[arg(long, visible_alias = "before", value_name = "WHEN", help_heading = "Filters")]
    until: Option<String>,
    /// Only stale: about code that has changed or is gone.
    #[arg(long, help_heading = "Filters")]
    stale: bool,
}

impl FilterArgs {
    /// Returns true if no filter was given: every memory would match.
    pub(crate) fn is_empty(&self) -> bool {
        let lists =
            [&self.types, &self.tags, &self.files, &self.modules, &self.sources, &self.scopes];
        let texts = [
            &self.status,
            &self.review,
            &self.session,
            &self.work_unit,
            &self.author,
            &self.since,
            &self.until,
        ];
        lists.iter().all(|list| list.is_empty())
            && texts.iter().all(|text| text.is_none())
            && self.min_confidence.is_none()
            && !self.stale
    }

    /// Builds the filter; fails if the value of a flag is invalid.
    pub(crate) fn filter(&self, app: &CliApp) -> AppResult<Filter> {
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
        Ok(Filter {
            types: self.types.iter().map(|text| memory_type(text)).collect::<AppResult<_>>()?,
            sources: words("--source", &self.sources)?,
            scopes: words("--scope", &self.scopes)?,
            statuses: match self.status.as_deref().unwrap_or("active") {
                "all" => Vec::new(),
                one => words("--status", &[one.to_owned()])
                    .map_err(|error| error.hint("`all` shows memories in every state"))?,
            },
            reviews: words("--review", self.review.as_slice())?,
            tags: words("--tag", &self.tags)?,
            files,
            symbols,
            modules: words("--module", &self.modules)?,
            sessions: words("--session", self.session.as_deref().map(safe).as_slice())?,
            work_unit: self.work_unit.as_ref().map(|path| WorkUnitFilter {
                methodology: None,
                hierarchy: path.split('/').map(str::to_owned).collect(),
            }),
            author: words("--author", self.author.as_slice())?.pop(),
            min_confidence: self.min_confidence,
            since: when(&self.since)?,
            until: when(&self.until)?,
            stale: self.stale.then_some(true),
            fingerprint: None,
            statistics: false,
        })
    }
}

/// Parses a type; the error suggests similar ones.
pub(crate) fn memory_type(text: &str) -> AppResult<tacit_core::MemoryType> {
    text.parse().map_err(|problem: Problem| {
        let words = BuiltinType::ALL.iter().map(|kind| kind.as_str());
        AppError::usage(format!("--type {problem}")).hint(did_you_mean(text, words))
    })
}

fn words<T: std::str::FromStr<Err = Problem>>(flag: &str, texts: &[String]) -> AppResult<Vec<T>> {
    texts
        .iter()
        .map(|text| text.parse().map_err(|problem| AppError::usage(format!("{flag} {problem}"))))
        .collect()
}

/// Parses an item of a comma-separated list, without blanks around it.
pub(crate) fn trimmed(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.trim().to_owned())
}

/// Splits lists of paths at their commas. A path that is there stays whole, comma or not.
pub(crate) fn split_paths(app: &CliApp, typed: &[String]) -> Vec<String> {
    let is_there = |text: &str| app.directory.join(text).exists();
    let parts = typed.iter().flat_map(|text| match text.contains(',') && !is_there(text) {
        true => text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect(),
        false => vec![text.as_str()],
    });
    parts.map(str::to_owned).collect()
}

/// Parses a number of memories to show.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("not a whole number above 0".into()),
    }
}

/// Redacts a session name as the store does, so that it matches the stored one.
fn safe(session: &str) -> String {
    tacit_redact::identifier(session).into_owned()
}
