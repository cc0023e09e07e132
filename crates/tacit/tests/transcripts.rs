//! Console transcripts of every command, run for real.
//!
//! Each file in `tests/cmd` is a story: its commands run one after another in a directory of
//! their own, and what they print must be what the file says. The pages in `docs` and the README
//! are run in the same way, so that nothing they show can become untrue. After a change that is
//! meant, `TRYCMD=overwrite cargo test -p tacit --test transcripts` writes the files anew; read
//! the difference before you commit it.

#![expect(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tacit_core::{
    BuiltinType, Category, ConfigValue, DocumentedKey, KEYS, KeyName, ObservationType,
    RelationKind, Review, Scope, Source, StatusKind, Visibility,
};

/// The directory that pages for readers name where the sandbox is meant.
const SHOWN_PROJECT: &str = "/home/ada/shop";
/// The home directory that pages for readers name.
const SHOWN_HOME: &str = "/home/ada";

/// The time that pages for readers name where any time is right.
const SHOWN_TIME: &str = "4 ms after";
/// The pattern for it.
const ANY_TIME: &str = "[..] ms after";

/// The programs that a story may use beside `tacit`.
const PROGRAMS: [&str; 9] = ["cat", "chmod", "cp", "env", "git", "ls", "mkdir", "sed", "sh"];

macro_rules! transcripts {
    ($($name:ident: $path:literal,)+) => {
        $(
            #[test]
            fn $name() {
                run(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/", $path)));
            }
        )+

        #[test]
        fn every_file_is_run() {
            let listed: BTreeSet<String> = [$($path),+].into_iter().map(String::from).collect();
            let there = ["tests/cmd", "../../docs"].iter().flat_map(|directory| {
                let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
                fs::read_dir(root).unwrap().map(move |entry| {
                    format!("{directory}/{}", entry.unwrap().file_name().to_string_lossy())
                })
            });
            let forgotten: Vec<String> = there
                .filter(|path| path.ends_with(".md") && !listed.contains(path))
                .filter(|path| fs::read_to_string(path).unwrap().contains("```console"))
                .collect();
            assert!(forgotten.is_empty(), "not run: {forgotten:?}");
        }
    };
}

transcripts! {
    agents: "tests/cmd/agents.md",
    code_cochange: "tests/cmd/code-cochange.md",
    code_index: "tests/cmd/code-index.md",
    code_locate: "tests/cmd/code-locate.md",
    code_map_cards: "tests/cmd/code-map-cards.md",
    code_map_parts: "tests/cmd/code-map-parts.md",
    code_map: "tests/cmd/code-map.md",
    code: "tests/cmd/code.md",
    completions: "tests/cmd/completions.md",
    config: "tests/cmd/config.md",
    cues: "tests/cmd/cues.md",
    demo: "tests/cmd/demo.md",
    doctor_clients: "tests/cmd/doctor-clients.md",
    doctor_quick: "tests/cmd/doctor-quick.md",
    doctor: "tests/cmd/doctor.md",
    edit_links: "tests/cmd/edit-links.md",
    edit_tags: "tests/cmd/edit-tags.md",
    edit: "tests/cmd/edit.md",
    export: "tests/cmd/export.md",
    forget: "tests/cmd/forget.md",
    forget_rules: "tests/cmd/forget-rules.md",
    help: "tests/cmd/help.md",
    history: "tests/cmd/history.md",
    import: "tests/cmd/import.md",
    init: "tests/cmd/init.md",
    ledger: "tests/cmd/ledger.md",
    learn_transcripts: "tests/cmd/learn-transcripts.md",
    list: "tests/cmd/list.md",
    maintain: "tests/cmd/maintain.md",
    mcp: "tests/cmd/mcp.md",
    open: "tests/cmd/open.md",
    output: "tests/cmd/output.md",
    panel: "tests/cmd/panel.md",
    recall_as_hook: "tests/cmd/recall-as-hook.md",
    recall: "tests/cmd/recall.md",
    records_merge: "tests/cmd/records-merge.md",
    records: "tests/cmd/records.md",
    learn_git: "tests/cmd/learn-git.md",
    remember: "tests/cmd/remember.md",
    renamed: "tests/cmd/renamed.md",
    report: "tests/cmd/report.md",
    restore: "tests/cmd/restore.md",
    review_flag: "tests/cmd/review-flag.md",
    review_plain: "tests/cmd/review-plain.md",
    review_session: "tests/cmd/review-session.md",
    review: "tests/cmd/review.md",
    session_brief: "tests/cmd/session-brief.md",
    session_state: "tests/cmd/session-state.md",
    session: "tests/cmd/session.md",
    share: "tests/cmd/share.md",
    show: "tests/cmd/show.md",
    status_stats: "tests/cmd/status-stats.md",
    status: "tests/cmd/status.md",
    triggers_usage: "tests/cmd/triggers-usage.md",
    triggers: "tests/cmd/triggers.md",
    undo: "tests/cmd/undo.md",
    uninstall: "tests/cmd/uninstall.md",
    validate: "tests/cmd/validate.md",
    visibility: "tests/cmd/visibility.md",
    when: "tests/cmd/when.md",
    why: "tests/cmd/why.md",
    work_methodology: "tests/cmd/work-methodology.md",
    work_qa: "tests/cmd/work-qa.md",
    work: "tests/cmd/work.md",
    readme: "../../README.md",
    agents_page: "../../docs/agents.md",
    hooks_page: "../../docs/hooks.md",
    export_format_page: "../../docs/export-format.md",
    records_page: "../../docs/records.md",
    import_page: "../../docs/import.md",
    cold_start_page: "../../docs/cold-start.md",
    triggers_page: "../../docs/triggers.md",
    troubleshooting_page: "../../docs/troubleshooting.md",
}

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name)).unwrap()
}

