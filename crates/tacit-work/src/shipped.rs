//! The built-in definitions.

use crate::definition::Methodology;

/// The default methodology.
pub const NATIVE: &str = "native";

/// A built-in definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedDefinition {
    /// The identifier of the methodology.
    pub id: &'static str,
    /// The content of the definition file.
    pub text: &'static str,
}

/// All built-in definitions, the default first.
pub const SHIPPED: [ShippedDefinition; 4] = [
    ShippedDefinition { id: NATIVE, text: include_str!("../definitions/native.toml") },
    ShippedDefinition { id: "bmad", text: include_str!("../definitions/bmad.toml") },
    ShippedDefinition { id: "tdd", text: include_str!("../definitions/tdd.toml") },
    ShippedDefinition { id: "agile", text: include_str!("../definitions/agile.toml") },
];

/// Returns a built-in methodology.
pub fn shipped_methodology(id: &str) -> Option<Methodology> {
    let found = SHIPPED.iter().find(|shipped| shipped.id == id)?;
    // A test parses all of them.
    Methodology::parse(found.text).ok()
}
