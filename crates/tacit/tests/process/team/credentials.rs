//! Commands prove who they are to the server, and the server proves it to them.

use std::os::unix::fs::PermissionsExt;
use std::process::Output;
use std::time::{Duration, Instant};

use super::server::OwnServer;
use super::*;

/// The authority that signed the certificate of [`OwnServer::with_certificate`].
const AUTHORITY: &str = include_str!("certificates/authority.pem");
/// An authority that did not.
const OTHER_AUTHORITY: &str = include_str!("certificates/other-authority.pem");

/// Runs `tacit team pull` with variables.
fn pulls(person: &Person, variables: &[(&str, &str)]) -> RunOutput {
    let mut command = person.env.command();
    let ran: std::io::Result<Output> =
        command.args(["team", "pull"]).envs(variables.iter().copied()).output();
    let ran = RunOutput::from(ran.expect("the binary starts"));
    person.keeps_secrets(&ran);
    ran
}

/// Writes a program.
fn prints_in(program: &Path, script: &str) {
    fs::write(program, format!("#!/bin/sh\n{script}\n")).expect("a program");
    fs::set_permissions(program, fs::Permissions::from_mode(0o700)).expect("permissions");
}

fn assert_refused(ran: &RunOutput, code: i32, words: &str, hint: &str) {
    assert_eq!(ran.code, Some(code), "{ran:?}");
    assert_eq!(ran.stderr.matches(words).count(), 1, "{words}: {ran:?}");
    let said = ran.stderr.split_once("\nhint: ").unwrap_or_else(|| panic!("no hint: {ran:?}")).1;
    assert!(said.contains(hint), "{hint}: {ran:?}");
}

#[test]
fn servers_prove_who_they_are() {
    let server = OwnServer::with_certificate();
    let team = Team::on(server.database());
    let ada = team.founder();
    let file = |name: &str, text: &str| {
        let path = ada.env.root().join(name);
        fs::write(&path, text).expect("a file");
        path.display().to_string()
    };
    let (authority, other) = (file("authority.pem", AUTHORITY), file("other.pem", OTHER_AUTHORITY));
    let nothing = file("nothing.pem", "no certificate\n");
    let by_name = ada.url.replace("127.0.0.1", "localhost");
    let uses = |url: &str, settings: &str| {
        ada.run(["config", "set", "database.url", &format!("{url}?{settings}"), "--global"]);
        pulls(&ada, &[])
    };
    ada.run(["config", "unset", "database.url"]);
    // The copy remembers its server by its address, so each address has a copy of its own.
    let _ = uses(&ada.url, "sslmode=disable");
    for settings in ["sslmode=disable", "sslmode=prefer", "sslmode=require"] {
        let ran = uses(&ada.url, settings);
        assert_eq!(ran.code, Some(0), "{settings}: {ran:?}");
    }
    // libpq verifies the certificate in the mode `require` if it has an authority to do so.
    for mode in ["verify-full", "require"] {
        let hint = "`sslmode` and `sslrootcert`";
        let verified = |file: &str| format!("sslmode={mode}&sslrootcert={file}");
        let wrong = uses(&ada.url, &verified(&other));
        assert_refused(&wrong, 7, "is signed by an untrusted authority", hint);
        let name = uses(&ada.url, &verified(&authority));
        assert_refused(&name, 7, "its certificate is for another host name", hint);
        let no_file = uses(&ada.url, &verified("/nowhere/authority.pem"));
        assert_refused(&no_file, 7, "cannot read `/nowhere/authority.pem`", hint);
        let none = uses(&ada.url, &verified(&nothing));
        assert_refused(&none, 7, "nothing.pem` has no certificate in the form PEM", hint);
    }
    // Without an authority of the user's, those that browsers trust must have signed.
    let public = uses(&ada.url, "sslmode=verify-full");
    assert_refused(&public, 7, "is signed by an untrusted authority", "`sslrootcert`");
    // What is remembered waits, as for any server that cannot be used now.
    assert_eq!(ada.remembers("The kiosk closes at noon")["outcome"], "spooled");
    ada.run(["config", "unset", "database.url", "--global"]);
    ada.run(["team", "leave"]);
    let verified = format!("{by_name}?sslmode=verify-full&sslrootcert={authority}");
    let joined = ada.run(["team", "join", &verified, "--share"]);
    assert!(joined.stdout.contains("localhost"), "{joined:?}");
    assert_eq!((ada.knows().len(), team.memories()), (4, 4));
    // No connection outlives its command. The server notices soon after.
    let encrypted = "SELECT count(*) FROM pg_stat_ssl WHERE ssl";
    while team.count(encrypted) > 0 {
        std::thread::yield_now();
    }
}

