//! The names that task runners print before each line of a task's output.

use crate::validation::script_kind;

/// Levels of log lines, which stand in brackets like the names of tasks.
const LOG_LEVELS: [&str; 9] =
    ["info", "error", "warn", "warning", "debug", "trace", "fatal", "ok", "notice"];
/// Names of tasks that check nothing.
const OTHER_TASKS: [&str; 9] =
    ["dev", "start", "fmt", "format", "generate", "codegen", "prepare", "install", "fix"];
/// Maximum number of nested names, such as those of a task runner in a container.
const MAX_NESTED: usize = 3;

/// Returns a line without the names of tasks before it: `[lint] `, `web:test: `, `web:test | `,
/// `packages/web test: `, `web-1  | `.
pub(crate) fn without_task_prefix(line: &str) -> &str {
    let mut rest = line;
    for _ in 0..MAX_NESTED {
        match one_prefix(rest) {
            Some(inner) => rest = inner,
            None => break,
        }
    }
    rest
}

fn one_prefix(line: &str) -> Option<&str> {
    bracketed(line).or_else(|| container(line)).or_else(|| package_task(line))
}

/// Strips `[task] ` of mise and concurrently.
fn bracketed(line: &str) -> Option<&str> {
    let (name, rest) = line.strip_prefix('[')?.split_once(']')?;
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
    (name.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '@' | '/'))
        && name.chars().all(is_name_char)
        && !LOG_LEVELS.contains(&name))
    .then_some(rest)
}

/// Strips `service-1  | ` of docker compose and `project:task | ` of moon.
fn container(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once('|')?;
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
    let name = name.strip_suffix(' ')?.trim_end_matches(' ');
    let numbered = name.rsplit_once(['-', '_']).is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    });
    let is_task = name.split_once(':').is_some_and(|(_, task)| is_task(task));
    (name.chars().all(is_name_char) && (numbered || is_task)).then_some(rest)
}

/// Strips `package:task: ` of turbo, and `directory task: ` or `directory task$ ` of pnpm.
fn package_task(line: &str) -> Option<&str> {
    let (head, rest) = line.split_once(": ").or_else(|| line.split_once("$ "))?;
    let (package, task) = match head.split_once(' ') {
        Some((directory, task)) if directory.contains('/') || directory == "." => (directory, task),
        Some(_) => return None,
        None => head.split_once(':')?,
    };
    (!package.is_empty() && package.chars().all(is_name_char) && is_task(task)).then_some(rest)
}

fn is_task(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_name_char)
        && (OTHER_TASKS.contains(&name) || script_kind(name).is_some())
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_lowercase()
        || c.is_ascii_digit()
        || matches!(c, '@' | '/' | ':' | '.' | '_' | '-' | '#')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_tasks_are_removed() {
        for (line, expected) in [
            ("[lint] 0 issues.", "0 issues."),
            ("[test:ci] ok  \texample.com/a\t0.1s", "ok  \texample.com/a\t0.1s"),
            ("[//web:test] 3 passed", "3 passed"),
            ("[lint]", ""),
            ("web:test: Tests:  1 failed", "Tests:  1 failed"),
            ("@acme/web:build: error TS2345", "error TS2345"),
            ("web:test | FAIL a.test.ts", "FAIL a.test.ts"),
            ("packages/web test: 3 passing", "3 passing"),
            (". lint$ eslint .", "eslint ."),
            ("web-1  | [test] 3 passed in 0.1s", "3 passed in 0.1s"),
            ("app_1  | OK", "OK"),
        ] {
            assert_eq!(without_task_prefix(line), expected, "{line}");
        }
    }

    #[test]
    fn other_lines_stay() {
        for line in [
            "",
            "[INFO] BUILD SUCCESS",
            "[error] bad",
            "[main 1a2b3c4] Add it",
            "[Errno 2] No such file",
            "[100%] Built target a",
            "[E0308] mismatched types",
            "a.py:3: error: bad",
            "src/a.go:12:5: undefined: x",
            "error: test failed",
            "ok | 3 passed | 0 failed",
            " id | name",
            "thread 'main' panicked at a.rs:3:5:",
            "test auth::expires ... FAILED",
            "FAIL src/a.test.ts > adds: wrong",
        ] {
            assert_eq!(without_task_prefix(line), line);
        }
    }

    proptest! {
        #[test]
        fn any_line_is_accepted(line in "(\\[|\\]|a|web-1|:test|: | \\| |\\$ |é|/){0,20}") {
            prop_assert!(line.ends_with(without_task_prefix(&line)));
        }
    }
}
