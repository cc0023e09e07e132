//! Sees through programs that run other programs or the tasks of a project.

use super::command::script_kind;
use crate::tasks::{DEFAULT_TARGET, TaskDefinitions, TaskRunner};

/// The command that a launcher runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Launched<'a> {
    /// Another program with its arguments.
    Program(Vec<&'a str>),
    /// A command line for a shell.
    Script(&'a str),
    /// Tasks of a project.
    Tasks(LaunchedTasks<'a>),
}

/// Tasks of a project that a command runs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LaunchedTasks<'a> {
    pub(super) runner: TaskRunner,
    /// The program as the command names it.
    pub(super) program: &'a str,
    /// The names of the tasks with their arguments.
    pub(super) tasks: Vec<(&'a str, Vec<&'a str>)>,
    /// The packages or directories that the command is limited to; the definitions of the project
    /// do not apply there.
    pub(super) packages: Vec<&'a str>,
}

const UV_VALUES: [&str; 18] = [
    "--group",
    "--only-group",
    "--no-group",
    "--with",
    "--with-editable",
    "--with-requirements",
    "--extra",
    "--no-extra",
    "--python",
    "-p",
    "--directory",
    "--project",
    "--package",
    "--env-file",
    "--index",
    "--from",
    "--config-file",
    "--cache-dir",
];
const DOCKER_VALUES: [&str; 20] = [
    "-e",
    "--env",
    "--env-file",
    "-v",
    "--volume",
    "--mount",
    "--name",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "--entrypoint",
    "-p",
    "--publish",
    "--network",
    "-f",
    "--file",
    "--profile",
    "--platform",
    "--project-name",
];
const MISE_VALUES: [&str; 9] =
    ["-C", "--cd", "-j", "--jobs", "-o", "--output", "-t", "--tool", "-E"];
const PACKAGE_VALUES: [&str; 12] = [
    "--prefix",
    "-C",
    "--dir",
    "--cwd",
    "-w",
    "--workspace",
    "--filter",
    "-F",
    "--workspace-concurrency",
    "--loglevel",
    "--reporter",
    "--scope",
];
/// Options of package managers that name another package or directory.
const PACKAGE_SCOPES: [&str; 9] =
    ["--prefix", "-C", "--dir", "--cwd", "-w", "--workspace", "--filter", "-F", "--scope"];
const NX_VALUES: [&str; 10] = [
    "-t",
    "--target",
    "--targets",
    "-p",
    "--projects",
    "--parallel",
    "--base",
    "--head",
    "--exclude",
    "-c",
];
/// Commands of package managers that run no script.
const PACKAGE_COMMANDS: [&str; 24] = [
    "install",
    "add",
    "remove",
    "ci",
    "i",
    "publish",
    "init",
    "create",
    "start",
    "why",
    "list",
    "ls",
    "info",
    "audit",
    "outdated",
    "update",
    "up",
    "link",
    "pack",
    "version",
    "config",
    "uninstall",
    "dedupe",
    "store",
];

/// Returns what a program runs, or `None` if it launches nothing.
pub(crate) fn launched<'a>(
    name: &'a str,
    args: &[&'a str],
    tasks: &TaskDefinitions,
) -> Option<Launched<'a>> {
    let name = name.trim_end_matches(".exe").trim_end_matches(".cmd");
    match (name, args) {
        ("bash" | "sh" | "zsh" | "dash" | "ksh", args) => {
            let is_flag = |word: &&str| {
                word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
            };
            match args.iter().position(is_flag) {
                Some(at) => args.get(at + 1).map(|script| Launched::Script(script)),
                // A script file.
                None => inner(args, &["-o", "-O", "--rcfile", "--init-file"]),
            }
        }
        ("eval", [script]) => Some(Launched::Script(script)),
        ("eval", words) => inner(words, &[]),
        ("su", args) => {
            let at = args.iter().position(|word| matches!(*word, "-c" | "--command"))?;
            args.get(at + 1).map(|script| Launched::Script(script))
        }
        ("xargs", args) => {
            inner(args, &["-a", "-d", "-E", "-I", "-L", "-n", "-P", "-s", "--max-args"])
        }
        ("npx" | "pnpx" | "bunx" | "uvx", args) => match args {
            ["-c" | "--call", script, ..] => Some(Launched::Script(script)),
            args => inner(args, &["-p", "--package", "--from", "--with", "--python"]),
        },
        (
            "xvfb-run" | "stdbuf" | "setsid" | "time" | "chronic" | "unbuffer" | "caffeinate"
            | "dotenv" | "direnv" | "op" | "doppler" | "cross-env",
            args,
        ) => inner_after_run(args, &["-s", "-a", "-e", "-o", "-i", "-n", "-f"]),
        ("nice" | "ionice", args) => inner(args, &["-n", "-c", "-p"]),
        ("timeout" | "gtimeout", args) => {
            let after = skip_options(args, &["-k", "--kill-after", "-s", "--signal"]);
            inner(after.get(1..)?, &[])
        }
        ("docker" | "podman" | "nerdctl", args) => container(args),
        ("docker-compose", args) => {
            let args = skip_options(args, &DOCKER_VALUES);
            matches!(args, ["exec" | "run", ..]).then(|| service(&args[1..]))?
        }
        ("uv", args) => match skip_options(args, &UV_VALUES) {
            ["run", rest @ ..] | ["tool", "run", rest @ ..] => match rest {
                ["-m" | "--module", module, rest @ ..] => Some(module_run(module, rest)),
                rest => {
                    let rest = skip_options(rest, &UV_VALUES);
                    match rest {
                        ["-m" | "--module", module, rest @ ..] => Some(module_run(module, rest)),
                        rest => inner(rest, &[]),
                    }
                }
            },
            _ => None,
        },
        ("poetry" | "pipenv", args) => match skip_options(args, &["-C", "-P", "--directory"]) {
            ["run", rest @ ..] => inner(rest, &[]),
            _ => None,
        },
        ("bundle", ["exec", rest @ ..]) => inner(rest, &[]),
        ("pdm" | "rye", args) => match skip_options(args, &["-p", "--project"]) {
            ["run", rest @ ..] => {
                task_or_program(TaskRunner::Pdm, name, skip_options(rest, &["-p"]), tasks)
            }
            [task, rest @ ..] => named_task(TaskRunner::Pdm, name, task, rest, tasks),
            _ => None,
        },
        ("hatch", args) => match skip_options(args, &["-e", "--env", "-p", "--project"]) {
            ["run", rest @ ..] => {
                task_or_program(TaskRunner::Hatch, name, skip_options(rest, &[]), tasks)
            }
            ["test", rest @ ..] => Some(program("pytest", rest)),
            _ => None,
        },
        ("pixi", args) => match skip_options(args, &["--manifest-path"]) {
            ["run", rest @ ..] => {
                let rest = skip_options(rest, &["-e", "--environment", "--manifest-path"]);
                task_or_program(TaskRunner::Pixi, name, rest, tasks)
            }
            _ => None,
        },
        ("poe", args) => match skip_options(args, &["-C", "--root", "-e"]) {
            [task, rest @ ..] => Some(one_task(TaskRunner::Poe, name, task, rest)),
            [] => None,
        },
        ("mise" | "rtx", args) => mise(name, args, tasks),
        ("turbo", args) => {
            let values =
                ["--filter", "-F", "--concurrency", "--cwd", "--output-logs", "--env-mode"];
            let packages = option_values(args, &["--filter", "-F", "--cwd"]);
            let args = match skip_options(args, &values) {
                ["run", rest @ ..] => rest,
                args => args,
            };
            let names = operands(args, &values);
            Some(many_tasks(TaskRunner::Turbo, name, names, packages))
        }
        ("nx", args) => nx(args),
        ("moon", args) => moon(args),
        ("just", args) => {
            let values = ["-f", "--justfile", "-d", "--working-directory"];
            targets(TaskRunner::Just, name, args, &values, tasks)
        }
        ("make" | "gmake" | "mingw32-make", args) => {
            let values = ["-C", "--directory", "-f", "--file"];
            targets(TaskRunner::Make, "make", args, &values, tasks)
        }
        ("task" | "go-task", args) => {
            let values = ["-d", "--dir", "-t", "--taskfile"];
            let is_taskipy = !tasks.matching(TaskRunner::Taskipy, "*").is_empty();
            let runner = if is_taskipy { TaskRunner::Taskipy } else { TaskRunner::GoTask };
            targets(runner, "task", args, &values, tasks)
        }
        ("rake" | "invoke" | "inv" | "earthly", args) => {
            targets(TaskRunner::Named, name, args, &["-c", "-r", "-f", "-C"], tasks)
        }
        ("dagger", args) => match skip_options(args, &["-m", "--mod"]) {
            ["call", rest @ ..] => {
                let rest = skip_options(rest, &["-m", "--mod"]);
                Some(one_task(TaskRunner::Named, "dagger", rest.first()?, &[]))
            }
            ["run", rest @ ..] => inner(rest, &[]),
            _ => None,
        },
        ("tox", args) => {
            let environments = option_values(args, &["-e", "--env", "-f"]);
            let rest =
                args.iter().position(|arg| *arg == "--").map_or(&[][..], |at| &args[at + 1..]);
            let names: Vec<&str> = match environments.as_slice() {
                [] => vec![DEFAULT_TARGET],
                named => named.iter().flat_map(|names| names.split(',')).collect(),
            };
            Some(Launched::Tasks(LaunchedTasks {
                runner: TaskRunner::Tox,
                program: name,
                tasks: names.into_iter().map(|name| (name, rest.to_vec())).collect(),
                packages: Vec::new(),
            }))
        }
        ("nox", args) => {
            let mut names = option_values(args, &["-s", "--session", "--sessions", "-e"]);
            if names.is_empty() {
                names.push(DEFAULT_TARGET);
            }
            Some(many_tasks(TaskRunner::Named, name, names, Vec::new()))
        }
        ("pre-commit" | "prek", ["run", rest @ ..]) => {
            let values = ["--files", "--from-ref", "--to-ref", "--hook-stage", "-s", "-o", "-c"];
            let files = option_values(rest, &["--files"]);
            let hook = operands(rest, &values).first().copied().unwrap_or(DEFAULT_TARGET);
            let rest: Vec<&str> = if files.is_empty() { Vec::new() } else { files };
            Some(one_task(TaskRunner::PreCommit, name, hook, &rest))
        }
        ("lefthook", ["run", hook, ..]) => Some(one_task(TaskRunner::Lefthook, name, hook, &[])),
        ("composer", args) => match skip_options(args, &["-d", "--working-dir"]) {
            ["run" | "run-script", rest @ ..] => {
                let rest = skip_options(rest, &["--timeout"]);
                Some(one_task(TaskRunner::Composer, name, rest.first()?, &rest[1..]))
            }
            ["exec", rest @ ..] => inner(rest, &[]),
            [script, rest @ ..] => named_task(TaskRunner::Composer, name, script, rest, tasks),
            [] => None,
        },
        ("deno", ["task", rest @ ..]) => {
            let rest = skip_options(rest, &["--cwd", "-c", "--config"]);
            Some(one_task(TaskRunner::Deno, name, rest.first()?, &rest[1..]))
        }
        ("cargo", ["make", rest @ ..]) => {
            let rest = skip_options(rest, &["-p", "--profile", "--makefile", "-e"]);
            Some(one_task(TaskRunner::CargoMake, "cargo make", rest.first()?, &rest[1..]))
        }
        ("cargo", ["xtask", task, rest @ ..]) => {
            Some(one_task(TaskRunner::Named, "cargo xtask", task, rest))
        }
        ("npm" | "pnpm" | "yarn" | "bun", args) => package_manager(name, args, tasks),
        ("python" | "python3" | "py", args) => match skip_options(args, &["-W", "-X"]) {
            ["-m", module, rest @ ..] if *module != "unittest" => Some(module_run(module, rest)),
            _ => match args {
                ["-m", module, rest @ ..] if *module != "unittest" => {
                    Some(module_run(module, rest))
                }
                _ => None,
            },
        },
        _ => None,
    }
}

