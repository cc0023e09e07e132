//! The exclude file of a repository, which tells git what to leave alone and is not committed.

use std::fs;
use std::path::Path;

use crate::error::{AppError, AppResult};

/// The line with which earlier versions made git ignore their folder in the worktree.
const OLD_LINE: &str = "/.tacit/";

/// A larger file is refused.
const LARGEST: u64 = 16 << 20;

/// Takes out the line of earlier versions: it hides what a team may want to commit.
pub fn take_out(path: &Path) -> AppResult<()> {
    let bytes = read(path)?;
    if !lines(&bytes).any(is_old) {
        return Ok(());
    }
    let kept: Vec<&[u8]> = lines(&bytes).filter(|line| !is_old(line)).collect();
    write(path, &kept.concat())
}

/// Makes git ignore a file of a client that is for this machine only.
pub fn hide(path: &Path, file: &str) -> AppResult<()> {
    let bytes = read(path)?;
    if position(&bytes, &block(file)).is_none() {
        append(path, &bytes, &block(file))?;
    }
    Ok(())
}

/// Takes out what [`hide`] wrote, and nothing that somebody else did.
pub fn unhide(path: &Path, file: &str) -> AppResult<()> {
    let mut bytes = read(path)?;
    let block = block(file);
    if let Some(start) = position(&bytes, &block) {
        bytes.drain(start..start + block.len());
        write(path, &bytes)?;
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

/// Lines with their ends, as bytes: the rest of the file is the user's, in whatever encoding.
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
        explain(error).hint("check its permissions; `tacit init --track` leaves that file alone")
    }
}
