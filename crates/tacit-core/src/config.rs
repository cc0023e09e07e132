//! The configuration: every key in one table, from which listing, checking, explaining and the
//! documentation are made.

mod key;
mod records;

use std::fmt;

use strsim::levenshtein;
use thiserror::Error;

use key::key;
pub use records::{RecordsCategoryConfig, RecordsConfig};

/// Everything that can be configured, with its value in force.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the table of keys says what each is")]
pub struct Config {
    pub capture_extractor: String,
    pub capture_mode: String,
    pub capture_paused: bool,
    pub capture_silent_budget: u64,
    pub hooks_deadline_ms: u64,
    pub hooks_guard: bool,
    pub hooks_likely_files: bool,
    pub hooks_prompt_tokens: u64,
    pub hooks_session_tokens: u64,
    pub hooks_tool_tokens: u64,
    pub busy_timeout_ms: u64,
    pub remember_confidence: f64,
    pub near_duplicate: f64,
    pub resurrection_hours: u64,
    pub embedding_provider: String,
    pub ollama_url: String,
    pub ollama_model: String,
    pub openai_url: String,
    pub openai_model: String,
    pub generation_provider: String,
    pub generation_model: String,
    pub generation_url: String,
    pub generation_command: String,
    pub generation_timeout_ms: u64,
    pub generation_daily_calls: u64,
    pub generation_daily_tokens: u64,
    pub maintain_auto: bool,
    pub methodology_active: String,
    pub modules_scan: bool,
    pub recall_hyde: bool,
    pub recall_limit: u64,
    pub recall_profile: String,
    pub recall_global: bool,
    pub records: RecordsConfig,
    pub triggers_decisions: String,
    pub triggers_index: String,
    pub color: ColorChoice,
    pub user_name: String,
}

/// When output is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColorChoice {
    /// On a terminal that can, unless the environment says no.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            capture_extractor: "auto".into(),
            capture_mode: "ask-first".into(),
            capture_paused: false,
            capture_silent_budget: 5,
            hooks_deadline_ms: 1_000,
            hooks_guard: false,
            hooks_likely_files: true,
            hooks_prompt_tokens: 600,
            hooks_session_tokens: 2_000,
            hooks_tool_tokens: 300,
            busy_timeout_ms: 5_000,
            remember_confidence: 0.9,
            near_duplicate: 0.8,
            resurrection_hours: 24,
            embedding_provider: "bundled".into(),
            ollama_url: "http://127.0.0.1:11434".into(),
            ollama_model: "qwen3-embedding:4b".into(),
            openai_url: "https://api.openai.com/v1".into(),
            openai_model: "text-embedding-3-small".into(),
            generation_provider: "off".into(),
            generation_model: String::new(),
            generation_url: String::new(),
            generation_command: String::new(),
            generation_timeout_ms: 10_000,
            generation_daily_calls: 200,
            generation_daily_tokens: 200_000,
            maintain_auto: true,
            methodology_active: "native".into(),
            modules_scan: true,
            recall_hyde: true,
            recall_limit: 10,
            recall_profile: "balanced".into(),
            recall_global: true,
            records: RecordsConfig::default(),
            triggers_decisions: "agents/decisions".into(),
            triggers_index: "agents/memory-index.md".into(),
            color: ColorChoice::Auto,
            user_name: String::new(),
        }
    }
}

