//! Private memories, which others find out nothing about.

use tacit_core::{
    Confidence, Draft, Memory, MemoryId, Quotations, SymbolRef, Usefulness, Visibility,
};
use tacit_store::conformance::{at, entry, memory, memory_id, store_all};
use tacit_store::{
    Action, ActionKind, ActivityStore, ChangeQuery, CodeLink, LinkStore, MemoryLinks, MemoryUses,
    Store, TeamRole, TransferTable, VectorModel, VectorSet, VectorStore,
};
use tacit_store_postgres::PostgresStore;

use crate::database::TestDatabase;

fn action(kind: ActionKind) -> Action {
    let actor = "carl".parse().expect("a name");
    Action { kind, at: at(1), actor, reason: None, reverts: None }
}

fn private(number: u8, text: &str) -> Memory {
    let tags = vec!["hoofed".into()];
    let draft =
        Draft { content: text.into(), kind: Some("gotcha".into()), tags, ..Draft::default() };
    let mut body = draft.check(Confidence::HIGH).expect("a valid draft");
    body.visibility = Visibility::Private;
    Memory::new(memory_id(number), body, at(i64::from(number)))
}

fn update(store: &mut PostgresStore, before: &Memory, after: &Memory) {
    let mut transaction = store.begin(action(ActionKind::Edit)).expect("begin");
    transaction.update(before, after).expect("update");
    transaction.index(&after.id, &entry(after)).expect("index");
    transaction.commit().expect("commit");
}

/// Stores a private memory of the contributor `carl` with a tag, a symbol and a vector, and adds the
/// contributor `dora` and the reader `rita`.
fn secrets() -> (PostgresStore, TestDatabase) {
    let database = TestDatabase::with_project();
    let mut carl = database.member("carl", TeamRole::Contributor);
    let secret = private(1, "zebra animal");
    store_all(&mut carl, std::slice::from_ref(&secret));
    let symbol: SymbolRef = "src/zebra.rs::run".parse().expect("a symbol");
    let links = vec![CodeLink { symbol, checksum: 1 }];
    let memory_updated_at = secret.updated_at;
    carl.save_links(&[MemoryLinks { memory: secret.id, memory_updated_at, links }]).expect("links");
    let model = VectorModel { name: "m".into(), dims: 2 };
    carl.add_model(&model).expect("a model");
    let (key, _) = carl.pending(&model, 9).expect("pending").remove(0);
    let set = VectorSet { key, memory_updated_at, pieces: vec![vec![1.0, 0.0]], cues: Vec::new() };
    carl.put_vectors(&model, &[set]).expect("vectors");
    for (name, role) in [("dora", TeamRole::Contributor), ("rita", TeamRole::Reader)] {
        database.member(name, role);
    }
    (carl, database)
}

#[test]
fn keys_do_not_tell_what_is_private() {
    let (_carl, database) = secrets();
    // The answer to a right guess is the answer to a wrong one.
    let word = |word: &str| {
        format!(
            "INSERT INTO tacit.memory_words (project, word, seq, title, body, labels, length, holder)
             VALUES (1, '{word}', 1, 0, 0, 0, 0, '') ON CONFLICT DO NOTHING"
        )
    };
    let mark = |tag: &str| {
        format!(
            "INSERT INTO tacit.memory_marks (project, kind, value, seq, holder)
             VALUES (1, 'tag', '{tag}', 1, '') ON CONFLICT DO NOTHING"
        )
    };
    let link = |path: &str| {
        format!(
            "INSERT INTO tacit.memory_links (project, seq, path, name, checksum, holder)
             VALUES (1, 1, '{path}', 'run', 1, '') ON CONFLICT DO NOTHING"
        )
    };
    for (right, wrong) in [
        (word("zebra"), word("lion")),
        (mark("hoofed"), mark("winged")),
        (link("src/zebra.rs"), link("src/lion.rs")),
    ] {
        let answer = database.ask("dora", &right);
        assert_eq!(answer, database.ask("dora", &wrong), "{right}");
        assert_eq!(answer, Err("23503".into()), "{right}");
    }
}

