//! The projects of the team and their memories.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use tacit_core::{Confidence, Memory, MemoryId, Timestamp};
use tacit_engine::index_entry;
use tacit_store::{MemoryRow, ModelRow, TransferRow, TransferStore, VectorModel, VectorsRow};
use tacit_store_postgres::{
    Credentials, PostgresStore, ServerSettings, ServerUrl, Timeouts, add_project, install,
};
use tacit_testkit::postgres::TestDatabase;
use tacit_testkit::realistic::{self, TestRandom};

/// The length of the vectors.
const DIMENSIONS: usize = 384;
/// The number of memories in one transaction.
const AT_ONCE: usize = 500;
/// The number of projects that are loaded at the same time.
const LOADERS: usize = 2;
/// Limits for a loaded machine; an index is built in one statement.
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(60),
    statement: Duration::from_secs(20 * 60),
    busy: Duration::from_secs(30),
};

/// A database with projects of equal size, each with one member.
#[derive(Debug)]
pub(crate) struct Team {
    database: TestDatabase,
    memories_each: usize,
    loaded: usize,
    loading: Duration,
}

impl Team {
    /// Creates a database without projects.
    pub(crate) fn prepare(server: &str, memories_each: usize) -> Result<Team> {
        let database = TestDatabase::on(server);
        install(&settings(&database.url())?, TIMEOUTS)?;
        Ok(Team { database, memories_each, loaded: 0, loading: Duration::ZERO })
    }

    /// Returns the number of projects.
    pub(crate) fn loaded(&self) -> usize {
        self.loaded
    }

    /// Returns the number of memories of a project.
    pub(crate) fn memories_each(&self) -> usize {
        self.memories_each
    }

    /// Returns the time that loading took.
    pub(crate) fn loading(&self) -> Duration {
        self.loading
    }

    /// Fills projects until this many are full, or until loading has taken longer than `limit`.
    pub(crate) fn load(&mut self, projects: usize, limit: Duration) -> Result<()> {
        // First all of them: a new project gets a partition, for which writers of others wait.
        for project in self.loaded..projects {
            self.add(project)?;
        }
        let (start, before) = (Instant::now(), self.loading);
        let (next, done) = (AtomicUsize::new(self.loaded), AtomicUsize::new(0));
        let team = &*self;
        let work = || -> Result<()> {
            while before + start.elapsed() < limit {
                let project = next.fetch_add(1, Ordering::Relaxed);
                if project >= projects {
                    break;
                }
                team.fill(project)?;
                let done = team.loaded + done.fetch_add(1, Ordering::Relaxed) + 1;
                progress(done, projects, before + start.elapsed());
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let loaders: Vec<_> = (0..LOADERS).map(|_| scope.spawn(work)).collect();
            loaders.into_iter().try_for_each(|loader| {
                loader.join().map_err(|_| anyhow!("a loader panicked")).flatten()
            })
        })?;
        self.loaded += done.into_inner();
        self.loading += start.elapsed();
        Ok(())
    }

    /// Adds a project with its member, who has no other rights on the server.
    fn add(&self, project: usize) -> Result<()> {
        let (name, member) = (identity(project), member(project));
        let url = self.database.create_user(&member);
        self.database.run(&format!("GRANT tacit_member TO {}", self.database.user(&member)));
        Ok(add_project(&settings(&url)?, TIMEOUTS, &name, &name)?)
    }

    /// Fills a project. Its vectors are indexed at the end, as one does with many rows.
    fn fill(&self, project: usize) -> Result<()> {
        let mut store = self.open(project)?;
        let model = |active| {
            let VectorModel { name, dims } = model();
            TransferRow::Model(ModelRow { name, dims, active })
        };
        let index = |memory: &Memory| index_entry(&memory.body);
        store.put_rows(&[model(false)], &index)?;
        let first = project * self.memories_each;
        let numbers: Vec<usize> = (first..first + self.memories_each).collect();
        for numbers in numbers.chunks(AT_ONCE) {
            let mut rows = Vec::with_capacity(2 * numbers.len());
            for number in numbers {
                rows.push(TransferRow::Memory(Box::new(MemoryRow { memory: memory(*number)? })));
            }
            for number in numbers {
                rows.push(vectors(*number)?);
            }
            store.put_rows(&rows, &index)?;
        }
        Ok(store.put_rows(&[model(true)], &index)?)
    }

