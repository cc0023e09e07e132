//! The life of memories over 400 days, driven by a simulated clock through `tacit maintain`.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use tacit_testkit::env::{RunOutput, TestEnv};

use super::{bare, files};
use crate::hooks::Agent;

/// A repository whose clock the test sets, in days since 2026-01-01.
struct Project {
    env: TestEnv,
}

fn time(day: u32) -> String {
    let start: tacit_core::Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
    start.plus_days(f64::from(day)).to_string()
}

impl Project {
    fn new(files: &[&str]) -> Project {
        let env = bare();
        for file in files {
            let path = env.project().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, format!("// the file {file}\n")).expect("a file");
        }
        env.git(&env.project(), &["add", "."]);
        env.git(&env.project(), &["commit", "-q", "-m", "files"]);
        env.run(["init", "--no-hooks", "--no-scan"]).succeeded();
        Project { env }
    }

    fn command(&self, day: u32) -> Command {
        let mut command = self.env.command();
        command.env("TACIT_NOW", time(day)).env("TACIT_EMBEDDING_PROVIDER", "off");
        command
    }

    fn run(&self, day: u32, arguments: &[&str]) -> RunOutput {
        let output = self.command(day).args(arguments).output().expect("it starts");
        RunOutput::from(output).succeeded()
    }

    fn maintain(&self, day: u32) -> Value {
        self.run(day, &["maintain", "--json"]).json()[0]["run"].clone()
    }

    /// Imports memories as they are; each content is unique and names its memory in the test.
    fn import(&self, memories: &[(&str, Value)]) {
        let mut lines = vec![json!({"format": "tacit-export", "version": 1}).to_string()];
        for (number, (content, fields)) in memories.iter().enumerate() {
            let mut memory = json!({
                "id": format!("01a1dec1-b840-7000-aa3d-{:012x}", (number + 1) << 32 | number),
                "type": "gotcha", "content": content, "confidence": 0.9, "scope": "global",
                "source": "agent_explicit", "review": "none", "status": {"state": "active"},
                "observations": 1, "created_at": time(0), "updated_at": time(0),
                "access_count": 0, "last_accessed_at": time(0),
            });
            for (name, field) in fields.as_object().expect("fields") {
                memory[name] = field.clone();
            }
            lines.push(memory.to_string());
        }
        let file = self.env.root().join("life.jsonl");
        fs::write(&file, lines.join("\n") + "\n").expect("a file");
        self.run(0, &["import", file.to_str().expect("a path"), "--trust"]);
    }

    /// Returns the state of every memory by its content.
    fn states(&self, day: u32) -> BTreeMap<String, String> {
        let listed =
            self.run(day, &["list", "--status", "all", "--limit", "1000", "--json"]).json();
        let listed = listed.as_array().expect("a list").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        listed.map(|one| (text(&one["content"]), text(&one["status"]["state"]))).collect()
    }

    fn memory(&self, content: &str) -> Value {
        let listed = self.run(0, &["list", "--status", "all", "--limit", "1000", "--json"]).json();
        let mut listed = listed.as_array().expect("a list").iter();
        listed.find(|one| one["content"] == content).expect("it is there").clone()
    }

    fn commit(&self, arguments: &[&str], message: &str) {
        self.env.git(&self.env.project(), arguments);
        self.env.git(&self.env.project(), &["commit", "-q", "-a", "-m", message]);
    }
}

fn unit(name: &str) -> Value {
    json!({"methodology": "native", "hierarchy": [name], "label": name})
}

fn dead_end() -> Value {
    json!({
        "approach_tried": "a cache", "why_it_failed": "too slow", "alternative_used": "none",
        "task_context": "speed",
    })
}

fn recipe() -> Value {
    json!({
        "task_pattern": "add a handler", "success_count": 3, "last_validated_at": time(0),
        "steps": [{"order": 1, "description": "write it"}],
    })
}

