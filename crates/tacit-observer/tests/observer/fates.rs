//! The fates of memories that agents were shown: each label, its look-alikes, and each threshold.

use serde_json::{Value, json};
use tacit_core::{Fate, Memory, MemoryId};
use tacit_observer::TaskDefinitions;
use tacit_observer::application::AppTools;
use tacit_observer::fates::{
    CITED_WORDS, COMMAND_CALLS, FILE_CALLS, FLAG_HOURS, Judgement, MAX_GUIDED_FILES, MemoryReport,
    OPPORTUNITY_CALLS, RETRY_CALLS, ReportKind, SessionEvidence, ShownMemory, judge,
};

use crate::script::{Script, at};

const ID: &str = "01a1dec1-b840-7000-8000-000000000001";
const FAILED: &str = "thread 'clock::ticks' panicked at tests/ticks.rs:9:5:\n`now` lost a tick\n\n\
                      test result: FAILED. 2 passed; 1 failed; 0 ignored";
const PASSED: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";

fn memory(fields: &Value) -> Memory {
    let time = "2026-11-15T10:00:00.000Z";
    let mut value = json!({
        "id": ID, "type": "gotcha", "content": "a fact", "confidence": 0.8, "scope": "global",
        "source": "observer_inferred", "review": "needed", "status": {"state": "active"},
        "observations": 2, "created_at": time, "updated_at": time, "access_count": 0,
        "last_accessed_at": time,
    });
    let fields = fields.as_object().expect("fields");
    value.as_object_mut().expect("a memory").extend(fields.clone());
    Memory::from_json(value).expect("a memory")
}

fn about(text: &str, files: &[&str]) -> Memory {
    memory(&json!({"content": text, "related_files": files}))
}

/// The memory of a fix: a line of a file.
fn fix() -> Memory {
    memory(&json!({
        "type": "error_pattern", "content": "`now` lost a tick: `fn now() -> u64 {` was added",
        "related_files": ["src/clock.rs"],
        "details": {
            "fingerprint": "0123456789abcdef",
            "fix": {
                "failing_command": "cargo test", "error": "`now` lost a tick", "failures": 1,
                "resolution": {
                    "files": ["src/clock.rs"],
                    "changes": [{"removed": "fn now() -> u32 {", "added": "fn now() -> u64 {"}],
                },
            },
        },
    }))
}

/// The memory of a command that does not work here.
fn variant() -> Memory {
    memory(&json!({
        "type": "error_pattern", "tags": ["variant", "cheat-sheet"],
        "content": "`python -m pytest` does not work here: use `uv run pytest …`.",
        "details": {
            "fingerprint": "0123456789abcdef",
            "fix": {
                "failing_command": "python -m pytest …", "error": "no module pytest",
                "failures": 1, "resolution": {"commands": ["uv run pytest …"]},
            },
        },
    }))
}

/// An injection: the place of its event in the log, the layer and the agent.
type Place = (usize, &'static str, Option<&'static str>);

fn judged_with(
    script: &Script,
    memory: &Memory,
    places: &[Place],
    reports: &[MemoryReport],
) -> Vec<Option<Judgement>> {
    let shown: Vec<ShownMemory<'_>> = places
        .iter()
        .map(|(place, layer, agent)| {
            let entry = &script.log[*place];
            ShownMemory { event: &entry.id, layer, agent: *agent, at: entry.at, memory }
        })
        .collect();
    let (tasks, app_tools) = (TaskDefinitions::default(), AppTools::default());
    let evidence =
        SessionEvidence { log: &script.log, tasks: &tasks, app_tools: &app_tools, reports };
    let found = judge(&evidence, &shown);
    // Neither the order of the log nor repeated entries matter.
    let log: Vec<_> = script.log.iter().rev().chain(&script.log).cloned().collect();
    let again = judge(&SessionEvidence { log: &log, ..evidence }, &shown);
    assert_eq!(found, again, "judging again gives the same");
    found
}

/// Judges a memory that was shown with an event of the main conversation.
fn fate(script: &Script, memory: &Memory, place: usize) -> Option<Fate> {
    let layer = "session_started";
    judged_with(script, memory, &[(place, layer, None)], &[]).remove(0).map(|found| found.fate)
}

