//! Reasons of the environment for which commands fail, read from their output.

use crate::fingerprint::without_escapes;

/// The number of lines read at the beginning and at the end of an output.
const LINES_READ: usize = 120;
/// The number of bytes read of a line.
const MAX_LINE: usize = 400;
/// The number of reasons read.
const MAX_REASONS: usize = 6;

/// The kind of a reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReasonKind {
    /// The program is not installed or not on the path.
    Program,
    /// A module of the interpreter is not installed.
    Module,
    /// An option that this version of the tool does not have.
    Option,
    /// A value of an option that the tool does not know, such as a field.
    Value,
    /// A subcommand that the tool does not have.
    Subcommand,
    /// A task that the project does not define.
    Task,
    /// Code that is built only with a tag or feature.
    Feature,
    /// A refusal that an option or another launcher avoids.
    Refused,
    /// Another version of the tool is required.
    Version,
    /// The tool does not know which account or repository is meant.
    Login,
    /// A variable of the environment must be set.
    Variable,
    /// Some failure that a setting ends.
    Setting,
}

/// A reason with the name that the output gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reason {
    pub(super) kind: ReasonKind,
    /// The program, option, module or task; empty for kinds without one.
    pub(super) name: String,
    /// The line of the output.
    pub(super) line: String,
    /// The name that the output suggests instead.
    pub(super) suggested: Option<String>,
}

impl Reason {
    pub(super) fn new(kind: ReasonKind, name: String, line: String) -> Reason {
        Reason { kind, name, line, suggested: None }
    }
}

