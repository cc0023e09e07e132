//! `cargo xtask eval prompts`: scores what hooks show for prompts, and what recall finds for them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde::Deserialize;
use serde_json::json;

use super::dataset::lines;
use super::recall::ranked;
use super::{Run, name};
use crate::table::{Align, Table};
use crate::workspace::{Workspace, run};

/// The number of memories that a hook shows with a prompt.
const SHOWN: &str = "2";
/// The shares of unrelated and of hard unrelated prompts that may show anything.
const FALSE_SHARES: (f64, f64) = (0.02, 0.05);
/// The floors of the curve.
const FLOORS: [f64; 7] = [0.3, 0.4, 0.47, 0.54, 0.65, 0.75, 0.85];
/// The floor of the product.
const FLOOR: f64 = 0.54;

/// Score prompts: the right memory or none, in several projects.
///
/// Each folder is a project with `memories.jsonl`, `prompts.jsonl` and `cues.jsonl`. The product
/// estimates the likelihood of each memory (`tacit eval --likelihoods`) and is scored at its own
/// floor, at the floor that the other projects call for, and at others. The last columns score
/// explicit recall.
#[derive(Debug, clap::Args)]
pub(crate) struct Prompts {
    /// The folder of the projects.
    #[arg(value_name = "FOLDER", default_value = "../shared/eval/prompts-dev")]
    pub(crate) folder: PathBuf,
    /// Store the memories without their cues.
    #[arg(long)]
    pub(crate) no_cues: bool,
    /// The program to evaluate, instead of building one.
    #[arg(long, value_name = "FILE")]
    pub(crate) tacit: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
struct ProjectMemory {
    id: String,
    text: String,
}

#[derive(Debug, Deserialize)]
struct Prompt {
    id: String,
    kind: String,
    text: String,
    #[serde(default)]
    relevant: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct MemoryCues {
    id: String,
    cues: Vec<String>,
}

/// The prompts of a project and the answers to them.
#[derive(Debug, Default)]
struct Answers {
    prompts: Vec<Answered>,
}

/// A prompt with the memories that a hook would show and those that recall finds.
#[derive(Debug)]
struct Answered {
    kind: String,
    relevant: Vec<String>,
    /// The likeliest memories, with their likelihoods.
    likely: Vec<(String, f64)>,
    recalled: Vec<String>,
}

impl Answered {
    fn is_right(&self, memory: &str) -> bool {
        self.relevant.iter().any(|relevant| relevant == memory)
    }

    /// Returns true if the right memory is shown, or anything if none is right.
    fn shows(&self, floor: f64) -> bool {
        let mut shown = self.likely.iter().filter(|(_, likelihood)| *likelihood >= floor);
        shown.any(|(memory, _)| self.relevant.is_empty() || self.is_right(memory))
    }

    fn finds(&self, within: usize) -> bool {
        self.recalled.iter().take(within).any(|memory| self.is_right(memory))
    }
}

impl Prompts {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let tacit = match self.tacit {
            Some(tacit) => tacit,
            None => {
                run(&mut workspace.cargo(["build", "--release", "--locked", "-p", "tacit"]))?;
                workspace.target()?.join("release").join("tacit")
            }
        };
        let folder = workspace.root.join(&self.folder);
        let mut projects: BTreeMap<String, Answers> = BTreeMap::new();
        for entry in fs::read_dir(&folder)? {
            let project = entry?.path();
            if project.join("prompts.jsonl").exists() {
                projects.insert(name(&project), answers(&tacit, &project, !self.no_cues)?);
            }
        }
        println!("{}", by_project(&projects));
        println!("{}", curve(&projects));
        Ok(())
    }
}

/// Runs the product over a project.
fn answers(tacit: &Path, project: &Path, with_cues: bool) -> Result<Answers> {
    let memories: Vec<ProjectMemory> = lines(&project.join("memories.jsonl"))?;
    let prompts: Vec<Prompt> = lines(&project.join("prompts.jsonl"))?;
    let mut cues: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if with_cues && project.join("cues.jsonl").exists() {
        let all: Vec<MemoryCues> = lines(&project.join("cues.jsonl"))?;
        cues.extend(all.into_iter().map(|one| (one.id, one.cues)));
    }
    let work = tempfile::tempdir()?;
    let documents = memories.iter().map(|ProjectMemory { id, text }| {
        json!({"id": id, "text": text, "group": "all", "cues": cues.get(id)})
    });
    let queries = prompts
        .iter()
        .map(|Prompt { id, text, .. }| json!({"id": id, "text": text, "group": "all"}));
    let joined = |lines: Vec<String>| lines.join("\n");
    fs::write(
        work.path().join("corpus.jsonl"),
        joined(documents.map(|d| d.to_string()).collect()),
    )?;
    fs::write(work.path().join("queries.jsonl"), joined(queries.map(|q| q.to_string()).collect()))?;
    let likely = ["--likelihoods", "--limit", SHOWN];
    let (folder, stores) = (work.path(), work.path().join("work"));
    let mut likely: BTreeMap<String, Vec<(String, f64)>> =
        ranked(tacit, folder, &stores, "likely", &likely)?;
    let mut recalled: Run = ranked(tacit, folder, &stores, "recalled", &["--limit", "10"])?;
    let answered = prompts.into_iter().map(|Prompt { id, kind, relevant, .. }| Answered {
        kind,
        relevant,
        likely: likely.remove(&id).unwrap_or_default(),
        recalled: recalled.remove(&id).unwrap_or_default(),
    });
    Ok(Answers { prompts: answered.collect() })
}

const KINDS: [&str; 4] = ["near", "symptom", "unrelated", "hard_unrelated"];

/// Returns the percentage of the prompts of a kind for which something holds.
fn share<'a>(
    prompts: impl Iterator<Item = &'a Answered>,
    kind: &str,
    holds: impl Fn(&Answered) -> bool,
) -> f64 {
    let (mut all, mut held) = (0.0, 0.0);
    for prompt in prompts.filter(|prompt| prompt.kind == kind) {
        all += 1.0;
        held += if holds(prompt) { 1.0 } else { 0.0 };
    }
    if all > 0.0 { 100.0 * held / all } else { 0.0 }
}

