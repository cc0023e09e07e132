//! The rights of readers, contributors and curators, which the server enforces.

use tacit_core::{Memory, Reasoning, Visibility, tokenize};
use tacit_store::TeamRole;
use tacit_store::conformance::{at, entry, memory, store_all};
use tacit_store::{
    Action, ActionKind, ChangeQuery, CodeLink, Filter, LinkStore, ListOrder, ListQuery,
    MemoryLinks, SharedStore, Store, StoreError, TextQuery, VectorModel, VectorSet, VectorStore,
};
use tacit_store_postgres::{PostgresStore, add_own_project, add_project};

use crate::database::{PROJECT, TIMEOUTS, TestDatabase, settings};

fn action(kind: ActionKind) -> Action {
    let actor = "ada".parse().expect("a name");
    Action { kind, at: at(1), actor, reason: Reasoning::new("secretly").ok(), reverts: None }
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

fn is_denied<T>(result: &Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Denied { .. }))
}

fn purge(store: &mut PostgresStore, memory: &Memory) -> Result<(), StoreError> {
    let mut transaction = store.begin(action(ActionKind::Purge))?;
    transaction.remove(memory)?;
    transaction.erase_history(&memory.id)?;
    transaction.commit().map(drop)
}

#[test]
fn readers_read_and_do_not_write() {
    let database = TestDatabase::with_project();
    let kept = memory(1, "the team knows this");
    store_all(&mut database.open("ada"), std::slice::from_ref(&kept));
    let mut reader = database.member("rita", TeamRole::Reader);
    assert_eq!(reader.role(), TeamRole::Reader);
    assert_eq!(listed(&reader), std::slice::from_ref(&kept));
    assert_eq!(found(&reader, "team"), 1);
    assert!(is_denied(&reader.begin(action(ActionKind::Remember)).map(drop)));
    reader.record_access(&[kept.id], at(9)).expect("counts nothing");
    assert_eq!(listed(&reader)[0].usage.access_count, 0);
    // Nor past the client.
    for sql in [
        "INSERT INTO tacit.requests (project, name, at) VALUES (1, 'r', 0)",
        "INSERT INTO tacit.terms VALUES (1, 'word', '', 1)",
        "INSERT INTO tacit.members VALUES (1, session_user, 'curator')",
        "SELECT tacit.set_member(1, session_user::name, 'curator')",
    ] {
        assert_eq!(database.ask("rita", sql), Err("42501".into()), "{sql}");
    }
    for sql in [
        "UPDATE tacit.memories SET doc = '' RETURNING 1",
        "DELETE FROM tacit.memories RETURNING 1",
        "UPDATE tacit.counters SET memory = 0 RETURNING 1",
    ] {
        assert_eq!(database.ask("rita", sql), Ok(None), "{sql}");
    }
}

#[test]
fn contributors_write_but_neither_purge_nor_change_members() {
    let database = TestDatabase::with_project();
    let mut carl = database.member("carl", TeamRole::Contributor);
    let mine = memory(1, "what carl found");
    store_all(&mut carl, std::slice::from_ref(&mine));
    store_all(&mut database.open("ada"), &[memory(2, "what ada found")]);
    assert!(is_denied(&purge(&mut carl, &mine)));
    assert!(is_denied(&carl.set_member(&database.user("carl"), TeamRole::Curator)));
    assert!(is_denied(&carl.remove_member(&database.user("ada"))));
    assert_eq!(listed(&carl).len(), 2);
    // The history of others is not blanked either.
    let mut transaction = carl.begin(action(ActionKind::Purge)).expect("begin");
    assert!(is_denied(&transaction.erase_history(&memory(2, "x").id)));
    drop(transaction);
    let mut ada = database.open("ada");
    purge(&mut ada, &mine).expect("a curator purges");
    assert_eq!(listed(&ada).len(), 1);
    assert_eq!(found(&ada, "carl"), 0);
}

#[test]
fn only_curators_review_memories_of_others() {
    let database = TestDatabase::with_project();
    let kept = memory(1, "to be reviewed");
    store_all(&mut database.open("ada"), std::slice::from_ref(&kept));
    let mut carl = database.member("carl", TeamRole::Contributor);
    let reviewed = |store: &mut PostgresStore| {
        let mut after = kept.clone();
        after.body.trust.review = "rejected".parse().or("needed".parse()).expect("a review");
        let mut transaction = store.begin(action(ActionKind::Edit))?;
        transaction.update(&kept, &after)?;
        transaction.commit().map(drop)
    };
    assert!(is_denied(&reviewed(&mut carl)));
    reviewed(&mut database.open("ada")).expect("a curator reviews");
}

