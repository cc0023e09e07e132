//! Addresses of servers and passwords.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use proptest::prelude::*;
use tacit_store_postgres::{Credentials, Password, ServerSettings, ServerUrl, SslMode};

fn parse(text: &str) -> ServerUrl {
    ServerUrl::parse(text).expect("an address")
}

#[test]
fn both_forms_are_parsed() {
    for text in [
        "postgres://ada:p%40ss@db.example:6432/app?sslmode=require&connect_timeout=3",
        "postgresql://ada:p@ss@db.example:6432/app?sslmode=require&connect_timeout=3",
        "host=db.example port=6432 user=ada password='p@ss' dbname=app sslmode = require
         connect_timeout=3",
    ] {
        let url = parse(text);
        assert_eq!((url.host(), url.port(), url.user()), ("db.example", 6432, Some("ada")));
        assert_eq!(url.ssl_mode(), SslMode::Require);
        assert!(url.has_password());
        assert_eq!(url.to_string(), "postgres://db.example:6432/app");
    }
    assert_eq!(parse("postgres://[::1]:7/a").to_string(), "postgres://[::1]:7/a");
    assert_eq!(parse("postgres://ada@/app").to_string(), "postgres://localhost:5432/app");
    assert_eq!(parse("host='a\\'b c' user=x").host(), "a'b c");
    assert_eq!(parse("host=db password=a://b user=x").user(), Some("x"));
}

#[test]
fn connections_that_leave_the_machine_are_verified() {
    for (text, mode) in [
        ("postgres://a@localhost/x", SslMode::Prefer),
        ("postgres://a@127.0.0.1/x", SslMode::Prefer),
        ("postgres://a@[::1]/x", SslMode::Prefer),
        ("postgres://a@/x?host=/run/postgresql", SslMode::Prefer),
        ("postgres://a@db.example/x", SslMode::VerifyFull),
        ("postgres://a@10.0.0.1/x", SslMode::VerifyFull),
        ("postgres://a@db.example/x?sslmode=disable", SslMode::Disable),
    ] {
        assert_eq!(parse(text).ssl_mode(), mode, "{text}");
    }
}

#[test]
fn problems_are_named_without_the_password() {
    for (text, told) in [
        ("", "it is empty"),
        ("mysql://a@b/c", "it does not begin with `postgres://`"),
        ("postgres://ada:hush@db:99999/x", "`port`"),
        ("postgres://ada:hush@db/x?sslmode=allow", "`sslmode`"),
        ("postgres://ada:hush@db/x?sslcert=a", "`sslcert`"),
        ("postgres://ada:hush%zz@db/x", "hexadecimal"),
        ("postgres://ada:hush@db/x/y", "%2F"),
        ("postgres://ada:hush/1@db/x", "%2F"),
        ("postgres://ada:12/hush@db", "%2F"),
        ("postgres://ada:a?hush&hush@db/x", "%3F"),
        ("postgres://ada@db/x?sslmode", "`=`"),
        ("postgres://ada:hush@a,b/x", "several hosts"),
        ("host=db password='hush", "a quote is not closed"),
        ("hush", "`=`"),
    ] {
        let error = ServerUrl::parse(text).expect_err(text).to_string();
        assert!(error.contains(told), "{text}: {error}");
        assert!(!error.contains("hush"), "{text}: {error}");
    }
}

fn pgpass(folder: &Path, lines: &str, mode: u32) -> Credentials {
    let file = folder.join("pgpass");
    fs::write(&file, lines).expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).expect("a file");
    Credentials { pgpass: Some(file), ..Credentials::default() }
}

#[test]
fn passwords_come_from_the_address_the_environment_or_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = "# comment\ndb:5432:app:bob:of bob\nother:*:*:ada:elsewhere\n\
                 db:5432:app:ada:a\\:b\\\\c\n*:*:*:*:any\n";
    let mut credentials = pgpass(folder.path(), lines, 0o600);
    let resolved = |text: &str, credentials: &Credentials| {
        ServerSettings::resolve(parse(text), credentials).expect("settings").password().cloned()
    };
    let is = |text: &str| Some(Password::new(text));
    assert_eq!(resolved("postgres://ada@db/app", &credentials), is("a:b\\c"));
    assert_eq!(resolved("postgres://bob@db/app", &credentials), is("of bob"));
    assert_eq!(resolved("postgres://bob@db:1/app", &credentials), is("any"));
    credentials.password = is("environment");
    assert_eq!(resolved("postgres://ada@db/app", &credentials), is("environment"));
    assert_eq!(resolved("postgres://ada:own@db/app", &credentials), is("own"));
    let missing =
        Credentials { pgpass: Some(folder.path().join("none")), ..Credentials::default() };
    assert_eq!(resolved("postgres://ada@db/app", &missing), None);
    let settings = ServerSettings::resolve(parse("postgres://ada:own@db/app"), &credentials);
    assert!(!format!("{:?}", settings.expect("settings")).contains("own"));
}

#[test]
fn password_files_that_others_can_read_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let credentials = pgpass(folder.path(), "*:*:*:*:any\n", 0o644);
    let error = ServerSettings::resolve(parse("postgres://ada@db/app"), &credentials);
    assert!(error.expect_err("refused").to_string().contains("others can read it"));
}

#[test]
fn addresses_without_a_user_take_that_of_the_environment() {
    let credentials = Credentials { user: Some("ada".into()), ..Credentials::default() };
    let settings = ServerSettings::resolve(parse("postgres://db/app"), &credentials);
    assert_eq!(settings.expect("settings").user(), "ada");
    assert!(ServerSettings::resolve(parse("postgres://db/app"), &Credentials::default()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_parsed_or_refused(text in ".{0,60}") {
        let _ = ServerUrl::parse(&text);
        let _ = ServerUrl::parse(&format!("postgres://{text}"));
    }

    #[test]
    fn escaped_parts_survive(
        user in "[^\0]{1,12}", password in "[^\0]{1,12}", database in "[^\0]{1,12}",
    ) {
        let escaped = |text: &str| -> String {
            text.bytes().map(|byte| format!("%{byte:02X}")).collect()
        };
        let text = format!(
            "postgres://{}:{}@db.example/{}", escaped(&user), escaped(&password), escaped(&database)
        );
        let settings = ServerSettings::resolve(parse(&text), &Credentials::default()).expect("settings");
        prop_assert_eq!(settings.user(), &user);
        prop_assert_eq!(settings.password(), Some(&Password::new(&password)));
        prop_assert_eq!(settings.database(), &database);

        let quoted = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
        let pairs = format!(
            "user='{}' password='{}' dbname='{}' host=db.example",
            quoted(&user), quoted(&password), quoted(&database)
        );
        prop_assert_eq!(parse(&pairs), parse(&text));
    }
}
