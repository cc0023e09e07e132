//! `tacit list`

mod tags;

use clap::ValueEnum;
use tacit_app::AppResult;
use tacit_engine::{StoreAccess, StoreScope};
use tacit_store::ListOrder;

use crate::app::{App, ShelfArg};
use crate::commands::count;
use crate::filter_args::{FilterArgs, at_least_one};
use crate::render;

/// List memories, one per line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit list
  tacit list --type gotcha --file src --sort confidence
  tacit list --review needed
  tacit list --status all --json
  tacit list --tags                 every tag and how often it is used")]
pub(crate) struct ListArgs {
    /// How many at most.
    #[arg(long, short = 'n', value_name = "COUNT", value_parser = at_least_one)]
    limit: Option<usize>,
    /// How many to pass over first.
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
    shelf: ShelfArg,
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
    /// The surest first.
    Confidence,
}

impl ListArgs {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        if self.only_tags {
            return tags::list_tags(app);
        }
        let filter = self.filter.filter(app)?;
        let order = match self.sort {
            Sort::Newest => ListOrder::Newest,
            Sort::Oldest => ListOrder::Oldest,
            Sort::Changed => ListOrder::Changed,
            Sort::Used => ListOrder::Used,
            Sort::Confidence => ListOrder::Confidence,
        };
        let only = self.shelf.global.then_some(StoreScope::Global);
        let limit = self.limit.unwrap_or(app.config().recall_limit as usize);
        let engine = app.engine(only.map_or(StoreAccess::ReadBoth, StoreAccess::Read))?;
        // One more than asked for tells whether there are more.
        let mut listed = engine.list(only, &filter, order, limit.saturating_add(1), self.offset)?;
        drop(engine);
        let more = listed.len() > limit;
        listed.truncate(limit);
        if app.json {
            return app.ui.json(&render::all_to_json(&listed));
        }
        if listed.is_empty() {
            return app.ui.line("No memories.");
        }
        let now = app.now();
        app.ui.lines(listed.iter().map(|found| render::summary(&app.ui, found, now)))?;
        if more && app.ui.interactive {
            let next = self.offset + limit;
            let shown = count(limit, "memory", "memories");
            app.ui.line(format!("{shown}; more with --offset {next} or --limit"))?;
        }
        Ok(())
    }
}
