//! A hostile repository that names programs wherever git might start one.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, reason = "unprotected git is run for comparison")]
#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tacit_git::{
    changed_files, commits_touching, contents_at, discover, head_commit, is_ignored, is_squashed,
    list_commits, read_log, set_config, tracked_files, uncommitted_files, user_name,
};

struct Hostile {
    _temp: tempfile::TempDir,
    root: PathBuf,
    markers: PathBuf,
    missing: String,
}

impl Hostile {
    fn new() -> Hostile {
        let temp = tempfile::tempdir().unwrap();
        let base = temp.path().canonicalize().unwrap();
        let (root, markers) = (base.join("repository"), base.join("markers"));
        fs::create_dir(&root).unwrap();
        fs::create_dir(&markers).unwrap();
        let mut hostile = Hostile { _temp: temp, root, markers, missing: String::new() };
        hostile.git(&["init", "--quiet", "--initial-branch=main"]);
        fs::write(hostile.root.join("a.py"), "x = 1\n").unwrap();
        fs::write(hostile.root.join("gone.py"), "y = 1\n").unwrap();
        hostile.git(&["add", "."]);
        hostile.git(&["commit", "--quiet", "-m", "first"]);
        hostile.missing = hostile.git(&["rev-parse", "HEAD:gone.py"]);
        fs::write(hostile.root.join(".gitattributes"), "* diff=evil filter=evil\n").unwrap();
        fs::write(hostile.root.join("a.py"), "x = 2\n").unwrap();
        hostile.arm();
        hostile
    }

    /// Configures a program everywhere; each leaves a marker file with its own name.
    fn arm(&self) {
        let routes = [
            ("core.fsmonitor", "fsmonitor"),
            ("core.pager", "pager"),
            ("pager.log", "pager"),
            ("pager.diff", "pager"),
            ("core.sshCommand", "ssh"),
            ("core.gitProxy", "proxy"),
            ("core.alternateRefsCommand", "alternates"),
            ("core.askPass", "askpass"),
            ("core.editor", "editor"),
            ("credential.helper", "credential"),
            ("diff.external", "external"),
            ("diff.evil.command", "command"),
            ("diff.evil.textconv", "textconv"),
            ("filter.evil.clean", "filter"),
            ("filter.evil.smudge", "filter"),
            ("gpg.program", "gpg"),
            ("gpg.ssh.program", "gpg"),
        ];
        for (key, route) in routes {
            self.git(&["config", key, &self.program(route).display().to_string()]);
        }
        let hooks = self.root.join("hooks");
        fs::create_dir(&hooks).unwrap();
        for hook in ["post-index-change", "pre-auto-gc", "reference-transaction"] {
            fs::copy(self.program("hook"), hooks.join(hook)).unwrap();
        }
        let url = format!("ext::{}", self.program("fetch").display());
        for (key, value) in [
            ("core.hooksPath", hooks.to_str().unwrap()),
            ("log.showSignature", "true"),
            ("protocol.allow", "always"),
            ("protocol.ext.allow", "always"),
            ("remote.origin.url", &url),
            ("remote.origin.promisor", "true"),
            ("core.repositoryFormatVersion", "1"),
            ("extensions.partialClone", "origin"),
        ] {
            self.git(&["config", key, value]);
        }
        // The object is missing, so that git would fetch it from the promisor remote.
        let (folder, name) = self.missing.split_at(2);
        fs::remove_file(self.root.join(".git/objects").join(folder).join(name)).unwrap();
        fs::remove_dir_all(&self.markers).unwrap();
        fs::create_dir(&self.markers).unwrap();
    }

