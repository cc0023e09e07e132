//! Relations of a memory to other memories and to files.

use serde::{Deserialize, Serialize};

use super::values::{Confidence, RepoPath};
use super::words::word_enum;
use crate::field::Problem;
use crate::id::MemoryId;

word_enum! {
    /// The kind of a relation.
    RelationKind, "a relation" {
        /// The two are needed together.
        RequiredWith = "required_with",
        /// The two cannot both be true.
        ConflictsWith = "conflicts_with",
        /// The memory confirms the target.
        Validates = "validates",
        /// The memory replaces the target.
        Supersedes = "supersedes",
        /// The memory was derived from the target.
        DerivedFrom = "derived_from",
    }
}

/// The target of a relation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationTarget {
    /// Another memory.
    Memory(MemoryId),
    /// A file of the project.
    File(RepoPath),
}

/// A relation of a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// The memory or file it points to.
    pub target: RelationTarget,
    /// The kind of relation.
    pub kind: RelationKind,
    /// The confidence that the relation holds.
    pub confidence: Confidence,
    /// True if Tacit found the relation; false if somebody stated it.
    pub auto_extracted: bool,
}

/// The relations of a memory: at most one per kind and target, sorted by kind and target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Relation>")]
pub struct Relations(Vec<Relation>);

impl Relations {
    /// The most relations a memory can have.
    pub const LIMIT: usize = 64;

    /// Collects relations. A later one replaces an earlier one with the same kind and target. Fails
    /// above [`Relations::LIMIT`].
    pub fn collect(relations: impl IntoIterator<Item = Relation>) -> Result<Relations, Problem> {
        let mut kept: Vec<Relation> = Vec::new();
        for relation in relations {
            kept.retain(|other| (other.kind, &other.target) != (relation.kind, &relation.target));
            kept.push(relation);
        }
        if kept.len() > Relations::LIMIT {
            return Err(Problem::TooMany { max: Relations::LIMIT, actual: kept.len() });
        }
        kept.sort_by(|a, b| (a.kind, &a.target).cmp(&(b.kind, &b.target)));
        Ok(Relations(kept))
    }

    /// Returns these relations and one more.
    pub fn with(&self, relation: Relation) -> Result<Relations, Problem> {
        Relations::collect(self.0.iter().cloned().chain([relation]))
    }

    /// Returns these relations without those of one kind to one target.
    pub fn without(&self, kind: RelationKind, target: &RelationTarget) -> Relations {
        let kept = self.0.iter().filter(|r| r.kind != kind || r.target != *target);
        Relations(kept.cloned().collect())
    }

    /// Iterates over the relations in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Relation> {
        self.0.iter()
    }

    /// Returns true if there are no relations.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl TryFrom<Vec<Relation>> for Relations {
    type Error = Problem;

    fn try_from(relations: Vec<Relation>) -> Result<Relations, Problem> {
        Relations::collect(relations)
    }
}
