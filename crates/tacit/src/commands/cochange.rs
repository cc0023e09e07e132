//! `tacit cochange`

use serde_json::{Value, json};
use tacit_app::cochange::ask;
use tacit_app::{AppError, AppResult, Code};
use tacit_codebase::history::{History, Partner, Reason, UsedTogether};
use tacit_core::RepoPath;
use tacit_engine::{StoreAccess, StoreScope};

use crate::app::App;
use crate::commands::count;
use crate::filter_args::at_least_one;
use crate::render::visible_line;

/// How many files that sessions used together with it are looked at.
const USED: usize = 50;
/// What is less likely than this would be told as 0 %.
const LEAST: f64 = 0.005;

/// Which files change when a file does.
///
/// Told from the commits that can be reached from HEAD, from sessions of agents, and from what
/// imports, names and directories say before there are any. docs/cochange.md has the method.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit cochange src/pool.rs
  tacit cochange src/pool.rs --limit 3 --json")]
pub(crate) struct Cochange {
    /// A file that was committed.
    file: String,
    /// How many files to list.
    #[arg(long, short = 'n', value_name = "COUNT", default_value = "10", value_parser = at_least_one)]
    limit: usize,
}

/// What there is to tell.
struct Answer {
    /// What the file is called now.
    path: String,
    commits: usize,
    partners: Vec<(String, Partner, Vec<String>)>,
}

impl Cochange {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let asked = app.repo_path(&self.file)?;
        let used = used_with(app, &asked)?;
        let answer = ask(app, |history, estimator| {
            let file = history.names.owner(asked.as_str()).ok_or_else(|| never(&asked))?;
            let path = history.names.path(file).ok_or_else(|| gone(&asked))?.to_owned();
            let id = |(path, both, share): &(RepoPath, u32, f64)| {
                let file = history.names.find(path.as_str())?;
                Some(UsedTogether { file, both: *both, share: *share })
            };
            let used: Vec<UsedTogether> = used.iter().filter_map(id).collect();
            let touched = history.commits.iter().filter(|past| past.touched(file));
            let partners = estimator.partners(file, &used, self.limit).into_iter();
            let told = partners.filter(|partner| partner.probability >= LEAST);
            let named = told.filter_map(|partner| {
                let path = history.names.path(partner.file)?.to_owned();
                let words = partner.reasons.iter().map(|reason| word(*reason, history)).collect();
                Some((path, partner, words))
            });
            Ok(Answer { path, commits: touched.count(), partners: named.collect() })
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
        Ok(())
    }
}

impl Answer {
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

/// What sessions showed, if there is a memory of any.
fn used_with(app: &App, file: &RepoPath) -> AppResult<Vec<(RepoPath, u32, f64)>> {
    if !app.places.database(StoreScope::Project).exists() {
        return Ok(Vec::new());
    }
    let used = app.engine(StoreAccess::Read(StoreScope::Project))?.co_used_files(file, USED)?;
    Ok(used.into_iter().map(|(other, tie)| (other, tie.sessions, tie.weight)).collect())
}

fn word(reason: Reason, history: &History) -> String {
    match reason {
        Reason::Together { both, of } => {
            format!("both in {both} of its {}", count(of as usize, "commit", "commits"))
        }
        Reason::Sessions { both } => {
            format!("used together in {}", count(both as usize, "session", "sessions"))
        }
        Reason::Import { importers: 1 } => "one imports the other, and nobody else does".to_owned(),
        Reason::Import { importers } => format!("one imports the other, as {importers} files do"),
        Reason::Stem => "same subject by name".to_owned(),
        Reason::Directory => "same directory".to_owned(),
        Reason::Through(file) => {
            format!(
                "both change with {}",
                visible_line(history.names.path(file).unwrap_or("a file"))
            )
        }
        Reason::Busy { commits } => {
            format!("in {commits} of all {}", count(history.commits.len(), "commit", "commits"))
        }
    }
}

fn never(path: &RepoPath) -> AppError {
    AppError::new(Code::NotFound, format!("`{path}` is in no commit that HEAD can reach"))
        .hint("name a file that was committed")
}

fn gone(path: &RepoPath) -> AppError {
    AppError::new(Code::NotFound, format!("`{path}` was deleted")).hint("name a file that is there")
}
