//! The ledger of model calls, one line per call.
//!
//! The file of JSON lines is only appended to, each line with a single write, so that processes can
//! share it. It contains no prompts and no answers. Unreadable lines are skipped and counted.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;

/// The longest line, in bytes.
const LINE_BYTES: u64 = 512;
/// The longest model name, in bytes.
const NAME_BYTES: usize = 120;
/// The most bytes that are read from the end of the file.
const READ_BYTES: u64 = 16 * 1024 * 1024;
const DAY_MILLIS: i64 = 86_400_000;

/// A ledger file, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    path: PathBuf,
}

/// A model call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The time of the call.
    pub at: Timestamp,
    /// The purpose of the call.
    pub purpose: String,
    /// The provider that was called.
    pub provider: String,
    /// The model that was called.
    #[serde(default)]
    pub model: String,
    /// The number of input tokens.
    #[serde(default)]
    pub tokens_in: u64,
    /// The number of output tokens.
    #[serde(default)]
    pub tokens_out: u64,
    /// The duration of the call, in milliseconds.
    #[serde(default)]
    pub ms: u64,
    /// The word `ok`, or the name of the error.
    pub outcome: String,
}

/// The contents of a ledger.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelCalls {
    /// The calls, in order of completion.
    pub calls: Vec<ModelCall>,
    /// The number of unreadable lines.
    pub unreadable: usize,
}

/// The sum of a day's calls for one purpose.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[expect(missing_docs, reason = "each is what it says")]
pub struct DailyTotal {
    pub day: String,
    pub purpose: String,
    pub calls: u64,
    pub failed: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub ms: u64,
}

/// The calls and tokens of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DailySpend {
    pub(crate) calls: u64,
    pub(crate) tokens: u64,
}

impl ModelCall {
    /// The outcome of a successful call.
    pub const OK: &'static str = "ok";

    /// Returns true if the call succeeded.
    pub fn succeeded(&self) -> bool {
        self.outcome == ModelCall::OK
    }

    /// Returns the UTC day of the call, such as `2026-11-15`.
    pub fn day(&self) -> String {
        self.at.to_string().chars().take_while(|c| *c != 'T').collect()
    }
}

impl ModelCalls {
    /// Returns totals, ordered by day and purpose.
    pub fn totals(&self) -> Vec<DailyTotal> {
        let mut totals: BTreeMap<(String, &str), DailyTotal> = BTreeMap::new();
        for call in &self.calls {
            let total = totals.entry((call.day(), &call.purpose)).or_default();
            total.calls += 1;
            total.failed += u64::from(!call.succeeded());
            total.tokens_in = total.tokens_in.saturating_add(call.tokens_in);
            total.tokens_out = total.tokens_out.saturating_add(call.tokens_out);
            total.ms = total.ms.saturating_add(call.ms);
        }
        totals
            .into_iter()
            .map(|((day, purpose), total)| DailyTotal { day, purpose: purpose.to_owned(), ..total })
            .collect()
    }
}

impl Ledger {
    /// The file name of the ledger.
    pub const FILE: &'static str = "ledger.jsonl";

    /// Creates a ledger at a path.
    pub fn at(path: impl Into<PathBuf>) -> Ledger {
        Ledger { path: path.into() }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads all calls; of a very long ledger, the latest.
    pub fn read(&self) -> io::Result<ModelCalls> {
        self.read_end(READ_BYTES)
    }

    /// Returns the spend of a day. Reads no more lines than needed to see that `most` calls were
    /// made.
    pub(crate) fn daily_spend(&self, moment: Timestamp, most: u64) -> io::Result<DailySpend> {
        let day = day_number(moment);
        let latest = self.read_end(most.saturating_add(1).saturating_mul(LINE_BYTES))?;
        let mut spent = DailySpend::default();
        for call in latest.calls.iter().filter(|call| day_number(call.at) == day) {
            spent.calls += 1;
            let tokens = call.tokens_in.saturating_add(call.tokens_out);
            spent.tokens = spent.tokens.saturating_add(tokens);
        }
        Ok(spent)
    }

    /// Opens the ledger for appending.
    pub(crate) fn open(&self) -> io::Result<OpenLedger> {
        Ok(OpenLedger(tacit_fs::append(&self.path)?))
    }

    fn read_end(&self, most: u64) -> io::Result<ModelCalls> {
        let Some(mut file) = tacit_fs::none_if_missing(tacit_fs::open(&self.path))? else {
            return Ok(ModelCalls::default());
        };
        let skipped = file.metadata()?.len().saturating_sub(most);
        // One byte earlier: if it is a line break, the rest starts with a whole line.
        file.seek(SeekFrom::Start(skipped.saturating_sub(1)))?;
        let mut bytes = Vec::new();
        file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        let whole = match bytes.iter().position(|byte| *byte == b'\n') {
            _ if skipped == 0 => &bytes[..],
            Some(end) => &bytes[end + 1..],
            None => &[],
        };
        Ok(parse(whole))
    }
}

/// A ledger that is open for appending.
#[derive(Debug)]
pub(crate) struct OpenLedger(File);

impl OpenLedger {
    /// Appends a call.
    pub(crate) fn append(&mut self, call: &ModelCall) -> io::Result<()> {
        let mut line = String::new();
        // A process that was killed may have left half a line.
        if !self.ends_with_a_line()? {
            line.push('\n');
        }
        line.push_str(&serde_json::to_string(&fitting(call))?);
        line.push('\n');
        self.0.write_all(line.as_bytes())
    }

