//! Several processes write one index at once, and some are killed.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use tacit_fs::Wait;
use tacit_vectors::{Batch, IndexSpec, VectorIndex, WriteLock};

use crate::support::{Model, Random, Scratch, contents, vector};

const DIMS: usize = 48;
const WRITERS: u64 = 4;
const APPENDS: u64 = 500;
const JOB: &str = "TACIT_VECTORS_TEST_JOB";

/// Returns the changes in a step of a writer: it adds a row, and sometimes replaces or removes one
/// of its earlier rows.
fn change(writer: u64, step: u64) -> (Vec<(u64, Vec<f32>)>, Vec<u64>) {
    let key = |step| step * WRITERS + writer;
    let mut put = vec![(key(step), vector(DIMS, key(step)))];
    if step % 5 == 4 {
        put.push((key(step - 3), vector(DIMS, key(step) + 1_000_000)));
    }
    let remove = if step % 7 == 6 { vec![key(step - 1)] } else { Vec::new() };
    (put, remove)
}

fn expected() -> Model {
    let mut model = Model::new();
    for writer in 0..WRITERS {
        for step in 0..APPENDS {
            let (put, remove) = change(writer, step);
            remove.iter().for_each(|key| drop(model.remove(key)));
            model.extend(put);
        }
    }
    model
}

/// Runs in the child processes; not a test itself. Prints each step once it is written.
#[test]
fn writer_process() {
    #[expect(clippy::disallowed_methods, reason = "the parent test passes the job to its children")]
    let Ok(job) = std::env::var(JOB) else { return };
    let [path, writer, from] = job.split('\n').collect::<Vec<_>>()[..] else { panic!("{job}") };
    let (writer, from): (u64, u64) = (writer.parse().unwrap(), from.parse().unwrap());
    let spec = IndexSpec::new("test-model", DIMS).unwrap();
    for step in from..APPENDS {
        let (put, remove) = change(writer, step);
        let put: Vec<(u64, &[f32])> = put.iter().map(|(key, row)| (*key, &row[..])).collect();
        let mut lock = WriteLock::acquire(Path::new(path), Wait::Forever).unwrap();
        let mut appender = lock.append(&spec).unwrap().ready().unwrap();
        let generation = appender.generation() + 1;
        appender.apply(&Batch { generation, put: &put, remove: &remove }).unwrap();
        // `println!` would be captured by the test harness.
        writeln!(std::io::stdout(), "done {step}").unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "it starts itself")]
fn start(path: &Path, writer: u64, from: u64) -> Child {
    Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", "concurrent::writer_process", "--nocapture", "--test-threads=1"])
        .env(JOB, format!("{}\n{writer}\n{from}", path.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("started")
}

/// Runs one writer to its end, killing it sometimes, and returns the number of kills.
///
/// A killed writer restarts at the first step that it has not acknowledged, like a caller that
/// finds the file behind its database.
fn run_to_end(path: &Path, writer: u64) -> u32 {
    let mut random = Random::new(writer);
    let (mut next, mut kills) = (0, 0);
    while next < APPENDS {
        let steps = 20 + random.below(120);
        let mut child = start(path, writer, next);
        let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let from = next;
        for line in lines.map_while(Result::ok) {
            // The harness writes "test … " without a line break before the first step.
            let Some((_, step)) = line.split_once("done ") else { continue };
            assert_eq!(step.parse(), Ok(next));
            next += 1;
            if next == from + steps {
                child.kill().expect("killed");
                kills += 1;
            }
        }
        child.wait().expect("ended");
        assert!(next > from, "writer {writer} got nowhere");
    }
    kills
}

#[test]
fn killed_writers_lose_no_acknowledged_rows() {
    let scratch = Scratch::new(DIMS);
    scratch.rebuild(0, &Model::new());
    let path = scratch.path();
    let finished = AtomicBool::new(false);
    let (kills, reads, rebuilds) = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn({
                    let path = &path;
                    move || run_to_end(path, writer)
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            let mut reads = 0;
            let mut seen = 0;
            while !finished.load(Ordering::Relaxed) {
                let index = scratch.open();
                assert!(index.generation() >= seen, "went back from {seen}");
                seen = index.generation();
                index.verify().expect("clean at any time");
                index.search(&vector(DIMS, reads), 5).expect("searched");
                reads += 1;
                thread::yield_now();
            }
            reads
        });
        let rebuilder = scope.spawn(|| {
            let mut rebuilds = 0;
            while !finished.load(Ordering::Relaxed) {
                if scratch.open().row_counts().dead > 100 {
                    scratch.drop_dead_rows();
                    rebuilds += 1;
                }
                thread::yield_now();
            }
            rebuilds
        });
        let kills: u32 = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
        finished.store(true, Ordering::Relaxed);
        (kills, reader.join().unwrap(), rebuilder.join().unwrap())
    });
    assert!(kills >= 10, "{kills} kills");
    assert!(reads > 10 && rebuilds > 0, "{reads} reads, {rebuilds} rebuilds");
    let index: VectorIndex = scratch.open();
    index.verify().expect("clean");
    assert!(index.generation() >= WRITERS * APPENDS);
    assert!(contents(&index) == expected(), "rows were lost or mixed up");
}
