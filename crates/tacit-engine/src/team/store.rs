//! The project's store in a team: memories on the server, sessions on this machine.
//!
//! Everything about sessions is in this machine's own database, so the hooks and agents of a session see
//! each other's notes at once, even while the server does not answer. The database also holds a copy of
//! the memories, which is read during that time. Memories are written only on the server.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use std::path::Path;

use tacit_core::{
    ContentHash, Memory, MemoryId, Quotations, RepoPath, SessionId, ShortId, Signature, Timestamp,
};
use tacit_store::{
    Action, ActivityBatch, ActivityStore, Change, ChangeId, ChangeQuery, CoChange, CodeLink,
    CopyStore, ErasedRows, ErrorOccurrences, Event, EventQuery, FileAffinity, Filter, IdMatch,
    IndexEntry, Injection, InjectionFate, InjectionQuery, LinkStore, ListQuery, LoggedSignal,
    MemoryKey, MemoryLinks, MemoryUses, ModelState, Note, ObservedState, ObservedTree,
    ObserverStore, Session, SharedStore, Store, StoreCheck, StoreError, StoreResult, StoreStats,
    TermCounts, TextHit, TextQuery, Transaction, TransferPage, TransferRow, TransferStore,
    TransferTable, UnreadableRows, VectorKey, VectorModel, VectorPage, VectorSet, VectorStore,
};

/// The project's store in a team.
pub(crate) struct TeamStore {
    /// The machine's own database.
    pub(crate) local: Box<dyn CopyStore>,
    /// The connection to the server.
    pub(crate) server: ServerLink,
}

/// The connection to the server of a team.
pub(crate) enum ServerLink {
    /// The server answered.
    Open(Box<dyn SharedStore>),
    /// No connection was tried, because a hook runs: it leaves its writes of memories to `tacit maintain`.
    Deferred,
    /// The server does not answer, or refuses the user.
    Closed(StoreError),
}

impl ServerLink {
    /// Returns the error of a write that needs the server.
    pub(crate) fn error(&self) -> StoreError {
        match self {
            ServerLink::Open(_) | ServerLink::Deferred => StoreError::Busy,
            ServerLink::Closed(error) => again(error),
        }
    }
}

/// Returns a copy of the error of a connection, for each write that needs the server.
fn again(error: &StoreError) -> StoreError {
    match error {
        StoreError::Unreachable { server, detail } => {
            StoreError::Unreachable { server: server.clone(), detail: detail.clone() }
        }
        StoreError::NotConnected { server, detail } => {
            StoreError::NotConnected { server: server.clone(), detail: detail.clone() }
        }
        StoreError::NoPassword { server, detail } => {
            StoreError::NoPassword { server: server.clone(), detail: detail.clone() }
        }
        StoreError::Untrusted { server, detail } => {
            StoreError::Untrusted { server: server.clone(), detail: detail.clone() }
        }
        StoreError::Denied { server, detail } => {
            StoreError::Denied { server: server.clone(), detail: detail.clone() }
        }
        StoreError::OldSchema { path, found, needed } => {
            StoreError::OldSchema { path: path.clone(), found: *found, needed: *needed }
        }
        StoreError::TooNew { path, found, known } => {
            StoreError::TooNew { path: path.clone(), found: *found, known: *known }
        }
        StoreError::Missing { path } => StoreError::Missing { path: path.clone() },
        other => StoreError::Failed { path: "the team's server".into(), detail: other.to_string() },
    }
}

impl TeamStore {
    /// Returns the store with the memories: the server, or the copy if it does not answer.
    fn memories(&self) -> &dyn Store {
        match &self.server {
            ServerLink::Open(server) => server.as_ref(),
            ServerLink::Deferred | ServerLink::Closed(_) => self.local.as_ref(),
        }
    }

    /// Returns the server to write memories to.
    pub(crate) fn writable(&mut self) -> StoreResult<&mut Box<dyn SharedStore>> {
        let error = self.server.error();
        match &mut self.server {
            ServerLink::Open(server) => Ok(server),
            ServerLink::Deferred | ServerLink::Closed(_) => Err(error),
        }
    }