/// The fields of memories that leave by their own rule.
fn leaving() -> Vec<(&'static str, Value)> {
    vec![
        ("a note of one session", json!({"scope": "session", "session": "s"})),
        (
            "a state of the work",
            json!({
                "type": "work_state", "scope": "work_unit", "work_unit": unit("spec_1"),
                "details": {"methodology_state": {}},
            }),
        ),
        ("a recipe nobody follows", json!({"type": "workflow_recipe", "details": recipe()})),
        ("a weak rule", json!({"confidence": 0.15})),
        ("an approach given up", json!({"type": "dead_end", "details": dead_end()})),
        (
            "an insight from a commit",
            json!({
                "type": "module_insight", "source": "commit_auto",
                "related_files": ["src/old.rs"],
            }),
        ),
    ]
}

#[test]
fn every_rule_happens_on_its_day_and_not_before() {
    let project = Project::new(&["src/old.rs", "src/new.rs"]);
    let mut memories = leaving();
    memories.push(("a rule that stays", json!({})));
    let safe: Vec<(String, Value)> = leaving()
        .into_iter()
        .map(|(content, mut fields)| {
            fields["review"] = json!("verified");
            (format!("{content}, verified"), fields)
        })
        .collect();
    memories.extend(safe.iter().map(|(content, fields)| (content.as_str(), fields.clone())));
    project.import(&memories);

    // The state on a day, after maintenance on that day.
    let expected = [
        ("a note of one session", vec![(6, "active"), (7, "retired"), (36, "retired")]),
        ("a note of one session", vec![(37, "archived"), (126, "archived"), (127, "")]),
        ("a state of the work", vec![(15, "active"), (16, "retired")]),
        ("a recipe nobody follows", vec![(59, "active"), (60, "retired")]),
        ("a weak rule", vec![(59, "active"), (60, "retired"), (90, "archived"), (180, "")]),
        ("an approach given up", vec![(195, "active"), (196, "retired")]),
        ("an insight from a commit", vec![(100, "active"), (101, "retired")]),
        ("a rule that stays", vec![(0, "active"), (400, "active")]),
    ];
    let mut days: Vec<u32> =
        expected.iter().flat_map(|(_, states)| states.iter().map(|(day, _)| *day)).collect();
    days.sort_unstable();
    days.dedup();
    for day in days {
        if day == 101 {
            project.commit(&["rm", "-q", "src/old.rs"], "no longer needed");
        }
        let planned = project.run(day, &["maintain", "--dry-run", "--json"]).json();
        let planned = planned[0]["steps"].as_array().expect("a list").len();
        let before = project.states(day);
        project.maintain(day);
        let states = project.states(day);
        let is_new = |(name, state): &(&String, &String)| before.get(*name) != Some(*state);
        let changed = states.iter().filter(is_new).count();
        let purged = before.len() - states.len();
        let stale = if day == 101 { 1 } else { 0 };
        assert_eq!(planned, changed + purged + stale, "the preview of day {day}");
        for (name, moments) in &expected {
            for (_, state) in moments.iter().filter(|(moment, _)| *moment == day) {
                let found = states.get(*name).map_or("", String::as_str);
                assert_eq!(found, *state, "{name} on day {day}");
            }
        }
        for (name, _) in &safe {
            assert_eq!(states.get(name).map(String::as_str), Some("active"), "{name} on day {day}");
        }
        // A second run on the same day has nothing to do.
        let again = project.maintain(day);
        let steps = again["steps"].as_array().expect("steps").iter();
        let prune = steps.filter(|step| step["step"] == "prune memories").collect::<Vec<_>>();
        assert!(prune.len() == 1 && prune[0]["counts"].is_null(), "{again}");
        assert_eq!(project.states(day), states, "day {day}");
    }
}

