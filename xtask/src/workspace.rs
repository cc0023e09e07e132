//! The repository, and running cargo in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The repository of the product.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The root directory.
    pub(crate) root: PathBuf,
}

impl Workspace {
    /// Returns the repository that this program was built from.
    pub(crate) fn here() -> Workspace {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        Workspace { root: package.parent().unwrap_or(package).to_path_buf() }
    }

    /// Creates a cargo command that runs at the root.
    pub(crate) fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(&self.root);
        command
    }

    /// Returns cargo's target directory, which configuration or environment may have changed.
    pub(crate) fn target(&self) -> Result<PathBuf> {
        let output = self
            .cargo(["metadata", "--no-deps", "--format-version=1"])
            .output()
            .context("cannot run cargo")?;
        let metadata: serde_json::Value =
            serde_json::from_slice(&output.stdout).context("`cargo metadata` failed")?;
        let target = metadata["target_directory"].as_str().context("no target directory")?;
        Ok(PathBuf::from(target))
    }
}

/// Prints a command and runs it; fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot run `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Formats a command as it would be typed.
fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", name.display(), quoted(&value.to_string_lossy())));
        }
    }
    words.push(quoted(&command.get_program().to_string_lossy()));
    words.extend(command.get_args().map(|argument| quoted(&argument.to_string_lossy())));
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=+./:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shown_command_can_be_pasted() {
        let mut command = Command::new("cargo");
        command.args(["nextest", "run", "-E", "test(it's)", ""]).env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            shown(&command),
            r"RUSTDOCFLAGS='-D warnings' cargo nextest run -E 'test(it'\''s)' ''"
        );
    }
}
