//! Replaces old names of keys in a configuration file, keeping its comments and its order.

use tacit_core::KeyName;
use toml_edit::{Decor, Item, Key as TomlKey, RawString, Table, TableLike};

use super::{ConfigFile, find_table, make_table, split};

/// An old name that was replaced in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigratedName {
    /// The old name of the key.
    pub old: &'static str,
    /// The present name, or `None` if the value has no effect and became a comment.
    pub new: Option<&'static str>,
}

impl ConfigFile {
    /// Gives every key with an old name its present one, and returns the changes.
    ///
    /// A value without effect, because the new name is set, too, or because the key is gone, stays
    /// at the end of the file as a comment.
    pub fn migrate(&mut self) -> Vec<MigratedName> {
        KeyName::all_old().filter_map(|name| self.rename(name)).collect()
    }

    /// Renames one key. Returns `None` if the file does not have it, or has no room for the new name
    /// because one of its tables is a value.
    fn rename(&mut self, name: KeyName) -> Option<MigratedName> {
        let old_name = name.as_str();
        let root = self.document.as_table_mut();
        let (old_tables, old) = split(old_name);
        let holds = |table: &mut dyn TableLike| {
            table.get(old).is_some_and(|item| item.is_value() && !item.is_inline_table())
        };
        if !find_table(root, old_tables).is_some_and(holds) {
            return None;
        }
        let Some(new) = name.key().map(|key| key.name).filter(|new| !is_set(root, new)) else {
            let (comments, mut item) = take(root, old_tables, old);
            let beside = take_comments(&mut item);
            let value = item.to_string();
            let line = format!("# {old_name} = {} (not used)\n", value.trim());
            self.append_comments(&(comments + &beside + &line));
            return Some(MigratedName { old: old_name, new: None });
        };
        let renamed = MigratedName { old: old_name, new: Some(new) };
        if rename_in_place(root, old_tables, old, new) {
            return Some(renamed);
        }
        let (new_tables, last) = split(new);
        make_table(root, new_tables)?;
        let (from_inline, to_inline) = (is_inline(root, old_tables), is_inline(root, new_tables));
        let (mut comments, mut item) = take(root, old_tables, old);
        if from_inline || to_inline {
            comments += &take_comments(&mut item);
        }
        let mut key = TomlKey::new(last);
        if !to_inline {
            key.leaf_decor_mut().set_prefix(std::mem::take(&mut comments));
        }
        if let Some(table) = make_table(root, new_tables) {
            table.entry_format(&key).or_insert(item);
        }
        self.append_comments(&comments);
        Some(renamed)
    }

    /// Adds lines of comments to the end of the file.
    fn append_comments(&mut self, lines: &str) {
        if lines.is_empty() {
            return;
        }
        let trailing = self.document.trailing().as_str().unwrap_or_default();
        let gap = if trailing.is_empty() || trailing.ends_with('\n') { "" } else { "\n" };
        let trailing = format!("{trailing}{gap}{lines}");
        self.document.set_trailing(trailing);
    }
}

/// Returns true if the document has an entry at a full name.
fn is_set(root: &mut Table, name: &str) -> bool {
    let (tables, last) = split(name);
    find_table(root, tables).is_some_and(|table| table.contains_key(last))
}

/// Returns true if the table at a dotted path is, or is in, an inline table. Comments cannot stand
/// above its entries.
fn is_inline(root: &Table, path: &str) -> bool {
    let mut parts = path.split('.');
    let mut item = parts.next().and_then(|part| root.get(part));
    while let Some(found) = item {
        if found.is_value() {
            return true;
        }
        item = parts.next().and_then(|part| found.get(part));
    }
    false
}

/// Renames a key where it stands, if its new name only has more parts below the same table:
/// `prompt_tokens` in `[hooks]` becomes `tokens.prompt`. Returns false if it cannot.
fn rename_in_place(root: &mut Table, tables: &str, old: &str, new: &str) -> bool {
    let below = new.strip_prefix(tables).and_then(|rest| rest.strip_prefix('.'));
    let Some((first, last)) = below.and_then(|below| below.split_once('.')) else { return false };
    let mut table = root;
    for part in tables.split('.') {
        let Some(Item::Table(inner)) = table.get_mut(part) else { return false };
        table = inner;
    }
    if table.contains_key(first) {
        return false;
    }
    // An entry can only be added at the end, so all entries are taken out and put back.
    let names: Vec<String> = table.iter().map(|(name, _)| name.to_owned()).collect();
    for name in names {
        let Some((key, item)) = table.remove_entry(&name) else { continue };
        if name != old {
            table.insert_formatted(&key, item);
            continue;
        }
        let mut inner = Table::new();
        inner.set_dotted(true);
        let leaf = TomlKey::new(last).with_leaf_decor(key.leaf_decor().clone());
        inner.insert_formatted(&leaf, item);
        table.insert(first, Item::Table(inner));
    }
    true
}

