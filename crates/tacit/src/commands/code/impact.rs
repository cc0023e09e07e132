//! `tacit code impact` and `tacit code deps`

use serde_json::json;
use tacit_app::AppResult;
use tacit_app::graph::CodeTarget;
use tacit_app::impact;
use tacit_graph::{Direction, Impact};

use crate::app::CliApp;
use crate::commands::footer;
use crate::filter_args::at_least_one;
use crate::render;

/// Number of memories shown beside an answer.
const MEMORIES: usize = 10;

/// Show what a change to a file or symbol may break.
///
/// Prints counts first, then the files that are most likely affected, each with the reason and the
/// path, then the tests among them. Memories follow: about the target, about what must hold in the
/// files that depend on it, and about their behaviour in the running application. `Bound` says
/// whether some dependencies could not be followed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code impact src/pool.rs
  tacit code impact src/pool.rs::Pool.close --depth 2
  tacit code impact src/auth              everything below a directory
  tacit code impact src/pool.rs --json --after 20")]
pub(crate) struct ImpactArgs {
    /// A file, a directory, or `FILE::SYMBOL`.
    #[arg(value_name = "PATH[::SYMBOL]")]
    target: String,
    #[command(flatten)]
    range: RangeArgs,
}

/// Show what a file or symbol depends on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code deps src/pool.rs
  tacit code deps src/pool.rs::Pool.close --depth 1 --json")]
pub(crate) struct DepsArgs {
    /// A file, a directory, or `FILE::SYMBOL`.
    #[arg(value_name = "PATH[::SYMBOL]")]
    target: String,
    #[command(flatten)]
    range: RangeArgs,
}

/// The depth and the part of the answer.
#[derive(Debug, Clone, Copy, clap::Args)]
struct RangeArgs {
    /// Number of steps to follow.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// Number of files to list.
    #[arg(long, short = 'n', value_name = "COUNT", default_value = "20", value_parser = at_least_one)]
    limit: usize,
    /// Number of files to skip: the `next` of the answer before.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    after: usize,
}

impl ImpactArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let target = CodeTarget::parse(app, &self.target)?;
        let (answer, known) =
            impact::impact_with_memories(app, &target, self.range.into(), MEMORIES)?;
        if app.json {
            let mut value = answer.to_json(self.range.after);
            value["target"] = json!(target.label());
            for (name, found) in [
                ("memories", &known.memories),
                ("invariants", &known.invariants),
                ("observations", &known.observations),
            ] {
                value[name] = render::all_to_json(found);
            }
            return app.ui.json(&value);
        }
        self.range.print(app, &target, &answer, Direction::Dependents)?;
        let now = app.now();
        for (label, found) in [
            ("Remembered", &known.memories),
            ("Must hold", &known.invariants),
            ("Observed", &known.observations),
        ] {
            if found.is_empty() {
                continue;
            }
            app.ui.line(format!("{label}:"))?;
            let width = app.ui.width().saturating_sub(2);
            let row = |found| render::summary_within(&app.ui, found, now, width);
            app.ui.lines(found.iter().map(row).map(|row| format!("  {row}")))?;
        }
        Ok(())
    }
}

impl DepsArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let target = CodeTarget::parse(app, &self.target)?;
        let (answer, _) =
            impact::related_files(app, &target, Direction::Dependencies, self.range.into())?;
        if app.json {
            let mut value = answer.to_json(self.range.after);
            value["target"] = json!(target.label());
            return app.ui.json(&value);
        }
        self.range.print(app, &target, &answer, Direction::Dependencies)
    }
}

impl From<RangeArgs> for impact::ImpactRange {
    fn from(range: RangeArgs) -> impact::ImpactRange {
        impact::ImpactRange { depth: range.depth, offset: range.after, limit: range.limit }
    }
}

impl RangeArgs {
    fn print(
        self,
        app: &CliApp,
        target: &CodeTarget,
        answer: &Impact,
        direction: Direction,
    ) -> AppResult<()> {
        let mut lines = answer.lines(direction).into_iter();
        if let Some(first) = lines.next() {
            app.ui.line(render::visible_line(&format!("{}: {first}", target.label())))?;
        }
        app.ui.lines(lines.map(|line| render::visible_line(&line)))?;
        app.ui.footer(footer(self.after, answer.affected.len(), answer.total))
    }
}