    fn program(&self, route: &str) -> PathBuf {
        let file = self.root.with_file_name(format!("{route}.sh"));
        let marker = self.markers.join(route);
        if !file.exists() {
            let script = format!("#!/bin/sh\n: > '{}'\nexit 1\n", marker.display());
            fs::write(&file, script).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        file
    }

    /// Runs git without any protection.
    fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(arguments)
            .current_dir(&self.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .expect("git starts");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn started(&self) -> BTreeSet<String> {
        let entries = fs::read_dir(&self.markers).unwrap().flatten();
        entries.map(|entry| entry.file_name().into_string().unwrap()).collect()
    }
}

#[test]
fn unprotected_git_starts_programs_of_the_repository() {
    let hostile = Hostile::new();
    hostile.git(&["diff", "HEAD"]);
    hostile.git(&["-c", "diff.external=", "diff", "--no-ext-diff", "--textconv", "HEAD"]);
    hostile.git(&["cat-file", "blob", &hostile.missing]);
    let started = hostile.started();
    for route in ["command", "fetch", "filter", "fsmonitor", "textconv"] {
        assert!(started.contains(route), "{route} is no trap: {started:?}");
    }
}

#[test]
fn no_program_named_by_a_repository_is_started() {
    let hostile = Hostile::new();
    let root = hostile.root.as_path();
    let commit = head_commit(root).unwrap().unwrap();
    let all = std::slice::from_ref(&commit);
    assert_eq!(list_commits(root, &commit, None).unwrap().unwrap(), all);
    assert!(!read_log(root, all).unwrap().is_empty());
    assert_eq!(uncommitted_files(root).unwrap(), ["a.py"]);
    assert_eq!(commits_touching(root, "a.py", 3).unwrap(), all);
    assert_eq!(contents_at(root, &commit, "a.py").unwrap().unwrap(), b"x = 1\n");
    assert_eq!(contents_at(root, &commit, "gone.py").unwrap(), None);
    assert_eq!(changed_files(root, &commit).unwrap(), ["a.py", "gone.py"]);
    assert!(!is_ignored(root, "a.py"));
    set_config(root, "merge.x.name", "x").unwrap();
    let _ = user_name(Some(root));
    assert_eq!(hostile.started(), BTreeSet::new());
}

#[test]
fn comparing_branches_starts_no_program() {
    let hostile = Hostile::new();
    let first = hostile.git(&["rev-parse", "HEAD"]);
    // The hook would refuse the new commit and branch.
    let hooks = ["-c", "core.hooksPath=/dev/null"];
    hostile.git(&[&hooks[..], &["commit", "-q", "-a", "-m", "squashed"]].concat());
    // Two commits, so that they are compared as a whole too.
    let again = hostile.git(&["commit-tree", "HEAD^{tree}", "-p", &first, "-m", "work"]);
    let empty = hostile.git(&["commit-tree", "HEAD^{tree}", "-p", &again, "-m", "nothing"]);
    hostile.git(&[&hooks[..], &["branch", "work", &empty]].concat());
    fs::remove_dir_all(&hostile.markers).unwrap();
    fs::create_dir(&hostile.markers).unwrap();
    assert!(is_squashed(&hostile.root, "refs/heads/work", "refs/heads/main"));
    assert_eq!(hostile.started(), BTreeSet::new());
}

#[test]
fn long_running_filters_are_not_started() {
    let hostile = Hostile::new();
    let program = hostile.program("process").display().to_string();
    hostile.git(&["config", "filter.evil.process", &program]);
    hostile.git(&["config", "filter.evil.required", "true"]);
    fs::write(hostile.root.join(".git/info/attributes"), "* filter=evil\n").unwrap();
    assert_eq!(uncommitted_files(&hostile.root).unwrap(), ["a.py"]);
    assert_eq!(hostile.started(), BTreeSet::new());
}

#[test]
fn bare_repositories_inside_a_worktree_are_not_used() {
    let hostile = Hostile::new();
    let inner = hostile.root.join("vendor");
    fs::create_dir(&inner).unwrap();
    hostile.git(&["init", "--quiet", "--bare", "vendor"]);
    let program = hostile.program("fsmonitor").display().to_string();
    hostile.git(&["-C", "vendor", "config", "core.fsmonitor", &program]);
    fs::remove_dir_all(&hostile.markers).unwrap();
    fs::create_dir(&hostile.markers).unwrap();
    assert!(uncommitted_files(&inner).is_err());
    assert_eq!(hostile.started(), BTreeSet::new());
}

#[test]
fn only_hexadecimal_commit_ids_are_accepted() {
    let hostile = Hostile::new();
    let written = hostile.root.join("written");
    for name in ["--output=written", "HEAD", "main", "abc", "", "abcd --output=written"] {
        assert_eq!(changed_files(&hostile.root, name), None, "{name}");
    }
    assert!(!written.exists());
}

#[test]
fn pipes_instead_of_git_files_do_not_block() {
    let pipe = |path: &Path| {
        let made = Command::new("mkfifo").arg(path).status().expect("mkfifo starts");
        assert!(made.success());
    };
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap();
    pipe(&root.join(".git"));
    assert_eq!(discover(&root), None);
    fs::remove_file(root.join(".git")).unwrap();
    fs::create_dir_all(root.join(".git/objects")).unwrap();
    for name in ["HEAD", "index", "config", "commondir"] {
        pipe(&root.join(".git").join(name));
    }
    let repository = discover(&root).expect("it has a folder of objects");
    assert_eq!((repository.branch(), tracked_files(&root)), (None, None));
    let elsewhere = root.join("worktree");
    fs::create_dir(&elsewhere).unwrap();
    fs::write(elsewhere.join(".git"), "gitdir: ../.git\n").unwrap();
    assert!(discover(&elsewhere).is_some());
}
