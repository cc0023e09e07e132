//! Writes the hooks of the plugin for Claude Code to standard output.

use std::io::{self, Write};

fn main() -> io::Result<()> {
    io::stdout().write_all(tacit_agents::install::plugin_hooks().as_bytes())
}
