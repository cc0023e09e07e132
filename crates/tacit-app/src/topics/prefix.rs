//! The words that identify a command: its program and, for tools with many uses, the subcommand.

use tacit_observer::simple_commands;

/// Programs that are too common to be hot topics.
const TRIVIAL: [&str; 22] = [
    "ls", "cat", "head", "tail", "echo", "cd", "pwd", "mkdir", "cp", "mv", "touch", "chmod",
    "chown", "wc", "sort", "grep", "find", "which", "test", "true", "false", "exit",
];

/// Shell built-ins and keywords, which failures are never about.
const BUILTIN: [&str; 30] = [
    ".", ":", "[", "[[", "}", "alias", "break", "case", "continue", "declare", "done", "esac",
    "export", "fi", "for", "function", "local", "popd", "printf", "pushd", "read", "return",
    "select", "set", "shift", "sleep", "source", "trap", "unset", "wait",
];

/// Shell keywords that come before a command.
const LEADING: [&str; 9] = ["!", "{", "do", "elif", "else", "if", "then", "until", "while"];

/// Programs that run the command after them.
const WRAPPERS: [&str; 13] = [
    "builtin", "command", "doas", "env", "eval", "exec", "nice", "nohup", "stdbuf", "sudo", "time",
    "timeout", "xargs",
];

/// Shells and interpreters; the script identifies the command.
pub(super) const INTERPRETERS: [&str; 11] =
    ["bash", "dash", "fish", "node", "perl", "php", "python", "python3", "ruby", "sh", "zsh"];

/// Tools whose subcommand matters.
pub(super) const MULTI: [&str; 38] = [
    "apt",
    "apt-get",
    "aws",
    "az",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "flutter",
    "gcloud",
    "gh",
    "git",
    "go",
    "gradle",
    "gradlew",
    "helm",
    "just",
    "kubectl",
    "make",
    "mise",
    "mix",
    "mvn",
    "npm",
    "npx",
    "pip",
    "pnpm",
    "podman",
    "poetry",
    "rails",
    "rustup",
    "systemctl",
    "terraform",
    "uv",
    "yarn",
];

/// Options of those tools that come before the subcommand and take a value.
const WITH_VALUE: [&str; 16] = [
    "-C",
    "-H",
    "-R",
    "-c",
    "-f",
    "-n",
    "-w",
    "--config",
    "--context",
    "--cwd",
    "--file",
    "--git-dir",
    "--kubeconfig",
    "--manifest-path",
    "--namespace",
    "--prefix",
];

const MAX_WORD: usize = 48;
const MAX_DEPTH: usize = 3;

/// Returns the words that identify the first non-trivial command of a line.
///
/// ```
/// use tacit_app::topics::command_prefix;
/// assert_eq!(command_prefix("cd web && CI=1 npm run build 2>&1 | tail"), Some("npm run build".into()));
/// assert_eq!(command_prefix("./scripts/deploy.sh --prod"), Some("deploy.sh".into()));
/// assert_eq!(command_prefix("ls -la"), None);
/// ```
pub fn command_prefix(command: &str) -> Option<String> {
    in_line(command, 0)
}

/// Returns the words of a command line that say what it is about: programs with their operands,
/// without trivial commands, options, assignments and wrappers such as `sudo`.
///
/// ```
/// use tacit_app::topics::telling_words;
/// let line = "cd web && CI=1 sudo -E npm run build --prod 2>&1 | tail -5";
/// assert_eq!(telling_words(line), "npm run build");
/// ```
pub fn telling_words(line: &str) -> String {
    let mut telling: Vec<String> = Vec::new();
    for words in simple_commands(line) {
        let mut rest = words.as_slice();
        while let Some((first, after)) = rest.split_first() {
            let name = base_name(first);
            if WRAPPERS.contains(&name) {
                rest = skip_wrapper(name, after);
            } else if LEADING.contains(&name) || is_assignment(first) {
                rest = after;
            } else {
                break;
            }
        }
        if rest.first().is_some_and(|program| !is_trivial(base_name(program))) {
            telling.extend(rest.iter().filter(|word| !word.starts_with('-')).cloned());
        }
    }
    telling.join(" ")
}

fn in_line(line: &str, depth: usize) -> Option<String> {
    simple_commands(line).iter().find_map(|words| in_words(words, depth))
}

fn in_words(words: &[String], depth: usize) -> Option<String> {
    let mut rest = words;
    let program = loop {
        let (first, after) = rest.split_first()?;
        rest = after;
        let name = base_name(first);
        if WRAPPERS.contains(&name) {
            rest = skip_wrapper(name, rest);
        } else if !LEADING.contains(&name) && !is_assignment(first) {
            break name;
        }
    };
    if INTERPRETERS.contains(&program) {
        return of_script(program, rest, depth);
    }
    if !is_plain(program) || is_trivial(program) {
        return None;
    }
    let mut prefix = program.to_owned();
    if MULTI.contains(&program) {
        let mut operands = operands(rest);
        if let Some(subcommand) = operands.next().filter(|word| is_plain(word)) {
            prefix.push(' ');
            prefix.push_str(subcommand);
            // `npm run` means nothing without the script's name.
            if matches!(subcommand, "run" | "task")
                && matches!(program, "npm" | "pnpm" | "yarn" | "bun" | "deno" | "poetry" | "uv")
                && let Some(script) = operands.next().filter(|word| is_plain(word))
            {
                prefix.push(' ');
                prefix.push_str(script);
            }
        }
    }
    Some(prefix)
}

