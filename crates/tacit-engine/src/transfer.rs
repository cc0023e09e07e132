//! Writing memories to a file and reading them back.

use serde_json::{Map, Value};
use tacit_core::{
    Confidence, Draft, Memory, MemoryId, Origin, Relations, Review, Scope, Sessions, Source,
    Status, StatusKind, Timestamp, Usage,
};
use tacit_store::{ActionKind, ChangeId, Filter, ListOrder, ListQuery, Transaction};

use crate::change::forbid_twin;
use crate::engine::{Engine, Requester, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::{
    PreparedRequest, RememberOutcome, RememberResult, TextCleanup, WriteGate, forbid_files, index,
    joined, redact_memory,
};

/// The first line of an export, which tells its format.
pub const EXPORT_HEADER: &str = r#"{"format":"tacit-export","version":1}"#;

/// How many memories are read at a time.
const PAGE: usize = 500;

/// A line of a file to import.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportLine {
    /// A memory that an export wrote, with its identifier and its times.
    Whole(Box<Memory>),
    /// Something to be remembered.
    Draft(Box<Draft>),
}

/// The trust in the file that an imported line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportTrust {
    /// A file that anybody may have written. Its text is imported for review; its claims about
    /// itself (who said it, who confirmed it, how often it was seen or used) are not.
    Stranger,
    /// A file of instructions that the user wrote for agents, which the user chose to import.
    Own,
    /// The user vouches for all that the file claims, such as for a backup of their own.
    Trusted,
}

/// What became, or would become, of an imported line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// It is new.
    Stored,
    /// It is newer than what is there.
    Updated,
    /// The same is known under another identifier, which now has its labels too.
    Merged(MemoryId),
    /// The same is known, and this account of it adds to it: it is known once more.
    Reinforced(MemoryId),
    /// It is there already, the same or newer.
    Unchanged,
    /// It was forgotten.
    Refused,
}

/// What an import did, or would do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportPlan {
    /// What became of each line, in order.
    pub items: Vec<ImportOutcome>,
    /// What was done to the texts.
    pub treatment: TextCleanup,
    /// The change that was made.
    pub change: Option<ChangeId>,
}

impl ImportLine {
    /// Reads a line; `None` for an empty line and the header.
    pub fn parse(text: &str) -> Result<Option<ImportLine>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let value: Value =
            serde_json::from_str(text).map_err(|error| in_one_line("not valid JSON", &error))?;
        let Value::Object(fields) = &value else {
            return Err("not a JSON object".into());
        };
        if let Some(format) = fields.get("format") {
            return header(format, fields);
        }
        if fields.contains_key("id") {
            let memory = Memory::from_json(value).map_err(|error| error.to_string())?;
            return Ok(Some(ImportLine::Whole(Box::new(memory))));
        }
        let draft = serde_json::from_value(value).map_err(|error| error.to_string())?;
        Ok(Some(ImportLine::Draft(Box::new(draft))))
    }
}

impl ImportLine {
    /// Takes a line for no more than its file is worth.
    fn taken_from(self, standing: ImportTrust, now: Timestamp) -> ImportLine {
        if standing == ImportTrust::Trusted {
            return self;
        }
        match self {
            ImportLine::Whole(memory) => ImportLine::Whole(Box::new(unvouched(*memory, now))),
            ImportLine::Draft(draft) => {
                ImportLine::Draft(Box::new(unvouched_draft(*draft, standing)))
            }
        }
    }
}

/// A memory without what its file claims about it.
fn unvouched(mut memory: Memory, now: Timestamp) -> Memory {
    memory.body.origin = Origin {
        source: Source::Imported,
        author: None,
        generator: None,
        commit: None,
        sessions: Sessions::default(),
    };
    memory.body.trust.review = Review::Needed;
    memory.body.confidence = Confidence::MEDIUM;
    let relations = memory.body.relations.iter().cloned().map(|mut relation| {
        relation.auto_extracted = true;
        relation
    });
    memory.body.relations = Relations::collect(relations).unwrap_or_default();
    memory.observations = 1;
    memory.created_at = memory.created_at.min(now);
    memory.updated_at = memory.updated_at.min(now);
    if let Status::Retired { at, .. } | Status::Archived { at, .. } = &mut memory.status {
        *at = (*at).min(now);
    }
    memory.usage = Usage { access_count: 0, last_accessed_at: memory.created_at };
    memory
}

