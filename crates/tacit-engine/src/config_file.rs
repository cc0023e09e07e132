//! Configuration files: TOML, one of the user's for all projects, one that came with the repository,
//! and one of the user's for this project.

use std::fs;
use std::path::{Path, PathBuf};

use tacit_core::{Config, ConfigError, ConfigValue, KEYS, Key};
use thiserror::Error;
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};

/// Why a configuration file cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum ConfigFileError {
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write `{}`: {source}", path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("`{}` is not valid TOML: {detail}", path.display())]
    Syntax { path: PathBuf, detail: String },
    #[error("in `{}`: {source}", path.display())]
    Value { path: PathBuf, source: ConfigError },
}

/// Where the value of a key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// This file set it.
    File(PathBuf),
    /// This environment variable set it.
    Environment(String),
}

/// The configuration in force, and where each value comes from.
#[derive(Debug, Clone)]
pub struct LoadedConfig {
    /// The values.
    pub config: Config,
    /// Settings in the repository's file that are ignored, each with the reason.
    pub ignored: Vec<String>,
    origins: Vec<Origin>,
}

/// The most bytes of a configuration file.
const LARGEST: u64 = 1024 * 1024;

impl Default for LoadedConfig {
    fn default() -> LoadedConfig {
        LoadedConfig {
            config: Config::default(),
            ignored: Vec::new(),
            origins: KEYS.iter().map(|_| Origin::Default).collect(),
        }
    }
}

impl LoadedConfig {
    /// Layers a file of the user's own over what is loaded. One that is not there changes nothing;
    /// one that cannot be used is an error.
    pub fn add(&mut self, path: &Path) -> Result<(), ConfigFileError> {
        let Some(text) = read(path)? else { return Ok(()) };
        for (name, value) in parse(path, &text)? {
            self.apply(&name, &value, Origin::File(path.to_path_buf()))
                .map_err(|source| ConfigFileError::Value { path: path.to_path_buf(), source })?;
        }
        Ok(())
    }

    /// Layers a file that came with the repository over what is loaded. Only a fixed list of keys is
    /// heeded ([`Key::check_shared`]). Nothing in it is an error: a stranger's file must not keep
    /// its reader from working, nor from their own settings.
    pub fn add_shared(&mut self, path: &Path) {
        // A link could lead anywhere; what it leads to would be quoted in an error.
        let text = text_of(path, tacit_fs::read_nofollow(path, LARGEST));
        let values = text.and_then(|text| text.map_or(Ok(Vec::new()), |text| parse(path, &text)));
        let values = match values {
            Ok(values) => values,
            // The lines behind the first quote the file.
            Err(problem) => {
                let problem = problem.to_string();
                return self.ignored.extend(problem.lines().next().map(str::to_owned));
            }
        };
        for (name, value) in values {
            let origin = Origin::File(path.to_path_buf());
            let heeded = Key::find(&name)
                .and_then(|key| key.check_shared(&value))
                .and_then(|()| self.apply(&name, &value, origin));
            if let Err(problem) = heeded {
                let problem = problem.to_string().replace(['\n', '\r'], "\\n");
                self.ignored.push(format!("in `{}`: {problem}", path.display()));
            }
        }
    }

    /// Puts one value on top.
    pub fn apply(
        &mut self,
        name: &str,
        value: &ConfigValue,
        origin: Origin,
    ) -> Result<(), ConfigError> {
        let key = Key::find(name)?;
        key.apply(&mut self.config, value)?;
        if let Some(at) = KEYS.iter().position(|known| known.name == key.name) {
            self.origins[at] = origin;
        }
        Ok(())
    }

    /// Every key with its value and where that comes from.
    pub fn entries(&self) -> impl Iterator<Item = (&'static Key, ConfigValue, &Origin)> {
        KEYS.iter().zip(&self.origins).map(|(key, origin)| (key, key.get(&self.config), origin))
    }
}

/// Reads a configuration file of the user's; none if it is not there.
fn read(path: &Path) -> Result<Option<String>, ConfigFileError> {
    text_of(path, tacit_fs::read_following(path, LARGEST))
}

fn text_of(path: &Path, read: std::io::Result<Vec<u8>>) -> Result<Option<String>, ConfigFileError> {
    let fail = |source| ConfigFileError::Read { path: path.to_path_buf(), source };
    match read {
        Ok(bytes) => String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| fail(std::io::Error::other(error.utf8_error()))),
        Err(error) if is_missing(&error) => Ok(None),
        Err(source) => Err(fail(source)),
    }
}

/// Whether there is no such file, be it that what should be its directory is none.
fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// The keys and values of a file, tables joined with dots.
fn parse(path: &Path, text: &str) -> Result<Vec<(String, ConfigValue)>, ConfigFileError> {
    let document = document(path, text)?;
    let mut values = Vec::new();
    flatten("", document.as_table(), &mut values);
    Ok(values)
}

