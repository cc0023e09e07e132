//! Files of ours are readable by their owner alone, from their creation.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use crate::{BINARY, bare};

fn assert_private(folder: &Path) {
    let mode =
        |path: &Path| fs::symlink_metadata(path).expect("a file").permissions().mode() & 0o777;
    assert_eq!(mode(folder), 0o700, "{}", folder.display());
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            assert_private(&path);
        } else {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
        }
    }
}

#[test]
fn others_can_read_nothing_under_any_umask() {
    let env = bare();
    let run = |arguments: &[&str], input: &str| {
        let mut child = env
            .command_for("sh")
            .args(["-c", "umask 000; exec \"$0\" \"$@\"", BINARY])
            .args(arguments)
            .env("EDITOR", "false")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let mut stdin = child.stdin.take().expect("a pipe");
        let _ = std::io::Write::write_all(&mut stdin, input.as_bytes());
        drop(stdin);
        child.wait().expect("it ends");
    };
    fs::write(env.project().join("pool.py"), "def acquire(): pass\n").expect("a source");
    run(&["init", "--no-hooks"], "");
    run(&["remember", "the pool is closed before a fork"], "");
    run(&["remember", "--global", "a fact of mine"], "");
    run(&["recall", "pool"], "");
    run(&["config", "set", "recall.limit", "7"], "");
    run(&["config", "set", "recall.limit", "7", "--global"], "");
    for event in ["SessionStart", "UserPromptSubmit", "Nonsense"] {
        let payload = format!(
            "{{\"hook_event_name\":\"{event}\",\"session_id\":\"s\",\"cwd\":{:?},\"prompt\":\"x\"}}",
            env.project()
        );
        run(&["hook", "claude"], &payload);
    }
    run(&["hook", "claude"], "no JSON at all");
    run(&["edit", "a"], "");
    run(&["code", "index"], "");
    run(&["maintain", "--quiet"], "");
    // Writers that cannot wait.
    let holder = rusqlite::Connection::open(env.store().join("memory.db")).expect("the database");
    holder.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    run(&["config", "set", "timeouts.store_ms", "10", "--global"], "");
    run(&["remember", "said meanwhile"], "");
    assert_private(&env.store());
    drop(holder);
    run(&["list"], "");
    run(&["doctor", "--fix"], "");
    assert_private(&env.store());
    assert_private(&env.home());
}
