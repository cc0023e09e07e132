//! Operations of everything that writes, made from small numbers.

use serde_json::Value;
use tacit_core::{Quotations, SymbolRef};

use super::samples::{FILES, batch, fate, injection, tree, uses, varied};
use super::*;
use crate::{CodeLink, MemoryLinks, StoreResult, apply_patch};

/// An operation with two numbers, from which everything that it writes is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    pub(super) kind: Kind,
    pub(super) one: u8,
    pub(super) other: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Remember,
    Edit,
    Remove,
    Purge,
    Abort,
    Claim,
    Undo,
    Access,
    Link,
    ResetLinks,
    MoveLinks,
    AddModel,
    ActivateModel,
    DeleteOtherModels,
    Embed,
    Record,
    SetFates,
    Judge,
    SetUses,
    BlankInjections,
    DeleteEvents,
    Observe,
    SetCoChanges,
    EraseQuotes,
    CacheTerms,
    QueueMissing,
}

/// Versions of memories that are multiples of this are not indexed.
pub(super) const UNINDEXED: u8 = 16;

/// Applies an operation. Returns its results in words.
pub(super) fn apply(store: &mut dyn Store, operation: Operation) -> String {
    match run(store, operation) {
        Ok(result) => result,
        Err(error) => panic!("{operation:?} fails: {error}"),
    }
}

fn run(store: &mut dyn Store, operation: Operation) -> StoreResult<String> {
    let Operation { kind, one, other } = operation;
    let time = at(i64::from(other));
    let model = |number: u8| VectorModel { name: format!("m{}", number % 3), dims: 2 };
    Ok(match kind {
        Kind::Remember => {
            let mut transaction = store.begin(action_at(ActionKind::Remember, other))?;
            for number in [one, one + 1] {
                write(transaction.as_mut(), number, other)?;
            }
            format!("{:?}", transaction.commit()?.is_some())
        }
        Kind::Edit => {
            let mut transaction = store.begin(action_at(ActionKind::Edit, other))?;
            let written = write(transaction.as_mut(), one, other)?;
            let found = transaction.read(&[memory_id(one)])?;
            let twins = transaction.find_identical(&varied(one, other).content_hash())?;
            let about = transaction.find_by_file(&path(FILES[usize::from(one) % 6]))?;
            let taken = transaction.is_taken(memory_id(one).short())?;
            let signature = Signature::of(&tokenize(varied(one, other).body.content.as_str()));
            let similar = signature.map(|signature| transaction.find_similar(&signature, 5));
            let similar = similar.transpose()?;
            transaction.commit()?;
            format!("{written} {found:?} {twins:?} {about:?} {taken} {similar:?}")
        }
        Kind::Remove | Kind::Purge => remove(store, kind == Kind::Purge, one, other)?,
        Kind::Abort => {
            let mut transaction = store.try_begin(action_at(ActionKind::Import, other))?;
            write(transaction.as_mut(), one, other)?;
            write(transaction.as_mut(), one + 1, other)?;
            let claimed = transaction.claim_request("r-lost")?;
            format!("{claimed} {:?}", transaction.read(&[memory_id(one)])?)
        }
        Kind::Claim => {
            let mut transaction = store.begin(action_at(ActionKind::Import, other))?;
            let claimed = transaction.claim_request(&format!("r-{}", other % 8))?;
            format!("{claimed} {:?}", transaction.commit()?)
        }
        Kind::Undo => undo(store, other)?,
        Kind::Access => {
            let ids = [memory_id(one), memory_id(one + 1), memory_id(200)];
            format!("{:?}", store.record_access(&ids, time)?)
        }
        Kind::Link => {
            let read = store.read(&[memory_id(one), memory_id(one + 1)])?;
            let links = |memory: Memory| MemoryLinks {
                memory: memory.id,
                memory_updated_at: memory.updated_at,
                links: (0..other % 3).map(|nth| link(one, nth, other)).collect(),
            };
            store.save_links(&read.into_iter().map(links).collect::<Vec<_>>())?;
            format!("{:?}", store.links_of(&[memory_id(one + 1), memory_id(one)])?)
        }
        Kind::ResetLinks => format!("{:?}", store.reset_links()?),
        Kind::MoveLinks => {
            let file = |number: u8| path(FILES[usize::from(number) % 6]);
            format!("{:?}", store.move_links(&file(one), &file(other))?)
        }
        Kind::AddModel => format!("{:?}", store.add_model(&model(other))?),
        Kind::ActivateModel => format!("{:?}", store.activate_model(&model(other))?),
        Kind::DeleteOtherModels => format!("{:?}", store.delete_other_models(&model(other))?),
        Kind::Embed => embed(store, &model(other), one, other)?,
        Kind::Record => format!("{:?}", store.record_all(&[batch(one, other), batch(other, one)])?),
        Kind::SetFates => format!("{:?}", store.set_fates(&[fate(one, other), fate(other, one)])?),
        Kind::Judge => {
            let session = session(&format!("s-{}", one % 5));
            let events = [injection(one, "s-0").event, injection(other, "s-0").event];
            format!("{:?}", store.save_judgement(&session, time, &events, &[fate(one, other)])?)
        }
        Kind::SetUses => {
            let all: Vec<_> = (0..other % 4).map(|nth| uses(one + nth, u32::from(other))).collect();
            format!("{:?}", store.set_memory_uses(&all)?)
        }
        Kind::BlankInjections => format!("{:?}", store.blank_injections(&memory_id(one))?),
        Kind::DeleteEvents => format!("{:?}", store.delete_events(at(i64::from(other / 2)))?),
        Kind::Observe => format!("{:?}", store.save_observed_tree(&tree(one, other))?),
        Kind::SetCoChanges => format!("{:?}", store.set_co_changes(&co_changes(one, other), time)?),
        Kind::EraseQuotes => {
            let mut quotations = Quotations::default();
            if other.is_multiple_of(4) {
                quotations.add("the staging database is restored every night");
            }
            quotations.add_lines(&format!("number {one} version {other}"), 8);
            let mut transaction = store.begin(action_at(ActionKind::Purge, other))?;
            let mut erased = transaction.erase_quotes(&quotations)?;
            transaction.commit()?;
            erased.sort_by(|a, b| a.table.cmp(&b.table));
            format!("{}", erased.iter().map(|erased| erased.rows).sum::<u64>())
        }
        Kind::CacheTerms => {
            // Counts in a cache grow old, and a store need not have one: it is emptied at once.
            store.cache_common_terms(u64::from(other % 4))?;
            let counts = store.count_terms(&["pool", "fork", "unknown"])?;
            store.cache_common_terms(u64::MAX)?;
            format!("{:?}", counts.documents)
        }
        Kind::QueueMissing => format!("{:?}", store.queue_missing_vectors()?),
    })
}

