//! The code graph: extracts definitions and references from source files, resolves imports and
//! names, and answers questions about dependencies.
//!
//! The crate works on values: text and manifests in, facts, edges and results out. Directory
//! walking, the database and the clock live in other crates, and so does everything about memories.

mod ambiguous;
mod anchor;
mod checksum;
mod communities;
mod conventions;
mod extract;
mod facts;
mod flow;
mod graph;
mod impact;
mod language;
mod languages;
mod link;
mod modules;
mod packed;
mod pattern;
mod project;
mod scip;
mod skip;
mod summary;
mod target;
mod traverse;
mod words;

pub use anchor::{find_symbol, symbol_checksum, symbol_checksum_in, symbol_names};
pub use checksum::checksum;
pub use communities::Community;
pub use conventions::conventions;
pub use extract::{Extractor, SourceText, parse_only};
pub use facts::{
    Definition, DefinitionKind, Export, FACTS_VERSION, FileFacts, Import, ImportForm, Reference,
    ReferenceKind,
};
pub use flow::{Flow, flow};
pub use graph::{
    CompilerIndexStats, ComputedImports, Edge, EdgeKind, EdgeOrigin, FileNode, Graph, GraphNode,
    NodeId, NodeKind, Unresolved,
};
pub use impact::{AffectedFile, Completeness, Impact, ImpactQuery, impact};
pub use language::Language;
pub use link::{is_test_path, link};
pub use modules::{Module, innermost_module, modules};
pub use packed::{PackedFile, PackedGraph, PackedNode, pack};
pub use project::{
    CompilerIndex, FileId, GraphInput, NonUtf8Files, SkipReason, SourceFile, is_manifest,
};
pub use scip::{ScipDocument, ScipIndex, ScipOccurrence, read_scip};
pub use skip::{LARGEST_FILE, is_listed, skip_by_content, skip_by_path};
pub use summary::{GraphSummary, summary, to_dot, to_graphml, to_json};
pub use target::{TargetError, find_target, split_target};
pub use traverse::{Direction, ReachedFile, Traversal, route_to, traverse};
