//! Whole sessions as logs, with the memories that must and must not be learnt.

mod application;
mod commits;
mod fixes;
mod properties;
mod scratchpad;
mod script;
mod sessions;
mod thresholds;