/// Returns true if the name of a task is that of a program, too.
fn is_program(name: &str) -> bool {
    matches!(name, "tsc" | "eslint" | "stylelint" | "mypy" | "pyright")
}

fn program<'a>(name: &'a str, args: &[&'a str]) -> Launched<'a> {
    Launched::Program(std::iter::once(name).chain(args.iter().copied()).collect())
}

fn module_run<'a>(module: &'a str, args: &[&'a str]) -> Launched<'a> {
    match module {
        "unittest" => program("python", &[&["-m", "unittest"], args].concat()),
        module => program(module, args),
    }
}

/// Skips options, those in `values` with the word after them, and a final `--`.
fn skip_options<'a, 'w>(mut args: &'w [&'a str], values: &[&str]) -> &'w [&'a str] {
    while let [word, rest @ ..] = args {
        args = match *word {
            "--" => return rest,
            // The module of `python -m` is not a value.
            "-m" if !values.contains(&"-m") => return args,
            word if values.contains(&word) => rest.get(1..).unwrap_or_default(),
            word if word.starts_with('-') && word.len() > 1 => rest,
            _ => return args,
        };
    }
    args
}

/// Returns the words before `--` that are neither options nor their values.
fn operands<'a>(args: &[&'a str], values: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--" => break,
            arg if values.contains(&arg) => drop(args.next()),
            arg if arg.starts_with('-') || arg.contains('=') => {}
            arg => found.push(arg),
        }
    }
    found
}

