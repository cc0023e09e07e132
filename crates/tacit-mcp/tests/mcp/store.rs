//! `store_memory`: accepted and refused arguments, and its messages.

use serde_json::{Value, json};
use tacit_core::{Review, Source};
use tacit_engine::{StoreAccess, StoreScope};

use crate::{World, ask, id, keep, learning, object, refused, with_client};

const LESSON: &str = "Close the pool before the fork, or sockets leak";

fn with(arguments: Value, changes: Value) -> Value {
    let mut arguments = arguments;
    for (name, value) in object(changes) {
        arguments[name] = value;
    }
    arguments
}

#[test]
fn a_repeated_memory_is_reinforced() {
    let world = World::new();
    with_client(&world, async |client| {
        let (text, value) = ask(&client, "store_memory", learning(LESSON)).await;
        let id = id(&value);
        assert_eq!(text, format!("Stored: A lesson (id: {id})"));
        assert_eq!(value["outcome"], "stored");
        for count in 2..=3 {
            let (text, value) = ask(&client, "store_memory", learning(LESSON)).await;
            let expected = format!("Reinforced: A lesson (id: {id}, observations: {count})");
            assert_eq!(text, expected);
            assert_eq!(
                (&value["outcome"], &value["observations"]),
                (&json!("reinforced"), &json!(count))
            );
        }
        let renamed = with(learning(LESSON), json!({"name": "Another name"}));
        let (text, _) = ask(&client, "store_memory", renamed).await;
        assert_eq!(text, format!("Reinforced: Another name (id: {id}, observations: 4)"));
        let engine = world.engine(StoreAccess::Read(StoreScope::Project));
        let memory = engine.find(&id).expect("a memory").memory;
        let said = &memory.body;
        assert_eq!(said.content.as_str(), LESSON);
        assert_eq!(said.reasoning.as_ref().map(|text| text.as_str()), Some("it was costly"));
        assert_eq!(said.confidence.value(), 0.67);
        assert_eq!(said.origin.source, Source::AgentExplicit);
        assert_eq!(said.origin.sessions.len(), 1);
        assert!(said.origin.generator.is_some() && said.origin.author.is_none());
    });
}

#[test]
fn invalid_arguments_have_prescribed_messages() {
    let too_short = "Learning too short (need at least 20 characters). Please provide more detail.";
    let world = World::new();
    let outside = format!(
        "Error: `/etc/passwd` is outside the project at `{}`; name a file of this project",
        world.places.root.display()
    );
    with_client(&world, async |client| {
        for (changes, expected) in [
            (json!({"name": " "}), "Error: name must be non-empty"),
            (json!({"description": "\n"}), "Error: description must be non-empty"),
            (json!({"reasoning": ""}), "Error: reasoning must be non-empty"),
            (
                json!({"category": "wisdom"}),
                "Error: invalid category 'wisdom'. Must be one of: anti-patterns, heuristics, patterns",
            ),
            (
                json!({"confidence": "invalid"}),
                "Error: invalid confidence 'invalid'. Must be one of: high, medium, low",
            ),
            (json!({"description": "  nineteen letters no  "}), too_short),
            (
                json!({"description": "x".repeat(8_193)}),
                "Error: description: is 8193 bytes long; the limit is 8192",
            ),
            (
                json!({"references": "one"}),
                "Error: `references`: invalid type: string \"one\", expected a sequence",
            ),
            (
                json!({"tone": "kind"}),
                "Error: `tone`: unknown field `tone`, expected one of `name`, `description`, `reasoning`, `category`, `use_when`, `references`, `confidence`, `files`, `type`, `asked`, `global`",
            ),
            (json!({"files": ["/etc/passwd"]}), outside.as_str()),
            (
                json!({"use_when": ["fine", "x".repeat(201)]}),
                "Error: use_when[1]: is 201 characters long; the limit is 200",
            ),
            (
                json!({"use_when": ["a", "b", "c", "d", "e", "f", "g", "h", "i"]}),
                "Error: use_when: has 9 items; the limit is 8",
            ),
        ] {
            let said = refused(&client, "store_memory", with(learning(LESSON), changes)).await;
            assert_eq!(said, expected);
        }
        let said = refused(&client, "store_memory", json!({})).await;
        assert_eq!(said, "Error: missing field `name`");
    });
}