/// Takes a value out of its table, with the comments above it. A table that is left without entries
/// and comments is removed.
fn take(root: &mut Table, tables: &str, name: &str) -> (String, Item) {
    let Some(table) = find_table(root, tables) else { return (String::new(), Item::None) };
    let comments = table.key(name).map(|key| comments(key.leaf_decor())).unwrap_or_default();
    let item = table.remove(name).unwrap_or_default();
    let mut path = tables;
    while !path.is_empty() {
        let (parent, last) = split(path);
        if let Some(table) = find_table(root, parent)
            && table.get(last).is_some_and(is_blank)
        {
            table.remove(last);
        }
        path = parent;
    }
    (comments, item)
}

/// Returns true if a table has no entries and no comments.
fn is_blank(item: &Item) -> bool {
    let decor = match item {
        Item::Table(table) => table.decor(),
        Item::Value(value) => value.decor(),
        _ => return false,
    };
    item.as_table_like().is_some_and(|table| table.is_empty()) && comments(decor).is_empty()
}

/// Takes the comments beside a value out of it.
fn take_comments(item: &mut Item) -> String {
    let Some(value) = item.as_value_mut() else { return String::new() };
    let found = comments(value.decor());
    value.decor_mut().clear();
    found
}

/// Returns the comments before and after something, each on its own line.
fn comments(decor: &Decor) -> String {
    let texts = [decor.prefix(), decor.suffix()].into_iter().flatten();
    let lines = texts.filter_map(RawString::as_str).flat_map(str::lines).map(str::trim);
    lines.filter(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::config_file::LoadedConfig;

    fn migrate(text: &str) -> String {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, text).unwrap();
        let mut file = ConfigFile::read(&path).unwrap();
        file.migrate();
        file.document.to_string()
    }

    fn load(text: &str) -> LoadedConfig {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("config.toml");
        fs::write(&path, text).unwrap();
        let mut loaded = LoadedConfig::default();
        loaded.add(&path).unwrap_or_else(|error| panic!("{text}\n{error}"));
        loaded
    }

    #[test]
    fn names_change_and_comments_stay() {
        let old = "\
# My settings.
[hooks]
# Few are enough.
prompt_tokens = 300 # tokens
likely_files = false
# Ask me.
guard = true # always

[store]
busy_timeout_ms = 10

[recall]
limit = 3
# the end
";
        let new = "\
# My settings.
[hooks]
# Few are enough.
tokens.prompt = 300 # tokens
likely_files = false

[recall]
limit = 3

[guard]
# Ask me.
commands = true # always

[timeouts]
store_ms = 10
# the end
";
        assert_eq!(migrate(old), new);
        assert_eq!(migrate(new), new);
    }

    #[test]
    fn values_without_effect_become_comments() {
        let both = "hooks.guard = true # old\nguard.commands = false\n";
        assert_eq!(
            migrate(both),
            "guard.commands = false\n# old\n# hooks.guard = true (not used)\n"
        );
        let removed = "# keep\n[remember]\n# why\nnear_duplicate = 0.9\n";
        assert_eq!(
            migrate(removed),
            "# keep\n[remember]\n# why\n# remember.near_duplicate = 0.9 (not used)\n"
        );
    }

    #[test]
    fn inline_tables_are_migrated() {
        let old = "hooks = { guard = true, prompt_tokens = 3 }\nguard = { records = true }\n";
        let new = migrate(old);
        assert_eq!(load(&new).config, load(old).config);
        assert!(load(&new).old_names.is_empty(), "{new}");
    }

    #[test]
    fn every_old_name_keeps_its_value_in_every_notation() {
        for name in KeyName::all_old() {
            let (tables, last) = split(name.as_str());
            let Some(key) = name.key() else { continue };
            let value = match key.kind {
                tacit_core::KeyKind::Bool | tacit_core::KeyKind::Choice(_) => "true",
                tacit_core::KeyKind::Text => "'x'",
                _ => "77",
            };
            for old in [
                format!("[{tables}]\n{last} = {value}\n"),
                format!("{tables}.{last} = {value}\n"),
                format!("{tables} = {{ {last} = {value} }}\n"),
                format!("{tables}.{last} = {value} # why\nrecords.runbook.enabled = false\n"),
                format!("[recall]\nlimit = 3\n\n[{tables}]\n# why\n{last} = {value} # so\n"),
                format!("[guard]\n[timeouts]\n[records.models]\n[{tables}]\n{last} = {value}\n"),
            ] {
                let new = migrate(&old);
                let after = load(&new);
                assert_eq!(after.config, load(&old).config, "{old}---\n{new}");
                assert!(after.old_names.is_empty(), "{new}");
                assert_eq!(new.matches('#').count(), old.matches('#').count(), "{old}---\n{new}");
            }
        }
    }
}
