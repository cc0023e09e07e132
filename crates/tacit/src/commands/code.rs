//! `tacit code`: questions about the code, answered from its graph and its history. One file per
//! subcommand.

mod cochange;
mod export;
mod impact;
mod index;
mod locate;
mod map;
mod path;

use clap::Subcommand;
use tacit_app::AppResult;

use crate::app::CliApp;

/// Ask about the code: impact, paths, modules.
///
/// The code graph has the files and symbols of the project and the dependencies between them. It is
/// built when it is first needed, and `tacit maintain` keeps it up to date.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code impact src/pool.rs           what a change may break
  tacit code path src/main.rs src/db.rs   how one leads to the other
  tacit code locate \"Pool.close hangs\"    the files that a task is about
  tacit code map                          the modules of the project")]
pub(crate) struct CodeArgs {
    #[command(subcommand)]
    question: CodeQuestion,
}

#[derive(Debug, Subcommand)]
enum CodeQuestion {
    Impact(impact::ImpactArgs),
    Deps(impact::DepsArgs),
    Path(path::PathArgs),
    Cochange(cochange::CochangeArgs),
    Locate(locate::LocateArgs),
    Map(map::MapArgs),
    Index(index::IndexArgs),
    Export(export::CodeExportArgs),
}

impl CodeArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.question {
            CodeQuestion::Impact(args) => args.run(app),
            CodeQuestion::Deps(args) => args.run(app),
            CodeQuestion::Path(args) => args.run(app),
            CodeQuestion::Cochange(args) => args.run(app),
            CodeQuestion::Locate(args) => args.run(app),
            CodeQuestion::Map(args) => args.run(app),
            CodeQuestion::Index(args) => args.run(app),
            CodeQuestion::Export(args) => args.run(app),
        }
    }
}