#[test]
fn configuration_page_documents_every_key() {
    let page = page("configuration.md");
    let keys = page.split("\n## ").find(|section| section.starts_with("Keys\n")).unwrap();
    let documented: Vec<&str> = keys.lines().filter(|line| line.starts_with("| `")).collect();
    let rows = DocumentedKey::all();
    for row in &rows {
        let (default, takes) = (row.default(), row.takes());
        let line = format!("| `{}` | {default} | {takes} | {} |", row.pattern, row.help);
        assert!(documented.contains(&line.as_str()), "docs/configuration.md has no row\n{line}");
    }
    assert_eq!(
        documented.len(),
        rows.len(),
        "docs/configuration.md documents a key twice, or one too many"
    );
    for row in rows {
        let listed =
            page.split("\n## ").find(|section| section.starts_with("In the repo")).unwrap();
        let shared = row.keys[0].check_shared(&ConfigValue::Bool(true)).is_ok();
        assert_eq!(listed.contains(&format!("`{}`", row.pattern)), shared, "{}", row.pattern);
    }
}

#[test]
fn configuration_page_names_every_old_key() {
    let page = page("configuration.md");
    let old = page.split("\n## ").find(|section| section.starts_with("Old names\n")).unwrap();
    for name in KeyName::all_old() {
        let category = name.as_str().split('.').nth(1).unwrap_or_default();
        let provider = category.split('_').next().unwrap_or_default();
        let names = [
            name.as_str().to_owned(),
            name.as_str().replace(&format!(".{category}."), ".<category>."),
            name.as_str().replace(&format!(".{provider}_"), ".<provider>_"),
        ];
        let is_named = names.iter().any(|name| old.contains(&format!("`{name}`")));
        assert!(is_named, "docs/configuration.md does not name `{}`", name.as_str());
    }
}

#[test]
fn the_page_about_memories_has_every_word() {
    let page = page("memories.md");
    let words = BuiltinType::ALL
        .iter()
        .map(|word| word.as_str())
        .chain(Source::ALL.iter().map(|word| word.as_str()))
        .chain(Scope::ALL.iter().map(|word| word.as_str()))
        .chain(StatusKind::ALL.iter().map(|word| word.as_str()))
        .chain(Review::ALL.iter().map(|word| word.as_str()))
        .chain(Visibility::ALL.iter().map(|word| word.as_str()))
        .chain(Category::ALL.iter().map(|word| word.as_str()))
        .chain(RelationKind::ALL.iter().map(|word| word.as_str()))
        .chain(ObservationType::ALL.iter().map(|word| word.as_str()));
    for word in words {
        assert!(page.contains(&format!("`{word}`")), "docs/memories.md does not name `{word}`");
    }
}

