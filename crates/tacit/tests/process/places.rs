//! The location of the store for commands in different directories.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use tacit_testkit::env::TestEnv;

use crate::{bare, plain};

fn contents(env: &TestEnv, directory: &Path) -> Vec<String> {
    let listed = env.run_in(directory, ["list", "--sort", "oldest", "--json"]).succeeded().json();
    let texts = listed.as_array().expect("a list").iter();
    texts.map(|memory| memory["content"].as_str().expect("a text").to_owned()).collect()
}

fn files(env: &TestEnv, directory: &Path, word: &str) -> Vec<String> {
    let found = env.run_in(directory, ["recall", word, "--json"]).succeeded().json();
    let files = found[0]["related_files"].as_array().cloned().unwrap_or_default();
    files.iter().map(|file| file.as_str().expect("a path").to_owned()).collect()
}

/// A repository with one commit and a memory.
fn repository() -> TestEnv {
    let env = bare();
    fs::create_dir_all(env.project().join("src/deep")).expect("directories");
    env.git(&env.project(), &["commit", "-q", "--allow-empty", "-m", "first"]);
    env.run(["init"]).succeeded();
    env
}

#[test]
fn one_store_from_anywhere_in_a_repository() {
    let env = repository();
    let deep = env.project().join("src/deep");
    env.run_in(&deep, ["remember", "said below", "--file", "x.rs", "-f", "../y.rs"]).succeeded();
    assert_eq!(contents(&env, &env.project()), ["said below"]);
    assert_eq!(files(&env, &deep, "below"), ["src/deep/x.rs", "src/y.rs"]);
    // A filter starts where we are, too.
    let found = env.run_in(&deep, ["recall", "-f", "x.rs", "--json"]).succeeded().json();
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    let found = env.run(["recall", "-f", "src", "--json"]).succeeded().json();
    assert_eq!(found.as_array().map(Vec::len), Some(1));
    assert!(!deep.join(".tacit").exists());
    let away = env.run_in(&env.root(), ["-C", "project/src", "list", "--json"]).succeeded().json();
    assert_eq!(away.as_array().map(Vec::len), Some(1));
}

#[test]
fn worktrees_share_the_store_and_name_files_alike() {
    let env = repository();
    env.git(&env.project(), &["worktree", "add", "-q", "../side", "-b", "side"]);
    let side = env.root().join("side");
    fs::create_dir(side.join("src")).unwrap();
    env.run_in(&side, ["remember", "said in the side tree", "-f", "src/a.rs"]).succeeded();
    env.run(["remember", "said in the main tree", "-f", "src/a.rs"]).succeeded();
    assert_eq!(contents(&env, &env.project()), contents(&env, &side));
    assert_eq!(files(&env, &env.project(), "side"), ["src/a.rs"]);
    assert!(!side.join(".tacit").exists());
    let ran = env.run_in(&side, ["init"]).succeeded();
    assert!(ran.stdout.contains("already exists"), "{}", ran.stdout);
    // A file of the main tree is outside the side tree.
    let path = env.project().join("src/a.rs");
    let ran = env.run_in(&side, ["remember", "x", "-f", path.to_str().unwrap()]).failed(2);
    assert!(ran.stderr.contains("is outside the project"), "{}", ran.stderr);
}

#[test]
fn a_submodule_has_a_store_of_its_own() {
    let env = repository();
    let outer = env.root().join("outer");
    fs::create_dir(&outer).unwrap();
    env.git(&outer, &["init", "-q"]);
    env.git(&outer, &["submodule", "--quiet", "add", "../project", "sub"]);
    let sub = outer.join("sub");
    env.run_in(&outer, ["init"]).succeeded();
    env.run_in(&sub, ["remember", "x"]).failed(4);
    env.run_in(&sub, ["init"]).succeeded();
    env.run_in(&sub, ["remember", "of the submodule"]).succeeded();
    env.run_in(&outer, ["remember", "of the outer one"]).succeeded();
    assert_eq!(contents(&env, &sub), ["of the submodule"]);
    assert_eq!(contents(&env, &outer), ["of the outer one"]);
    // Neither repository sees a file of ours.
    for directory in [&outer, &sub, &env.project()] {
        let mut git = env.command_for("git");
        let output = git.args(["status", "--porcelain"]).current_dir(directory).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!text.contains(".tacit"), "{text}");
    }
}

