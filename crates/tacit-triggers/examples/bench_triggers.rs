//! Benchmarks validation and ranking, and generates projects to benchmark commands with.
//!
//! ```text
//! cargo run --release -p tacit-triggers --example bench_triggers
//! cargo run --release -p tacit-triggers --example bench_triggers -- --make DIRECTORY ENTRIES
//! ```
//!
//! Prints one JSON object of medians in microseconds.
#![expect(clippy::print_stdout, reason = "a benchmark reports")]
#![expect(clippy::unwrap_used, reason = "a benchmark may give up")]

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use tacit_triggers::fuzzy::{DEFAULT_LIMIT, rank_matches};
use tacit_triggers::validate::validate;
use tacit_triggers::{Corpus, Document, IndexFile, Operator};

const RUNS: usize = 31;
const FILES: usize = 10;
const DECISIONS: &str = "agents/decisions";
const INDEX: &str = "agents/memory-index.md";

const DEEDS: &[&str] = &[
    "writing",
    "reviewing",
    "naming",
    "testing",
    "caching",
    "parsing",
    "sorting",
    "logging",
    "locking",
    "batching",
    "encoding",
    "retrying",
    "mocking",
    "tracing",
    "pruning",
    "merging",
    "staging",
    "sharding",
    "hashing",
    "pinning",
];
const THINGS: &[&str] = &[
    "tokens",
    "queries",
    "payloads",
    "fixtures",
    "migrations",
    "webhooks",
    "cursors",
    "buffers",
    "secrets",
    "releases",
    "invoices",
    "sessions",
    "archives",
    "vectors",
    "headings",
    "branches",
    "artifacts",
    "timeouts",
    "schemas",
    "replicas",
    "budgets",
    "commits",
    "snapshots",
    "workers",
    "indexes",
];
const PLACES: &[&str] = &[
    "in production",
    "for mobile",
    "across shards",
    "before deploys",
    "with retries",
    "under load",
    "on windows",
    "after failover",
    "in transcripts",
    "for auditors",
    "behind proxies",
    "at startup",
    "per tenant",
    "without network",
    "during upgrades",
    "from backups",
    "over sockets",
    "inside hooks",
    "between regions",
    "by default",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["--make", directory, entries] => make(Path::new(directory), entries.parse().unwrap()),
        _ => measure(),
    }
}

/// Returns the trigger of a number; the first ten thousand differ.
fn trigger(number: usize) -> String {
    let deed = DEEDS[number % DEEDS.len()];
    let thing = THINGS[number / DEEDS.len() % THINGS.len()];
    let place = PLACES[(number / (DEEDS.len() * THINGS.len()) + number) % PLACES.len()];
    format!("{deed} {thing} {place}")
}

/// Shortens the words of a trigger so that it still matches one heading.
fn cut(trigger: &str) -> String {
    let words = trigger.split(' ').map(|word| word.strip_suffix('s').unwrap_or(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Generates the index and the files of a project.
fn project(entries: usize, compressed: bool) -> (String, Vec<(String, String)>) {
    let mut index = String::from("# Memory Index\n");
    let mut files = Vec::new();
    for file in 0..FILES {
        let path = format!("{DECISIONS}/area-{file}.md");
        index.push_str(&format!("\n## {path}\n\n"));
        let mut text = format!("# Area {file}\n\n## .Group {file}\n\n");
        for number in (file * entries / FILES)..((file + 1) * entries / FILES) {
            let trigger = trigger(number);
            let typed = if compressed { cut(&trigger) } else { trigger.clone() };
            index.push_str(&format!("/when {typed}\n"));
            let heading = Operator::When.heading(&trigger);
            text.push_str(&format!("### {heading}\n\nWhat was decided about it, and why.\n\n"));
        }
        files.push((path, text));
    }
    (index, files)
}

fn make(directory: &Path, entries: usize) {
    let (index, files) = project(entries, false);
    fs::create_dir_all(directory.join(DECISIONS)).unwrap();
    fs::write(directory.join(INDEX), index).unwrap();
    for (path, text) in files {
        fs::write(directory.join(path), text).unwrap();
    }
}

fn corpus(entries: usize, compressed: bool) -> Corpus {
    let (index, files) = project(entries, compressed);
    Corpus {
        decisions: vec![DECISIONS.into()],
        indexes: vec![IndexFile::new(INDEX, index.into_bytes())],
        documents: files
            .into_iter()
            .map(|(path, text)| {
                let name = path.strip_prefix("agents/decisions/").map(str::to_owned);
                Document::new(path, name, text.into_bytes())
            })
            .collect(),
    }
}

/// Returns the median of several runs, in microseconds.
fn median(mut run: impl FnMut()) -> u128 {
    let mut times: Vec<u128> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_micros()
        })
        .collect();
    times.sort_unstable();
    times[RUNS / 2]
}

fn measure() {
    let exact = corpus(1_000, false);
    let compressed = corpus(1_000, true);
    let candidates: Vec<String> =
        (0..10_000).map(|number| Operator::When.heading(&trigger(number))).collect();
    let rank = |query: &str| {
        median(|| {
            let found = rank_matches(query, candidates.iter().map(String::as_str), DEFAULT_LIMIT);
            black_box(found);
        })
    };
    println!(
        "{{\"validate_exact\":{},\"validate_compressed\":{},\"rank\":{},\"rank_common\":{}}}",
        median(|| drop(black_box(validate(&exact)))),
        median(|| drop(black_box(validate(&compressed)))),
        rank("when parse webhook load"),
        rank("when"),
    );
}
