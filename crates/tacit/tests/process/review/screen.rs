//! The full-screen review, driven by keys.

use std::fs;

use tacit_testkit::env::TestEnv;

use super::tmux::TestTerminal;
use super::{memories, told_by_agent};
use crate::initialised;

const SIZE: (u16, u16) = (100, 30);
const FACTS: [&str; 4] = [
    "Close the pool before the fork",
    "Names of new files are written in kebab case",
    "The importer needs a token of the staging shop",
    "Run the linter twice before a release",
];

fn project() -> TestEnv {
    let env = initialised();
    told_by_agent(&env, &FACTS);
    env
}

#[test]
fn keys_decide_about_one_memory_after_the_other_and_undo_takes_all_back() {
    let env = project();
    let before = memories(&env);
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    terminal.line("tacit review");
    let first = terminal.shows("Review: 1 of 4");
    for part in [
        "told by an agent, not confirmed",
        FACTS[3],
        "type        gotcha",
        "source      agent_explicit, 90%",
        "learnt      ",
        "y confirm  e edit  n reject",
    ] {
        assert!(first.contains(part), "{part}:\n{first}");
    }
    for (key, message, title) in [
        ("y", "confirmed", "2 of 4"),
        ("n", "rejected", "3 of 4"),
        ("w", "flagged as wrong", "4 of 4"),
        ("o", "flagged as outdated", "the end"),
    ] {
        terminal.press(&[key]);
        terminal.wait(message, |screen| screen.contains(message) && screen.contains(title));
    }
    assert!(terminal.screen().contains("1 confirmed, 1 rejected, 2 flagged, 0 left"));
    // Everything is stored already, and nothing waits again.
    let queue = env.run(["review", "--list", "--json"]).succeeded().json();
    assert_eq!(queue.as_array().map(Vec::len), Some(0), "{queue}");
    for message in ["outdated", "wrong", "rejected", "confirmed"] {
        terminal.press(&["u"]);
        terminal.wait(message, |screen| {
            screen.lines().any(|row| row.starts_with("undone: ") && row.ends_with(message))
        });
    }
    terminal.press(&["u"]);
    terminal.shows("nothing to undo");
    terminal.press(&["q"]);
    terminal.shows("Nothing was decided.");
    terminal.is_restored();
    assert_eq!(memories(&env), before);
}

#[test]
fn the_original_of_a_duplicate_is_chosen_from_the_nearest() {
    let env = initialised();
    told_by_agent(&env, &["Run the linter twice before a release"]);
    let original = ["remember", "Before a release, run the linter two times", "--type", "gotcha"];
    env.run(original).succeeded();
    let before = memories(&env);
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    terminal.line("tacit review");
    terminal.shows("Review: 1 of 1");
    terminal.press(&["d"]);
    let choices = terminal.shows("Duplicate of which memory?");
    assert!(choices.contains("Before a release, run the linter two times"), "{choices}");
    assert!(choices.contains("a number chooses, any other key goes back"), "{choices}");
    terminal.press(&["x"]);
    terminal.shows("no original chosen; nothing changed");
    assert_eq!(memories(&env), before);
    terminal.press(&["d"]);
    terminal.shows("Duplicate of which memory?");
    terminal.press(&["1"]);
    terminal.shows("flagged as a duplicate");
    assert_ne!(memories(&env), before);
    terminal.press(&["u"]);
    terminal.shows("undone: flagged as a duplicate");
    assert_eq!(memories(&env), before);
    terminal.press(&["d"]);
    terminal.shows("Duplicate of which memory?");
    terminal.press(&["1", "q"]);
    terminal.shows("1 flagged");
    let queue = env.run(["review", "--list"]).succeeded().stdout;
    assert_eq!(queue, "Nothing to review.\n");
    let retired = env.run(["list", "--status", "retired"]).succeeded().stdout;
    assert!(retired.contains("Run the linter twice"), "{retired}");
}

#[test]
fn a_decision_is_one_change_that_undo_takes_back() {
    let env = project();
    let before = memories(&env);
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    terminal.line("tacit review");
    terminal.shows("Review: 1 of 4");
    terminal.press(&["s", "y"]);
    terminal.shows("Review: 3 of 4");
    terminal.press(&["q"]);
    terminal.shows("1 confirmed; `tacit undo` undoes the last change.");
    assert_ne!(memories(&env), before);
    env.run(["undo"]).succeeded();
    assert_eq!(memories(&env), before);
}

#[test]
fn an_editor_changes_the_text_and_undo_takes_that_back() {
    let env = project();
    let before = memories(&env);
    let terminal = TestTerminal::open(&env, SIZE, &[("VISUAL", "sed -i s/linter/formatter/")]);
    terminal.line("tacit review");
    terminal.shows("Review: 1 of 4");
    terminal.press(&["e"]);
    terminal.shows("edited; y confirms it");
    terminal.shows("Run the formatter twice before a release");
    terminal.press(&["y"]);
    terminal.shows("Review: 2 of 4");
    terminal.press(&["u", "u"]);
    terminal.shows("undone: the edit");
    terminal.shows(FACTS[3]);
    terminal.press(&["C-c"]);
    terminal.shows("Nothing was decided.");
    terminal.is_restored();
    assert_eq!(memories(&env), before);
}

