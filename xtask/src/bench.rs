//! `cargo xtask bench`: one file per benchmark, and shared helpers.
//!
//! The command succeeds whatever the timings are: people judge them, on the machine they were
//! measured on.

mod env;
mod graph;
mod hooks;
mod measure;
mod observe;
mod report;
mod scale;
mod start;
mod team;
mod triggers;
mod words;

use anyhow::Result;
use clap::Subcommand;

use crate::workspace::Workspace;

/// Measure the release binary.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) which: BenchCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Scale(scale::Scale),
    Start(start::Start),
    Hooks(hooks::Hooks),
    Observe(observe::Observe),
    Graph(graph::BenchGraph),
    Team(team::BenchTeam),
    Triggers(triggers::Triggers),
}

impl Bench {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        match self.which {
            BenchCommand::Scale(scale) => scale.run(workspace),
            BenchCommand::Start(start) => start.run(workspace),
            BenchCommand::Hooks(hooks) => hooks.run(workspace),
            BenchCommand::Observe(observe) => observe.run(workspace),
            BenchCommand::Graph(graph) => graph.run(workspace),
            BenchCommand::Team(team) => team.run(workspace),
            BenchCommand::Triggers(triggers) => triggers.run(workspace),
        }
    }
}