    fn begin_with(
        &mut self,
        action: Action,
        begin: impl FnOnce(&mut dyn SharedStore, Action) -> StoreResult<Box<dyn Transaction + '_>>,
    ) -> StoreResult<Box<dyn Transaction + '_>> {
        let error = self.server.error();
        let ServerLink::Open(server) = &mut self.server else { return Err(error) };
        let shared = begin(server.as_mut(), action.clone())?;
        let local = self.local.as_mut();
        Ok(Box::new(TeamTransaction { shared, local, action, removed: BTreeSet::new() }))
    }
}

/// Implements methods of a trait by calling them on a part of the store.
macro_rules! forward {
    ($(fn $name:ident(&self $(, $arg:ident: $kind:ty)*) -> $result:ty => $part:ident;)*) => {
        $(fn $name(&self $(, $arg: $kind)*) -> StoreResult<$result> {
            forward!(@$part self).$name($($arg),*)
        })*
    };
    (@memories $store:ident) => { $store.memories() };
    (@local $store:ident) => { $store.local };
}

/// Like [`forward`], for methods that write.
macro_rules! forward_mut {
    ($(fn $name:ident(&mut self $(, $arg:ident: $kind:ty)*) -> $result:ty => $part:ident;)*) => {
        $(fn $name(&mut self $(, $arg: $kind)*) -> StoreResult<$result> {
            forward_mut!(@$part self).$name($($arg),*)
        })*
    };
    (@server $store:ident) => { $store.writable()? };
    (@local $store:ident) => { $store.local };
}

impl VectorStore for TeamStore {
    forward! {
        fn models(&self) -> Vec<ModelState> => memories;
        fn pending(&self, model: &VectorModel, limit: usize) -> Vec<(MemoryKey, Memory)> => memories;
        fn vectors_since(&self, model: &VectorModel, generation: u64, limit: usize) -> VectorPage => memories;
        fn nearest(&self, model: &VectorModel, vector: &[f32], limit: usize) -> Option<Vec<(VectorKey, Vec<f32>)>> => memories;
        fn vectors_of(&self, model: &VectorModel, keys: &[MemoryKey]) -> Vec<(VectorKey, Vec<f32>)> => memories;
    }
    forward_mut! {
        fn add_model(&mut self, model: &VectorModel) -> () => server;
        fn activate_model(&mut self, model: &VectorModel) -> () => server;
        fn delete_other_models(&mut self, model: &VectorModel) -> () => server;
        fn put_vectors(&mut self, model: &VectorModel, sets: &[VectorSet]) -> usize => server;
    }
}

impl ActivityStore for TeamStore {
    forward! {
        fn session(&self, id: &SessionId) -> Option<Session> => local;
        fn recent_sessions(&self, limit: usize) -> Vec<SessionId> => memories;
        fn events(&self, query: &EventQuery) -> Vec<Event> => local;
        fn count_events(&self, query: &EventQuery) -> usize => local;
        fn injections(&self, query: &InjectionQuery) -> Vec<Injection> => local;
        fn sessions_to_judge(&self, silent: Timestamp, limit: usize) -> Vec<Session> => local;
        fn memory_uses(&self) -> Vec<MemoryUses> => local;
        fn injection_counts(&self, only: Option<&[MemoryId]>) -> Vec<(MemoryId, u64)> => local;
        fn notes(&self, session: &SessionId, files: &[RepoPath], limit: usize) -> Vec<Note> => local;
        fn linked_files(&self, files: &[RepoPath], least: f64, limit: usize) -> Vec<RepoPath> => local;
        fn transcripts(&self) -> Vec<String> => local;
    }
    forward_mut! {
        fn record_all(&mut self, records: &[ActivityBatch]) -> () => local;
        fn set_fates(&mut self, fates: &[InjectionFate]) -> () => local;
        fn save_judgement(&mut self, session: &SessionId, upto: Timestamp, events: &[String], fates: &[InjectionFate]) -> () => local;
        fn set_memory_uses(&mut self, uses: &[MemoryUses]) -> () => local;
        fn set_co_changes(&mut self, ties: &[CoChange], at: Timestamp) -> () => local;
        fn blank_injections(&mut self, id: &MemoryId) -> u64 => local;
        fn delete_events(&mut self, before: Timestamp) -> u64 => local;
    }
}

