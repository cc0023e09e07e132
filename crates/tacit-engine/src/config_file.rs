//! Configuration files in TOML: the user's for all projects, the repository's, and the user's for
//! this project.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use tacit_core::{Config, ConfigError, ConfigKey, ConfigValue, KEYS, KeyName};
use thiserror::Error;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

mod migrate;

pub use migrate::MigratedName;

/// An error in reading, writing or using a configuration file.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages explain the fields")]
pub enum ConfigFileError {
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("`{}` is not valid TOML: {detail}", path.display())]
    Syntax { path: PathBuf, detail: String },
    #[error("in `{}`: {source}", path.display())]
    Value { path: PathBuf, source: ConfigError },
    #[error("in `{}`: `{name}` has a value, but must be a table", path.display())]
    NotATable { path: PathBuf, name: String },
}

/// The source of a key's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigOrigin {
    /// The built-in default.
    Default,
    /// A configuration file.
    File(PathBuf),
    /// An environment variable, by its name.
    Environment(String),
}

/// An old name of a key that a file or a variable uses.
#[derive(Debug, Clone)]
pub struct OldName {
    /// The old name and the key it stands for.
    pub name: KeyName,
    /// The file or the variable.
    pub origin: ConfigOrigin,
    /// True if the same file, or the environment, also has the new name, which wins.
    pub overridden: bool,
}

impl fmt::Display for OldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let old = self.name.as_str();
        match self.name {
            KeyName::Removed(_, reason) => write!(f, "`{old}` has no effect any more: {reason}"),
            KeyName::Old(_, key) | KeyName::Current(key) if self.overridden => {
                write!(f, "`{old}` is ignored, because its new name `{}` is set, too", key.name)
            }
            KeyName::Old(_, key) | KeyName::Current(key) => {
                write!(f, "`{old}` is now `{}`", key.name)
            }
        }
    }
}

/// The configuration in force, and the origin of each value.
#[derive(Debug, Clone, Default)]
pub struct LoadedConfig {
    /// The values in force.
    pub config: Config,
    /// Settings in the repository's file that are ignored, each with the reason.
    pub ignored: Vec<String>,
    /// Old names of keys that files and variables use.
    pub old_names: Vec<OldName>,
    /// The origins of the keys that are set. Hooks load the configuration on every event, so keys
    /// with their default take no room here.
    origins: Vec<(&'static str, ConfigOrigin)>,
}

/// The maximum size of a configuration file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

impl LoadedConfig {
    /// Layers one of the user's own files over the loaded values. A missing file changes nothing; a
    /// file that cannot be used is an error.
    pub fn add(&mut self, path: &Path) -> Result<(), ConfigFileError> {
        let Some(text) = read(path)? else { return Ok(()) };
        let values = parse(path, &text)?;
        let origin = ConfigOrigin::File(path.to_path_buf());
        for (name, value) in &values {
            self.add_value(name, value, &origin, &values, |_, _| Ok(()))
                .map_err(|source| ConfigFileError::Value { path: path.to_path_buf(), source })?;
        }
        Ok(())
    }

    /// Layers the repository's file over the loaded values. Only the keys that
    /// [`ConfigKey::check_shared`] allows take effect. Nothing in the file is an error: somebody else's
    /// file must not stop its reader from working or from using their own settings.
    pub fn add_shared(&mut self, path: &Path) {
        // A link could lead anywhere, and an error would quote what it leads to.
        let text = decode(path, tacit_fs::read_nofollow(path, MAX_BYTES));
        let values = text.and_then(|text| text.map_or(Ok(Vec::new()), |text| parse(path, &text)));
        let values = match values {
            Ok(values) => values,
            // All lines but the first quote the file.
            Err(problem) => {
                let problem = problem.to_string();
                return self.ignored.extend(problem.lines().next().map(str::to_owned));
            }
        };
        let origin = ConfigOrigin::File(path.to_path_buf());
        for (name, value) in &values {
            if let Err(problem) = self.add_value(name, value, &origin, &values, check_shared) {
                let problem = problem.to_string().replace(['\n', '\r'], "\\n");
                self.ignored.push(format!("in `{}`: {problem}", path.display()));
            }
        }
    }

