//! The code graph: what a source file defines and uses, what its imports mean, and what depends on
//! what.
//!
//! Values in, values out: text and manifests come in, facts, edges and answers go out. Walking
//! directories, threads, the database and the clock are elsewhere, and so is everything about
//! memories.

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
pub use modules::{Module, module_around, modules};
pub use packed::{PackedFile, PackedGraph, PackedNode, pack};
pub use project::{
    CompilerIndex, FileId, GraphInput, NonUtf8Files, SkipReason, SourceFile, is_manifest,
};
pub use scip::{ScipDocument, ScipIndex, ScipOccurrence, read_scip};
pub use skip::{LARGEST_FILE, is_listed, skip_by_content, skip_by_path};
pub use summary::{GraphSummary, summary, to_dot, to_graphml, to_json};
pub use target::{TargetError, find_target, split_target};
pub use traverse::{Direction, ReachedFile, Traversal, route_to, traverse};
