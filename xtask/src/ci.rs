//! `cargo xtask ci`: everything that must pass before a change lands.

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::lint_words::lint_words;
use crate::table::{Align, Table};
use crate::tools::{DENY, TMUX};
use crate::workspace::{Workspace, run};
use crate::{agents, clients, panel, release, table, test};

/// Run everything that must pass before a change lands; stop at the first that does not.
#[derive(Debug, clap::Args)]
pub(crate) struct Ci {}

type Step = (&'static str, fn(&Workspace) -> Result<()>);

/// The steps, the fastest first.
const STEPS: &[Step] = &[
    ("format", format),
    ("words", lint_words),
    ("lints", lints),
    ("documentation", documentation),
    ("dependencies and licences", dependencies),
    ("documentation examples", doc_tests),
    ("MCP clients", clients::clients),
    ("agent clients", agents::agents),
    ("panics of a release", release::panics),
    ("panel", panel::panel),
    // Last, so that the summary of the tests is at the end of the output.
    ("tests", tests),
];

impl Ci {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        let begin = Instant::now();
        let mut times = Vec::with_capacity(STEPS.len());
        for (index, (name, step)) in STEPS.iter().enumerate() {
            let number = index + 1;
            eprintln!("\n=== {number}/{} {name}", STEPS.len());
            let start = Instant::now();
            let result = step(workspace);
            let elapsed = start.elapsed();
            if let Err(error) = result {
                let after = table::seconds(elapsed);
                return Err(anyhow!("step {number} of {} ({name}): {error:#}", STEPS.len())
                    .context(format!("ci failed after {after} in that step")));
            }
            eprintln!("=== {name}: passed in {}", table::seconds(elapsed));
            times.push((*name, elapsed));
        }
        println!("\n{}", summary(&times, begin.elapsed()));
        Ok(())
    }
}

fn format(workspace: &Workspace) -> Result<()> {
    run(&mut workspace.cargo(["fmt", "--all", "--check"]))
}

fn lints(workspace: &Workspace) -> Result<()> {
    let what = ["clippy", "--workspace", "--all-targets", "--all-features", "--locked"];
    run(workspace.cargo(what).args(["--", "-D", "warnings"]))?;
    // The build without the panel.
    let what = ["clippy", "--package", "tacit", "--no-default-features", "--locked"];
    run(workspace.cargo(what).args(["--", "-D", "warnings"]))
}

fn tests(workspace: &Workspace) -> Result<()> {
    TMUX.require()?;
    test::nextest(workspace, &["--locked", "--no-fail-fast"])
}

fn doc_tests(workspace: &Workspace) -> Result<()> {
    test::doc_tests(workspace, &["--locked"])
}

fn documentation(workspace: &Workspace) -> Result<()> {
    let mut command = workspace.cargo(["doc", "--no-deps", "--workspace", "--locked"]);
    run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs cargo-deny without advisories, whose database would have to be fetched.
fn dependencies(workspace: &Workspace) -> Result<()> {
    let mut command = DENY.command(workspace)?;
    command.args(["--all-features", "--locked", "check", "bans", "licenses", "sources"]);
    run(&mut command)
}

fn summary(times: &[(&str, Duration)], total: Duration) -> String {
    let mut table = Table::new([("step", Align::Left), ("time", Align::Right)]);
    for (name, elapsed) in times {
        table.row([(*name).to_owned(), table::seconds(*elapsed)]);
    }
    table.row(["everything passed".to_owned(), table::seconds(total)]);
    table.to_string()
}