#[test]
fn retired_memories_can_be_restored_and_stay() {
    let project = Project::new(&["src/a.rs"]);
    project.import(&[("a weak rule", json!({"confidence": 0.15}))]);
    project.maintain(60);
    let retired = project.memory("a weak rule");
    assert_eq!(retired["status"]["state"], "retired");
    let why = "its confidence is below 0.2, and it was not used for 60 days";
    assert_eq!(retired["status"]["reason"], why);
    let id = retired["id"].as_str().expect("an id");
    let history = project.run(60, &["history", id, "--json"]).json().to_string();
    assert!(history.contains(why) && history.contains("\"tacit\""), "{history}");

    project.run(60, &["undo"]);
    assert_eq!(project.memory("a weak rule")["status"]["state"], "active");
    project.maintain(61);
    assert_eq!(project.memory("a weak rule")["status"]["state"], "active", "a person wants it");

    // What a person forgets is never purged.
    project.run(61, &["forget", id, "--reason", "no longer wanted"]);
    project.maintain(400);
    assert_eq!(project.memory("a weak rule")["status"]["state"], "retired");
}

#[test]
fn purges_of_maintenance_keep_backups_that_cannot_be_rewritten() {
    let project = Project::new(&["src/a.rs"]);
    project.import(&[("a weak rule of the old importer", json!({"confidence": 0.15}))]);
    project.maintain(60);
    project.maintain(90);
    let backups = files(&project.env.store().join("backups"));
    assert!(!backups.is_empty());
    for backup in &backups {
        fs::write(backup, "no database").expect("a backup");
    }
    project.maintain(180);
    let left = project.run(180, &["list", "--status", "all"]).stdout;
    assert!(!left.contains("a weak rule"), "{left}");
    assert!(backups.iter().any(|backup| backup.exists()), "{backups:?}");
}

#[test]
fn deleted_files_make_memories_stale_until_they_come_back() {
    let project = Project::new(&["src/pool.rs", "src/other.rs"]);
    let remember = |text: &str, file: &str| {
        project.run(0, &["remember", text, "--type", "gotcha", "--file", file]);
    };
    remember("Close the pool before the fork", "src/pool.rs");
    remember("The other file is generated", "src/other.rs");
    let opens = |session: &str, file: &str| {
        let agent = Agent::new(&project.env, session).with("TACIT_NOW", time(1));
        agent.has_used("Read", file).context.unwrap_or_default()
    };
    assert!(opens("one", "src/pool.rs").contains("Close the pool"));

    project.commit(&["rm", "-q", "src/pool.rs"], "one pool is enough");
    // Hooks look before maintenance does.
    fs::write(project.env.project().join("src/new.rs"), "").expect("a file");
    let start = Agent::new(&project.env, "two").with("TACIT_NOW", time(1)).starts("startup");
    let start = start.context.unwrap_or_default();
    assert!(!start.contains("Close the pool"), "{start}");
    assert!(start.contains("The other file"), "{start}");

    // A query looks too, and changes nothing.
    let shown = project.run(1, &["recall", "close the pool"]).stdout;
    assert!(shown.contains("[STALE — file no longer exists]"), "{shown}");
    let shown = project.run(1, &["recall", "the other file"]).stdout;
    assert!(!shown.contains("[STALE"), "{shown}");
    assert!(project.memory("Close the pool before the fork")["stale_at"].is_null());

    let preview = project.run(1, &["maintain", "--dry-run"]).stdout;
    assert!(preview.contains("project: 1 memory would change\n  mark stale "), "{preview}");
    assert!(preview.contains("`src/pool.rs` was deleted in "), "{preview}");
    assert!(project.memory("Close the pool before the fork")["stale_at"].is_null());
    project.maintain(1);
    let stale = project.memory("Close the pool before the fork");
    assert_eq!(stale["stale_kind"], "file_missing");
    let why = stale["stale_why"].as_str().expect("a reason");
    assert!(why.starts_with("`src/pool.rs` was deleted in "), "{why}");
    let id = stale["short_id"].as_str().expect("an id");
    for arguments in [&["recall", "close the pool"][..], &["show", id]] {
        let shown = project.run(1, arguments).stdout;
        assert!(shown.contains("[STALE — file no longer exists]"), "{shown}");
    }
    let listed = project.run(1, &["list"]).stdout;
    assert!(listed.contains("[STALE"), "{listed}");

    project.env.git(&project.env.project(), &["revert", "--no-edit", "HEAD"]);
    project.maintain(2);
    assert!(project.memory("Close the pool before the fork")["stale_at"].is_null());
    assert!(opens("three", "src/pool.rs").contains("Close the pool"));
}

