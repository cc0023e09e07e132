//! Two stores that are given the same.

use tacit_store::conformance::{copies_survive_another_store, same_ranking, same_states};
use tacit_testkit::realistic;

use crate::empty;

#[test]
fn the_same_operations_lead_to_the_same_state() {
    same_states(6, empty, empty);
}

#[test]
fn the_same_memories_are_ranked_alike() {
    let ((mut one, _keep), (mut other, _keep_too)) = (empty(), empty());
    same_ranking(&mut one, &mut other, realistic::draft);
}

#[test]
fn copies_of_copies_are_equal() {
    let ((mut one, _keep), (mut other, _keep_too), (mut back, _keep_that)) =
        (empty(), empty(), empty());
    copies_survive_another_store(&mut one, &mut other, &mut back);
}
