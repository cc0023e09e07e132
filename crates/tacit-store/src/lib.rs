//! The interface of a store of memories, independent of the database.
//!
//! [`Store`] reads and opens transactions; [`Transaction`] writes. Reads on the recall path take
//! many identifiers at once. Rules about what may be written live in the engine; a store only keeps
//! what it is given and its history.

mod activity;
mod bm25;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod filter;
mod history;
mod links;
mod module_filter;
mod observed;
mod quotes;
mod store;
mod team;
mod transfer;
mod vectors;

pub use activity::{
    ActivityBatch, ActivityStore, CoChange, Event, EventQuery, Injection, InjectionFate,
    InjectionQuery, JudgedFate, MemoryUses, Note, Session, SessionChange, SessionUpdate,
};
pub use bm25::{TEXT_WEIGHTS, TextScore, search_terms};
pub use error::{StoreError, StoreResult};
pub use filter::{Filter, ListOrder, ListQuery, TextQuery, WorkUnitFilter};
pub use history::{
    Action, ActionKind, Change, ChangeId, ChangeItem, ChangeQuery, apply_patch, difference,
};
pub use links::{CodeLink, LinkStore, MemoryLinks};
pub use module_filter::{ModuleFilter, PathRange};
pub use observed::{
    DIRECTION_SESSIONS, DIRECTION_SHARE, ErrorOccurrences, FileAffinity, FilePairUse, LoggedSignal,
    ObservedState, ObservedTree, ObserverStore, TreeUsage,
};
pub use quotes::without_quotations;
pub use store::{
    ErasedRows, IdMatch, IndexEntry, Store, StoreCheck, StoreStats, TermCounts, TextHit,
    Transaction, UnreadableRows,
};
pub use team::{
    CopyOrigin, CopyStore, Delta, JudgedCommit, Membership, SharedStore, TeamRole, TeamServer,
};
pub use transfer::{
    ChangeRow, ErrorPatternRow, FilePairRow, FilePairSource, FileUsageRow, InjectionRow, LinksRow,
    MemoryRow, ModelRow, ObservedSessionRow, RequestRow, RowsDigest, SessionRow, SignalsRow,
    TimedSignal, TransferPage, TransferRow, TransferStore, TransferTable, VectorsRow,
    digest_of_rows,
};
pub use vectors::{
    EmbeddedPart, KeyedVectors, MemoryKey, ModelState, VectorKey, VectorModel, VectorPage,
    VectorSet, VectorStore,
};
