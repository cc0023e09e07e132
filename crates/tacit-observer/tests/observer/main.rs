//! Whole sessions as logs, with the memories that come of them and those that must not.

mod application;
mod commits;
mod noticing;
mod properties;
mod script;
mod sessions;
mod thresholds;
