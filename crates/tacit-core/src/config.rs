//! The configuration: tables of every key, from which listing, checking, explaining and the
//! documentation are made.

mod documented;
mod records;
mod renamed;
mod setting;

use std::fmt;
use std::sync::LazyLock;

use strsim::levenshtein;
use thiserror::Error;

use KeyKind::{Bool, Choice, Float, Int, Text};
pub use documented::DocumentedKey;
pub use records::{RecordsCategoryConfig, RecordsConfig};
pub use renamed::KeyName;
use setting::{ConfigField, settings};

use crate::domain::words::word_enum;

settings! {
    /// The configuration in force.
    Config, OWN_KEYS, [] {
        "backups.daily" in "backups.<period>", Int(0, 365), backups_daily: u64 = 7, "Days for which `tacit maintain` keeps a backup of each store, made at most once a day and only if something changed; 0 makes none.";
        "backups.weekly" in "backups.<period>", Int(0, 520), backups_weekly: u64 = 4, "Weeks for which `tacit maintain` keeps a backup, in addition to those of the last days.";
        "capture.app_tools", Text, capture_app_tools: String = String::new(), "Further MCP tools with which agents use the running application, separated by commas, each with its effect if it is no action: `press_button, read_panel:inspection, pause:wait`. Those of the usual browser and Electron servers are known.";
        "capture.extractor", Choice(&["auto", "agent", "model", "rules", "off"]), capture_extractor: String = "auto".into(), "How sessions become memories and records. `rules`: from what was done, checked and plainly said, once the session has ended; `model`: as `rules`, and the text model of `generation.provider` writes lessons, and drafts and verifies records; `agent`: as `rules`, and the running agent is asked before it stops, for one lesson after a turn that taught something and for records in projects that have some; `auto`: `model` if one is configured, otherwise `rules` without what was only said, and records only in projects that have some; `off`: nothing is learnt.";
        "capture.mode", Choice(&["ask-first", "silent", "off"]), capture_mode: String = "ask-first".into(), "What an agent does with something it learns: propose it first, store it and say so, or leave it.";
        "capture.paused", Bool, capture_paused: bool = false, "Capture nothing from sessions: no events, no notes, no learning. Recall and `tacit remember` still work.";
        "capture.silent_budget", Int(0, 100), capture_silent_budget: u64 = 5, "Memories that an agent may store in a session without asking if `capture.mode` is `silent`.";
        "database.password_command", Text, database_password_command: String = String::new(), "Program, with its arguments, that prints the password for the server of `database.url`, such as `pass show team/tacit`. Empty takes the password from PGPASSWORD or your pgpass file.";
        "database.preferences", Bool, database_preferences: bool = true, "Sync your global store with the server of the first team you join, so that it follows you to your other machines; no other member can read it.";
        "database.project", Text, database_project: String = String::new(), "Name of this project on the team's server. Empty means the address of the git remote `origin`, so that all clones share one project.";
        "database.url", Text, database_url: String = String::new(), "PostgreSQL database in which a team shares the memories of a project, such as `postgres://ada@db.example/tacit`. Empty keeps them on this machine. Must not contain a password if set in a file.";
        "embedding.ollama.model" in "embedding.<provider>.model", Text, ollama_model: String = "qwen3-embedding:4b".into(), "Model with which Ollama embeds.";
        "embedding.ollama.url" in "embedding.<provider>.url", Text, ollama_url: String = "http://127.0.0.1:11434".into(), "Address of the Ollama server.";
        "embedding.openai.model" in "embedding.<provider>.model", Text, openai_model: String = "text-embedding-3-small".into(), "Model with which OpenAI, or a compatible server, embeds.";
        "embedding.openai.url" in "embedding.<provider>.url", Text, openai_url: String = "https://api.openai.com/v1".into(), "Address of OpenAI, or of a compatible server. The key is read from OPENAI_API_KEY.";
        "embedding.provider", Choice(&["bundled", "auto", "ollama", "openai", "off"]), embedding_provider: String = "bundled".into(), "Provider of vectors for search by meaning. `bundled` needs no network; `auto` uses Ollama on this machine, otherwise OpenAI if OPENAI_API_KEY is set, otherwise the bundled model; `off` searches by words only.";
        "forget.block_hours", Int(0, 8_760), resurrection_hours: u64 = 24, "Hours during which a forgotten memory cannot be stored again, only restored.";
        "generation.command", Text, generation_command: String = String::new(), "Program, with its arguments, that writes text if `generation.provider` is `command`, such as `claude -p`. It reads the prompt from standard input; no shell is involved.";
        "generation.daily.calls" in "generation.daily.<unit>", Int(0, 10_000), generation_daily_calls: u64 = 200, "Maximum number of calls to the text model in a day (UTC), in each project.";
        "generation.daily.tokens" in "generation.daily.<unit>", Int(0, 1_000_000_000), generation_daily_tokens: u64 = 200_000, "Maximum number of tokens that the text model reads and writes in a day (UTC), in each project.";
        "generation.model", Text, generation_model: String = String::new(), "Model that writes text. Empty means llama3.2:3b for `ollama`, gpt-4.1-mini for `openai` and claude-haiku-4-5 for `anthropic`.";
        "generation.provider", Choice(&["off", "ollama", "openai", "anthropic", "command"]), generation_provider: String = "off".into(), "Provider of the text model that helps where rules find little. `off` calls none. API keys are read from OPENAI_API_KEY and ANTHROPIC_API_KEY.";
        "generation.url", Text, generation_url: String = String::new(), "Address of the server that writes text. Empty means the provider's own.";
        "guard.commands" in "guard.<what>", Choice(&["off", "once", "always"]), hooks_guard: CommandGuard = CommandGuard::Once, "Stop an agent before a command that you confirmed to be dangerous here: `once` in a session, with the reason, after which it may go ahead; or `always`, until you allow it. `off` stops nothing.";
        "hooks.likely_files", Bool, hooks_likely_files: bool = true, "Show the files that a prompt is most likely about, if that is clear and the code has been indexed.";
        "hooks.tokens.prompt" in "hooks.tokens.<event>", Int(0, 8_000), hooks_prompt_tokens: u64 = 600, "Approximate tokens that a hook may inject with a prompt; 0 injects nothing.";
        "hooks.tokens.session" in "hooks.tokens.<event>", Int(0, 8_000), hooks_session_tokens: u64 = 2_000, "Approximate tokens that a hook may inject at the start of a session; 0 injects nothing.";
        "hooks.tokens.tool" in "hooks.tokens.<event>", Int(0, 8_000), hooks_tool_tokens: u64 = 300, "Approximate tokens that a hook may inject with one tool call; 0 injects nothing.";
        "learn.build", Bool, learn_build: bool = true, "Let `tacit learn git` keep a memory of how the project is built, checked and run, which each session is shown at its start.";
        "maintain.auto", Bool, maintain_auto: bool = true, "Start `tacit maintain` in the background when a command leaves long work behind.";
        "methodology.active", Text, methodology_active: String = "native".into(), "Methodology: `native`, `bmad`, `tdd`, `agile`, or the name of a file in `.tacit/methodologies`.";
        "modules.scan", Bool, modules_scan: bool = true, "Describe the modules of a project on its first `tacit init`.";
        "recall.global", Bool, recall_global: bool = true, "Also search your global store, which all your projects share.";
        "recall.hyde", Bool, recall_hyde: bool = true, "If a query finds little, search again with a hypothetical answer written by the model of `generation.provider`.";
        "recall.limit", Int(1, 1_000), recall_limit: u64 = 10, "Maximum number of memories that `recall` and `list` show without `--limit`.";
        "recall.profile", Choice(&["balanced", "relevance", "seed"]), recall_profile: String = "balanced".into(), "Ranking: `balanced` is relevance, with age, use, phase and trust ordering near-equals; `relevance` is relevance only; `seed` is 0.6 × cosine + 0.25 × recency + 0.15 × frequency, times phase, confidence and decay.";
        "report.holdout", Float(0.0, 0.5), report_holdout: f64 = 0.0, "Share of sessions in which nothing is shown to agents, so that `tacit report` can compare them with the others; 0 is off. The guard of dangerous commands and explicit queries are not affected.";
        "review.remind", Bool, review_remind: bool = true, "Say at the start of a session how many memories wait for review, at most once a day in each project.";
        "rules.files", Text, rules_files: String = String::new(), "Further files and folders whose rules are followed, from the root of the worktree, separated by commas; those after `!` are left out: `docs/rules, !CONTRIBUTING.md`.";
        "rules.follow", Bool, rules_follow: bool = true, "Follow the rules and decisions that people write into CLAUDE.md, AGENTS.md, rules of clients, CONTRIBUTING.md and folders of decision records.";
        "timeouts.generation_ms" in "timeouts.<operation>_ms", Int(1, 600_000), generation_timeout_ms: u64 = 10_000, "Milliseconds to wait for a model to write a text, retries included.";
        "timeouts.hook_ms" in "timeouts.<operation>_ms", Int(50, 10_000), hooks_deadline_ms: u64 = 1_000, "Milliseconds before a hook gives up and lets the agent go on.";
        "timeouts.server_ms" in "timeouts.<operation>_ms", Int(10, 5_000), timeouts_server_ms: u64 = 150, "Milliseconds that a hook waits for the team's server before it answers from the copy on this machine.";
        "timeouts.store_ms" in "timeouts.<operation>_ms", Int(0, 60_000), busy_timeout_ms: u64 = 5_000, "Milliseconds to wait for another process that writes. A memory that cannot be stored in that time is spooled to disk, and the next command stores it.";
        "triggers.decisions", Text, triggers_decisions: String = "agents/decisions".into(), "Directories of the decision files that triggers open, from the root of the worktree, separated by commas.";
        "triggers.index", Text, triggers_index: String = "agents/memory-index.md".into(), "Index files of triggers, from the root of the worktree, separated by commas.";
        "ui.color", Choice(&["auto", "always", "never"]), color: ColorChoice = ColorChoice::Auto, "Coloured output. `auto` means on a terminal, unless NO_COLOR is set.";
        "user.name", Text, user_name: String = String::new(), "Your name in the history of changes. Empty means git's `user.name`.";
    }
    /// The settings of records.
    and records: RecordsConfig = RecordsConfig::default();
}

