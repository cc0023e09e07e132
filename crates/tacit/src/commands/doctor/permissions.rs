//! The permissions of every file and folder of a store.

use std::fs;
use std::path::{Path, PathBuf};

use tacit_engine::StoreScope;
use tacit_fs::platform;

use crate::app::CliApp;
use crate::checks::{DoctorFinding, State};
use crate::commands::count;

/// Entries that the user may have created, with permissions of their choice.
const USERS_OWN: [&str; 4] = ["config.toml", "methodologies", "inbox", ".gitignore"];
/// The deepest folder of a store.
const DEPTH: usize = 4;

/// Checks that only the user can read a store.
pub(super) fn check(app: &CliApp, scope: StoreScope, fix: bool) -> DoctorFinding {
    let directory = app.places.directory(scope);
    let what = format!("{} permissions", scope.as_str());
    let finding = |state, note: &str| DoctorFinding::new(&what, state, note);
    let mut open = Vec::new();
    collect(directory, DEPTH, &mut open);
    let Some((first, _)) = open.first() else {
        return finding(State::Fine, "only you can read it");
    };
    let closed = || open.iter().all(|(path, mode)| platform::set_mode(path, *mode).is_ok());
    if fix && closed() {
        return finding(State::Mended, "only you can read it now");
    }
    let others = match open.len() - 1 {
        0 => String::new(),
        more => format!(" and {}", count(more, "other entry", "other entries")),
    };
    // Nobody else can reach a file in a closed folder.
    let (state, can) = match first == directory {
        true => (State::Wrong, "can read"),
        false => (State::Note, "could read, if they could enter the folder,"),
    };
    let note =
        format!("others {can} `{}`{others}; `tacit doctor --fix` closes it", first.display());
    finding(state, &note)
}

/// Collects the entries that others can access, with the permissions that they should have. Links
/// are not followed.
fn collect(path: &Path, depth: usize, open: &mut Vec<(PathBuf, u32)>) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    let mode = match (metadata.is_dir(), metadata.is_file()) {
        (true, _) => 0o700,
        (_, true) => 0o600,
        _ => return,
    };
    if platform::is_open_to_others(&metadata) {
        open.push((path.to_owned(), mode));
    }
    if !metadata.is_dir() || depth == 0 {
        return;
    }
    let mut entries: Vec<_> = fs::read_dir(path).into_iter().flatten().flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        if !USERS_OWN.iter().any(|own| *name == **own) {
            collect(&entry.path(), depth - 1, open);
        }
    }
}
