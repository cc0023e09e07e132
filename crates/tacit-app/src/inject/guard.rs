//! Finds the files that a tool is about to change, as far as its input shows it plainly. The record
//! guard uses this.

use std::path::{Path, PathBuf};

use tacit_core::{AgentEvent, ToolKind, ToolUse};
use tacit_observer::{redirected_files, simple_commands};

use crate::path_in_project;

/// The arguments that a program changes.
enum Changes {
    All,
    Last,
    /// All files, if an option such as `-i` says that files are changed in place.
    InPlace,
}

/// Programs that change their file arguments.
const PROGRAMS: [(&str, Changes); 11] = [
    ("tee", Changes::All),
    ("rm", Changes::All),
    ("unlink", Changes::All),
    ("truncate", Changes::All),
    ("touch", Changes::All),
    ("mv", Changes::All),
    ("cp", Changes::Last),
    ("ln", Changes::Last),
    ("install", Changes::Last),
    ("sed", Changes::InPlace),
    ("perl", Changes::InPlace),
];

/// Returns the files inside the project that a tool is about to change, relative to the root of the
/// worktree.
pub fn changed_files(event: &AgentEvent, tool: &ToolUse, root: &Path) -> Vec<PathBuf> {
    let named = match &tool.kind {
        ToolKind::Shell { command, .. } => command_targets(command),
        kind if kind.changes_files() => kind.files().to_vec(),
        _ => Vec::new(),
    };
    let cwd = event.cwd.as_deref().unwrap_or(root);
    named.iter().filter_map(|file| path_in_project(root, cwd, file)).collect()
}

fn command_targets(line: &str) -> Vec<String> {
    let mut files = redirected_files(line);
    for command in simple_commands(line) {
        let mut words = command.iter().skip_while(|word| word.contains('=') || *word == "sudo");
        let program = words.next().map(|word| word.rsplit('/').next().unwrap_or(word));
        let Some((_, changes)) = PROGRAMS.iter().find(|(name, _)| Some(*name) == program) else {
            continue;
        };
        let (options, arguments): (Vec<&String>, Vec<&String>) =
            words.partition(|word| word.starts_with('-'));
        let in_place =
            || options.iter().any(|option| option.starts_with("-i") || option.contains("in-place"));
        match changes {
            Changes::All => files.extend(arguments.into_iter().cloned()),
            Changes::Last => files.extend(arguments.last().copied().cloned()),
            Changes::InPlace if in_place() => files.extend(arguments.into_iter().cloned()),
            Changes::InPlace => {}
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_files_are_read_from_a_command() {
        for (command, expected) in [
            ("echo x > a.json", &["a.json"][..]),
            ("cat <<E >> a.json\n> b.json\nE", &["a.json"]),
            ("make 2>&1 | tee -a log", &["log"]),
            ("cp x y.json && rm -f z.json", &["y.json", "z.json"]),
            ("mv old.json new.json", &["old.json", "new.json"]),
            ("sed -n 1p a.json", &[]),
            ("sed -i s/a/b/ a.json", &["s/a/b/", "a.json"]),
            ("sudo /bin/rm a.json", &["a.json"]),
            ("cat a.json; grep x b.json > /dev/null", &["/dev/null"]),
            ("tacit records retire a --reason 'x > y'", &[]),
        ] {
            assert_eq!(command_targets(command), expected, "{command}");
        }
    }
}
