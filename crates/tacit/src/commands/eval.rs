//! `tacit eval`

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::{Map, Value, json};
use tacit_app::recall::AT_LEAST;
use tacit_app::{AppError, AppResult};
use tacit_core::{Author, Clock, Confidence, Draft, IdSource, Memory, MemoryId, Timestamp};
use tacit_engine::{
    Engine, ImportLine, ImportTrust, RankProfile, RecallRequest, SearchChannels, StoreAccess,
    StorePaths, StoreScope, Strictness,
};
use tacit_store::Filter;

use crate::app::CliApp;
use crate::commands::export::named_output;

/// Bytes of a document above which it becomes several memories.
const PART_BYTES: usize = 7_500;

/// Rank the documents of a test collection.
///
/// Reads `corpus.jsonl` (id, text, timestamp, group, session, cues) and `queries.jsonl` (id, text, group,
/// date) of a folder, stores the documents in separate stores, one per group, and writes the results
/// of recall for each query, as for `tacit recall`: `{query: [document, best first]}`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit eval shared/eval/locomo-turn-dev --out ranked.json
  tacit eval FOLDER --out ranked.json --work /tmp/stores     keep the stores for the next run
  tacit eval FOLDER --out words.json --by words")]
pub(crate) struct EvalArgs {
    /// The folder.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The file to write.
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// The directory of the stores [default: a temporary one].
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// The search channels.
    #[arg(long, value_enum, default_value_t = By::Both)]
    by: By,
    /// The weights of the ranking.
    #[arg(long, value_enum, default_value_t = Made::Balanced)]
    profile: Made,
    /// Leave out documents that are unlikely to be about the query, as hooks do.
    #[arg(long)]
    proactive: bool,
    /// Write each document with the likelihood that hooks estimate, and leave out none.
    #[arg(long, conflicts_with = "proactive")]
    likelihoods: bool,
    /// Largest number of documents for each query.
    #[arg(long, short = 'n', value_name = "COUNT", default_value_t = 50)]
    limit: usize,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    Both,
    Words,
    Meaning,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Made {
    Balanced,
    Relevance,
    Seed,
}

impl EvalArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let folder = app.directory.join(&self.folder);
        let documents = read(&folder.join("corpus.jsonl"))?;
        let queries = read(&folder.join("queries.jsonl"))?;
        let temporary = std::env::temp_dir().join(format!("tacit-eval-{}", std::process::id()));
        let work = self.work.clone().map_or(temporary.clone(), |work| app.directory.join(work));
        let mut groups: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
        for document in &documents {
            groups.entry(text(document, "group")?.to_owned()).or_default().push(document);
        }
        let mut ranked = Map::new();
        for (number, (group, documents)) in groups.iter().enumerate() {
            let stage = Stage::prepare(app, &work.join(format!("group-{number}")), documents)?;
            for query in queries.iter().filter(|query| query["group"] == group.as_str()) {
                let answers = self.ask(app, &stage, query)?;
                ranked.insert(text(query, "id")?.to_owned(), answers);
            }
        }
        if self.work.is_none() {
            let _ = std::fs::remove_dir_all(&temporary);
        }
        let out = app.directory.join(&self.out);
        let fail = AppError::cannot("write", &out);
        let count = ranked.len();
        let text = Value::Object(ranked).to_string();
        let file = named_output(&out).map_err(fail)?;
        tacit_fs::replace_shared(&file, text.as_bytes()).map_err(fail)?;
        if app.json {
            return app.ui.json(&json!({"queries": count, "file": out}));
        }
        app.ui.line(format!("Ranked {count} queries in {}", out.display()))
    }

    fn ask(&self, app: &CliApp, stage: &Stage, query: &Value) -> AppResult<Value> {
        let clock = Moment::of(query, "date").unwrap_or_else(|| Moment::at(app.now()));
        let engine = stage.engine(app, &clock, StoreAccess::Read(StoreScope::Project))?;
        // A document of several parts takes several places.
        let (text, limit) = (text(query, "text")?, self.limit * stage.parts_a_document);
        let recall = RecallRequest {
            // As users get it, with the floor.
            strictness: match self.proactive || self.likelihoods {
                true => Strictness::Proactive,
                false => Strictness::Explicit,
            },
            at_least: match (self.proactive, self.likelihoods) {
                (true, _) => 0,
                (_, true) => self.limit,
                _ => AT_LEAST,
            },
            profile: match self.profile {
                Made::Balanced => RankProfile::Balanced,
                Made::Relevance => RankProfile::Relevance,
                Made::Seed => RankProfile::Seed,
            },
            channels: match self.by {
                By::Both => SearchChannels::Both,
                By::Words => SearchChannels::Words,
                By::Meaning => SearchChannels::Meaning,
            },
            ..if self.proactive {
                RecallRequest::proactive(text, limit)
            } else {
                RecallRequest::explicit(text, Filter::default(), limit)
            }
        };
        let answers = engine.recall(&recall)?;
        let mut documents: Vec<(String, f64)> = Vec::new();
        for answer in &answers.shown {
            let likelihood = answer.why.map_or(0.0, |why| why.likelihood);
            for id in std::iter::once(&answer.found.memory.id).chain(&answer.folded) {
                for document in stage.documents.get(id).into_iter().flatten() {
                    if documents.iter().all(|(known, _)| known != document) {
                        documents.push((document.clone(), likelihood));
                    }
                }
            }
        }
        documents.truncate(self.limit);
        if self.likelihoods {
            return Ok(json!(documents));
        }
        Ok(documents.into_iter().map(|(document, _)| document).collect())
    }
}

/// A store with the documents of one group.
struct Stage {
    places: StorePaths,
    documents: HashMap<MemoryId, Vec<String>>,
    parts_a_document: usize,
}