/// The position of the name in a line of output.
enum NamePosition {
    /// Directly after this text.
    After(&'static str),
    /// Directly before this text.
    Before(&'static str),
    /// Nowhere; the line contains this text.
    Unnamed(&'static str),
}

use NamePosition::{After, Before, Unnamed};
use ReasonKind as Kind;

const TABLE: &[(ReasonKind, NamePosition)] = &[
    (Kind::Program, After("command not found: ")),
    (Kind::Program, After("Unknown command: ")),
    (Kind::Program, After("Failed to spawn: ")),
    (Kind::Program, After("unable to find executable ")),
    (Kind::Program, Before(": command not found")),
    (Kind::Program, Before(": executable file not found in $PATH")),
    (Kind::Program, Before(" is not recognized as an internal or external command")),
    (Kind::Program, Before(" is not recognized as the name of a cmdlet")),
    (Kind::Program, Before(": not found")),
    (Kind::Module, After("No module named ")),
    (Kind::Module, After("Cannot find module ")),
    (Kind::Module, After("Cannot find package ")),
    (Kind::Module, After("cannot load such file -- ")),
    (Kind::Option, After("unknown flag: ")),
    (Kind::Option, After("flag provided but not defined: ")),
    (Kind::Option, After("unrecognized arguments: ")),
    (Kind::Option, After("nrecognized option: ")),
    (Kind::Option, After("nrecognized option ")),
    (Kind::Option, After("unexpected argument ")),
    (Kind::Option, After("o such option: ")),
    (Kind::Option, After("nknown option: ")),
    (Kind::Option, After("nknown option ")),
    (Kind::Option, After("nknown argument: ")),
    (Kind::Option, After("nknown command-line option ")),
    (Kind::Option, After("Found argument ")),
    (Kind::Option, After("nknown compiler option ")),
    (Kind::Option, After("nknown shorthand flag: ")),
    (Kind::Option, After("invalid option -- ")),
    (Kind::Option, After("illegal option -- ")),
    (Kind::Value, After("nknown JSON field: ")),
    (Kind::Value, After("nknown linters: ")),
    (Kind::Value, After("nknown field: ")),
    (Kind::Value, After("invalid choice: ")),
    (Kind::Subcommand, After("nknown command ")),
    (Kind::Subcommand, After("nknown subcommand ")),
    (Kind::Subcommand, After("nrecognized subcommand ")),
    (Kind::Subcommand, After("no such command: ")),
    (Kind::Subcommand, After("No such command ")),
    (Kind::Task, After("Missing script: ")),
    (Kind::Task, After("mise ERROR no task ")),
    (Kind::Task, After("No rule to make target ")),
    (Kind::Task, After("does not contain recipe ")),
    (Kind::Task, After("does not contain recipes ")),
    (Kind::Task, After("Don't know how to build task ")),
    (Kind::Task, After("Script not found ")),
    (Kind::Task, After("could not find task ")),
    (Kind::Task, After("Unknown lifecycle phase ")),
    (Kind::Task, After("Couldn't find a script named ")),
    (Kind::Task, After("task: Task ")),
    (Kind::Task, After("FAILURE: Task ")),
    (Kind::Task, After("> Task ")),
    (Kind::Feature, Unnamed("build constraints exclude all Go files")),
    (Kind::Feature, Unnamed("requires the features: ")),
    (Kind::Refused, Unnamed("externally-managed-environment")),
    (Kind::Refused, Unnamed("ERESOLVE unable to resolve dependency tree")),
    (Kind::Refused, Unnamed("ERR_PNPM_OUTDATED_LOCKFILE")),
    (Kind::Refused, Unnamed("This project is configured to use ")),
    (Kind::Refused, Unnamed("This project's package.json defines ")),
    (Kind::Version, Unnamed("Unsupported engine")),
    (Kind::Version, Unnamed("The engine \"node\" is incompatible")),
    (Kind::Version, Unnamed("requires Node.js")),
    (Kind::Version, Unnamed("requires Node ")),
    (Kind::Version, Unnamed("Unsupported class file major version")),
    (Kind::Version, Unnamed("has been compiled by a more recent version of the Java Runtime")),
    (Kind::Version, Unnamed("invalid target release: ")),
    (Kind::Version, Unnamed("requires rustc ")),
    (Kind::Version, Unnamed("is only accepted on the nightly compiler")),
    (Kind::Version, Unnamed("may not be used on the stable release channel")),
    (Kind::Version, Unnamed("requires a different Python")),
    (Kind::Version, Unnamed("requires go >= ")),
    (Kind::Login, Unnamed("point to a known GitHub host")),
    (Kind::Login, Unnamed("No default remote repository has been set")),
    (Kind::Variable, Before(" must be set")),
    (Kind::Variable, Before(" is not set")),
    (Kind::Variable, Before(" environment variable is required")),
    (Kind::Variable, After("environment variable not found: ")),
    (Kind::Variable, After("issing required environment variable: ")),
    (Kind::Variable, After("issing environment variable: ")),
];

/// Returns the reasons that an output gives, without repetitions.
pub(super) fn reasons(output: &str) -> Vec<Reason> {
    let mut found: Vec<Reason> = Vec::new();
    for line in significant_lines(output) {
        if found.len() == MAX_REASONS {
            break;
        }
        if let Some(reason) = read_line(&line)
            && found.iter().all(|known| (known.kind, &known.name) != (reason.kind, &reason.name))
        {
            found.push(reason);
        } else if let Some((_, name)) = line.split_once("id you mean")
            && let Some(reason) = found.last_mut()
        {
            reason.suggested = Some(first_name(name.trim_start_matches([':', ' '])))
                .filter(|name| !name.is_empty());
        }
    }
    found
}

/// Returns the first and the last lines of an output, without escapes and empty lines.
pub(super) fn significant_lines(output: &str) -> Vec<String> {
    let mut lines: Vec<&str> = output.lines().take(LINES_READ).collect();
    let rest = output.lines().skip(LINES_READ);
    let mut last: Vec<&str> = rest.collect();
    lines.extend(last.drain(last.len().saturating_sub(LINES_READ)..));
    lines
        .into_iter()
        .map(|line| &line[..line.floor_char_boundary(MAX_LINE)])
        .map(|line| without_escapes(line).trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

fn read_line(line: &str) -> Option<Reason> {
    TABLE.iter().find_map(|(kind, position)| {
        let name = match position {
            After(text) => first_name(line.split_once(text)?.1),
            Before(text) => last_name(line.split_once(text)?.0),
            Unnamed(text) => line.contains(text).then(String::new)?,
        };
        let name = match kind {
            // `task: Task "x" does not exist` and `Task 'x' not found in root project`.
            ReasonKind::Task if !says_missing(line) => return None,
            ReasonKind::Variable if !is_variable(&name) => return None,
            ReasonKind::Option => option_name(&name, line)?,
            _ => name,
        };
        let is_named = !matches!(position, Unnamed(_));
        (!is_named || !name.is_empty()).then(|| Reason::new(*kind, name, line.to_owned()))
    })
}

fn says_missing(line: &str) -> bool {
    let ways = ["not ", "no ", "No ", "n't ", "Missing", "Unknown", "not found"];
    ways.iter().any(|way| line.contains(way))
}

/// Returns an option as it is written in a command.
fn option_name(name: &str, line: &str) -> Option<String> {
    if name.starts_with('-') {
        return Some(name.split('=').next().unwrap_or(name).to_owned());
    }
    let is_short = line.contains("option -- ") || line.contains("shorthand flag");
    (is_short && name.chars().count() == 1).then(|| format!("-{name}"))
}

fn is_variable(name: &str) -> bool {
    name.len() > 3
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

const QUOTES: [char; 6] = ['\'', '"', '`', '‘', '’', '“'];

/// Returns the name at the beginning of a text, without quotes.
fn first_name(text: &str) -> String {
    let text = text.trim_start();
    let quoted = text.strip_prefix(QUOTES);
    let end = |c: char| match quoted {
        Some(_) => QUOTES.contains(&c) || c == '”',
        None => c.is_whitespace(),
    };
    let name = quoted.unwrap_or(text).split(end).next().unwrap_or_default();
    name.trim_end_matches(['.', ',', ';', ')', ':']).to_owned()
}

/// Returns the name at the end of a text, without quotes.
fn last_name(text: &str) -> String {
    let name = text.split_whitespace().next_back().unwrap_or_default();
    name.trim_matches(|c: char| QUOTES.contains(&c) || c == '”' || c == ':').to_owned()
}

/// Returns the names that an output lists as available, if it does.
pub(super) fn listed_names(output: &str) -> Vec<String> {
    const MOST: usize = 24;
    let mut lines = output.lines().take(2 * LINES_READ);
    let Some(after) = lines.find_map(|line| {
        let available = line.split_once("vailable ").and_then(|(_, rest)| rest.split_once(':'));
        available.or_else(|| line.split_once("choose from ")).map(|(_, after)| after)
    }) else {
        return Vec::new();
    };
    let names: Vec<String> = if after.trim().is_empty() {
        let indented = lines.take_while(|line| line.starts_with([' ', '\t']));
        indented.map(|line| line.trim().to_owned()).take(MOST + 1).collect()
    } else {
        let listed = after.trim_end_matches([')', '.']).split(',').take(MOST + 1);
        listed.map(|name| name.trim().trim_matches(QUOTES).to_owned()).collect()
    };
    let all_are_names = names.iter().all(|name| !name.is_empty() && !name.contains(' '));
    if all_are_names && names.len() <= MOST { names } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn outputs_name_the_reason() {
        for (output, kind, name) in [
            ("(eval):1: command not found: golangci-lint", Kind::Program, "golangci-lint"),
            ("zsh: command not found: timeout", Kind::Program, "timeout"),
            ("bash: line 1: rg: command not found", Kind::Program, "rg"),
            ("sh: 1: tsc: not found", Kind::Program, "tsc"),
            ("error: Failed to spawn: `ruff`", Kind::Program, "ruff"),
            ("bundler: command not found: rspec", Kind::Program, "rspec"),
            ("/usr/bin/python: No module named pytest", Kind::Module, "pytest"),
            ("ModuleNotFoundError: No module named 'yaml'", Kind::Module, "yaml"),
            ("Error: Cannot find module 'typescript'", Kind::Module, "typescript"),
            ("Error: unknown flag: --disable-all", Kind::Option, "--disable-all"),
            ("error: unexpected argument '--foo' found", Kind::Option, "--foo"),
            ("x.py: error: unrecognized arguments: --fast", Kind::Option, "--fast"),
            ("│ No such option: --title (Possible options: --x) │", Kind::Option, "--title"),
            ("error: unknown option '--watchAll'", Kind::Option, "--watchAll"),
            ("grep: invalid option -- P", Kind::Option, "-P"),
            ("date: illegal option -- d", Kind::Option, "-d"),
            ("flag provided but not defined: -race2", Kind::Option, "-race2"),
            ("Unknown JSON field: \"conclusion\"", Kind::Value, "conclusion"),
            ("Error: unknown linters: 'deadcode,varcheck', run", Kind::Value, "deadcode,varcheck"),
            ("error: unrecognized subcommand 'nextest'", Kind::Subcommand, "nextest"),
            ("error: no such command: `nextest`", Kind::Subcommand, "nextest"),
            ("npm error Missing script: \"lint\"", Kind::Task, "lint"),
            ("mise ERROR no task lint:full found", Kind::Task, "lint:full"),
            ("make: *** No rule to make target 'lint'.  Stop.", Kind::Task, "lint"),
            ("error: Justfile does not contain recipe `tst`", Kind::Task, "tst"),
            ("package x: build constraints exclude all Go files in /a", Kind::Feature, ""),
            ("error: externally-managed-environment", Kind::Refused, ""),
            ("npm error ERESOLVE unable to resolve dependency tree", Kind::Refused, ""),
            ("DATABASE_URL must be set", Kind::Variable, "DATABASE_URL"),
            ("error: toolchain: package `x` requires rustc 1.80", Kind::Version, ""),
        ] {
            let found = reasons(&format!("Exit code 1\n{output}\n"));
            let found = found.first().unwrap_or_else(|| panic!("no reason: {output}"));
            assert_eq!((found.kind, found.name.as_str()), (kind, name), "{output}");
        }
    }

    #[test]
    fn ordinary_failures_have_no_reason_of_the_environment() {
        for output in [
            "--- FAIL: TestX (0.00s)\n    x_test.go:3: got 1",
            "error[E0308]: mismatched types",
            "> Task :app:compileJava FAILED",
            "src/a.ts(3,5): error TS2322: Type 'x' is not assignable",
            "AssertionError: x is not set",
            "",
        ] {
            assert_eq!(reasons(output), [], "{output}");
        }
    }

    #[test]
    fn listed_names_are_read() {
        let fields = "Unknown JSON field: \"x\"\nAvailable fields:\n  bucket\n  state\n";
        assert_eq!(listed_names(fields), ["bucket", "state"]);
        assert_eq!(listed_names("Available agents: Bash, a:b, c"), ["Bash", "a:b", "c"]);
        let choices = "invalid choice: 'x' (choose from 'a', 'b')";
        assert_eq!(listed_names(choices), ["a", "b"]);
        assert!(listed_names("Available disk space: 3 GB left here").is_empty());
    }

    proptest! {
        #[test]
        fn any_output_is_accepted(
            output in "(command not found: |unknown flag: |: not found|vailable |[a-z'\"`:(), é\n]){0,60}"
        ) {
            reasons(&output);
            listed_names(&output);
        }
    }
}
