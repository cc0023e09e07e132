//! The files that a prompt is surely about, from an index that is there already. Nothing is read
//! but what is mapped.

use tacit_codebase::locate::{Answer, Description, Name};
use tacit_codebase::{Codebase, Depth};
use tacit_core::{AgentEvent, Config, EventKind};

use crate::project::Project;

/// A prompt with fewer words says too little, unless it has a path or a name with its owner.
const FEWEST_WORDS: usize = 4;
/// In larger projects looking takes longer than a prompt should wait.
const MOST_FILES: u32 = 20_000;
/// How many files are looked at; fewer are told.
const LOOKED_AT: usize = 5;

/// The line that tells them.
pub(super) fn line(event: &AgentEvent, config: &Config, place: &Project) -> Option<String> {
    let EventKind::PromptSubmitted { prompt, automatic: false, .. } = &event.kind else {
        return None;
    };
    if !config.hooks_likely_files || is_command(prompt) {
        return None;
    }
    let few = prompt.split_whitespace().nth(FEWEST_WORDS - 1).is_none();
    if few && !prompt.contains('.') {
        return None;
    }
    // Words alone are in some file of any project; only what names something can be sure.
    let description = Description::read(prompt);
    let tells = |name: &Name| !few || name.parts.len() > 1;
    if description.places.is_empty() && !description.names.iter().any(tells) {
        return None;
    }
    let codebase = Codebase::new(&place.worktree, &place.places.project.join("graph"));
    let words =
        codebase.words(Depth::Quick).ok().filter(|words| words.index().files() <= MOST_FILES)?;
    let answer: Answer =
        codebase.locate(&words, &description, &[], Depth::Quick, LOOKED_AT).ok()?;
    let sure = answer.sure().map(|file| file.path.as_str());
    // The index may be of another branch.
    let files: Vec<&str> = sure
        .filter(|path| !path.contains(char::is_control) && place.worktree.join(path).is_file())
        .collect();
    (!files.is_empty()).then(|| format!("Likely files: {}", files.join(", ")))
}

/// Whether a prompt is a command of the client: `/name`, which has nothing of a path but its slash.
fn is_command(prompt: &str) -> bool {
    let first = prompt.split_whitespace().next().and_then(|first| first.strip_prefix('/'));
    first.is_some_and(|name| !name.contains(['/', '.']))
}
