//! The types of what the API takes and gives. Their names and fields are the contract with the page.

pub(crate) mod filter;
pub(crate) mod health;
pub(crate) mod job;
pub(crate) mod memory;