#[test]
fn private_memories_are_seen_by_their_owner_alone() {
    let database = TestDatabase::with_project();
    let mut carl = database.member("carl", TeamRole::Contributor);
    let secret = private(memory(1, "zebra animal"));
    store_all(&mut carl, std::slice::from_ref(&secret));
    store_all(&mut carl, &[memory(2, "plain animal")]);
    assert_eq!(listed(&carl).len(), 2);
    assert_eq!(found(&carl, "zebra"), 1);
    assert_eq!(carl.count_terms(&["zebra", "animal"]).expect("terms").documents, [1, 2]);
    assert_eq!(carl.delta(0, 9).expect("a delta").memories.len(), 2);

    let ada = database.open("ada");
    assert_eq!(listed(&ada).len(), 1);
    assert_eq!(ada.read(&[secret.id]).expect("read"), []);
    assert_eq!(found(&ada, "zebra"), 0);
    let counts = ada.count_terms(&["zebra", "animal"]).expect("terms");
    assert_eq!((counts.memories, counts.documents), (1, vec![0, 1]));
    assert_eq!(ada.terms_with_prefix("z", 9).expect("terms"), []);
    let query = ChangeQuery { limit: 9, ..ChangeQuery::default() };
    assert_eq!(ada.changes(&query).expect("changes").len(), 1);
    let delta = ada.delta(0, 9).expect("a delta");
    assert_eq!((delta.memories.len(), delta.removed.len()), (1, 0));
    // No table has a row that another person sees.
    let model = VectorModel { name: "m".into(), dims: 2 };
    carl.add_model(&model).expect("a model");
    let (key, pending) = carl.pending(&model, 9).expect("pending").pop().expect("a memory");
    assert_eq!(pending, secret);
    let memory_updated_at = secret.updated_at;
    let set = VectorSet { key, memory_updated_at, pieces: vec![vec![1.0, 0.0]], cues: Vec::new() };
    carl.put_vectors(&model, &[set]).expect("vectors");
    carl.add_model(&VectorModel { name: "another".into(), dims: 2 }).expect("a queue");
    let symbol = "src/zebra.rs::run".parse().expect("a symbol");
    let links = vec![CodeLink { symbol, checksum: 1 }];
    carl.save_links(&[MemoryLinks { memory: secret.id, memory_updated_at, links }]).expect("links");
    for table in [
        "memories",
        "memory_marks",
        "memory_words",
        "terms",
        "text_totals",
        "changes",
        "change_items",
        "memory_links",
        "memory_vectors",
        "vector_queue",
    ] {
        let sql = format!("SELECT count(*) FROM tacit.{table} WHERE holder <> ''");
        assert_eq!(database.ask("ada", &sql), Ok(Some("0".into())), "{table}");
        assert_ne!(database.ask("carl", &sql), Ok(Some("0".into())), "{table}");
    }
    purge(&mut database.open("ada"), &secret).expect_err("a curator does not see it");
    purge(&mut carl, &secret).expect("an owner purges what is private");
    assert_eq!(found(&carl, "zebra"), 0);
    assert_eq!(carl.count_terms(&["zebra"]).expect("terms").documents, [0]);
}

#[test]
fn private_items_of_a_shared_change_stay_private() {
    let database = TestDatabase::with_project();
    let mut carl = database.member("carl", TeamRole::Contributor);
    let mine = private(memory(1, "zebra animal"));
    store_all(&mut carl, std::slice::from_ref(&mine));
    let mut after = mine.clone();
    after.observations = 7;
    let mut transaction = carl.begin(action(ActionKind::Edit)).expect("begin");
    transaction.update(&mine, &after).expect("update");
    transaction.insert(&memory(2, "for all")).expect("insert");
    transaction.commit().expect("commit");
    let query = ChangeQuery { limit: 9, ..ChangeQuery::default() };
    let seen = database.open("ada").changes(&query).expect("changes");
    let items: Vec<_> = seen.iter().flat_map(|change| &change.items).collect();
    assert_eq!(items.iter().map(|item| item.memory).collect::<Vec<_>>(), [memory(2, "x").id]);
    assert_eq!(carl.changes(&query).expect("changes")[0].items.len(), 2);
}

