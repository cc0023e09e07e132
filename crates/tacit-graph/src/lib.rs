//! The code graph: what a source file defines and uses, what its imports mean, and what depends on
//! what.
//!
//! Values in, values out: text and manifests come in, facts, edges and answers go out. Walking
//! directories, threads, the database and the clock are elsewhere, and so is everything about
//! memories.

mod anchor;
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
mod reach;
mod scip;
mod shared;
mod skip;
mod sum;
mod summary;
mod target;
mod words;

pub use anchor::{anchor, anchor_of, symbol_of, symbols_of};
pub use communities::Community;
pub use conventions::conventions;
pub use extract::{Extractor, Source, parse_only};
pub use facts::{
    Definition, DefinitionKind, Export, FACTS_VERSION, FileFacts, Form, Import, Reference,
    ReferenceKind,
};
pub use flow::{Flow, flow};
pub use graph::{
    Computed, Edge, EdgeKind, FileNode, Graph, Indexed, Node, NodeId, NodeKind, Origin, Unresolved,
};
pub use impact::{Affected, Bound, Impact, Question, impact};
pub use language::Language;
pub use link::{is_test_path, link};
pub use modules::{Module, module_around, modules};
pub use packed::{Packed, PackedFile, PackedNode, pack};
pub use project::{CompilerIndex, FileId, Project, Skipped, SourceFile, Unnameable, is_manifest};
pub use reach::{Direction, Reach, Reached, reach, way};
pub use scip::{ScipDocument, ScipIndex, ScipOccurrence, read_scip};
pub use skip::{LARGEST_FILE, is_listed, skip_by_content, skip_by_path};
pub use sum::sum;
pub use summary::{Summary, summary, to_dot, to_graphml, to_json};
pub use target::{TargetError, find_target, split_target};