fn of_script(program: &str, rest: &[String], depth: usize) -> Option<String> {
    match rest {
        [option, module, ..] if option == "-m" && is_plain(module) => {
            Some(format!("{program} -m {module}"))
        }
        [option, script, ..] if is_inline(program, option) && depth < MAX_DEPTH => {
            in_line(script, depth + 1)
        }
        _ => {
            let script = operands(rest).next().map(base_name);
            let script = script.filter(|script| is_plain(script) && !is_trivial(script));
            Some(script.unwrap_or(program).to_owned())
        }
    }
}

/// Returns true if an option such as `-lc` passes commands to a shell in the next word.
fn is_inline(program: &str, option: &str) -> bool {
    program.ends_with("sh")
        && option.strip_prefix('-').is_some_and(|letters| {
            letters.ends_with('c') && letters.bytes().all(|byte| byte.is_ascii_lowercase())
        })
}

/// Returns the words that are neither options nor their values.
fn operands(words: &[String]) -> impl Iterator<Item = &str> {
    let mut skip = false;
    words.iter().map(String::as_str).filter(move |word| {
        let is_value = std::mem::replace(&mut skip, WITH_VALUE.contains(word));
        !is_value && !word.starts_with(['-', '+'])
    })
}

fn skip_wrapper<'a>(name: &str, mut rest: &'a [String]) -> &'a [String] {
    let takes_value: &[&str] = match name {
        "sudo" | "doas" => &["-u", "-g", "-h", "-p", "-C"],
        "env" => &["-u", "-C"],
        "timeout" => &["-k", "-s"],
        "nice" => &["-n"],
        "stdbuf" => &["-i", "-o", "-e"],
        "xargs" => &["-I", "-n", "-P", "-L", "-d"],
        _ => &[],
    };
    while let Some((first, after)) = rest.split_first()
        && first.starts_with('-')
    {
        let values = usize::from(takes_value.contains(&first.as_str()));
        rest = after.get(values..).unwrap_or_default();
    }
    if name == "timeout" { rest.get(1..).unwrap_or_default() } else { rest }
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn base_name(word: &str) -> &str {
    word.rsplit_once('/').map_or(word, |(_, name)| name)
}

/// Returns true if a word is a plain name, with nothing that the shell would expand.
pub(super) fn is_plain(word: &str) -> bool {
    word.len() <= MAX_WORD
        && word.starts_with(|first: char| first.is_alphanumeric() || first == '_')
        && word.chars().all(|character| {
            character.is_alphanumeric() || matches!(character, '-' | '_' | '.' | ':' | '@' | '+')
        })
}

/// Returns true for programs that are never hot topics.
pub(super) fn is_trivial(program: &str) -> bool {
    TRIVIAL.contains(&program) || BUILTIN.contains(&program)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_command_is_identified_by_program_and_subcommand() {
        let cases = [
            ("cargo build --release", Some("cargo build")),
            ("cargo +nightly clippy", Some("cargo clippy")),
            ("git -C /srv/app push origin main", Some("git push")),
            ("kubectl -n prod get pods", Some("kubectl get")),
            ("go test ./...", Some("go test")),
            ("docker compose up -d", Some("docker compose")),
            ("npm run test:e2e -- --ui", Some("npm run test:e2e")),
            ("npm ci", Some("npm ci")),
            ("npx tsc --noEmit", Some("npx tsc")),
            ("npm", Some("npm")),
            ("psql -h db -c 'select 1'", Some("psql")),
            ("wt-new feature", Some("wt-new")),
            ("sudo -u postgres psql", Some("psql")),
            ("timeout -k 5 30 cargo test", Some("cargo test")),
            ("env A=1 B=2 terraform plan", Some("terraform plan")),
            ("A=1 make db", Some("make db")),
            ("cd api && ls && pytest -x | tail -5", Some("pytest")),
            ("python -m pytest -q", Some("python -m pytest")),
            ("python3 tools/seed.py --all", Some("seed.py")),
            ("python -c 'print(1)'", Some("python")),
            ("bash -lc 'cd x && cargo test'", Some("cargo test")),
            ("bash scripts/release.sh", Some("release.sh")),
            ("for f in *; do openspec validate $f; done", Some("openspec")),
            ("if ! make check; then exit 1; fi", Some("make check")),
            ("set -e; ./gradlew assemble", Some("gradlew assemble")),
            ("$CMD --flag && terraform apply", Some("terraform apply")),
            ("ls; cat x | grep y | wc -l", None),
            ("echo done && exit 1", None),
            ("timeout", None),
            ("sudo", None),
            ("", None),
        ];
        for (command, expected) in cases {
            assert_eq!(command_prefix(command).as_deref(), expected, "{command}");
        }
    }

    proptest! {
        #[test]
        fn any_command_is_accepted(command in r#"(bash -c|sudo|env|-|[a-z '"$();|=/é\n]){0,40}"#) {
            if let Some(prefix) = command_prefix(&command) {
                prop_assert!(!prefix.is_empty() && prefix.len() <= 4 * MAX_WORD);
                prop_assert!(!is_trivial(&prefix), "{}", prefix);
            }
        }
    }
}
