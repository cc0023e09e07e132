//! `tacit export`

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use serde_json::json;
use tacit_app::export::{ExportFormat, ExportWriter};
use tacit_app::{AppError, AppResult};
use tacit_engine::StoreAccess;
use tacit_fs::Replacement;
use tacit_store::Filter;

use crate::app::{CliApp, StoreScopeArg};
use crate::commands::count;
use crate::filter_args::FilterArgs;

/// Export memories to a file.
///
/// Writes one JSON object per line, or markdown for reading. `tacit import --trust` reads both back
/// without loss. By default only memories in use are written; `--status all` writes everything.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit export > memories.jsonl
  tacit export --output memories.jsonl --status all
  tacit export --format markdown --output memories.md
  tacit export --type preference --global")]
pub(crate) struct ExportArgs {
    /// The file to write [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The format: jsonl or markdown.
    #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
    format: Format,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    scope: StoreScopeArg,
}

impl ExportArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let filter = Filter { statistics: true, ..self.filter.filter(app)? };
        let scope = self.scope.scope();
        let engine = app.engine(StoreAccess::Read(scope))?;
        let Some(path) = self.output.filter(|path| path.as_os_str() != "-") else {
            let mut lines =
                ExportWriter::new(self.format.into(), BufWriter::new(std::io::stdout().lock()));
            engine.export(scope, &filter, |memory| lines.memory(memory))?;
            lines.finish()?.flush()?;
            return Ok(());
        };
        let path = app.directory.join(path);
        let fail = AppError::cannot("write", &path);
        let target = named_output(&path).map_err(fail)?;
        let mut replacement = Replacement::shared(&target).map_err(fail)?;
        let mut lines = ExportWriter::new(self.format.into(), BufWriter::new(replacement.file()));
        let written = engine.export(scope, &filter, |memory| lines.memory(memory))?;
        lines.finish().and_then(|mut out| out.flush()).map_err(fail)?;
        replacement.publish().map_err(fail)?;
        drop(engine);
        if app.json {
            return app.ui.json(&json!({"written": written, "file": path}));
        }
        let what = count(written, "memory", "memories");
        app.ui.line(format!("Wrote {what} to {}", path.display()))
    }
}

/// Resolves a file that the user named for writing. Its folders may be links, as `/tmp` is on some
/// systems.
pub(crate) fn named_output(path: &Path) -> std::io::Result<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new("/")).canonicalize()?;
    let name = path.file_name().ok_or(std::io::ErrorKind::IsADirectory)?;
    Ok(folder.join(name))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One JSON object per line.
    Jsonl,
    /// Markdown for people.
    Markdown,
}

impl From<Format> for ExportFormat {
    fn from(format: Format) -> ExportFormat {
        match format {
            Format::Jsonl => ExportFormat::Jsonl,
            Format::Markdown => ExportFormat::Markdown,
        }
    }
}
