//! Reads the files of other memory tools as drafts of memories.
//!
//! Bytes in, drafts out: nothing here opens a store, and only [`claude_mem`] and [`iflow`]
//! open a file, a database, read-only. Every draft has its source: a reference to the file and section, and the
//! author. The same input gives the same drafts, so importing it again adds nothing.
//!
//! [`tacit_markdown`] writes memories as markdown and reads them back without loss. [`settings`]
//! are not memories: they are mapped to configuration keys.

mod auto_memory;
mod basic_memory;
mod beads;
mod blocks;
pub mod claude_mem;
mod detect;
mod draft;
mod front_matter;
pub mod iflow;
mod mcp_memory;
mod rules;
mod serena;
pub mod settings;
mod sqlite;
pub mod tacit_markdown;
pub mod written;
mod wt_memory;

use std::borrow::Cow;

use tacit_core::{Draft, Memory};
use thiserror::Error;

pub use detect::detect;

/// The format of a file to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Instructions for agents: CLAUDE.md, AGENTS.md, GEMINI.md, Cursor and Copilot rules.
    Rules,
    /// Claude Code's auto memory, in the `memory` directory of a project.
    AutoMemory,
    /// A claude-mem database.
    ClaudeMem,
    /// The graph of the reference MCP memory server.
    McpMemory,
    /// A basic-memory note.
    BasicMemory,
    /// The database of the plugin iflow, later named pd.
    Iflow,
    /// JSON of `wt-memory export`.
    WtMemory,
    /// JSON lines of beads.
    Beads,
    /// A memory of Serena.
    Serena,
    /// JSON lines from `tacit export`, or drafts of memories.
    Tacit,
    /// Markdown from `tacit export --format markdown`.
    TacitMarkdown,
    /// Settings of another memory tool, which are not memories.
    Settings,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 12] = [
        Format::Rules,
        Format::AutoMemory,
        Format::ClaudeMem,
        Format::McpMemory,
        Format::BasicMemory,
        Format::Iflow,
        Format::WtMemory,
        Format::Beads,
        Format::Serena,
        Format::Tacit,
        Format::TacitMarkdown,
        Format::Settings,
    ];

    /// Returns the name of the format on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Rules => "rules",
            Format::AutoMemory => "auto-memory",
            Format::ClaudeMem => "claude-mem",
            Format::McpMemory => "mcp-memory",
            Format::BasicMemory => "basic-memory",
            Format::Iflow => "iflow",
            Format::WtMemory => "wt-memory",
            Format::Beads => "beads",
            Format::Serena => "serena",
            Format::Tacit => "tacit",
            Format::TacitMarkdown => "tacit-markdown",
            Format::Settings => "settings",
        }
    }
}

/// An entry found in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportItem {
    /// The line where the entry starts; in a database, the id of its row.
    pub line: usize,
    /// The content of the entry.
    pub content: ImportContent,
    /// The paths that the entry mentions, as written. The caller checks whether they exist in the
    /// project.
    pub paths: Vec<String>,
}

impl ImportItem {
    pub(crate) fn skipped(line: usize, reason: &'static str) -> ImportItem {
        ImportItem { line, content: ImportContent::Skipped(reason), paths: Vec::new() }
    }
}

/// The content of an imported entry.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportContent {
    /// A new memory.
    Draft(Box<Draft>),
    /// A memory from an export.
    Memory(Box<Memory>),
    /// Not a memory, for this reason.
    Skipped(&'static str),
}

/// The reason why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BridgeError {
    /// The file is not text.
    #[error("not valid UTF-8 (at byte {at})")]
    NotText {
        /// The offset of the first invalid byte.
        at: usize,
    },
    /// A line does not follow the format.
    #[error("line {line}: {problem}")]
    Line {
        /// The line number, from 1.
        line: usize,
        /// The problem.
        problem: String,
    },
    /// The file does not have this format.
    #[error("{0}")]
    Other(String),
}

/// Reads a text file. `name` is used in references to it, such as `docs/AGENTS.md`.
pub fn read(format: Format, name: &str, bytes: &[u8]) -> Result<Vec<ImportItem>, BridgeError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| BridgeError::NotText { at: error.valid_up_to() })?;
    let cleaned = tacit_core::clean(text).text;
    let name = &tacit_core::clean(name).text;
    match format {
        Format::Rules => Ok(rules::read(name, &without_long_secrets(&cleaned))),
        Format::AutoMemory => Ok(auto_memory::read(name, &without_long_secrets(&cleaned))),
        Format::BasicMemory => Ok(basic_memory::read(name, &without_long_secrets(&cleaned))),
        Format::Serena => Ok(serena::read(name, &without_long_secrets(&cleaned))),
        Format::McpMemory => mcp_memory::read(name, &cleaned),
        Format::WtMemory => wt_memory::read(name, &cleaned),
        Format::Beads => beads::read(name, &cleaned),
        Format::TacitMarkdown => tacit_markdown::read(text),
        Format::ClaudeMem | Format::Iflow => {
            Err(BridgeError::Other("a database must be read from its file".into()))
        }
        Format::Tacit => Err(BridgeError::Other("a tacit export must be read line by line".into())),
        Format::Settings => Err(BridgeError::Other("settings are not memories".into())),
    }
}

/// Redacts secrets that span several lines, which splitting the text into blocks would tear apart;
/// line numbers do not change. The write gate redacts and counts the others.
fn without_long_secrets(text: &str) -> Cow<'_, str> {
    let redacted = tacit_redact::redact(text);
    let (mut out, mut copied) = (String::new(), 0);
    for span in redacted.spans {
        let secret = &text[span.range.clone()];
        let lines = secret.matches('\n').count();
        if lines > 0 {
            out.push_str(&text[copied..span.range.start]);
            out.push_str(&format!("[redacted:{}]{}", span.rule, "\n".repeat(lines)));
            copied = span.range.end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}
