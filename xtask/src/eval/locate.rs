//! `cargo xtask eval locate`: scores finding the files of a task from its text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::json;
use tacit_codebase::locate::{Description, LocateAnswer};
use tacit_codebase::{Codebase, RefreshOptions, SearchDepth};

use super::name;
use crate::table::{Align, Table};
use crate::workspace::{Workspace, run};

/// Score locating files for the text of a task.
///
/// A folder has `cases.jsonl`, one line per case: `{"id", "repository", "revision", "text",
/// "files"}`. The repository is a path relative to the folder, bare or not; it is checked out at
/// the revision, and later commits are unknown. `files` are the correct ones.
#[derive(Debug, clap::Args)]
pub(crate) struct Locate {
    /// Folders of cases.
    #[arg(value_name = "FOLDER", required = true)]
    pub(crate) folders: Vec<PathBuf>,
    /// Create the folder from releases of these PyPI packages first.
    #[arg(long, value_name = "PACKAGE", num_args = 1.., value_delimiter = ',')]
    pub(crate) make: Vec<String>,
    /// Create the folder from Debian's fixes of these packages first.
    #[arg(long, value_name = "PACKAGE", num_args = 1.., value_delimiter = ',')]
    pub(crate) make_debian: Vec<String>,
    /// Create the folder from the issues and fixes in this file first, of projects on PyPI.
    #[arg(long, value_name = "FILE")]
    pub(crate) make_issues: Vec<String>,
    /// Only evaluate repositories with this in their name.
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub(crate) only: String,
    /// Show the cases without a correct file among the first five.
    #[arg(long)]
    pub(crate) show: bool,
    /// Use only the index, like hooks.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Embed the text of every case in a long issue form.
    #[arg(long)]
    pub(crate) in_form: bool,
    /// Keep every case checked out and indexed in this directory, to speed up the next run.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) work: Option<PathBuf>,
    /// Write the evidence for each file, one line per case, for tuning weights.
    #[arg(long, value_name = "FILE")]
    pub(crate) pointers: Option<PathBuf>,
}

#[derive(Debug, Clone, Deserialize)]
struct Case {
    id: String,
    repository: String,
    revision: String,
    text: String,
    files: BTreeSet<String>,
}

/// Number of files to request.
const ASKED: usize = 50;
const CUTS: [usize; 4] = [1, 3, 5, 10];

/// Sums of scores over cases.
#[derive(Debug, Clone, Default)]
struct Score {
    cases: usize,
    all: [usize; CUTS.len()],
    recall: [f64; CUTS.len()],
    reciprocal: f64,
    confident: usize,
    confident_right: usize,
}

impl Locate {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let script = workspace.root.join("xtask/src/eval/locate/make.py");
        for folder in &self.folders {
            let made = [
                ("pypi", &self.make),
                ("debian", &self.make_debian),
                ("issues", &self.make_issues),
            ];
            for (kind, from) in made {
                if !from.is_empty() {
                    run(Command::new("python3").arg(&script).arg(folder).arg(kind).args(from))?;
                }
            }
            self.folder(folder).with_context(|| format!("evaluating `{}`", folder.display()))?;
        }
        Ok(())
    }

    fn folder(&self, folder: &Path) -> Result<()> {
        let folder = folder.canonicalize()?;
        let mut by_repository: BTreeMap<String, Vec<Case>> = BTreeMap::new();
        for line in fs::read_to_string(folder.join("cases.jsonl"))?.lines() {
            let case: Case = serde_json::from_str(line).context("`cases.jsonl` has a bad line")?;
            by_repository.entry(case.repository.clone()).or_default().push(case);
        }
        by_repository.retain(|repository, _| repository.contains(&self.only));
        let mut scores: BTreeMap<String, Score> = BTreeMap::new();
        let (mut total, mut single) = (Score::default(), Score::default());
        for (repository, cases) in &by_repository {
            let score = scores.entry(group(repository)).or_default();
            for (case, answer) in self.repository(&folder.join(repository), cases)? {
                score.take(case, &answer);
                total.take(case, &answer);
                if case.files.len() == 1 {
                    single.take(case, &answer);
                }
            }
        }
        let mut table = Table::new([
            ("", Align::Left),
            ("cases", Align::Right),
            ("acc@1", Align::Right),
            ("acc@3", Align::Right),
            ("acc@5", Align::Right),
            ("acc@10", Align::Right),
            ("recall@5", Align::Right),
            ("recall@10", Align::Right),
            ("MRR", Align::Right),
            ("sure", Align::Right),
            ("of these right", Align::Right),
        ]);
        let sums = [(&"one right file".to_owned(), &single), (&"all".to_owned(), &total)];
        for (name, score) in scores.iter().chain(sums) {
            table.row(score.cells(name));
        }
        println!("{}\n{table}", name(&folder));
        Ok(())
    }

    fn repository<'c>(
        &self,
        repository: &Path,
        cases: &'c [Case],
    ) -> Result<Vec<(&'c Case, LocateAnswer)>> {
        let fleeting = tempfile::tempdir()?;
        let place = match &self.work {
            Some(work) => work.join(name(repository)),
            None => fleeting.path().to_owned(),
        };
        let mut answers = Vec::with_capacity(cases.len());
        for case in cases {
            // A checkout that is not kept is reused for all cases.
            let code = place.join(if self.work.is_some() { &case.id } else { "code" });
            let codebase = Codebase::new(&code, &place.join("graph"));
            if self.work.is_none() || codebase.words(SearchDepth::Thorough).is_err() {
                check_out(repository, &code, &case.revision)?;
                let options =
                    RefreshOptions { threads: 2, reread_all: false, progress: &|_, _| {} };
                codebase.refresh(&options)?;
                codebase.refresh_words(&options)?;
                codebase.refresh_history()?;
            }
            let text = if self.in_form { in_form(&case.text) } else { case.text.clone() };
            let description = Description::read(&text);
            let depth = if self.quick { SearchDepth::Quick } else { SearchDepth::Thorough };
            let answer =
                codebase.locate(&codebase.words(depth)?, &description, &[], depth, ASKED)?;
            self.write_evidence(case, &answer)?;
            answers.push((case, answer));
        }
        Ok(answers)
    }

    fn write_evidence(&self, case: &Case, answer: &LocateAnswer) -> Result<()> {
        let place = |path: &String| {
            answer.files.iter().position(|file| file.path == *path).map(|at| at + 1)
        };
        if self.show && case.files.iter().any(|path| place(path).is_none_or(|at| at > 5)) {
            let right: Vec<String> = case
                .files
                .iter()
                .map(|path| {
                    format!(
                        "{path} ({})",
                        place(path).map_or_else(|| "-".to_owned(), |at| at.to_string())
                    )
                })
                .collect();
            let told: Vec<&str> =
                answer.files.iter().take(5).map(|file| file.path.as_str()).collect();
            println!(
                "{}: {}\n  told {}\n  right {}",
                case.id,
                case.text.lines().next().unwrap_or(""),
                told.join(", "),
                right.join(", ")
            );
        }
        let Some(path) = &self.pointers else { return Ok(()) };
        let files: Vec<_> = answer
            .files
            .iter()
            .map(|file| {
                let pointers: serde_json::Map<String, serde_json::Value> = file
                    .pointers
                    .iter()
                    .map(|pointer| (pointer.source.as_str().to_owned(), json!(pointer.strength)))
                    .collect();
                json!({"path": file.path, "kind": file.kind.as_str(), "score": file.score, "pointers": pointers})
            })
            .collect();
        let line = json!({"id": case.id, "repository": group(&case.repository), "right": case.files, "files": files});
        let mut file = fs::File::options().create(true).append(true).open(path)?;
        Ok(writeln!(file, "{line}")?)
    }
}

