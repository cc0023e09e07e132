//! `cargo xtask soak`: the memory of an MCP server over thousands of calls.

use std::time::Instant;

use anyhow::{Result, bail};
use tacit_testkit::env::TestEnv;
use tacit_testkit::mcp_client::McpClient;

use crate::table::{self, Align, Table};
use crate::workspace::{Workspace, run};

/// Number of times memory is measured.
const MEASUREMENTS: usize = 10;
/// Maximum growth of the server in kilobytes after the first tenth of the calls.
const MAX_GROWTH: u64 = 4_096;

/// Check that the memory of an MCP server does not grow over thousands of calls.
///
/// The calls store, search, note and fail in turn, with the bundled model. The first tenth of the
/// calls loads what is loaded once; after that, memory must not grow.
#[derive(Debug, clap::Args)]
pub(crate) struct Soak {
    /// Number of calls.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(100..))]
    pub(crate) calls: u32,
}

impl Soak {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        run(&mut workspace.cargo(["build", "--locked", "--package", "tacit"]))?;
        let env = TestEnv::initialised(workspace.target()?.join("debug/tacit"));
        let mut client = McpClient::start(&env);
        let mut table = Table::new(
            ["calls", "memory of its own", "of mapped files", "time"]
                .map(|name| (name, Align::Right)),
        );
        let mut sizes = Vec::with_capacity(MEASUREMENTS);
        let begin = Instant::now();
        let part = self.calls as usize / MEASUREMENTS;
        for round in 0..MEASUREMENTS {
            (round * part..(round + 1) * part).for_each(|number| client.call_number(number));
            let (own, mapped) = client.resident();
            let calls = (round + 1) * part;
            eprintln!("{calls} of {} calls: {own} kB", self.calls);
            table.row([
                calls.to_string(),
                format!("{own} kB"),
                format!("{mapped} kB"),
                table::seconds(begin.elapsed()),
            ]);
            sizes.push(own);
        }
        client.end();
        println!("\n{table}");
        let (first, most) = (sizes[0], sizes.iter().copied().max().unwrap_or_default());
        if most > first + MAX_GROWTH {
            bail!(
                "the server grew from {first} kB to {most} kB; at most {MAX_GROWTH} kB are allowed"
            );
        }
        Ok(())
    }
}