/// Returns the lowest floor at which the false shares are allowed.
fn floor_for(prompts: &[&Answered]) -> f64 {
    let (unrelated, hard) = FALSE_SHARES;
    (1..100)
        .map(|step| f64::from(step) / 100.0)
        .find(|floor| {
            let shows = |kind| share(prompts.iter().copied(), kind, |prompt| prompt.shows(*floor));
            shows("unrelated") <= 100.0 * unrelated && shows("hard_unrelated") <= 100.0 * hard
        })
        .unwrap_or(1.0)
}

fn percent(value: f64) -> String {
    format!("{value:.1}")
}

/// Formats the shares of each project, at the product's floor and at that of the other projects.
fn by_project(projects: &BTreeMap<String, Answers>) -> String {
    let mut table = Table::new([
        ("project", Align::Left),
        ("floor", Align::Right),
        ("near %", Align::Right),
        ("symptom %", Align::Right),
        ("unrelated %", Align::Right),
        ("hard %", Align::Right),
        ("symptom first %", Align::Right),
        ("within five %", Align::Right),
        ("empty", Align::Right),
    ]);
    let mut row = |name: &str, floor: f64, prompts: &[&Answered]| {
        let all = || prompts.iter().copied();
        let [near, symptom, unrelated, hard] =
            KINDS.map(|kind| percent(share(all(), kind, |prompt| prompt.shows(floor))));
        let finds = |within| percent(share(all(), "symptom", |prompt| prompt.finds(within)));
        let empty = all().filter(|prompt| prompt.recalled.is_empty()).count().to_string();
        let floor = format!("{floor:.2}");
        let (first, five) = (finds(1), finds(5));
        table.row([name.into(), floor, near, symptom, unrelated, hard, first, five, empty]);
    };
    for (name, answers) in projects {
        let own: Vec<&Answered> = answers.prompts.iter().collect();
        row(name, FLOOR, &own);
        let others = projects.iter().filter(|(other, _)| *other != name);
        let others: Vec<&Answered> = others.flat_map(|(_, answers)| &answers.prompts).collect();
        row("  floor of the others", floor_for(&others), &own);
    }
    let all: Vec<&Answered> = projects.values().flat_map(|answers| &answers.prompts).collect();
    row("all", FLOOR, &all);
    row("  floor for all", floor_for(&all), &all);
    table.to_string()
}

/// Formats the shares of all prompts at several floors.
fn curve(projects: &BTreeMap<String, Answers>) -> String {
    let mut table = Table::new([
        ("floor", Align::Right),
        ("near %", Align::Right),
        ("symptom %", Align::Right),
        ("unrelated %", Align::Right),
        ("hard %", Align::Right),
    ]);
    for floor in FLOORS {
        let all = || projects.values().flat_map(|answers| &answers.prompts);
        let [near, symptom, unrelated, hard] =
            KINDS.map(|kind| percent(share(all(), kind, |prompt| prompt.shows(floor))));
        table.row([format!("{floor:.2}"), near, symptom, unrelated, hard]);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(kind: &str, relevant: &[&str], likely: &[(&str, f64)]) -> Answered {
        Answered {
            kind: kind.into(),
            relevant: relevant.iter().map(|id| (*id).to_owned()).collect(),
            likely: likely.iter().map(|(id, likelihood)| ((*id).to_owned(), *likelihood)).collect(),
            recalled: vec!["b".into(), "a".into()],
        }
    }

    #[test]
    fn right_memories_count_and_unrelated_prompts_count_any() {
        let near = answered("near", &["a"], &[("b", 0.9), ("a", 0.6)]);
        assert!(near.shows(0.6) && !near.shows(0.7));
        assert!(near.finds(2) && !near.finds(1));
        assert!(answered("unrelated", &[], &[("b", 0.6)]).shows(0.5));
    }

    #[test]
    fn floor_is_the_lowest_with_few_false_answers() {
        let prompts: Vec<Answered> = (0..100)
            .map(|n| answered("unrelated", &[], &[("a", f64::from(n) / 100.0)]))
            .chain([answered("hard_unrelated", &[], &[("a", 0.2)])])
            .collect();
        let prompts: Vec<&Answered> = prompts.iter().collect();
        assert_eq!(floor_for(&prompts), 0.98);
    }
}