fn document(path: &Path, text: &str) -> Result<DocumentMut, ConfigFileError> {
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
    /// Reads a file; one that is not there is empty.
    pub fn read(path: &Path) -> Result<ConfigFile, ConfigFileError> {
        let text = read(path)?.unwrap_or_default();
        Ok(ConfigFile { document: document(path, &text)?, path: path.to_path_buf() })
    }

    /// Sets a key.
    pub fn set(&mut self, key: &Key, value: &ConfigValue) {
        let (sections, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        let value = match value {
            ConfigValue::Bool(value) => toml_edit::value(*value),
            ConfigValue::Int(value) => toml_edit::value(*value),
            ConfigValue::Float(value) => toml_edit::value(*value),
            ConfigValue::Text(value) => toml_edit::value(value.as_str()),
        };
        let mut table: &mut dyn TableLike = self.document.as_table_mut();
        for section in sections.split('.') {
            // A table that holds only tables needs no line of its own.
            let mut new = Table::new();
            new.set_implicit(true);
            let item = table.entry(section).or_insert(Item::Table(new));
            let Some(inner) = item.as_table_like_mut() else { return };
            table = inner;
        }
        table.insert(name, value);
    }

    /// Takes a key out; whether it was there.
    pub fn unset(&mut self, key: &Key) -> bool {
        let (sections, name) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        let mut table: &mut dyn TableLike = self.document.as_table_mut();
        for section in sections.split('.') {
            let Some(inner) = table.get_mut(section).and_then(Item::as_table_like_mut) else {
                return false;
            };
            table = inner;
        }
        table.remove(name).is_some()
    }

    /// Writes the file, whole or not at all.
    pub fn write(&self) -> Result<(), ConfigFileError> {
        let fail = |source| ConfigFileError::Write { path: self.path.clone(), source };
        if let Some(parent) = self.path.parent() {
            // The user's configuration can lie beside their store, where others have no business.
            if !parent.is_dir() {
                tacit_fs::create_folder(parent).map_err(fail)?;
            }
        }
        tacit_fs::replace(&self.path, self.document.to_string().as_bytes()).map_err(fail)
    }

    /// As [`ConfigFile::write`], for a file that is committed: others may read it.
    pub fn write_shared(&self) -> Result<(), ConfigFileError> {
        let fail = |source| ConfigFileError::Write { path: self.path.clone(), source };
        if let Some(parent) = self.path.parent() {
            fs::create_dir_all(parent).map_err(fail)?;
        }
        tacit_fs::replace_shared(&self.path, self.document.to_string().as_bytes()).map_err(fail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_files_win_and_say_so() {
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
        assert_eq!(origin("recall.limit"), Some(Origin::File(project)));
        assert_eq!(origin("recall.global"), Some(Origin::File(user)));
        assert_eq!(origin("ui.color"), Some(Origin::Default));
    }

    #[test]
    fn mistakes_are_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        for (text, expected) in [
            ("recall.limit = ", "not valid TOML"),
            ("recal.limit = 3", "there is no configuration key `recal.limit`"),
            ("recall.limit = 'x'", "`recall.limit` takes a whole number"),
            ("recall.limit = [1]", "`recall.limit` takes a whole number"),
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
        file.set(Key::find("recall.global").unwrap(), &ConfigValue::Bool(false));
        file.set(Key::find("ui.color").unwrap(), &ConfigValue::Text("never".into()));
        file.write().unwrap();
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "# mine\n[recall]\nlimit = 3 # few\nglobal = false\n\n[ui]\ncolor = \"never\"\n"
        );
        file.set(Key::find("records.decision.enabled").unwrap(), &ConfigValue::Bool(false));
        file.write().unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.ends_with("\n[records.decision]\nenabled = false\n"), "{text}");
        let mut loaded = LoadedConfig::default();
        loaded.add(&path).unwrap();
        assert!(!loaded.config.records.categories[1].enabled);
        let mut file = ConfigFile::read(&path).unwrap();
        assert!(file.unset(Key::find("records.decision.enabled").unwrap()));
        assert!(!file.unset(Key::find("records.runbook.enabled").unwrap()));
        assert!(file.unset(Key::find("recall.limit").unwrap()));
        assert!(!file.unset(Key::find("recall.limit").unwrap()));
    }

    #[test]
    fn a_stranger_s_file_is_heeded_only_as_far_as_it_may_be() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        let text = "recall.limit = 7\ngeneration.command = \"sh -c evil\"\nhooks.guard = true\n\
                    recall.profile = 3\n\"x\\ny\" = 1\n";
        fs::write(&path, text).unwrap();
        let mut loaded = LoadedConfig::default();
        loaded.add_shared(&path);
        let expected = Config { recall_limit: 7, ..Config::default() };
        assert_eq!(loaded.config, expected);
        assert_eq!(loaded.ignored.len(), 4, "{:#?}", loaded.ignored);
        for broken in ["= [", "\0", "recall = 5"] {
            fs::write(&path, broken).unwrap();
            let mut loaded = LoadedConfig::default();
            loaded.add_shared(&path);
            assert_eq!((loaded.config, loaded.ignored.len()), (Config::default(), 1), "{broken}");
        }
    }
}
