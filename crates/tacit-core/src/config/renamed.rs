//! Names and values that keys had in earlier versions. They are still read from files and from the
//! environment.

use super::{ConfigError, ConfigKey, key_named};

/// The fate of an old name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// The key has this name now.
    Now(&'static str),
    /// The key is gone, for this reason. Its value is ignored.
    Removed(&'static str),
}

use Fate::{Now, Removed};

/// Every old name. A key has at most one, so that no two lines of a file mean the same key.
const OLD_NAMES: &[(&str, Fate)] = &[
    ("embedding.ollama_model", Now("embedding.ollama.model")),
    ("embedding.ollama_url", Now("embedding.ollama.url")),
    ("embedding.openai_model", Now("embedding.openai.model")),
    ("embedding.openai_url", Now("embedding.openai.url")),
    ("generation.daily_calls", Now("generation.daily.calls")),
    ("generation.daily_tokens", Now("generation.daily.tokens")),
    ("generation.timeout_ms", Now("timeouts.generation_ms")),
    ("hooks.deadline_ms", Now("timeouts.hook_ms")),
    ("hooks.guard", Now("guard.commands")),
    ("hooks.prompt_tokens", Now("hooks.tokens.prompt")),
    ("hooks.session_tokens", Now("hooks.tokens.session")),
    ("hooks.tool_tokens", Now("hooks.tokens.tool")),
    ("records.constraint.model", Now("records.models.constraint")),
    ("records.decision.model", Now("records.models.decision")),
    ("records.default_model", Now("records.models.default")),
    ("records.guard", Now("guard.records")),
    ("records.preference.model", Now("records.models.preference")),
    ("records.runbook.model", Now("records.models.runbook")),
    ("records.session_summary.model", Now("records.models.session_summary")),
    ("records.tech_debt.model", Now("records.models.tech_debt")),
    ("records.verification_model", Now("records.models.verification")),
    (
        "remember.confidence",
        Removed("it is always 0.9; `tacit remember --confidence` sets another"),
    ),
    ("remember.near_duplicate", Removed("it is always 0.8")),
    ("remember.resurrection_hours", Now("forget.block_hours")),
    ("store.busy_timeout_ms", Now("timeouts.store_ms")),
];

/// Values of earlier versions: the key, the value and its present form.
const OLD_VALUES: &[(&str, &str, &str)] =
    &[("guard.commands", "false", "off"), ("guard.commands", "true", "always")];

/// Returns the present form of a value of a key.
pub(super) fn present_value<'a>(key: &str, value: &'a str) -> &'a str {
    let old = OLD_VALUES.iter().find(|(of, old, _)| *of == key && *old == value);
    old.map_or(value, |(_, _, new)| new)
}

/// A name that a user wrote, and what it stands for.
#[derive(Debug, Clone, Copy)]
pub enum KeyName {
    /// The name of a key.
    Current(&'static ConfigKey),
    /// The old name of a key.
    Old(&'static str, &'static ConfigKey),
    /// The old name of a key that is gone, with the reason.
    Removed(&'static str, &'static str),
}

impl KeyName {
    /// Finds the key or the old name that is spelt `name`.
    pub fn find(name: &str) -> Result<KeyName, ConfigError> {
        match key_named(name) {
            Some(key) => Ok(KeyName::Current(key)),
            None => old(|old| old == name).ok_or_else(|| ConfigError::unknown(name)),
        }
    }

    /// Finds the key that an environment variable sets: `TACIT_`, then the name in capitals with `_`
    /// for each dot. Returns nothing for any other variable.
    pub fn of_variable(variable: &str) -> Option<KeyName> {
        let wanted = variable.strip_prefix("TACIT_")?;
        let is_meant = |name: &str| {
            name.len() == wanted.len()
                && name.bytes().zip(wanted.bytes()).all(|(ours, theirs)| match ours {
                    b'.' => theirs == b'_',
                    _ => ours.to_ascii_uppercase() == theirs,
                })
        };
        match ConfigKey::all().find(|key| is_meant(key.name)) {
            Some(key) => Some(KeyName::Current(key)),
            None => old(is_meant),
        }
    }

    /// Returns the name as the user wrote it.
    pub fn as_str(&self) -> &'static str {
        match self {
            KeyName::Current(key) => key.name,
            KeyName::Old(name, _) | KeyName::Removed(name, _) => name,
        }
    }

    /// Returns the key, unless it is gone.
    pub fn key(&self) -> Option<&'static ConfigKey> {
        match self {
            KeyName::Current(key) | KeyName::Old(_, key) => Some(key),
            KeyName::Removed(..) => None,
        }
    }

    /// Returns every old name.
    pub fn all_old() -> impl Iterator<Item = KeyName> {
        OLD_NAMES.iter().filter_map(|(name, fate)| resolve(name, *fate))
    }
}

fn old(is_meant: impl Fn(&str) -> bool) -> Option<KeyName> {
    let (name, fate) = OLD_NAMES.iter().find(|(name, _)| is_meant(name))?;
    resolve(name, *fate)
}

