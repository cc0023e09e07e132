//! Learns what an agent said about the cause, a rule or a lesson, after a turn that had something to teach.

use super::{RuleInput, RuleOutput};

pub(super) fn infer(_input: &RuleInput<'_>, _results: &mut RuleOutput) {}