fn action_at(kind: ActionKind, number: u8) -> Action {
    let reason = number.is_multiple_of(2).then(|| Reasoning::new(format!("because {number}")));
    let reason = reason.transpose().expect("a reason");
    Action { at: at(i64::from(number)), reason, ..action(kind) }
}

/// Inserts a memory, or replaces it if it is there.
fn write(transaction: &mut dyn Transaction, number: u8, version: u8) -> StoreResult<&'static str> {
    let mut memory = varied(number, version);
    let written = match transaction.read(&[memory.id])?.pop() {
        Some(before) => {
            memory.usage = before.usage;
            transaction.update(&before, &memory)?;
            "updated"
        }
        None => {
            transaction.insert(&memory)?;
            "inserted"
        }
    };
    // A memory that is not indexed yet is found by nothing but its fields.
    if !version.is_multiple_of(UNINDEXED) {
        transaction.index(&memory.id, &entry(&memory))?;
    }
    Ok(written)
}

fn remove(store: &mut dyn Store, finally: bool, one: u8, other: u8) -> StoreResult<String> {
    let kind = if finally { ActionKind::Purge } else { ActionKind::Forget };
    let mut transaction = store.begin(action_at(kind, other))?;
    let found = transaction.read(&[memory_id(one)])?;
    for memory in &found {
        transaction.remove(memory)?;
    }
    if finally {
        transaction.erase_history(&memory_id(one))?;
    }
    let changed = transaction.commit()?.is_some();
    Ok(format!("{} {changed}", found.len()))
}

/// Undoes the newest change that can be undone, as far as its memories are as it left them.
fn undo(store: &mut dyn Store, other: u8) -> StoreResult<String> {
    let query = ChangeQuery { undoable: true, limit: 1, ..ChangeQuery::default() };
    let Some(change) = store.changes(&query)?.pop() else { return Ok("nothing".into()) };
    let reverts = Some(change.id);
    let action = Action { reverts, ..action_at(ActionKind::Undo, other) };
    let mut transaction = store.begin(action)?;
    let mut undone = 0;
    for item in change.items.iter().rev() {
        let now = transaction.read(&[item.memory])?.pop();
        let then = match (&now, &item.before) {
            (_, None) => None,
            (now, Some(patch)) => {
                let mut fields = match now.as_ref().map(Memory::to_json) {
                    Some(Value::Object(fields)) => fields,
                    _ => serde_json::Map::new(),
                };
                apply_patch(&mut fields, patch);
                // Other changes may have left too little of it.
                Memory::from_json(Value::Object(fields)).ok()
            }
        };
        match (now, then) {
            (Some(now), Some(then)) => {
                transaction.update(&now, &then)?;
                transaction.index(&then.id, &entry(&then))?;
            }
            (Some(now), None) if item.before.is_none() => transaction.remove(&now)?,
            (None, Some(then)) => {
                transaction.insert(&then)?;
                transaction.index(&then.id, &entry(&then))?;
            }
            _ => continue,
        }
        undone += 1;
    }
    let changed = transaction.commit()?.is_some();
    Ok(format!("{undone} {changed}"))
}

fn link(one: u8, nth: u8, other: u8) -> CodeLink {
    let file = FILES[usize::from(one + nth) % 6];
    let symbol = SymbolRef::new(format!("{file}::Pool.close{}", other % 3)).expect("a symbol");
    CodeLink { symbol, checksum: u64::MAX - u64::from(other) }
}

/// Embeds some of the memories that wait, and one that does not.
fn embed(store: &mut dyn Store, model: &VectorModel, one: u8, other: u8) -> StoreResult<String> {
    let pending = store.pending(model, usize::from(one) + 1)?;
    let vector = |nth: u8| vec![f32::from(other) / 7.0, f32::from(nth)];
    let set = |(key, memory): (u64, Memory)| VectorSet {
        key,
        memory_updated_at: memory.updated_at,
        pieces: (0..1 + other % 2).map(vector).collect(),
        cues: (0..other % 3).map(vector).collect(),
    };
    let mut sets: Vec<VectorSet> = pending.into_iter().map(set).collect();
    if let Some(last) = sets.last_mut().filter(|_| other.is_multiple_of(5)) {
        last.memory_updated_at = at(-1);
    }
    Ok(format!("{} of {}", store.put_vectors(model, &sets)?, sets.len()))
}

fn co_changes(one: u8, other: u8) -> Vec<CoChange> {
    let tie = |nth: u8| CoChange {
        file: path(FILES[usize::from(one) % 6]),
        other: path(FILES[usize::from(one + nth) % 6]),
        weight: f64::from(other % 10) / 10.0,
        count: u32::from(other),
    };
    (1..=other % 4).map(tie).collect()
}
