//! `tacit export`

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use serde_json::json;
use tacit_engine::{EXPORT_HEADER, EngineError, Needs};

use crate::app::{App, ShelfArg};
use crate::commands::count;
use crate::error::{CliError, CliResult, Code};
use crate::filter_args::FilterArgs;

/// Write memories to a file, one JSON object a line.
///
/// `tacit import` reads it back without loss. By default only memories in use are written;
/// `--status all` writes everything.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit export > memories.jsonl
  tacit export --output memories.jsonl --status all
  tacit export --type preference --global")]
pub(crate) struct Export {
    /// The file to write; standard output if none is given.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    shelf: ShelfArg,
}

impl Export {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let filter = self.filter.filter(app)?;
        let shelf = self.shelf.shelf();
        let engine = app.engine(Needs::Read(shelf))?;
        match &self.output {
            None => {
                let mut out = BufWriter::new(std::io::stdout().lock());
                let written = engine.export(shelf, &filter, Lines::new(&mut out)?.writer())?;
                out.flush()?;
                drop(out);
                let _ = written;
                Ok(())
            }
            Some(path) => {
                let path = app.directory.join(path);
                let unfinished = path.with_extension("tmp");
                let fail = |error: std::io::Error| {
                    let message = format!("cannot write `{}`: {error}", path.display());
                    CliError::new(Code::Failure, message)
                };
                let mut out = BufWriter::new(File::create(&unfinished).map_err(fail)?);
                let written = engine.export(shelf, &filter, Lines::new(&mut out)?.writer())?;
                let file = out.into_inner().map_err(|error| fail(error.into_error()))?;
                file.sync_all().map_err(fail)?;
                std::fs::rename(&unfinished, &path).map_err(fail)?;
                drop(engine);
                if app.json {
                    return Ok(app.ui.json(&json!({"written": written, "file": path}))?);
                }
                let what = count(written, "memory", "memories");
                Ok(app.ui.line(format!("Wrote {what} to {}", path.display()))?)
            }
        }
    }
}

/// Writes the header, and then a memory a line.
struct Lines<'a, W: Write>(&'a mut W);

impl<'a, W: Write> Lines<'a, W> {
    fn new(out: &'a mut W) -> std::io::Result<Lines<'a, W>> {
        writeln!(out, "{EXPORT_HEADER}")?;
        Ok(Lines(out))
    }

    fn writer(self) -> impl FnMut(&tacit_core::Memory) -> Result<(), EngineError> + use<'a, W> {
        let out = self.0;
        move |memory| {
            writeln!(out, "{}", memory.to_json())
                .map_err(|source| EngineError::Io { path: "the output".into(), source })
        }
    }
}
