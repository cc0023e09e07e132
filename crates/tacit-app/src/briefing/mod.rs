//! Briefings: what an agent should know about a task, a phase, a unit of work and files, gathered
//! at once for orchestrators that run agents without hooks.
//!
//! Hooks use some of the parts for single events.

pub(crate) mod observations;
mod prefetch;
mod recipe;
mod relay;
mod state;
mod text;

use std::path::Path;

use tacit_core::log::Complexity;
use tacit_core::{
    BuiltinType, Confidence, MemoryId, MemoryType, RepoPath, SessionId, Timestamp, UniversalPhase,
};
use tacit_engine::{
    CLEAR, Engine, EngineResult, RecallRequest, RecallResult, StoredMemory, Strictness,
};
use tacit_observer::rules::is_obvious_pair;
use tacit_store::{Filter, Note};
use tacit_work::CurrentWork;
use tacit_work::scope::{Position, applies};

use crate::recall;

pub use prefetch::PrefetchedFile;
pub use recipe::recipe_text;
pub use recipe::recipes;
pub use relay::RelayContent;
pub use state::unfinished_work;
pub(crate) use state::{last_state, state_item};

/// The maximum number of issues that QA found.
const QA_ISSUES: usize = 10;
/// The maximum number of memories about files.
const ABOUT_FILES: usize = 4;
/// The least confidence of a memory about a file.
const FILE_CONFIDENCE: f64 = 0.65;
/// The types worth showing about a file that is worked on: what can go wrong with it.
pub(crate) const FILE_TYPES: [BuiltinType; 5] = [
    BuiltinType::Gotcha,
    BuiltinType::ErrorPattern,
    BuiltinType::DeadEnd,
    BuiltinType::E2eObservation,
    BuiltinType::CausalDependency,
];
/// Types that are left out for trivial units of work.
const NOT_FOR_TRIVIAL: [&str; 2] =
    [BuiltinType::WorkflowRecipe.as_str(), BuiltinType::E2eObservation.as_str()];

/// The subject and the limits of a briefing.
#[derive(Debug, Clone)]
pub struct BriefingRequest<'w> {
    /// The task, in the user's words.
    pub task: Option<&'w str>,
    /// The phase by the methodology's name for it, with the universal phase it maps to.
    pub phase: Option<(String, UniversalPhase)>,
    /// The current unit of work, with its phase and complexity.
    pub work: &'w CurrentWork,
    /// The agent's session, if there is one.
    pub session: Option<&'w SessionId>,
    /// The checked-out branch.
    pub branch: Option<&'w str>,
    /// Files that the task touches.
    pub files: &'w [RepoPath],
    /// Modules that the task touches.
    pub modules: &'w [String],
    /// Files that the text of the task points to with certainty.
    pub likely: &'w [RepoPath],
    /// The root of the worktree; no file outside it is read.
    pub root: &'w Path,
    /// The current time.
    pub now: Timestamp,
    /// The maximum number of memories about the task.
    pub limit: usize,
    /// The certainty required of memories about the task.
    pub strictness: Strictness,
}

/// The knowledge for an agent that starts a task. Each memory is in one part only.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Briefing {
    /// The state in which the last session left the work.
    pub state: Option<StoredMemory>,
    /// Issues that QA found in the work and that are not fixed yet.
    pub qa_issues: Vec<Note>,
    /// Recipes for the task.
    pub recipes: Vec<StoredMemory>,
    /// The relays from earlier stages to the current one.
    pub relays: Vec<RelayContent>,
    /// Memories about what can go wrong with the files.
    pub about_files: Vec<StoredMemory>,
    /// End-to-end observations of the running application, for the validation phase.
    pub observations: Vec<StoredMemory>,
    /// Memories about the task.
    pub recalled: Vec<RecallResult>,
    /// Files that such work always reads, with their contents.
    pub prefetched: Vec<PrefetchedFile>,
    /// Remarks about an incomplete search.
    pub notes: Vec<String>,
}

