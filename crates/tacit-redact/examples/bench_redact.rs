//! Measures the first call in a fresh process, a warm call, and throughput.
#![expect(clippy::print_stdout, reason = "a measurement is printed")]

use std::hint::black_box;
use std::time::Instant;
use tacit_redact::redact;

const LINE: &str = "    let token = parser.next_token()?; // see docs/auth.md for the key order, https://host:80/x\n";

fn main() {
    let clean = LINE.repeat(11);
    let token = format!("{clean}{}{}", "ghp_", "k3Jq8Zx1Vb7Nw5Tc2Rm9Lp4Hs6Gd0Fy8Aa1B");
    let planted = std::env::args().any(|arg| arg == "token");
    let first = if planted { &token } else { &clean };
    let start = Instant::now();
    let found = black_box(redact(first)).count();
    println!("first call, 1 KB, {found} found: {:?}", start.elapsed());
    let start = Instant::now();
    for _ in 0..1000 {
        black_box(redact(black_box(first)));
    }
    println!("warm call: {:?}", start.elapsed() / 1000);
    let large = LINE.repeat(10_000_000 / LINE.len());
    let start = Instant::now();
    black_box(redact(&large));
    println!("code: {:.0} MB/s", 10.0 / start.elapsed().as_secs_f64());
    for piece in std::env::args().skip(1).filter(|arg| arg != "token") {
        let hostile = piece.repeat(10_000_000 / piece.len());
        let start = Instant::now();
        black_box(redact(&hostile));
        println!("10 MB of {piece:?}: {:?}", start.elapsed());
    }
}
