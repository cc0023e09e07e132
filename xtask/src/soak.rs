//! `cargo xtask soak`: one MCP server for thousands of calls, and how much memory it has.

use std::time::Instant;

use anyhow::{Result, bail};
use tacit_testkit::env::TestEnv;
use tacit_testkit::mcp_client::McpClient;

use crate::table::{self, Align, Table};
use crate::workspace::{Workspace, run};

/// How often memory is looked at.
const LOOKS: usize = 10;
/// The most kilobytes by which all calls after the first tenth may make the server grow.
const GROWTH: u64 = 4_096;

/// Make thousands of calls to one MCP server, and see that its memory does not grow.
///
/// Storing, searching, noting and erring in turn, with the bundled model. The first tenth of the
/// calls loads what is loaded once; from then on the memory has to stay as it is.
#[derive(Debug, clap::Args)]
pub(crate) struct Soak {
    /// How many calls are made.
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
        let mut sizes = Vec::with_capacity(LOOKS);
        let begin = Instant::now();
        let part = self.calls as usize / LOOKS;
        for look in 0..LOOKS {
            (look * part..(look + 1) * part).for_each(|number| client.call_number(number));
            let (own, mapped) = client.resident();
            let calls = (look + 1) * part;
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
        if most > first + GROWTH {
            bail!(
                "the server grew from {first} kB to {most} kB; at most {GROWTH} kB more is right"
            );
        }
        Ok(())
    }
}
