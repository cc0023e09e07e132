//! The work of members: recalls, one after the other and of many clients, and new memories in between.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use tacit_core::{Author, Timestamp, tokenize};
use tacit_engine::index_entry;
use tacit_store::{
    Action, ActionKind, Filter, MemoryKey, Store, StoreError, StoreResult, TextQuery, VectorStore,
};
use tacit_store_postgres::PostgresStore;
use tacit_testkit::realistic::{self, TestRandom};

use crate::load::{Team, memory, model, vector};

/// The number of recalls to measure one after the other.
const RECALLS: usize = 200;
/// The number of recalls before them, which fill the server's caches.
const FIRST: usize = 200;
/// The candidates of each channel, as the engine asks for them.
const CANDIDATES: usize = 40;
/// The matches of a word that are ranked, as the engine asks for them.
const LOOK_UPS: usize = 1_500;
/// The vectors to look at for each candidate, as the engine asks for them.
const VECTORS_EACH: usize = 3;
/// Similar memories to compare a new one with, as the engine asks for them.
const COMPARED: usize = 8;
/// One in this many operations of a client stores a memory.
const WRITES: usize = 10;
/// The number of projects that the clients share.
const SHARED_PROJECTS: usize = 16;

/// The times of recalls, and what they cost the server.
#[derive(Debug)]
pub(crate) struct Recalls {
    /// The recalls that fill the server's caches.
    pub(crate) first: Vec<Duration>,
    pub(crate) times: Vec<Duration>,
    /// The processor time of the server for one recall.
    pub(crate) server: Duration,
}

/// The times of what many clients did.
#[derive(Debug, Default)]
pub(crate) struct Mixed {
    pub(crate) period: Duration,
    pub(crate) reads: Vec<Duration>,
    pub(crate) writes: Vec<Duration>,
    /// The number of writes that waited too long for another writer of the project.
    pub(crate) busy: usize,
    pub(crate) errors: Vec<String>,
}

/// Measures recalls in the first project.
pub(crate) fn recalls(team: &Team) -> Result<Recalls> {
    let store = team.open(0)?;
    let mut random = TestRandom::new(7);
    let mut ask = || -> Result<Duration> {
        let number = random.below(team.memories_each());
        let start = Instant::now();
        recall(&store, number)?;
        Ok(start.elapsed())
    };
    let first = (0..FIRST).map(|_| ask()).collect::<Result<Vec<_>>>()?;
    let before = team.server_time(0)?;
    let times = (0..RECALLS).map(|_| ask()).collect::<Result<Vec<_>>>()?;
    let server = (team.server_time(0)? - before) / RECALLS as u32;
    Ok(Recalls { first, times, server })
}

/// Lets clients work at the same time, each with its own connection, several in each project.
pub(crate) fn mixed(team: &Team, clients: usize, period: Duration) -> Result<Mixed> {
    let projects = team.loaded().min(SHARED_PROJECTS);
    let stores = (0..clients).map(|client| team.open(client % projects));
    let stores = stores.collect::<Result<Vec<_>>>()?;
    let start = Instant::now();
    let mut all = std::thread::scope(|scope| {
        let threads = stores.into_iter().enumerate().map(|(client, store)| {
            let each = team.memories_each();
            scope.spawn(move || work(store, client, (client % projects) * each, each, period))
        });
        let threads: Vec<_> = threads.collect();
        let mut all = Mixed::default();
        for thread in threads {
            let done = thread.join().map_err(|_| anyhow!("a client panicked"))??;
            all.reads.extend(done.reads);
            all.writes.extend(done.writes);
            all.busy += done.busy;
            all.errors.extend(done.errors);
        }
        Ok::<_, anyhow::Error>(all)
    })?;
    all.period = start.elapsed();
    Ok(all)
}

/// Recalls and remembers until the period is over.
fn work(
    mut store: PostgresStore,
    client: usize,
    first: usize,
    each: usize,
    period: Duration,
) -> Result<Mixed> {
    let mut random = TestRandom::new(client as u64 + 100);
    let mut done = Mixed::default();
    let end = Instant::now() + period;
    // The first writes of the clients are not at the same time.
    let mut nth = client;
    while Instant::now() < end {
        nth += 1;
        let start = Instant::now();
        let (result, times) = if nth.is_multiple_of(WRITES) {
            // Numbers that no project has.
            let number = 1_000_000_000 + client * 1_000_000 + nth;
            (remember(&mut store, number), &mut done.writes)
        } else {
            (Ok(recall(&store, first + random.below(each)).map(drop)), &mut done.reads)
        };
        match result? {
            Ok(()) => times.push(start.elapsed()),
            Err(StoreError::Busy) => done.busy += 1,
            Err(error) => done.errors.push(error.to_string()),
        }
    }
    Ok(done)
}

/// Asks the store what a recall asks it, with the title of a memory as the question.
fn recall(store: &PostgresStore, number: usize) -> StoreResult<usize> {
    let tokens = tokenize(&realistic::draft(number).title.unwrap_or_default());
    store.count_terms(&tokens.iter().collect::<Vec<_>>())?;
    let (limit, newest) = (CANDIDATES, Some(LOOK_UPS));
    let query = TextQuery { tokens, filter: Filter::default(), limit, newest };
    let mut keys: BTreeSet<MemoryKey> =
        store.search_text(&query)?.iter().map(|hit| hit.key).collect();
    // A vector that no memory has: a question is never quite the text of a memory.
    let near = store.nearest(&model(), &vector(number + 500_000_000), CANDIDATES * VECTORS_EACH)?;
    let matches: Vec<MemoryKey> = keys.iter().copied().collect();
    store.vectors_of(&model(), &matches)?;
    keys.extend(near.unwrap_or_default().iter().map(|(key, _)| key.memory).take(CANDIDATES));
    let keys: Vec<MemoryKey> = keys.into_iter().collect();
    Ok(store.read_keys(&keys, &Filter::default())?.len())
}

/// Stores a memory as the engine does: after a look for the same one and for similar ones.
fn remember(store: &mut PostgresStore, number: usize) -> Result<StoreResult<()>> {
    let memory = memory(number)?;
    let entry = index_entry(&memory.body);
    let actor = Author::new("bench").context("a name")?;
    let at: Timestamp = memory.created_at;
    let action = Action { kind: ActionKind::Remember, at, actor, reason: None, reverts: None };
    let work = || {
        let mut transaction = store.begin(action)?;
        transaction.find_identical(&memory.content_hash())?;
        if let Some(signature) = &entry.signature {
            let similar = transaction.find_similar(signature, COMPARED)?;
            transaction.read(&similar)?;
        }
        transaction.is_taken(memory.id.short())?;
        transaction.insert(&memory)?;
        transaction.index(&memory.id, &entry)?;
        transaction.commit().map(drop)
    };
    Ok(work())
}
