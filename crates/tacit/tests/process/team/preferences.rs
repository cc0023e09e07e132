//! The user's own memories follow the user from machine to machine, and reach no other member.

use super::*;

const KEBAB: &str = "I want file names in kebab case";
const SHORT: &str = "I want answers of at most three sentences";

impl Team {
    /// Creates another machine of a person, with a clone and a home of its own.
    fn second_machine(&self, name: &str) -> Person {
        let person = self.person(name);
        person.run(["team", "join", &person.url]);
        person
    }
}

impl Person {
    fn prefers(&self, text: &str) {
        self.run(["remember", "--global", text, "--type", "preference"]);
    }

    /// Returns the contents of the person's own memories.
    fn preferences(&self) -> Vec<String> {
        contents(&self.run(["list", "--global", "--limit", "1000", "--json"]).json())
    }

    /// Returns the id of the own memory with a word.
    fn preference(&self, word: &str) -> String {
        let listed = self.run(["list", "--global", "--json"]).json();
        let all = listed.as_array().expect("a list");
        let has = |memory: &&Value| memory["content"].as_str().is_some_and(|it| it.contains(word));
        let found = all.iter().find(has).unwrap_or_else(|| panic!("no {word}: {listed}"));
        found["short_id"].as_str().expect("an id").to_owned()
    }

    fn exchanges(&self) -> Value {
        self.run(["team", "pull", "--json"]).json()["preferences"].clone()
    }
}

#[test]
fn own_memories_follow_their_user_to_the_next_machine() {
    let (team, ada, bo) = Team::of_two();
    ada.prefers(KEBAB);
    assert_eq!(ada.exchanges()["given"], 1);
    let laptop = team.second_machine("ada");
    assert_eq!(laptop.preferences(), [KEBAB]);
    laptop.prefers(SHORT);
    // Maintenance exchanges as well.
    laptop.run(["maintain", "--quiet"]);
    ada.run(["maintain", "--quiet"]);
    assert_eq!(ada.preferences(), [SHORT, KEBAB]);

    // What is changed, forgotten, restored and taken back on one machine is so on the other.
    let id = ada.preference("kebab");
    ada.run(["edit", &id, "--content", "I want file names in snake case"]);
    ada.exchanges();
    laptop.exchanges();
    assert_eq!(laptop.preferences(), [SHORT, "I want file names in snake case"]);
    // Not the exchange is undone, but what the user did last.
    laptop.run(["undo", "--global"]);
    laptop.exchanges();
    ada.exchanges();
    assert_eq!(ada.preferences(), ["I want file names in snake case"]);
    laptop.run(["forget", &id]);
    laptop.exchanges();
    ada.exchanges();
    assert_eq!(ada.preferences(), [""; 0]);
    ada.run(["restore", &id]);
    ada.exchanges();
    laptop.exchanges();
    assert_eq!(laptop.preferences(), ["I want file names in snake case"]);
    let again = serde_json::json!({"received": 0, "given": 0, "removed": 0});
    assert_eq!((ada.exchanges(), laptop.exchanges()), (again.clone(), again));

    // A purge leaves nothing of it on the server and on the other machine.
    laptop.run(["forget", &id, "--purge", "--yes"]);
    assert_eq!(laptop.exchanges()["removed"], 1);
    assert_eq!(ada.exchanges()["removed"], 1);
    assert_eq!(ada.preferences(), [""; 0]);
    let snake = "SELECT count(*) FROM tacit.change_items WHERE after LIKE '%snake%'";
    assert_eq!(team.count(snake), 0);

    // Others see none of it, whatever their role in the project.
    ada.run(["team", "add", &bo.login, "--role", "curator"]);
    assert_eq!(bo.exchanges(), Value::Null);
    assert_eq!(bo.preferences(), [""; 0]);
    bo.prefers(KEBAB);
    bo.exchanges();
    assert_eq!((bo.preferences().len(), ada.preferences().len()), (1, 0));
}

#[test]
fn the_later_of_two_versions_wins() {
    let (team, ada, _bo) = Team::of_two();
    ada.prefers(KEBAB);
    ada.exchanges();
    let laptop = team.second_machine("ada");
    let id = ada.preference("kebab");
    ada.run(["edit", &id, "--content", "I want file names in snake case"]);
    laptop.run(["edit", &id, "--content", "I want file names in capitals"]);
    ada.exchanges();
    laptop.exchanges();
    ada.exchanges();
    for machine in [&ada, &laptop] {
        assert_eq!(machine.preferences(), ["I want file names in capitals"]);
    }
    // Nothing is lost: the machine on which it was written knows the other version.
    assert!(ada.run(["history", &id]).stdout.contains("snake case"));
}

#[test]
fn own_memories_stay_at_home_if_the_user_wants_it() {
    let team = Team::new();
    let ada = team.founder();
    ada.run(["config", "set", "database.preferences", "false", "--global"]);
    ada.prefers(KEBAB);
    assert_eq!(ada.exchanges(), Value::Null);
    assert_eq!(team.memories(), 3);
    assert_eq!(ada.status()["preferences"], Value::Null);
    ada.run(["config", "set", "database.preferences", "true", "--global"]);
    assert_eq!(ada.exchanges()["given"], 1);
    assert!(ada.run(["team", "status"]).stdout.contains("no other member can read them"));
    assert_eq!(team.memories(), 4);
}

#[test]
fn an_exchange_that_was_cut_off_anywhere_is_repeated_without_effect() {
    let team = Team::new();
    let ada = team.founder();
    let (proxy, bo) = team.member_behind("bo", "contributor", &ada);
    bo.embeds_nothing();
    let project = "SELECT id FROM tacit.projects WHERE identity LIKE 'user:%'";
    for chunks in 0.. {
        bo.prefers(&format!("I want the wording {chunks} of chapter{chunks}"));
        proxy.cut_after(chunks);
        let pulled = bo.tries(["team", "pull"]);
        proxy.heal();
        bo.forgets_failure();
        bo.run(["team", "pull"]);
        let given =
            team.count(&format!("SELECT count(*) FROM tacit.memories WHERE project = ({project})"));
        assert_eq!((given, bo.preferences().len()), (chunks + 1, chunks + 1));
        let again = serde_json::json!({"received": 0, "given": 0, "removed": 0});
        assert_eq!(bo.exchanges(), again);
        if pulled.code == Some(0) {
            assert!(chunks > 6, "an exchange is more than one message: {chunks}");
            break;
        }
        assert!(chunks < 200, "an exchange needs too many messages");
    }
    let again = "SELECT count(*) FROM (SELECT 1 FROM tacit.change_items i
                 JOIN tacit.projects p ON p.id = i.project WHERE p.identity LIKE 'user:%'
                 GROUP BY i.project, i.memory HAVING count(*) > 1) AS changed_again";
    assert_eq!(team.count(again), 0);
}
