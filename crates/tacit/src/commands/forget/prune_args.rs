//! The rules of `tacit forget` that choose memories, as the panel offers them.

use clap::value_parser;
use tacit_app::prune::PruneRule;
use tacit_core::Confidence;

/// The rules. They choose from both stores.
#[derive(Debug, clap::Args)]
#[group(multiple = true)]
pub(super) struct PruneArgs {
    /// Forget memories whose files no longer exist.
    #[arg(long, conflicts_with_all = ["finished_work", "unused_below"])]
    missing_files: bool,
    /// Archive memories about a finished unit of work: its path, as in `tacit list --work-unit` (repeat
    /// for several); `METHODOLOGY:PATH` if several methodologies have that path.
    #[arg(long, value_name = "UNIT", conflicts_with = "unused_below")]
    finished_work: Vec<String>,
    /// Forget unconfirmed memories below this confidence that were not used for `--unused-days`.
    #[arg(long, value_name = "CONFIDENCE")]
    unused_below: Option<Confidence>,
    /// Days without use.
    #[arg(long, value_name = "DAYS", default_value = "30", requires = "unused_below",
          value_parser = value_parser!(u32))]
    unused_days: u32,
}

impl PruneArgs {
    /// Returns the rule, if one was given.
    pub(super) fn rule(&self) -> Option<PruneRule> {
        if self.missing_files {
            return Some(PruneRule::MissingFiles);
        }
        if !self.finished_work.is_empty() {
            return Some(PruneRule::FinishedWork(self.finished_work.clone()));
        }
        let below = self.unused_below?.value();
        Some(PruneRule::LowConfidence { below, unused_days: f64::from(self.unused_days) })
    }
}
