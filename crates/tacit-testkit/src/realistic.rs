//! Memories like those of a real repository, the same in every run.
//!
//! Word frequencies follow a steep distribution, as in real text: a few words are in every other
//! memory, most are rare. That determines the speed of a search.

use tacit_core::Draft;

/// A pseudo-random generator; the same seed gives the same numbers everywhere.
#[derive(Debug, Clone)]
pub struct TestRandom(u64);

impl TestRandom {
    /// Creates a generator.
    pub fn new(seed: u64) -> TestRandom {
        TestRandom(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `sides`.
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }

    /// Returns one of several words, the first ones much more often.
    fn skewed<'a>(&mut self, words: &[&'a str]) -> &'a str {
        let first = self.below(words.len());
        let second = self.below(first + 1);
        words[self.below(second + 1)]
    }
}

const VERBS: &[&str] = &[
    "use",
    "check",
    "run",
    "avoid",
    "update",
    "call",
    "set",
    "read",
    "write",
    "close",
    "open",
    "retry",
    "cache",
    "validate",
    "parse",
    "flush",
    "lock",
    "rebase",
    "mock",
    "stub",
    "escape",
    "normalise",
    "serialise",
    "migrate",
    "invalidate",
    "debounce",
    "throttle",
    "memoise",
    "drain",
    "shard",
    "backfill",
    "tombstone",
];
const NOUNS: &[&str] = &[
    "test",
    "file",
    "config",
    "request",
    "session",
    "token",
    "database",
    "connection",
    "handler",
    "cache",
    "build",
    "migration",
    "index",
    "queue",
    "worker",
    "schema",
    "endpoint",
    "fixture",
    "snapshot",
    "hook",
    "timeout",
    "transaction",
    "certificate",
    "locale",
    "webhook",
    "websocket",
    "semaphore",
    "rollout",
    "feature flag",
    "checksum",
    "bloom filter",
    "vector clock",
    "write-ahead log",
    "circuit breaker",
    "idempotency key",
    "dead letter queue",
];
const TAILS: &[&str] = &[
    "before the server starts",
    "after every deploy",
    "when the suite runs in parallel",
    "because the default is wrong",
    "or the build breaks on Windows",
    "in the staging environment",
    "since version 3",
    "unless the flag is set",
    "to keep the response under the limit",
    "otherwise the lock is never released",
    "because retries are not idempotent there",
    "or users are logged out at midnight",
];
const MODULES: &[&str] = &[
    "auth",
    "billing",
    "search",
    "panel",
    "ingest",
    "mailer",
    "scheduler",
    "storage",
    "export",
    "gateway",
];
const KINDS: &[&str] = &[
    "gotcha",
    "decision",
    "pattern",
    "preference",
    "error_pattern",
    "module_insight",
    "requirement",
];

/// Returns the draft with this number.
pub fn draft(number: usize) -> Draft {
    let mut random = TestRandom::new(number as u64 + 1);
    let module = MODULES[random.below(MODULES.len())];
    let file = format!("src/{module}/{}_{}.rs", word(&mut random), number % 97);
    let mut content = String::new();
    for sentence in 0..2 + random.below(3) {
        if sentence > 0 {
            content.push(' ');
        }
        let identifier = format!("{}{}", word(&mut random), capital(&word(&mut random)));
        let line = format!(
            "Always {} the {} {} in `{identifier}` and {} the {} {}.",
            random.skewed(VERBS),
            word(&mut random),
            random.skewed(NOUNS),
            random.skewed(VERBS),
            random.skewed(NOUNS),
            TAILS[random.below(TAILS.len())],
        );
        content.push_str(&line);
    }
    Draft {
        content,
        kind: Some(KINDS[random.below(KINDS.len())].into()),
        title: Some(format!(
            "{} the {} in {module} ({number})",
            capital(random.skewed(VERBS)),
            random.skewed(NOUNS)
        )),
        tags: vec![module.into(), random.skewed(NOUNS).replace(' ', "-")],
        related_files: vec![file],
        related_modules: vec![module.into()],
        session: Some(format!("session-{}", number / 20)),
        source: Some("agent_explicit".into()),
        generator: Some("agent".into()),
        ..Draft::default()
    }
}

/// Returns cues for the memory with this number: situations in other words than its own.
pub fn cues(number: usize, count: usize) -> Vec<String> {
    let mut random = TestRandom::new(number as u64 + 1_000_000_007);
    let cue = |nth: usize| {
        format!(
            "the {} {} fails {} while you {} the {} ({nth})",
            word(&mut random),
            random.skewed(NOUNS),
            TAILS[random.below(TAILS.len())],
            random.skewed(VERBS),
            random.skewed(NOUNS),
        )
    };
    (0..count).map(cue).collect()
}

/// Invents a word; there are thousands, each about as rare as an identifier in real code.
fn word(random: &mut TestRandom) -> String {
    const SYLLABLES: &[&str] = &[
        "ka", "ro", "min", "tel", "sor", "vex", "lu", "pra", "den", "qui", "zon", "fer", "gal",
        "hib", "jor", "nam",
    ];
    (0..2 + random.below(2)).map(|_| SYLLABLES[random.below(SYLLABLES.len())]).collect()
}

fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