/// Returns the session of a digest.
fn session_of(digest: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Digest {
        session: String,
    }
    serde_json::from_str::<Digest>(digest).ok().map(|digest| digest.session)
}

impl ObserverStore for TeamStore {
    forward! {
        fn sessions_to_observe(&self, silent: Timestamp, limit: usize) -> Vec<Session> => local;
        fn latest_sessions(&self, limit: usize) -> Vec<(Session, Option<ObservedState>)> => local;
        fn tree_of(&self, session: &SessionId) -> Option<SessionId> => local;
        fn signals(&self, tree: &SessionId) -> Vec<LoggedSignal> => local;
        fn file_affinity(&self, one: &RepoPath, other: &RepoPath) -> Option<FileAffinity> => local;
        fn error_occurrences(&self, fingerprint: &str) -> Option<ErrorOccurrences> => local;
    }
    /// Returns the digests of this machine's sessions, and those that the server has of other people's. Those of
    /// this machine's sessions are on the server too, without what only this machine needs.
    fn digests(&self, limit: usize) -> StoreResult<Vec<String>> {
        let mut digests = self.local.digests(limit)?;
        if let ServerLink::Open(server) = &self.server {
            let known: BTreeSet<String> =
                digests.iter().filter_map(|digest| session_of(digest)).collect();
            let others = server.digests(limit)?.into_iter();
            digests.extend(
                others.filter(|other| session_of(other).is_none_or(|one| !known.contains(&one))),
            );
        }
        Ok(digests)
    }

    forward_mut! {
        fn save_observed_tree(&mut self, observed: &ObservedTree) -> () => local;
    }
}

impl LinkStore for TeamStore {
    forward! {
        fn links_of(&self, ids: &[MemoryId]) -> Vec<(MemoryId, CodeLink)> => memories;
        fn links(&self) -> Vec<(MemoryId, CodeLink)> => memories;
        fn unlinked(&self, limit: usize) -> Vec<Memory> => memories;
        fn files_in_use(&self) -> Vec<RepoPath> => memories;
    }
    forward_mut! {
        fn save_links(&mut self, links: &[MemoryLinks]) -> () => server;
        fn reset_links(&mut self) -> () => server;
        fn move_links(&mut self, from: &RepoPath, to: &RepoPath) -> () => server;
    }
}

impl TransferStore for TeamStore {
    forward! {
        fn transfer_rows(&self, table: TransferTable, after: Option<&str>, limit: usize) -> TransferPage => memories;
        fn count_rows(&self, table: TransferTable) -> u64 => memories;
    }
    forward_mut! {
        fn put_rows(&mut self, rows: &[TransferRow], index: &dyn Fn(&Memory) -> IndexEntry) -> () => server;
    }
}

impl Store for TeamStore {
    forward! {
        fn read(&self, ids: &[MemoryId]) -> Vec<Memory> => memories;
        fn relating_to(&self, ids: &[MemoryId]) -> Vec<Memory> => memories;
        fn find_by_short_id(&self, range: RangeInclusive<u32>) -> Vec<IdMatch> => memories;
        fn list(&self, query: &ListQuery) -> Vec<Memory> => memories;
        fn count(&self, filter: &Filter) -> usize => memories;
        fn search_text(&self, query: &TextQuery) -> Vec<TextHit> => memories;
        fn read_keys(&self, keys: &[MemoryKey], filter: &Filter) -> Vec<(MemoryKey, Memory)> => memories;
        fn count_terms(&self, tokens: &[&str]) -> TermCounts => memories;
        fn terms_with_prefix(&self, beginning: &str, limit: usize) -> Vec<(String, u64)> => memories;
        fn keys_about(&self, files: &[RepoPath], filter: &Filter, limit: usize) -> Vec<MemoryKey> => memories;
        fn frequent_tags(&self, among: u64, limit: usize) -> Vec<(String, u64)> => memories;
        fn changes(&self, query: &ChangeQuery) -> Vec<Change> => memories;
        fn count_changes(&self, query: &ChangeQuery) -> usize => memories;
        fn count_requests(&self, beginning: &str) -> u64 => memories;
        fn stats(&self) -> StoreStats => memories;
        fn unreadable(&self) -> Vec<UnreadableRows> => local;
    }
    forward_mut! {
        fn cache_common_terms(&mut self, least: u64) -> usize => local;
        fn upgrade_rows(&mut self, limit: usize) -> usize => local;
        fn quarantine(&mut self, file: &Path, at: Timestamp) -> u64 => local;
        fn queue_missing_vectors(&mut self) -> u64 => server;
        fn record_access(&mut self, ids: &[MemoryId], at: Timestamp) -> () => server;
    }