/// An issue form.
const FORM: &str = include_str!("locate/form.md");
/// Maximum length of a title.
const TITLE: usize = 100;

/// Embeds a text in an issue form. Its first sentence becomes the title.
fn in_form(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let sentence = line.split_once(". ").map_or(line, |(sentence, _)| sentence);
    let short = &sentence[..sentence.floor_char_boundary(TITLE)];
    let title = match short.rsplit_once(' ') {
        Some((words, _)) if short.len() < sentence.len() => words,
        _ => short,
    };
    FORM.replace("{title}", title).replace("{text}", text)
}

/// Returns the name of a package without its version.
fn group(repository: &str) -> String {
    let name = repository.trim_end_matches(".git").rsplit('/').next().unwrap_or(repository);
    name.split('_').next().unwrap_or(name).to_owned()
}

impl Score {
    fn take(&mut self, case: &Case, answer: &LocateAnswer) {
        self.cases += 1;
        if let Some(sure) = answer.proactive_files().next() {
            self.confident += 1;
            self.confident_right += usize::from(case.files.contains(&sure.path));
        }
        let first = answer.files.iter().position(|file| case.files.contains(&file.path));
        self.reciprocal += first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
        for (at, cut) in CUTS.iter().enumerate() {
            let told = answer.files.iter().take(*cut);
            let right = told.filter(|file| case.files.contains(&file.path)).count();
            self.all[at] += usize::from(right == case.files.len());
            self.recall[at] += right as f64 / case.files.len().max(1) as f64;
        }
    }

    fn cells(&self, name: &str) -> [String; 11] {
        let of = self.cases.max(1) as f64;
        let share = |number: usize| format!("{:.1}%", 100.0 * number as f64 / of);
        [
            name.to_owned(),
            self.cases.to_string(),
            share(self.all[0]),
            share(self.all[1]),
            share(self.all[2]),
            share(self.all[3]),
            format!("{:.3}", self.recall[2] / of),
            format!("{:.3}", self.recall[3] / of),
            format!("{:.3}", self.reciprocal / of),
            share(self.confident),
            format!("{:.1}%", 100.0 * self.confident_right as f64 / self.confident.max(1) as f64),
        ]
    }
}

fn check_out(repository: &Path, code: &Path, revision: &str) -> Result<()> {
    if !code.exists() {
        let clone = ["clone", "--quiet", "--shared", "--no-checkout"];
        git(Command::new("git").args(clone).arg(repository).arg(code))?;
    }
    let check_out = ["checkout", "--quiet", "--force", "--detach", revision];
    git(Command::new("git").arg("-C").arg(code).args(check_out))
}

fn git(command: &mut Command) -> Result<()> {
    let output = command.output().context("cannot run git")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