fn resolve(name: &'static str, fate: Fate) -> Option<KeyName> {
    match fate {
        Now(new) => key_named(new).map(|key| KeyName::Old(name, key)),
        Removed(reason) => Some(KeyName::Removed(name, reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, ConfigValue, KEYS};

    /// Every name that a key has ever had, with a value that is not its default.
    const EVER: &[(&str, &str)] = &[
        ("backups.daily", "3"),
        ("backups.weekly", "0"),
        ("capture.app_tools", "press_button"),
        ("capture.extractor", "rules"),
        ("capture.mode", "silent"),
        ("capture.paused", "true"),
        ("capture.silent_budget", "0"),
        ("database.password_command", "pass show tacit"),
        ("database.preferences", "false"),
        ("database.project", "tacit"),
        ("database.url", "postgres://ada@db.example/tacit"),
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
        ("hooks.guard", "always"),
        ("hooks.likely_files", "false"),
        ("hooks.prompt_tokens", "0"),
        ("hooks.session_tokens", "8000"),
        ("hooks.tool_tokens", "1"),
        ("learn.build", "false"),
        ("maintain.auto", "false"),
        ("methodology.active", "tdd"),
        ("modules.scan", "false"),
        ("recall.global", "false"),
        ("recall.hyde", "false"),
        ("recall.limit", "3"),
        ("recall.profile", "seed"),
        ("records.archive_retired", "false"),
        ("records.default_model", "opus"),
        ("records.grace_days", "1"),
        ("records.guard", "true"),
        ("records.max_inject", "9"),
        ("records.max_per_category", "10"),
        ("records.parallel", "false"),
        ("records.session_summary.max_retained", "3"),
        ("records.verification_model", "opus"),
        ("remember.confidence", "0.5"),
        ("remember.near_duplicate", "1"),
        ("remember.resurrection_hours", "0"),
        ("report.holdout", "0.1"),
        ("review.remind", "false"),
        ("rules.files", "docs/rules"),
        ("rules.follow", "false"),
        ("store.busy_timeout_ms", "60000"),
        ("timeouts.server_ms", "50"),
        ("triggers.decisions", "docs/decisions,web/decisions"),
        ("triggers.index", "docs/index.md"),
        ("ui.color", "never"),
        ("user.name", "Ada"),
    ];
    const CATEGORIES: [&str; 6] =
        ["session_summary", "decision", "runbook", "constraint", "tech_debt", "preference"];
    const FIELDS: [(&str, &str); 6] = [
        ("auto_capture", "false"),
        ("description", "other"),
        ("enabled", "false"),
        ("model", "opus"),
        ("retention_days", "7"),
        ("threshold", "0.9"),
    ];

    fn ever() -> Vec<(String, &'static str)> {
        let mut names: Vec<(String, &str)> =
            EVER.iter().map(|(name, text)| ((*name).to_owned(), *text)).collect();
        for category in CATEGORIES {
            let fields = FIELDS.iter();
            names
                .extend(fields.map(|(field, text)| (format!("records.{category}.{field}"), *text)));
        }
        names
    }

    #[test]
    fn every_name_that_ever_was_sets_its_key() {
        let names = ever();
        assert_eq!(names.len(), 95);
        let mut set = Vec::new();
        for (name, text) in names {
            let found = KeyName::find(&name).unwrap();
            assert_eq!(found.as_str(), name);
            let Some(key) = found.key() else { continue };
            let mut config = Config::default();
            key.apply(&mut config, &key.parse(text).unwrap()).unwrap();
            assert_eq!(key.get(&config).to_string(), text, "{name}");
            assert_ne!(config, Config::default(), "{name}");
            set.push(key.name);
        }
        set.sort_unstable();
        let keys: Vec<&str> = KEYS.iter().map(|key| key.name).collect();
        assert_eq!(set, keys, "every key had one name; add new keys to EVER");
    }

    #[test]
    fn old_values_mean_present_ones() {
        for (name, old, new) in OLD_VALUES {
            let key = key_named(name).unwrap();
            assert_eq!(key.parse(old).unwrap().to_string(), *new, "{name}");
            let mut config = Config::default();
            key.apply(&mut config, &ConfigValue::Bool(*old == "true")).unwrap();
            assert_eq!(key.get(&config).to_string(), *new, "{name}");
        }
        assert!(key_named("ui.color").unwrap().parse("true").is_err());
    }

    #[test]
    fn old_names_lead_to_keys_and_are_none_themselves() {
        for (name, fate) in OLD_NAMES {
            assert!(key_named(name).is_none(), "{name}");
            assert!(resolve(name, *fate).is_some(), "{name} has no key");
        }
        assert!(OLD_NAMES.is_sorted_by_key(|(name, _)| *name));
    }

    #[test]
    fn variables_follow_the_names() {
        for (name, _) in ever() {
            let variable = format!("TACIT_{}", name.replace('.', "_").to_uppercase());
            let found = KeyName::of_variable(&variable).unwrap();
            let expected = KeyName::find(&name).unwrap();
            assert_eq!(found.key().map(|key| key.name), expected.key().map(|key| key.name));
        }
        for key in KEYS.iter() {
            let variable = format!("TACIT_{}", key.name.replace('.', "_").to_uppercase());
            let found = KeyName::of_variable(&variable);
            assert!(matches!(found, Some(KeyName::Current(other)) if other.name == key.name));
        }
        for other in ["TACIT_NOW", "TACIT_recall_limit", "RECALL_LIMIT", "TACIT_RECALL.LIMIT"] {
            assert!(KeyName::of_variable(other).is_none(), "{other}");
        }
    }
}
