//! Measures the index: building, appending, cold and warm searches, and recall compared with exact
//! search.
//!
//! ```text
//! cargo run --release -p tacit-vectors --example bench_vectors [-- ROWS ...]
//! cargo run --release -p tacit-vectors --example bench_vectors -- --dims DIMS ROWS
//! cargo run --release -p tacit-vectors --example bench_vectors -- --real ROWS.f32 QUERIES.f32 DIMS
//! ```
//!
//! Cold figures come from child processes (this program again) that open the index, search once and
//! exit; the page cache is warm. CPU time is that of the searching thread.
#![expect(clippy::print_stdout, reason = "a benchmark reports")]
#![expect(clippy::unwrap_used, reason = "a benchmark may give up")]

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use tacit_fs::Wait;
use tacit_vectors::{Batch, IndexSpec, VectorIndex, WriteLock};

const K: usize = 30;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["--cold", path, dims] => cold_child(path, dims.parse().unwrap()),
        ["--build", path, rows] => build(Path::new(path), 384, rows.parse().unwrap()),
        ["--real", rows, queries, dims] => real(rows, queries, dims.parse().unwrap()),
        ["--dims", dims, rows] => synthetic(dims.parse().unwrap(), rows.parse().unwrap()),
        [] => [10_000, 100_000, 300_000, 1_000_000].iter().for_each(|rows| synthetic(384, *rows)),
        ref rows => rows.iter().for_each(|rows| synthetic(384, rows.parse().unwrap())),
    }
}

fn synthetic(dims: usize, rows: usize) {
    let mut mixture = Mixture::new(dims, (rows / 500).max(20));
    let queries: Vec<Vec<f32>> = (0..40).map(|_| mixture.sample()).collect();
    println!("\n== {rows} x {dims}, mixture of {} clusters", mixture.centres.len());
    measure(dims, rows, &queries, |_| mixture.sample());
}

/// Builds an index and keeps it, to inspect single cold searches with other tools.
fn build(path: &Path, dims: usize, rows: usize) {
    let mut mixture = Mixture::new(dims, (rows / 500).max(20));
    let mut lock = WriteLock::acquire(path, Wait::Forever).unwrap();
    let mut rebuild = lock.rebuild(&IndexSpec::new("bench", dims).unwrap()).unwrap();
    for key in 0..rows as u64 {
        rebuild.push(key, &mixture.sample()).unwrap();
    }
    rebuild.finish(1).unwrap();
}

/// Measures vectors from files of consecutive little-endian `f32`.
fn real(rows: &str, queries: &str, dims: usize) {
    let [rows, queries] = [rows, queries].map(|path| -> Vec<Vec<f32>> {
        let bytes = std::fs::read(path).unwrap();
        let numbers: Vec<f32> =
            bytes.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect();
        numbers.chunks_exact(dims).map(<[f32]>::to_vec).collect()
    });
    println!("\n== {} real vectors of {dims} dimensions, {} queries", rows.len(), queries.len());
    measure(dims, rows.len(), &queries, |row| rows[row].clone());
}

fn measure(
    dims: usize,
    rows: usize,
    queries: &[Vec<f32>],
    mut vector: impl FnMut(usize) -> Vec<f32>,
) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("vectors");
    let spec = IndexSpec::new("bench", dims).unwrap();

    let mut lock = WriteLock::acquire(&path, Wait::Forever).unwrap();
    let mut rebuild = lock.rebuild(&spec).unwrap();
    let mut elapsed = Duration::ZERO;
    for row in 0..rows {
        let vector = vector(row);
        let start = Instant::now();
        rebuild.push(row as u64, &vector).unwrap();
        elapsed += start.elapsed();
    }
    let start = Instant::now();
    rebuild.finish(1).unwrap();
    let sync = start.elapsed();
    let megabytes = path.metadata().unwrap().len() >> 20;
    let per_second = rows as f64 / elapsed.as_secs_f64();
    println!(
        "build: {per_second:.0} rows/s, then {} to flush and replace {megabytes} MB",
        ms(sync)
    );

    let index = VectorIndex::open(&path, &spec).unwrap().ready().unwrap();
    let exact: Vec<Vec<u64>> = queries
        .iter()
        .map(|query| index.search_exact(query, K).unwrap().iter().map(|h| h.key).collect())
        .collect();
    let (mut found, mut expected) = (0, 0);
    let mut warm: Vec<Duration> = Vec::new();
    for _ in 0..3 {
        for (query, exact) in queries.iter().zip(&exact) {
            let start = Instant::now();
            let hits = index.search(query, K).unwrap();
            warm.push(start.elapsed());
            found += exact.iter().filter(|key| hits.iter().any(|hit| hit.key == **key)).count();
            expected += exact.len();
        }
    }
    let cold = cold(&path, dims);
    println!(
        "warm {}, cold open {} + search {} wall, {} cpu; recall@{K} {:.4}",
        ms(median(warm)),
        ms(cold[0]),
        ms(cold[1]),
        ms(cold[2]),
        found as f64 / expected as f64,
    );
    if rows == 100_000 {
        two_threads(&index, queries);
    }
    drop(index);
    appends(&mut lock, &spec, rows as u64, queries);
}

/// Measures searches per second of two threads in one process.
fn two_threads(index: &VectorIndex, queries: &[Vec<f32>]) {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for query in queries.iter().cycle().take(500) {
                    index.search(query, K).unwrap();
                }
            });
        }
    });
    println!("resident, 2 threads: {:.0} searches/s", 1000.0 / start.elapsed().as_secs_f64());
}