/// Returns what a reader is told about the rows that a query has come across.
fn rows_met(database: &TestDatabase, settings: &str, query: &str) -> Vec<String> {
    let sql = format!(
        "SET enable_seqscan = off; {settings};
         EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, BUFFERS OFF, FORMAT JSON) {query}"
    );
    let plan = database.ask("rita", &sql).expect("a plan").expect("a row");
    let tells = |line: &&str| {
        ["Removed", "Actual Rows", "Node Type", "Index Name"].iter().any(|word| line.contains(word))
    };
    plan.lines().filter(tells).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn plans_do_not_tell_what_is_private() {
    let (_carl, database) = secrets();
    let hash = "SELECT encode(content_hash, 'hex') FROM tacit.memories";
    let hash = database.ask_superuser(hash).expect("a hash");
    // The plan of a right guess is the plan of a wrong one.
    for (table, right, guess, wrong) in [
        ("memory_words", "word = 'zebra'", "zebra", "llama"),
        ("memory_words", "word = 'zebra' AND seq = 1", "zebra", "llama"),
        ("terms", "term = 'zebra'", "zebra", "llama"),
        ("memory_marks", "kind = 'tag' AND value = 'hoofed'", "hoofed", "winged"),
        ("memory_links", "path = 'src/zebra.rs'", "zebra", "llama"),
        ("memory_links", "seq = 1 AND path = 'src/zebra.rs' AND name = 'run'", "zebra", "llama"),
        ("memories", "content_hash = '\\xHASH'", "HASH", "ab"),
    ] {
        let right = right.replace("HASH", &hash);
        let guess = guess.replace("HASH", &hash);
        for off in ["bitmapscan", "indexscan", "sort"] {
            let settings = format!("SET enable_{off} = off");
            let query = |condition: &str| {
                format!("SELECT 1 FROM tacit.{table} WHERE project = 1 AND {condition}")
            };
            let [told, untold] = [query(&right), query(&right.replace(&guess, wrong))]
                .map(|query| rows_met(&database, &settings, &query));
            assert_eq!(told, untold, "{table} WHERE {right}, without {off}");
        }
    }
    // The index of vectors has none of them.
    let nearest = "SELECT seq FROM tacit.memory_vectors
                   WHERE project = 1 AND model = 1 AND holder = ''
                   ORDER BY (v::vector(2)) <#> '[1,0]'::vector(2) LIMIT 1";
    let told = rows_met(&database, "SET enable_sort = off", nearest).join("\n");
    assert!(told.contains("memory_vectors_1_1"), "{told}");
    let removed = told.lines().filter(|line| line.contains("Removed"));
    assert!(removed.clone().all(|line| line.trim_end_matches(',').ends_with(": 0")), "{told}");
}

#[test]
fn uses_of_private_memories_are_private() {
    let (mut carl, database) = secrets();
    let uses = MemoryUses { memory: memory_id(1), counts: Usefulness::default() };
    carl.set_memory_uses(std::slice::from_ref(&uses)).expect("uses");
    assert_eq!(carl.memory_uses().expect("uses"), [uses]);
    assert_eq!(database.open("dora").memory_uses().expect("uses"), []);
    let sql = "SELECT count(*) FROM tacit.memory_uses";
    assert_eq!(database.ask("dora", sql), Ok(Some("0".into())));
}

/// Copies the memories and the history to another project's store.
fn copy(from: &dyn Store, to: &mut dyn Store) {
    for table in [TransferTable::Memories, TransferTable::Changes] {
        let page = from.transfer_rows(table, None, 99).expect("rows");
        // One at a time: what is known of a memory may be in an earlier page.
        for row in page.rows {
            to.put_rows(&[row], &entry).expect("put");
        }
    }
}

