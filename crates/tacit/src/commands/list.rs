//! `tacit list`

mod tags;

use clap::ValueEnum;
use tacit_app::AppResult;
use tacit_core::Source;
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::ListOrder;

use crate::app::{CliApp, StoreScopeArg};
use crate::commands::footer;
use crate::filter_args::{FilterArgs, at_least_one};
use crate::render;

/// List memories, one per line.
///
/// Notes of commits, of which there are many, are listed only with `--source commit_auto` or
/// `--status all`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit list
  tacit list --type gotcha --file src --sort confidence
  tacit list --review needed
  tacit list --status all --json
  tacit list --tags                 every tag and how often it is used")]
pub(crate) struct ListArgs {
    /// Maximum number of memories.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one)]
    limit: Option<usize>,
    /// Number of memories to skip.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    offset: usize,
    /// The order.
    #[arg(long, value_enum, default_value_t = Sort::Newest)]
    sort: Sort,
    /// List the tags in use instead.
    #[arg(long = "tags", conflicts_with = "FilterArgs")]
    only_tags: bool,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    scope: StoreScopeArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Sort {
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
    /// The last changed first.
    Changed,
    /// The last shown first.
    Used,
    /// The highest confidence first.
    Confidence,
}

impl ListArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        if self.only_tags {
            return tags::list_tags(app);
        }
        let mut filter = self.filter.filter(app)?;
        if filter.sources.is_empty() && !filter.statuses.is_empty() {
            let all = Source::ALL.iter().copied();
            filter.sources = all.filter(|source| *source != Source::CommitAuto).collect();
        }
        let order = match self.sort {
            Sort::Newest => ListOrder::Newest,
            Sort::Oldest => ListOrder::Oldest,
            Sort::Changed => ListOrder::Changed,
            Sort::Used => ListOrder::Used,
            Sort::Confidence => ListOrder::Confidence,
        };
        let only = self.scope.global.then_some(StoreScope::Global);
        let limit = self.limit.unwrap_or(app.config().recall_limit as usize);
        let engine = app.engine(only.map_or(StoreAccess::ReadBoth, StoreAccess::Read))?;
        let listed = engine.list(only, &filter, order, limit, self.offset)?;
        let is_whole = self.offset == 0 && listed.len() < limit;
        let total = if is_whole { listed.len() } else { engine.count(only, &filter)? };
        drop(engine);
        if app.json {
            return app.ui.json(&render::all_to_json(&listed));
        }
        if listed.is_empty() {
            return app.ui.line("No memories.");
        }
        let now = app.now();
        app.ui.lines(listed.iter().map(|found| render::summary(&app.ui, found, now)))?;
        app.ui.footer(footer(self.offset, listed.len(), total))
    }
}