/// Returns the values of options: `-e x`, `--env=x`.
fn option_values<'a>(args: &[&'a str], options: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        match arg.split_once('=') {
            _ if *arg == "--" => break,
            Some((option, value)) if options.contains(&option) => found.push(value),
            None if options.contains(arg) => found.extend(args.get(at + 1)),
            _ => {}
        }
    }
    found
}

/// Returns the program after a launcher's options.
fn inner<'a>(args: &[&'a str], values: &[&str]) -> Option<Launched<'a>> {
    let words = skip_options(args, values);
    (!words.is_empty()).then(|| Launched::Program(words.to_vec()))
}

/// Returns the program after a launcher's options and its word `run` or `exec`.
fn inner_after_run<'a>(args: &[&'a str], values: &[&str]) -> Option<Launched<'a>> {
    match skip_options(args, values) {
        ["run" | "exec", rest @ ..] => inner(rest, values),
        words => inner(words, values),
    }
}

fn container<'a>(args: &[&'a str]) -> Option<Launched<'a>> {
    match skip_options(args, &["-c", "--context", "-H"]) {
        ["compose", rest @ ..] => match skip_options(rest, &DOCKER_VALUES) {
            ["exec" | "run", rest @ ..] => service(rest),
            _ => None,
        },
        ["exec" | "run", rest @ ..] => service(rest),
        _ => None,
    }
}