#[test]
fn renamed_files_are_followed_and_not_missing() {
    let project = Project::new(&["src/pool.rs"]);
    let text = "Close the pool before the fork";
    project.run(0, &["remember", text, "--type", "gotcha", "--file", "src/pool.rs"]);
    project.commit(&["mv", "src/pool.rs", "src/pools.rs"], "a better name");
    let preview = project.run(1, &["maintain", "--dry-run"]).stdout;
    assert!(preview.contains("no memory would change"), "{preview}");
    project.maintain(1);
    let found = project.memory(text);
    assert_eq!(found["related_files"], json!(["src/pools.rs"]));
    assert!(found["stale_at"].is_null());
}

#[test]
fn confirmed_memories_let_go_of_missing_files() {
    let project = Project::new(&["src/pool.rs", "src/other.rs"]);
    let text = "Close the pool before the fork";
    project.run(0, &["remember", text, "--type", "gotcha", "--file", "src/pool.rs"]);
    project.commit(&["rm", "-q", "src/pool.rs"], "one pool is enough");
    project.maintain(1);
    let id = project.memory(text)["short_id"].as_str().expect("an id").to_owned();
    project.run(1, &["review", "confirm", &id]);
    project.maintain(2);
    let found = project.memory(text);
    assert!(found["stale_at"].is_null() && found["related_files"].is_null(), "{found}");
}

#[test]
fn memories_of_a_unit_are_archived_when_it_is_merged_and_closed() {
    let project = Project::new(&["src/a.rs"]);
    let root = project.env.project();
    project.import(&[
        ("a note of spec 1", json!({"scope": "work_unit", "work_unit": unit("spec_1")})),
        ("a note of spec 2", json!({"scope": "work_unit", "work_unit": unit("spec_2")})),
    ]);
    let state = |name: &str| project.memory(name)["status"]["state"].clone();
    project.env.git(&root, &["checkout", "-q", "-b", "work"]);
    project.run(1, &["work", "start", "spec_1"]);
    fs::write(root.join("src/a.rs"), "// changed\n").expect("a file");
    project.env.git(&root, &["commit", "-q", "-a", "-m", "work"]);
    project.maintain(1);
    assert_eq!(state("a note of spec 1"), "active", "it goes on");
    project.run(2, &["work", "finish", "spec_1", "--summary", "it is done"]);
    project.maintain(2);
    assert_eq!(state("a note of spec 1"), "active", "it is not merged");
    project.env.git(&root, &["checkout", "-q", "main"]);
    project.env.git(&root, &["merge", "-q", "--no-ff", "-m", "merge", "work"]);
    project.maintain(3);
    assert_eq!(state("a note of spec 1"), "archived");
    assert_eq!(state("a note of spec 2"), "active");
    project.maintain(92);
    assert_eq!(state("a note of spec 1"), "archived");
    project.maintain(93);
    assert!(!project.states(93).contains_key("a note of spec 1"), "it is purged");
    let history = project.run(93, &["history", "--json"]).json().to_string();
    assert!(history.contains("its unit of work is merged and closed"), "{history}");
}

