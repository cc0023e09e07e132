//! The ledger: what models were asked for, one line a call.
//!
//! A small file of JSON lines that is only ever appended to, each line with a single write, so that
//! processes can share it. It holds no prompt and no answer. Lines that cannot be read are passed
//! over and counted: a torn line must not stop anybody.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tacit_core::Timestamp;

/// The longest line that is written.
const LINE_BYTES: u64 = 512;
/// The longest name of a model that is written, in bytes.
const NAME_BYTES: usize = 120;
/// As much of the end of a file is read at most.
const READ_BYTES: u64 = 16 * 1024 * 1024;
const DAY_MILLIS: i64 = 86_400_000;

/// A ledger in a file, which need not be there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ledger {
    path: PathBuf,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// When it was made.
    pub at: Timestamp,
    /// What for.
    pub purpose: String,
    /// Who was asked.
    pub provider: String,
    /// For which model.
    #[serde(default)]
    pub model: String,
    /// How many tokens it read.
    #[serde(default)]
    pub tokens_in: u64,
    /// How many tokens it wrote.
    #[serde(default)]
    pub tokens_out: u64,
    /// How long that took, in milliseconds.
    #[serde(default)]
    pub ms: u64,
    /// `ok`, or a word for what went wrong.
    pub outcome: String,
}

/// What a ledger says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ModelCalls {
    /// The calls, in the order in which they ended.
    pub calls: Vec<ModelCall>,
    /// How many lines could not be read.
    pub unreadable: usize,
}

/// The calls of a day for one purpose, summed.
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

/// What a day's calls came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct DailySpend {
    pub(crate) calls: u64,
    pub(crate) tokens: u64,
}

impl ModelCall {
    /// The outcome of a call that brought a text.
    pub const OK: &'static str = "ok";

    /// Whether it brought a text.
    pub fn succeeded(&self) -> bool {
        self.outcome == ModelCall::OK
    }

    /// The day it was made on, in UTC, such as `2026-11-15`.
    pub fn day(&self) -> String {
        self.at.to_string().chars().take_while(|c| *c != 'T').collect()
    }
}

impl ModelCalls {
    /// Totals by day and purpose, in that order.
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
    /// The name of the file in its directory.
    pub const FILE: &'static str = "ledger.jsonl";

    /// The ledger in a file.
    pub fn at(path: impl Into<PathBuf>) -> Ledger {
        Ledger { path: path.into() }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every call; of a very long ledger, the latest.
    pub fn read(&self) -> io::Result<ModelCalls> {
        self.read_end(READ_BYTES)
    }

    /// What the calls of a day came to, looking at no more than are needed to tell that `most` of
    /// them were made.
    pub(crate) fn spent_on_day_of(&self, moment: Timestamp, most: u64) -> io::Result<DailySpend> {
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

    /// Makes sure that calls can be noted.
    pub(crate) fn open(&self) -> io::Result<OpenLedger> {
        Ok(OpenLedger(tacit_fs::append(&self.path)?))
    }

    fn read_end(&self, most: u64) -> io::Result<ModelCalls> {
        let Some(mut file) = tacit_fs::none_if_missing(tacit_fs::open(&self.path))? else {
            return Ok(ModelCalls::default());
        };
        let skipped = file.metadata()?.len().saturating_sub(most);
        // One byte earlier: if it is the end of a line, what follows is a whole one.
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

/// A ledger that calls can be noted in.
#[derive(Debug)]
pub(crate) struct OpenLedger(File);

impl OpenLedger {
    /// Adds a line for a call.
    pub(crate) fn note(&mut self, call: &ModelCall) -> io::Result<()> {
        let mut line = String::new();
        // Whoever was stopped in the middle of a line took its end with it.
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

/// A call whose line is not longer than [`LINE_BYTES`].
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

/// The number of the day, in UTC.
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
            ledger.open().unwrap().note(call).unwrap();
        }
    }

    #[test]
    fn what_is_noted_is_read_and_summed() {
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
        assert_eq!(ledger.spent_on_day_of(noon, 10).unwrap(), DailySpend { calls: 3, tokens: 75 });
    }

    #[test]
    fn a_long_ledger_is_read_from_its_end() {
        let (_directory, ledger) = ledger();
        let some: Vec<ModelCall> =
            (0..60).map(|_| call("2026-11-15T12:00:00Z", "hyde", "ok")).collect();
        noted(&ledger, &some);
        let spent = ledger.spent_on_day_of(some[0].at, 3).unwrap();
        assert!((4..60).contains(&spent.calls), "{spent:?}");
        assert_eq!(ledger.read_end(1_000).unwrap().unreadable, 0, "it begins at a line");
    }

    #[test]
    fn torn_and_foreign_lines_are_passed_over() {
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
    fn later_versions_may_say_more_and_earlier_ones_less() {
        let line =
            br#"{"at":"2026-11-15T12:00:00Z","purpose":"p","provider":"x","outcome":"ok","new":1}"#;
        let read = parse(line);
        assert_eq!((read.unreadable, read.calls[0].tokens_in), (0, 0));
    }

    #[test]
    fn processes_can_share_it() {
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
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            parse(&bytes);
        }

        #[test]
        fn no_line_is_longer_than_it_may_be(model in ".{0,400}") {
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
