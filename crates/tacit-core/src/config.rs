//! The configuration: every key in tables, from which listing, checking, explaining and the
//! documentation are made.

mod records;
mod setting;

use std::fmt;
use std::sync::LazyLock;

use strsim::levenshtein;
use thiserror::Error;

use KeyKind::{Bool, Choice, Float, Int, Text};
pub use records::{RecordsCategoryConfig, RecordsConfig};
use setting::{Setting, settings};

use crate::domain::words::word_enum;

settings! {
    /// Everything that can be configured, with its value in force.
    Config, OWN_KEYS, [] {
        "capture.extractor", Choice(&["auto", "agent", "model", "rules", "off"]), capture_extractor: String = "auto".into(), "Who draws what was learnt from a session. `rules` concludes it from what was done and checked, and drafts records from what was said outright; `model` does the same and lets the text model of `generation.provider` draft and verify records; both work in the background, once a session has ended. `agent` asks the running agent before it stops, where something is worth a record. `auto` is `model` where one is configured, else `rules` without what was only said, and writes records only where a project has some; `off` is nobody.";
        "capture.mode", Choice(&["ask-first", "silent", "off"]), capture_mode: String = "ask-first".into(), "What an agent does with what it learns: proposes it first, stores it and says so, or leaves it.";
        "capture.paused", Bool, capture_paused: bool = false, "Whether nothing is captured from sessions: no events, no notes, no learning. Recall and `tacit remember` still work.";
        "capture.silent_budget", Int(0, 100), capture_silent_budget: u64 = 5, "How much an agent may store in a session without asking, where `capture.mode` is `silent`.";
        "embedding.ollama_model", Text, ollama_model: String = "qwen3-embedding:4b".into(), "The model an Ollama server embeds with.";
        "embedding.ollama_url", Text, ollama_url: String = "http://127.0.0.1:11434".into(), "Where the Ollama server is.";
        "embedding.openai_model", Text, openai_model: String = "text-embedding-3-small".into(), "The model that OpenAI, or a server that speaks its interface, embeds with.";
        "embedding.openai_url", Text, openai_url: String = "https://api.openai.com/v1".into(), "Where OpenAI, or a server that speaks its interface, is. The key is taken from OPENAI_API_KEY.";
        "embedding.provider", Choice(&["bundled", "auto", "ollama", "openai", "off"]), embedding_provider: String = "bundled".into(), "Who turns text into vectors for search by meaning. `bundled` needs no network; `auto` takes Ollama on this machine, else OpenAI with a key, else the bundled model; `off` searches by words alone.";
        "generation.command", Text, generation_command: String = String::new(), "The program that writes text where `generation.provider` is `command`, with its arguments, such as `claude -p`. It gets the prompt on its standard input; no shell is involved.";
        "generation.daily_calls", Int(0, 10_000), generation_daily_calls: u64 = 200, "How many texts may be asked for in a day (UTC), in each project.";
        "generation.daily_tokens", Int(0, 1_000_000_000), generation_daily_tokens: u64 = 200_000, "How many tokens may be read and written in a day (UTC), in each project.";
        "generation.model", Text, generation_model: String = String::new(), "The model that writes text. Empty means llama3.2:3b for `ollama`, gpt-4.1-mini for `openai` and claude-haiku-4-5 for `anthropic`.";
        "generation.provider", Choice(&["off", "ollama", "openai", "anthropic", "command"]), generation_provider: String = "off".into(), "Who writes text where that helps, as when recall finds little. `off` asks nobody. Keys are taken from OPENAI_API_KEY and ANTHROPIC_API_KEY.";
        "generation.timeout_ms", Int(1, 600_000), generation_timeout_ms: u64 = 10_000, "How long, in milliseconds, a text may take to be written, retries included.";
        "generation.url", Text, generation_url: String = String::new(), "Where the server is that writes text. Empty means the provider's own address.";
        "hooks.deadline_ms", Int(50, 10_000), hooks_deadline_ms: u64 = 1_000, "How many milliseconds a hook may take before it gives up and lets the agent go on.";
        "hooks.guard", Bool, hooks_guard: bool = false, "Whether a hook may ask you before a command that you confirmed to be dangerous here.";
        "hooks.likely_files", Bool, hooks_likely_files: bool = true, "Whether a prompt is answered with the files it is most likely about, where that is clear and the code was indexed.";
        "hooks.prompt_tokens", Int(0, 8_000), hooks_prompt_tokens: u64 = 600, "About how many tokens recalled notes may take with a prompt.";
        "hooks.session_tokens", Int(0, 8_000), hooks_session_tokens: u64 = 2_000, "About how many tokens recalled notes may take at the start of a session.";
        "hooks.tool_tokens", Int(0, 8_000), hooks_tool_tokens: u64 = 300, "About how many tokens recalled notes may take with one use of a tool.";
        "maintain.auto", Bool, maintain_auto: bool = true, "Whether a command that leaves long work behind starts `tacit maintain` in the background.";
        "methodology.active", Text, methodology_active: String = "native".into(), "The way of working: `native`, `bmad`, `tdd`, `agile`, or the name of a file in `.tacit/methodologies`.";
        "modules.scan", Bool, modules_scan: bool = true, "Whether the first `tacit init` in a project looks through its modules and keeps what each is.";
        "recall.global", Bool, recall_global: bool = true, "Whether recall also searches your own memories, kept for all projects.";
        "recall.hyde", Bool, recall_hyde: bool = true, "Whether a question that finds little is searched again by way of a supposed answer, if `generation.provider` says who writes one.";
        "recall.limit", Int(1, 1_000), recall_limit: u64 = 10, "How many memories recall and list show unless --limit says otherwise.";
        "recall.profile", Choice(&["balanced", "relevance", "seed"]), recall_profile: String = "balanced".into(), "What rank is made of: relevance with age, use, phase and trust ordering near-equals; relevance alone; or the literal formula 0.6 × cosine + 0.25 × recency + 0.15 × frequency, times phase, confidence and decay.";
        "remember.confidence", Float(0.0, 1.0), remember_confidence: f64 = 0.9, "The confidence of what a person says, unless --confidence says otherwise.";
        "remember.near_duplicate", Float(0.5, 1.0), near_duplicate: f64 = 0.8, "The share of words two memories must have in common for the newer one to be linked as a proposal to supersede the older. Both are always kept.";
        "remember.resurrection_hours", Int(0, 8_760), resurrection_hours: u64 = 24, "For how many hours a forgotten memory cannot be stored again, only restored.";
        "store.busy_timeout_ms", Int(0, 60_000), busy_timeout_ms: u64 = 5_000, "How long to wait, in milliseconds, while another process writes. A memory that cannot be stored in that time is spooled to disk and stored by the next command.";
        "triggers.decisions", Text, triggers_decisions: String = "agents/decisions".into(), "The directory of the decision files that triggers open, from the root of the worktree; several are separated by commas.";
        "triggers.index", Text, triggers_index: String = "agents/memory-index.md".into(), "The index of triggers, from the root of the worktree; several are separated by commas.";
        "ui.color", Choice(&["auto", "always", "never"]), color: ColorChoice = ColorChoice::Auto, "When output is coloured. `auto` is on a terminal, unless NO_COLOR is set.";
        "user.name", Text, user_name: String = String::new(), "Who you are in the history of changes. Empty means git's user.name.";
    }
    /// Everything about records.
    and records: RecordsConfig = RecordsConfig::default();
}