/// Skips options and the name of the service, container or image.
fn service<'a>(args: &[&'a str]) -> Option<Launched<'a>> {
    let entry = option_values(args, &["--entrypoint"]).pop();
    let words = skip_options(args, &DOCKER_VALUES).get(1..)?;
    match entry {
        Some(entry) => Some(program(entry, words)),
        None if words.is_empty() => None,
        None => Some(Launched::Program(words.to_vec())),
    }
}

fn one_task<'a>(
    runner: TaskRunner,
    program: &'a str,
    task: &'a str,
    args: &[&'a str],
) -> Launched<'a> {
    let args = args.iter().copied().filter(|arg| *arg != "--").collect();
    let tasks = vec![(task, args)];
    Launched::Tasks(LaunchedTasks { runner, program, tasks, packages: Vec::new() })
}

fn many_tasks<'a>(
    runner: TaskRunner,
    program: &'a str,
    names: Vec<&'a str>,
    packages: Vec<&'a str>,
) -> Launched<'a> {
    let tasks = names.into_iter().map(|name| (name, Vec::new())).collect();
    Launched::Tasks(LaunchedTasks { runner, program, tasks, packages })
}

/// Returns a task that is defined or named after a check.
fn named_task<'a>(
    runner: TaskRunner,
    program: &'a str,
    task: &'a str,
    args: &[&'a str],
    tasks: &TaskDefinitions,
) -> Option<Launched<'a>> {
    (tasks.task(runner, task).is_some() || script_kind(task).is_some())
        .then(|| one_task(runner, program, task, args))
}

