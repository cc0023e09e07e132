//! The flags that choose memories, shared by all commands that filter.

use clap::Args;
use tacit_app::filter::FilterWords;
use tacit_app::{AppResult, human_time};
use tacit_core::{BuiltinType, Confidence};
use tacit_store::Filter;

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
    /// Only labelled with one of these modules, or about a file in it; `.` is the root.
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
        self.words().is_empty()
    }

    /// Builds the filter; fails if the value of a flag is invalid.
    pub(crate) fn filter(&self, app: &CliApp) -> AppResult<Filter> {
        self.words().filter(app, |name| format!("--{name}"))
    }

    fn words(&self) -> FilterWords {
        FilterWords {
            types: self.types.clone(),
            sources: self.sources.clone(),
            scopes: self.scopes.clone(),
            status: self.status.clone(),
            reviews: self.review.iter().cloned().collect(),
            tags: self.tags.clone(),
            files: self.files.clone(),
            modules: self.modules.clone(),
            sessions: self.session.iter().cloned().collect(),
            work_unit: self.work_unit.clone(),
            methodology: None,
            author: self.author.clone(),
            min_confidence: self.min_confidence,
            since: self.since.clone(),
            until: self.until.clone(),
            stale: self.stale.then_some(true),
        }
    }
}

/// Parses an item of a comma-separated list, without blanks around it.
pub(crate) fn trimmed(text: &str) -> Result<String, std::convert::Infallible> {
    Ok(text.trim().to_owned())
}

/// Parses a number of memories to show.
pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("not a whole number above 0".into()),
    }
}
