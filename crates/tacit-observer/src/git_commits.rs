//! Commits that a command line makes.

use tacit_core::CommitSha;

use crate::shell::simple_commands;

/// A `git commit` in a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitCommand {
    /// The directory it runs in, as far as the command line says (`cd DIR`, `git -C DIR`).
    pub dir: Option<String>,
    /// Whether it replaces the commit before.
    pub amend: bool,
}

/// A commit that was made, as git told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitCommit {
    /// Its name, as short as git told it.
    pub sha: CommitSha,
    /// The branch; none if it is on no branch.
    pub branch: Option<String>,
    /// The first line of its message.
    pub subject: String,
    /// The directory, as far as the command line says.
    pub dir: Option<String>,
    /// Whether it replaces the commit before.
    pub amend: bool,
}

/// The commits a command line made, read from what it printed. A commit of which git said nothing
/// (`--quiet`, or one that failed) is not among them; [`commit_commands`] tells what was tried.
pub fn git_commits(command: &str, output: &str) -> Vec<GitCommit> {
    let tried = commit_commands(command);
    let Some(first) = tried.first() else { return Vec::new() };
    let mut made: Vec<GitCommit> = output.lines().filter_map(commit_line).collect();
    // What a command says of its commit is only known if each of them told of one.
    let alike = tried.iter().all(|command| command == first);
    if made.len() == tried.len() || alike {
        for (commit, command) in made.iter_mut().zip(tried.iter().cycle()) {
            commit.dir.clone_from(&command.dir);
            commit.amend = command.amend;
        }
    }
    made
}

/// `[main 1a2b3c4] Subject`, with `(root-commit)` behind the branch of the first one and
/// `detached HEAD` in place of a branch.
fn commit_line(line: &str) -> Option<GitCommit> {
    let inside = line.trim_end().strip_prefix('[')?;
    inside.match_indices("] ").find_map(|(end, _)| {
        let (place, sha) = inside[..end].rsplit_once(' ')?;
        let sha = CommitSha::new(sha).ok()?;
        let place = place.strip_suffix(" (root-commit)").unwrap_or(place);
        let branch = (place != "detached HEAD").then(|| place.to_owned());
        if place.is_empty() || (branch.is_some() && place.contains(' ')) {
            return None;
        }
        let subject = inside[end + 2..].to_owned();
        Some(GitCommit { sha, branch, subject, dir: None, amend: false })
    })
}

/// How many shells inside shells are looked into.
const DEEPEST_SHELL: usize = 4;

/// Each `git commit` in a command line, in order; dry runs and calls for help are none.
pub fn commit_commands(command: &str) -> Vec<CommitCommand> {
    let mut found = Vec::new();
    collect(command, None, DEEPEST_SHELL, &mut found);
    found
}

fn collect(line: &str, mut dir: Option<String>, depth: usize, found: &mut Vec<CommitCommand>) {
    for words in simple_commands(line) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let Some((program, args)) = program(&words) else { continue };
        match (program, args) {
            ("cd" | "pushd", [to, ..]) => dir = Some(inside(dir.as_deref(), to)),
            ("git" | "git.exe", args) => found.extend(git_commit(dir.as_deref(), args)),
            ("sh" | "bash" | "zsh" | "dash", args) if depth > 0 => {
                let flag = |word: &&&str| word.starts_with('-') && word.ends_with('c');
                if let Some(at) = args.iter().position(|word| flag(&word))
                    && let Some(script) = args.get(at + 1)
                {
                    collect(script, dir.clone(), depth - 1, found);
                }
            }
            _ => {}
        }
    }
}

/// The program a simple command runs, without its directory, and its arguments: behind words of the
/// shell's own, assignments, and programs that run another.
///
/// ```
/// let words = ["sudo", "A=1", "/usr/bin/make", "test"];
/// assert_eq!(tacit_observer::program(&words), Some(("make", &words[3..])));
/// ```
pub fn program<'a, 'w>(words: &'w [&'a str]) -> Option<(&'a str, &'w [&'a str])> {
    let mut rest = words;
    while let [word, after @ ..] = rest {
        let name = word.rsplit('/').next().unwrap_or(word);
        rest = match name {
            "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "!" | "{" | "time"
            | "command" | "exec" | "builtin" | "nohup" => after,
            "sudo" | "doas" | "env" | "nice" => skip_options(after),
            _ if is_assignment(word) => after,
            _ => return Some((name, after)),
        };
    }
    None
}

fn skip_options<'a, 'w>(mut words: &'w [&'a str]) -> &'w [&'a str] {
    while let [word, after @ ..] = words {
        words = match *word {
            "-u" | "-g" | "-n" | "-C" if !after.is_empty() => &after[1..],
            _ if word.starts_with('-') => after,
            _ => break,
        };
    }
    words
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'+')
    })
}

fn git_commit(dir: Option<&str>, args: &[&str]) -> Option<CommitCommand> {
    let mut dir = dir.map(str::to_owned);
    let mut rest = args;
    loop {
        match rest {
            ["commit", after @ ..] => {
                return commit_options(after).map(|amend| CommitCommand { dir, amend });
            }
            ["-C", to, after @ ..] => {
                dir = Some(inside(dir.as_deref(), to));
                rest = after;
            }
            [
                "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--config-env",
                _,
                after @ ..,
            ] => {
                rest = after;
            }
            [option, after @ ..] if option.starts_with('-') => rest = after,
            _ => return None,
        }
    }
}

