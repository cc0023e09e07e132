//! The domain model: memories and the values they consist of.

pub(crate) mod category;
pub(crate) mod cue;
pub(crate) mod details;
pub(crate) mod draft;
pub(crate) mod error_pattern;
pub(crate) mod fate;
pub(crate) mod identity;
pub(crate) mod kind;
pub(crate) mod life;
pub(crate) mod memory;
pub(crate) mod placement;
pub(crate) mod propagation;
pub(crate) mod recipe;
pub(crate) mod record;
pub(crate) mod relation;
pub(crate) mod status;
pub(crate) mod upgrade;
pub(crate) mod usefulness;
pub(crate) mod values;
pub(crate) mod words;
pub(crate) mod work_unit;