    fn check(&self, thorough: bool) -> StoreResult<StoreCheck> {
        let mut check = self.local.check(thorough)?;
        if let ServerLink::Open(server) = &self.server {
            let shared = server.check(thorough)?;
            check.problems.extend(shared.problems);
            check.unindexed += shared.unindexed;
            check.without_vectors = shared.without_vectors;
            check.newest = check.newest.max(shared.newest);
        }
        Ok(check)
    }

    fn scrub(&mut self) -> StoreResult<()> {
        self.local.scrub()?;
        self.writable()?.scrub()
    }

    fn begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>> {
        self.begin_with(action, |server, action| server.begin(action))
    }

    fn try_begin(&mut self, action: Action) -> StoreResult<Box<dyn Transaction + '_>> {
        self.begin_with(action, |server, action| server.try_begin(action))
    }
}

/// A transaction on the server. Whatever it removes there is then removed from the copy too. Purges write to
/// both by themselves.
struct TeamTransaction<'a> {
    shared: Box<dyn Transaction + 'a>,
    local: &'a mut dyn Store,
    action: Action,
    /// The memories that this transaction removes.
    removed: BTreeSet<MemoryId>,
}

/// Removes memories from this machine's database that the server has removed.
fn follow(local: &mut dyn Store, action: Action, removed: &BTreeSet<MemoryId>) -> StoreResult<()> {
    if removed.is_empty() {
        return Ok(());
    }
    let mut transaction = local.begin(action)?;
    let ids: Vec<MemoryId> = removed.iter().copied().collect();
    for memory in transaction.read(&ids)? {
        transaction.remove(&memory)?;
    }
    for id in &ids {
        transaction.erase_history(id)?;
    }
    transaction.commit().map(drop)
}

impl Transaction for TeamTransaction<'_> {
    fn read(&self, ids: &[MemoryId]) -> StoreResult<Vec<Memory>> {
        self.shared.read(ids)
    }

    fn find_identical(&self, hash: &ContentHash) -> StoreResult<Vec<IdMatch>> {
        self.shared.find_identical(hash)
    }

    fn find_similar(&self, signature: &Signature, limit: usize) -> StoreResult<Vec<MemoryId>> {
        self.shared.find_similar(signature, limit)
    }

    fn is_taken(&self, short: ShortId) -> StoreResult<bool> {
        self.shared.is_taken(short)
    }

    fn find_by_file(&self, path: &RepoPath) -> StoreResult<Vec<MemoryId>> {
        self.shared.find_by_file(path)
    }

    fn claim_request(&mut self, request: &str) -> StoreResult<bool> {
        self.shared.claim_request(request)
    }

    fn insert(&mut self, memory: &Memory) -> StoreResult<()> {
        self.shared.insert(memory)
    }

    fn update(&mut self, before: &Memory, after: &Memory) -> StoreResult<()> {
        self.shared.update(before, after)
    }

    fn remove(&mut self, memory: &Memory) -> StoreResult<()> {
        self.removed.insert(memory.id);
        self.shared.remove(memory)
    }

    fn erase_history(&mut self, id: &MemoryId) -> StoreResult<()> {
        self.shared.erase_history(id)
    }

    fn erase_quotes(&mut self, quotations: &Quotations) -> StoreResult<Vec<ErasedRows>> {
        self.shared.erase_quotes(quotations)
    }

    fn index(&mut self, id: &MemoryId, entry: &IndexEntry) -> StoreResult<()> {
        self.shared.index(id, entry)
    }

    fn commit(self: Box<Self>) -> StoreResult<Option<ChangeId>> {
        let TeamTransaction { shared, local, action, removed } = *self;
        let change = shared.commit()?;
        follow(local, action, &removed)?;
        Ok(change)
    }
}