#[test]
fn a_missing_editor_is_told_and_the_review_goes_on() {
    let env = project();
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    terminal.line("tacit review");
    terminal.shows("Review: 1 of 4");
    terminal.press(&["e"]);
    terminal.shows("set $EDITOR");
    terminal.press(&["?"]);
    terminal.shows("outdated: it no longer holds");
    terminal.press(&["x"]);
    terminal.shows("Review: 1 of 4");
    terminal.press(&["q"]);
    terminal.is_restored();
}

#[test]
fn the_screen_follows_the_size_of_the_terminal() {
    let env = initialised();
    let long: String = (1..=40).map(|number| format!("Step {number} of the release. ")).collect();
    told_by_agent(&env, &[&long]);
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    terminal.line("tacit review");
    terminal.shows("Review: 1 of 1");
    terminal.resize(40, 10);
    let small = terminal.shows("more rows below");
    assert!(small.lines().count() <= 10 && small.contains("y e n s w o d u q ?"), "{small}");
    terminal.press(&["PageDown", "PageDown"]);
    terminal.shows("Step 25");
    terminal.press(&["End"]);
    terminal.wait("the last row", |screen| screen.contains("never") && !screen.contains("below"));
    terminal.press(&["Home"]);
    terminal.shows("Step 1 of");
    terminal.resize(8, 3);
    terminal.wait("a tiny screen", |screen| screen.starts_with(" Review"));
    terminal.resize(120, 40);
    terminal.shows("q quit  ? help");
    terminal.press(&["q"]);
    terminal.is_restored();
}

#[test]
fn wide_and_control_characters_are_harmless() {
    let env = initialised();
    // Storing removes the control characters; those that change the direction stay.
    told_by_agent(&env, &["漢字の説明 \u{1b}[2J\u{1b}]0;owned\u{7} \u{202e}end of 測試"]);
    let terminal = TestTerminal::open(&env, (60, 20), &[]);
    terminal.line("tacit review");
    let screen = terminal.shows("Review: 1 of 1");
    assert!(screen.contains("漢字の説明 [2J]0;owned <U+202E>end of 測試"), "{screen}");
    assert_ne!(terminal.property("pane_title"), "owned");
    terminal.press(&["q"]);
    terminal.is_restored();
}

#[test]
fn the_terminal_is_restored_whatever_ends_the_review() {
    let env = project();
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    // A panic.
    terminal.line("TACIT_PANIC_AT=review:shown tacit review");
    terminal.shows("this is a bug in tacit: failpoint review:shown");
    terminal.is_restored();
    for signal in ["TERM", "INT", "HUP"] {
        terminal.line("clear");
        terminal.line("sh -c 'echo $$ > pid; exec tacit review'; echo \"code $?\"");
        terminal.shows("Review: 1 of 4");
        let pid = fs::read_to_string(env.project().join("pid")).expect("a process");
        let kill = format!("kill -{signal} {}", pid.trim());
        let killed = env.command_for("sh").args(["-c", &kill]).output().expect("a shell");
        assert!(killed.status.success(), "{killed:?}");
        match signal {
            "TERM" => drop(terminal.shows("code 143")),
            "HUP" => drop(terminal.shows("code 129")),
            // The shell gives up the rest of the line.
            _ => {}
        }
        terminal.is_restored();
    }
    // Ctrl-C is a key here.
    terminal.line("clear");
    terminal.line("tacit review");
    terminal.shows("Review: 1 of 4");
    terminal.press(&["C-c"]);
    terminal.shows("Nothing was decided.");
    terminal.is_restored();
}

#[test]
fn a_review_ends_with_its_terminal() {
    let env = project();
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    terminal.line("sh -c 'echo $$ > pid; exec tacit review'");
    terminal.shows("Review: 1 of 4");
    let pid = fs::read_to_string(env.project().join("pid")).expect("a process");
    drop(terminal);
    let process = std::path::PathBuf::from(format!("/proc/{}", pid.trim()));
    for _ in 0..600 {
        if !process.exists() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    panic!("the review goes on without a terminal");
}

#[test]
fn a_dumb_terminal_is_asked_line_by_line() {
    let env = project();
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    terminal.line("TERM=dumb tacit review");
    terminal.shows("1 of 4 [y/e/n/s/w/o/d/u/q/?]");
    terminal.line("y");
    terminal.shows("2 of 4 [y/e/n/s/w/o/d/u/q/?]");
    terminal.line("q");
    terminal.shows("1 confirmed; `tacit undo` undoes the last change.");
    assert_eq!(terminal.property("alternate_on"), "0");
}

#[test]
fn a_pasted_text_decides_nothing() {
    let env = project();
    let before = memories(&env);
    let terminal = TestTerminal::open(&env, SIZE, &[]);
    terminal.line("tacit review");
    terminal.shows("Review: 1 of 4");
    terminal.paste("nnnn");
    terminal.press(&["x"]);
    terminal.shows("unknown key");
    assert!(terminal.screen().contains("Review: 1 of 4"));
    terminal.press(&["q"]);
    terminal.is_restored();
    assert_eq!(memories(&env), before);
}
