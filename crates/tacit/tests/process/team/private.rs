//! A private memory is seen by its owner alone.

use super::*;

const SECRET: &str = "The quetzal tables belong to Mia, ask her before you touch them";
const ABOUT_SECRET: &str = "may I touch the quetzal tables that belong to Mia?";

#[test]
fn private_memories_are_invisible_to_others() {
    let (team, ada, bo) = Team::of_two();
    let kept = ada.run(["remember", "--private", SECRET]).stdout;
    assert!(kept.contains("private: only you see it\n"), "{kept}");
    let late = ada.run(["remember", "--private", NAMES]).stdout;
    assert!(late.contains("cannot become private"), "{late}");
    assert_eq!(team.memories(), 4);
    let found = ada.run(["recall", "quetzal", "--json"]).json();
    let id = found[0]["short_id"].as_str().expect("the owner sees it").to_owned();
    assert!(ada.is_shown("owner", ABOUT_SECRET).contains(SECRET));
    assert!(ada.run(["history"]).stdout.contains("quetzal"));

    let hidden = |person: &Person, what: &str| {
        for command in [
            &["recall", "quetzal tables Mia"][..],
            &["recall", "quetzal", "--json"],
            &["list", "--status", "all", "--json"],
            &["history", "--json"],
            &["history"],
            &["export", "--status", "all"],
            &["status", "--json"],
            &["review", "--json"],
        ] {
            let ran = person.env.run(command);
            person.keeps_secrets(&ran);
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(!said.contains("quetzal tables belong"), "{what} {command:?}: {said}");
        }
        for command in [&["show", &id][..], &["history", &id], &["edit", &id, "--content", "x"]] {
            let ran = person.env.run(command);
            assert_eq!(ran.code, Some(3), "{what} {command:?}: {ran:?}");
        }
        let shown = person.is_shown(what, ABOUT_SECRET);
        assert!(!shown.contains("quetzal"), "{what}: {shown}");
        // Nor in any file of the machine.
        for file in crate::files(&person.env.store()) {
            let bytes = fs::read(&file).unwrap_or_default();
            let found = bytes.windows(14).any(|window| window == b"quetzal tables".as_slice());
            let asked = bytes.windows(11).any(|window| window == b"may I touch".as_slice());
            assert!(!found || asked, "{what}: {}", file.display());
        }
    };
    hidden(&bo, "contributor");
    bo.run(["team", "pull"]);
    hidden(&bo, "pulled");
    ada.run(["team", "add", &bo.login, "--role", "curator"]);
    hidden(&bo, "curator");

    // Shown to the team from now on. It cannot be taken back from those who have seen it.
    ada.run(["edit", &id, "--visibility", "team"]);
    assert!(bo.is_shown("shared", ABOUT_SECRET).contains(SECRET));
    let refused = ada.tries(["edit", &id, "--visibility", "private"]).failed(7);
    assert!(refused.stderr.contains("the team has seen this memory"), "{refused:?}");
}
