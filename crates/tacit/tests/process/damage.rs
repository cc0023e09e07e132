//! Databases and directories in every state but the right one: a message, a hint, an exit code.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;

use rusqlite::Connection;
use tacit_testkit::env::{RunOutput, TestEnv};

use crate::{BINARY, bare, initialised};

const DAMAGED: i32 = 6;

fn filled() -> TestEnv {
    let env = initialised();
    let lines: String =
        (0..60).map(|n| format!("{{\"content\":\"fact{n} {}\"}}\n", "word ".repeat(80))).collect();
    env.run_with_input(["remember", "--jsonl"], lines.as_bytes()).succeeded();
    checkpoint(&env);
    env
}

/// Moves everything from the log into the main file.
fn checkpoint(env: &TestEnv) {
    let connection = Connection::open(env.store().join("memory.db")).expect("the database");
    connection.pragma_update(None, "wal_checkpoint", "truncate").expect("a checkpoint");
}

/// Does `work` and leaves its writes in the log, as a process does that is killed afterwards.
fn leaving_a_log(env: &TestEnv, work: impl FnOnce()) {
    let database = env.store().join("memory.db");
    let holder = Connection::open(&database).expect("the database");
    holder.query_row("SELECT count(*) FROM memories", [], |_| Ok(())).expect("a read");
    work();
    let names = ["memory.db", "memory.db-wal"].map(|name| env.store().join(name));
    let bytes = names.clone().map(|path| fs::read(path).expect("a file"));
    drop(holder);
    forget_log(env);
    for (path, bytes) in names.iter().zip(bytes) {
        fs::write(path, bytes).expect("a file");
    }
}

/// Removes what repairs kept in a folder; how many databases there were.
pub(super) fn remove_damaged(folder: &Path) -> usize {
    let mut removed = 0;
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("memory.db.damaged-") {
            fs::remove_file(&path).expect("it goes");
            removed += usize::from(!name.ends_with("-wal"));
        }
    }
    removed
}

pub(super) fn forget_log(env: &TestEnv) {
    for name in ["memory.db-wal", "memory.db-shm"] {
        let _ = fs::remove_file(env.store().join(name));
    }
}

/// Every command that needs the store, with arguments that would do on a healthy one.
fn commands() -> Vec<Vec<&'static str>> {
    vec![
        vec!["remember", "text"],
        vec!["recall", "fact1"],
        vec!["list"],
        vec!["show", "a1b2c3d4"],
        vec!["edit", "a1b2c3d4", "--title", "x"],
        vec!["forget", "a1b2c3d4"],
        vec!["restore", "a1b2c3d4"],
        vec!["undo"],
        vec!["history"],
        vec!["list", "--tags"],
        vec!["edit", "a1b2c3d4", "--link", "supersedes:b1b2c3d4"],
        vec!["export"],
        vec!["import", "/dev/null"],
        vec!["status", "--stats"],
        vec!["doctor", "--quick"],
    ]
}

