//! `cargo xtask eval cochange`: scores the prediction of files that change together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use tacit_codebase::history::{
    BULK_COMMIT_FILES, EstimateWeights, Estimator, History, LoggedCommit, Structure, TrackedFileId,
    parse_log,
};
use tacit_codebase::{Codebase, RefreshOptions, import_pairs};

use super::name;
use crate::table::{Align, Table};
use crate::workspace::run;

/// Number of predicted files to score.
const TOP: usize = 10;

/// Score co-change: learn from the older commits of a repository, predict the newer ones.
///
/// The split is by time. For each newer commit that touches at least two files that existed at the
/// split, each file is given and the others must be predicted. Imports are those of the source at
/// the split. Later changes are unknown.
#[derive(Debug, clap::Args)]
pub(crate) struct Cochange {
    /// Repositories to evaluate.
    #[arg(value_name = "REPO", required = true)]
    pub(crate) repositories: Vec<PathBuf>,
    /// Percentage of commits to learn from.
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u32).range(10..=95))]
    pub(crate) learn: u32,
}

/// A file, and the files that changed with it, which must be predicted.
struct Question {
    file: TrackedFileId,
    others: BTreeSet<TrackedFileId>,
}

impl Cochange {
    pub(crate) fn run(self) -> Result<()> {
        for repository in &self.repositories {
            self.one(repository)
                .with_context(|| format!("evaluating `{}`", repository.display()))?;
        }
        Ok(())
    }

    fn one(&self, repository: &Path) -> Result<()> {
        let repository = repository.canonicalize()?;
        let commits = read(&repository)?;
        let mut times: Vec<i64> = commits.iter().map(|commit| commit.at).collect();
        times.sort_unstable();
        let Some(split) = times.get(times.len() * self.learn as usize / 100).copied() else {
            bail!("the repository has no commits");
        };
        let (old, new): (Vec<LoggedCommit>, Vec<LoggedCommit>) =
            commits.into_iter().partition(|commit| commit.at < split);
        let history = History::from_commits(&old);
        let Some(last) = old.iter().max_by_key(|commit| commit.at) else {
            bail!("the repository has too few commits");
        };
        let questions = questions(&history, &new);
        let edges = imports_at(&repository, &last.id)?;
        let edges = edges.iter().map(|(from, to)| (from.as_str(), to.as_str()));
        let structure = Structure::new(&history.names, edges.clone());
        println!(
            "{}: {} commits learnt from, {} told, {} questions, {} imports at the split",
            name(&repository),
            old.len(),
            new.len(),
            questions.len(),
            edges.count()
        );
        let full = EstimateWeights::default();
        let counts = EstimateWeights { prior_strength: 0.0, transitive: 0.0, ..full };
        let prior = EstimateWeights { transitive: 0.0, ..full };
        let predict_by_count = predict_by_count(&old);
        let mut table = Table::new([
            ("", Align::Left),
            ("recall@10", Align::Right),
            ("any@10", Align::Right),
            ("× plain", Align::Right),
        ]);
        let base =
            score(&questions, |file| predict_by_count.get(&file).cloned().unwrap_or_default());
        let mut row = |name: &str, (recall, any): (f64, f64)| {
            table.row([
                name.to_owned(),
                format!("{recall:.3}"),
                format!("{any:.3}"),
                format!("{:.2}", recall / base.0.max(f64::MIN_POSITIVE)),
            ]);
        };
        row("plain confidence", base);
        let nothing = Structure::default();
        for (name, structure, weights) in [
            ("counts, damped and aged", &nothing, counts),
            ("with the prior", &structure, prior),
            ("with the prior and third files", &structure, full),
        ] {
            let estimator = Estimator::new(&history, structure, weights);
            let predict =
                |file| estimator.partners(file, &[], TOP).iter().map(|one| one.file).collect();
            row(name, score(&questions, predict));
        }
        println!("{table}");
        Ok(())
    }
}