    fn ends_with_a_line(&mut self) -> io::Result<bool> {
        if self.0.metadata()?.len() == 0 {
            return Ok(true);
        }
        let mut last = [0];
        self.0.seek(SeekFrom::End(-1))?;
        self.0.read_exact(&mut last)?;
        Ok(last == [b'\n'])
    }
}

/// Cuts the model name so that the line fits into [`LINE_BYTES`].
fn fitting(call: &ModelCall) -> ModelCall {
    let cut = |text: &str| {
        let text = text.replace(char::is_control, " ");
        text[..text.floor_char_boundary(NAME_BYTES)].to_owned()
    };
    ModelCall { model: cut(&call.model), ..call.clone() }
}

fn parse(bytes: &[u8]) -> ModelCalls {
    let mut calls = ModelCalls::default();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match serde_json::from_slice(line) {
            Ok(call) => calls.calls.push(call),
            Err(_) => calls.unreadable += 1,
        }
    }
    calls
}

/// Returns the number of the UTC day.
fn day_number(moment: Timestamp) -> i64 {
    moment.as_millis().div_euclid(DAY_MILLIS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn call(at: &str, purpose: &str, outcome: &str) -> ModelCall {
        ModelCall {
            at: at.parse().unwrap(),
            purpose: purpose.into(),
            provider: "ollama".into(),
            model: "m:1b".into(),
            tokens_in: 20,
            tokens_out: 5,
            ms: 300,
            outcome: outcome.into(),
        }
    }

    fn ledger() -> (tempfile::TempDir, Ledger) {
        let directory = tempfile::tempdir().unwrap();
        let ledger = Ledger::at(directory.path().join(Ledger::FILE));
        (directory, ledger)
    }

    fn noted(ledger: &Ledger, calls: &[ModelCall]) {
        for call in calls {
            ledger.open().unwrap().append(call).unwrap();
        }
    }

    #[test]
    fn calls_are_read_back_and_summed() {
        let (_directory, ledger) = ledger();
        assert_eq!(ledger.read().unwrap(), ModelCalls::default());
        let calls = [
            call("2026-11-14T23:59:59.999Z", "hyde", "ok"),
            call("2026-11-15T00:00:00Z", "hyde", "ok"),
            call("2026-11-15T12:00:00Z", "summary", "ok"),
            call("2026-11-15T13:00:00Z", "hyde", "timed_out"),
        ];
        noted(&ledger, &calls);
        let read = ledger.read().unwrap();
        assert_eq!(read.calls, calls);
        let totals: Vec<_> = read
            .totals()
            .into_iter()
            .map(|total| (total.day, total.purpose, total.calls, total.failed, total.tokens_in))
            .collect();
        let row = |day: &str, purpose: &str, calls, failed, tokens| {
            (day.to_owned(), purpose.to_owned(), calls, failed, tokens)
        };
        assert_eq!(
            totals,
            [
                row("2026-11-14", "hyde", 1, 0, 20),
                row("2026-11-15", "hyde", 2, 1, 40),
                row("2026-11-15", "summary", 1, 0, 20),
            ]
        );
        let noon = "2026-11-15T12:00:00Z".parse().unwrap();
        assert_eq!(ledger.daily_spend(noon, 10).unwrap(), DailySpend { calls: 3, tokens: 75 });
    }

    #[test]
    fn long_ledgers_are_read_from_the_end() {
        let (_directory, ledger) = ledger();
        let some: Vec<ModelCall> =
            (0..60).map(|_| call("2026-11-15T12:00:00Z", "hyde", "ok")).collect();
        noted(&ledger, &some);
        let spent = ledger.daily_spend(some[0].at, 3).unwrap();
        assert!((4..60).contains(&spent.calls), "{spent:?}");
        assert_eq!(ledger.read_end(1_000).unwrap().unreadable, 0, "it begins at a line");
    }

    #[test]
    fn unreadable_lines_are_skipped_and_counted() {
        let (_directory, ledger) = ledger();
        let good = call("2026-11-15T12:00:00Z", "hyde", "ok");
        noted(&ledger, std::slice::from_ref(&good));
        let mut text = std::fs::read(&ledger.path).unwrap();
        text.extend(b"\n\xff\xfe\n[1]\n{\"at\":\"2026-11-15T12:00:00Z\",\"purp");
        std::fs::write(&ledger.path, text).unwrap();
        noted(&ledger, std::slice::from_ref(&good));
        let read = ledger.read().unwrap();
        assert_eq!((read.calls, read.unreadable), (vec![good.clone(), good], 3));
    }

    #[test]
    fn other_versions_of_the_ledger_are_readable() {
        let line =
            br#"{"at":"2026-11-15T12:00:00Z","purpose":"p","provider":"x","outcome":"ok","new":1}"#;
        let read = parse(line);
        assert_eq!((read.unreadable, read.calls[0].tokens_in), (0, 0));
    }

    #[test]
    fn concurrent_appends_do_not_mix() {
        let (_directory, ledger) = ledger();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        noted(&ledger, &[call("2026-11-15T12:00:00Z", "hyde", "ok")]);
                    }
                });
            }
        });
        let read = ledger.read().unwrap();
        assert_eq!((read.calls.len(), read.unreadable), (200, 0));
    }

    proptest! {
        #[test]
        fn any_bytes_parse_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            parse(&bytes);
        }

        #[test]
        fn lines_never_exceed_the_limit(model in ".{0,400}") {
            let longest = ModelCall {
                model,
                provider: "anthropic".into(),
                outcome: "misconfigured".into(),
                tokens_in: u64::MAX,
                tokens_out: u64::MAX,
                ms: u64::MAX,
                ..call("9999-12-30T00:00:00Z", "some purpose", "")
            };
            let line = serde_json::to_string(&fitting(&longest)).unwrap();
            prop_assert!((line.len() as u64) < LINE_BYTES, "{}", line.len());
        }
    }
}