/// Every key there is, sorted by name.
pub static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys = [OWN_KEYS, records::KEYS].concat();
    keys.extend(records::CATEGORY_KEYS.concat());
    keys.sort_unstable_by_key(|key| key.name);
    keys
});

word_enum! {
    /// The choice of coloured output.
    ColorChoice, "a choice of colour" {
        /// On a terminal that can, unless the environment says no.
        Auto = "auto",
        /// Always.
        Always = "always",
        /// Never.
        Never = "never",
    }
}

/// One thing that can be configured.
#[derive(Clone, Copy)]
pub struct Key {
    /// Its name, such as `recall.limit`.
    pub name: &'static str,
    /// What values it takes.
    pub kind: KeyKind,
    /// What it does, in a sentence or two.
    pub help: &'static str,
    get: fn(&Config) -> ConfigValue,
    set: fn(&mut Config, &ConfigValue),
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).field("kind", &self.kind).finish()
    }
}

/// What values a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyKind {
    /// `true` or `false`.
    Bool,
    /// A whole number between two others.
    Int(i64, i64),
    /// A number between two others.
    Float(f64, f64),
    /// Any text on one line.
    Text,
    /// One of several words.
    Choice(&'static [&'static str]),
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bool => f.write_str("true or false"),
            Int(min, max) => write!(f, "a whole number from {min} to {max}"),
            Float(min, max) => write!(f, "a number from {min} to {max}"),
            Text => f.write_str("a line of text"),
            Choice(words) => match words.split_last() {
                Some((last, rest)) if !rest.is_empty() => {
                    write!(f, "{} or {last}", rest.join(", "))
                }
                _ => f.write_str(&words.concat()),
            },
        }
    }
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each is what it says")]
pub enum ConfigValue {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

impl fmt::Display for ConfigValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConfigValue::Bool(value) => value.fmt(f),
            ConfigValue::Int(value) => value.fmt(f),
            ConfigValue::Float(value) => value.fmt(f),
            ConfigValue::Text(value) => f.write_str(value),
        }
    }
}

