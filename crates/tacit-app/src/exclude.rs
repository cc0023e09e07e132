//! The `info/exclude` file of a repository: ignore rules that are not committed.

use std::fs;
use std::path::Path;

use crate::error::{AppError, AppResult};

/// The line by which earlier versions ignored their folder in the worktree.
const OLD_LINE: &str = "/.tacit/";

/// Larger files are not read.
const LARGEST: u64 = 16 << 20;

/// Removes the line of earlier versions, because it hides files that a team may want to commit.
pub fn remove_old_line(path: &Path) -> AppResult<()> {
    let bytes = read(path)?;
    if !lines(&bytes).any(is_old) {
        return Ok(());
    }
    let remaining: Vec<&[u8]> = lines(&bytes).filter(|line| !is_old(line)).collect();
    write(path, &remaining.concat())
}

/// Makes git ignore a client's settings file that is only for this machine.
pub fn hide(path: &Path, file: &str) -> AppResult<()> {
    let bytes = read(path)?;
    if position(&bytes, &block(file)).is_none() {
        append(path, &bytes, &block(file))?;
    }
    Ok(())
}

/// Removes what [`hide`] wrote, and nothing else.
pub fn unhide(path: &Path, file: &str) -> AppResult<()> {
    let mut bytes = read(path)?;
    let block = block(file);
    if let Some(start) = position(&bytes, &block) {
        bytes.drain(start..start + block.len());
        write(path, &bytes)?;
    }
    Ok(())
}

/// Returns our lines. The comment distinguishes them from the same rule written by the user.
fn block(file: &str) -> String {
    format!("# tacit: hooks of this machine\n/{file}\n")
}

fn position(bytes: &[u8], block: &str) -> Option<usize> {
    bytes.windows(block.len()).position(|window| window == block.as_bytes())
}

fn append(path: &Path, bytes: &[u8], text: &str) -> AppResult<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(cannot("write", path))?;
    }
    let newline = if bytes.is_empty() || bytes.ends_with(b"\n") { "" } else { "\n" };
    write(path, &[bytes, newline.as_bytes(), text.as_bytes()].concat())
}

fn write(path: &Path, bytes: &[u8]) -> AppResult<()> {
    tacit_fs::replace_shared(path, bytes).map_err(cannot("write", path))
}

/// Splits into lines with their endings, as bytes: the user may have used any encoding.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

fn is_old(line: &[u8]) -> bool {
    line.trim_ascii() == OLD_LINE.as_bytes()
}

fn read(path: &Path) -> AppResult<Vec<u8>> {
    let bytes = tacit_fs::none_if_missing(tacit_fs::read_nofollow(path, LARGEST));
    Ok(bytes.map_err(cannot("read", path))?.unwrap_or_default())
}

fn cannot(verb: &str, path: &Path) -> impl Fn(std::io::Error) -> AppError {
    let explain = AppError::cannot(verb, path);
    move |error| {
        explain(error).hint("check its permissions; `tacit init --track` does not write that file")
    }
}
