//! Loads a team's memories into a PostgreSQL server and measures what members wait for, as JSON:
//! `team URL MEMORIES PROJECTS MINUTES CLIENTS SECONDS`.
//!
//! A separate program, because `cargo xtask` is built without optimisation.

mod load;
mod work;

use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::json;

use crate::load::Team;

#[expect(clippy::print_stdout, reason = "the figures are what it is run for")]
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, memories, projects, minutes, clients, seconds] = arguments.as_slice() else {
        bail!("usage: team URL MEMORIES PROJECTS MINUTES CLIENTS SECONDS");
    };
    let (memories, projects): (usize, usize) = (memories.parse()?, projects.parse()?);
    let mut team = Team::prepare(url, memories.div_ceil(projects))?;
    let limit = Duration::from_secs(60 * minutes.parse::<u64>()?);
    team.load(1, limit)?;
    team.vacuum()?;
    let alone = work::recalls(&team)?;
    team.load(projects, limit)?;
    team.vacuum()?;
    let among_all = work::recalls(&team)?;
    let period = Duration::from_secs(seconds.parse()?);
    let mixed = work::mixed(&team, clients.parse()?, period)?;
    let figures = json!({
        "projects": team.loaded(),
        "memories": team.loaded() * team.memories_each(),
        "load_seconds": team.loading().as_secs_f64(),
        "megabytes": team.megabytes()?,
        "alone": micros(&alone.times),
        "alone_server": alone.server.as_micros() as u64,
        "first_among_all": micros(&among_all.first),
        "among_all": micros(&among_all.times),
        "among_all_server": among_all.server.as_micros() as u64,
        "seconds": mixed.period.as_secs_f64(),
        "reads": micros(&mixed.reads),
        "writes": micros(&mixed.writes),
        "busy": mixed.busy,
        "errors": mixed.errors,
    });
    println!("{figures}");
    Ok(())
}

fn micros(times: &[Duration]) -> Vec<u64> {
    times.iter().map(|time| time.as_micros() as u64).collect()
}