#[test]
fn outside_git_the_nearest_store_above() {
    let env = plain();
    env.run(["init", "--yes"]).succeeded();
    let deep = env.project().join("a/b");
    fs::create_dir_all(&deep).unwrap();
    env.run_in(&deep, ["remember", "said below", "-f", "x.txt"]).succeeded();
    assert_eq!(contents(&env, &env.project()), ["said below"]);
    assert_eq!(files(&env, &deep, "below"), ["a/b/x.txt"]);
    env.run_in(&env.root(), ["list"]).failed(4);
}

#[test]
fn initialising_is_private_quiet_and_idempotent() {
    use std::os::unix::fs::PermissionsExt;
    let env = repository();
    let mode = fs::metadata(env.store()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let ran = env.run(["init"]).succeeded();
    assert!(ran.stdout.contains("already exists"), "{}", ran.stdout);
    let exclude = fs::read(env.project().join(".git/info/exclude")).unwrap_or_default();
    assert!(!String::from_utf8_lossy(&exclude).contains("tacit"), "no ignore line is needed");
}

#[test]
fn a_directory_that_is_gone_is_told() {
    let env = bare();
    let gone = env.project().join("gone");
    fs::create_dir(&gone).unwrap();
    for arguments in ["list", "init", "remember x"] {
        let script = format!("rmdir \"$PWD\" 2>/dev/null; exec \"$0\" {arguments}");
        let mut command = env.command_for("sh");
        command.args(["-c", &script, crate::BINARY]);
        fs::create_dir_all(&gone).unwrap();
        let ran = tacit_testkit::env::RunOutput::from(command.current_dir(&gone).output().unwrap());
        let ran = ran.failed(1);
        assert!(ran.stderr.contains("the current directory"), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: "), "{arguments}: {}", ran.stderr);
    }
    // A directory given by name is enough.
    fs::create_dir_all(&gone).unwrap();
    let script = "rmdir \"$PWD\"; exec \"$0\" -C \"$1\" init";
    let mut command = env.command_for("sh");
    command.args(["-c", script, crate::BINARY]).arg(env.project()).current_dir(&gone);
    tacit_testkit::env::RunOutput::from(command.output().unwrap()).succeeded();
}

#[test]
fn files_outside_the_project_are_refused() {
    let env = repository();
    for path in ["../x.rs", "/etc/passwd", "src/../../x.rs", "../project2/x.rs"] {
        let ran = env.run(["remember", "x", "--file", path]).failed(2);
        let expected = format!("error: `{path}` is outside the project at `[ROOT]/project`\n");
        assert!(env.normalise(&ran.stderr).starts_with(&expected), "{}", ran.stderr);
        assert!(ran.stderr.contains("hint: name a file of this project"), "{}", ran.stderr);
    }
    for path in [".", "src/.."] {
        env.run(["remember", "x", "--file", path]).failed(2);
    }
    for (path, kept) in [
        ("./src//a.rs", "src/a.rs"),
        ("src/../b.rs", "b.rs"),
        ("not/yet/there.rs", "not/yet/there.rs"),
        ("a b/ü.txt", "a b/ü.txt"),
    ] {
        let ran = env.run(["remember", path, "--file", path, "--json"]).succeeded();
        assert_eq!(ran.json()["memory"]["related_files"][0], kept, "{path}");
    }
}

#[test]
fn a_project_reached_through_a_symbolic_link_is_the_same_project() {
    let env = repository();
    let link = env.root().join("link");
    symlink(env.project(), &link).unwrap();
    fs::write(env.project().join("src/a.rs"), "").unwrap();
    let absolute = link.join("src/a.rs");
    let missing = link.join("src/not/yet.rs");
    for (number, path, kept) in [
        (1, "src/a.rs", "src/a.rs"),
        (2, absolute.to_str().unwrap(), "src/a.rs"),
        (3, missing.to_str().unwrap(), "src/not/yet.rs"),
        (4, "../link/src/a.rs", "src/a.rs"),
    ] {
        for (way, arguments) in [("in", vec![]), ("-C", vec!["-C", link.to_str().unwrap()])] {
            let directory = if way == "in" { link.clone() } else { env.root() };
            let text = format!("way{number}{way} {path}");
            let arguments = arguments.into_iter().chain(["remember", &text, "--file", path]);
            let ran = env.run_in(&directory, arguments.chain(["--json"])).succeeded();
            assert_eq!(ran.json()["memory"]["related_files"][0], kept, "{way} {path}");
        }
    }
    assert_eq!(contents(&env, &link), contents(&env, &env.project()));
    // A link inside the project keeps its own name, as git does.
    symlink("src", env.project().join("alias")).unwrap();
    let ran = env.run(["remember", "alias", "--file", "alias/a.rs", "--json"]).succeeded();
    assert_eq!(ran.json()["memory"]["related_files"][0], "alias/a.rs");
}
