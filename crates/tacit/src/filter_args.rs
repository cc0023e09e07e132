//! The flags that say which memories are meant, the same in every command that takes them.

use clap::Args;
use tacit_app::graph::CodeTarget;
use tacit_app::human_time;
use tacit_app::{AppError, AppResult, did_you_mean};
use tacit_core::{BuiltinType, Confidence, Problem, SymbolRef};
use tacit_store::{Filter, WorkUnitFilter};

use crate::app::App;

/// Which memories are meant.
#[derive(Debug, Args, Default)]
pub(crate) struct FilterArgs {
    #[arg(
        long = "type",
        short = 't',
        value_name = "TYPE",
        help_heading = "Filters",
        help = format!("Only of this type: {} (repeat for several)", BuiltinType::CHOICE_WORDS)
    )]
    types: Vec<String>,
    /// Only with this tag (repeat for all of several).
    #[arg(long = "tag", value_name = "TAG", help_heading = "Filters")]
    tags: Vec<String>,
    /// Only about this file, directory or symbol (repeat for several).
    #[arg(long = "file", short = 'f', value_name = "PATH[::SYMBOL]", help_heading = "Filters")]
    files: Vec<String>,
    /// Only about this module (repeat for several).
    #[arg(long = "module", value_name = "NAME", help_heading = "Filters")]
    modules: Vec<String>,
    /// Only from this source (repeat for several).
    #[arg(long = "source", value_name = "SOURCE", help_heading = "Filters")]
    sources: Vec<String>,
    /// Only of this scope (repeat for several).
    #[arg(long = "scope", value_name = "SCOPE", help_heading = "Filters")]
    scopes: Vec<String>,
    /// Only in this state: active (if not given), retired, archived, or all.
    #[arg(long = "status", value_name = "STATUS", help_heading = "Filters")]
    status: Option<String>,
    /// Only in this review state: none, needed or verified.
    #[arg(long = "review", value_name = "STATE", help_heading = "Filters")]
    review: Option<String>,
    /// Only said or confirmed in this session.
    #[arg(long, value_name = "ID", help_heading = "Filters")]
    session: Option<String>,
    /// Only learnt in this unit of work, outermost entry first, separated by slashes.
    #[arg(long, value_name = "PATH", help_heading = "Filters")]
    work_unit: Option<String>,
    /// Only said by this person.
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    author: Option<String>,
    /// Only this sure: high, medium, low, or a number from 0 to 1.
    #[arg(long, value_name = "CONFIDENCE", help_heading = "Filters")]
    min_confidence: Option<Confidence>,
    /// Only created since: 3d, 2w, 12h, a date or a time.
    #[arg(long, value_name = "WHEN", help_heading = "Filters")]
    since: Option<String>,
    /// Only created before.
    #[arg(long, visible_alias = "before", value_name = "WHEN", help_heading = "Filters")]
    until: Option<String>,
    /// Only about things that are gone, or no longer what they were.
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

    /// The filter, or which flag is wrong.
    pub(crate) fn filter(&self, app: &App) -> AppResult<Filter> {
        let now = app.now();
        let when = |text: &Option<String>| {
            text.as_deref().map(|text| human_time::parse(text, now)).transpose()
        };
        let (mut files, mut symbols) = (Vec::new(), Vec::new());
        for typed in &self.files {
            match CodeTarget::parse(app, typed)? {
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
        })
    }
}

/// A type, with the one that was probably meant if there is no such type.
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

/// A number of memories to show.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("not a whole number above 0".into()),
    }
}

/// A session as it is kept: its name may have held a secret.
fn safe(session: &str) -> String {
    tacit_redact::identifier(session).into_owned()
}