impl Stage {
    fn prepare(app: &CliApp, directory: &Path, documents: &[&Value]) -> AppResult<Stage> {
        let places = StorePaths {
            root: directory.to_path_buf(),
            project: directory.join("project"),
            shared: directory.join("project"),
            global: directory.join("none"),
            server: None,
        };
        let mut stage = Stage { places, documents: HashMap::new(), parts_a_document: 1 };
        let mut known: HashMap<Vec<u8>, MemoryId> = HashMap::new();
        let mut memories = Vec::new();
        let ids = Counted(Cell::new(0));
        for document in documents {
            let parts = parts(text(document, "text")?);
            stage.parts_a_document = stage.parts_a_document.max(parts.len());
            for part in &parts {
                let memory = memory(document, part, &ids)?;
                // Documents that say the same are one memory.
                let id =
                    *known.entry(memory.content_hash().as_bytes().to_vec()).or_insert(memory.id);
                stage.documents.entry(id).or_default().push(text(document, "id")?.to_owned());
                if id == memory.id {
                    memories.push(memory);
                }
            }
        }
        if stage.places.database(StoreScope::Project).exists() {
            return Ok(stage);
        }
        let fail = AppError::cannot("write", directory);
        std::fs::create_dir_all(&stage.places.project).map_err(fail)?;
        Engine::create_project(&stage.places, app.config())?;
        let clock = Moment::at(app.now());
        let mut engine = stage.engine(app, &clock, StoreAccess::Write(StoreScope::Project))?;
        let lines = memories
            .into_iter()
            .enumerate()
            .map(|(line, memory)| {
                (line, ImportTrust::Trusted, ImportLine::Memory(Box::new(memory)))
            })
            .collect();
        engine.import(StoreScope::Project, lines, false)?;
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if !app.terminal.stderr_is_terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        engine.embed_pending(StoreScope::Project, usize::MAX, &mut |done, waiting| {
            bar.set_length(done + waiting);
            bar.set_position(done);
        })?;
        bar.finish_and_clear();
        Ok(stage)
    }

    fn engine<'a>(
        &self,
        app: &'a CliApp,
        clock: &'a Moment,
        needs: StoreAccess,
    ) -> AppResult<Engine<'a>> {
        let actor = Author::new("eval")?;
        let engine = Engine::open(
            self.places.clone(),
            app.config().clone(),
            needs,
            clock,
            app.environment.ids.as_ref(),
            actor,
        )?;
        Ok(match app.embedder() {
            Some(choice) => engine.with_embedder(choice.embedder),
            None => engine,
        })
    }
}

fn memory(document: &Value, part: &str, ids: &Counted) -> AppResult<Memory> {
    let id = text(document, "id")?;
    let session = document["session"].as_str().map(str::to_owned);
    let draft = Draft {
        content: tacit_core::clean(part).text.into_owned(),
        session,
        cues: (document["cues"].as_array().into_iter().flatten())
            .filter_map(|cue| cue.as_str().map(str::to_owned))
            .collect(),
        source: Some("agent_explicit".into()),
        // Proactive searches only show proven memories; here only the query should matter.
        review: Some("verified".into()),
        ..Draft::default()
    };
    let body = draft
        .check(Confidence::HIGH)
        .map_err(|errors| AppError::usage(format!("document `{id}`: {}", errors[0])))?;
    let at = Moment::of(document, "timestamp").map_or(Timestamp::MIN, |moment| moment.now());
    let at = at.max(Timestamp::from_millis(0).unwrap_or(at));
    Ok(Memory::new(ids.next_id(at), body, at))
}

/// Splits a long text at the ends of lines and sentences.
fn parts(text: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    for line in text.split_inclusive(['\n', '.']) {
        if !part.trim().is_empty() && part.len() + line.len() > PART_BYTES {
            parts.push(std::mem::take(&mut part));
        }
        part.push_str(line);
        while part.len() > PART_BYTES {
            let rest = part.split_off(part.floor_char_boundary(PART_BYTES));
            parts.push(std::mem::replace(&mut part, rest));
        }
    }
    if !part.trim().is_empty() {
        parts.push(part);
    }
    parts
}

/// A fixed time, as a clock.
struct Moment(Timestamp);

impl Moment {
    fn at(moment: Timestamp) -> Moment {
        Moment(moment)
    }

    /// Reads the time in a field, with or without a time zone.
    fn of(value: &Value, field: &str) -> Option<Moment> {
        let text = value[field].as_str()?;
        let moment = text.parse().ok().or_else(|| format!("{text}Z").parse().ok());
        moment.map(Moment)
    }
}

impl Clock for Moment {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// Identifiers that are the same in every run.
struct Counted(Cell<u64>);

impl IdSource for Counted {
    fn next_id(&self, at: Timestamp) -> MemoryId {
        let next = self.0.get() + 1;
        self.0.set(next);
        let mut random = [0; 10];
        random[2..].copy_from_slice(&next.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
        MemoryId::from_parts(at, random)
    }
}

fn read(path: &Path) -> AppResult<Vec<Value>> {
    let fail = |error: &dyn std::fmt::Display| {
        AppError::usage(format!("cannot read `{}`: {error}", path.display()))
    };
    let file = tacit_fs::open_following(path).map_err(|error| fail(&error))?;
    BufReader::new(file)
        .lines()
        .map(|line| {
            let line = line.map_err(|error| fail(&error))?;
            serde_json::from_str(&line).map_err(|error| fail(&error))
        })
        .collect()
}

fn text<'a>(value: &'a Value, field: &str) -> AppResult<&'a str> {
    value[field].as_str().ok_or_else(|| AppError::usage(format!("a line has no `{field}`")))
}
