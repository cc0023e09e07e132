//! What whoever directs agents puts before one, without a client and its hooks: what is known about
//! a task, a phase, a unit of work and files, gathered at once.
//!
//! Layers use the same parts where an event calls for them.

mod observations;
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
use tacit_engine::{Engine, EngineResult, RecallRequest, RecallResult, StoredMemory, Strictness};
use tacit_store::Filter;
use tacit_work::Work;
use tacit_work::scope::applies;

pub use prefetch::Prefetched;
pub use recipe::recipe_text;
pub use recipe::recipes;
pub use relay::Relayed;
pub(crate) use state::{last_state, state_item};

/// How many memories about files are.
const ABOUT_FILES: usize = 4;
/// How sure what is said about a file must be.
const FILE_CONFIDENCE: f64 = 0.65;
/// What is worth knowing about a file while it is worked on.
const FILE_TYPES: [BuiltinType; 4] = [
    BuiltinType::Gotcha,
    BuiltinType::ErrorPattern,
    BuiltinType::DeadEnd,
    BuiltinType::E2eObservation,
];
/// Types that a trivial unit is not worth.
const NOT_FOR_TRIVIAL: [&str; 2] =
    [BuiltinType::WorkflowRecipe.as_str(), BuiltinType::E2eObservation.as_str()];

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Wanted<'w> {
    /// What is to be done.
    pub task: Option<&'w str>,
    /// The phase, in the words of the methodology, and the universal phase that it is.
    pub phase: Option<(String, UniversalPhase)>,
    /// What is being worked on.
    pub work: &'w Work,
    /// The session, if it is one of an agent.
    pub session: Option<&'w SessionId>,
    /// The branch.
    pub branch: Option<&'w str>,
    /// Files at hand.
    pub files: &'w [RepoPath],
    /// Modules at hand.
    pub modules: &'w [String],
    /// Files that the task is surely about.
    pub likely: &'w [RepoPath],
    /// The root of the worktree, out of which no file is read.
    pub root: &'w Path,
    /// The present moment.
    pub now: Timestamp,
    /// How many memories about the task.
    pub limit: usize,
    /// How sure it must be that they are about it.
    pub strictness: Strictness,
}

/// What is put before an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// Where the work was left.
    pub state: Option<StoredMemory>,
    /// Recipes for the task.
    pub recipes: Vec<StoredMemory>,
    /// What is handed on to the stage that works now.
    pub relays: Vec<Relayed>,
    /// What can go wrong with the files.
    pub about_files: Vec<StoredMemory>,
    /// What the running application was seen to do, for those who check it.
    pub observations: Vec<StoredMemory>,
    /// What is known about the task.
    pub recalled: Vec<RecallResult>,
    /// Files that are always read for such work.
    pub prefetched: Vec<Prefetched>,
    /// What kept the search from being complete, in words.
    pub notes: Vec<String>,
}

impl Context {
    /// Gathers what is wanted. Each memory is in one part only.
    pub fn gather(engine: &Engine<'_>, wanted: &Wanted<'_>) -> EngineResult<Context> {
        let mut context = Context::default();
        let phase = wanted.phase.as_ref().map(|(_, phase)| *phase);
        let trivial = wanted.work.complexity == Some(Complexity::Trivial);
        context.state = last_state(engine, wanted.work, wanted.branch, wanted.now)?;
        if !trivial
            && matches!(phase, None | Some(UniversalPhase::Define | UniversalPhase::Implement))
        {
            let how = RecallRequest {
                strictness: wanted.strictness,
                ..RecallRequest::explicit(String::new(), Filter::default(), 0)
            };
            let found = recipes(engine, wanted.task.unwrap_or_default(), how)?;
            context.recipes = found.into_iter().map(|recalled| recalled.found).collect();
        }
        context.relays = relay::to(engine, wanted)?;
        if !wanted.files.is_empty() {
            context.about_files = about_files(engine, wanted.files, phase, ABOUT_FILES)?;
            let here = wanted.work.position(wanted.session);
            context
                .about_files
                .retain(|found| applies(found.memory.body.subject.placement(), &here));
        }
        if phase == Some(UniversalPhase::Validate) && !trivial {
            context.observations = observations::of(engine, wanted)?;
        }
        if phase == Some(UniversalPhase::Implement) {
            context.prefetched = prefetch::files(engine, wanted)?;
        }
        if let Some(task) = wanted.task.filter(|task| !task.trim().is_empty()) {
            let recall = RecallRequest {
                phase,
                strictness: wanted.strictness,
                files: wanted.files.to_vec(),
                seen: context.ids(),
                ..RecallRequest::explicit(task, Filter::default(), wanted.limit)
            };
            let answers = engine.recall(&recall)?;
            context.notes = answers.notes;
            context.recalled = answers.shown;
            let here = wanted.work.position(wanted.session);
            context.recalled.retain(|one| {
                let memory = &one.found.memory;
                let idle = trivial && NOT_FOR_TRIVIAL.contains(&memory.memory_type().as_str());
                !idle && applies(memory.body.subject.placement(), &here)
            });
        }
        Ok(context)
    }

    /// Every memory in it.
    pub fn ids(&self) -> Vec<MemoryId> {
        let relayed = self.relays.iter().flat_map(|relay| &relay.memories);
        let recalled = self.recalled.iter().map(|recalled| &recalled.found);
        let found = self.state.iter().chain(&self.recipes).chain(relayed);
        let found = found.chain(&self.about_files).chain(&self.observations).chain(recalled);
        found.map(|found| found.memory.id).collect()
    }
}

/// What has proved true and can go wrong with files.
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
    engine.top_memories(None, &filter, phase, limit)
}
