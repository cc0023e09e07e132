//! What other tools and files keep, read as drafts of memories.
//!
//! Bytes in, drafts out: nothing here opens a store, and only [`claude_mem`] opens a file, a
//! database that it never writes to. Every draft says where it comes from: a reference to the file
//! and the section, and who put it into words. The same input gives the same drafts, so that
//! importing it again adds nothing.
//!
//! [`tacit_markdown`] writes memories as markdown and reads them back without loss. [`settings`] are
//! no memories: they become keys of our configuration.

mod auto_memory;
mod basic_memory;
mod blocks;
pub mod claude_mem;
mod detect;
mod draft;
mod front_matter;
mod mcp_memory;
mod rules;
pub mod settings;
pub mod tacit_markdown;

use std::borrow::Cow;

use tacit_core::{Draft, Memory};
use thiserror::Error;

pub use detect::detect;

/// What a file can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Instructions for agents: CLAUDE.md, AGENTS.md, GEMINI.md, rules of Cursor and Copilot.
    Rules,
    /// What Claude Code noted for itself, in the `memory` directory of a project.
    AutoMemory,
    /// The database of claude-mem.
    ClaudeMem,
    /// The graph of the reference MCP memory server.
    McpMemory,
    /// A note of basic-memory.
    BasicMemory,
    /// JSON lines that `tacit export` wrote, or drafts of memories.
    Tacit,
    /// Markdown that `tacit export --format markdown` wrote.
    TacitMarkdown,
    /// Settings of another memory tool, which are no memories.
    Settings,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 8] = [
        Format::Rules,
        Format::AutoMemory,
        Format::ClaudeMem,
        Format::McpMemory,
        Format::BasicMemory,
        Format::Tacit,
        Format::TacitMarkdown,
        Format::Settings,
    ];

    /// Returns the word for this format.
    pub const fn as_str(self) -> &'static str {
        match self {
            Format::Rules => "rules",
            Format::AutoMemory => "auto-memory",
            Format::ClaudeMem => "claude-mem",
            Format::McpMemory => "mcp-memory",
            Format::BasicMemory => "basic-memory",
            Format::Tacit => "tacit",
            Format::TacitMarkdown => "tacit-markdown",
            Format::Settings => "settings",
        }
    }
}

/// One thing found in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportItem {
    /// The line it begins in; in a database, the number of its row.
    pub line: usize,
    /// What it is.
    pub content: ImportContent,
    /// Paths it names, as they are written there. Whether they lead to files of the project is for
    /// others to say.
    pub paths: Vec<String>,
}

impl ImportItem {
    pub(crate) fn skipped(line: usize, why: &'static str) -> ImportItem {
        ImportItem { line, content: ImportContent::Skipped(why), paths: Vec::new() }
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportContent {
    /// Something to be remembered.
    Draft(Box<Draft>),
    /// A memory that an export wrote.
    Memory(Box<Memory>),
    /// Something that is no memory, and why.
    Skipped(&'static str),
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BridgeError {
    /// It is no text.
    #[error("it is not valid UTF-8 (at byte {at})")]
    NotText {
        /// The first byte that is wrong.
        at: usize,
    },
    /// A line is not what the format asks for.
    #[error("line {line}: {problem}")]
    Line {
        /// Which.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// It is not in this format.
    #[error("{0}")]
    Other(String),
}

/// Reads a file in a format of text. `name` is how it is referred to, such as `docs/AGENTS.md`.
pub fn read(format: Format, name: &str, bytes: &[u8]) -> Result<Vec<ImportItem>, BridgeError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| BridgeError::NotText { at: error.valid_up_to() })?;
    let cleaned = tacit_core::clean(text).text;
    let name = &tacit_core::clean(name).text;
    match format {
        Format::Rules => Ok(rules::read(name, &without_long_secrets(&cleaned))),
        Format::AutoMemory => Ok(auto_memory::read(name, &without_long_secrets(&cleaned))),
        Format::BasicMemory => Ok(basic_memory::read(name, &without_long_secrets(&cleaned))),
        Format::McpMemory => mcp_memory::read(name, &cleaned),
        Format::TacitMarkdown => tacit_markdown::read(text),
        Format::ClaudeMem => Err(BridgeError::Other(
            "a database of claude-mem is read from its file, not from text".into(),
        )),
        Format::Tacit => Err(BridgeError::Other("an export of tacit is read line by line".into())),
        Format::Settings => Err(BridgeError::Other("settings are no memories".into())),
    }
}

/// Returns a markdown text without the secrets that span lines, which would be taken apart with its
/// passages; every line keeps its number. Others are left to the write gate, which counts them.
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
