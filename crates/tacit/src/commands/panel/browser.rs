//! Opens the user's browser.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::app::CliApp;

/// The program that opens a file with the user's choice of program.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else if cfg!(windows) {
    "explorer.exe"
} else {
    "xdg-open"
};

/// Opens an address. It has a token, and other users can see the arguments of programs: so the browser is
/// given a page that only this user can read and that leads to the address. Returns that page.
pub(super) fn open(app: &CliApp, address: &str) -> io::Result<PathBuf> {
    let worktree = app.worktree();
    // A program of the project is not ours to start.
    let is_trusted = |folder: &&PathBuf| folder.is_absolute() && !folder.starts_with(worktree);
    let folders = app.environment.search_path.iter().filter(is_trusted);
    let program = folders.map(|folder| folder.join(OPENER)).find(|program| program.is_file());
    let program = program.ok_or_else(|| io::Error::other(format!("there is no `{OPENER}`")))?;
    tacit_fs::create_folder(&app.places.global)?;
    let page = app.places.global.join(format!("panel-{}.html", std::process::id()));
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Tacit</title>\
         <meta name=\"referrer\" content=\"no-referrer\">\
         <meta http-equiv=\"refresh\" content=\"0;url={}\"><a href=\"{0}\">Open the panel</a>\n",
        address.replace('&', "&amp;")
    );
    tacit_fs::replace(&page, text.as_bytes())?;
    start(&program, &page)?;
    Ok(page)
}

/// Starts the program without a shell, and does not wait for it.
fn start(program: &Path, page: &Path) -> io::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "the user asks for a browser")]
    let mut command = Command::new(program);
    command.arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // It must be waited for in the end, or it stays as a zombie.
    std::thread::spawn(move || child.wait());
    Ok(())
}