    /// Opens the store of a project as its member.
    pub(crate) fn open(&self, project: usize) -> Result<PostgresStore> {
        let member = settings(&self.database.url_as(&member(project)))?;
        Ok(PostgresStore::open(&member, &identity(project), TIMEOUTS)?)
    }

    /// Returns the processor time of the server for the member of a project, who has one connection. Linux counts
    /// it in nanoseconds; elsewhere it is zero.
    pub(crate) fn server_time(&self, project: usize) -> Result<Duration> {
        let sql = "SELECT pid FROM pg_stat_activity WHERE usename = $1";
        let row =
            self.database.connect().query_one(sql, &[&self.database.user(&member(project))])?;
        let stat = std::fs::read_to_string(format!("/proc/{}/schedstat", row.get::<_, i32>(0)));
        let nanos = stat.ok().and_then(|stat| stat.split(' ').next()?.parse().ok());
        Ok(Duration::from_nanos(nanos.unwrap_or(0)))
    }

    /// Does what the server does on its own after a while.
    pub(crate) fn vacuum(&self) -> Result<()> {
        Ok(self.database.connect().batch_execute("VACUUM (ANALYZE)")?)
    }

    /// Returns the size of the database.
    pub(crate) fn megabytes(&self) -> Result<i64> {
        let sql = "SELECT pg_database_size(current_database()) / 1000000";
        Ok(self.database.connect().query_one(sql, &[])?.get(0))
    }
}

/// Prints how far loading is, about ten times.
#[expect(clippy::print_stderr, reason = "loading takes long")]
fn progress(done: usize, projects: usize, elapsed: Duration) {
    if done.is_multiple_of(projects.div_ceil(10)) {
        eprintln!("{done} of {projects} projects are loaded after {} s", elapsed.as_secs());
    }
}

fn settings(url: &str) -> Result<ServerSettings> {
    Ok(ServerSettings::resolve(ServerUrl::parse(url)?, &Credentials::default())?)
}

fn identity(project: usize) -> String {
    format!("example.org/team/project-{project}")
}

fn member(project: usize) -> String {
    format!("member{project}")
}

/// Returns the model of the vectors.
pub(crate) fn model() -> VectorModel {
    VectorModel { name: "random".into(), dims: DIMENSIONS }
}

/// Returns the memory with this number.
pub(crate) fn memory(number: usize) -> Result<Memory> {
    let body = realistic::draft(number).check(Confidence::HIGH);
    let body = body.map_err(|errors| anyhow!("an invalid draft: {errors:?}"))?;
    Ok(Memory::new(memory_id(number)?, body, moment(number)?))
}

fn memory_id(number: usize) -> Result<MemoryId> {
    let mut random = [0; 10];
    random[..8].copy_from_slice(&(number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes());
    Ok(MemoryId::from_parts(moment(number)?, random))
}

/// Returns the moment at which the memory with this number was created.
fn moment(number: usize) -> Result<Timestamp> {
    Timestamp::from_millis(1_700_000_000_000 + number as i64 * 1_000).context("a moment")
}

/// Returns the row with the vector of the memory with this number.
fn vectors(number: usize) -> Result<TransferRow> {
    let VectorModel { name, dims } = model();
    Ok(TransferRow::Vectors(VectorsRow {
        model: name,
        dims,
        memory: memory_id(number)?,
        pending: false,
        pieces: vec![(0, vector(number))],
        cues: Vec::new(),
    }))
}

/// Returns the random vector of length one with this number.
pub(crate) fn vector(number: usize) -> Vec<f32> {
    let mut random = TestRandom::new(number as u64 + 1);
    let values: Vec<f32> =
        (0..DIMENSIONS).map(|_| random.below(2_001) as f32 / 1_000.0 - 1.0).collect();
    let length = values.iter().map(|value| value * value).sum::<f32>().sqrt();
    values.iter().map(|value| value / length).collect()
}
