//! The focus of a session that starts: what is about to be worked on, as far as the branch, the
//! unit of work, the worktree and the last commits tell without running git.

use tacit_core::{Details, Memory, RepoPath, Scope, tokenize};
use tacit_engine::{EngineResult, StoredMemory};
use tacit_work::{UnitSource, is_trunk};

use super::HookContext;
use crate::recent_files;

/// The maximum number of files that stand beside those in work.
const BESIDE: usize = 40;
/// The minimum length of a word of a branch that tells something, in bytes.
const MIN_WORD: usize = 4;
/// Words of branches and units that tell nothing.
const COMMON_WORDS: [&str; 12] = [
    "feature", "feat", "bugfix", "hotfix", "chore", "task", "branch", "update", "refactor",
    "issue", "story", "test",
];
/// The share of the words of a memory that another one has if it says the same.
const REPEATED: f64 = 0.75;

/// The files and words that a session is probably about to work on.
pub(super) struct Focus {
    /// True if the unit of work is known. Memories of other units are not examined.
    in_unit: bool,
    uncommitted: Vec<RepoPath>,
    words: Vec<String>,
    committed: Vec<RepoPath>,
    beside: Vec<RepoPath>,
}

impl Focus {
    /// Finds the focus. Examines only files that the memories are about.
    pub(super) fn find(ctx: &HookContext<'_, '_>, among: &[StoredMemory]) -> EngineResult<Focus> {
        let mut files: Vec<&str> = Vec::new();
        for file in among.iter().flat_map(|found| found.memory.body.files.iter()) {
            if !files.contains(&file.as_str()) {
                files.push(file.as_str());
            }
        }
        let store = &ctx.engine.paths().project;
        let committed = paths(recent_files::read(store, ctx.root));
        let changed =
            if files.is_empty() { None } else { tacit_git::changed_since_index(ctx.root, &files) };
        // A path that does not exist is no work in progress.
        let exists = |file: &RepoPath| ctx.root.join(file.as_str()).exists();
        let uncommitted: Vec<RepoPath> =
            paths(changed.unwrap_or_default()).into_iter().filter(exists).collect();
        let in_work: Vec<RepoPath> = uncommitted.iter().chain(&committed).cloned().collect();
        let beside = ctx.engine.linked_files(&in_work, BESIDE)?;
        let in_unit = ctx.work().unit.is_some();
        Ok(Focus { in_unit, uncommitted, words: words(ctx), committed, beside })
    }

    /// Returns how near a memory is to the focus, largest first, and the reason; `None` if it is
    /// not.
    pub(super) fn nearness(&self, memory: &Memory) -> Option<(u8, &'static str)> {
        let about = |files: &[RepoPath]| {
            memory.body.files.iter().any(|own| files.iter().any(|file| is_at_or_below(file, own)))
        };
        if self.in_unit && memory.body.subject.placement().scope() == Scope::WorkUnit {
            Some((5, "about this unit of work"))
        } else if about(&self.uncommitted) {
            Some((4, "about a file with uncommitted changes"))
        } else if self.is_named_by(memory) {
            Some((3, "about what the branch names"))
        } else if about(&self.committed) {
            Some((2, "about a file of the last commits"))
        } else if about(&self.beside) {
            Some((1, "about a file that changes with those in work"))
        } else {
            None
        }
    }

    /// Returns true if a memory has most of the words of the branch or the unit of work.
    fn is_named_by(&self, memory: &Memory) -> bool {
        let body = &memory.body;
        let mut text = body.titled();
        let files = body.files.iter().map(RepoPath::as_str);
        let tags = body.tags.iter().map(|tag| tag.as_str());
        for part in files.chain(tags).chain(body.modules.iter().map(|module| module.as_str())) {
            text.push(' ');
            text.push_str(part);
        }
        let tokens = tokenize(&text);
        let known = tokens.distinct();
        let shared = self.words.iter().filter(|word| known.contains(&word.as_str())).count();
        !self.words.is_empty() && 2 * shared > self.words.len()
    }
}

/// Returns the words of the branch and of a declared unit that tell what the work is about.
fn words(ctx: &HookContext<'_, '_>) -> Vec<String> {
    let branch = ctx.branch().filter(|branch| !is_trunk(branch));
    let unit = match &ctx.work().unit {
        Some((unit, UnitSource::Declared(_))) => Some(unit.label()),
        _ => None,
    };
    // As a whole, the name of a branch would be a path, which no memory has.
    let parts =
        branch.into_iter().chain(unit).flat_map(|text| text.split(|c: char| !c.is_alphanumeric()));
    let tokens = tokenize(&parts.collect::<Vec<_>>().join(" "));
    let tells = |word: &&str| {
        word.len() >= MIN_WORD
            && !COMMON_WORDS.contains(word)
            && word.bytes().any(|byte| byte.is_ascii_alphabetic())
    };
    tokens.distinct().into_iter().filter(tells).map(str::to_owned).collect()
}

fn paths(texts: Vec<String>) -> Vec<RepoPath> {
    texts.into_iter().filter_map(|text| RepoPath::new(text).ok()).collect()
}

/// Returns true if a file is the one that a memory is about, or in its directory.
fn is_at_or_below(file: &RepoPath, own: &RepoPath) -> bool {
    let rest = file.as_str().strip_prefix(own.as_str().trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Removes memories that say no more than a recipe among them.
pub(super) fn without_repeated(found: Vec<(StoredMemory, &str)>) -> Vec<(StoredMemory, &str)> {
    let is_recipe =
        |memory: &Memory| matches!(memory.body.subject.details(), Details::WorkflowRecipe(_));
    let recipes: Vec<String> = found
        .iter()
        .filter(|(one, _)| is_recipe(&one.memory))
        .filter_map(|(one, _)| crate::briefing::recipe_text(&one.memory))
        .collect();
    let recipes: Vec<_> = recipes.iter().map(|text| tokenize(text)).collect();
    let is_repeated = |memory: &Memory| {
        let text = memory.body.titled();
        let tokens = tokenize(&text);
        let words = tokens.distinct();
        !words.is_empty()
            && recipes.iter().any(|recipe| {
                let recipe = recipe.distinct();
                let shared = words.iter().filter(|word| recipe.contains(word)).count();
                shared as f64 >= REPEATED * words.len() as f64
            })
    };
    let keep = |one: &(StoredMemory, &str)| is_recipe(&one.0.memory) || !is_repeated(&one.0.memory);
    found.into_iter().filter(keep).collect()
}