    /// Sets the key that an environment variable names. A variable with the present name of a key
    /// must be added before one with an old name, because the first one wins.
    pub fn add_variable(
        &mut self,
        variable: &str,
        name: KeyName,
        text: &str,
    ) -> Result<(), ConfigError> {
        let origin = ConfigOrigin::Environment(variable.to_owned());
        let overridden = name.key().is_some_and(|key| {
            matches!(self.origin(key), ConfigOrigin::Environment(other) if *other != variable)
        });
        if !matches!(name, KeyName::Current(_)) {
            self.old_names.push(OldName { name, origin: origin.clone(), overridden });
        }
        let Some(key) = name.key().filter(|_| !overridden) else { return Ok(()) };
        let value = key.parse(text).map_err(|error| under_name(error, name))?;
        self.set(key, &value, origin)
    }

    /// Sets a key, by its present name.
    pub fn apply(
        &mut self,
        name: &str,
        value: &ConfigValue,
        origin: ConfigOrigin,
    ) -> Result<(), ConfigError> {
        self.set(ConfigKey::find(name)?, value, origin)
    }

    /// Sets a key to a value from a file; `all` are the values of that file.
    fn add_value(
        &mut self,
        name: &str,
        value: &ConfigValue,
        origin: &ConfigOrigin,
        all: &[(String, ConfigValue)],
        check: fn(KeyName, &ConfigValue) -> Result<(), ConfigError>,
    ) -> Result<(), ConfigError> {
        let name = KeyName::find(name)?;
        check(name, value)?;
        let mut overridden = false;
        if !matches!(name, KeyName::Current(_)) {
            overridden = name.key().is_some_and(|key| all.iter().any(|(new, _)| new == key.name));
            self.old_names.push(OldName { name, origin: origin.clone(), overridden });
        }
        match name.key().filter(|_| !overridden) {
            Some(key) => {
                self.set(key, value, origin.clone()).map_err(|error| under_name(error, name))
            }
            None => Ok(()),
        }
    }

    fn set(
        &mut self,
        key: &'static ConfigKey,
        value: &ConfigValue,
        origin: ConfigOrigin,
    ) -> Result<(), ConfigError> {
        key.apply(&mut self.config, value)?;
        self.origins.retain(|(name, _)| *name != key.name);
        self.origins.push((key.name, origin));
        Ok(())
    }

    /// Returns the source of a key's value.
    pub fn origin(&self, key: &ConfigKey) -> &ConfigOrigin {
        let set = self.origins.iter().find(|(name, _)| *name == key.name);
        set.map_or(&ConfigOrigin::Default, |(_, origin)| origin)
    }