/// The keys that a file in the repository may set, because it may have come with somebody else's
/// code: none of them chooses a program, a model or an address, makes Tacit capture more than its
/// user agreed to, or holds an agent up. A category's keys stand under `*`.
const SHARED: &[&str] = &[
    "capture.paused",
    "hooks.likely_files",
    "methodology.active",
    "modules.scan",
    "recall.limit",
    "recall.profile",
    "records.*.enabled",
    "records.*.retention_days",
    "records.archive_retired",
    "records.grace_days",
    "records.max_inject",
    "records.max_per_category",
    "records.session_summary.max_retained",
    "triggers.decisions",
    "triggers.index",
];

/// Why a configuration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// There is no such key.
    #[error("there is no configuration key `{name}`")]
    UnknownKey {
        /// What was asked for.
        name: String,
        /// The key that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// The key takes other values.
    #[error("`{name}` takes {expected}, not `{value}`")]
    WrongValue {
        /// The key.
        name: &'static str,
        /// What it takes.
        expected: String,
        /// What it was given.
        value: String,
    },
    /// The key cannot be set in a file that comes with a repository.
    #[error("`{name}` can only be set in your own configuration, not in a repository's file")]
    OnlyYours {
        /// The key.
        name: &'static str,
    },
}

impl Key {
    /// The key of a name.
    pub fn find(name: &str) -> Result<&'static Key, ConfigError> {
        KEYS.iter().find(|key| key.name == name).ok_or_else(|| ConfigError::UnknownKey {
            name: name.to_owned(),
            suggestion: nearest(name),
        })
    }

    /// Checks that a file in the repository may set this key to a value. It may keep a project from
    /// being captured, but not have it captured.
    pub fn check_shared(&self, value: &ConfigValue) -> Result<(), ConfigError> {
        let listed = |pattern: &&str| match pattern.split_once('*') {
            Some((before, after)) => self
                .name
                .strip_prefix(before)
                .and_then(|rest| rest.strip_suffix(after))
                .is_some_and(|category| !category.contains('.')),
            None => *pattern == self.name,
        };
        let resumes = self.name == "capture.paused" && *value == ConfigValue::Bool(false);
        if SHARED.iter().any(listed) && !resumes {
            return Ok(());
        }
        Err(ConfigError::OnlyYours { name: self.name })
    }

    /// The value in force.
    pub fn get(&self, config: &Config) -> ConfigValue {
        (self.get)(config)
    }

    /// Checks a value and puts it in force.
    pub fn apply(&self, config: &mut Config, value: &ConfigValue) -> Result<(), ConfigError> {
        let value = self.accept(value).ok_or_else(|| ConfigError::WrongValue {
            name: self.name,
            expected: self.kind.to_string(),
            value: value.to_string(),
        })?;
        (self.set)(config, &value);
        Ok(())
    }

    /// Reads a value as it is typed on a command line or in an environment variable.
    pub fn parse(&self, text: &str) -> Result<ConfigValue, ConfigError> {
        let wrong = || ConfigError::WrongValue {
            name: self.name,
            expected: self.kind.to_string(),
            value: text.to_owned(),
        };
        let value = match self.kind {
            Bool => ConfigValue::Bool(text.parse().map_err(|_| wrong())?),
            Int(..) => ConfigValue::Int(text.parse().map_err(|_| wrong())?),
            Float(..) => ConfigValue::Float(text.parse().map_err(|_| wrong())?),
            Text | Choice(_) => ConfigValue::Text(text.to_owned()),
        };
        self.accept(&value).ok_or_else(wrong)
    }

    /// The value as this key takes it, or `None` if it does not.
    fn accept(&self, value: &ConfigValue) -> Option<ConfigValue> {
        match (self.kind, value) {
            (Bool, ConfigValue::Bool(_)) => Some(value.clone()),
            (Int(min, max), ConfigValue::Int(number)) => {
                (min..=max).contains(number).then(|| value.clone())
            }
            (Float(min, max), ConfigValue::Float(number)) => {
                (min..=max).contains(number).then(|| value.clone())
            }
            (Float(..), ConfigValue::Int(number)) => {
                self.accept(&ConfigValue::Float(*number as f64))
            }
            (Text, ConfigValue::Text(text)) => {
                (!text.chars().any(char::is_control)).then(|| value.clone())
            }
            (Choice(words), ConfigValue::Text(text)) => {
                words.contains(&text.as_str()).then(|| value.clone())
            }
            _ => None,
        }
    }
}