/// Returns a task if one of this name is defined, otherwise the program.
fn task_or_program<'a>(
    runner: TaskRunner,
    launcher: &'a str,
    words: &[&'a str],
    tasks: &TaskDefinitions,
) -> Option<Launched<'a>> {
    let [first, rest @ ..] = words else { return None };
    let is_name = tasks.task(runner, first).is_some()
        || (script_kind(first).is_some() && !first.contains('/') && !is_program(first));
    Some(if is_name {
        one_task(runner, launcher, first, rest)
    } else {
        Launched::Program(words.to_vec())
    })
}

fn mise<'a>(name: &'a str, args: &[&'a str], tasks: &TaskDefinitions) -> Option<Launched<'a>> {
    let elsewhere = option_values(args, &["-C", "--cd"]);
    match skip_options(args, &MISE_VALUES) {
        ["exec" | "x", rest @ ..] => {
            if let Some(script) = option_values(rest, &["-c", "--command"]).first() {
                return Some(Launched::Script(script));
            }
            let at = rest.iter().position(|word| *word == "--")?;
            inner(&rest[at + 1..], &[])
        }
        ["run" | "r", rest @ ..] => {
            let rest = skip_options(rest, &MISE_VALUES);
            let groups = rest.split(|word| *word == ":::");
            let found = groups.filter_map(|group| {
                let (task, args) = skip_options(group, &MISE_VALUES).split_first()?;
                Some((*task, args.iter().copied().filter(|arg| *arg != "--").collect()))
            });
            Some(Launched::Tasks(LaunchedTasks {
                runner: TaskRunner::Mise,
                program: name,
                tasks: found.collect(),
                packages: elsewhere,
            }))
        }
        [task, rest @ ..] => named_task(TaskRunner::Mise, name, task, rest, tasks),
        [] => None,
    }
}

fn nx<'a>(args: &[&'a str]) -> Option<Launched<'a>> {
    let mut names = Vec::new();
    let mut packages = option_values(args, &["-p", "--projects"]);
    match skip_options(args, &NX_VALUES) {
        ["run-many" | "affected", rest @ ..] => {
            // `-t test lint` takes all words up to the next option.
            let mut in_targets = false;
            for arg in rest {
                match arg.split_once('=') {
                    Some(("-t" | "--target" | "--targets", value)) => {
                        names.extend(value.split(','));
                    }
                    _ if arg.starts_with('-') => {
                        in_targets = matches!(*arg, "-t" | "--target" | "--targets");
                    }
                    _ if in_targets => names.extend(arg.split(',')),
                    _ => {}
                }
            }
        }
        ["run", target, ..] => {
            let (project, task) = target.split_once(':')?;
            names.push(task.split(':').next().unwrap_or(task));
            packages.push(project);
        }
        [task, rest @ ..] => {
            names.push(task);
            packages.extend(operands(rest, &NX_VALUES).first());
        }
        [] => return None,
    }
    Some(many_tasks(TaskRunner::Named, "nx", names, packages))
}

fn moon<'a>(args: &[&'a str]) -> Option<Launched<'a>> {
    let args = skip_options(args, &["-c", "--concurrency"]);
    let targets: Vec<&str> = match args {
        ["run" | "r", rest @ ..] => operands(rest, &["-c", "--concurrency"]),
        [verb @ ("ci" | "check"), rest @ ..] => {
            let packages = operands(rest, &["--base", "--head"]);
            return Some(many_tasks(TaskRunner::Named, "moon", vec![verb], packages));
        }
        args => operands(args, &[]).into_iter().filter(|arg| arg.contains(':')).collect(),
    };
    let name = |target: &&'a str| target.rsplit(':').next().unwrap_or_default();
    let packages = targets.iter().filter_map(|target| {
        let (package, _) = target.split_once(':')?;
        Some(package).filter(|package| !package.is_empty() && !package.starts_with('#'))
    });
    let packages: Vec<&str> = packages.collect();
    let names: Vec<&str> = targets.iter().map(name).collect();
    Some(many_tasks(TaskRunner::Named, "moon", names, packages))
}

