//! Measures the cost of embeddings: in a fresh process, warm, and in bulk.
//!
//! `cargo run --release -p tacit-models --example bench_embed [LEVEL]`, where `LEVEL` is a kernel
//! level such as `Avx2`. To measure fresh processes, the program starts itself. Processor times
//! come from `/proc`, so it runs on Linux only.

use std::error::Error;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use tacit_models::bundled::{BundledModel, TextKind};
use tacit_simd::gemm::Kernel;

/// A prompt of 41 tokens including `[CLS]` and `[SEP]`; the query prefix adds nine.
const PROMPT: &str = "The login test fails on CI with a timeout but passes on my machine. Find \
                      out whether the new connection pool changes how sessions are closed and fix \
                      it without raising any of the limits.";
const FRESH_PROCESSES: usize = 20;
const WARM_RUNS: usize = 100;
const PASSAGES: usize = 200;
const PASSAGE_TOKENS: usize = 128;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["--empty", ..] => report_child(0.0),
        ["--once", ref rest @ ..] => {
            let start = Instant::now();
            let vector = model(rest)?.embed(PROMPT, TextKind::Query);
            std::hint::black_box(vector);
            report_child(start.elapsed().as_secs_f64() * 1e3)
        }
        ref rest => bench(rest),
    }
}

fn model(args: &[&str]) -> Result<BundledModel> {
    let model = BundledModel::load();
    let Some(name) = args.first() else {
        return Ok(*model);
    };
    let mut kernels = Kernel::available().into_iter();
    let kernel = kernels.find(|kernel| format!("{:?}", kernel.level()) == *name);
    Ok(model.with_kernel(kernel.ok_or("this processor has no such kernel level")?))
}

fn bench(args: &[&str]) -> Result<()> {
    let out = &mut io::stdout().lock();
    let model = model(args)?;
    let prompt = model.tokenize(PROMPT).len();
    writeln!(out, "kernels {:?}, prompt of {prompt} tokens", model.kernel().level())?;
    fresh(out, "empty process", &["--empty"], args)?;
    fresh(out, "cold embedding", &["--once"], args)?;

    for _ in 0..5 {
        model.embed(PROMPT, TextKind::Query);
    }
    let mut warm = Vec::new();
    for _ in 0..WARM_RUNS {
        let start = Instant::now();
        std::hint::black_box(model.embed(PROMPT, TextKind::Query));
        warm.push(start.elapsed().as_secs_f64() * 1e3);
    }
    writeln!(out, "warm embedding: {}", summary(&mut warm))?;

    let passage = passage(&model);
    let texts = vec![passage; PASSAGES];
    for threads in [1, 2] {
        let threads = NonZeroUsize::new(threads).ok_or("no threads")?;
        let start = Instant::now();
        std::hint::black_box(model.embed_batch(&texts, TextKind::Passage, threads));
        let rate = PASSAGES as f64 / start.elapsed().as_secs_f64();
        writeln!(out, "passages of {PASSAGE_TOKENS} tokens on {threads}: {rate:.1} a second")?;
    }
    let start = Instant::now();
    let tokens = model.token_count(&texts.join(" "));
    let rate = tokens as f64 / start.elapsed().as_secs_f64() / 1e6;
    writeln!(out, "tokenizer: {rate:.1} million tokens a second")?;
    writeln!(out, "peak memory after all this: {} MB", peak_memory()? / 1024)?;
    Ok(())
}

/// Repeats ordinary words until they fill a passage.
fn passage(model: &BundledModel) -> String {
    let mut words =
        "we decided to keep retries in the client because the server".split(' ').cycle();
    let mut text = String::new();
    while model.tokenize(&text).len() < PASSAGE_TOKENS {
        text.extend(words.next());
        text.push(' ');
    }
    text
}

/// Starts this program repeatedly and reports the wall-clock time around it, the time inside, its
/// processor time and its memory.
#[expect(clippy::disallowed_methods, reason = "it starts itself")]
fn fresh(out: &mut impl Write, label: &str, mode: &[&str], args: &[&str]) -> Result<()> {
    let (mut wall, mut inside, mut cpu) = (Vec::new(), Vec::new(), Vec::new());
    let mut memory = 0.0;
    for _ in 0..FRESH_PROCESSES {
        let start = Instant::now();
        let child = Command::new(env::current_exe()?).args(mode).args(args).output()?;
        wall.push(start.elapsed().as_secs_f64() * 1e3);
        let figures: Vec<f64> = str::from_utf8(&child.stdout)?
            .split_whitespace()
            .map(str::parse)
            .collect::<std::result::Result<_, _>>()?;
        let [child_inside, child_cpu, child_memory] = figures[..] else {
            return Err("the child did not report".into());
        };
        inside.push(child_inside);
        cpu.push(child_cpu);
        memory = child_memory;
    }
    writeln!(out, "{label}: wall {}", summary(&mut wall))?;
    writeln!(out, "{label}: inside {}", summary(&mut inside))?;
    writeln!(out, "{label}: processor {}", summary(&mut cpu))?;
    writeln!(out, "{label}: peak memory {:.1} MB", memory / 1024.0)?;
    Ok(())
}

fn report_child(inside: f64) -> Result<()> {
    // The kernel updates the figure when a thread yields.
    std::thread::yield_now();
    let stat = fs::read_to_string("/proc/self/schedstat")?;
    let nanoseconds: f64 = stat.split(' ').next().ok_or("no processor time")?.parse()?;
    let cpu = nanoseconds / 1e6;
    writeln!(io::stdout(), "{inside} {cpu} {}", peak_memory()?)?;
    Ok(())
}

/// Returns the peak memory in kilobytes.
fn peak_memory() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let figure = line.and_then(|line| line.split_whitespace().next());
    Ok(figure.ok_or("no peak memory")?.parse()?)
}

fn summary(milliseconds: &mut [f64]) -> String {
    milliseconds.sort_by(f64::total_cmp);
    let at = |part: f64| milliseconds[((milliseconds.len() - 1) as f64 * part).round() as usize];
    format!("median {:.2} ms, p95 {:.2} ms", at(0.5), at(0.95))
}