#[test]
fn a_member_cannot_write_in_the_name_of_another() {
    let database = TestDatabase::with_project();
    database.member("carl", TeamRole::Contributor);
    store_all(&mut database.open("ada"), &[memory(1, "by ada")]);
    let ada = database.user("ada");
    for sql in [
        format!(
            "INSERT INTO tacit.requests (project, name, owner, at) VALUES (1, 'r', '{ada}', 0)"
        ),
        format!(
            "INSERT INTO tacit.changes (project, id, owner, holder, at, kind, actor)
             VALUES (1, 99, '{ada}', '', 0, 'edit', 'ada')"
        ),
        format!(
            "INSERT INTO tacit.agent_sessions (project, owner, id, client, started_at, last_at)
             VALUES (1, '{ada}', 's', 'c', 0, 0)"
        ),
        "UPDATE tacit.memories SET owner = session_user".to_owned(),
        "UPDATE tacit.memories SET visibility = 'private'".to_owned(),
        format!("INSERT INTO tacit.memory_words VALUES (1, 'w', 1, 1, 1, 1, 3, '{ada}')"),
    ] {
        assert_eq!(database.ask("carl", &sql), Err("42501".into()), "{sql}");
    }
    // An item of a change of another violates the key of the change.
    let sql = "INSERT INTO tacit.change_items (project, change, item, memory, holder)
               SELECT 1, 1, 99, id, '' FROM tacit.memories";
    assert_eq!(database.ask("carl", sql), Err("23503".into()));
    // The history is not rewritten, and nothing of it is deleted.
    let sql = "UPDATE tacit.changes SET kind = 'purge'";
    assert_eq!(database.ask("ada", sql), Err("42501".into()));
    assert_eq!(database.ask("ada", "DELETE FROM tacit.changes"), Err("42501".into()));
}

#[test]
fn other_projects_are_invisible() {
    let database = TestDatabase::with_project();
    store_all(&mut database.open("ada"), &[memory(1, "of the first project")]);
    let olga = settings(&database.create_user("olga"));
    database.run(&format!("GRANT tacit_member TO {}", database.user("olga")));
    add_project(&olga, TIMEOUTS, "github.com/other/app", "other").expect("a project");
    let open = |identity: &str| PostgresStore::open(&olga, identity, TIMEOUTS);
    let other = open("github.com/other/app").expect("a store");
    assert!(listed(&other).is_empty());
    assert!(is_denied(&open(PROJECT).map(drop)));
    assert!(matches!(open("nowhere").map(drop), Err(StoreError::Missing { .. })));
    for table in ["memories", "memory_words", "changes", "members", "projects"] {
        let sql = match table {
            "projects" => "SELECT count(*) FROM tacit.projects WHERE id = 1".to_owned(),
            table => format!("SELECT count(*) FROM tacit.{table} WHERE project = 1"),
        };
        assert_eq!(database.ask("olga", &sql), Ok(Some("0".into())), "{table}");
    }
    // Adding a project that exists gives no role in it.
    add_project(&olga, TIMEOUTS, PROJECT, "taken").expect("nothing");
    assert!(is_denied(&open(PROJECT).map(drop)));
}

#[test]
fn logins_that_bypass_row_level_security_are_detected() {
    let database = TestDatabase::with_project();
    assert!(!database.open("ada").membership().expect("a member").is_unbound);
    let superuser = database.superuser();
    let name = superuser.user().to_owned();
    database.open("ada").set_member(&name, TeamRole::Reader).expect("a member");
    let store = PostgresStore::open(&superuser, PROJECT, TIMEOUTS).expect("a store");
    assert!(store.membership().expect("a member").is_unbound);
    // The owner of the tables sees all rows, and so does who inherits its rights.
    let ada = database.user("ada");
    for (inherits, expected) in [("FALSE", false), ("TRUE", true)] {
        database.run(&format!("GRANT tacit_owner TO {ada} WITH INHERIT {inherits}"));
        assert_eq!(database.open("ada").membership().expect("a member").is_unbound, expected);
    }
}

#[test]
fn a_users_own_project_has_no_other_members() {
    let database = TestDatabase::with_project();
    database.member("carl", TeamRole::Contributor);
    let [ada, carl] = ["ada", "carl"].map(|name| database.settings_of(name));
    let own = add_own_project(&ada, TIMEOUTS).expect("a project");
    assert_eq!(own, format!("user:{}", database.user("ada")));
    assert_eq!(add_own_project(&ada, TIMEOUTS).expect("the same"), own);
    let mut store = PostgresStore::open(&ada, &own, TIMEOUTS).expect("a store");
    store_all(&mut store, &[memory(1, "for one pair of eyes")]);
    assert!(is_denied(&store.set_member(&database.user("carl"), TeamRole::Reader)));
    assert!(is_denied(&PostgresStore::open(&carl, &own, TIMEOUTS).map(drop)));
    // Nobody creates it before its user does.
    let theirs = format!("user:{}", database.user("carl"));
    assert!(is_denied(&add_project(&ada, TIMEOUTS, &theirs, "mine")));
    add_project(&carl, TIMEOUTS, &theirs, "mine").expect("their own");
}