/// Returns the targets of a build tool. A word that is neither a defined task nor named after a
/// check is an argument of the task before it.
fn targets<'a>(
    runner: TaskRunner,
    program: &'a str,
    args: &[&'a str],
    values: &[&str],
    tasks: &TaskDefinitions,
) -> Option<Launched<'a>> {
    let packages = option_values(args, values);
    let own = args.iter().position(|arg| *arg == "--").unwrap_or(args.len());
    let passed = args.get(own + 1..).unwrap_or_default();
    let mut found: Vec<(&'a str, Vec<&'a str>)> = Vec::new();
    // `make -j 4` has a value that is no target.
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    for word in operands(&args[..own], values) {
        let name = word.rsplit('+').next().filter(|_| program == "earthly").unwrap_or(word);
        let takes_arguments = matches!(runner, TaskRunner::Just | TaskRunner::GoTask);
        let is_task = tasks.task(runner, name).is_some() || script_kind(name).is_some();
        match found.last_mut() {
            _ if is_number(word) => {}
            Some((_, args)) if takes_arguments && !is_task => args.push(word),
            _ => found.push((name, Vec::new())),
        }
    }
    if found.is_empty() {
        found.push((DEFAULT_TARGET, Vec::new()));
    }
    if let Some((_, args)) = found.last_mut() {
        args.extend(passed);
    }
    Some(Launched::Tasks(LaunchedTasks { runner, program, tasks: found, packages }))
}

fn package_manager<'a>(
    name: &'a str,
    args: &[&'a str],
    tasks: &TaskDefinitions,
) -> Option<Launched<'a>> {
    let own = args.iter().position(|arg| *arg == "--").unwrap_or(args.len());
    let mut packages = option_values(&args[..own], &PACKAGE_SCOPES);
    let recursive = args[..own]
        .iter()
        .any(|arg| matches!(*arg, "-r" | "--recursive" | "--workspaces" | "-ws" | "foreach"));
    let rest = skip_options(args, &PACKAGE_VALUES);
    let rest = match rest {
        ["workspace", package, rest @ ..] => {
            packages.push(package);
            rest
        }
        ["workspaces", "foreach", rest @ ..] => skip_options(rest, &["--include", "--from", "-j"]),
        rest => rest,
    };
    let (verb, rest) = rest.split_first()?;
    let (script, rest) = match *verb {
        "run" | "run-script" | "rum" => {
            let rest = skip_options(rest, &PACKAGE_VALUES);
            let (script, rest) = rest.split_first()?;
            (*script, rest)
        }
        "exec" | "dlx" | "x" => return inner(rest, &["-p", "--package"]),
        "t" | "tst" => ("test", rest),
        "test" if name == "bun" => return Some(program("bun-test", rest)),
        verb if PACKAGE_COMMANDS.contains(&verb) => return None,
        verb => (verb, rest),
    };
    // The scripts of all packages differ from those of the root.
    if recursive {
        packages.clear();
    }
    let is_defined = !recursive && packages.is_empty();
    let defined = is_defined && tasks.task(TaskRunner::Package, script).is_some();
    if !defined && name != "npm" && (script_kind(script).is_none() || is_program(script)) {
        let words: Vec<&str> = std::iter::once(script).chain(rest.iter().copied()).collect();
        return Some(Launched::Program(words));
    }
    let args = rest.iter().copied().filter(|arg| *arg != "--").collect();
    let runner = if recursive { TaskRunner::Named } else { TaskRunner::Package };
    Some(Launched::Tasks(LaunchedTasks {
        runner,
        program: name,
        tasks: vec![(script, args)],
        packages,
    }))
}