fn looks_around(mut script: Script, calls: usize) -> Script {
    for number in 0..calls {
        script = script.runs("echo", &number.to_string());
    }
    script
}

fn begun() -> Script {
    Script::new("s").starts().says("Return connections earlier.")
}

/// A failed test, at place 2.
fn failed() -> Script {
    begun().fails("cargo test", FAILED)
}

#[test]
fn opening_its_file_is_acting_on_a_memory_unless_something_else_led_there() {
    let limits = about("the drop order depends on the limits", &["src/limits.rs"]);
    let cut = "src/a.rs\n\n[… 900 bytes cut …]\n";
    for (name, script, expected) in [
        ("opened", begun().reads("src/limits.rs"), Some(Fate::ActedOn)),
        ("changed", begun().edits("src/limits.rs", "a", "b"), Some(Fate::ActedOn)),
        ("printed", begun().runs("cat ./src/limits.rs", "8"), Some(Fate::ActedOn)),
        ("another file", begun().reads("src/pool.rs"), Some(Fate::Ignored)),
        (
            "named by the prompt",
            begun().says("See src/limits.rs").reads("src/limits.rs"),
            Some(Fate::Ignored),
        ),
        (
            "named by its name",
            begun().says("See limits.rs").reads("src/limits.rs"),
            Some(Fate::Ignored),
        ),
        (
            "part of a name",
            begun().says("See my-limits.rs").reads("src/limits.rs"),
            Some(Fate::ActedOn),
        ),
        (
            "found",
            begun().searches("MAX", "src/limits.rs:1").reads("src/limits.rs"),
            Some(Fate::Ignored),
        ),
        ("perhaps found", begun().searches("MAX", cut).reads("src/limits.rs"), Some(Fate::Ignored)),
        (
            "in an error",
            begun().fails("make all", "src/limits.rs:1: no").reads("src/limits.rs"),
            Some(Fate::Ignored),
        ),
    ] {
        assert_eq!(fate(&looks_around(script, 5), &limits, 0), expected, "{name}");
    }
    let before = Script::new("s").reads("src/limits.rs").starts().reads("src/limits.rs");
    assert_eq!(fate(&looks_around(before, 5), &limits, 1), Some(Fate::Ignored), "opened before");
    let trigger = begun().edits("src/limits.rs", "a", "b").edits("src/limits.rs", "b", "c");
    assert_eq!(fate(&looks_around(trigger, 5), &limits, 2), Some(Fate::Ignored), "shown for it");
}

