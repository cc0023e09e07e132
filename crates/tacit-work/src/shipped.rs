//! The definitions inside the program.

use crate::definition::Methodology;

/// The name of the methodology that is used where none was chosen.
pub const NATIVE: &str = "native";

/// A definition inside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShippedDefinition {
    /// Its name.
    pub id: &'static str,
    /// Its file.
    pub text: &'static str,
}

/// All of them.
pub const SHIPPED: [ShippedDefinition; 4] = [
    ShippedDefinition { id: NATIVE, text: include_str!("../definitions/native.toml") },
    ShippedDefinition { id: "bmad", text: include_str!("../definitions/bmad.toml") },
    ShippedDefinition { id: "tdd", text: include_str!("../definitions/tdd.toml") },
    ShippedDefinition { id: "agile", text: include_str!("../definitions/agile.toml") },
];

/// The definition inside the program with this name.
pub fn shipped_methodology(id: &str) -> Option<Methodology> {
    let found = SHIPPED.iter().find(|shipped| shipped.id == id)?;
    // That all of them can be read is tested.
    Methodology::parse(found.text).ok()
}
