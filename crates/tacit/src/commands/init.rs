//! `tacit init`

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;
use tacit_engine::{Engine, Shelf};

use crate::app::App;
use crate::error::{CliError, CliResult, Code};

/// The line that makes git ignore our directory.
const IGNORED: &str = "/.tacit/";

/// Start a memory for this repository.
///
/// Creates `.tacit/` at the root of the repository (of the main worktree: all worktrees share it)
/// or, outside git, in this directory. Git is told to ignore it through the repository's own
/// `info/exclude`, which is not committed. Nothing else is written. Running it again changes
/// nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit init
  tacit init --track      leave it to you whether git sees .tacit/")]
pub(crate) struct Init {
    /// Do not tell git to ignore `.tacit/`; take the line out if it is there.
    #[arg(long)]
    track: bool,
}

impl Init {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let directory = app.places.project.clone();
        create_private(&directory)?;
        let created = Engine::create_project(&app.places, app.config())?;
        let exclude = app.repository.as_ref().map(|r| r.common_dir.join("info").join("exclude"));
        let ignored = match &exclude {
            None => Ignored::NoGit,
            Some(path) if self.track => take_out(path)?,
            Some(path) => put_in(path)?,
        };
        if app.json {
            let value = json!({
                "directory": directory, "database": app.places.database(Shelf::Project),
                "created": created, "exclude_file": exclude, "ignored": ignored.as_str(),
            });
            return Ok(app.ui.json(&value)?);
        }
        let shown = directory.display();
        app.ui.line(if created {
            format!("Created {shown}, a memory for this project.")
        } else {
            format!("{shown} is already there.")
        })?;
        if let (Some(path), Some(did)) = (&exclude, ignored.in_words()) {
            app.ui.line(format!("{did} {}.", path.display()))?;
        }
        if app.ui.interactive || created {
            app.ui.line("")?;
            app.ui.line("Next: tacit remember \"what you want the next agent to know\"")?;
            app.ui.line("      tacit recall WORDS")?;
        }
        Ok(())
    }
}

/// What was done about git.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ignored {
    NoGit,
    Added,
    Already,
    Removed,
    Not,
}

impl Ignored {
    fn as_str(self) -> &'static str {
        match self {
            Ignored::NoGit => "no_git",
            Ignored::Added => "added",
            Ignored::Already => "already",
            Ignored::Removed => "removed",
            Ignored::Not => "not_ignored",
        }
    }

    fn in_words(self) -> Option<&'static str> {
        match self {
            Ignored::Added => Some("Git ignores it, through"),
            Ignored::Removed => Some("Git sees it now; the line was taken out of"),
            Ignored::NoGit | Ignored::Already | Ignored::Not => None,
        }
    }
}

fn put_in(path: &Path) -> CliResult<Ignored> {
    let bytes = read(path)?;
    if lines(&bytes).any(is_ours) {
        return Ok(Ignored::Already);
    }
    let fail = |error| cannot_write(path, &error);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(fail)?;
    }
    let newline = if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { "\n" };
    let mut file = fs::File::options().append(true).create(true).open(path).map_err(fail)?;
    file.write_all(format!("{newline}{IGNORED}\n").as_bytes()).map_err(fail)?;
    Ok(Ignored::Added)
}

fn take_out(path: &Path) -> CliResult<Ignored> {
    let bytes = read(path)?;
    if !lines(&bytes).any(is_ours) {
        return Ok(Ignored::Not);
    }
    let kept: Vec<&[u8]> = lines(&bytes).filter(|line| !is_ours(line)).collect();
    fs::write(path, kept.concat()).map_err(|error| cannot_write(path, &error))?;
    Ok(Ignored::Removed)
}

/// Lines with their ends, as bytes: the rest of the file is the user's, in whatever encoding.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

fn is_ours(line: &[u8]) -> bool {
    line.trim_ascii() == IGNORED.as_bytes()
}

fn read(path: &Path) -> CliResult<Vec<u8>> {
    match fs::read(path) {
        Ok(bytes) => Ok(bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => {
            Err(CliError::new(Code::Failure, format!("cannot read `{}`: {error}", path.display())))
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> CliError {
    CliError::new(Code::Failure, format!("cannot write `{}`: {error}", path.display()))
        .hint("`tacit init --track` leaves that file alone")
}

/// Creates a directory that only its owner can enter, and closes one that others can.
fn create_private(directory: &PathBuf) -> CliResult<()> {
    let shown = directory.display();
    if directory.exists() && !directory.is_dir() {
        let message = format!("cannot create `{shown}`: a file of that name is in the way");
        return Err(CliError::new(Code::Failure, message).hint("move it away and try again"));
    }
    let fail = |error: std::io::Error| {
        CliError::new(Code::Failure, format!("cannot create `{shown}`: {error}"))
            .hint("check the permissions of the directory it is to be in")
    };
    fs::create_dir_all(directory).map_err(fail)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).map_err(fail)?;
    }
    Ok(())
}
