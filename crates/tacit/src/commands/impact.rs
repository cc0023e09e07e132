//! `tacit impact` and `tacit deps`

use serde_json::json;
use tacit_app::AppResult;
use tacit_app::graph::CodeTarget;
use tacit_app::impact;
use tacit_graph::{Direction, Impact as Answer};

use crate::app::App;
use crate::commands::count;
use crate::filter_args::at_least_one;
use crate::render;

/// Number of memories shown beside an answer.
const MEMORIES: usize = 10;

/// What a change to a file or symbol may break.
///
/// Counts come first, then the files that are most likely affected, each with the reason and the
/// way, the tests among them, and what is remembered: about the target itself, what must hold in the
/// files that depend on it, and what was seen of them in the running application. `Bound` says
/// whether anything could not be looked into.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit impact src/pool.rs
  tacit impact src/pool.rs::Pool.close --depth 2
  tacit impact src/auth              everything below a directory
  tacit impact src/pool.rs --json --after 20")]
pub(crate) struct Impact {
    /// A file, a directory, or `FILE::SYMBOL`.
    #[arg(value_name = "PATH[::SYMBOL]")]
    target: String,
    #[command(flatten)]
    range: Range,
}

/// What a file or symbol depends on, directly and further down.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit deps src/pool.rs
  tacit deps src/pool.rs::Pool.close --depth 1 --json")]
pub(crate) struct Deps {
    /// A file, a directory, or `FILE::SYMBOL`.
    #[arg(value_name = "PATH[::SYMBOL]")]
    target: String,
    #[command(flatten)]
    range: Range,
}

/// How far and how much.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Range {
    /// How many steps away.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// How many files to list.
    #[arg(long, short = 'n', value_name = "COUNT", default_value = "20", value_parser = at_least_one)]
    limit: usize,
    /// How many files to pass over first: the `next` of the answer before.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    after: usize,
}

impl Impact {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
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
            let lines = found.iter().map(|found| render::summary(&app.ui, found, now));
            app.ui.lines(lines.map(|line| format!("{label}: {line}")))?;
        }
        Ok(())
    }
}

impl Deps {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
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

impl From<Range> for impact::ImpactRange {
    fn from(range: Range) -> impact::ImpactRange {
        impact::ImpactRange { depth: range.depth, offset: range.after, limit: range.limit }
    }
}

impl Range {
    fn print(
        self,
        app: &App,
        target: &CodeTarget,
        answer: &Answer,
        direction: Direction,
    ) -> AppResult<()> {
        let mut lines = answer.lines(direction).into_iter();
        if let Some(first) = lines.next() {
            app.ui.line(render::visible_line(&format!("{}: {first}", target.label())))?;
        }
        app.ui.lines(lines.map(|line| render::visible_line(&line)))?;
        if let Some(next) = answer.next_offset(self.after) {
            let more = count(answer.total - next, "more file", "more files");
            app.ui.line(format!("{more} with --after {next}"))?;
        }
        Ok(())
    }
}
