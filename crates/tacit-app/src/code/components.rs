//! Finds the files that render what observations of the application name.

use tacit_codebase::{CodebaseError, SearchDepth};
use tacit_core::RepoPath;
use tacit_engine::{CodeIndex, Engine};

use super::CurrentCode;
use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

/// Links observations to the files that render the texts and elements they name, if the code is
/// indexed. Returns the number of linked observations.
pub fn link_components(app: &App, engine: &mut Engine<'_>) -> AppResult<usize> {
    let codebase = main_codebase(app);
    let opened = codebase.open().and_then(|graph| {
        let words = codebase.words(SearchDepth::Thorough)?;
        Ok((graph, words))
    });
    let (graph, words) = match opened {
        Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => return Ok(0),
        opened => opened?,
    };
    let code = CurrentCode::new(app, &codebase, &graph);
    let find = |text: &str| {
        let mut files = codebase.files_showing(&words, text);
        if files.is_empty() && is_component(text) {
            let defined = code.find_everywhere(text).into_iter();
            files.extend(defined.map(|link| link.symbol.path().to_string()));
            files.dedup();
        }
        match files.as_slice() {
            [file] => RepoPath::new(file.as_str()).ok(),
            _ => None,
        }
    };
    Ok(engine.link_components(&find)?)
}

/// Returns true for a name in the form of components, such as `MemoryPanel`: words that begin with a
/// capital, without separators.
fn is_component(text: &str) -> bool {
    let capitals = text.chars().filter(char::is_ascii_uppercase).count();
    text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.chars().all(|c| c.is_ascii_alphanumeric())
        && capitals >= 2
        && capitals < text.len()
}

#[cfg(test)]
mod tests {
    use super::is_component;

    #[test]
    fn components_are_compound_names() {
        for (text, expected) in [
            ("MemoryPanel", true),
            ("Save", false),
            ("SAVE", false),
            ("Memory panel", false),
            ("memoryPanel", false),
            ("", false),
        ] {
            assert_eq!(is_component(text), expected, "{text}");
        }
    }
}