/// Whether `git commit` with these arguments amends; `None` if it makes no commit.
fn commit_options(args: &[&str]) -> Option<bool> {
    let mut amend = false;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--" => break,
            "--dry-run" | "--help" | "-h" => return None,
            "--amend" => amend = true,
            "--message" | "--file" | "--author" | "--date" | "--template" | "--reuse-message"
            | "--reedit-message" | "--fixup" | "--squash" | "--cleanup" | "--trailer" => {
                args.next();
            }
            // Short options can stand together; the last may take the next word as its value.
            _ if arg.starts_with('-') && !arg.starts_with("--") => {
                let taking = arg.find(['m', 'F', 'C', 'c', 't']);
                if taking == Some(arg.len() - 1) {
                    args.next();
                }
            }
            _ => {}
        }
    }
    Some(amend)
}

/// A directory named from within another.
fn inside(dir: Option<&str>, to: &str) -> String {
    match dir {
        Some(dir) if !to.starts_with(['/', '~', '$']) => {
            format!("{}/{to}", dir.trim_end_matches('/'))
        }
        _ => to.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn commit_commands_are_recognised() {
        let plain = || Some((None, false));
        let cases = [
            ("git commit -m 'x'", plain()),
            ("git add -A && git commit -m \"a; b\"", plain()),
            ("git add . ; git commit", plain()),
            ("git -C web commit -am x", Some((Some("web"), false))),
            ("cd /srv/app && git -C web commit -m x", Some((Some("/srv/app/web"), false))),
            ("(cd sub; git commit --amend --no-edit)", Some((Some("sub"), true))),
            ("GIT_AUTHOR_DATE='now then' git commit -m x", plain()),
            ("env A=1 /usr/bin/git --no-pager -c user.name=x commit -qm x", plain()),
            ("sudo -u dev git commit -m x", plain()),
            ("if true; then git commit -m x; fi", plain()),
            ("git commit -m \"$(cat <<'EOF'\nIt's (done)\n\nEOF\n)\"", plain()),
            ("bash -lc 'git commit -m x'", plain()),
            ("git commit -m --dry-run", plain()),
            ("git commit -m x -- --help", plain()),
            ("git commit -m x 2>&1 | tail -1", plain()),
            ("git commit --dry-run", None),
            ("git commit --help", None),
            ("git log --grep commit", None),
            ("git commit-graph write", None),
            ("git status # git commit", None),
            ("echo git commit", None),
            ("echo 'x && git commit -m y'", None),
            ("cat > f <<E\ngit commit -m x\nE\n", None),
            ("grep 'git commit' -r .", None),
            ("gitk commit", None),
            ("", None),
        ];
        for (command, expected) in cases {
            let found = commit_commands(command);
            let expected: Vec<CommitCommand> = expected
                .into_iter()
                .map(|(dir, amend)| CommitCommand { dir: dir.map(str::to_owned), amend })
                .collect();
            assert_eq!(found, expected, "{command}");
        }
    }

    #[test]
    fn commit_lines_are_parsed() {
        let cases = [
            ("[main 1a2b3c4] Add it", Some(("1a2b3c4", Some("main"), "Add it"))),
            ("[main (root-commit) 1a2b3c4] Begin", Some(("1a2b3c4", Some("main"), "Begin"))),
            ("[detached HEAD 0123456789ab] [x] y", Some(("0123456789ab", None, "[x] y"))),
            ("[feature/a-b 1a2b3c4] z", Some(("1a2b3c4", Some("feature/a-b"), "z"))),
            ("[fix] x 1a2b3c4] z", None),
            ("[a]b 1a2b3c4] z", Some(("1a2b3c4", Some("a]b"), "z"))),
            (" 1 file changed, 1 insertion(+)", None),
            ("[INFO abcdefgh] x", None),
            ("[]", None),
        ];
        for (line, expected) in cases {
            let made = git_commits("git commit -m x", &format!("hook ran\n{line}\n 1 file\n"));
            let told = made.first().map(|c| (c.sha.as_str(), c.branch.as_deref(), &*c.subject));
            assert_eq!(told, expected, "{line}");
        }
        assert_eq!(git_commits("cat log", "[main 1a2b3c4] Add it"), []);
    }

    #[test]
    fn commits_have_a_directory_if_every_command_reported() {
        let command = "git -C a commit -m x && git -C b commit -m y";
        let both = git_commits(command, "[main 1111111] x\n[main 2222222] y\n");
        let dirs: Vec<_> = both.iter().map(|commit| commit.dir.as_deref()).collect();
        assert_eq!(dirs, [Some("a"), Some("b")]);
        let one = git_commits(command, "[main 1111111] x\n");
        assert_eq!(one[0].dir, None);
        let same = git_commits("cd a; git commit -qm x; git commit -m y", "[main 2222222] y");
        assert_eq!(same[0].dir.as_deref(), Some("a"));
    }

    proptest! {
        #[test]
        fn commit_messages_are_never_commands(message in "[ -~\n]{0,60}") {
            let quoted = message.replace('\'', "'\\''");
            prop_assert_eq!(commit_commands(&format!("git commit -m '{quoted}'")).len(), 1);
            prop_assert_eq!(commit_commands(&format!("echo '{quoted}'")).len(), 0);
        }

        #[test]
        fn any_output_is_accepted(output in "(\\[|\\]|main| |[0-9a-f]{7}|\n|é){0,40}") {
            for commit in git_commits("git commit", &output) {
                prop_assert!(commit.sha.as_str().len() >= 7);
            }
        }
    }
}
