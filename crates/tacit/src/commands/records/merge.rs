//! `tacit records merge`

use std::path::{Path, PathBuf};

use serde_json::json;
use tacit_agents::InstallScope;
use tacit_app::records::folder;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_git::{remove_section, set_config};
use tacit_records::files::{INDEX_FILE, MAX_RECORD_BYTES};
use tacit_records::{MergeResult, merge_files, merge_index};

use crate::agents::program;
use crate::app::CliApp;
use crate::commands::export::named_output;

/// The name of the driver in git's configuration and in `.gitattributes`.
const DRIVER: &str = "tacit-records";
/// The attributes in the folder of records that tell git which files to merge with the driver.
const ATTRIBUTES: &str = "*.json merge=tacit-records\nindex.md merge=tacit-records\n";

/// Merge two versions of a record (git runs this).
///
/// Lists keep the additions of both sides, the log of changes keeps every entry, and counts and times
/// follow from both. A field that both sides changed in different ways is left between conflict
/// markers in OURS, and the command fails. `--install` sets the driver in the configuration of this
/// clone, and its files in `.claude/memory/.gitattributes`, which you commit. A clone without the
/// driver merges records as text.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records merge --install
  tacit records merge --uninstall
  tacit records merge BASE OURS THEIRS --path .claude/memory/decisions/use-wal-mode.json")]
pub(crate) struct RecordsMergeArgs {
    /// The common ancestor; an empty file if there is none.
    #[arg(value_name = "BASE", required_unless_present_any = ["install", "uninstall"])]
    base: Option<PathBuf>,
    /// The local version, which the result replaces.
    #[arg(value_name = "OURS", requires = "base", required_unless_present_any = ["install", "uninstall"])]
    ours: Option<PathBuf>,
    /// The other version.
    #[arg(value_name = "THEIRS", requires = "ours", required_unless_present_any = ["install", "uninstall"])]
    theirs: Option<PathBuf>,
    /// The path of the file in the repository.
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Let git merge the records of this repository with this command.
    #[arg(long, conflicts_with_all = ["base", "uninstall"])]
    install: bool,
    /// Let git merge records as text again.
    #[arg(long, conflicts_with = "base")]
    uninstall: bool,
}

impl RecordsMergeArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        match (self.base, self.ours, self.theirs) {
            (Some(base), Some(ours), Some(theirs)) => {
                let paths = [base, ours, theirs].map(|path| app.directory.join(path));
                merge(app, &paths, self.path.as_deref())
            }
            _ if self.install => install(app),
            _ => uninstall(app),
        }
    }
}

fn merge(app: &CliApp, paths: &[PathBuf; 3], path: Option<&str>) -> AppResult<()> {
    let [base, ours, theirs] = [read(&paths[0])?, read(&paths[1])?, read(&paths[2])?];
    let name = path.map_or_else(|| paths[1].display().to_string(), str::to_owned);
    if name.rsplit('/').next() == Some(INDEX_FILE) {
        let [base, ours, theirs] =
            [base, ours, theirs].map(|b| String::from_utf8_lossy(&b).into_owned());
        write(&paths[1], merge_index(&base, &ours, &theirs).as_bytes())?;
        return say(app, &name, "merged");
    }
    match merge_files(&base, &ours, &theirs, &name) {
        MergeResult::Clean(record) => {
            write(&paths[1], &record.to_bytes())?;
            say(app, &name, "merged")
        }
        MergeResult::Conflict { text, fields } => {
            write(&paths[1], text.as_bytes())?;
            let what = match fields.as_slice() {
                [] => "both sides as a whole".to_owned(),
                fields => format!("`{}`", fields.join("`, `")),
            };
            Err(AppError::new(ErrorCode::Refused, format!("MERGE_CONFLICT: `{name}`: {what}"))
                .hint("keep one side of each, remove the conflict markers, and `git add` the file"))
        }
    }
}

fn read(path: &Path) -> AppResult<Vec<u8>> {
    // The parser refuses a file that is too large for a record; cutting it would hide that.
    tacit_fs::read_following(path, 64 * MAX_RECORD_BYTES).map_err(AppError::cannot("read", path))
}

/// Replaces a file that git made for the merge and will read.
fn write(path: &Path, bytes: &[u8]) -> AppResult<()> {
    let fail = AppError::cannot("write", path);
    let target = named_output(path).map_err(fail)?;
    tacit_fs::replace_shared(&target, bytes).map_err(fail)
}

fn say(app: &CliApp, path: &str, outcome: &str) -> AppResult<()> {
    if app.json {
        return app.ui.json(&json!({"path": path, "outcome": outcome}));
    }
    Ok(())
}

fn install(app: &CliApp) -> AppResult<()> {
    let program = program(app, InstallScope::Project)?;
    let driver = format!("{} records merge %O %A %B --path %P", quoted(&program));
    let settings = [("name", "records of tacit"), ("driver", &driver)];
    for (key, value) in settings {
        set_config(app.worktree(), &format!("merge.{DRIVER}.{key}"), value)
            .map_err(|error| not_set_up(&error))?;
    }
    let file = folder(app).attributes(Some(ATTRIBUTES))?;
    if app.json {
        return app.ui.json(&json!({"driver": driver, "attributes": file}));
    }
    app.ui.line(format!("git merges records with `{driver}`"))?;
    app.ui.line(format!("Commit {}", file.display()))
}

fn uninstall(app: &CliApp) -> AppResult<()> {
    // Git fails if the section is not there, which is the wanted state.
    let _ = remove_section(app.worktree(), &format!("merge.{DRIVER}"));
    let file = folder(app).attributes(None)?;
    if app.json {
        return app.ui.json(&json!({"driver": null, "attributes": file}));
    }
    app.ui.line("git merges records as text")
}

/// Quotes a program for the shell that git starts drivers with.
fn quoted(program: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if program.chars().all(plain) {
        return program.to_owned();
    }
    format!("'{}'", program.replace('\'', "'\\''"))
}

fn not_set_up(error: &tacit_git::GitError) -> AppError {
    AppError::new(ErrorCode::Failure, format!("cannot configure git: {error}"))
        .hint("run this in a git repository")
}
