//! Links, named pipes, devices and programs that a stranger plants in a repository or in our
//! folders: never written through, waited for or started.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tacit_testkit::env::{RunOutput, TestEnv};

use crate::{bare, initialised};

/// Far longer than anything takes here: only what never ends is given up.
const FOREVER: Duration = Duration::from_secs(240);

/// Waits for a process; one that never ends is killed, and the test fails.
fn ended(mut child: Child, what: &str) -> RunOutput {
    let given_up = Instant::now() + FOREVER;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let drain = |pipe: Option<Box<dyn std::io::Read + Send>>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
            bytes
        })
    };
    let stdout = drain(stdout.map(|pipe| Box::new(pipe) as _));
    let stderr = drain(stderr.map(|pipe| Box::new(pipe) as _));
    let status = loop {
        if let Some(status) = child.try_wait().expect("a process") {
            break status;
        }
        if Instant::now() > given_up {
            child.kill().expect("it can be killed");
            panic!("{what} never ended");
        }
        std::thread::park_timeout(Duration::from_millis(5));
    };
    let [stdout, stderr] = [stdout, stderr].map(|reader| reader.join().expect("its output"));
    RunOutput::from(Output { status, stdout, stderr })
}

fn started(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary starts")
}

fn run(env: &TestEnv, arguments: &[&str]) -> RunOutput {
    ended(started(env.command().args(arguments)), &arguments.join(" "))
}

/// Runs a hook with a payload.
fn hook(env: &TestEnv, payload: &[u8]) -> RunOutput {
    let file = env.root().join("payload");
    fs::write(&file, payload).expect("a file");
    let stdin = fs::File::open(&file).expect("a file");
    ended(started(env.command().args(["hook", "claude"]).stdin(stdin)), "the hook")
}

fn event(env: &TestEnv, name: &str, fields: &serde_json::Value) -> Vec<u8> {
    let mut payload = json!({
        "session_id": "s", "cwd": env.project(), "hook_event_name": name,
        "transcript_path": "/nowhere.jsonl",
    });
    let all = payload.as_object_mut().expect("an object");
    all.extend(fields.as_object().expect("an object").clone());
    payload.to_string().into_bytes()
}

#[expect(clippy::disallowed_methods, reason = "a pipe is made by a program")]
fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().expect("mkfifo starts");
    assert!(made.success(), "{}", path.display());
}

/// A repository with some code and a memory of it.
fn project() -> TestEnv {
    let env = bare();
    env.git(&env.project(), &["init", "--quiet"]);
    fs::write(env.project().join("a.py"), "def close():\n    pass\n").expect("a file");
    fs::write(env.project().join("b.py"), "import a\n\na.close()\n").expect("a file");
    env.git(&env.project(), &["add", "."]);
    env.git(&env.project(), &["commit", "--quiet", "-m", "first"]);
    env.run(["init", "--no-hooks", "--no-scan"]).succeeded();
    env
}

/// Does everything that writes beside the store.
fn use_everything(env: &TestEnv) {
    hook(env, &event(env, "SessionStart", &json!({"source": "startup"})));
    let failed = json!({
        "tool_name": "Bash", "tool_input": {"command": "frobnicate all"}, "error": "no",
        "is_interrupt": false,
    });
    hook(env, &event(env, "PostToolUseFailure", &failed));
    hook(env, b"no payload");
    run(env, &["code", "index"]);
    run(env, &["code", "cochange", "a.py"]);
    run(env, &["code", "locate", "close the pool"]);
    run(env, &["maintain"]);
}

/// The files in our folder that this is about; the store itself has tests of its own.
fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut found = BTreeSet::new();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        let is_of_store = name.starts_with("memory.db")
            || ["vectors", "spool", "events", "uses", "config.toml"].contains(&name.as_str())
            || name.ends_with("-wal")
            || name.ends_with("-shm");
        if path.is_dir() && !is_of_store {
            found.extend(files(&path));
        } else if path.is_file() && !is_of_store {
            found.insert(path);
        }
    }
    found
}

#[test]
fn nothing_is_written_through_a_link_in_our_folder() {
    let env = project();
    use_everything(&env);
    let all = files(&env.store());
    let names: Vec<&str> = all.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    for known in ["hook.log", "hot-topics.json", "maintain.lock", "facts.db", "stores.lock"] {
        assert!(names.contains(&known), "{known} is not there: {names:?}");
    }
    let victim = env.root().join("profile");
    for path in all {
        fs::write(&victim, "precious\n").expect("a file");
        let kept = path.with_extension("kept");
        fs::rename(&path, &kept).expect("a file");
        symlink(&victim, &path).expect("a link");
        use_everything(&env);
        let text = fs::read_to_string(&victim).expect("a file");
        assert_eq!(text, "precious\n", "{}", path.display());
        let _ = fs::remove_file(&path);
        fs::rename(&kept, &path).expect("a file");
    }
}

