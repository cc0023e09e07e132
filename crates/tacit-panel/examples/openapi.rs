//! Prints the OpenAPI document of the panel's API.

use std::io::Write;

fn main() -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{:#}", tacit_panel::document())
}
