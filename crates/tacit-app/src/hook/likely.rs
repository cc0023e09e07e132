//! Likely files: those that a prompt clearly names, found in an existing index. Only memory-mapped
//! files are read.

use tacit_codebase::locate::{CodeName, Description, LocateAnswer};
use tacit_codebase::{Codebase, SearchDepth};
use tacit_core::{AgentEvent, Config, EventKind};

use crate::project::Project;
use crate::prompt_query::{parse_prompt, without_command};

/// Shorter prompts say too little, unless they have a path or a qualified name.
const MIN_WORDS: usize = 4;
/// In larger projects the search takes longer than a prompt should wait.
const MAX_FILES: u32 = 20_000;
/// The maximum number of files ranked; only the certain ones are shown.
const RANKED: usize = 5;

/// Returns the line that names the likely files, if any are certain.
pub(super) fn line(event: &AgentEvent, config: &Config, project: &Project) -> Option<String> {
    let EventKind::PromptSubmitted { prompt, automatic: false, .. } = &event.kind else {
        return None;
    };
    if !config.hooks_likely_files || parse_prompt(prompt).is_command() {
        return None;
    }
    let prompt = without_command(prompt);
    let is_short = prompt.split_whitespace().nth(MIN_WORDS - 1).is_none();
    if is_short && !prompt.contains('.') {
        return None;
    }
    // Every project contains plain words; only names and paths can make a file certain.
    let description = Description::read(prompt);
    let is_specific = |name: &CodeName| !is_short || name.parts.len() > 1;
    if description.paths.is_empty() && !description.names.iter().any(is_specific) {
        return None;
    }
    let codebase = Codebase::new(&project.worktree, &project.places.project.join("graph"));
    let words = codebase
        .words(SearchDepth::Quick)
        .ok()
        .filter(|words| words.index().files() <= MAX_FILES)?;
    let answer: LocateAnswer =
        codebase.locate(&words, &description, &[], SearchDepth::Quick, RANKED).ok()?;
    let certain = answer.proactive_files().map(|file| file.path.as_str());
    // The index may have been built on another branch.
    let files: Vec<&str> = certain
        .filter(|path| !path.contains(char::is_control) && project.worktree.join(path).is_file())
        .collect();
    (!files.is_empty()).then(|| format!("Likely files: {}", files.join(", ")))
}