#[test]
fn a_copied_history_shows_the_team_what_the_team_saw() {
    let (_keep, source) = secrets();
    let mut here = source.open("carl");
    let [mut shared, gone] = [private(2, "okapi animal"), private(3, "gnu animal")];
    store_all(&mut here, &[shared.clone(), gone.clone(), memory(4, "plain animal")]);
    // An edit says nothing of who sees the memory.
    for reasoning in ["an okapi is no horse", "an okapi is a giraffe"] {
        let before = shared.clone();
        shared.body.reasoning = reasoning.parse().ok();
        update(&mut here, &before, &shared);
    }
    let before = shared.clone();
    shared.body.visibility = Visibility::Team;
    update(&mut here, &before, &shared);
    let before = shared.clone();
    shared.body.reasoning = "everyone knows".parse().ok();
    update(&mut here, &before, &shared);
    // Undone, it has no row and its history remains.
    let mut transaction = here.begin(action(ActionKind::Undo)).expect("begin");
    transaction.remove(&gone).expect("remove");
    transaction.commit().expect("commit");

    let target = TestDatabase::with_project();
    let mut there = target.open("ada");
    copy(&here, &mut there);
    let query = ChangeQuery { limit: 99, ..ChangeQuery::default() };
    assert_eq!(there.changes(&query).expect("changes"), here.changes(&query).expect("changes"));
    target.member("rita", TeamRole::Reader);
    for text in ["zebra", "gnu", "no horse"] {
        let sql = format!(
            "SELECT count(*) FROM tacit.change_items WHERE concat(before, after) LIKE '%{text}%'"
        );
        assert_eq!(target.ask("rita", &sql), Ok(Some("0".into())), "{text}");
        assert_ne!(target.ask_superuser(&sql).as_deref(), Some("0"), "{text}");
    }
    let rita = target.open("rita");
    let seen: Vec<MemoryId> = rita
        .changes(&query)
        .expect("changes")
        .into_iter()
        .flat_map(|change| change.items.into_iter().map(|item| item.memory))
        .collect();
    assert_eq!(seen, [2, 2, 4].map(memory_id), "since it was shared, and what always was");
}

#[test]
fn a_purge_erases_what_was_said_before_sharing() {
    let (mut carl, database) = secrets();
    let before = private(1, "zebra animal");
    let mut shared = before.clone();
    shared.body.visibility = Visibility::Team;
    update(&mut carl, &before, &shared);
    let mut ada = database.open("ada");
    let mut transaction = ada.begin(action(ActionKind::Purge)).expect("begin");
    transaction.remove(&shared).expect("remove");
    transaction.erase_history(&shared.id).expect("erase");
    transaction.commit().expect("commit");
    let left = "SELECT count(*) FROM tacit.change_items
                WHERE concat(before, after) LIKE '%zebra%'";
    assert_eq!(database.ask_superuser(left).as_deref(), Some("0"));
    // What another person has never shared is not a curator's to erase.
    let mut carl = database.open("carl");
    store_all(&mut carl, &[private(2, "okapi animal")]);
    let id = memory_id(2);
    let hex: String = id.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    let sql = format!("SELECT tacit.erase_history(1, '\\x{hex}')");
    database.ask("ada", &sql).expect("nothing that she sees");
    let kept = "SELECT count(*) FROM tacit.change_items WHERE after LIKE '%okapi%'";
    assert_eq!(database.ask_superuser(kept).as_deref(), Some("1"));
}

#[test]
fn erased_quotations_are_counted_as_they_are_erased() {
    const TEXT: &str = "the staging database is restored every night";
    let (mut carl, database) = secrets();
    // The history of the team, which a contributor does not blank, and the contributor's own.
    let mut ada = database.open("ada");
    let quoting = memory(5, TEXT);
    store_all(&mut ada, std::slice::from_ref(&quoting));
    let after = memory(5, "nothing of it");
    let mut transaction = ada.begin(action(ActionKind::Edit)).expect("begin");
    transaction.update(&quoting, &after).expect("update");
    transaction.commit().expect("commit");
    store_all(&mut carl, &[private(6, TEXT)]);
    update(&mut carl, &private(6, TEXT), &private(6, "nor of that"));
    let mut quotations = Quotations::default();
    quotations.add(TEXT);
    let mut transaction = carl.begin(action(ActionKind::Purge)).expect("begin");
    let erased = transaction.erase_quotes(&quotations).expect("erase");
    transaction.commit().expect("commit");
    let erased: Vec<_> = erased.iter().map(|rows| (rows.table.as_str(), rows.rows)).collect();
    assert_eq!(erased, [("change_items", 2)]);
}