fn appends(lock: &mut WriteLock, spec: &IndexSpec, rows: u64, vectors: &[Vec<f32>]) {
    let mut appender = lock.append(spec).unwrap().ready().unwrap();
    let mut apply = |first: u64, count: u64, per_batch: u64| {
        let start = Instant::now();
        for key in (first..first + count).step_by(per_batch as usize) {
            let put: Vec<(u64, &[f32])> = (key..key + per_batch)
                .map(|key| (key, &vectors[key as usize % vectors.len()][..]))
                .collect();
            appender.apply(&Batch { generation: 2, put: &put, remove: &[] }).unwrap();
        }
        count as f64 / start.elapsed().as_secs_f64()
    };
    let one = apply(rows, 640, 1);
    let many = apply(rows + 640, 20_000, 1000);
    let replacing = apply(rows / 2, 200, 1);
    drop(appender);
    println!("append: {one:.0} rows/s singly, {many:.0} by the thousand, {replacing:.0} replacing");

    let start = Instant::now();
    let path = lock.path().to_owned();
    for generation in 3..103 {
        let put: &[(u64, &[f32])] = &[(rows + 50_000 + generation, &vectors[0])];
        let batch = Batch { generation, put, remove: &[] };
        lock.append(spec).unwrap().ready().unwrap().apply(&batch).unwrap();
    }
    println!("open and append one row: {}", ms(start.elapsed() / 100));
    let start = Instant::now();
    for _ in 0..100 {
        VectorIndex::open(&path, spec).unwrap().ready().unwrap();
    }
    println!("open: {}", ms(start.elapsed() / 100));
}

/// Returns medians over child processes: wall time to open and to search, CPU time for both.
#[expect(clippy::disallowed_methods, reason = "it starts itself")]
fn cold(path: &Path, dims: usize) -> [Duration; 3] {
    let mut runs = [const { Vec::new() }; 3];
    for _ in 0..15 {
        let output = Command::new(std::env::current_exe().unwrap())
            .arg("--cold")
            .arg(path)
            .arg(dims.to_string())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        for (run, nanos) in runs.iter_mut().zip(text.split_whitespace()) {
            run.push(Duration::from_nanos(nanos.parse().unwrap()));
        }
    }
    runs.map(median)
}

fn cold_child(path: &str, dims: usize) {
    let spec = IndexSpec::new("bench", dims).unwrap();
    let mut mixture = Mixture::new(dims, 3);
    let query = mixture.sample();
    let (cpu, start) = (cpu_nanos(), Instant::now());
    let index = VectorIndex::open(Path::new(path), &spec).unwrap().ready().unwrap();
    let opened = start.elapsed();
    let hits = index.search(&query, K).unwrap();
    let (cpu, searched) = (cpu_nanos() - cpu, start.elapsed());
    assert_eq!(hits.len(), K);
    println!("{} {} {cpu}", opened.as_nanos(), (searched - opened).as_nanos());
}

/// Returns the CPU time of this thread according to the scheduler.
fn cpu_nanos() -> u64 {
    // The scheduler updates the figure when the thread yields.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split_whitespace().next().map_or(0, |nanos| nanos.parse().unwrap())
}

fn ms(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1000.0)
}

fn median(mut values: Vec<Duration>) -> Duration {
    values.sort_unstable();
    values[values.len() / 2]
}

/// Vectors like those of a text model: far from the origin, clustered, with much of the variance in
/// few directions. The proportions are those of the bundled model (mean of length 0.77, median
/// cosine between unrelated texts 0.6).
struct Mixture {
    random: Random,
    mean: Vec<f32>,
    spread: Vec<f32>,
    centres: Vec<Vec<f32>>,
}

impl Mixture {
    fn new(dims: usize, clusters: usize) -> Self {
        let mut random = Random(42);
        let mut spread: Vec<f32> = (0..dims).map(|i| 1.0 / (i as f32 + 20.0).sqrt()).collect();
        normalise(&mut spread, 1.0);
        let mut mean: Vec<f32> = (0..dims).map(|_| random.normal()).collect();
        mean[dims / 3] = 10.0;
        normalise(&mut mean, 0.77);
        let centres = (0..clusters)
            .map(|_| spread.iter().map(|spread| spread * 0.45 * random.normal()).collect())
            .collect();
        Self { random, mean, spread, centres }
    }

    fn sample(&mut self) -> Vec<f32> {
        // Squaring makes a few clusters large and most small.
        let position = self.random.uniform();
        let centre = &self.centres[(position * position * self.centres.len() as f32) as usize];
        let tightness = 0.3 + 0.3 * self.random.uniform();
        let mut vector: Vec<f32> = self
            .mean
            .iter()
            .zip(centre)
            .zip(&self.spread)
            .map(|((mean, centre), spread)| {
                mean + centre + tightness * spread * self.random.normal()
            })
            .collect();
        normalise(&mut vector, 1.0);
        vector
    }
}

fn normalise(vector: &mut [f32], length: f32) {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|x| *x *= length / norm);
}

struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn normal(&mut self) -> f32 {
        let radius = (-2.0 * self.uniform().max(1e-7).ln()).sqrt();
        radius * (std::f32::consts::TAU * self.uniform()).cos()
    }
}
