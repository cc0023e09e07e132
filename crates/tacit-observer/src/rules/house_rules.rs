//! Learns the lint and type rules that a project enforces, as one memory per tool.

use super::{RuleInput, RuleOutput};

pub(super) fn infer(_input: &RuleInput<'_>, _results: &mut RuleOutput) {}
