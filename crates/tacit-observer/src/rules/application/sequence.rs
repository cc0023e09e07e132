//! Finds the actions with which an agent reached the same state of the application twice.

use crate::application::{AppCall, AppCallKind};

/// Bounds on the number of actions: fewer are no secret, more are the test itself.
const MIN_ACTIONS: usize = 3;
const MAX_ACTIONS: usize = 8;
/// Beginnings of the names of tools that open a page.
const STARTS: [&str; 3] = ["navigate", "new_page", "browser_navigate"];

/// Returns the sequences of actions that began with opening a page and were done twice.
pub(super) fn repeated_sequences<'c>(calls: &[&'c AppCall]) -> Vec<Vec<&'c AppCall>> {
    let mut runs: Vec<Vec<&AppCall>> = Vec::new();
    for call in calls.iter().copied().filter(|call| call.kind == AppCallKind::Action) {
        if STARTS.iter().any(|start| call.tool.starts_with(start)) {
            runs.push(vec![call]);
        } else if let Some(run) = runs.last_mut() {
            run.push(call);
        }
    }
    let mut found: Vec<Vec<&AppCall>> = Vec::new();
    for (index, run) in runs.iter().enumerate() {
        for later in &runs[index + 1..] {
            let same = |(one, other): &(&&AppCall, &&AppCall)| {
                one.failure.is_none()
                    && other.failure.is_none()
                    && one.target.is_some()
                    && (&one.tool, &one.target) == (&other.tool, &other.target)
            };
            let shared = run.iter().zip(later).take_while(same).count();
            let sequence = &run[..shared];
            let is_known = found.iter().any(|known| known.starts_with(sequence));
            if (MIN_ACTIONS..=MAX_ACTIONS).contains(&shared) && !is_known {
                found.retain(|known| !sequence.starts_with(known));
                found.push(sequence.to_vec());
            }
        }
    }
    found
}
