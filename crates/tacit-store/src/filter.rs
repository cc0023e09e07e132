//! Which memories are meant.

use tacit_core::{
    Author, Confidence, FingerprintDigest, MemoryType, Module, RepoPath, Review, Scope, SessionId,
    Source, StatusKind, SymbolRef, Tag, Timestamp, Tokens,
};

/// Conditions that must all hold. An empty list sets no condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// One of these types.
    pub types: Vec<MemoryType>,
    /// One of these sources.
    pub sources: Vec<Source>,
    /// One of these scopes.
    pub scopes: Vec<Scope>,
    /// One of these states.
    pub statuses: Vec<StatusKind>,
    /// One of these review states.
    pub reviews: Vec<Review>,
    /// All of these tags.
    pub tags: Vec<Tag>,
    /// About one of these files, about something below one of these directories, or linked to what
    /// is defined there.
    pub files: Vec<RepoPath>,
    /// Linked to one of these symbols, or to a member of one.
    pub symbols: Vec<SymbolRef>,
    /// About one of these modules.
    pub modules: Vec<Module>,
    /// Said or confirmed in one of these sessions.
    pub sessions: Vec<SessionId>,
    /// Learnt in this unit of work or one inside it.
    pub work_unit: Option<WorkUnitFilter>,
    /// Said by this person.
    pub author: Option<Author>,
    /// At least this sure.
    pub min_confidence: Option<Confidence>,
    /// Created at or after this moment.
    pub since: Option<Timestamp>,
    /// Created before this moment.
    pub until: Option<Timestamp>,
    /// Whether what it is about is gone.
    pub stale: Option<bool>,
    /// Learnt from the error with this fingerprint.
    pub fingerprint: Option<FingerprintDigest>,
}

/// A unit of work and everything inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkUnitFilter {
    /// The methodology; any, if none is given.
    pub methodology: Option<String>,
    /// The outermost entries of the hierarchy; all units, if there is none.
    pub hierarchy: Vec<String>,
}

impl Default for Filter {
    /// Everything in use.
    fn default() -> Filter {
        Filter { statuses: vec![StatusKind::Active], ..Filter::everything() }
    }
}

impl Filter {
    /// No condition at all, not even that the memory is in use.
    pub fn everything() -> Filter {
        Filter {
            types: Vec::new(),
            sources: Vec::new(),
            scopes: Vec::new(),
            statuses: Vec::new(),
            reviews: Vec::new(),
            tags: Vec::new(),
            files: Vec::new(),
            symbols: Vec::new(),
            modules: Vec::new(),
            sessions: Vec::new(),
            work_unit: None,
            author: None,
            min_confidence: None,
            since: None,
            until: None,
            stale: None,
            fingerprint: None,
        }
    }
}

impl Filter {
    /// Takes only what lies in this time as well.
    pub fn narrow(&mut self, since: Option<Timestamp>, until: Option<Timestamp>) {
        self.since = self.since.max(since);
        self.until = match (self.until, until) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ListOrder {
    /// The newest first.
    #[default]
    Newest,
    /// The oldest first, in which an export is written.
    Oldest,
    /// The last changed first.
    Changed,
    /// The last shown first.
    Used,
    /// The surest first.
    Confidence,
}

/// A list of memories; ties are ordered by identifier.
#[derive(Debug, Clone, PartialEq)]
pub struct ListQuery {
    /// Which.
    pub filter: Filter,
    /// In which order.
    pub order: ListOrder,
    /// How many at most.
    pub limit: usize,
    /// How many to pass over first.
    pub offset: usize,
}

/// A search in the text of memories.
#[derive(Debug, Clone, PartialEq)]
pub struct TextQuery {
    /// The tokens looked for; more of them, and rarer ones, rank higher.
    pub tokens: Tokens,
    /// Which memories.
    pub filter: Filter,
    /// How many at most.
    pub limit: usize,
    /// Rank only this many of the newest that match; for a word that nearly all have.
    pub newest: Option<usize>,
}
