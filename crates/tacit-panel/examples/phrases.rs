//! Prints the module of the page that names every sentence and every configuration key.

use std::io::Write;

fn main() -> std::io::Result<()> {
    write!(std::io::stdout(), "{}", tacit_panel::phrases())
}