/// Every key, sorted by name. Commands that only look keys up use [`ConfigKey::all`], which builds nothing.
pub static KEYS: LazyLock<Vec<ConfigKey>> = LazyLock::new(|| {
    let mut keys: Vec<ConfigKey> = ConfigKey::all().copied().collect();
    keys.sort_unstable_by_key(|key| key.name);
    keys
});

word_enum! {
    /// The choice of coloured output.
    ColorChoice, "a choice of colour" {
        /// Colours output on a terminal, unless the environment turns colour off.
        Auto = "auto",
        /// Colours output even in a pipe.
        Always = "always",
        /// Never colours output.
        Never = "never",
    }
}

word_enum! {
    /// The way an agent is stopped before a command that is known to be dangerous.
    CommandGuard, "a way to guard commands" {
        /// Never stops an agent.
        Off = "off",
        /// Stops a session once for each memory of a danger.
        Once = "once",
        /// Stops an agent every time.
        Always = "always",
    }
}

/// A configuration key.
#[derive(Clone, Copy)]
pub struct ConfigKey {
    /// The full name, such as `records.decision.threshold`.
    pub name: &'static str,
    /// The name under which the key is documented: its own, or that of its family, such as
    /// `records.<category>.threshold`.
    pub pattern: &'static str,
    /// The values that the key takes.
    pub kind: KeyKind,
    /// The effect of the key, in a sentence or two.
    pub help: &'static str,
    get: fn(&Config) -> ConfigValue,
    set: fn(&mut Config, &ConfigValue),
}

