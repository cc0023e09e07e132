//! Export and import of memories.

use serde_json::{Map, Value};
use tacit_core::{
    Confidence, Draft, Memory, MemoryId, Origin, Reference, Relations, Review, Scope, Sessions,
    Source, Status, StatusKind, Timestamp, Usage,
};
use tacit_store::{ActionKind, ChangeId, Filter, ListOrder, ListQuery, Transaction};

use crate::change::reject_duplicate;
use crate::engine::{Engine, Requester, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::{
    PreparedRequest, RememberOutcome, RememberResult, TextCleanup, WriteGate, index, merged,
    redact_memory, reject_global_files,
};

/// The first line of an export, with its format.
pub const EXPORT_HEADER: &str = r#"{"format":"tacit-export","version":1}"#;

/// The number of memories read at a time.
const PAGE: usize = 500;

/// A line of an import file.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportLine {
    /// A memory from an export, with identifier and times.
    Memory(Box<Memory>),
    /// A draft to remember.
    Draft(Box<Draft>),
}

/// The trust in an import file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportTrust {
    /// An untrusted file. Its text is imported for review; its claims about author,
    /// review and usage are ignored.
    Untrusted,
    /// The user's own instruction file for agents.
    UserFile,
    /// The user vouches for the whole file, such as a backup.
    Trusted,
}

/// The outcome of an imported line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportOutcome {
    /// A new memory was stored.
    Stored,
    /// The line is newer than the stored memory.
    Updated,
    /// The same memory is stored under another identifier and got the labels.
    Merged(MemoryId),
    /// The same memory is stored and was reinforced.
    Reinforced(MemoryId),
    /// The same or a newer memory is stored.
    Unchanged,
    /// The memory was forgotten.
    Refused,
}

/// The result of an import or of a dry run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportPlan {
    /// The outcome of each line, in order.
    pub items: Vec<ImportOutcome>,
    /// The changes to the texts.
    pub cleanup: TextCleanup,
    /// The recorded change.
    pub change: Option<ChangeId>,
}

impl ImportLine {
    /// Parses a line; `None` for an empty line and the header.
    pub fn parse(text: &str) -> Result<Option<ImportLine>, String> {
        if text.trim().is_empty() {
            return Ok(None);
        }
        let value: Value = serde_json::from_str(text)
            .map_err(|error| single_line_error("not valid JSON", &error))?;
        let Value::Object(fields) = &value else {
            return Err("not a JSON object".into());
        };
        if let Some(format) = fields.get("format") {
            return header(format, fields);
        }
        if fields.contains_key("id") {
            let memory = Memory::from_json(value).map_err(|error| error.to_string())?;
            return Ok(Some(ImportLine::Memory(Box::new(memory))));
        }
        // From the text: a `Value` keeps only the last of two equal keys and hides the duplicate.
        let draft = serde_json::from_str(text)
            .map_err(|error| single_line_error("not a memory", &error))?;
        Ok(Some(ImportLine::Draft(Box::new(draft))))
    }
}

impl ImportLine {
    /// Returns true if only its owner may see the memory.
    fn is_private(&self) -> bool {
        match self {
            ImportLine::Memory(memory) => !memory.body.visibility.is_team(),
            ImportLine::Draft(draft) => draft.is_private(),
        }
    }

    /// Reduces a line to the claims that its file is trusted with.
    fn restricted_to(self, standing: ImportTrust, now: Timestamp) -> ImportLine {
        if standing == ImportTrust::Trusted {
            return self;
        }
        match self {
            ImportLine::Memory(memory) => {
                ImportLine::Memory(Box::new(without_claims(*memory, now)))
            }
            ImportLine::Draft(draft) => {
                ImportLine::Draft(Box::new(draft_without_claims(*draft, standing)))
            }
        }
    }
}