fn read(repository: &Path) -> Result<Vec<LoggedCommit>> {
    let Some(head) = tacit_git::head_commit(repository)? else {
        bail!("the repository has no commits")
    };
    let ids = tacit_git::list_commits(repository, &head, None)?.context("git knows no commits")?;
    let mut commits = Vec::new();
    for batch in ids.chunks(2_000) {
        commits.extend(parse_log(&tacit_git::read_log(repository, batch)?));
    }
    Ok(commits)
}

/// Returns the questions in newer commits, limited to files that existed.
fn questions(history: &History, new: &[LoggedCommit]) -> Vec<Question> {
    let mut later = history.clone();
    let there = |file: &TrackedFileId| history.names.path(*file).is_some();
    let mut questions = Vec::new();
    for commit in new {
        let past = later.push(commit).past;
        let files: BTreeSet<TrackedFileId> =
            past.files.into_iter().filter(|file| there(file)).collect();
        for file in &files {
            let others: BTreeSet<TrackedFileId> =
                files.iter().copied().filter(|other| other != file).collect();
            if !others.is_empty() {
                questions.push(Question { file: *file, others });
            }
        }
    }
    questions
}

/// Predicts by the share of a file's commits that touched the other file: the ten highest.
fn predict_by_count(old: &[LoggedCommit]) -> HashMap<TrackedFileId, Vec<TrackedFileId>> {
    let mut history = History::default();
    let mut pairs: HashMap<TrackedFileId, BTreeMap<TrackedFileId, u32>> = HashMap::new();
    for commit in old {
        let mut events = Vec::new();
        let mut files: Vec<TrackedFileId> =
            commit.changes.iter().map(|change| history.names.apply(change, &mut events)).collect();
        files.sort_unstable();
        files.dedup();
        // Larger commits would count every pair of a large tree, which says little.
        if files.len() > BULK_COMMIT_FILES * 10 {
            continue;
        }
        for file in &files {
            let row = pairs.entry(*file).or_default();
            files.iter().filter(|other| *other != file).for_each(|other| {
                *row.entry(*other).or_default() += 1;
            });
        }
    }
    let ranked = |row: BTreeMap<TrackedFileId, u32>| {
        let mut row: Vec<(TrackedFileId, u32)> =
            row.into_iter().filter(|(file, _)| history.names.path(*file).is_some()).collect();
        // The denominator is the same for all, so the count decides.
        row.sort_by_key(|(file, count)| (std::cmp::Reverse(*count), *file));
        row.into_iter().map(|(file, _)| file).take(TOP).collect()
    };
    pairs.into_iter().map(|(file, row)| (file, ranked(row))).collect()
}

/// Returns the share of the files that were predicted, and of the questions with one correct
/// prediction.
fn score(
    questions: &[Question],
    predict: impl Fn(TrackedFileId) -> Vec<TrackedFileId>,
) -> (f64, f64) {
    let (mut recall, mut any) = (0.0, 0.0);
    let mut answers: HashMap<TrackedFileId, Vec<TrackedFileId>> = HashMap::new();
    for question in questions {
        let answer = answers.entry(question.file).or_insert_with(|| predict(question.file));
        let right = answer.iter().filter(|file| question.others.contains(file)).count();
        recall += right as f64 / question.others.len() as f64;
        any += f64::from(u8::from(right > 0));
    }
    let number = questions.len().max(1) as f64;
    (recall / number, any / number)
}

/// Returns the imports of the source as it was at a commit.
fn imports_at(repository: &Path, commit: &str) -> Result<Vec<(String, String)>> {
    let folder = tempfile::tempdir()?;
    let code = folder.path().join("code");
    std::fs::create_dir(&code)?;
    let mut archive = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(["archive", "--format=tar", commit])
        .stdout(Stdio::piped())
        .spawn()?;
    let tar = archive.stdout.take().context("git prints nothing")?;
    run(Command::new("tar").arg("-x").arg("-C").arg(&code).stdin(tar))?;
    if !archive.wait()?.success() {
        bail!("`git archive {commit}` failed");
    }
    let codebase = Codebase::new(&code, &folder.path().join("graph"));
    codebase.refresh(&RefreshOptions { threads: 2, reread_all: true, progress: &|_, _| {} })?;
    let graph = codebase.open()?;
    let packed = graph.packed();
    Ok(import_pairs(&packed).iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect())
}