#[test]
fn folders_of_ours_that_are_links_are_not_entered() {
    for name in ["logs", "graph", "records"] {
        let env = project();
        let elsewhere = env.root().join("elsewhere");
        fs::create_dir(&elsewhere).expect("a folder");
        let _ = fs::remove_dir_all(env.store().join(name));
        symlink(&elsewhere, env.store().join(name)).expect("a link");
        use_everything(&env);
        assert_eq!(fs::read_dir(&elsewhere).expect("a folder").count(), 0, "{name}");
    }
}

#[test]
fn no_pipe_in_our_folder_is_waited_for() {
    let env = project();
    use_everything(&env);
    for path in files(&env.store()) {
        let kept = path.with_extension("kept");
        fs::rename(&path, &kept).expect("a file");
        pipe(&path);
        use_everything(&env);
        let _ = fs::remove_file(&path);
        fs::rename(&kept, &path).expect("a file");
    }
}

#[test]
fn written_files_are_private_to_their_owner() {
    let env = project();
    use_everything(&env);
    for path in files(&env.store()) {
        let mode = fs::metadata(&path).expect("a file").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", path.display());
        let folder = path.parent().expect("a folder");
        let mode = fs::metadata(folder).expect("a folder").permissions().mode() & 0o777;
        assert_eq!(mode, 0o700, "{}", folder.display());
    }
}

/// Files of a repository that commands read.
const READ: [&str; 23] = [
    ".claude/CLAUDE.md",
    ".claude/memory/decisions/a.json",
    ".claude/memory/index.md",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gitignore",
    ".mcp.json",
    "AGENTS.md",
    "CLAUDE.md",
    "Cargo.toml",
    "Makefile",
    "README.md",
    "agents/decisions/x.md",
    "agents/memory-index.md",
    "c.py",
    "compile_commands.json",
    "index.scip",
    "justfile",
    "package.json",
    "pyproject.toml",
    "src/.gitignore",
    "src/.ignore",
    "src/d.ts",
];

fn read_everything(env: &TestEnv) {
    use_everything(env);
    for arguments in [
        &["init"][..],
        &["agents", "list"],
        &["doctor"],
        &["code", "map"],
        &["code", "impact", "a.py"],
        &["records", "list"],
        &["records", "index"],
        &["when", "closing"],
        &["triggers", "validate"],
        &["triggers", "migrate", "--dry-run"],
        &["import", "--from", "rules", "--dry-run"],
        &["import", "CLAUDE.md", "--dry-run"],
        &["session", "brief", "--task", "close the pool"],
        &["remember", "the pool is closed", "--file", "c.py"],
    ] {
        run(env, arguments);
    }
}

#[test]
fn no_pipe_or_device_in_a_repository_is_waited_for() {
    let plant: [fn(&Path); 2] = [pipe, |path| symlink("/dev/zero", path).expect("a link")];
    for plant in plant {
        let env = project();
        for name in READ {
            let path = env.project().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            plant(&path);
        }
        read_everything(&env);
    }
}

#[test]
fn settings_that_lead_out_of_the_project_are_not_changed() {
    let victim = |env: &TestEnv| env.root().join("settings.json");
    for name in [".claude/settings.local.json", ".mcp.json", "CLAUDE.md"] {
        let env = project();
        fs::create_dir_all(env.project().join(".claude")).expect("a folder");
        fs::write(victim(&env), "{}\n").expect("a file");
        let _ = fs::remove_file(env.project().join(name));
        symlink(victim(&env), env.project().join(name)).expect("a link");
        run(&env, &["init", "--agent", "claude", "--mcp", "--instructions"]);
        run(&env, &["init", "--agent", "claude"]);
        assert_eq!(fs::read_to_string(victim(&env)).expect("a file"), "{}\n", "{name}");
    }
}

#[test]
fn settings_of_the_user_may_be_kept_elsewhere() {
    let env = initialised();
    let home = env.root().join("home");
    fs::create_dir_all(home.join("dotfiles")).expect("a folder");
    fs::create_dir_all(home.join(".claude")).expect("a folder");
    fs::write(home.join("dotfiles/claude.json"), "{}\n").expect("a file");
    let link = home.join(".claude/settings.json");
    symlink("../dotfiles/claude.json", &link).expect("a link");
    env.run(["init", "--agent", "claude", "--global"]).succeeded();
    assert!(link.is_symlink());
    let text = fs::read_to_string(home.join("dotfiles/claude.json")).expect("a file");
    assert!(text.contains("tacit"), "{text}");
}