#[test]
fn all_arguments_are_stored() {
    let world = World::new();
    with_client(&world, async |client| {
        let arguments = json!({
            "name": "n".repeat(70), "description": "twenty letters, just",
            "reasoning": "why", "category": "anti-patterns", "references": ["https://example.com"],
            "confidence": "low", "files": ["src/pool.rs"], "type": "decision", "asked": true,
            "use_when": ["checkout times out under load"],
        });
        let id = id(&ask(&client, "store_memory", arguments).await.1);
        let found = world.engine(StoreAccess::ReadBoth).find(&id).expect("a memory");
        let said = &found.memory.body;
        let title = said.title.as_ref().expect("a title").as_str();
        assert_eq!(title, format!("{}...", "n".repeat(57)));
        assert_eq!(found.memory.memory_type().as_str(), "decision");
        assert_eq!(said.category.expect("a category").as_str(), "anti-patterns");
        assert_eq!(said.confidence.value(), 0.33);
        assert_eq!((said.files.len(), said.references.len()), (1, 1));
        let cues: Vec<&str> = said.cues.iter().map(|cue| cue.as_str()).collect();
        assert_eq!(cues, ["checkout times out under load"]);
        let found = ask(&client, "memory_search", json!({"query": "checkout times out"})).await;
        assert!(found.0.contains("twenty letters, just"), "{}", found.0);
        assert!(!found.0.contains("under load"), "a cue is not the memory's text: {}", found.0);
        let whole = ask(&client, "memory_get", json!({"ids": [id]})).await.0;
        assert!(!whole.contains("under load"), "{whole}");
        // That the user asked for it is the agent's word.
        assert_eq!((said.origin.source, said.trust.review), (Source::AgentExplicit, Review::None));
        assert!(said.origin.author.is_none());
    });
}

#[test]
fn the_category_selects_the_type() {
    let world = World::new();
    with_client(&world, async |client| {
        for (category, kind) in
            [("patterns", "pattern"), ("anti-patterns", "gotcha"), ("heuristics", "module_insight")]
        {
            let text = format!("a lesson to be filed under {category}");
            let arguments = with(learning(&text), json!({"category": category}));
            let id = id(&ask(&client, "store_memory", arguments).await.1);
            let found = world.engine(StoreAccess::ReadBoth).find(&id).expect("a memory");
            assert_eq!(found.memory.memory_type().as_str(), kind);
        }
    });
}

#[test]
fn secrets_are_redacted() {
    let world = World::new();
    with_client(&world, async |client| {
        let text = "the deploy key is ghp_0123456789abcdefghijABCDEFGHIJ012345 for now";
        let (said, value) = ask(&client, "store_memory", learning(text)).await;
        assert_eq!(value["redacted"], 1);
        assert!(said.ends_with("\nRedacted 1 secret(s): secrets are never stored."), "{said}");
        let found = world.engine(StoreAccess::ReadBoth).find(&id(&value)).expect("a memory");
        assert!(!found.memory.body.content.as_str().contains("0123456789"));
    });
}

#[test]
fn similar_memories_are_stored_and_linked() {
    with_client(&World::new(), async |client| {
        let first = keep(&client, "The staging server of the shop listens for orders on port 8081 of the blue host in Oslo").await;
        let twin = learning(
            "The staging server of the shop listens for orders on port 8082 of the blue host in Oslo",
        );
        let (text, value) = ask(&client, "store_memory", twin).await;
        assert_eq!(value["resembles"], json!(first));
        assert!(text.ends_with(&format!("\nResembles {first}; both are kept.")), "{text}");
    });
}

#[test]
fn a_global_memory_is_only_proposed() {
    let world = World::new();
    with_client(&world, async |client| {
        let claim = json!({"global": true, "asked": true});
        let arguments = with(learning("I prefer kebab-case file names"), claim);
        let (text, value) = ask(&client, "store_memory", arguments).await;
        let id = id(&value);
        assert_eq!(
            text,
            format!(
                "Stored: A lesson (id: {id})\n\
                 Stands as told by an agent, not confirmed; the user confirms it with \
                 `tacit review confirm {id}`.\n\
                 Kept in this project. For all projects, the user types `/remember --global TEXT`."
            )
        );
        let found = world.engine(StoreAccess::ReadBoth).find(&id).expect("a memory");
        assert_eq!(found.store, StoreScope::Project);
        assert!(found.memory.body.tags.iter().any(|tag| tag.as_str() == "proposed-global"));
    });
}