/// A draft without what its file claims about it. What the user wrote and chose to import, the user
/// vouches for.
fn unvouched_draft(mut draft: Draft, standing: ImportTrust) -> Draft {
    let own = standing == ImportTrust::Own;
    draft.source = Some(Source::Imported.to_string());
    draft.review = Some(if own { Review::Verified } else { Review::Needed }.to_string());
    if !own {
        draft.confidence = Some(Confidence::MEDIUM.value());
        draft.generator = draft.generator.filter(|by| by != "user");
        draft.author = None;
    }
    if draft.scope.as_deref() != Some(Scope::Session.as_str()) {
        draft.session = None;
    }
    for relation in &mut draft.relations {
        relation.auto_extracted = true;
    }
    draft
}

/// What is wrong with one line of JSON. The parser counts lines from the beginning of its text,
/// which here is always a single line of a longer file, so that its number would mislead.
pub fn in_one_line(what: &str, error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(problem) => format!("{what}: {problem} at column {}", error.column()),
        None => format!("{what}: {text}"),
    }
}

fn header(format: &Value, fields: &Map<String, Value>) -> Result<Option<ImportLine>, String> {
    match (format.as_str(), fields.get("version").and_then(Value::as_u64)) {
        (Some("tacit-export"), Some(1)) => Ok(None),
        (Some("tacit-export"), _) => {
            Err("this export was written by a newer version of tacit; install that".into())
        }
        _ => Err("this is not an export of tacit".into()),
    }
}

impl Engine<'_> {
    /// Hands every memory of a shelf to `write`, the oldest first.
    pub fn export(
        &self,
        shelf: StoreScope,
        filter: &Filter,
        mut write: impl FnMut(&Memory) -> EngineResult<()>,
    ) -> EngineResult<usize> {
        let Some(store) = self.store(shelf) else { return self.nothing_on(shelf) };
        let mut offset = 0;
        loop {
            let query =
                ListQuery { filter: filter.clone(), order: ListOrder::Oldest, limit: PAGE, offset };
            let page = store.list(&query)?;
            page.iter().try_for_each(&mut write)?;
            offset += page.len();
            if page.len() < PAGE {
                return Ok(offset);
            }
        }
    }

    /// Imports lines, all or none; with `dry_run`, only says what would be done. An agent imports
    /// everything as a stranger's, and nothing for all projects.
    pub fn import(
        &mut self,
        shelf: StoreScope,
        lines: Vec<(usize, ImportTrust, ImportLine)>,
        dry_run: bool,
    ) -> EngineResult<ImportPlan> {
        if self.voice == Requester::Agent && shelf == StoreScope::Global {
            return Err(EngineError::PersonOnly("import something for all projects"));
        }
        let mut plan = ImportPlan::default();
        let mut ready: Vec<(usize, Ready)> = Vec::with_capacity(lines.len());
        for (line, standing, incoming) in lines {
            let at_line = |error: EngineError| EngineError::Import {
                line,
                problem: error.to_string().replace('\n', "; "),
            };
            let standing =
                if self.voice == Requester::Agent { ImportTrust::Stranger } else { standing };
            if let ImportLine::Draft(draft) = &incoming {
                // What is misspelt is told, also where it is not taken over.
                let claims = Draft {
                    content: "claims".to_owned(),
                    source: draft.source.clone(),
                    review: draft.review.clone(),
                    confidence: draft.confidence,
                    ..Draft::default()
                };
                let checked = claims.check(Confidence::MEDIUM);
                checked.map_err(|errors| at_line(EngineError::Invalid(errors)))?;
            }
            let incoming = incoming.taken_from(standing, self.clock.now());
            let item = match incoming {
                ImportLine::Whole(memory) => {
                    if !(memory.body.files.is_empty() && memory.body.symbols.is_empty()) {
                        forbid_files(shelf).map_err(|error| at_line(error.into()))?;
                    }
                    // Its file may have been edited by hand.
                    let memory = redact_memory(*memory, &mut plan.treatment).map_err(at_line)?;
                    Ready::Whole(Box::new(memory), standing)
                }
                ImportLine::Draft(draft) => {
                    let prepared = self.prepare_as_is(shelf, *draft).map_err(at_line)?;
                    plan.treatment.add(&prepared.treatment);
                    Ready::Draft(Box::new(prepared))
                }
            };
            ready.push((line, item));
        }
        let action = self.action(ActionKind::Import, None);
        let mut gate = self.open_gate(shelf, action, true)?;
        // What is known takes on its new words before anything else is compared with them:
        // otherwise two memories that swapped theirs would be taken for twins halfway.
        let mut items: Vec<Option<ImportOutcome>> = Vec::with_capacity(ready.len());
        for (_, item) in &ready {
            items.push(match item {
                Ready::Whole(memory, standing) => {
                    refresh(gate.transaction.as_mut(), memory, *standing)?
                }
                Ready::Draft(_) => None,
            });
        }
        for ((line, item), known) in ready.into_iter().zip(items) {
            plan.items.push(match (item, known) {
                (Ready::Whole(memory, _), Some(ImportOutcome::Updated)) => {
                    forbid_twin(gate.transaction.as_ref(), &memory).map_err(
                        |error| match error {
                            EngineError::SameAs(_) => {
                                EngineError::Import { line, problem: error.to_string() }
                            }
                            other => other,
                        },
                    )?;
                    ImportOutcome::Updated
                }
                (_, Some(known)) => known,
                (Ready::Whole(memory, _), None) => take(gate.transaction.as_mut(), &memory)?,
                (Ready::Draft(prepared), None) => learn(&mut gate, *prepared)?,
            });
        }
        if !dry_run {
            plan.change = gate.commit()?;
        }
        Ok(plan)
    }
}

