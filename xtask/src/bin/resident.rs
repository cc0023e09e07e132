//! Recalls a query repeatedly in one process, like an MCP server, and prints the rate per second:
//! `resident PROJECT SECONDS THREADS QUESTION`.
//!
//! A separate program, because `cargo xtask` is built without optimisation.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use tacit_core::{Author, Config};
use tacit_engine::{Engine, RecallRequest, StoreAccess, StorePaths, StoreScope};
use tacit_models::Embedder;
use tacit_models::bundled::BundledEmbedder;
use tacit_store::Filter;
use tacit_testkit::time::{FixedIds, ManualClock};

#[expect(clippy::print_stdout, reason = "the figure is what it is run for")]
fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [project, seconds, threads, question] = arguments.as_slice() else {
        bail!("usage: resident PROJECT SECONDS THREADS QUESTION");
    };
    let period = Duration::from_secs(seconds.parse()?);
    println!("{}", rate(Path::new(project), period, threads.parse()?, question)?);
    Ok(())
}

/// Returns how often per second the query is answered. Each thread has its own connection; the
/// weights are shared.
fn rate(project: &Path, period: Duration, threads: usize, question: &str) -> Result<f64> {
    let places = StorePaths {
        root: project.to_path_buf(),
        project: project.join(".git").join("tacit"),
        shared: project.join(".tacit"),
        global: PathBuf::from("none"),
        server: None,
    };
    let embedder: Arc<dyn Embedder> = Arc::new(BundledEmbedder::default());
    let answered = AtomicUsize::new(0);
    let start = Instant::now();
    let ask = || -> Result<()> {
        let (clock, ids) = (ManualClock::default(), FixedIds::default());
        let actor = Author::new("bench").context("a name")?;
        let needs = StoreAccess::Read(StoreScope::Project);
        let engine = Engine::open(places.clone(), Config::default(), needs, &clock, &ids, actor)?
            .with_embedder(embedder.clone());
        let recall = RecallRequest::explicit(question, Filter::default(), 10);
        while start.elapsed() < period {
            engine.recall(&recall)?;
            answered.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| -> Result<()> {
        let asking: Vec<_> = (0..threads).map(|_| scope.spawn(ask)).collect();
        for thread in asking {
            ensure!(matches!(thread.join(), Ok(Ok(()))), "a thread that asked failed");
        }
        Ok(())
    })?;
    Ok(answered.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64())
}
