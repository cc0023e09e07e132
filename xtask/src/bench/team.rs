//! `cargo xtask bench team`: the store of many projects on one PostgreSQL server.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use nix::sys::statvfs::statvfs;
use serde::Deserialize;

use crate::bench::measure::{Spread, ratio};
use crate::bench::report::{Figure, Report};
use crate::postgres::LocalServer;
use crate::workspace::{Workspace, run};

/// The directory of the server's data: on a disk, and everybody can enter it.
const DATA: &str = "/var/tmp";
/// Settings of the server, that of a small team.
const SETTINGS: &str =
    "-c shared_buffers=1GB -c maintenance_work_mem=256MB -c max_wal_size=4GB -c work_mem=16MB";
/// The space that a memory takes on the server, in kilobytes, before old rows are removed.
const KILOBYTES_EACH: u64 = 25;
/// The space that the server takes without memories, in kilobytes.
const KILOBYTES_OF_SERVER: u64 = 6_000_000;

/// Measure the store of many projects on one PostgreSQL server.
///
/// Fills a new server, with sync on, through the store's own code; each project has one member, who is subject to
/// row-level security. Vectors are random, which is the hardest for an index. Exits with 0 whatever
/// the numbers are.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchTeam {
    /// Number of memories in all projects.
    #[arg(long, value_name = "COUNT", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) memories: u32,
    /// Number of projects of equal size.
    #[arg(long, value_name = "COUNT", default_value_t = 200,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) projects: u32,
    /// Number of clients that work at the same time.
    #[arg(long, value_name = "COUNT", default_value_t = 64,
          value_parser = clap::value_parser!(u32).range(1..=150))]
    pub(crate) clients: u32,
    /// Duration of the concurrent load, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) seconds: u32,
    /// Load no further project after this time; the report says how many there are.
    #[arg(long, value_name = "MINUTES", default_value_t = 120,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) minutes: u32,
    /// Print JSON instead of tables.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The figures that the measuring program prints; times are in microseconds.
#[derive(Debug, Deserialize)]
struct Measured {
    projects: u64,
    memories: u64,
    load_seconds: f64,
    megabytes: f64,
    alone: Vec<u64>,
    /// The processor time of the server for one recall.
    alone_server: u64,
    /// The recalls that filled the caches of the server.
    first_among_all: Vec<u64>,
    among_all: Vec<u64>,
    among_all_server: u64,
    seconds: f64,
    reads: Vec<u64>,
    writes: Vec<u64>,
    busy: u64,
    errors: Vec<String>,
}

impl BenchTeam {
    pub(crate) fn run(self, workspace: &Workspace) -> Result<()> {
        self.check_space()?;
        let build = ["build", "--release", "--locked", "--package", "xtask", "--bin", "team"];
        run(&mut workspace.cargo(build))?;
        let report = self.measure(workspace)?.report();
        if self.json {
            println!("{:#}", report.to_json());
        } else {
            println!("\n{report}");
        }
        Ok(())
    }

    /// Fails if the disk might become full.
    fn check_space(&self) -> Result<()> {
        let disk = statvfs(DATA).with_context(|| format!("cannot look at `{DATA}`"))?;
        let free = disk.blocks_available() as u64 * disk.fragment_size() as u64 / 1_000;
        let needed = KILOBYTES_OF_SERVER + KILOBYTES_EACH * u64::from(self.memories);
        ensure!(
            free > needed,
            "`{DATA}` has {} MB of free space; {} memories may take {} MB",
            free / 1_000,
            self.memories,
            needed / 1_000
        );
        Ok(())
    }

    fn measure(&self, workspace: &Workspace) -> Result<Measured> {
        let server = LocalServer::start(workspace, Path::new(DATA), SETTINGS)?;
        let numbers = [self.memories, self.projects, self.minutes, self.clients, self.seconds];
        let mut team = Command::new(workspace.target()?.join("release/team"));
        team.arg(server.url()).args(numbers.map(|number| number.to_string()));
        let output = team.stderr(Stdio::inherit()).output().context("cannot run `team`")?;
        ensure!(output.status.success(), "`team` failed");
        serde_json::from_slice(&output.stdout).context("`team` printed no figures")
    }
}

impl Measured {
    fn report(self) -> Report {
        let mut figures = Vec::new();
        let mut figure = |name: &str, value: f64, unit| {
            figures.push(Figure { name: name.into(), value, unit, target: None });
        };
        figure("projects", self.projects as f64, "");
        figure("memories", self.memories as f64, "");
        figure("loading", self.memories as f64 / self.load_seconds.max(1e-9), "memories/s");
        figure("size of the database", self.megabytes, "MB");
        let (alone, among_all) = (spread(&self.alone), spread(&self.among_all));
        for (name, spread) in [
            ("recall, the only project", alone),
            ("first recalls, all projects present", spread(&self.first_among_all)),
            ("recall, all projects present", among_all),
            ("recall among clients", spread(&self.reads)),
            ("remember among clients", spread(&self.writes)),
        ] {
            figure(&format!("{name}, median"), spread.median.as_micros() as f64, "µs");
            figure(&format!("{name}, p95"), spread.p95.as_micros() as f64, "µs");
        }
        let percent = 100.0 * ratio(among_all.median, alone.median);
        figure("all projects present : the only one, median", percent, "%");
        let [one, all] = [self.alone_server, self.among_all_server].map(|time| time as f64);
        figure("processor time of a recall on the server, the only project", one, "µs");
        figure("processor time of a recall on the server, all projects present", all, "µs");
        figure(
            "all projects present : the only one, processor time",
            100.0 * all / one.max(1.0),
            "%",
        );
        figure("recalls of all clients", self.reads.len() as f64 / self.seconds, "per second");
        figure(
            "new memories of all clients",
            self.writes.len() as f64 / self.seconds,
            "per second",
        );
        figure("writes that waited too long", self.busy as f64, "");
        figure("errors", self.errors.len() as f64, "");
        let mut notes = vec![
            "The clients and the server share this machine, with whatever else runs on it.".into(),
            "Recall: the calls of the store, without ranking and without embedding the question."
                .into(),
            "Vectors are random and have 384 dimensions; the server syncs, with 1 GB of buffers."
                .into(),
        ];
        notes.extend(self.errors.first().map(|error| format!("The first error: {error}")));
        Report { processes: Vec::new(), figures, notes }
    }
}

fn spread(micros: &[u64]) -> Spread {
    Spread::of(micros.iter().copied().map(Duration::from_micros))
}
