//! The rules and decisions that people write into files of their project: instructions for agents,
//! guides for contributors, and records of architecture decisions.
//!
//! `places.rs` knows the files, `worth.rs` decides by the words of `words.rs`
//! which passages are rules, `contributing.rs` which of
//! those a guide is read for, `adr.rs` reads a decision, and `changed.rs` finds which rule replaced
//! which.

mod adr;
mod changed;
mod contributing;
mod places;
mod words;
mod worth;

use tacit_core::{Draft, clean};

use crate::blocks::{TextBlock, blocks};
use crate::draft::Attribution;
use crate::front_matter::FrontMatter;
use crate::{BridgeError, ImportContent, rules, without_long_secrets};

pub use adr::{AdrStatus, is_decision_record};
pub use changed::replaced;
pub use places::{
    DECISION_FOLDERS, ROOT_FILES, RULE_FOLDERS, WrittenKind, is_decision_file, is_rule_file,
    kind_of, nested_name,
};
pub(crate) use worth::is_rule;

/// The most rules of one file. A file with more is a document, and a hostile one has thousands.
const MAX_RULES: usize = 200;
/// The most files that a file includes.
const MAX_INCLUDES: usize = 32;

/// The rules of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WrittenFile {
    /// The rules, in order; no two have the same text.
    pub rules: Vec<WrittenRule>,
    /// The files that it includes with `@path`, from the root of the worktree, each with the line.
    pub includes: Vec<(String, usize)>,
    /// The status, if the file is a decision record.
    pub status: Option<AdrStatus>,
}

/// A rule, or a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenRule {
    /// The line where it starts.
    pub line: usize,
    /// The memory, with a reference to the line.
    pub draft: Draft,
    /// The paths that it names or applies to, as written.
    pub paths: Vec<String>,
}

/// Reads the rules of a file. `path` is relative to the root of the worktree.
pub fn read_written(
    kind: WrittenKind,
    path: &str,
    bytes: &[u8],
) -> Result<WrittenFile, BridgeError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| BridgeError::NotText { at: error.valid_up_to() })?;
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let cleaned = clean(&text).text;
    let text = without_long_secrets(&cleaned);
    Ok(match kind {
        WrittenKind::Decision => adr::read(path, &text),
        WrittenKind::Instructions | WrittenKind::Contributing => read_rules(kind, path, &text),
    })
}

fn read_rules(kind: WrittenKind, path: &str, text: &str) -> WrittenFile {
    let (front, body, line) = FrontMatter::split_any(text);
    let scope = rules::scope_of(&front);
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut file = WrittenFile::default();
    for block in blocks(body, line) {
        file.add_includes(folder, &block);
        let is_wanted = match kind {
            WrittenKind::Contributing => contributing::is_rule(&block),
            _ => is_rule(&block),
        };
        if is_wanted && file.rules.len() < MAX_RULES {
            file.add(path, &block, &scope);
        }
    }
    if !places::includes_files(path) {
        file.includes.clear();
    }
    file
}

impl WrittenFile {
    /// Adds the rule of a block, unless an earlier one says the same.
    fn add(&mut self, path: &str, block: &TextBlock, scope: &(Option<String>, Vec<String>)) {
        let Ok(mut statement) = rules::statement(path, block) else { return };
        statement.apply_scope(block, scope);
        if block.text.starts_with("```") {
            // The first line of code names nothing.
            statement.title = block.headings.last().cloned();
        }
        statement.reference = format!("{path}:{}", block.line);
        // A text of several parts would be no rule.
        let Some(item) = statement.items(Attribution::FILE).into_iter().next() else { return };
        let ImportContent::Draft(draft) = item.content else { return };
        if self.rules.iter().all(|known| known.draft.content != draft.content) {
            self.rules.push(WrittenRule { line: block.line, draft: *draft, paths: item.paths });
        }
    }

    /// Adds the files that a block includes: words that begin with `@`, outside code.
    fn add_includes(&mut self, folder: &str, block: &TextBlock) {
        for (at, line) in block.text.lines().enumerate() {
            if line.contains('`') {
                continue;
            }
            for word in line.split_whitespace() {
                let Some(name) = word.strip_prefix('@') else { continue };
                let name = name.trim_end_matches(['.', ',', ';', ')']);
                let included = places::resolve(folder, name);
                if let Some(included) = included.filter(|_| self.includes.len() < MAX_INCLUDES) {
                    self.includes.push((included, block.line + at));
                }
            }
        }
    }
}
