//! The files a tool is about to change, as far as its input says so plainly: for whoever keeps an
//! agent from writing where only a command should.

use std::path::{Path, PathBuf};

use tacit_core::{AgentEvent, ToolKind, ToolUse};
use tacit_observer::{redirected_files, simple_commands};

use crate::path_in_project;

/// Which of a program's arguments it changes.
enum Changes {
    All,
    Last,
    /// All, where an option says that files are changed in place.
    InPlace,
}

/// Programs that change the files they are given.
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

/// The files inside the project that a tool is about to change, from the root of the worktree.
pub fn changed_files(event: &AgentEvent, tool: &ToolUse, root: &Path) -> Vec<PathBuf> {
    let named = match &tool.kind {
        ToolKind::Shell { command, .. } => by_command(command),
        kind if kind.changes_files() => kind.files().to_vec(),
        _ => Vec::new(),
    };
    let cwd = event.cwd.as_deref().unwrap_or(root);
    named.iter().filter_map(|file| path_in_project(root, cwd, file)).collect()
}

fn by_command(line: &str) -> Vec<String> {
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
    fn what_a_command_plainly_changes() {
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
            assert_eq!(by_command(command), expected, "{command}");
        }
    }
}