#[test]
fn its_file_must_be_opened_soon_and_be_one_of_few() {
    let limits = about("the drop order depends on the limits", &["src/limits.rs"]);
    for (calls, expected) in [
        (FILE_CALLS - 2, Fate::ActedOn),
        (FILE_CALLS - 1, Fate::ActedOn),
        (FILE_CALLS, Fate::Ignored),
    ] {
        let script = looks_around(begun(), calls).reads("src/limits.rs");
        assert_eq!(fate(&looks_around(script, 5), &limits, 0), Some(expected), "{calls} calls");
    }
    for (count, expected) in [
        (MAX_GUIDED_FILES - 1, Fate::ActedOn),
        (MAX_GUIDED_FILES, Fate::ActedOn),
        (MAX_GUIDED_FILES + 1, Fate::Ignored),
    ] {
        let files: Vec<String> = (0..count).map(|number| format!("src/f{number}.rs")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let script = looks_around(begun().reads("src/f0.rs"), 5).answers("Done.");
        assert_eq!(fate(&script, &about("many", &files), 0), Some(expected), "{count} files");
    }
}

#[test]
fn running_its_command_is_acting_on_a_memory_unless_it_was_known() {
    let db = about("Integration tests need `docker compose up -d db` first", &[]);
    let up = "docker compose up -d db";
    for (name, script, expected) in [
        ("run", begun().runs(up, ""), Some(Fate::ActedOn)),
        (
            "run behind others",
            begun().runs("cd api && docker compose up -d db", ""),
            Some(Fate::ActedOn),
        ),
        ("failed", begun().fails(up, "no"), Some(Fate::Ignored)),
        ("another use", begun().runs("docker compose up -d web", ""), Some(Fate::Ignored)),
        (
            "in the prompt",
            begun().says("Start with docker compose up -d db").runs(up, ""),
            Some(Fate::Ignored),
        ),
        (
            "in an output",
            begun().runs("make help", "docker compose up -d db").runs(up, ""),
            Some(Fate::Ignored),
        ),
        ("perhaps in a file", begun().reads("README.md").runs(up, ""), Some(Fate::Ignored)),
        ("in code", begun().reads("src/a.rs").runs(up, ""), Some(Fate::ActedOn)),
    ] {
        let script = looks_around(script, 5).answers("Done.");
        assert_eq!(fate(&script, &db, 0), expected, "{name}");
    }
    let about_to = looks_around(begun().about_to_run(up).runs(up, ""), 5).answers("Done.");
    assert_eq!(fate(&about_to, &db, 2), Some(Fate::Ignored), "shown for this very command");
    let usual = about("Check it with `cargo test`", &[]);
    let script = looks_around(begun().runs("cargo test", PASSED), 5).answers("Done.");
    assert_eq!(fate(&script, &usual, 0), Some(Fate::Ignored), "any agent runs it");
    for (calls, expected) in [
        (COMMAND_CALLS - 2, Fate::ActedOn),
        (COMMAND_CALLS - 1, Fate::ActedOn),
        (COMMAND_CALLS, Fate::Ignored),
    ] {
        let script = looks_around(begun(), calls).runs(up, "").answers("Done.");
        assert_eq!(fate(&script, &db, 0), Some(expected), "{calls} calls before");
    }
}

#[test]
fn a_failure_that_passes_after_the_fix_of_the_memory_was_helped() {
    let right =
        |script: Script| script.edits("src/clock.rs", "fn now() -> u32 {", "fn now() -> u64 {");
    let other = |script: Script| script.edits("src/main.rs", "fn main() {", "fn main() -> u8 {");
    let passes =
        |script: Script| looks_around(script.runs("cargo test", PASSED), 4).answers("Done.");
    for (name, script, expected) in [
        ("its line", passes(right(failed())), Some(Fate::Helped)),
        ("its file", passes(failed().edits("src/clock.rs", "a", "b")), Some(Fate::Helped)),
        ("another file", passes(other(failed())), Some(Fate::Ignored)),
        ("no change", passes(failed()), Some(Fate::Ignored)),
        (
            "fails again first",
            passes(right(failed()).fails("cargo test", FAILED)),
            Some(Fate::ActedOn),
        ),
        (
            "another check",
            looks_around(right(failed()).runs("cargo clippy", ""), 4),
            Some(Fate::ActedOn),
        ),
        (
            "filtered output",
            looks_around(right(failed()).runs("cargo test 2>&1 | tail -5", PASSED), 4),
            Some(Fate::Helped),
        ),
        ("too late to be a fix", passes(failed().runs("cargo test", FAILED)), Some(Fate::Ignored)),
    ] {
        assert_eq!(fate(&script, &fix(), 2), expected, "{name}");
    }
    let named = begun().fails(
        "cargo test",
        "src/clock.rs:1: `now` lost a tick\n\ntest result: FAILED. 0 passed; 1 failed",
    );
    let elsewhere = passes(named.clone().edits("src/clock.rs", "a", "b"));
    assert_eq!(fate(&elsewhere, &fix(), 2), Some(Fate::Ignored), "the error names the file");
    assert_eq!(fate(&passes(right(named)), &fix(), 2), Some(Fate::Helped), "but not the line");
    let unasked = passes(begun().edits("src/clock.rs", "a", "b"));
    assert_eq!(fate(&unasked, &fix(), 0), None, "nothing had failed");
    for (calls, expected) in [
        (RETRY_CALLS - 3, Fate::Helped),
        (RETRY_CALLS - 2, Fate::Helped),
        (RETRY_CALLS - 1, Fate::ActedOn),
    ] {
        let script = looks_around(right(failed()), calls).runs("cargo test", PASSED);
        assert_eq!(fate(&script, &fix(), 2), Some(expected), "{calls} calls between");
    }
}

#[test]
fn a_command_that_replaced_one_that_does_not_work_helped() {
    let no_module = "/usr/bin/python: No module named pytest";
    let failed = || begun().fails("python -m pytest -q", no_module);
    let passed = "== 3 passed in 0.1s ==";
    let works = |script: Script| script.runs("uv run pytest -q", passed);
    for (name, script, place, expected) in [
        ("after the failure", works(failed()), 2, Some(Fate::Helped)),
        ("before it ran", works(begun().about_to_run("python -m pytest")), 2, Some(Fate::Helped)),
        ("at the start", works(begun()), 0, Some(Fate::ActedOn)),
        ("run before", works(works(begun()).fails("python -m pytest -q", no_module)), 3, None),
        (
            "in the prompt",
            works(begun().says("run uv run pytest").fails("python -m pytest", no_module)),
            3,
            None,
        ),
        ("never needed", looks_around(begun(), 9), 0, None),
        (
            "run all the same",
            looks_around(begun().fails("python -m pytest", no_module), 9),
            0,
            Some(Fate::Ignored),
        ),
    ] {
        assert_eq!(fate(&script.answers("Done."), &variant(), place), expected, "{name}");
    }
}

#[test]
fn a_command_that_works_against_the_memory_contradicts_it() {
    let reversed = |script: Script| {
        script
            .fails("uv run pytest", "error: Failed to spawn: `pytest`")
            .runs("python -m pytest", "== 3 passed in 0.1s ==")
    };
    for (name, script, expected) in [
        ("reversed", reversed(begun()), Some(Fate::Contradicted)),
        (
            "only the recommended one failed",
            begun().fails("uv run pytest", "error: Failed to spawn: `pytest`"),
            None,
        ),
        (
            "changed in between",
            begun()
                .fails("uv run pytest", "== 1 failed in 0.1s ==")
                .edits("src/a.py", "a", "b")
                .runs("python -m pytest", "== 3 passed in 0.1s =="),
            None,
        ),
        (
            "elsewhere",
            begun()
                .fails("uv run pytest", "error: Failed to spawn: `pytest`")
                .runs("cd other && python -m pytest", "== 3 passed in 0.1s =="),
            None,
        ),
    ] {
        assert_eq!(fate(&script.answers("Done."), &variant(), 0), expected, "{name}");
    }
}

#[test]
fn an_action_that_works_at_once_contradicts_an_observation() {
    let needs = memory(&json!({
        "type": "e2e_observation",
        "content": "click_by_text on `Start` works only after click_by_text on `Settings`. Before \
                    that it failed (it is disabled).",
        "details": {"observation_type": "precondition", "mcp_tool_used": "click_by_text"},
    }));
    let start = |script: Script| script.calls_app("click_by_text", "Start", "Clicked");
    let settings = |script: Script| script.calls_app("click_by_text", "Settings", "Clicked");
    assert_eq!(fate(&start(begun()), &needs, 0), Some(Fate::Contradicted));
    assert_eq!(fate(&start(settings(begun())), &needs, 0), None, "as it says");
    let earlier = start(settings(Script::new("s")).starts());
    assert_eq!(fate(&earlier, &needs, 1), None, "what it needs was done before it was shown");
}

#[test]
fn words_that_only_the_memory_has_cite_it() {
    let text = "`LeaseGuard` returns connections; `max_idle_secs` and `reap_interval` come from \
                `PoolTuning` by a scheduler";
    let lease = memory(&json!({"type": "module_insight", "content": text}));
    let words = ["LeaseGuard", "max_idle_secs", "reap_interval", "PoolTuning"];
    for (count, expected) in [(CITED_WORDS - 1, Fate::Ignored), (CITED_WORDS, Fate::Cited)] {
        let message = format!("It is {}.", words[..count].join(", "));
        let script = looks_around(begun(), 5).answers(&message);
        assert_eq!(fate(&script, &lease, 0), Some(expected), "{count} words");
    }
    let five = format!("It is {} of the scheduler.", words.join(", "));
    let said = words.join(" ");
    for (name, script, expected) in [
        ("more", looks_around(begun(), 5).answers(&five), Fate::Cited),
        (
            "a plan for a helper",
            looks_around(begun().delegates(&said), 5).answers("x"),
            Fate::Cited,
        ),
        (
            "a commit",
            looks_around(begun().runs(&format!("git commit -m '{said}'"), ""), 5).answers("x"),
            Fate::Cited,
        ),
        ("in the prompt", looks_around(begun().says(&said), 5).answers(&said), Fate::Ignored),
        (
            "in an output",
            looks_around(begun().runs("echo", &said), 5).answers(&said),
            Fate::Ignored,
        ),
        ("in code", looks_around(begun().edits("a.rs", "", &said), 5).answers("x"), Fate::Ignored),
    ] {
        assert_eq!(fate(&script, &lease, 0), Some(expected), "{name}");
    }
    let with_file = memory(&json!({"content": text, "related_files": ["src/lease.rs"]}));
    let read = begun().says("See src/lease.rs").reads("src/lease.rs");
    let script = looks_around(read, 5).answers(&said);
    assert_eq!(fate(&script, &with_file, 0), Some(Fate::Ignored), "its file has the words");
}

#[test]
fn naming_its_id_cites_a_memory() {
    let (lease, id) = (about("a fact", &[]), ID.parse::<MemoryId>().expect("an id").short());
    let script = looks_around(begun(), 1).answers(&format!("As {id} says, it is a fact."));
    assert_eq!(fate(&script, &lease, 0), Some(Fate::Cited));
    let asked = begun().says(&format!("What does {id} say?"));
    let script = looks_around(asked, 5).answers(&format!("{id} says a fact."));
    assert_eq!(fate(&script, &lease, 0), Some(Fate::Ignored), "the user named it");
}

#[test]
fn the_guard_helped_if_the_agent_did_something_else() {
    let danger = memory(&json!({
        "content": "Never run `make wipe` here: it deletes the database", "tags": ["danger"],
    }));
    let stopped = || begun().about_to_run("make wipe");
    for layer in ["guard", "guard_asked"] {
        for (name, script, expected) in [
            ("something else", stopped().runs("cargo clean", ""), Some(Fate::Helped)),
            ("an answer", stopped().answers("I left it."), Some(Fate::Helped)),
            ("all the same", stopped().runs("make wipe", ""), Some(Fate::Ignored)),
            ("in another line", stopped().runs("cd x; make wipe -B", ""), Some(Fate::Ignored)),
            ("nothing", stopped(), None),
        ] {
            let found = judged_with(&script, &danger, &[(2, layer, None)], &[]).remove(0);
            assert_eq!(found.map(|found| found.fate), expected, "{layer}: {name}");
        }
    }
    let unused = looks_around(begun(), 20).answers("Done.");
    assert_eq!(fate(&unused, &danger, 0), None, "a warning succeeds if nothing happens");
    assert_eq!(fate(&unused.runs("make wipe", ""), &danger, 0), Some(Fate::Ignored));
}

#[test]
fn without_an_opportunity_there_is_no_fate() {
    let fact = about("a fact", &[]);
    for (calls, expected) in [
        (OPPORTUNITY_CALLS - 1, None),
        (OPPORTUNITY_CALLS, Some(Fate::Ignored)),
        (OPPORTUNITY_CALLS + 1, Some(Fate::Ignored)),
    ] {
        let script = looks_around(begun(), calls).answers("Done.");
        assert_eq!(fate(&script, &fact, 0), expected, "{calls} calls");
    }
    let silent = looks_around(begun(), 9);
    assert_eq!(fate(&silent, &fact, 0), None, "the client reports no messages");
    let limits = about("a fact", &["src/limits.rs"]);
    assert_eq!(fate(&silent, &limits, 0), None, "nor any files");
    let reads = looks_around(begun().reads("src/a.rs"), 9);
    assert_eq!(fate(&reads, &limits, 0), Some(Fate::Ignored), "files would have shown it");
    for kind in ["preference", "dead_end"] {
        let details = json!({
            "approach_tried": "x", "why_it_failed": "y", "alternative_used": "z", "task_context": "t",
        });
        let mut fields = json!({"type": kind});
        if kind == "dead_end" {
            fields["details"] = details;
        }
        let rule = memory(&fields);
        let script = looks_around(begun(), 20).answers("Done.");
        assert_eq!(fate(&script, &rule, 0), None, "following a {kind} leaves no trace");
    }
    let script = looks_around(begun(), 9).answers("Done.");
    let unknown = ShownMemory {
        event: "gone",
        layer: "session_started",
        agent: None,
        at: at(0),
        memory: &fact,
    };
    let (tasks, app_tools) = (TaskDefinitions::default(), AppTools::default());
    let evidence =
        SessionEvidence { log: &script.log, tasks: &tasks, app_tools: &app_tools, reports: &[] };
    assert_eq!(judge(&evidence, &[unknown]), [None], "the log has no such event");
}

#[test]
fn each_agent_and_each_context_is_judged_by_itself() {
    let limits = about("the drop order depends on the limits", &["src/limits.rs"]);
    let start = "session_started";
    let main = (0, start, None);
    let helper = looks_around(begun(), 1)
        .in_subagent(Some("a"))
        .reads("src/limits.rs")
        .reports("The limits are in order.")
        .in_subagent(None);
    let helper = looks_around(helper, 5).answers("Done.");
    let fates = |script: &Script, places: &[Place]| -> Vec<Option<Fate>> {
        let found = judged_with(script, &limits, places, &[]);
        found.into_iter().map(|found| found.map(|found| found.fate)).collect()
    };
    assert_eq!(
        fates(&helper, &[main]),
        [Some(Fate::Ignored)],
        "a helper's use is not the main agent's"
    );
    let both = [main, (2, "subagent_started", Some("a"))];
    assert_eq!(fates(&helper, &both)[1], Some(Fate::ActedOn), "the helper was shown it too");
    let compacted = looks_around(begun(), 2).compacts().reads("src/limits.rs");
    let compacted = looks_around(compacted, 5).answers("Done.");
    assert_eq!(fates(&compacted, &[main]), [None], "forgotten before it could be used");
    assert_eq!(
        fates(&compacted, &[main, (5, start, None)]),
        [None, Some(Fate::ActedOn)],
        "shown again after the compaction"
    );
    let again = looks_around(begun(), 6).says("More.").reads("src/limits.rs").answers("Done.");
    assert_eq!(
        fates(&again, &[main, (8, "prompt_submitted", None)]),
        [Some(Fate::Ignored), Some(Fate::ActedOn)],
        "the later injection is the one that was used"
    );
}

#[test]
fn reports_about_a_memory_decide_its_fate() {
    let limits = about("the drop order depends on the limits", &["src/limits.rs"]);
    let script = looks_around(begun().reads("src/limits.rs"), 5).answers("Done.");
    let shown = script.log[0].at;
    let report = |kind, hours: f64| MemoryReport {
        memory: ID.parse().expect("an id"),
        at: shown.plus_days(hours / 24.0),
        kind,
        why: "somebody said so".into(),
    };
    for (kind, hours, expected) in [
        (ReportKind::Flagged, 0.1, Fate::Flagged),
        (ReportKind::Flagged, FLAG_HOURS - 0.1, Fate::Flagged),
        (ReportKind::Flagged, FLAG_HOURS + 0.1, Fate::ActedOn),
        (ReportKind::Flagged, -0.1, Fate::ActedOn),
        (ReportKind::Superseded, 0.1, Fate::Contradicted),
        (ReportKind::Superseded, -0.1, Fate::ActedOn),
        (ReportKind::Used, 0.1, Fate::ActedOn),
    ] {
        let reports = [report(kind, hours)];
        let found = judged_with(&script, &limits, &[(0, "session_started", None)], &reports);
        let found = found[0].as_ref().expect("a fate");
        assert_eq!(found.fate, expected, "{kind:?} after {hours} hours");
    }
    let unused = looks_around(begun(), 9).answers("Done.");
    let reports = [report(ReportKind::Used, 0.1)];
    let found = judged_with(&unused, &limits, &[(0, "session_started", None)], &reports);
    assert_eq!(found[0].as_ref().map(|found| found.fate), Some(Fate::Cited), "the agent said so");
}
