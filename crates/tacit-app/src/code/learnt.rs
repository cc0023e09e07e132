//! Linking a memory at the moment it is learnt, to the code as it is then.
//!
//! The graph may be older than what an agent has just written, so that the files a memory names are
//! read themselves; where a name is without a file, the graph is asked.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use tacit_codebase::CodebaseError;
use tacit_core::{Memory, SymbolRef};
use tacit_engine::{CodeIndex, Engine, FileCoverage};
use tacit_graph::{
    Extractor, FileFacts, LARGEST_FILE, Language, Source, anchor_of, skip_by_path, symbol_of,
    symbols_of,
};
use tacit_redact::mask;
use tacit_store::CodeLink;

use super::{Present, link};
use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

/// How many names are told where one is not known.
const NEAR: usize = 5;

/// Links a memory to the symbols it names, if there is a graph of the code.
pub fn link_learnt(app: &App, engine: &mut Engine<'_>, memory: &Memory) -> AppResult<()> {
    let codebase = main_codebase(app);
    if !codebase.exists() {
        return Ok(());
    }
    // The first time, all memories are: what is linked before that would be linked anew.
    if !codebase.is_linked()? {
        return link(app, engine).map(drop);
    }
    let graph = match codebase.open() {
        Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => return Ok(()),
        opened => opened?,
    };
    let code = Learnt {
        present: Present::new(app, &codebase, &graph),
        files: RefCell::default(),
        extractor: RefCell::default(),
    };
    engine.link_new_memory(&code, memory)?;
    Ok(())
}

/// The code as it is now, with the files that are asked for as they are on the disk.
struct Learnt<'a> {
    present: Present<'a>,
    files: RefCell<HashMap<String, Option<FileFacts>>>,
    extractor: RefCell<Extractor>,
}

impl Learnt<'_> {
    fn read(&self, path: &str) -> Option<FileFacts> {
        read(self.present.root, path, &mut self.extractor.borrow_mut())
    }
}

/// What a source file says as it is; nothing for what is not read into a graph.
fn read(root: &Path, path: &str, extractor: &mut Extractor) -> Option<FileFacts> {
    let language = Language::of_path(path).filter(|_| skip_by_path(path).is_none())?;
    let bytes = tacit_fs::read_unlinked(&root.join(path), LARGEST_FILE).ok()?;
    extractor.extract(language, &Source::new(&mask(&bytes, b'x')))
}

/// Tells which of some files and symbols the project does not have, with names that are near.
pub fn unknown(root: &Path, files: &[String], symbols: &[String]) -> Vec<String> {
    let mut unknown = unknown_files(root, files);
    unknown.extend(unknown_symbols(root, symbols));
    unknown
}

/// A project without any file has none to be mistaken about: all of them are yet to come.
fn unknown_files(root: &Path, files: &[String]) -> Vec<String> {
    let missing = |file: &&String| root.join(file).symlink_metadata().is_err();
    let visible = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
    };
    let missing: Vec<&String> = files.iter().filter(missing).collect();
    if missing.is_empty() || !root.read_dir().is_ok_and(|mut all| all.any(visible)) {
        return Vec::new();
    }
    missing.into_iter().map(|file| format!("there is no file `{file}` in this project")).collect()
}

/// Which of some symbols the code does not have, in words, with names that are near.
fn unknown_symbols(root: &Path, symbols: &[String]) -> Vec<String> {
    let mut extractor = Extractor::default();
    let unknown = |symbol: &String| {
        let symbol = SymbolRef::new(symbol.as_str()).ok()?;
        let (path, name) = (symbol.path(), symbol.name());
        if !root.join(path.as_str()).exists() {
            return Some(format!("`{path}` is not there, nor is `{name}`"));
        }
        // What cannot be read may have it.
        let facts = read(root, path.as_str(), &mut extractor)?;
        match symbol_of(&facts, name) {
            Some(_) => None,
            None => Some(no_such_symbol(path.as_str(), name, symbols_of(&facts))),
        }
    };
    symbols.iter().filter_map(unknown).collect()
}

fn no_such_symbol(path: &str, name: &str, mut names: Vec<String>) -> String {
    let ending = format!(".{name}");
    let mut meant: Vec<String> =
        names.iter().filter(|full| full.ends_with(&ending)).cloned().collect();
    let said = match meant.is_empty() {
        true => format!("`{path}` has no symbol `{name}`"),
        false => format!("`{name}` is several symbols of `{path}`"),
    };
    if meant.is_empty() {
        names.sort_by_key(|full| std::cmp::Reverse(in_common(full, name)));
        meant = names;
    }
    meant.dedup();
    let near: Vec<String> = meant.iter().take(NEAR).map(|name| format!("`{name}`")).collect();
    if near.is_empty() { said } else { format!("{said}; there is {}", near.join(", ")) }
}

/// How many letters two names begin with alike, in any case.
fn in_common(one: &str, other: &str) -> usize {
    let last = one.rsplit('.').next().unwrap_or(one);
    let begin = |name: &str| {
        let pairs = name.chars().zip(other.chars());
        pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
    };
    begin(one).max(begin(last))
}

impl CodeIndex for Learnt<'_> {
    fn resolve(&self, path: &str, name: &str) -> Option<CodeLink> {
        let mut files = self.files.borrow_mut();
        let facts = files.entry(path.to_owned()).or_insert_with(|| self.read(path)).as_ref()?;
        let full = symbol_of(facts, name)?;
        let sum = anchor_of(facts, &full)?;
        Some(CodeLink { symbol: SymbolRef::of(path, &full).ok()?, checksum: sum })
    }

    fn find_everywhere(&self, name: &str) -> Vec<CodeLink> {
        let found = self.present.find_everywhere(name);
        let fresh = |link: CodeLink| self.resolve(link.symbol.path().as_str(), link.symbol.name());
        found.into_iter().filter_map(fresh).collect()
    }

    fn coverage(&self, path: &str) -> FileCoverage {
        self.present.coverage(path)
    }

    fn is_committed(&self, path: &str) -> bool {
        self.present.is_committed(path)
    }

    fn changing_commit(&self, symbol: &SymbolRef) -> Option<String> {
        self.present.changing_commit(symbol)
    }
}