/// Runs the story in a file.
fn run(file: &Path) {
    let sandbox = tempfile::tempdir().unwrap();
    let root = sandbox.path().canonicalize().unwrap();
    let story = root.join(file.file_name().unwrap());
    // The runner takes the directory of this name as the one to work in.
    let project = story.with_extension("in");
    let home = root.join("home");
    fs::create_dir(&project).unwrap();
    let text = fs::read_to_string(file).unwrap();
    let written = text
        .replace(SHOWN_PROJECT, "[CWD]")
        .replace(SHOWN_HOME, "[HOME]")
        .replace(SHOWN_TIME, ANY_TIME);
    fs::write(&story, &written).unwrap();

    let cases = trycmd::TestCases::new();
    cases.case(&story).register_bin("tacit", Path::new(env!("CARGO_BIN_EXE_tacit")));
    for program in PROGRAMS {
        cases.register_bin(program, PathBuf::from(shell(&format!("command -v {program}"))));
    }
    for (name, value) in environment(&home) {
        cases.env(name, value);
    }
    cases.insert_var("[HOME]", home.to_str().unwrap().to_owned()).unwrap();
    cases.insert_var("[BESIDE]", root.to_str().unwrap().to_owned()).unwrap();
    cases.run();

    let now = fs::read_to_string(&story).unwrap();
    if now != written {
        let shown =
            [SHOWN_PROJECT, SHOWN_HOME, SHOWN_TIME].iter().any(|shown| text.contains(shown));
        let now = if shown {
            now.replace("[CWD]", SHOWN_PROJECT)
                .replace("[HOME]", SHOWN_HOME)
                .replace(ANY_TIME, SHOWN_TIME)
        } else {
            now
        };
        fs::write(file, now).unwrap();
    }
}

/// An environment in which every run prints the same. A variable without a value counts as one
/// that is not set.
fn environment(home: &Path) -> Vec<(String, String)> {
    let binary = Path::new(env!("CARGO_BIN_EXE_tacit"));
    let path = format!("{}:{}", binary.parent().unwrap().display(), shell("printf %s \"$PATH\""));
    let mut variables = vec![
        ("PATH".to_owned(), path),
        ("HOME".to_owned(), home.display().to_string()),
        ("TACIT_HOME".to_owned(), home.join("tacit").display().to_string()),
    ];
    for (name, value) in [
        ("TACIT_NOW", "2026-11-15T10:30:00Z"),
        ("TACIT_ID_SEED", "7"),
        ("USER", "ada"),
        ("LC_ALL", "C"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("NO_COLOR", "1"),
        ("COLUMNS", ""),
        ("VISUAL", ""),
        ("EDITOR", ""),
        ("OPENAI_API_KEY", ""),
        ("ANTHROPIC_API_KEY", ""),
        ("TACIT_NESTED", ""),
        ("CLAUDE_CONFIG_DIR", ""),
        ("CLAUDE_PROJECT_DIR", ""),
        ("TACIT_DEBUG", ""),
        ("CLAUDECODE", ""),
        ("CLAUDE_CODE_ENTRYPOINT", ""),
        ("CLAUDE_CODE_SESSION_ID", ""),
        ("CODEX_THREAD_ID", ""),
        ("CODEX_SANDBOX", ""),
        ("QWEN_CODE", ""),
        ("GEMINI_CLI", ""),
        ("COPILOT_CLI", ""),
        ("KILO_PID", ""),
        ("OPENCODE", ""),
        ("CURSOR_AGENT", ""),
        ("AI_AGENT", ""),
        ("TACIT_AGENT", ""),
    ] {
        variables.push((name.to_owned(), value.to_owned()));
    }
    for key in KEYS.iter() {
        let name = format!("TACIT_{}", key.name.replace('.', "_").to_uppercase());
        // Nothing goes on in the background of a transcript.
        let value = if key.name == "maintain.auto" { "false" } else { "" };
        variables.push((name, value.to_owned()));
    }
    variables
}

#[expect(clippy::disallowed_methods, reason = "transcripts are run by a shell")]
fn shell(command: &str) -> String {
    let output = Command::new("sh").args(["-c", command]).output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