impl fmt::Debug for ConfigKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key").field("name", &self.name).field("kind", &self.kind).finish()
    }
}

/// The values that a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KeyKind {
    /// `true` or `false`.
    Bool,
    /// A whole number between two bounds, both included.
    Int(i64, i64),
    /// A number between two bounds, both included.
    Float(f64, f64),
    /// Text without control characters, so that it fits on one line.
    Text,
    /// One of these words.
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

/// A value of a key.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the variants are named after their types")]
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

/// The patterns of the keys that a file in the repository may set. The file may have come with
/// somebody else's code, so none of these keys chooses a program, a model or an address, makes Tacit
/// capture more than its user agreed to, or holds an agent up.
const SHARED: &[&str] = &[
    "capture.paused",
    "hooks.likely_files",
    "methodology.active",
    "modules.scan",
    "recall.limit",
    "recall.profile",
    "records.<category>.enabled",
    "records.<category>.retention_days",
    "records.archive_retired",
    "records.grace_days",
    "records.max_inject",
    "records.max_per_category",
    "records.session_summary.max_retained",
    "rules.files",
    "rules.follow",
    "triggers.decisions",
    "triggers.index",
];

/// An error in the name or the value of a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// No key has this name.
    #[error("there is no configuration key `{name}`")]
    UnknownKey {
        /// The name as it was written.
        name: String,
        /// The key whose name is most like it.
        suggestion: Option<&'static str>,
    },
    /// The key existed in an earlier version.
    #[error("there is no configuration key `{name}` any more: {reason}")]
    RemovedKey {
        /// The name of the key.
        name: &'static str,
        /// The reason, or the replacement.
        reason: &'static str,
    },
    /// The key does not take this value.
    #[error("`{name}` takes {expected}, not `{value}`")]
    WrongValue {
        /// The name of the key.
        name: &'static str,
        /// The values that the key takes.
        expected: String,
        /// The value as it was written.
        value: String,
    },
    /// The key cannot be set in a file that comes with a repository.
    #[error("`{name}` can only be set in your own configuration, not in a repository's file")]
    OnlyYours {
        /// The name of the key.
        name: &'static str,
    },
}