fn all_say(env: &TestEnv, code: i32, message: &str, hint: &str) {
    for arguments in commands() {
        let ran = env.run(&arguments).failed(code);
        assert!(ran.stderr.contains(message), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(&format!("hint: {hint}")), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn a_missing_store_says_how_to_begin() {
    let env = bare();
    let hint = "run `tacit init` there, or use `tacit remember --global` to store it";
    all_say(&env, 4, "has no memory yet", hint);
    assert!(!env.store().exists(), "looking must not create");
    fs::create_dir(env.store()).unwrap();
    all_say(&env, 4, "has no memory yet", hint);
    assert_eq!(env.run(["doctor"]).code, Some(1));
    env.run(["init"]).succeeded();
    env.run(["list"]).succeeded();
}

#[test]
fn garbage_is_damage_and_can_be_replaced() {
    let env = initialised();
    forget_log(&env);
    fs::write(env.store().join("memory.db"), "no database at all ".repeat(500)).unwrap();
    all_say(
        &env,
        DAMAGED,
        "is damaged: it is not an SQLite database",
        "`tacit doctor` shows what is wrong",
    );
    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.stdout.contains("not an SQLite database"), "{}", doctor.stdout);
    let fixed = env.run(["doctor", "--fix"]).succeeded();
    assert!(fixed.stdout.contains("mended project database"), "{}", fixed.stdout);
    let ran = env.run(["remember", "text"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.starts_with("note: project: a damaged database is kept at"), "{ran:?}");
    let doctor = env.run(["doctor"]).succeeded();
    assert!(doctor.stdout.contains("note   project damaged copy"), "{}", doctor.stdout);
    let removal = doctor.stdout.split('`').find(|part| part.starts_with("rm ")).unwrap();
    let removed = env.command_for("sh").args(["-c", removal]).status().unwrap();
    assert!(removed.success(), "{removal}");
    env.run(["list"]).succeeded();
}

#[test]
fn a_file_cut_short_gives_back_what_can_be_read() {
    let size = fs::metadata(filled().store().join("memory.db")).unwrap().len();
    for (numerator, denominator) in [(1, 20), (1, 3), (2, 3), (9, 10)] {
        let env = filled();
        forget_log(&env);
        let path = env.store().join("memory.db");
        let cut = size * numerator / denominator;
        fs::File::options().write(true).open(&path).unwrap().set_len(cut).unwrap();
        // Whatever a command needs may lie in the part that is left; but none may fall over.
        for arguments in commands() {
            let ran = env.run(&arguments);
            assert!(matches!(ran.code, Some(0 | 1 | 3 | 6)), "{arguments:?}: {ran:?}");
        }
        assert_eq!(env.run(["doctor"]).code, Some(1), "cut at {cut} of {size}");
        env.run(["doctor", "--fix"]).succeeded();
        env.run(["doctor"]).succeeded();
        assert_eq!(remove_damaged(&env.store()), 1, "the damaged file is kept");
        let listed = env.run(["list", "--limit", "100", "--json"]).succeeded().json();
        // In a store this small, the tables themselves fill the first two thirds of the file.
        if numerator * 10 >= denominator * 9 {
            assert!(listed.as_array().is_some_and(|list| !list.is_empty()), "{cut} of {size}");
        }
    }
}

#[test]
fn a_half_written_log_is_as_if_the_last_write_had_not_been() {
    let env = initialised();
    // Or the last write would be that of a vector.
    env.run(["config", "set", "embedding.provider", "off"]).succeeded();
    let log = env.store().join("memory.db-wal");
    let mut before = 0;
    leaving_a_log(&env, || {
        env.run(["remember", "first fact"]).succeeded();
        before = fs::metadata(&log).unwrap().len();
        env.run(["remember", "second fact"]).succeeded();
    });
    let files = ["memory.db", "memory.db-wal"].map(|name| env.store().join(name));
    let bytes = files.clone().map(|path| fs::read(path).unwrap());
    let after = bytes[1].len() as u64;
    assert!(after > before);
    for cut in [after - 1, after - 100, before + (after - before) / 2, before + 1] {
        forget_log(&env);
        for (path, bytes) in files.iter().zip(&bytes) {
            fs::write(path, bytes).unwrap();
        }
        fs::File::options().write(true).open(&log).unwrap().set_len(cut).unwrap();
        let listed = env.run(["list", "--json"]).succeeded().json();
        assert_eq!(listed.as_array().map(Vec::len), Some(1), "cut at {cut}");
        env.run(["doctor"]).succeeded();
    }
    env.run(["remember", "second fact"]).succeeded();
}

#[test]
fn an_empty_file_is_a_store_that_was_never_finished() {
    let env = initialised();
    forget_log(&env);
    fs::write(env.store().join("memory.db"), "").unwrap();
    env.run(["remember", "text"]).succeeded();
    env.run(["doctor"]).succeeded();
}

#[test]
fn a_store_from_the_future_is_left_alone() {
    let env = filled();
    let path = env.store().join("memory.db");
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    all_say(&env, DAMAGED, "has schema version 99", "install a newer version of tacit");
    assert_eq!(env.run(["doctor", "--fix"]).code, Some(1));
    assert_eq!(
        fs::read_dir(env.store())
            .unwrap()
            .filter(|entry| {
                entry.as_ref().unwrap().file_name().to_string_lossy().contains("damaged")
            })
            .count(),
        0
    );
}

#[test]
fn a_damaged_store_does_not_cost_the_other_its_history() {
    let env = filled();
    env.run(["remember", "--global", "my own fact"]).succeeded();
    let histories =
        |env: &TestEnv| env.run(["history", "--limit", "1000", "--json"]).succeeded().json();
    let before = histories(&env);
    for name in ["memory.db-wal", "memory.db-shm"] {
        let _ = fs::remove_file(env.home().join(name));
    }
    fs::write(env.home().join("memory.db"), "garbage".repeat(2000)).unwrap();
    let doctor = env.run(["doctor"]);
    assert_eq!(doctor.code, Some(1));
    assert!(doctor.stdout.contains("ok     project database"), "{}", doctor.stdout);
    assert!(doctor.stdout.contains("wrong  global database"), "{}", doctor.stdout);
    let fixed = env.run(["doctor", "--fix"]).succeeded();
    assert!(fixed.stdout.contains("ok     project database"), "{}", fixed.stdout);
    assert!(fixed.stdout.contains("mended global database"), "{}", fixed.stdout);
    assert_eq!(remove_damaged(&env.home()), 1);
    assert_eq!(histories(&env), before);
}

#[test]
fn the_doctor_leaves_a_healthy_global_store_alone_whatever_is_configured() {
    let env = initialised();
    env.run(["remember", "--global", "my own fact"]).succeeded();
    env.run(["config", "set", "recall.global", "false"]).succeeded();
    let fixed = env.run(["doctor", "--fix"]).succeeded();
    assert!(fixed.stdout.contains("ok     global database"), "{}", fixed.stdout);
    let listed = env.run(["list", "--global", "--json"]).succeeded().json();
    assert_eq!(listed[0]["content"], "my own fact");
    let id = listed[0]["short_id"].as_str().unwrap();
    env.run(["show", id]).succeeded();
    assert_eq!(env.run(["export", "--global"]).succeeded().json_lines().len(), 2);
    assert_eq!(env.run(["recall", "own"]).succeeded().stdout, "No memory answers that.\n");
    assert_eq!(env.run(["history", "--global", "--json"]).succeeded().json()[0]["change"], 1);
}

#[test]
fn a_locked_store_can_be_read_and_says_so_when_it_cannot_be_written() {
    let env = filled();
    let id = env.run(["list", "--limit", "1", "--json"]).succeeded().json()[0]["short_id"].clone();
    let id = id.as_str().unwrap();
    let holder = Connection::open(env.store().join("memory.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let run = |arguments: &[&str]| -> RunOutput {
        let mut command = env.command();
        command.args(arguments).env("TACIT_TIMEOUTS_STORE_MS", "50");
        command.output().expect("the binary starts").into()
    };
    let spooled = run(&["remember", "said meanwhile"]).succeeded();
    assert_eq!(spooled.stdout, "Spooled: the database is locked; the next command stores this.\n");
    assert_eq!(run(&["remember", "said later", "--json"]).succeeded().json()["outcome"], "spooled");
    for arguments in [
        vec!["recall", "fact1"],
        vec!["list"],
        vec!["show", id],
        vec!["history"],
        vec!["status", "--stats"],
        vec!["export"],
        vec!["list", "--tags"],
    ] {
        run(&arguments).succeeded();
    }
    for arguments in [
        vec!["forget", id],
        vec!["edit", id, "--title", "x"],
        vec!["edit", id, "--tag", "x"],
        vec!["undo"],
        vec!["import", "/dev/null"],
    ] {
        let ran = run(&arguments).failed(5);
        assert_eq!(
            ran.stderr,
            "error: the database is locked by another process\n\
             hint: try again; `timeouts.store_ms` sets how long to wait\n"
        );
    }
    // A database that others write to is not damaged, least of all to be replaced.
    let doctor = run(&["doctor", "--fix"]);
    assert!(doctor.stdout.contains("locked by another process"), "{}", doctor.stdout);
    assert!(!doctor.stdout.contains("mended"), "{}", doctor.stdout);
    let health = run(&["doctor", "--quick"]);
    assert!(health.stdout.contains("2 requests wait in the spool"), "{health:?}");
    drop(holder);
    let found = env.run(["recall", "said", "--json"]).succeeded().json();
    let found = found.as_array().expect("a list").iter();
    assert_eq!(found.filter(|memory| memory["clear"] == true).count(), 2);
    env.run(["doctor"]).succeeded();
}

#[test]
fn directories_and_files_in_each_others_places() {
    let env = bare();
    fs::write(env.store(), "a file").unwrap();
    for arguments in commands() {
        let ran = env.run(&arguments).failed(7);
        assert!(ran.stderr.contains("it is not a folder"), "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains("hint: move it away"), "{}", ran.stderr);
    }
    env.run(["init"]).failed(7);
    assert_eq!(fs::read_to_string(env.store()).unwrap(), "a file");

    let env = bare();
    fs::create_dir_all(env.store().join("memory.db")).unwrap();
    all_say(&env, 1, "memory.db", "check that it is a file");
    env.run(["init"]).failed(1);
    assert_eq!(env.run(["doctor", "--fix"]).code, Some(1));

    let env = initialised();
    fs::write(env.store().join("spool"), "a file").unwrap();
    env.run(["remember", "text"]).succeeded();
    env.run(["list"]).succeeded();
}

#[test]
fn a_broken_configuration_is_named() {
    let env = initialised();
    let path = env.store().join("config.toml");
    for (bytes, message, hint) in [
        (b"recall.limit = ".as_slice(), "is not valid TOML", None),
        (b"\xff\xfe".as_slice(), "cannot read", None),
        (b"recal.limit = 3".as_slice(), "no configuration key `recal.limit`", Some("did you mean")),
        (b"recall.limit = 0".as_slice(), "takes a whole number", Some("`tacit config explain")),
        (b"recall = 3".as_slice(), "no configuration key `recall`", None),
    ] {
        fs::write(&path, bytes).unwrap();
        let ran = env.run(["doctor"]);
        assert_eq!(ran.code, Some(1));
        assert!(ran.stdout.contains(message), "{}", ran.stdout);
        for command in [vec!["list"], vec!["remember", "x"], vec!["init"]] {
            let code = if message == "cannot read" { 1 } else { 2 };
            let ran = env.run(&command).failed(code);
            assert!(ran.stderr.contains(message), "{}", ran.stderr);
            assert!(ran.stderr.contains("config.toml"), "{}", ran.stderr);
            assert!(ran.stderr.contains(hint.unwrap_or_default()), "{}", ran.stderr);
        }
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    env.run(["list"]).failed(1);
    fs::remove_dir(&path).unwrap();
    env.run(["list"]).succeeded();
    let mut command = env.command();
    let ran =
        RunOutput::from(command.arg("list").env("TACIT_RECALL_LIMIT", "many").output().unwrap());
    let ran = ran.failed(2);
    assert!(ran.stderr.contains("`recall.limit` takes"), "{}", ran.stderr);
    assert!(ran.stderr.contains("TACIT_RECALL_LIMIT"), "{}", ran.stderr);
}

/// Runs as somebody whom permissions bind, which they do not bind root.
fn as_nobody(env: &TestEnv, arguments: &[&str]) -> RunOutput {
    let mut command = env.command();
    if is_root() {
        command.uid(65_534).gid(65_534);
    }
    command.args(arguments).output().expect("the binary starts").into()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

/// Takes away every permission to write. The owner is the user that [`as_nobody`] runs as, because
/// Tacit refuses stores of other users.
pub(super) fn freeze(env: &TestEnv) {
    for path in [env.root(), env.project(), env.root().join("home")] {
        set_mode(&path, 0o755);
    }
    for entry in fs::read_dir(env.store()).expect("a directory") {
        let path = entry.expect("an entry").path();
        set_mode(&path, 0o444);
        give(&path, 65_534);
    }
    set_mode(&env.store(), 0o555);
    give(&env.store(), 65_534);
}

/// Gives a file to somebody else, where that can be done.
fn give(path: &Path, owner: u32) {
    if is_root() {
        std::os::unix::fs::chown(path, Some(owner), Some(owner)).expect("an owner");
    }
}

pub(super) fn thaw(env: &TestEnv) {
    set_mode(&env.store(), 0o700);
    give(&env.store(), 0);
    for entry in fs::read_dir(env.store()).expect("a directory") {
        give(&entry.expect("an entry").path(), 0);
    }
}

#[test]
fn read_only_stores_can_be_read() {
    type Prepare = fn(&TestEnv);
    let prepared: [(&str, Prepare); 3] = [
        ("with its log", |_| {}),
        ("with an empty log", checkpoint),
        ("without its log", |env| {
            checkpoint(env);
            forget_log(env);
        }),
    ];
    for (what, prepare) in prepared {
        let env = initialised();
        env.run(["remember", "a fact to read"]).succeeded();
        prepare(&env);
        freeze(&env);
        let binary = Path::new(BINARY);
        assert!(binary.metadata().is_ok(), "the binary is there");
        for arguments in [
            vec!["list"],
            vec!["recall", "fact"],
            vec!["export"],
            vec!["history"],
            vec!["status", "--stats"],
            vec!["doctor", "--quick"],
        ] {
            let ran = as_nobody(&env, &arguments);
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{what} {arguments:?}");
        }
        assert!(as_nobody(&env, &["list"]).stdout.contains("a fact to read"), "{what}");
        for arguments in [vec!["remember", "more"], vec!["undo"]] {
            let ran = as_nobody(&env, &arguments).failed(1);
            assert!(ran.stderr.contains("memory.db` cannot be written"), "{what}: {}", ran.stderr);
            assert!(
                ran.stderr.contains("hint: check the permissions of the file and its directory"),
                "{what}: {}",
                ran.stderr
            );
        }
        let doctor = as_nobody(&env, &["doctor"]);
        assert!(!doctor.stdout.contains("wrong  project database"), "{what}: {}", doctor.stdout);
        thaw(&env);
    }
}

#[test]
fn a_log_that_cannot_be_read_is_not_passed_over() {
    let env = initialised();
    env.run(["remember", "a fact in the file"]).succeeded();
    leaving_a_log(&env, || drop(env.run(["remember", "a fact in the log"]).succeeded()));
    freeze(&env);
    let ran = as_nobody(&env, &["list"]).failed(1);
    assert!(ran.stderr.contains("cannot be written: its newest memories are in"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: check the permissions"), "{}", ran.stderr);
    thaw(&env);
}

#[test]
fn unreadable_stores_are_reported() {
    let env = initialised();
    freeze(&env);
    set_mode(&env.store().join("memory.db"), 0o000);
    let ran = as_nobody(&env, &["list"]).failed(1);
    assert!(ran.stderr.contains("memory.db`: Permission denied"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: check"), "{}", ran.stderr);
    set_mode(&env.store(), 0o000);
    let ran = as_nobody(&env, &["list"]);
    assert!(matches!(ran.code, Some(1 | 2)), "{ran:?}");
    assert!(ran.stderr.contains("Permission denied"), "{}", ran.stderr);
    thaw(&env);
    let env = bare();
    for path in [env.root(), env.project()] {
        set_mode(&path, 0o555);
    }
    let ran = as_nobody(&env, &["init"]).failed(1);
    assert!(ran.stderr.contains("cannot create"), "{}", ran.stderr);
    set_mode(&env.project(), 0o755);
    set_mode(&env.root(), 0o755);
}

#[test]
fn a_full_disk_is_told_and_forgotten_once_there_is_space() {
    // In a mount namespace of its own, so that nothing stays mounted whatever happens.
    const SCRIPT: &str = r#"
        mount -t tmpfs -o size=1m tmpfs . && cd "$PWD" || exit 99
        "$1" init >/dev/null || exit 98
        "$1" remember "a fact before" >/dev/null || exit 97
        cat /dev/zero > filler 2>/dev/null
        full=0
        for n in 1 2 3 4 5 6 7 8; do
            "$1" remember "a fact $n while there is no space" >out 2>err.$n </dev/null
            code=$?
            [ $code -ne 0 ] && full=$code && break
        done
        echo "full $full"
        "$1" remember "another $n" 2>&1 >/dev/null
        "$1" recall before >/dev/null; echo "read $?"
        rm -f filler
        "$1" remember "a fact after" >/dev/null; echo "after $?"
        "$1" doctor; echo "doctor $?"
        "$1" recall before | sed -n 2p
    "#;
    let env = bare();
    let arguments = ["-rm", "sh", "-c", SCRIPT, "sh", BINARY];
    let output = env.command_for("unshare").args(arguments).output();
    let ran = match output {
        Ok(output) if output.status.code() != Some(99) && !output.stdout.is_empty() => {
            RunOutput::from(output)
        }
        other => {
            eprintln!("SKIPPED: no small file system can be mounted here: {other:?}");
            return;
        }
    };
    for line in ["full 1", "read 0", "after 0", "doctor 0", "  a fact before"] {
        assert!(ran.stdout.lines().any(|found| found == line), "{line}: {ran:?}");
    }
    assert!(ran.stdout.contains("error: no space is left for the database at"), "{ran:?}");
    assert!(ran.stdout.contains("hint: free some space and try again"), "{ran:?}");
}