#[test]
fn servers_without_encryption_are_not_used_if_it_is_required() {
    let team = Team::new();
    let ada = team.founder();
    ada.run(["config", "set", "database.url", &format!("{}?sslmode=require", ada.url)]);
    let refused = pulls(&ada, &[]);
    assert_refused(&refused, 7, "it does not offer encryption (TLS)", "`sslmode`");
}

#[test]
fn passwords_come_from_the_first_source_that_has_one() {
    let (_team, ada, _bo) = Team::of_two();
    let pgpass = ada.env.root().join("home/.pgpass");
    fs::remove_file(&pgpass).expect("removed");
    let missing = pulls(&ada, &[]);
    assert_refused(&missing, 7, "password missing", "check your name and password");
    let (account, place) = ada.url.split_once('@').expect("an account");
    let with_password = format!("{account}:{}@{place}", ada.password);
    let with_wrong = format!("{account}:wrong@{place}");

    assert_eq!(pulls(&ada, &[("PGPASSWORD", &ada.password)]).code, Some(0));
    assert_eq!(pulls(&ada, &[("TACIT_DATABASE_URL", &with_password)]).code, Some(0));
    // The address is asked before the variable, the variable before the command, and it before the file.
    let first = [("TACIT_DATABASE_URL", with_password.as_str()), ("PGPASSWORD", "wrong")];
    assert_eq!(pulls(&ada, &first).code, Some(0));
    let first = [("TACIT_DATABASE_URL", with_wrong.as_str()), ("PGPASSWORD", &ada.password)];
    let refused = pulls(&ada, &first);
    assert_refused(&refused, 7, "password authentication failed", "check your name and password");

    let program = ada.env.root().join("password");
    let prints = |script: &str| {
        prints_in(&program, script);
        pulls(&ada, &[])
    };
    ada.run([
        "config",
        "set",
        "database.password_command",
        &program.display().to_string(),
        "--global",
    ]);
    let password = ada.password.clone();
    assert_eq!(prints(&format!("echo '{password}'")).code, Some(0));
    ada.has_password("wrong");
    assert_eq!(prints(&format!("printf %s '{password}'")).code, Some(0), "not from the file");
    let by_hand = "run `database.password_command` by hand";
    assert_refused(&prints("echo wrong"), 7, "password authentication", "check your name");
    assert_refused(
        &prints(&format!("echo '{password}'; exit 3")),
        7,
        "`database.password_command` failed (exit status: 3)",
        by_hand,
    );
    assert_refused(&prints("true"), 7, "`database.password_command` printed nothing", by_hand);
    assert_refused(&prints("yes"), 7, "printed more than 4 kB", by_hand);
    fs::remove_file(&program).expect("removed");
    assert_refused(&pulls(&ada, &[]), 7, "cannot be started", by_hand);
    // Hooks do not wait for it, and what is remembered waits for it.
    ada.run(["config", "set", "timeouts.server_ms", "150"]);
    prints_in(&program, "sleep 60");
    ada.forgets_failure();
    let begun = Instant::now();
    assert!(ada.is_shown("asks-the-program", ABOUT_POOL).contains(POOL));
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
    prints_in(&program, "exit 1");
    assert_eq!(ada.remembers("The vault is locked at night")["outcome"], "spooled");
    // Commands that need no server do not run it.
    ada.run(["config", "set", "database.password_command", "", "--global"]);

    // A file that others can read is not used, and says so.
    ada.has_password(&password);
    assert_eq!(pulls(&ada, &[]).code, Some(0));
    fs::set_permissions(&pgpass, fs::Permissions::from_mode(0o644)).expect("permissions");
    let open = pulls(&ada, &[]);
    assert_refused(
        &open,
        7,
        ".pgpass` is ignored because others can read it",
        "correct your pgpass file",
    );
    // It is not even looked at if the password is known.
    assert_eq!(pulls(&ada, &[("PGPASSWORD", &password)]).code, Some(0));
}