    /// Returns every key with its value and the source of that, sorted by name.
    pub fn entries(
        &self,
    ) -> impl Iterator<Item = (&'static ConfigKey, ConfigValue, &ConfigOrigin)> {
        KEYS.iter().map(|key| (key, key.get(&self.config), self.origin(key)))
    }
}

/// Checks that the repository's file may set a key. A removed key is refused here, because nothing
/// should rewrite a file that others have committed.
fn check_shared(name: KeyName, value: &ConfigValue) -> Result<(), ConfigError> {
    match name {
        KeyName::Current(key) | KeyName::Old(_, key) => key.check_shared(value),
        KeyName::Removed(name, reason) => Err(ConfigError::RemovedKey { name, reason }),
    }
}

/// Returns the error with the name that the user wrote.
fn under_name(error: ConfigError, written: KeyName) -> ConfigError {
    match error {
        ConfigError::WrongValue { expected, value, .. } => {
            ConfigError::WrongValue { name: written.as_str(), expected, value }
        }
        other => other,
    }
}

/// Reads one of the user's configuration files; returns `None` if it does not exist.
fn read(path: &Path) -> Result<Option<String>, ConfigFileError> {
    decode(path, tacit_fs::read_following(path, MAX_BYTES))
}

fn decode(path: &Path, read: std::io::Result<Vec<u8>>) -> Result<Option<String>, ConfigFileError> {
    let fail = |source| ConfigFileError::Read { path: path.to_path_buf(), source };
    match read {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| fail(std::io::Error::other(error.utf8_error()))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(source) => Err(fail(source)),
    }
}

/// Returns true if the file does not exist, or a part of its path is not a directory.
fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// Returns the full names and the values in a file.
fn parse(path: &Path, text: &str) -> Result<Vec<(String, ConfigValue)>, ConfigFileError> {
    let document = parse_document(path, text)?;
    let mut values = Vec::new();
    flatten("", document.as_table(), &mut values);
    Ok(values)
}

fn parse_document(path: &Path, text: &str) -> Result<DocumentMut, ConfigFileError> {
    text.parse().map_err(|error: toml_edit::TomlError| ConfigFileError::Syntax {
        path: path.to_path_buf(),
        detail: error.to_string(),
    })
}

fn flatten(prefix: &str, table: &dyn TableLike, values: &mut Vec<(String, ConfigValue)>) {
    for (key, item) in table.iter() {
        let name = if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
        if let Some(inner) = item.as_table_like() {
            flatten(&name, inner, values);
            continue;
        }
        let value = match item.as_value() {
            Some(Value::Boolean(value)) => ConfigValue::Bool(*value.value()),
            Some(Value::Integer(value)) => ConfigValue::Int(*value.value()),
            Some(Value::Float(value)) => ConfigValue::Float(*value.value()),
            Some(Value::String(value)) => ConfigValue::Text(value.value().clone()),
            _ => ConfigValue::Text(item.to_string().trim().to_owned()),
        };
        values.push((name, value));
    }
}

/// A configuration file that is edited in place, keeping comments and order.
#[derive(Debug)]
pub struct ConfigFile {
    path: PathBuf,
    document: DocumentMut,
}

impl ConfigFile {
    /// Reads a file; a missing file counts as empty.
    pub fn read(path: &Path) -> Result<ConfigFile, ConfigFileError> {
        let text = read(path)?.unwrap_or_default();
        Ok(ConfigFile { document: parse_document(path, &text)?, path: path.to_path_buf() })
    }

    /// Sets a key. Fails if one of its tables is a value in this file.
    pub fn set(&mut self, key: &ConfigKey, value: &ConfigValue) -> Result<(), ConfigFileError> {
        let value = match value {
            ConfigValue::Bool(value) => toml_edit::value(*value),
            ConfigValue::Int(value) => toml_edit::value(*value),
            ConfigValue::Float(value) => toml_edit::value(*value),
            ConfigValue::Text(value) => toml_edit::value(value.as_str()),
        };
        let path = self.path.clone();
        let (tables, name) = split(key.name);
        let table = make_table(self.document.as_table_mut(), tables)
            .ok_or_else(|| ConfigFileError::NotATable { path, name: tables.to_owned() })?;
        table.insert(name, value);
        Ok(())
    }

    /// Removes a key. Returns true if it was set.
    pub fn unset(&mut self, key: &ConfigKey) -> bool {
        let (tables, name) = split(key.name);
        find_table(self.document.as_table_mut(), tables)
            .is_some_and(|table| table.remove(name).is_some())
    }

    /// Writes the file, either whole or not at all.
    pub fn write(&self) -> Result<(), ConfigFileError> {
        let fail = |source| ConfigFileError::Write { path: self.path.clone(), source };
        if let Some(parent) = self.path.parent() {
            // The user's configuration can be in the folder of their store, which is private.
            if !parent.is_dir() {
                tacit_fs::create_folder(parent).map_err(fail)?;
            }
        }
        tacit_fs::replace(&self.path, self.document.to_string().as_bytes()).map_err(fail)
    }