impl Briefing {
    /// Gathers all parts that the request calls for.
    pub fn gather(engine: &Engine<'_>, request: &BriefingRequest<'_>) -> EngineResult<Briefing> {
        let mut briefing = Briefing::default();
        let phase = request.phase.as_ref().map(|(_, phase)| *phase);
        let trivial = request.work.complexity == Some(Complexity::Trivial);
        briefing.state =
            last_state(engine, request.work, request.branch, request.root, request.now)?;
        let unit = || request.work.unit().cloned();
        briefing.qa_issues = engine.open_qa_failures(unit, request.branch, &[])?;
        briefing.qa_issues.truncate(QA_ISSUES);
        if !trivial
            && matches!(phase, None | Some(UniversalPhase::Define | UniversalPhase::Implement))
        {
            let how = RecallRequest {
                strictness: request.strictness,
                ..RecallRequest::explicit(String::new(), Filter::default(), 0)
            };
            let found = recipes(engine, request.task.unwrap_or_default(), how)?;
            briefing.recipes = found.into_iter().map(|recalled| recalled.found).collect();
        }
        briefing.relays = relay::find(engine, request)?;
        if !request.files.is_empty() {
            briefing.about_files = about_files(engine, request.files, phase, ABOUT_FILES)?;
        }
        if phase == Some(UniversalPhase::Validate) && !trivial {
            briefing.observations = observations::find(engine, request)?;
        }
        if phase == Some(UniversalPhase::Implement) {
            briefing.prefetched = prefetch::files(engine, request)?;
        }
        briefing.keep_applying(&request.work.position(request.session));
        if let Some(task) = request.task.filter(|task| !task.trim().is_empty()) {
            let recall = RecallRequest {
                phase,
                strictness: request.strictness,
                files: request.files.to_vec(),
                seen: briefing.ids(),
                ..RecallRequest::explicit(task, Filter::default(), request.limit)
            };
            let answers = recall::search(engine, recall)?;
            briefing.notes = answers.notes;
            briefing.recalled = answers.shown;
            let here = request.work.position(request.session);
            briefing.recalled.retain(|one| {
                let memory = &one.found.memory;
                // Nobody judges the results of a briefing, so doubtful ones are left out.
                let is_clear = one.why.is_none_or(|why| why.likelihood >= CLEAR);
                let too_much = trivial && NOT_FOR_TRIVIAL.contains(&memory.memory_type().as_str());
                is_clear && !too_much && applies(memory.body.subject.placement(), &here)
            });
        }
        Ok(briefing)
    }

    /// Removes memories of other work and other sessions, and from each part what an earlier part
    /// has.
    fn keep_applying(&mut self, here: &Position<'_>) {
        let mut known: Vec<MemoryId> = self.state.iter().map(|found| found.memory.id).collect();
        known.extend(self.relays.iter().flat_map(|relay| &relay.memories).map(|one| one.memory.id));
        for part in [&mut self.recipes, &mut self.about_files, &mut self.observations] {
            part.retain(|found| {
                applies(found.memory.body.subject.placement(), here)
                    && !known.contains(&found.memory.id)
            });
            known.extend(part.iter().map(|found| found.memory.id));
        }
    }

    /// Returns the ids of all memories in the briefing.
    pub fn ids(&self) -> Vec<MemoryId> {
        let relayed = self.relays.iter().flat_map(|relay| &relay.memories);
        let recalled = self.recalled.iter().map(|recalled| &recalled.found);
        let found = self.state.iter().chain(&self.recipes).chain(relayed);
        let found = found.chain(&self.about_files).chain(&self.observations).chain(recalled);
        found.map(|found| found.memory.id).collect()
    }
}

/// Returns confident warnings about files, without pairs of files that the code shows anyway.
pub fn about_files(
    engine: &Engine<'_>,
    files: &[RepoPath],
    phase: Option<UniversalPhase>,
    limit: usize,
) -> EngineResult<Vec<StoredMemory>> {
    let filter = Filter {
        types: FILE_TYPES.map(MemoryType::Builtin).to_vec(),
        files: files.to_vec(),
        min_confidence: Confidence::new(FILE_CONFIDENCE).ok(),
        ..Filter::default()
    };
    let mut found = engine.top_memories(None, &filter, phase, limit)?;
    found.retain(|found| {
        let memory = &found.memory;
        let is_pair = memory.memory_type() == MemoryType::Builtin(BuiltinType::CausalDependency);
        let files: Vec<&RepoPath> = memory.body.files.iter().collect();
        !(is_pair && matches!(files[..], [a, b] if is_obvious_pair(a, b)))
    });
    Ok(found)
}
