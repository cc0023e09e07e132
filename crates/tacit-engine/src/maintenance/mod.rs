//! Files of `tacit maintain` beside the store: failed steps, and the report of the last run.

mod failures;
mod report;

pub use failures::FailedStep;
pub use report::{RunReport, StepReport};