    /// Writes a file that is committed, so that others may read it.
    pub fn write_shared(&self) -> Result<(), ConfigFileError> {
        let fail = |source| ConfigFileError::Write { path: self.path.clone(), source };
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent).map_err(fail)?;
        }
        tacit_fs::replace_shared(&self.path, self.document.to_string().as_bytes()).map_err(fail)
    }
}

/// Splits the name of a key into its tables and its last part.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// Finds the table at a dotted path.
fn find_table<'a>(root: &'a mut Table, path: &str) -> Option<&'a mut dyn TableLike> {
    let mut table: &mut dyn TableLike = root;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        table = table.get_mut(part)?.as_table_like_mut()?;
    }
    Some(table)
}

/// Finds or makes the table at a dotted path. Returns `None` if a part of the path is a value.
fn make_table<'a>(root: &'a mut Table, path: &str) -> Option<&'a mut dyn TableLike> {
    let mut table: &mut dyn TableLike = root;
    for part in path.split('.').filter(|part| !part.is_empty()) {
        // A table that only has tables in it needs no header.
        let mut new = Table::new();
        new.set_implicit(true);
        table = table.entry(part).or_insert(Item::Table(new)).as_table_like_mut()?;
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use tacit_core::CommandGuard;

    use super::*;

    #[test]
    fn later_files_win_and_are_the_origin() {
        let directory = tempfile::tempdir().unwrap();
        let user = directory.path().join("user.toml");
        let project = directory.path().join("project.toml");
        fs::write(&user, "[recall]\nlimit = 3\nglobal = false\n").unwrap();
        fs::write(&project, "recall.limit = 5\n").unwrap();
        let missing = directory.path().join("missing.toml");
        let mut loaded = LoadedConfig::default();
        for path in [&missing, &user, &project] {
            loaded.add(path).unwrap();
        }
        assert_eq!(loaded.config.recall_limit, 5);
        assert!(!loaded.config.recall_global);
        let origin = |name: &str| {
            loaded.entries().find(|(key, ..)| key.name == name).map(|(.., origin)| origin.clone())
        };
        assert_eq!(origin("recall.limit"), Some(ConfigOrigin::File(project)));
        assert_eq!(origin("recall.global"), Some(ConfigOrigin::File(user)));
        assert_eq!(origin("ui.color"), Some(ConfigOrigin::Default));
    }

    #[test]
    fn errors_name_the_mistake() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        for (text, expected) in [
            ("recall.limit = ", "not valid TOML"),
            ("recal.limit = 3", "there is no configuration key `recal.limit`"),
            ("recall.limit = 'x'", "`recall.limit` takes a whole number"),
            ("recall.limit = [1]", "`recall.limit` takes a whole number"),
            ("hooks.guard = 3", "`hooks.guard` takes off, once or always"),
        ] {
            fs::write(&path, text).unwrap();
            let error = LoadedConfig::default().add(&path).unwrap_err();
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn editing_keeps_comments() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, "# mine\n[recall]\nlimit = 3 # few\n").unwrap();
        let mut file = ConfigFile::read(&path).unwrap();
        file.set(ConfigKey::find("recall.global").unwrap(), &ConfigValue::Bool(false)).unwrap();
        file.set(ConfigKey::find("ui.color").unwrap(), &ConfigValue::Text("never".into())).unwrap();
        file.write().unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "# mine\n[recall]\nlimit = 3 # few\nglobal = false\n\n[ui]\ncolor = \"never\"\n"
        );
        file.set(ConfigKey::find("records.decision.enabled").unwrap(), &ConfigValue::Bool(false))
            .unwrap();
        file.write().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("\n[records.decision]\nenabled = false\n"), "{text}");
        let mut loaded = LoadedConfig::default();
        loaded.add(&path).unwrap();
        assert!(!loaded.config.records.categories[1].enabled);
        let mut file = ConfigFile::read(&path).unwrap();
        assert!(file.unset(ConfigKey::find("records.decision.enabled").unwrap()));
        assert!(!file.unset(ConfigKey::find("records.runbook.enabled").unwrap()));
        assert!(file.unset(ConfigKey::find("recall.limit").unwrap()));
        assert!(!file.unset(ConfigKey::find("recall.limit").unwrap()));
    }

    #[test]
    fn repository_files_set_allowed_keys_only() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        let text = "recall.limit = 7\ngeneration.command = \"sh -c evil\"\n\
                    hooks.guard = true\nguard.records = true\nremember.confidence = 0.5\n\
                    recall.profile = 3\n\"x\\ny\" = 1\n";
        fs::write(&path, text).unwrap();
        let mut loaded = LoadedConfig::default();
        loaded.add_shared(&path);
        let expected = Config { recall_limit: 7, ..Config::default() };
        assert_eq!(loaded.config, expected);
        assert!(loaded.old_names.is_empty());
        assert_eq!(loaded.ignored.len(), 6, "{:#?}", loaded.ignored);
        fs::write(&path, "recall = 5\n").unwrap();
        let mut file = ConfigFile::read(&path).unwrap();
        let error =
            file.set(ConfigKey::find("recall.limit").unwrap(), &ConfigValue::Int(5)).unwrap_err();
        assert!(error.to_string().contains("`recall` has a value"), "{error}");
        for broken in ["= [", "\0", "recall = 5"] {
            fs::write(&path, broken).unwrap();
            let mut loaded = LoadedConfig::default();
            loaded.add_shared(&path);
            assert_eq!((loaded.config, loaded.ignored.len()), (Config::default(), 1), "{broken}");
        }
    }

    fn load(text: &str) -> LoadedConfig {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, text).unwrap();
        let mut loaded = LoadedConfig::default();
        loaded.add(&path).unwrap();
        loaded
    }

    #[test]
    fn old_names_in_files_take_effect() {
        let loaded =
            load("[hooks]\nguard = true\nprompt_tokens = 7\n[records.decision]\nmodel = 'm'");
        let config = &loaded.config;
        assert_eq!((config.hooks_guard, config.hooks_prompt_tokens), (CommandGuard::Always, 7));
        assert_eq!(config.records.categories[1].model, "m");
        let told: Vec<String> = loaded.old_names.iter().map(OldName::to_string).collect();
        assert_eq!(
            told,
            [
                "`hooks.guard` is now `guard.commands`",
                "`hooks.prompt_tokens` is now `hooks.tokens.prompt`",
                "`records.decision.model` is now `records.models.decision`",
            ]
        );
        let removed = load("remember.near_duplicate = 0.9");
        assert_eq!(removed.config, Config::default());
        assert!(removed.old_names[0].to_string().contains("no effect any more"));
    }

    #[test]
    fn new_names_win_over_old_ones_in_the_same_file() {
        for text in [
            "guard.commands = false\nhooks.guard = true",
            "hooks.guard = true\nguard.commands = false",
        ] {
            let loaded = load(text);
            assert_eq!(loaded.config.hooks_guard, CommandGuard::Off, "{text}");
            assert!(loaded.old_names[0].overridden && loaded.old_names.len() == 1);
        }
    }

    #[test]
    fn new_names_win_over_old_ones_in_the_environment() {
        let mut loaded = load("hooks.guard = false");
        let name = |variable| KeyName::of_variable(variable).unwrap();
        for (variable, text) in [("TACIT_GUARD_COMMANDS", "true"), ("TACIT_HOOKS_GUARD", "x")] {
            loaded.add_variable(variable, name(variable), text).unwrap();
        }
        assert_eq!(loaded.config.hooks_guard, CommandGuard::Always);
        assert_eq!(loaded.old_names.len(), 2);
        let mut loaded = LoadedConfig::default();
        loaded.add_variable("TACIT_HOOKS_GUARD", name("TACIT_HOOKS_GUARD"), "true").unwrap();
        assert_eq!(loaded.config.hooks_guard, CommandGuard::Always);
        let wrong = loaded.add_variable("TACIT_RECALL_LIMIT", name("TACIT_RECALL_LIMIT"), "0");
        assert!(wrong.unwrap_err().to_string().contains("`recall.limit` takes"));
    }
}