/// Removes the claims that a file makes about a memory.
fn without_claims(mut memory: Memory, now: Timestamp) -> Memory {
    memory.body.origin = Origin {
        source: Source::Imported,
        author: None,
        generator: None,
        commit: None,
        phase: None,
        sessions: Sessions::default(),
    };
    memory.body.trust.review = Review::Needed;
    memory.body.confidence = Confidence::MEDIUM;
    memory.body.derived_confidence = None;
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

/// Removes the claims that a file makes about a draft. A draft from the user's own file is
/// verified.
fn draft_without_claims(mut draft: Draft, standing: ImportTrust) -> Draft {
    let own = standing == ImportTrust::UserFile;
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

/// Formats the error of a single line of JSON. The parser's line number is always 1 and would
/// mislead in a longer file.
pub fn single_line_error(what: &str, error: &serde_json::Error) -> String {
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
    /// Passes every memory of a store to `write`, oldest first. Returns their number.
    pub fn export(
        &self,
        scope: StoreScope,
        filter: &Filter,
        mut write: impl FnMut(&Memory) -> EngineResult<()>,
    ) -> EngineResult<usize> {
        let Some(store) = self.store(scope) else { return self.missing_store(scope) };
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

    /// Imports lines, all or none; with `dry_run`, only reports the outcome. An agent's imports are
    /// untrusted and never go to the global store.
    pub fn import(
        &mut self,
        scope: StoreScope,
        lines: Vec<(usize, ImportTrust, ImportLine)>,
        dry_run: bool,
    ) -> EngineResult<ImportPlan> {
        if self.requester == Requester::Agent && scope == StoreScope::Global {
            return Err(EngineError::PersonOnly("import to the global store"));
        }
        let mut plan = ImportPlan::default();
        let mut ready: Vec<(usize, Ready)> = Vec::with_capacity(lines.len());
        for (line, standing, incoming) in lines {
            let at_line = |error: EngineError| EngineError::Import {
                line,
                problem: error.to_string().replace('\n', "; "),
            };
            let standing =
                if self.requester == Requester::Agent { ImportTrust::Untrusted } else { standing };
            if self.requester == Requester::Agent && incoming.is_private() {
                return Err(at_line(EngineError::PersonOnly("import a private memory")));
            }
            if let ImportLine::Draft(draft) = &incoming {
                // Misspelt claims are reported even if they are ignored.
                let claims = Draft {
                    content: "claims".to_owned(),
                    source: draft.source.clone(),
                    review: draft.review.clone(),
                    visibility: draft.visibility.clone(),
                    confidence: draft.confidence,
                    ..Draft::default()
                };
                let checked = claims.check(Confidence::MEDIUM);
                checked.map_err(|errors| at_line(EngineError::Invalid(errors)))?;
            }
            let incoming = incoming.restricted_to(standing, self.clock.now());
            let item = match incoming {
                ImportLine::Memory(memory) => {
                    if !(memory.body.files.is_empty() && memory.body.symbols.is_empty()) {
                        reject_global_files(scope).map_err(|error| at_line(error.into()))?;
                    }
                    // The file may have been edited by hand.
                    let memory = redact_memory(*memory, &mut plan.cleanup).map_err(at_line)?;
                    Ready::Whole(Box::new(memory), standing)
                }
                ImportLine::Draft(draft) => {
                    let prepared = self.prepare_as_is(scope, *draft).map_err(at_line)?;
                    plan.cleanup.add(&prepared.cleanup);
                    Ready::Draft(Box::new(prepared))
                }
            };
            ready.push((line, item));
        }
        let action = self.action(ActionKind::Import, None);
        let mut gate = self.open_gate(scope, action, true)?;
        // Known memories are updated first; otherwise two memories that swapped their texts would
        // look like duplicates halfway.
        let mut items: Vec<Option<ImportOutcome>> = Vec::with_capacity(ready.len());
        for (_, item) in &ready {
            items.push(match item {
                Ready::Whole(memory, standing) => {
                    update_known(gate.transaction.as_mut(), memory, *standing)?
                }
                Ready::Draft(_) => None,
            });
        }
        for ((line, item), known) in ready.into_iter().zip(items) {
            plan.items.push(match (item, known) {
                (Ready::Whole(memory, _), Some(ImportOutcome::Updated)) => {
                    reject_duplicate(gate.transaction.as_ref(), &memory).map_err(|error| {
                        match error {
                            EngineError::Duplicate(_) => {
                                EngineError::Import { line, problem: error.to_string() }
                            }
                            other => other,
                        }
                    })?;
                    ImportOutcome::Updated
                }
                (_, Some(known)) => known,
                (Ready::Whole(memory, _), None) => take(gate.transaction.as_mut(), &memory)?,
                (Ready::Draft(prepared), None) => import_draft(&mut gate, *prepared)?,
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

/// Imports a draft. A draft that adds nothing to its duplicate changes nothing, and a forgotten
/// memory does not come back from the same place.
fn import_draft(
    gate: &mut WriteGate<'_>,
    prepared: PreparedRequest,
) -> EngineResult<ImportOutcome> {
    let known = gate.identical(&prepared.body)?;
    let (in_use, left): (Vec<&Memory>, Vec<&Memory>) =
        known.iter().partition(|memory| memory.status.kind() == StatusKind::Active);
    if let Some(memory) = in_use.last() {
        let follows = memory.body.origin.source == Source::File;
        let mut places = prepared.body.references.iter();
        let (after, _) = merged(memory, &prepared.body);
        if after == **memory || follows && places.all(|place| is_place_of(memory, place)) {
            return Ok(ImportOutcome::Unchanged);
        }
    } else if !prepared.body.references.is_empty()
        && left
            .iter()
            .any(|memory| prepared.body.references.iter().all(|place| is_place_of(memory, place)))
    {
        return Ok(ImportOutcome::Refused);
    }
    match gate.submit(prepared) {
        Ok(RememberResult {
            outcome: RememberOutcome::Reinforced, memory: Some(memory), ..
        }) => Ok(ImportOutcome::Reinforced(memory.id)),
        Ok(_) => Ok(ImportOutcome::Stored),
        Err(EngineError::RecentlyForgotten { .. }) => Ok(ImportOutcome::Refused),
        Err(error) => Err(error),
    }
}

/// Returns true if a memory is from a place: the same one, or any in the file that it follows.
fn is_place_of(memory: &Memory, place: &Reference) -> bool {
    let is_followed = memory.body.origin.source == Source::File;
    let mut own = memory.body.references.iter();
    own.any(|own| own == place || is_followed && own.file() == place.file())
}

/// Updates a stored memory; `None` if it is not stored. Importing the same file twice changes
/// nothing the second time. An untrusted file changes only unconfirmed memories from such files, and
/// no file makes a private memory visible to the team.
fn update_known(
    transaction: &mut dyn Transaction,
    memory: &Memory,
    standing: ImportTrust,
) -> EngineResult<Option<ImportOutcome>> {
    let Some(known) = transaction.read(&[memory.id])?.pop() else { return Ok(None) };
    let mut memory = memory.clone();
    if standing != ImportTrust::Trusted {
        if known.body.origin.source != Source::Imported || !known.is_unconfirmed_claim() {
            return Ok(Some(ImportOutcome::Unchanged));
        }
        (memory.observations, memory.usage) = (known.observations, known.usage);
    }
    if known.updated_at >= memory.updated_at {
        return Ok(Some(ImportOutcome::Unchanged));
    }
    if !known.body.visibility.is_team() {
        memory.body.visibility = known.body.visibility;
    }
    transaction.update(&known, &memory)?;
    index(transaction, &memory)?;
    Ok(Some(ImportOutcome::Updated))
}

/// Inserts a memory, unless an active duplicate exists.
pub(crate) fn take(
    transaction: &mut dyn Transaction,
    memory: &Memory,
) -> EngineResult<ImportOutcome> {
    if memory.status.kind() == StatusKind::Active {
        let twin = transaction
            .find_identical(&memory.content_hash())?
            .into_iter()
            .find(|other| other.status == StatusKind::Active);
        if let Some(twin) = twin
            && let Some(known) = transaction.read(&[twin.id])?.pop()
        {
            let (after, _) = merged(&known, &memory.body);
            transaction.update(&known, &after)?;
            index(transaction, &after)?;
            return Ok(ImportOutcome::Merged(twin.id));
        }
    }
    transaction.insert(memory)?;
    index(transaction, memory)?;
    Ok(ImportOutcome::Stored)
}