impl ConfigError {
    /// Returns the error for a name that no key has or had.
    fn unknown(name: &str) -> ConfigError {
        ConfigError::UnknownKey { name: name.to_owned(), suggestion: nearest(name) }
    }
}

impl ConfigKey {
    /// Returns every key, in no particular order.
    pub fn all() -> impl Iterator<Item = &'static ConfigKey> {
        let categories = records::CATEGORY_KEYS.iter().copied().flatten();
        OWN_KEYS.iter().chain(records::KEYS).chain(categories)
    }

    /// Finds a key by its present name. [`KeyName::find`] also knows the old ones.
    pub fn find(name: &str) -> Result<&'static ConfigKey, ConfigError> {
        key_named(name).ok_or_else(|| ConfigError::unknown(name))
    }

    /// Returns the word that tells the key from others of its family, such as `decision`; empty if
    /// it belongs to none.
    pub fn variant(&self) -> &'static str {
        let Some((before, rest)) = self.pattern.split_once('<') else { return "" };
        let after = rest.split_once('>').map_or("", |(_, after)| after);
        let name = self.name.strip_prefix(before).unwrap_or(self.name);
        name.strip_suffix(after).unwrap_or(name)
    }

    /// Checks that a file in the repository may set this key to a value. The file may stop capture
    /// in a project, but not start it.
    pub fn check_shared(&self, value: &ConfigValue) -> Result<(), ConfigError> {
        let resumes = self.name == "capture.paused" && *value == ConfigValue::Bool(false);
        if SHARED.contains(&self.pattern) && !resumes {
            return Ok(());
        }
        Err(ConfigError::OnlyYours { name: self.name })
    }

    /// Returns the value in force.
    pub fn get(&self, config: &Config) -> ConfigValue {
        (self.get)(config)
    }

    /// Checks a value and puts it in force.
    pub fn apply(&self, config: &mut Config, value: &ConfigValue) -> Result<(), ConfigError> {
        let value = self.accept(value).ok_or_else(|| self.refuse(&value.to_string()))?;
        (self.set)(config, &value);
        Ok(())
    }

    /// Reads a value as it is typed on a command line or in an environment variable.
    pub fn parse(&self, text: &str) -> Result<ConfigValue, ConfigError> {
        let refuse = || self.refuse(text);
        let value = match self.kind {
            Bool => ConfigValue::Bool(text.parse().map_err(|_| refuse())?),
            Int(..) => ConfigValue::Int(text.parse().map_err(|_| refuse())?),
            Float(..) => ConfigValue::Float(text.parse().map_err(|_| refuse())?),
            Text | Choice(_) => ConfigValue::Text(text.to_owned()),
        };
        self.accept(&value).ok_or_else(refuse)
    }

    /// Returns the value as this key stores it, or `None` if the key does not take it.
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
                let text = renamed::present_value(self.name, text);
                words.contains(&text).then(|| ConfigValue::Text(text.to_owned()))
            }
            // A choice may have been a yes or no in an earlier version.
            (Choice(_), ConfigValue::Bool(_)) => self.accept(&ConfigValue::Text(value.to_string())),
            _ => None,
        }
    }

    fn refuse(&self, value: &str) -> ConfigError {
        ConfigError::WrongValue {
            name: self.name,
            expected: self.kind.to_string(),
            value: value.to_owned(),
        }
    }
}