#[test]
fn curators_keep_the_members() {
    let database = TestDatabase::with_project();
    let mut ada = database.open("ada");
    let name = database.user("ada");
    assert!(is_denied(&ada.remove_member(&name)), "the last curator stays");
    assert!(is_denied(&ada.set_member(&name, TeamRole::Reader)));
    assert!(is_denied(&ada.set_member("nobody at all", TeamRole::Reader)));
    database.member("carl", TeamRole::Reader);
    let carl = database.user("carl");
    let members = ada.members().expect("members");
    let roles: Vec<_> = members.iter().map(|member| (member.name.as_str(), member.role)).collect();
    assert_eq!(roles, [(name.as_str(), TeamRole::Curator), (carl.as_str(), TeamRole::Reader)]);
    assert!(ada.remove_member(&carl).expect("removed"));
    assert!(!ada.remove_member(&carl).expect("gone"));
    assert!(is_denied(
        &PostgresStore::open(&database.settings_of("carl"), PROJECT, TIMEOUTS).map(drop)
    ));
}

#[test]
fn every_table_has_row_level_security_and_no_function_is_public() {
    let database = TestDatabase::with_project();
    let open = "SELECT string_agg(relname, ' ' ORDER BY relname) FROM pg_class
                WHERE relnamespace = 'tacit'::regnamespace AND relkind IN ('r', 'p')
                AND NOT relrowsecurity";
    assert_eq!(database.ask_superuser(open).as_deref(), Some("schema_version"));
    let public = "SELECT string_agg(proname, ' ') FROM pg_proc, aclexplode(coalesce(
                      proacl, acldefault('f', proowner))) AS acl
                  WHERE pronamespace = 'tacit'::regnamespace AND acl.grantee = 0";
    assert_eq!(database.ask_superuser(public), None);
    let unsafe_path = "SELECT string_agg(proname, ' ') FROM pg_proc
                       WHERE pronamespace = 'tacit'::regnamespace AND prosecdef AND NOT coalesce(
                           proconfig::text LIKE '%search_path=tacit, pg_temp%', false)";
    assert_eq!(database.ask_superuser(unsafe_path), None);
    let owner = "SELECT string_agg(DISTINCT rolname, ' ') FROM pg_class c
                 JOIN pg_roles r ON r.oid = c.relowner WHERE relnamespace = 'tacit'::regnamespace";
    assert_eq!(database.ask_superuser(owner).as_deref(), Some("tacit_owner"));
}

#[test]
fn a_private_memory_can_be_shared_and_stays_shared() {
    let database = TestDatabase::with_project();
    let mut carl = database.member("carl", TeamRole::Contributor);
    let mine = private(memory(1, "zebra animal"));
    store_all(&mut carl, std::slice::from_ref(&mine));
    let shared = memory(1, "zebra animal");
    let change = |store: &mut PostgresStore, before: &Memory, after: &Memory| {
        let mut transaction = store.begin(action(ActionKind::Edit))?;
        transaction.update(before, after)?;
        transaction.index(&after.id, &entry(after))?;
        transaction.commit().map(drop)
    };
    change(&mut carl, &mine, &shared).expect("its owner shares it");
    let ada = database.open("ada");
    assert_eq!(found(&ada, "zebra"), 1);
    assert_eq!(ada.count_terms(&["zebra"]).expect("terms").documents, [1]);
    assert_eq!(ada.delta(0, 9).expect("a delta").memories.len(), 1);
    // What was said before it was shared stays with its owner.
    let query = ChangeQuery { limit: 9, ..ChangeQuery::default() };
    assert_eq!(ada.changes(&query).expect("changes").len(), 1);
    assert!(is_denied(&change(&mut carl, &shared, &mine)));
    let check = ada.check(true).expect("a check");
    assert_eq!(check.problems, Vec::<String>::new());
}

fn private(mut memory: Memory) -> Memory {
    memory.body.visibility = Visibility::Private;
    memory
}
