//! Members who send their own SQL: what they cannot write, and what others notice of what they can.

use serde_json::json;
use tacit_core::{Confidence, Draft, Memory, Quotations, tokenize};
use tacit_store::conformance::{at, memory, store_all};
use tacit_store::{
    Action, ActionKind, ChangeQuery, Filter, ListOrder, ListQuery, SharedStore, Store, TeamRole,
    TextQuery, VectorModel, VectorStore,
};
use tacit_store_postgres::PostgresStore;

use crate::database::TestDatabase;

/// The code of a broken rule about values.
const CHECK: &str = "23514";
/// The code of a missing row.
const MISSING: &str = "23503";
/// The code of a missing right.
const DENIED: &str = "42501";

/// Creates a project with a memory of its curator `ada`, and the contributor `carl`.
fn team() -> (PostgresStore, TestDatabase) {
    let database = TestDatabase::with_project();
    let mut ada = database.open("ada");
    store_all(&mut ada, &[memory(1, "first alpha")]);
    database.member("carl", TeamRole::Contributor);
    (ada, database)
}

/// Checks that a contributor's statement fails with a code.
fn refused(database: &TestDatabase, code: &str, sql: &str) {
    assert_eq!(database.ask("carl", sql), Err(code.into()), "{sql}");
}

fn listed(store: &dyn Store) -> Vec<Memory> {
    let filter = Filter::everything();
    store.list(&ListQuery { filter, order: ListOrder::Oldest, limit: 9, offset: 0 }).expect("list")
}

fn found(store: &dyn Store, words: &str) -> usize {
    let query =
        TextQuery { tokens: tokenize(words), filter: Filter::everything(), limit: 9, newest: None };
    store.search_text(&query).expect("search").len()
}

#[test]
fn numbers_are_not_made_up() {
    let (mut ada, database) = team();
    let change = "INSERT INTO tacit.changes (project, id, holder, at, kind, actor, reverts) VALUES";
    for values in [
        "(1, 9000000000000000000, '', 0, 'edit', 'x', NULL)",
        "(1, 2, '', 0, 'edit', 'x', NULL)",
        "(1, 0, '', 0, 'edit', 'x', NULL)",
        "(1, 1, '', 0, 'undo', 'x', 1)",
        "(1, 1, '', 0, 'undo', 'x', 7)",
        "(1, 1, '', 0, 'vandalise', 'x', NULL)",
        "(1, 1, '', 9000000000000000000, 'edit', 'x', NULL)",
        "(1, 1, '', 0, 'edit', '', NULL)",
    ] {
        refused(&database, CHECK, &format!("{change} {values}"));
    }
    for set in [
        "change = change - 1",
        "memory = memory - 1",
        "change = 9000000000000000000",
        "memory = 9000000000000000000",
    ] {
        refused(&database, CHECK, &format!("UPDATE tacit.counters SET {set}"));
    }
    // A memory with the number that the next one is to get.
    let sql =
        "INSERT INTO tacit.memories (project, seq, id, short, content_hash, type, source, scope,
                   status, review, confidence, created_at, updated_at, access_count,
                   last_accessed_at, doc)
               SELECT project, seq + 1, set_byte(id, 15, 77), short, content_hash, type, source,
                   scope, status, review, confidence, created_at, updated_at, access_count,
                   last_accessed_at, replace(doc, id_text, overlay(id_text PLACING '4d' FROM 35))
               FROM (SELECT *, encode(id, 'hex')::uuid::text AS id_text FROM tacit.memories) AS m";
    refused(&database, CHECK, sql);
    let item = "WITH number AS (UPDATE tacit.counters SET change = change + 1 RETURNING change),
                     opened AS (INSERT INTO tacit.changes (project, id, holder, at, kind, actor)
                                SELECT 1, change, '', 0, 'edit', 'x' FROM number)
                INSERT INTO tacit.change_items (project, change, item, memory, holder, after)
                SELECT 1, change, 1,";
    refused(&database, CHECK, &format!("{item} '\\x00', '', NULL FROM number"));
    let id = "(SELECT id FROM tacit.memories)";
    refused(&database, CHECK, &format!("{item} {id}, '', '[1]' FROM number"));
    refused(&database, "22P02", &format!("{item} {id}, '', 'no JSON' FROM number"));
    // Everybody goes on.
    store_all(&mut ada, &[memory(2, "second alpha")]);
    let delta = ada.delta(0, 9).expect("a delta");
    assert_eq!((delta.memories.len(), delta.upto), (2, 2));
    assert_eq!(ada.changes(&ChangeQuery { limit: 9, ..ChangeQuery::default() }).unwrap().len(), 2);
}

