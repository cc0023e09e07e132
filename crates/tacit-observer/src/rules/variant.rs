//! Learns commands that do not work here, with the variant that does.

use super::{RuleInput, RuleOutput};

pub(super) fn infer(_input: &RuleInput<'_>, _results: &mut RuleOutput) {}
