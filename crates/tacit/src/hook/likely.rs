//! The files that a prompt is surely about, from an index that is there already. Nothing is read
//! but what is mapped.

use tacit_codebase::{Codebase, Depth};
use tacit_core::{AgentEvent, Config, Happening};
use tacit_locate::{Answer, Description};

use super::Place;

/// A prompt with fewer words says too little.
const FEWEST_WORDS: usize = 4;
/// In larger projects looking takes longer than a prompt should wait.
const MOST_FILES: u32 = 20_000;
/// How many files are looked at; fewer are told.
const LOOKED_AT: usize = 5;

/// The line that tells them.
pub(super) fn line(event: &AgentEvent, config: &Config, place: &Place) -> Option<String> {
    let Happening::PromptSubmitted { prompt, automatic: false, .. } = &event.what else {
        return None;
    };
    let telling = !prompt.trim_start().starts_with('/')
        && prompt.split_whitespace().nth(FEWEST_WORDS - 1).is_some();
    if !config.hooks_likely_files || !telling {
        return None;
    }
    // Words alone are in some file of any project; only what names something can be sure.
    let description = Description::read(prompt);
    if description.places.is_empty() && description.names.is_empty() {
        return None;
    }
    let codebase = Codebase::new(&place.root, &place.places.project.join("graph"));
    let words = codebase.words().ok().filter(|words| words.index().files() <= MOST_FILES)?;
    let answer: Answer =
        codebase.locate(&words, &description, &[], Depth::Quick, LOOKED_AT).ok()?;
    let sure = answer.sure().map(|file| file.path.as_str());
    // The index may be of another branch.
    let files: Vec<&str> = sure.filter(|path| place.root.join(path).is_file()).collect();
    (!files.is_empty()).then(|| format!("Likely files: {}", files.join(", ")))
}