#[test]
fn the_text_of_a_memory_says_what_its_columns_say() {
    let (ada, database) = team();
    let before = listed(&ada);
    let update = "UPDATE tacit.memories SET";
    for (from, to) in [
        ("\"review\":\"auto\"", "\"review\":\"verified\""),
        ("\"id\":\"", "\"id\":\"f"),
        ("\"source\":\"agent_explicit\"", "\"source\":\"user_taught\""),
        ("\"state\":\"active\"", "\"state\":\"retired\""),
        ("\"source\"", "\"visibility\":\"private\",\"source\""),
    ] {
        let count = format!("SELECT count(*) FROM tacit.memories WHERE doc LIKE '%{from}%'");
        let is_there = database.ask("carl", &count) == Ok(Some("1".into()));
        let doc = if is_there {
            format!("replace(doc, '{from}', '{to}')")
        } else {
            // The sample has another value: any other one will do.
            let key = from.split('"').nth(1).expect("a key");
            format!("regexp_replace(doc, '\"{key}\":\"[a-z_]*\"', '\"{key}\":\"rejected\"')")
        };
        let result = database.ask("carl", &format!("{update} doc = {doc}"));
        let refused = matches!(result.as_ref().map_err(String::as_str), Err("23514" | "22P02"));
        assert!(refused, "{from}: {result:?}");
    }
    refused(&database, "22P02", &format!("{update} doc = 'x'"));
    refused(&database, DENIED, &format!("{update} seq = 7"));
    assert_eq!(listed(&ada), before);
    // What may be changed is signed by the server.
    let sql = format!("{update} doc = doc, changed_by = 'ada' RETURNING changed_by");
    assert_eq!(database.ask("carl", &sql), Ok(Some(database.user("carl"))));
}

#[test]
fn unreadable_memories_hide_no_others() {
    let (mut ada, database) = team();
    store_all(&mut ada, &[memory(2, "second alpha")]);
    let sql = "UPDATE tacit.memories SET doc = replace(doc, '\"confidence\":', '\"certainty\":')
               WHERE seq = 1 RETURNING 1";
    assert_eq!(database.ask("carl", sql), Ok(Some("1".into())));
    let readable = [memory(2, "second alpha")];
    assert_eq!(listed(&ada), readable);
    assert_eq!(ada.read(&[readable[0].id, memory(1, "x").id]).expect("read"), readable);
    assert_eq!(found(&ada, "second"), 1);
    let delta = ada.delta(0, 9).expect("a delta");
    assert_eq!((delta.memories.as_slice(), delta.upto), (readable.as_slice(), 2));
    let problems = ada.check(true).expect("a check").problems;
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("cannot be read"), "{problems:?}");
}

#[test]
fn derived_rows_belong_to_a_memory() {
    let (mut ada, database) = team();
    // Words and marks of a memory to come would be in the way of its own.
    for seq in [2, 99] {
        let word = format!(
            "INSERT INTO tacit.memory_words (project, word, seq, title, body, labels,
                            length, holder) VALUES (1, 'alpha', {seq}, 1, 1, 1, 3, '')"
        );
        refused(&database, MISSING, &word);
        let mark = format!(
            "INSERT INTO tacit.memory_marks (project, kind, value, seq, holder)
                            VALUES (1, 'tag', 'x', {seq}, '')"
        );
        refused(&database, MISSING, &mark);
    }
    refused(&database, DENIED, "UPDATE tacit.memory_words SET seq = 99");
    // Counts that no sum can hold.
    let counts = "INSERT INTO tacit.terms (project, term, holder, documents) VALUES";
    refused(&database, CHECK, &format!("{counts} (1, 'beta', '', 9000000000000000000)"));
    let most = format!("{counts} (1, 'gamma', '', 1000000000000) RETURNING 1");
    assert_eq!(database.ask("carl", &most), Ok(Some("1".into())));
    store_all(&mut ada, &[memory(2, "second gamma alpha")]);
    assert_eq!(found(&ada, "gamma"), 1);
}