fn key_named(name: &str) -> Option<&'static ConfigKey> {
    ConfigKey::all().find(|key| key.name == name)
}

/// Returns the key whose name, or old name, is most like `name`, if any is.
fn nearest(name: &str) -> Option<&'static str> {
    let last = |text: &str| text.rsplit('.').next().unwrap_or_default().to_owned();
    let current = ConfigKey::all().map(KeyName::Current);
    current
        .chain(KeyName::all_old())
        .filter_map(|known| Some((levenshtein(name, known.as_str()), known.as_str(), known.key()?)))
        .filter(|(distance, known, _)| *distance <= 3 || last(name) == last(known))
        .min_by_key(|(distance, known, _)| (*distance, *known))
        .map(|(_, _, key)| key.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_accept_their_defaults() {
        assert!(KEYS.windows(2).all(|pair| pair[0].name < pair[1].name));
        for key in KEYS.iter() {
            let default = key.get(&Config::default());
            assert_eq!(key.parse(&default.to_string()), Ok(default.clone()), "{}", key.name);
            let mut config = Config::default();
            key.apply(&mut config, &default).unwrap();
            assert_eq!(config, Config::default());
        }
    }

    #[test]
    fn wrong_values_are_refused() {
        for (name, text) in [
            ("recall.limit", "0"),
            ("recall.limit", "many"),
            ("records.decision.threshold", "1.5"),
            ("records.decision.threshold", "NaN"),
            ("ui.color", "green"),
            ("recall.global", "yes"),
            ("user.name", "a\nb"),
        ] {
            assert!(ConfigKey::find(name).unwrap().parse(text).is_err(), "{name} {text}");
        }
    }

    #[test]
    fn repository_files_set_only_listed_keys() {
        for (name, allowed) in [
            ("recall.limit", true),
            ("records.decision.enabled", true),
            ("records.tech_debt.retention_days", true),
            ("triggers.index", true),
            ("records.decision.auto_capture", false),
            ("records.decision.description", false),
            ("records.decision.threshold", false),
            ("records.models.decision", false),
            ("guard.records", false),
            ("capture.mode", false),
            ("embedding.provider", false),
            ("generation.command", false),
            ("guard.commands", false),
            ("recall.global", false),
            ("timeouts.hook_ms", false),
            ("timeouts.store_ms", false),
            ("user.name", false),
        ] {
            let key = ConfigKey::find(name).unwrap();
            let value = key.get(&Config::default());
            assert_eq!(key.check_shared(&value).is_ok(), allowed, "{name}");
        }
        let paused = ConfigKey::find("capture.paused").unwrap();
        assert!(paused.check_shared(&ConfigValue::Bool(true)).is_ok());
        assert!(paused.check_shared(&ConfigValue::Bool(false)).is_err());
        let other = ConfigValue::Text("any".into());
        let allowed = ConfigKey::all().filter(|key| key.check_shared(&other).is_ok()).count();
        assert_eq!(allowed, SHARED.len() - 2 + 2 * 6, "every pattern matches a key");
    }

    #[test]
    fn unknown_keys_suggest_the_nearest_name() {
        for (name, suggestion) in [
            ("recal.limit", Some("recall.limit")),
            ("color", Some("ui.color")),
            ("records.decison.threshold", Some("records.decision.threshold")),
            ("hooks.gard", Some("guard.commands")),
            ("something.else.entirely", None),
        ] {
            assert_eq!(
                ConfigKey::find(name).unwrap_err(),
                ConfigError::UnknownKey { name: name.into(), suggestion }
            );
        }
    }
}
