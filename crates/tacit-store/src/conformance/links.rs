//! Cases about links to the code.

use tacit_core::SymbolRef;

use super::activity::path;
use super::*;
use crate::{CodeLink, MemoryLinks};

fn link(symbol: &str, sum: u64) -> CodeLink {
    CodeLink { symbol: SymbolRef::new(symbol).expect("a symbol"), checksum: sum }
}

fn of(memory: &Memory, links: Vec<CodeLink>) -> MemoryLinks {
    MemoryLinks { memory: memory.id, memory_updated_at: memory.updated_at, links }
}

pub fn changed_memories_are_linked_again(store: &mut dyn Store) {
    let (one, two) = (memory(1, "about closing"), memory(2, "about pools"));
    store_all(store, &[one.clone(), two.clone()]);
    let unlinked = |store: &dyn Store| -> Vec<u8> {
        let memories = store.unlinked(9).expect("unlinked");
        memories.iter().map(|memory| memory.id.as_bytes()[15]).collect()
    };
    assert_eq!(unlinked(store), [1, 2]);
    assert_eq!(store.unlinked(1).expect("unlinked").len(), 1);
    store.save_links(&[of(&one, vec![]), of(&two, vec![])]).expect("keep");
    assert_eq!(unlinked(store), Vec::<u8>::new());
    // A memory that changed after its links were computed is linked again.
    let changed = edit(store, &one, |memory| memory.updated_at = at(99));
    store.save_links(&[of(&one, vec![])]).expect("keep");
    assert_eq!(unlinked(store), [1]);
    store.save_links(&[of(&changed, vec![])]).expect("keep");
    assert_eq!(unlinked(store), Vec::<u8>::new());
    store.reset_links().expect("unlink");
    assert_eq!(unlinked(store), [1, 2]);
}

pub fn memories_are_found_by_symbol(store: &mut dyn Store) {
    let (one, two, three) =
        (memory(1, "about closing"), memory(2, "about pools"), memory(3, "about nothing"));
    store_all(store, &[one.clone(), two.clone(), three.clone()]);
    let close = link("src/pool.rs::Pool.close", u64::MAX);
    let pool = link("src/pool.rs::Pool", 7);
    store
        .save_links(&[
            of(&one, vec![close.clone()]),
            of(&two, vec![pool.clone(), link("src/z.rs::run", 1)]),
            of(&three, vec![link("src/pool.rs::Pooling", 2)]),
        ])
        .expect("keep");
    let linked = |symbol: &str| Filter {
        symbols: vec![SymbolRef::new(symbol).expect("a symbol")],
        ..Filter::default()
    };
    assert_eq!(list(store, linked("src/pool.rs::Pool.close")), [1]);
    assert_eq!(list(store, linked("src/pool.rs::Pool")), [1, 2]);
    assert_eq!(list(store, linked("src/other.rs::Pool")), Vec::<u8>::new());
    let others = (0..40_000).map(|number| format!("src/pool.rs::pool_{number}"));
    let names = others.chain(["src/pool.rs::Pool.close".to_owned()]);
    let symbols = names.map(|name| SymbolRef::new(name.as_str()).expect("a symbol")).collect();
    assert_eq!(list(store, Filter { symbols, ..Filter::default() }), [1]);
    let about = |files: &str| Filter { files: vec![path(files)], ..Filter::default() };
    assert_eq!(list(store, about("src/pool.rs")), [1, 2, 3]);
    assert_eq!(list(store, about("src")), [1, 2, 3]);
    let keys = store.keys_about(&[path("src/z.rs")], &Filter::default(), 9).expect("keys");
    let read = store.read_keys(&keys, &Filter::default()).expect("read");
    assert_eq!(read.iter().map(|(_, memory)| memory.id).collect::<Vec<_>>(), [two.id]);
    assert_eq!(store.links_of(&[one.id]).expect("links"), [(one.id, close.clone())]);
    assert_eq!(store.links_of(&[]).expect("links"), []);

    store.move_links(&path("src/pool.rs"), &path("src/db/pool.rs")).expect("move");
    let found = begin(store).find_by_file(&path("src/db/pool.rs")).expect("find");
    assert_eq!(found, [one.id, two.id, three.id]);
    assert_eq!(store.files_in_use().expect("files"), [path("src/db/pool.rs"), path("src/z.rs")]);
    store.save_links(&[of(&two, vec![])]).expect("keep");
    let left = store.links().expect("links");
    let names: Vec<&str> = left.iter().map(|(_, link)| link.symbol.as_str()).collect();
    assert_eq!(names, ["src/db/pool.rs::Pool.close", "src/db/pool.rs::Pooling"]);
}

pub fn inactive_memories_have_no_visible_links(store: &mut dyn Store) {
    let one = memory(1, "about closing");
    store_all(store, std::slice::from_ref(&one));
    store.save_links(&[of(&one, vec![link("a.rs::run", 1)])]).expect("keep");
    let gone = edit(store, &one, |memory| {
        memory.status =
            Status::Archived { at: at(9), reason: Reasoning::new("old").expect("text") };
    });
    assert_eq!(store.links().expect("links"), []);
    assert_eq!(store.files_in_use().expect("files"), []);
    let mut transaction = begin(store);
    transaction.remove(&gone).expect("remove");
    transaction.commit().expect("commit");
    assert_eq!(store.links_of(&[one.id]).expect("links"), []);
}

pub fn moved_links_replace_those_of_the_other_file(store: &mut dyn Store) {
    let (one, two) = (memory(1, "about closing"), memory(2, "about pools"));
    store_all(store, &[one.clone(), two.clone()]);
    let (from, to) = (link("a.rs::run", 1), link("b.rs::run", 2));
    store
        .save_links(&[of(&one, vec![to.clone(), from.clone()]), of(&two, vec![to.clone()])])
        .expect("keep");
    store.move_links(&path("a.rs"), &path("b.rs")).expect("move");
    let moved = link("b.rs::run", 1);
    assert_eq!(store.links().expect("links"), [(one.id, moved), (two.id, to)]);
    store.move_links(&path("never"), &path("b.rs")).expect("move nothing");
    let unknown = of(&memory(9, "never kept"), vec![from]);
    store.save_links(&[unknown]).expect("a memory that was removed meanwhile is skipped");
    assert_eq!(store.links().expect("links").len(), 2);
}