enum Ready {
    Whole(Box<Memory>, ImportTrust),
    Draft(Box<PreparedRequest>),
}

/// Takes in a draft, unless it was imported before: what would add nothing to the memory that says
/// the same changes nothing, and what was forgotten does not come back from the same place.
fn learn(gate: &mut WriteGate<'_>, prepared: PreparedRequest) -> EngineResult<ImportOutcome> {
    let known = gate.identical(&prepared.body)?;
    let (in_use, left): (Vec<&Memory>, Vec<&Memory>) =
        known.iter().partition(|memory| memory.status.kind() == StatusKind::Active);
    if let Some(memory) = in_use.last() {
        let (after, _) = joined(memory, &prepared.body);
        if after == **memory {
            return Ok(ImportOutcome::Unchanged);
        }
    } else if !prepared.body.references.is_empty()
        && left.iter().any(|memory| {
            prepared.body.references.iter().all(|place| memory.body.references.contains(place))
        })
    {
        return Ok(ImportOutcome::Refused);
    }
    match gate.pass(prepared) {
        Ok(RememberResult {
            outcome: RememberOutcome::Reinforced, memory: Some(memory), ..
        }) => Ok(ImportOutcome::Reinforced(memory.id)),
        Ok(_) => Ok(ImportOutcome::Stored),
        Err(EngineError::Resurrection { .. }) => Ok(ImportOutcome::Refused),
        Err(error) => Err(error),
    }
}

/// Brings a memory that is there up to date; `None` if it is not there. Importing the same file
/// twice changes nothing the second time. A stranger's file changes only what came from such a file
/// and nobody confirmed.
fn refresh(
    transaction: &mut dyn Transaction,
    memory: &Memory,
    standing: ImportTrust,
) -> EngineResult<Option<ImportOutcome>> {
    let Some(known) = transaction.read(&[memory.id])?.pop() else { return Ok(None) };
    let mut memory = memory.clone();
    if standing != ImportTrust::Trusted {
        if known.body.origin.source != Source::Imported || !known.is_only_told() {
            return Ok(Some(ImportOutcome::Unchanged));
        }
        (memory.observations, memory.usage) = (known.observations, known.usage);
    }
    if known.updated_at >= memory.updated_at {
        return Ok(Some(ImportOutcome::Unchanged));
    }
    transaction.update(&known, &memory)?;
    index(transaction, &memory)?;
    Ok(Some(ImportOutcome::Updated))
}

/// Takes in a memory that is not there, unless the same is in use under another identifier.
fn take(transaction: &mut dyn Transaction, memory: &Memory) -> EngineResult<ImportOutcome> {
    if memory.status.kind() == StatusKind::Active {
        let twin = transaction
            .find_identical(&memory.content_hash())?
            .into_iter()
            .find(|other| other.status == StatusKind::Active);
        if let Some(twin) = twin
            && let Some(known) = transaction.read(&[twin.id])?.pop()
        {
            let (after, _) = joined(&known, &memory.body);
            transaction.update(&known, &after)?;
            index(transaction, &after)?;
            return Ok(ImportOutcome::Merged(twin.id));
        }
    }
    transaction.insert(memory)?;
    index(transaction, memory)?;
    Ok(ImportOutcome::Stored)
}
