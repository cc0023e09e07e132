//! `tacit code cochange`

use serde_json::{Value, json};
use tacit_app::cochange::query_history;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_codebase::history::{CoChangeReason, History, Partner, SessionCoUse};
use tacit_core::RepoPath;
use tacit_engine::{StoreAccess, StoreScope};

use crate::app::CliApp;
use crate::commands::{count, footer};
use crate::filter_args::at_least_one;
use crate::render::visible_line;

/// Number of files used in the same sessions that are considered.
const USED: usize = 50;
/// Lowest probability that is not printed as 0 %.
const LEAST: f64 = 0.005;

/// List the files that change together with a file.
///
/// Learnt from the commits that HEAD can reach and from sessions of agents; before there are any,
/// from imports, names and directories. docs/cochange.md explains the method.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code cochange src/pool.rs
  tacit code cochange src/pool.rs --limit 3 --json")]
pub(crate) struct CochangeArgs {
    /// A committed file.
    file: String,
    /// Number of files to list.
    #[arg(long, short = 'n', value_name = "COUNT", default_value = "10", value_parser = at_least_one)]
    limit: usize,
}

/// The files that change together with one.
struct Partners {
    /// The current path of the file.
    path: String,
    commits: usize,
    /// The number of files that are likely enough, of which `partners` has the first.
    total: usize,
    partners: Vec<(String, Partner, Vec<String>)>,
}

impl CochangeArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let asked = app.repo_path(&self.file)?;
        let used = used_with(app, &asked)?;
        let answer = query_history(app, |history, estimator| {
            let file = history.names.owner(asked.as_str()).ok_or_else(|| never(&asked))?;
            let path = history.names.path(file).ok_or_else(|| gone(&asked))?.to_owned();
            let id = |(path, both, share): &(RepoPath, u32, f64)| {
                let file = history.names.find(path.as_str())?;
                Some(SessionCoUse { file, both: *both, share: *share })
            };
            let used: Vec<SessionCoUse> = used.iter().filter_map(id).collect();
            let touched = history.commits.iter().filter(|past| past.touched(file));
            let mut likely = estimator.partners(file, &used, usize::MAX);
            likely.retain(|partner| partner.probability >= LEAST);
            let total = likely.len();
            let named = likely.into_iter().take(self.limit).filter_map(|partner| {
                let path = history.names.path(partner.file)?.to_owned();
                let words = partner.reasons.iter().map(|reason| word(*reason, history)).collect();
                Some((path, partner, words))
            });
            Ok(Partners { path, commits: touched.count(), total, partners: named.collect() })
        })?;
        if app.json {
            return app.ui.json(&answer.to_json());
        }
        let commits = count(answer.commits, "commit", "commits");
        app.ui.line(format!("{}: changed in {commits}", visible_line(&answer.path)))?;
        for (path, partner, words) in &answer.partners {
            let percent = partner.probability * 100.0;
            app.ui.line(format!(
                "{percent:>4.0}%  {}  {}",
                visible_line(path),
                words.join("; ")
            ))?;
        }
        app.ui.footer(footer(0, answer.partners.len(), answer.total))
    }
}

impl Partners {
    fn to_json(&self) -> Value {
        let partners: Vec<Value> = self
            .partners
            .iter()
            .map(|(path, partner, words)| {
                let rounded = (partner.probability * 1_000.0).round() / 1_000.0;
                json!({"file": path, "probability": rounded, "reasons": words})
            })
            .collect();
        json!({"file": self.path, "commits": self.commits, "partners": partners})
    }
}

/// Returns the files that sessions used together with one, if there is a store.
fn used_with(app: &CliApp, file: &RepoPath) -> AppResult<Vec<(RepoPath, u32, f64)>> {
    if !app.places.database(StoreScope::Project).exists() {
        return Ok(Vec::new());
    }
    let used = app.engine(StoreAccess::Read(StoreScope::Project))?.co_used_files(file, USED)?;
    Ok(used.into_iter().map(|(other, tie)| (other, tie.sessions, tie.weight)).collect())
}

fn word(reason: CoChangeReason, history: &History) -> String {
    match reason {
        CoChangeReason::Commits { both, total } => {
            format!("both in {both} of its {}", count(total as usize, "commit", "commits"))
        }
        CoChangeReason::Sessions { both } => {
            format!("used together in {}", count(both as usize, "session", "sessions"))
        }
        CoChangeReason::Import { importers: 1 } => {
            "one imports the other, as its only importer".to_owned()
        }
        CoChangeReason::Import { importers } => {
            format!("one imports the other, as {importers} files do")
        }
        CoChangeReason::Stem => "same subject by name".to_owned(),
        CoChangeReason::Directory => "same directory".to_owned(),
        CoChangeReason::Through(file) => {
            format!(
                "both change with {}",
                visible_line(history.names.path(file).unwrap_or("a file"))
            )
        }
        CoChangeReason::Busy { commits } => {
            format!("in {commits} of all {}", count(history.commits.len(), "commit", "commits"))
        }
    }
}

fn never(path: &RepoPath) -> AppError {
    AppError::new(ErrorCode::NotFound, format!("`{path}` is in no commit that HEAD can reach"))
        .hint("name a file that was committed")
}

fn gone(path: &RepoPath) -> AppError {
    AppError::new(ErrorCode::NotFound, format!("`{path}` was deleted"))
        .hint("name an existing file")
}