#[test]
fn silent_captures_are_limited_per_session() {
    let world = World::new();
    world.set("capture.mode", "silent");
    world.set("capture.silent_budget", "2");
    world.in_session("one");
    let spent = "Error: the budget for silent captures of this session is used up (2/2). Propose \
                 the learning to the user; if they agree, store it with `asked: true`";
    for number in 1..=2 {
        // A server that is started anew goes on counting.
        with_client(&world, async |client| {
            let lesson = format!("{LESSON} (case {number} of many)");
            let (text, value) = ask(&client, "store_memory", learning(&lesson)).await;
            let expected = format!("\nSilent captures this session: {number}/2");
            assert!(text.ends_with(&expected), "{text}");
            assert_eq!(value["silent_captures"], json!({"used": number, "budget": 2}));
            if number == 1 {
                // What is known takes nothing.
                let (_, value) = ask(&client, "store_memory", learning(&lesson)).await;
                assert_eq!(value["silent_captures"]["used"], 1);
            }
        });
    }
    with_client(&world, async |client| {
        let third = learning("one more than the budget allows for");
        assert_eq!(refused(&client, "store_memory", third.clone()).await, spent);
        let (_, value) = ask(&client, "store_memory", with(third, json!({"asked": true}))).await;
        assert_eq!((&value["outcome"], value.get("silent_captures")), (&json!("stored"), None));
        world.in_session("two");
        let (_, value) =
            ask(&client, "store_memory", learning("another session, another budget")).await;
        assert_eq!(value["silent_captures"]["used"], 1);
    });
}

#[test]
fn capture_off_allows_only_requested_memories() {
    let world = World::new();
    world.set("capture.mode", "off");
    with_client(&world, async |client| {
        let said = refused(&client, "store_memory", learning(LESSON)).await;
        assert_eq!(
            said,
            "Error: `capture.mode` is `off`: store only what the user asks for, with `asked: true`"
        );
        ask(&client, "store_memory", with(learning(LESSON), json!({"asked": true}))).await;
    });
}

#[test]
fn forgotten_memories_are_not_stored_again() {
    let world = World::new();
    with_client(&world, async |client| {
        let id = keep(&client, LESSON).await;
        let (text, value) = ask(&client, "forget", json!({"id": id, "reason": "untrue"})).await;
        assert_eq!(text, format!("Forgot memory {id}. `tacit restore {id}` brings it back."));
        assert_eq!(value, json!({"message": text, "id": id, "status": "retired"}));
        let (text, _) = ask(&client, "forget", json!({"id": id, "reason": "untrue"})).await;
        assert_eq!(text, format!("Memory {id} was already forgotten."));
        let said = refused(&client, "store_memory", learning(LESSON)).await;
        assert!(said.starts_with("Error: this was forgotten on 2026-11-15T"), "{said}");
        assert!(said.ends_with("(untrue). It was not stored again; ask the user if it should be"));
        for (arguments, expected) in [
            (json!({"id": id}), "Error: missing field `reason`"),
            (json!({"id": id, "reason": " "}), "Error: reason: is empty"),
            (
                json!({"id": "ffffffff", "reason": "x"}),
                "Error: no memory has the id `ffffffff`. Ids are eight hexadecimal digits, as shown by `memory_search`.",
            ),
        ] {
            assert_eq!(refused(&client, "forget", arguments).await, expected);
        }
    });
}

#[test]
fn unknown_symbols_are_reported() {
    let world = World::new();
    world.write("src/pool.rs", "pub struct Pool;\n");
    with_client(&world, async |client| {
        let files = json!({"files": ["src/pool.rs::Pool", "src/pool.rs::Nope"]});
        let (text, value) = ask(&client, "store_memory", with(learning(LESSON), files)).await;
        let id = id(&value);
        let expected = format!(
            "Stored: A lesson (id: {id})\nNote: `src/pool.rs` has no symbol `Nope`; there is `Pool`"
        );
        assert_eq!(text, expected);
    });
}
