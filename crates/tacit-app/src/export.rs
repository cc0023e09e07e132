//! Writes memories to a file: as JSON lines, or as markdown for people.

use std::io::Write;

use tacit_bridges::tacit_markdown;
use tacit_core::Memory;
use tacit_engine::{EXPORT_HEADER, EngineError};

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON object per line.
    Jsonl,
    /// Markdown for people.
    Markdown,
}

/// Writes the header and the memories. It writes nothing before the first memory is read, so that a
/// missing store leaves no half-written file.
pub struct ExportWriter<W> {
    format: ExportFormat,
    out: W,
    begun: bool,
}

impl<W: Write> ExportWriter<W> {
    /// Creates a writer in this format.
    pub fn new(format: ExportFormat, out: W) -> ExportWriter<W> {
        ExportWriter { format, out, begun: false }
    }

    /// Writes a memory.
    pub fn memory(&mut self, memory: &Memory) -> Result<(), EngineError> {
        self.begin()
            .and_then(|()| match self.format {
                ExportFormat::Jsonl => writeln!(self.out, "{}", memory.to_json()),
                ExportFormat::Markdown => {
                    self.out.write_all(tacit_markdown::write(memory).as_bytes())
                }
            })
            .map_err(|source| EngineError::Io { path: "the output".into(), source })
    }

    fn begin(&mut self) -> std::io::Result<()> {
        if !self.begun {
            self.begun = true;
            match self.format {
                ExportFormat::Jsonl => writeln!(self.out, "{EXPORT_HEADER}")?,
                ExportFormat::Markdown => writeln!(self.out, "{}", tacit_markdown::HEADER)?,
            }
        }
        Ok(())
    }

    /// Writes the header of an empty export, and returns what was written to.
    pub fn finish(mut self) -> std::io::Result<W> {
        self.begin()?;
        Ok(self.out)
    }
}
