//! Hot topics from a project's files to a match, and two sessions at one file.

use std::fs;
use std::path::Path;
use std::thread;

use tacit_app::topics::{
    HotTopics, KnownCommands, TopicPromotion, TopicSource, discover, match_command, promote,
};
use tacit_core::Timestamp;
use tempfile::TempDir;

fn project(files: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().expect("a directory");
    for (name, text) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        fs::write(path, text).expect("a file");
    }
    root
}

fn now() -> Timestamp {
    "2026-02-17T21:00:00Z".parse().expect("a time")
}

fn found(root: &Path) -> HotTopics {
    discover(root, KnownCommands::default(), now())
}

#[test]
fn what_a_project_says() {
    let root = project(&[
        ("bin/wt-new", ""),
        ("bin/wt-list", ""),
        ("bin/openspec", ""),
        ("bin/setup", ""),
        ("bin/README.md", ""),
        ("bin/.hidden", ""),
        ("package.json", r#"{"scripts": {"lint": "x", "db:migrate": "y"}}"#),
        ("Makefile", "bench:\n\tx\nrelease:\n\ty\n"),
        (".cargo/config.toml", "[alias]\nxtask = 'run'"),
        ("deno.json", "not json"),
    ]);
    let topics = found(root.path());
    let expected = [
        r"wt-\w+",
        r"openspec\s",
        r"bin/setup\s",
        r"npm\s+run\s+db:migrate|bun\s+run\s+db:migrate|pnpm\s+db:migrate|pnpm\s+run\s+db:migrate|yarn\s+db:migrate|yarn\s+run\s+db:migrate",
        r"make\s+release",
        r"cargo\s+xtask",
        r"npm\s+run\s+lint|bun\s+run\s+lint|pnpm\s+lint|pnpm\s+run\s+lint|yarn\s+lint|yarn\s+run\s+lint",
        r"make\s+bench",
    ];
    assert_eq!(topics.patterns(), expected);
    let cases = [
        ("wt-new feature", true),
        ("./bin/wt-list", true),
        ("openspec list", true),
        ("bin/setup", true),
        ("setup x", false),
        ("cd web && pnpm db:migrate", true),
        ("bun run lint --fix", true),
        ("make -n", false),
        ("make release", true),
        ("cargo xtask ci", true),
        ("cargo build", false),
    ];
    for (command, hot) in cases {
        assert_eq!(match_command(command, &topics).is_some(), hot, "{command}");
    }
}

#[test]
fn what_memory_says_comes_first_and_all_is_bounded() {
    let scripts: Vec<String> = (0..40).map(|n| format!(r#""script{n:02}": "x""#)).collect();
    let root = project(&[
        ("package.json", &format!(r#"{{"scripts": {{{}}}}}"#, scripts.join(","))),
        ("bin/openspec", ""),
    ]);
    let texts = |texts: &[&str]| -> Vec<String> { texts.iter().map(|&s| s.into()).collect() };
    let remembered = KnownCommands {
        hot_topics: &texts(&[
            "Before `terraform apply`, check the workspace; never `ls`",
            "psql",
            "a long sentence without any command",
        ]),
        failed_commands: &texts(&["cd x && cargo sqlx prepare", "ls -l", "psql -c x"]),
        tags: &texts(&["hot-topic", "alembic", "x"]),
    };
    let topics = discover(root.path(), remembered, now());
    assert_eq!(topics.patterns().len(), 20);
    assert_eq!(
        topics.patterns()[..4],
        [r"terraform\s+apply", "psql", r"cargo\s+sqlx", r"openspec\s"]
    );
    assert_eq!(topics.patterns()[19], "alembic");
    assert_eq!(discover(root.path(), remembered, now()), topics);
}

#[test]
fn the_file_has_one_form() {
    let root = project(&[("bin/wt-a", ""), ("bin/wt-b", ""), ("bin/openspec", "")]);
    let file = root.path().join("hot-topics.json");
    found(root.path()).write(&file).expect("written");
    assert_eq!(promote(&file, "just").expect("promoted"), TopicPromotion::Added("just".into()));
    assert_eq!(
        fs::read_to_string(&file).expect("the file"),
        r#"{
  "patterns": [
    "wt-\\w+",
    "openspec\\s",
    "just"
  ],
  "generated_at": "2026-02-17T21:00:00Z",
  "promoted": [
    "just"
  ]
}
"#
    );
    // The next session begins without what was promoted in this one.
    found(root.path()).write(&file).expect("written");
    assert_eq!(HotTopics::read(&file), found(root.path()));
    assert!(HotTopics::read(&file).promoted().is_empty());
}

#[test]
fn a_broken_file_leaves_what_is_hot_everywhere() {
    let root = TempDir::new().expect("a directory");
    let file = root.path().join("hot-topics.json");
    for text in [None, Some(""), Some("{"), Some("[]"), Some(r#"{"patterns": [1]}"#)] {
        if let Some(text) = text {
            fs::write(&file, text).expect("written");
        }
        let topics = HotTopics::read(&file);
        assert!(match_command("sudo x", &topics).is_some());
        assert!(match_command("wt-a", &topics).is_none());
    }
    fs::write(&file, r#"{"patterns": ["(", "wt-\\w+"], "later": 1}"#).expect("written");
    assert_eq!(
        match_command("wt-a", &HotTopics::read(&file)).map(|hot| hot.pattern),
        Some(r"wt-\w+")
    );
}

#[test]
fn promoting() {
    let root = TempDir::new().expect("a directory");
    let file = root.path().join("hot-topics.json");
    let cases = [
        ("cargo build --release", TopicPromotion::Added(r"cargo\s+build".into())),
        ("cargo  build", TopicPromotion::Known(r"cargo\s+build".into())),
        ("ls /nowhere", TopicPromotion::Trivial),
        ("./deploy.sh", TopicPromotion::Added(r"deploy\.sh".into())),
    ];
    for (command, expected) in cases {
        assert_eq!(promote(&file, command).expect("promoted"), expected, "{command}");
    }
    let topics = HotTopics::read(&file);
    let hot = match_command("cargo build -p x", &topics).expect("a match");
    assert_eq!((hot.pattern, hot.source), (r"cargo\s+build", TopicSource::Promoted));
    assert_eq!(match_command("cargo test", &topics), None);
    for n in 0..30 {
        promote(&file, &format!("tool{n}")).expect("promoted");
    }
    let topics = HotTopics::read(&file);
    assert_eq!((topics.patterns().len(), topics.promoted().len()), (20, 20));
    assert_eq!(topics.promoted()[19], "tool29");
}

#[test]
fn two_at_once_lose_nothing() {
    let root = TempDir::new().expect("a directory");
    let file = root.path().join("hot-topics.json");
    thread::scope(|scope| {
        for who in ["left", "right"] {
            let file = &file;
            scope.spawn(move || {
                for n in 0..10 {
                    promote(file, &format!("{who}{n}")).expect("promoted");
                }
            });
        }
    });
    assert_eq!(HotTopics::read(&file).promoted().len(), 20);
}

#[test]
fn without_a_directory_nothing_is_written() {
    let root = TempDir::new().expect("a directory");
    let error = promote(&root.path().join("none/hot-topics.json"), "cargo build");
    let error = error.expect_err("no directory");
    assert!(error.to_string().starts_with("cannot write `"), "{error}");
}

#[cfg(unix)]
#[test]
fn links_out_of_the_project_are_not_followed() {
    use std::os::unix::fs::symlink;
    let outside = project(&[("Makefile", "secret:\n"), ("bin/foreign", "")]);
    let root = project(&[("tools/openspec", "")]);
    symlink(outside.path().join("Makefile"), root.path().join("Makefile")).expect("a link");
    symlink(outside.path().join("bin"), root.path().join("bin")).expect("a link");
    assert!(found(root.path()).patterns().is_empty());
    // A link that stays inside is as good as the directory.
    fs::remove_file(root.path().join("bin")).expect("removed");
    symlink(root.path().join("tools"), root.path().join("bin")).expect("a link");
    assert_eq!(found(root.path()).patterns(), [r"openspec\s"]);
}
