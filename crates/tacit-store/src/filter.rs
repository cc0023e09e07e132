//! Filters and queries for memories.

use tacit_core::{
    Author, Confidence, FingerprintDigest, MemoryType, RepoPath, Review, Scope, SessionId, Source,
    StatusKind, SymbolRef, Tag, Timestamp, Tokens,
};

use crate::module_filter::ModuleFilter;

/// Conditions that must all hold. An empty list is no condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// Memories of one of these types.
    pub types: Vec<MemoryType>,
    /// Memories from one of these sources.
    pub sources: Vec<Source>,
    /// Memories with one of these scopes.
    pub scopes: Vec<Scope>,
    /// Memories with one of these statuses.
    pub statuses: Vec<StatusKind>,
    /// Memories with one of these review states.
    pub reviews: Vec<Review>,
    /// Memories with all of these tags.
    pub tags: Vec<Tag>,
    /// Memories about one of these files, about a file in one of these directories, or linked to a
    /// symbol there.
    pub files: Vec<RepoPath>,
    /// Memories linked to one of these symbols or to a member of one.
    pub symbols: Vec<SymbolRef>,
    /// Memories that belong to one of these modules.
    pub modules: Vec<ModuleFilter>,
    /// Memories stated or confirmed in one of these sessions.
    pub sessions: Vec<SessionId>,
    /// Memories learnt in this unit of work or one inside it.
    pub work_unit: Option<WorkUnitFilter>,
    /// Memories stated by this person.
    pub author: Option<Author>,
    /// Memories of at least this confidence.
    pub min_confidence: Option<Confidence>,
    /// Memories created at or after this time.
    pub since: Option<Timestamp>,
    /// Memories created before this time.
    pub until: Option<Timestamp>,
    /// Stale memories only, or fresh memories only.
    pub stale: Option<bool>,
    /// Memories of the error with this fingerprint.
    pub fingerprint: Option<FingerprintDigest>,
    /// True to include the observer's statistics even if no type is named; see
    /// [`tacit_core::BuiltinType::STATISTICS`].
    pub statistics: bool,
}

/// A unit of work and the units inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkUnitFilter {
    /// The methodology; `None` for any.
    pub methodology: Option<String>,
    /// The outermost entries of the hierarchy; empty for all units.
    pub hierarchy: Vec<String>,
}

impl Default for Filter {
    /// Returns the filter for active memories without statistics.
    fn default() -> Filter {
        let statuses = vec![StatusKind::Active];
        Filter { statuses, statistics: false, ..Filter::everything() }
    }
}

impl Filter {
    /// Returns the filter without conditions, which inactive memories pass too.
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
            statistics: true,
        }
    }
}

impl Filter {
    /// Restricts the creation time further.
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
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first, the order of exports.
    Oldest,
    /// Last changed first.
    Changed,
    /// Last shown first.
    Used,
    /// Highest confidence first.
    Confidence,
}

/// A query for a list of memories. Equal ones are ordered by identifier, the greatest first unless the
/// oldest memories are first.
#[derive(Debug, Clone, PartialEq)]
pub struct ListQuery {
    /// The filter of the list.
    pub filter: Filter,
    /// The order of the list.
    pub order: ListOrder,
    /// The most memories to return.
    pub limit: usize,
    /// The number of memories to skip.
    pub offset: usize,
}

/// A full-text query.
#[derive(Debug, Clone, PartialEq)]
pub struct TextQuery {
    /// The tokens to search for. More and rarer matches rank higher.
    pub tokens: Tokens,
    /// The filter of the results.
    pub filter: Filter,
    /// The most results to return.
    pub limit: usize,
    /// Ranks only this many of the last stored matches, for words that nearly all memories have. They
    /// are taken before the filter.
    pub newest: Option<usize>,
}
