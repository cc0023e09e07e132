//! References to units of work of any methodology.

use serde::{Deserialize, Serialize};

use super::values::line;
use crate::field::Problem;

/// A reference to a unit of work: its methodology and its path from the outermost container to the
/// innermost item. Only the methodology knows what the entries mean.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct WorkUnitRef {
    methodology: String,
    hierarchy: Vec<String>,
    label: String,
}

impl WorkUnitRef {
    /// The greatest depth of a hierarchy.
    pub const MAX_DEPTH: usize = 8;

    /// Checks the parts of a reference.
    pub fn new(
        methodology: impl Into<String>,
        hierarchy: Vec<String>,
        label: impl Into<String>,
    ) -> Result<WorkUnitRef, Problem> {
        let methodology = part("the methodology", line(methodology.into(), 64))?;
        if hierarchy.is_empty() {
            return Err(Problem::rule("a work unit needs at least one entry in its hierarchy"));
        }
        if hierarchy.len() > WorkUnitRef::MAX_DEPTH {
            let many = Problem::TooMany { max: WorkUnitRef::MAX_DEPTH, actual: hierarchy.len() };
            return part("the hierarchy", Err(many));
        }
        let entries = hierarchy.into_iter().map(|entry| line(entry, 200));
        let hierarchy = part("an entry of the hierarchy", entries.collect::<Result<Vec<_>, _>>())?;
        let label = part("the label", line(label.into(), 200))?;
        Ok(WorkUnitRef { methodology, hierarchy, label })
    }

    /// Returns the methodology that defines the unit.
    pub fn methodology(&self) -> &str {
        &self.methodology
    }

    /// Returns the entries, outermost first.
    pub fn hierarchy(&self) -> &[String] {
        &self.hierarchy
    }

    /// Returns the display name.
    pub fn label(&self) -> &str {
        &self.label
    }
}

/// Prefixes a problem with the name of the part it is about.
fn part<T>(name: &str, checked: Result<T, Problem>) -> Result<T, Problem> {
    checked.map_err(|problem| Problem::rule(format!("{name} {problem}")))
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    methodology: String,
    hierarchy: Vec<String>,
    label: String,
}

impl TryFrom<Wire> for WorkUnitRef {
    type Error = Problem;

    fn try_from(wire: Wire) -> Result<WorkUnitRef, Problem> {
        WorkUnitRef::new(wire.methodology, wire.hierarchy, wire.label)
    }
}

impl From<WorkUnitRef> for Wire {
    fn from(unit: WorkUnitRef) -> Wire {
        Wire { methodology: unit.methodology, hierarchy: unit.hierarchy, label: unit.label }
    }
}