/// The key most like `name`, if any is like it.
fn nearest(name: &str) -> Option<&'static str> {
    let last = |text: &str| text.rsplit('.').next().unwrap_or_default().to_owned();
    KEYS.iter()
        .map(|key| (levenshtein(name, key.name), key.name))
        .filter(|(distance, key)| *distance <= 3 || last(name) == last(key))
        .min()
        .map(|(_, key)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sorted_and_take_their_own_defaults() {
        assert!(KEYS.is_sorted_by_key(|key| key.name));
        for key in KEYS.iter() {
            let default = key.get(&Config::default());
            assert_eq!(key.parse(&default.to_string()), Ok(default.clone()), "{}", key.name);
            let mut config = Config::default();
            key.apply(&mut config, &default).unwrap();
            assert_eq!(config, Config::default());
        }
    }

    #[test]
    fn what_is_set_is_what_is_got() {
        for (name, text) in [
            ("capture.extractor", "rules"),
            ("capture.mode", "silent"),
            ("capture.paused", "true"),
            ("capture.silent_budget", "0"),
            ("embedding.ollama_model", "m"),
            ("embedding.ollama_url", "http://127.0.0.1:1"),
            ("embedding.openai_model", "m"),
            ("embedding.openai_url", "http://127.0.0.1:1"),
            ("embedding.provider", "off"),
            ("generation.command", "claude -p"),
            ("generation.daily_calls", "0"),
            ("generation.daily_tokens", "5000"),
            ("generation.model", "m"),
            ("generation.provider", "command"),
            ("generation.timeout_ms", "1"),
            ("generation.url", "http://127.0.0.1:1"),
            ("hooks.deadline_ms", "50"),
            ("hooks.guard", "true"),
            ("hooks.likely_files", "false"),
            ("hooks.prompt_tokens", "0"),
            ("hooks.session_tokens", "8000"),
            ("hooks.tool_tokens", "1"),
            ("maintain.auto", "false"),
            ("methodology.active", "tdd"),
            ("modules.scan", "false"),
            ("recall.profile", "seed"),
            ("recall.global", "false"),
            ("recall.hyde", "false"),
            ("recall.limit", "3"),
            ("records.archive_retired", "false"),
            ("records.constraint.auto_capture", "false"),
            ("records.constraint.description", "other"),
            ("records.constraint.enabled", "false"),
            ("records.constraint.model", "opus"),
            ("records.constraint.retention_days", "7"),
            ("records.constraint.threshold", "0.9"),
            ("records.decision.auto_capture", "false"),
            ("records.decision.description", "other"),
            ("records.decision.enabled", "false"),
            ("records.decision.model", "opus"),
            ("records.decision.retention_days", "7"),
            ("records.decision.threshold", "0.9"),
            ("records.default_model", "opus"),
            ("records.grace_days", "1"),
            ("records.guard", "true"),
            ("records.max_inject", "9"),
            ("records.max_per_category", "10"),
            ("records.parallel", "false"),
            ("records.preference.auto_capture", "false"),
            ("records.preference.description", "other"),
            ("records.preference.enabled", "false"),
            ("records.preference.model", "opus"),
            ("records.preference.retention_days", "7"),
            ("records.preference.threshold", "0.9"),
            ("records.runbook.auto_capture", "false"),
            ("records.runbook.description", "other"),
            ("records.runbook.enabled", "false"),
            ("records.runbook.model", "opus"),
            ("records.runbook.retention_days", "7"),
            ("records.runbook.threshold", "0.9"),
            ("records.session_summary.auto_capture", "false"),
            ("records.session_summary.description", "other"),
            ("records.session_summary.enabled", "false"),
            ("records.session_summary.max_retained", "3"),
            ("records.session_summary.model", "opus"),
            ("records.session_summary.retention_days", "7"),
            ("records.session_summary.threshold", "0.9"),
            ("records.tech_debt.auto_capture", "false"),
            ("records.tech_debt.description", "other"),
            ("records.tech_debt.enabled", "false"),
            ("records.tech_debt.model", "opus"),
            ("records.tech_debt.retention_days", "7"),
            ("records.tech_debt.threshold", "0.9"),
            ("records.verification_model", "opus"),
            ("remember.confidence", "0.5"),
            ("remember.near_duplicate", "1"),
            ("remember.resurrection_hours", "0"),
            ("store.busy_timeout_ms", "60000"),
            ("triggers.decisions", "docs/decisions,web/decisions"),
            ("triggers.index", "docs/index.md"),
            ("ui.color", "never"),
            ("user.name", "Ada"),
        ] {
            let key = Key::find(name).unwrap();
            let mut config = Config::default();
            key.apply(&mut config, &key.parse(text).unwrap()).unwrap();
            assert_eq!(key.get(&config).to_string(), text, "{name}");
        }
        assert_eq!(KEYS.len(), 82, "a new key belongs in this test");
    }

    #[test]
    fn wrong_values_are_refused() {
        for (name, text) in [
            ("recall.limit", "0"),
            ("recall.limit", "many"),
            ("remember.confidence", "1.5"),
            ("remember.confidence", "NaN"),
            ("ui.color", "green"),
            ("recall.global", "yes"),
            ("user.name", "a\nb"),
        ] {
            assert!(Key::find(name).unwrap().parse(text).is_err(), "{name} {text}");
        }
    }

    #[test]
    fn a_repository_s_file_sets_only_what_is_listed() {
        for (name, allowed) in [
            ("recall.limit", true),
            ("records.decision.enabled", true),
            ("records.tech_debt.retention_days", true),
            ("triggers.index", true),
            ("records.decision.auto_capture", false),
            ("records.decision.description", false),
            ("records.decision.model", false),
            ("records.guard", false),
            ("capture.mode", false),
            ("embedding.provider", false),
            ("generation.command", false),
            ("hooks.deadline_ms", false),
            ("hooks.guard", false),
            ("recall.global", false),
            ("store.busy_timeout_ms", false),
            ("user.name", false),
        ] {
            let key = Key::find(name).unwrap();
            let value = key.get(&Config::default());
            assert_eq!(key.check_shared(&value).is_ok(), allowed, "{name}");
        }
        let paused = Key::find("capture.paused").unwrap();
        assert!(paused.check_shared(&ConfigValue::Bool(true)).is_ok());
        assert!(paused.check_shared(&ConfigValue::Bool(false)).is_err());
        let other = ConfigValue::Text("any".into());
        let allowed = KEYS.iter().filter(|key| key.check_shared(&other).is_ok()).count();
        assert_eq!(allowed, SHARED.len() - 2 + 2 * 6, "every pattern matches a key");
    }

    #[test]
    fn unknown_keys_are_answered_with_a_suggestion() {
        for (name, suggestion) in [
            ("recal.limit", Some("recall.limit")),
            ("color", Some("ui.color")),
            ("something.else.entirely", None),
        ] {
            assert_eq!(
                Key::find(name).unwrap_err(),
                ConfigError::UnknownKey { name: name.into(), suggestion }
            );
        }
    }
}
