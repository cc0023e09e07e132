//! `tacit demo` for a person who has just installed Tacit: it works anywhere, and leaves nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tacit_testkit::env::{RunOutput, TestEnv};

use crate::{bare, plain};

/// A demo with its temporary folder inside the environment.
fn demo(env: &TestEnv) -> Command {
    let temporary = temporary(env);
    fs::create_dir_all(&temporary).expect("a directory");
    let mut command = env.command();
    command.arg("demo").env("TMPDIR", temporary).env_remove("TACIT_MAINTAIN_AUTO");
    command
}

fn temporary(env: &TestEnv) -> PathBuf {
    env.root().join("tmp")
}

fn run(command: &mut Command) -> RunOutput {
    RunOutput::from(command.output().expect("the binary starts"))
}

/// Lists everything below a folder, files with their contents.
fn everything(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path.clone());
                found.push((path, Vec::new()));
            } else {
                let content = fs::read(&path).expect("a file");
                found.push((path, content));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_demo_leaves_nothing_and_touches_nothing() {
    let env = bare();
    let home = env.root().join("home");
    fs::create_dir_all(home.join(".claude")).unwrap();
    fs::create_dir_all(env.home()).unwrap();
    // A configuration that every other command refuses, git settings that stop a commit, and the
    // variables of an agent client and of a hook that is turned off.
    fs::write(env.home().join("config.toml"), "this is no configuration").unwrap();
    fs::write(home.join("gitconfig"), "[commit]\n\tgpgSign = true\n[core]\n\tbare = true\n")
        .unwrap();
    let mut command = demo(&env);
    let before = everything(&env.root());
    command
        .env("GIT_CONFIG_GLOBAL", home.join("gitconfig"))
        .env("GIT_DIR", env.project().join(".git"))
        .envs([("CLAUDECODE", "1"), ("TACIT_OFF", "1"), ("TACIT_NESTED", "1")])
        .envs([("CLAUDE_PROJECT_DIR", env.project()), ("CLAUDE_CONFIG_DIR", home.join(".claude"))]);
    run(&mut command).succeeded();
    assert_eq!(everything(&env.root()), before);
}

#[test]
fn a_demo_works_outside_a_repository_and_without_settings_of_git() {
    let env = plain();
    let played = run(demo(&env).arg("--json")).succeeded().json();
    assert_eq!(played["acts"].as_array().map(Vec::len), Some(3));
    assert!(played["kept"].is_null());
    let text = |act: usize, step: usize, part: &str| {
        played["acts"][act]["steps"][step][part].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(played["acts"][0]["steps"][4]["learnt"][0]["type"], "error_pattern");
    assert!(text(0, 5, "shown").contains("`tests/pool.rs` was changed"));
    assert!(text(1, 1, "stopped").contains("make wipe"));
    assert_eq!(played["acts"][2]["steps"][4]["learnt"][0]["content"], "Use pnpm here, not npm");
    assert!(text(2, 6, "shown").contains("· verified] Use pnpm here, not npm"));
}

#[test]
fn a_kept_demo_is_a_repository_with_a_memory() {
    let env = plain();
    let played = run(demo(&env).args(["--keep", "--json"])).succeeded().json();
    let kept = PathBuf::from(played["kept"].as_str().unwrap());
    assert!(kept.starts_with(temporary(&env)));
    env.git(&kept, &["rev-parse", "HEAD"]);
    let listed = env.run_in(&kept, ["list", "--json"]).succeeded().json();
    assert_eq!(listed.as_array().map(Vec::len), Some(3));
}

#[test]
fn without_git_a_demo_says_what_to_install() {
    let env = plain();
    let failed = run(demo(&env).env("PATH", env.root())).failed(1);
    assert!(failed.stderr.contains("hint: install git"), "{}", failed.stderr);
    assert_eq!(everything(&temporary(&env)), []);
}
