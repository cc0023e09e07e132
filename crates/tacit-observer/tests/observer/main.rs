//! Whole sessions as logs, with the memories that must and must not be learnt.

mod application;
mod checks;
mod commits;
mod cues;
mod dead_ends;
mod fates;
mod fixes;
mod outcomes;
mod properties;
mod scratchpad;
mod script;
mod sessions;
mod thresholds;
mod variants;
