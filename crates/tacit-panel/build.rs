//! Writes the table of the files of the page, which the build embeds: everything in `panel/dist`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    #[expect(
        clippy::disallowed_methods,
        reason = "cargo tells build scripts their folders this way"
    )]
    let folder = |name: &str| PathBuf::from(env::var_os(name).unwrap_or_default());
    let dist = folder("CARGO_MANIFEST_DIR").join("../../panel/dist");
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo would build again each time for a folder that does not exist.
    if dist.exists() {
        println!("cargo::rerun-if-changed={}", dist.display());
    }
    let mut files = Vec::new();
    collect(&dist, "", &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for (name, path) in files {
        let _ = writeln!(
            table,
            "Asset {{ path: {name:?}, bytes: include_bytes!({:?}) }},",
            path.display().to_string()
        );
    }
    table.push(']');
    fs::write(folder("OUT_DIR").join("assets.rs"), table)
}

/// Lists the files of a folder with their paths from the root. Without the folder, there are none.
fn collect(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let name = format!("{prefix}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &name, files)?;
        } else {
            files.push((name, entry.path().canonicalize()?));
        }
    }
    Ok(())
}
