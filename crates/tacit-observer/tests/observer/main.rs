//! Whole sessions as logs, with the memories that come of them and those that must not.

mod application;
mod commits;
mod properties;
mod scratchpad;
mod script;
mod sessions;
mod thresholds;