#[test]
fn a_squash_merge_closes_a_unit_although_its_branch_is_kept() {
    let project = Project::new(&["src/a.rs"]);
    let root = project.env.project();
    project.import(&[(
        "a note of spec 1",
        json!({"scope": "work_unit", "work_unit": unit("spec_1")}),
    )]);
    let state = || project.memory("a note of spec 1")["status"]["state"].clone();
    project.env.git(&root, &["checkout", "-q", "-b", "work"]);
    project.run(1, &["work", "start", "spec_1"]);
    for text in ["// changed\n", "// changed again\n"] {
        fs::write(root.join("src/a.rs"), text).expect("a file");
        project.env.git(&root, &["commit", "-q", "-a", "-m", "work"]);
    }
    project.run(2, &["work", "finish", "spec_1", "--summary", "it is done"]);
    project.env.git(&root, &["checkout", "-q", "main"]);
    project.maintain(3);
    assert_eq!(state(), "active", "it is not merged");
    project.env.git(&root, &["merge", "-q", "--squash", "work"]);
    project.env.git(&root, &["commit", "-q", "-m", "spec 1 (#4)"]);
    fs::write(root.join("src/a.rs"), "// something else\n").expect("a file");
    project.env.git(&root, &["commit", "-q", "-a", "-m", "later"]);
    project.maintain(4);
    assert_eq!(state(), "archived");
}

#[test]
fn doubt_spreads_to_what_was_derived() {
    let project = Project::new(&["src/a.rs"]);
    let source = "01a1dec1-b840-7000-aa3d-000100000000";
    let relation = json!([{
        "target": {"memory": source}, "kind": "derived_from", "confidence": 1.0,
        "auto_extracted": false,
    }]);
    project.import(&[
        ("the source of it all", json!({"source": "observer_inferred"})),
        ("a conclusion", json!({"source": "observer_inferred", "relations": relation})),
    ]);
    project.maintain(1);
    assert!(project.memory("a conclusion")["derived_confidence"].is_null());
    project.run(1, &["review", "flag", source, "--wrong"]);
    project.maintain(2);
    let derived = &project.memory("a conclusion")["derived_confidence"];
    assert_eq!(*derived, json!(0.75), "0.9 and 0.45 with half the weight");
    assert_eq!(project.memory("a conclusion")["confidence"], json!(0.9));
    let changes = |day| project.run(day, &["history", "--json"]).json().to_string().len();
    let before = changes(2);
    project.maintain(3);
    assert_eq!(changes(3), before, "a second run changes nothing");
}

#[test]
fn killed_runs_continue_with_the_steps_that_were_not_done() {
    let project = Project::new(&["src/a.rs"]);
    let mut command = project.command(1);
    command.args(["maintain"]).env("TACIT_PANIC_AT", "maintain:embed");
    assert!(!command.output().expect("it starts").status.success());
    let file = project.env.store().join("maintain-report.json");
    let mut report: Value =
        serde_json::from_slice(&fs::read(&file).expect("a report")).expect("JSON");
    let names = |report: &Value| -> Vec<String> {
        let steps = report["steps"].as_array().expect("steps").iter();
        steps.map(|step| step["step"].as_str().expect("a name").to_owned()).collect()
    };
    let all = names(&report);
    assert!(report["finished_at"].is_string() && all.contains(&"prune memories".to_owned()));
    // As a process leaves it that is killed in its third step.
    report["finished_at"] = Value::Null;
    report["steps"].as_array_mut().expect("steps").truncate(2);
    fs::write(&file, report.to_string()).expect("a file");
    let run = project.maintain(2);
    let mut expected = all[2..].to_vec();
    expected.extend_from_slice(&all[..2]);
    assert_eq!(names(&run), expected);
    for command in [&["status"][..], &["doctor"]] {
        let shown = project.command(2).args(command).output().expect("it starts");
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert!(shown.contains("maintained") && shown.contains("just now"), "{shown}");
        let json = project.command(2).args(command).arg("--json").output().expect("it starts");
        let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
        assert_eq!(names(&json["maintenance"]["project"]), expected);
    }
}

#[test]
fn memories_keep_the_phase_in_which_they_were_learnt() {
    let project = Project::new(&["src/a.rs"]);
    project.run(0, &["work", "phase", "validate"]);
    project.run(0, &["remember", "The check needs a display", "--type", "gotcha"]);
    let found = project.memory("The check needs a display");
    assert_eq!(found["phase"], "validate");
    let id = found["short_id"].as_str().expect("an id");
    assert!(project.run(0, &["show", id]).stdout.contains("phase        validate"));
}
