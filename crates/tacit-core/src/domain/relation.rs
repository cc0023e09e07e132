//! Relations from a memory to another memory or to a file.

use serde::{Deserialize, Serialize};

use super::values::{Confidence, RepoPath};
use super::words::word_enum;
use crate::field::Problem;
use crate::id::MemoryId;

word_enum! {
    /// How a memory relates to its target.
    RelationKind, "a relation" {
        /// The target is needed with it.
        RequiredWith = "required_with",
        /// The two cannot both hold.
        ConflictsWith = "conflicts_with",
        /// It confirms the target.
        Validates = "validates",
        /// It takes the target's place.
        Supersedes = "supersedes",
        /// It was derived from the target.
        DerivedFrom = "derived_from",
    }
}

/// What a relation points to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationTarget {
    /// Another memory.
    Memory(MemoryId),
    /// A file of the project.
    File(RepoPath),
}

/// One relation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Relation {
    /// What it points to.
    pub target: RelationTarget,
    /// How the two relate.
    pub kind: RelationKind,
    /// How sure we are.
    pub confidence: Confidence,
    /// Whether the machine found it, rather than somebody stating it.
    pub auto_extracted: bool,
}

/// A memory's relations: at most one of a kind to a target, in order of kind and target.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Relation>")]
pub struct Relations(Vec<Relation>);

impl Relations {
    /// How many relations a memory can have.
    pub const LIMIT: usize = 64;

    /// Collects relations; a later one of the same kind and target replaces an earlier one.
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

    /// These relations and one more.
    pub fn with(&self, relation: Relation) -> Result<Relations, Problem> {
        Relations::collect(self.0.iter().cloned().chain([relation]))
    }

    /// These relations without those of one kind to one target.
    pub fn without(&self, kind: RelationKind, target: &RelationTarget) -> Relations {
        let kept = self.0.iter().filter(|r| r.kind != kind || r.target != *target);
        Relations(kept.cloned().collect())
    }

    /// The relations in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Relation> {
        self.0.iter()
    }

    /// Whether there is none.
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