#[test]
fn an_exclude_file_that_is_a_link_is_left_alone() {
    let env = bare();
    env.git(&env.project(), &["init", "--quiet"]);
    let victim = env.root().join("profile");
    fs::write(&victim, "precious\n").expect("a file");
    let exclude = env.project().join(".git/info/exclude");
    let _ = fs::remove_file(&exclude);
    fs::create_dir_all(env.project().join(".git/info")).expect("a folder");
    symlink(&victim, &exclude).expect("a link");
    run(&env, &["init", "--agent", "claude"]);
    assert_eq!(fs::read_to_string(&victim).expect("a file"), "precious\n");
}

#[test]
fn a_problem_takes_one_line_of_the_log() {
    let env = initialised();
    let odd = "x\nFAKE LINE\n\u{1b}[2J\u{2028}\u{202e}".repeat(500);
    let word = format!("no-client-{odd}");
    ended(started(env.command().args(["hook", &word])), "the hook");
    let log = fs::read_to_string(env.store().join("logs/hook.log")).expect("a log");
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 1, "{log}");
    assert!(lines[0].chars().count() < 1_100, "{log}");
    assert!(!log.contains(['\u{1b}', '\u{2028}', '\u{202e}']), "{log}");
}

#[test]
fn a_hook_whose_input_never_ends_lets_the_agent_go_on() {
    let env = initialised();
    for (payload, what) in [
        (Vec::new(), "nothing"),
        (event(&env, "UserPromptSubmit", &json!({"prompt": "a b c"})), "a whole payload"),
        (b"{\"session_id\":".to_vec(), "half of one"),
    ] {
        let mut child = started(env.command().args(["hook", "claude"]).stdin(Stdio::piped()));
        let mut stdin = child.stdin.take().expect("a pipe");
        std::io::Write::write_all(&mut stdin, &payload).expect("room in the pipe");
        let ran = ended(child, what).succeeded();
        assert_eq!(ran.stdout, "", "{what}");
        drop(stdin);
    }
}

#[test]
fn a_payload_without_end_is_noted_and_dropped() {
    let env = initialised();
    let mut payload = event(&env, "UserPromptSubmit", &json!({"prompt": "a"}));
    payload.resize(70 << 20, b' ');
    assert_eq!(hook(&env, &payload).succeeded().stdout, "");
    let log = fs::read_to_string(env.store().join("logs/hook.log")).expect("a log");
    assert!(log.contains("larger than 64 MB"), "{log}");
}

#[test]
fn a_program_called_git_in_the_repository_is_not_started() {
    let env = project();
    let marker = env.root().join("started");
    let script = format!("#!/bin/sh\n: > '{}'\necho Mallory\n", marker.display());
    for folder in [env.project(), env.project().join("bin")] {
        fs::create_dir_all(&folder).expect("a folder");
        let program = folder.join("git");
        fs::write(&program, &script).expect("a file");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    }
    env.git(&env.project(), &["config", "user.name", "Ada"]);
    let mut command = env.command();
    command.env("PATH", ".:bin::/usr/local/bin:/usr/bin:/bin");
    let ran = ended(started(command.args(["remember", "pools are closed", "--json"])), "remember");
    assert!(!marker.exists());
    assert_eq!(ran.json()["memory"]["author"], "Ada", "{}", ran.stdout);
}

#[test]
fn variables_of_git_choose_neither_programs_nor_repositories() {
    let env = project();
    let marker = env.root().join("started");
    let program = env.root().join("program");
    fs::write(&program, format!("#!/bin/sh\n: > '{}'\n", marker.display())).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a program");
    env.git(&env.project(), &["config", "user.name", "Ada"]);
    let other = env.root().join("other");
    fs::create_dir(&other).expect("a folder");
    env.git(&other, &["init", "--quiet"]);
    env.git(&other, &["config", "user.name", "Mallory"]);
    fs::write(env.project().join("a.py"), "def shut():\n    pass\n").expect("a file");
    let with = |arguments: &[&str]| {
        let mut command = env.command();
        for name in ["GIT_EXTERNAL_DIFF", "GIT_PAGER", "PAGER", "GIT_SSH", "GIT_SSH_COMMAND"] {
            command.env(name, &program);
        }
        for name in ["GIT_ASKPASS", "SSH_ASKPASS", "GIT_EDITOR", "GIT_PROXY_COMMAND"] {
            command.env(name, &program);
        }
        command
            .env("GIT_DIR", other.join(".git"))
            .env("GIT_WORK_TREE", &other)
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
            .env("GIT_CONFIG_VALUE_0", &program)
            .env("GIT_EXEC_PATH", env.root());
        ended(started(command.args(arguments)), &arguments.join(" "))
    };
    let ran = with(&["remember", "pools are closed", "--symbol", "a.py::shut", "--json"]);
    assert_eq!(ran.json()["memory"]["author"], "Ada", "{}", ran.stderr);
    with(&["code", "index"]);
    with(&["maintain"]);
    assert!(!marker.exists());
}