/// One thing that can be configured.
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
            KeyKind::Bool => f.write_str("true or false"),
            KeyKind::Int(min, max) => write!(f, "a whole number from {min} to {max}"),
            KeyKind::Float(min, max) => write!(f, "a number from {min} to {max}"),
            KeyKind::Text => f.write_str("a line of text"),
            KeyKind::Choice(words) => match words.split_last() {
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

/// Every key there is.
pub const KEYS: &[Key] = &[
    key!(choice "capture.extractor", &["auto", "agent", "model", "rules", "off"], "Who draws what was learnt from a session. `rules` concludes it from what was done and checked, and drafts records from what was said outright; `model` does the same and lets the text model of `generation.provider` draft and verify records; both work in the background, once a session has ended. `agent` asks the running agent before it stops, where something is worth a record. `auto` is `model` where one is configured, else `rules` without what was only said, and writes records only where a project has some; `off` is nobody.", capture_extractor),
    key!(choice "capture.mode", &["ask-first", "silent", "off"], "What an agent does with what it learns: proposes it first, stores it and says so, or leaves it.", capture_mode),
    key!(flag "capture.paused", "Whether nothing is captured from sessions: no events, no notes, no learning. Recall and `tacit remember` still work.", capture_paused),
    key!(number "capture.silent_budget", (0, 100), "How much an agent may store in a session without asking, where `capture.mode` is `silent`.", capture_silent_budget),
    key!(text "embedding.ollama_model", "The model an Ollama server embeds with.", ollama_model),
    key!(text "embedding.ollama_url", "Where the Ollama server is.", ollama_url),
    key!(text "embedding.openai_model", "The model that OpenAI, or a server that speaks its interface, embeds with.", openai_model),
    key!(text "embedding.openai_url", "Where OpenAI, or a server that speaks its interface, is. The key is taken from OPENAI_API_KEY.", openai_url),
    key!(choice "embedding.provider", &["bundled", "auto", "ollama", "openai", "off"], "Who turns text into vectors for search by meaning. `bundled` needs no network; `auto` takes Ollama on this machine, else OpenAI with a key, else the bundled model; `off` searches by words alone.", embedding_provider),
    key!(text "generation.command", "The program that writes text where `generation.provider` is `command`, with its arguments, such as `claude -p`. It gets the prompt on its standard input; no shell is involved.", generation_command),
    key!(number "generation.daily_calls", (0, 10_000), "How many texts may be asked for in a day (UTC), in each project.", generation_daily_calls),
    key!(number "generation.daily_tokens", (0, 1_000_000_000), "How many tokens may be read and written in a day (UTC), in each project.", generation_daily_tokens),
    key!(text "generation.model", "The model that writes text. Empty means llama3.2:3b for `ollama`, gpt-4.1-mini for `openai` and claude-haiku-4-5 for `anthropic`.", generation_model),
    key!(choice "generation.provider", &["off", "ollama", "openai", "anthropic", "command"], "Who writes text where that helps, as when recall finds little. `off` asks nobody. Keys are taken from OPENAI_API_KEY and ANTHROPIC_API_KEY.", generation_provider),
    key!(number "generation.timeout_ms", (1, 600_000), "How long, in milliseconds, a text may take to be written, retries included.", generation_timeout_ms),
    key!(text "generation.url", "Where the server is that writes text. Empty means the provider's own address.", generation_url),
    key!(number "hooks.deadline_ms", (50, 10_000), "How many milliseconds a hook may take before it gives up and lets the agent go on.", hooks_deadline_ms),
    key!(flag "hooks.guard", "Whether a hook may ask you before a command that you confirmed to be dangerous here.", hooks_guard),
    key!(flag "hooks.likely_files", "Whether a prompt is answered with the files it is most likely about, where that is clear and the code was indexed.", hooks_likely_files),
    key!(number "hooks.prompt_tokens", (0, 8_000), "About how many tokens recalled notes may take with a prompt.", hooks_prompt_tokens),
    key!(number "hooks.session_tokens", (0, 8_000), "About how many tokens recalled notes may take at the start of a session.", hooks_session_tokens),
    key!(number "hooks.tool_tokens", (0, 8_000), "About how many tokens recalled notes may take with one use of a tool.", hooks_tool_tokens),
    key!(flag "maintain.auto", "Whether a command that leaves long work behind starts `tacit maintain` in the background.", maintain_auto),
    key!(text "methodology.active", "The way of working: `native`, `bmad`, `tdd`, `agile`, or the name of a file in `.tacit/methodologies`.", methodology_active),
    key!(flag "modules.scan", "Whether the first `tacit init` in a project looks through its modules and keeps what each is.", modules_scan),
    key!(flag "recall.global", "Whether recall also searches your own memories, kept for all projects.", recall_global),
    key!(flag "recall.hyde", "Whether a question that finds little is searched again by way of a supposed answer, if `generation.provider` says who writes one.", recall_hyde),
    key!(number "recall.limit", (1, 1_000), "How many memories recall and list show unless --limit says otherwise.", recall_limit),
    key!(choice "recall.profile", &["balanced", "relevance", "seed"], "What rank is made of: relevance with age, use, phase and trust ordering near-equals; relevance alone; or the literal formula 0.6 × cosine + 0.25 × recency + 0.15 × frequency, times phase, confidence and decay.", recall_profile),
    key!(flag "records.archive_retired", "Whether an agent that tidies up keeps retired records in the archive, by `tacit records gc --archive`, instead of having them removed.", records.archive_retired),
    key!(flag "records.constraint.auto_capture", "Whether sessions are searched for what belongs into category `constraint`.", records.categories[3].auto_capture),
    key!(text "records.constraint.description", "What belongs into category `constraint`, for whoever classifies.", records.categories[3].description),
    key!(flag "records.constraint.enabled", "Whether records of category `constraint` are written.", records.categories[3].enabled),
    key!(text "records.constraint.model", "The model that an agent drafts records of category `constraint` with; empty is `records.default_model`.", records.categories[3].model),
    key!(number "records.constraint.retention_days", (0, 36_500), "After how many days without a change a record of category `constraint` is retired; 0 is never.", records.categories[3].retention_days),
    key!(fraction "records.constraint.threshold", (0.0, 1.0), "From which score on a session is worth a record of category `constraint`.", records.categories[3].threshold),
    key!(flag "records.decision.auto_capture", "Whether sessions are searched for what belongs into category `decision`.", records.categories[1].auto_capture),
    key!(text "records.decision.description", "What belongs into category `decision`, for whoever classifies.", records.categories[1].description),
    key!(flag "records.decision.enabled", "Whether records of category `decision` are written.", records.categories[1].enabled),
    key!(text "records.decision.model", "The model that an agent drafts records of category `decision` with; empty is `records.default_model`.", records.categories[1].model),
    key!(number "records.decision.retention_days", (0, 36_500), "After how many days without a change a record of category `decision` is retired; 0 is never.", records.categories[1].retention_days),
    key!(fraction "records.decision.threshold", (0.0, 1.0), "From which score on a session is worth a record of category `decision`.", records.categories[1].threshold),
    key!(text "records.default_model", "The model that an agent drafts records with where the category names none.", records.default_model),
    key!(number "records.grace_days", (0, 36_500), "After how many days `tacit records gc` removes a retired record; never before its name can be used again.", records.grace_days),
    key!(flag "records.guard", "Whether a hook keeps an agent from writing record files itself and names the command to use.", records.guard),
    key!(number "records.max_inject", (1, 100), "How many records a search gives at most.", records.max_inject),
    key!(number "records.max_per_category", (1, 10_000), "How many records a category can have in use.", records.max_per_category),
    key!(flag "records.parallel", "Whether an agent drafts several records at once, each by an agent of its own, instead of one after another.", records.parallel),
    key!(flag "records.preference.auto_capture", "Whether sessions are searched for what belongs into category `preference`.", records.categories[5].auto_capture),
    key!(text "records.preference.description", "What belongs into category `preference`, for whoever classifies.", records.categories[5].description),
    key!(flag "records.preference.enabled", "Whether records of category `preference` are written.", records.categories[5].enabled),
    key!(text "records.preference.model", "The model that an agent drafts records of category `preference` with; empty is `records.default_model`.", records.categories[5].model),
    key!(number "records.preference.retention_days", (0, 36_500), "After how many days without a change a record of category `preference` is retired; 0 is never.", records.categories[5].retention_days),
    key!(fraction "records.preference.threshold", (0.0, 1.0), "From which score on a session is worth a record of category `preference`.", records.categories[5].threshold),
    key!(flag "records.runbook.auto_capture", "Whether sessions are searched for what belongs into category `runbook`.", records.categories[2].auto_capture),
    key!(text "records.runbook.description", "What belongs into category `runbook`, for whoever classifies.", records.categories[2].description),
    key!(flag "records.runbook.enabled", "Whether records of category `runbook` are written.", records.categories[2].enabled),
    key!(text "records.runbook.model", "The model that an agent drafts records of category `runbook` with; empty is `records.default_model`.", records.categories[2].model),
    key!(number "records.runbook.retention_days", (0, 36_500), "After how many days without a change a record of category `runbook` is retired; 0 is never.", records.categories[2].retention_days),
    key!(fraction "records.runbook.threshold", (0.0, 1.0), "From which score on a session is worth a record of category `runbook`.", records.categories[2].threshold),
    key!(flag "records.session_summary.auto_capture", "Whether sessions are searched for what belongs into category `session_summary`.", records.categories[0].auto_capture),
    key!(text "records.session_summary.description", "What belongs into category `session_summary`, for whoever classifies.", records.categories[0].description),
    key!(flag "records.session_summary.enabled", "Whether records of category `session_summary` are written.", records.categories[0].enabled),
    key!(number "records.session_summary.max_retained", (1, 1_000), "How many session summaries are in use; the oldest is retired when there are more.", records.max_retained),
    key!(text "records.session_summary.model", "The model that an agent drafts records of category `session_summary` with; empty is `records.default_model`.", records.categories[0].model),
    key!(number "records.session_summary.retention_days", (0, 36_500), "After how many days without a change a record of category `session_summary` is retired; 0 is never.", records.categories[0].retention_days),
    key!(fraction "records.session_summary.threshold", (0.0, 1.0), "From which score on a session is worth a record of category `session_summary`.", records.categories[0].threshold),
    key!(flag "records.tech_debt.auto_capture", "Whether sessions are searched for what belongs into category `tech_debt`.", records.categories[4].auto_capture),
    key!(text "records.tech_debt.description", "What belongs into category `tech_debt`, for whoever classifies.", records.categories[4].description),
    key!(flag "records.tech_debt.enabled", "Whether records of category `tech_debt` are written.", records.categories[4].enabled),
    key!(text "records.tech_debt.model", "The model that an agent drafts records of category `tech_debt` with; empty is `records.default_model`.", records.categories[4].model),
    key!(number "records.tech_debt.retention_days", (0, 36_500), "After how many days without a change a record of category `tech_debt` is retired; 0 is never.", records.categories[4].retention_days),
    key!(fraction "records.tech_debt.threshold", (0.0, 1.0), "From which score on a session is worth a record of category `tech_debt`.", records.categories[4].threshold),
    key!(text "records.verification_model", "The model that an agent checks drafts of records with.", records.verification_model),
    key!(fraction "remember.confidence", (0.0, 1.0), "The confidence of what a person says, unless --confidence says otherwise.", remember_confidence),
    key!(fraction "remember.near_duplicate", (0.5, 1.0), "The share of words two memories must have in common for the newer one to be linked as a proposal to supersede the older. Both are always kept.", near_duplicate),
    key!(number "remember.resurrection_hours", (0, 8_760), "For how many hours a forgotten memory cannot be stored again, only restored.", resurrection_hours),
    key!(number "store.busy_timeout_ms", (0, 60_000), "How long to wait, in milliseconds, while another process writes. A memory that cannot be stored in that time is spooled to disk and stored by the next command.", busy_timeout_ms),
    key!(text "triggers.decisions", "The directory of the decision files that triggers open, from the root of the worktree; several are separated by commas.", triggers_decisions),
    key!(text "triggers.index", "The index of triggers, from the root of the worktree; several are separated by commas.", triggers_index),
    Key {
        name: "ui.color",
        kind: KeyKind::Choice(&["auto", "always", "never"]),
        help: "When output is coloured. `auto` is on a terminal, unless NO_COLOR is set.",
        get: |config| {
            ConfigValue::Text(
                match config.color {
                    ColorChoice::Auto => "auto",
                    ColorChoice::Always => "always",
                    ColorChoice::Never => "never",
                }
                .to_owned(),
            )
        },
        set: |config, value| {
            if let ConfigValue::Text(value) = value {
                config.color = match value.as_str() {
                    "always" => ColorChoice::Always,
                    "never" => ColorChoice::Never,
                    _ => ColorChoice::Auto,
                };
            }
        },
    },
    key!(text "user.name", "Who you are in the history of changes. Empty means git's user.name.", user_name),
];

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
            KeyKind::Bool => ConfigValue::Bool(text.parse().map_err(|_| wrong())?),
            KeyKind::Int(..) => ConfigValue::Int(text.parse().map_err(|_| wrong())?),
            KeyKind::Float(..) => ConfigValue::Float(text.parse().map_err(|_| wrong())?),
            KeyKind::Text | KeyKind::Choice(_) => ConfigValue::Text(text.to_owned()),
        };
        self.accept(&value).ok_or_else(wrong)
    }

    /// The value as this key takes it, or `None` if it does not.
    fn accept(&self, value: &ConfigValue) -> Option<ConfigValue> {
        match (self.kind, value) {
            (KeyKind::Bool, ConfigValue::Bool(_)) => Some(value.clone()),
            (KeyKind::Int(min, max), ConfigValue::Int(number)) => {
                (min..=max).contains(number).then(|| value.clone())
            }
            (KeyKind::Float(min, max), ConfigValue::Float(number)) => {
                (min..=max).contains(number).then(|| value.clone())
            }
            (KeyKind::Float(..), ConfigValue::Int(number)) => {
                self.accept(&ConfigValue::Float(*number as f64))
            }
            (KeyKind::Text, ConfigValue::Text(text)) => {
                (!text.chars().any(char::is_control)).then(|| value.clone())
            }
            (KeyKind::Choice(words), ConfigValue::Text(text)) => {
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
        for key in KEYS {
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
