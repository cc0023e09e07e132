//! The exclude file of a repository, which tells git what to leave alone and is not committed.

use std::fs;
use std::io::Write;
use std::path::Path;

use crate::error::{CliError, CliResult, Code};

/// The line with which earlier versions made git ignore their folder in the worktree.
const OLD_LINE: &str = "/.tacit/";

/// Takes out the line of earlier versions: it hides what a team may want to commit.
pub(crate) fn take_out(path: &Path) -> CliResult<()> {
    let bytes = read(path)?;
    if !lines(&bytes).any(is_old) {
        return Ok(());
    }
    let kept: Vec<&[u8]> = lines(&bytes).filter(|line| !is_old(line)).collect();
    fs::write(path, kept.concat()).map_err(|error| cannot_write(path, &error))
}

/// Makes git ignore a file of a client that is for this machine only.
pub(crate) fn hide(path: &Path, file: &str) -> CliResult<()> {
    let bytes = read(path)?;
    if position(&bytes, &block(file)).is_none() {
        append(path, &bytes, &block(file))?;
    }
    Ok(())
}

/// Takes out what [`hide`] wrote, and nothing that somebody else did.
pub(crate) fn unhide(path: &Path, file: &str) -> CliResult<()> {
    let mut bytes = read(path)?;
    let block = block(file);
    if let Some(start) = position(&bytes, &block) {
        bytes.drain(start..start + block.len());
        fs::write(path, bytes).map_err(|error| cannot_write(path, &error))?;
    }
    Ok(())
}

/// The comment tells our line from the same line of somebody else.
fn block(file: &str) -> String {
    format!("# tacit: hooks of this machine\n/{file}\n")
}

fn position(bytes: &[u8], block: &str) -> Option<usize> {
    bytes.windows(block.len()).position(|window| window == block.as_bytes())
}

fn append(path: &Path, bytes: &[u8], text: &str) -> CliResult<()> {
    let fail = |error| cannot_write(path, &error);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(fail)?;
    }
    let newline = if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { "\n" };
    let mut file = fs::File::options().append(true).create(true).open(path).map_err(fail)?;
    file.write_all(format!("{newline}{text}").as_bytes()).map_err(fail)
}

/// Lines with their ends, as bytes: the rest of the file is the user's, in whatever encoding.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

fn is_old(line: &[u8]) -> bool {
    line.trim_ascii() == OLD_LINE.as_bytes()
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
