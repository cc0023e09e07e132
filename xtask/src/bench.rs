//! `cargo xtask bench`: one file per benchmark, and what they share.
//!
//! Timings never decide whether the command succeeds: they are for people to judge, on the machine
//! they were taken on.

mod graph;
mod hooks;
mod measure;
mod observe;
mod place;
mod report;
mod scale;
mod start;
mod triggers;
mod words;

use anyhow::Result;
use clap::Subcommand;

use crate::workspace::Workspace;

/// Measure the release binary.
#[derive(Debug, clap::Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) which: Which,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Which {
    Scale(scale::Scale),
    Start(start::Start),
    Hooks(hooks::Hooks),
    Observe(observe::Observe),
    Graph(graph::Graph),
    Triggers(triggers::Triggers),
}

impl Bench {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        match self.which {
            Which::Scale(scale) => scale.run(workspace),
            Which::Start(start) => start.run(workspace),
            Which::Hooks(hooks) => hooks.run(workspace),
            Which::Observe(observe) => observe.run(workspace),
            Which::Graph(graph) => graph.run(workspace),
            Which::Triggers(triggers) => triggers.run(workspace),
        }
    }
}