#[test]
fn vectors_have_the_length_of_their_model() {
    let (mut ada, database) = team();
    let mut carl = database.open("carl");
    let model = VectorModel { name: "m".into(), dims: 3 };
    ada.add_model(&VectorModel { name: "first".into(), dims: 3 }).expect("a model");
    ada.add_model(&model).expect("a second model");
    let mut mine = memory(2, "mine");
    mine.body.visibility = tacit_core::Visibility::Private;
    store_all(&mut carl, &[mine]);
    let vector = |generation: &str, v: &str| {
        let carl = database.user("carl");
        format!(
            "INSERT INTO tacit.memory_vectors (project, model, seq, part, generation, holder, v)
             SELECT 1, o.seq, 2, 0, {generation}, '{carl}', '{v}' FROM tacit.models o
             WHERE o.name = 'm' RETURNING 1"
        )
    };
    refused(&database, MISSING, &vector("1", "[1,2]"));
    ada.activate_model(&model).expect("nothing is in the way");
    // A generation to come is not followed before it is there.
    let sql = vector("9000000000000000000", "[1,2,3]");
    assert_eq!(database.ask("carl", &sql), Ok(Some("1".into())));
    assert_eq!(carl.vectors_since(&model, 0, 9).expect("vectors").generation, 0);
    let models = "UPDATE tacit.models SET";
    refused(&database, CHECK, &format!("{models} generation = 9000000000000000000"));
    refused(&database, CHECK, &format!("{models} dims = 2"));
}

#[test]
fn the_history_is_blanked_and_never_rewritten() {
    let (mut ada, database) = team();
    let quoting = memory(2, "see the staging database of the harbour");
    store_all(&mut ada, &[quoting]);
    let ask = |sql: &str| database.ask("ada", sql);
    let update = "UPDATE tacit.change_items SET";
    let of = "WHERE change = 2 RETURNING 1";
    for set in [
        "after = '{\"content\":\"what ada never said\"}'",
        "after = replace(after, 'staging', 'live')",
        "after = replace(after, 'see the staging database of the harbour', 'live')",
        "after = replace(after, '\"content\"', '\"reasoning\"')",
        "before = '{}'",
    ] {
        assert_eq!(ask(&format!("{update} {set} {of}")), Err(DENIED.into()), "{set}");
    }
    for set in [
        "after = replace(after, 'see the staging database of the harbour', '[purged]')",
        "after = '{}'",
        "after = NULL",
    ] {
        assert_eq!(ask(&format!("{update} {set} {of}")), Ok(Some("1".into())), "{set}");
    }
    assert_eq!(ask(&format!("{update} after = '{{}}' {of}")), Err(DENIED.into()));
    let reason = "UPDATE tacit.changes SET reason = 'another' RETURNING 1";
    assert_eq!(ask(reason), Err(DENIED.into()));
}

#[test]
fn texts_with_null_characters_are_stored_and_blanked() {
    let (mut ada, database) = team();
    let details =
        Some(json!({"odd": "a\0b\\u0000", "quoting": "the staging database is restored"}));
    let kind = Some("team:habit".into());
    let draft = Draft { content: "odd".into(), kind, details, ..Draft::default() };
    let body = draft.check(Confidence::HIGH).expect("a valid draft");
    let odd = Memory::new(memory(2, "x").id, body, at(1));
    store_all(&mut ada, std::slice::from_ref(&odd));
    assert_eq!(ada.read(&[odd.id]).expect("read"), std::slice::from_ref(&odd));
    let mut transaction = ada
        .begin(Action {
            kind: ActionKind::Purge,
            at: at(9),
            actor: "ada".parse().expect("a name"),
            reason: None,
            reverts: None,
        })
        .expect("begin");
    transaction.remove(&odd).expect("remove");
    let mut quotations = Quotations::default();
    quotations.add("the staging database is restored");
    transaction.erase_quotes(&quotations).expect("blanked");
    transaction.commit().expect("commit");
    let left = "SELECT count(*) FROM tacit.change_items WHERE after LIKE '%restored%'";
    assert_eq!(database.ask_superuser(left).as_deref(), Some("0"));
    let kept = "SELECT count(*) FROM tacit.change_items WHERE after LIKE '%odd%'";
    assert_eq!(database.ask_superuser(kept).as_deref(), Some("1"));
}
