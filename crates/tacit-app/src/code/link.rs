//! Links one memory to the code when it is stored.
//!
//! The graph may be older than the code an agent has just written, so the files that a memory names
//! are read from disk. The graph is used only for names without a file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use tacit_codebase::CodebaseError;
use tacit_core::{Memory, SymbolRef};
use tacit_engine::{CodeIndex, Engine, FileCoverage};
use tacit_graph::{
    Extractor, FileFacts, LARGEST_FILE, Language, SourceText, find_symbol, skip_by_path,
    symbol_checksum_in, symbol_names,
};
use tacit_redact::mask;
use tacit_store::CodeLink;

use super::{CurrentCode, link_memories};
use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

/// The maximum number of similar names suggested for an unknown one.
const SUGGESTIONS: usize = 5;

/// Links a memory to the symbols it names, if there is a graph of the code.
pub fn link_memory(app: &App, engine: &mut Engine<'_>, memory: &Memory) -> AppResult<()> {
    let codebase = main_codebase(app);
    if !codebase.exists() {
        return Ok(());
    }
    // The first run links all memories, this one included.
    if !codebase.is_linked()? {
        return link_memories(app, engine).map(drop);
    }
    let graph = match codebase.open() {
        Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => return Ok(()),
        opened => opened?,
    };
    let code = FreshCode {
        current: CurrentCode::new(app, &codebase, &graph),
        files: RefCell::default(),
        extractor: RefCell::default(),
    };
    engine.link_new_memory(&code, memory)?;
    Ok(())
}

/// The code as it is now: named files from disk, everything else from the graph.
struct FreshCode<'a> {
    current: CurrentCode<'a>,
    files: RefCell<HashMap<String, Option<FileFacts>>>,
    extractor: RefCell<Extractor>,
}

impl FreshCode<'_> {
    fn read(&self, path: &str) -> Option<FileFacts> {
        read(self.current.root, path, &mut self.extractor.borrow_mut())
    }
}

/// Parses a source file; `None` for files that the graph does not include.
fn read(root: &Path, path: &str, extractor: &mut Extractor) -> Option<FileFacts> {
    let language = Language::of_path(path).filter(|_| skip_by_path(path).is_none())?;
    let bytes = tacit_fs::read_nofollow(&root.join(path), LARGEST_FILE).ok()?;
    extractor.extract(language, &SourceText::new(&mask(&bytes, b'x')))
}

/// Describes the files and symbols that the project does not have, with similar names.
pub fn unknown_references(root: &Path, files: &[String], symbols: &[String]) -> Vec<String> {
    let mut unknown = unknown_files(root, files);
    unknown.extend(unknown_symbols(root, symbols));
    unknown
}

/// Describes the files that do not exist. In an empty project, every file is yet to be written.
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

/// Describes the symbols that their files do not define, with similar names.
fn unknown_symbols(root: &Path, symbols: &[String]) -> Vec<String> {
    let mut extractor = Extractor::default();
    let unknown = |symbol: &String| {
        let symbol = SymbolRef::new(symbol.as_str()).ok()?;
        let (path, name) = (symbol.path(), symbol.name());
        if !root.join(path.as_str()).exists() {
            return Some(format!("there is no file `{path}`, so no symbol `{name}` in it"));
        }
        // A file that cannot be parsed may define it.
        let facts = read(root, path.as_str(), &mut extractor)?;
        match find_symbol(&facts, name) {
            Some(_) => None,
            None => Some(no_such_symbol(path.as_str(), name, symbol_names(&facts))),
        }
    };
    symbols.iter().filter_map(unknown).collect()
}

fn no_such_symbol(path: &str, name: &str, mut names: Vec<String>) -> String {
    let ending = format!(".{name}");
    let mut candidates: Vec<String> =
        names.iter().filter(|full| full.ends_with(&ending)).cloned().collect();
    let message = match candidates.is_empty() {
        true => format!("`{path}` has no symbol `{name}`"),
        false => format!("`{name}` is ambiguous in `{path}`"),
    };
    if candidates.is_empty() {
        names.sort_by_key(|full| std::cmp::Reverse(common_prefix(full, name)));
        candidates = names;
    }
    candidates.dedup();
    let near: Vec<String> =
        candidates.iter().take(SUGGESTIONS).map(|name| format!("`{name}`")).collect();
    if near.is_empty() { message } else { format!("{message}; there is {}", near.join(", ")) }
}

/// Counts the characters that a name, or its last part, has in common with the start of another,
/// ignoring case.
fn common_prefix(one: &str, other: &str) -> usize {
    let last = one.rsplit('.').next().unwrap_or(one);
    let begin = |name: &str| {
        let pairs = name.chars().zip(other.chars());
        pairs.take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count()
    };
    begin(one).max(begin(last))
}

impl CodeIndex for FreshCode<'_> {
    fn resolve(&self, path: &str, name: &str) -> Option<CodeLink> {
        let mut files = self.files.borrow_mut();
        let facts = files.entry(path.to_owned()).or_insert_with(|| self.read(path)).as_ref()?;
        let full = find_symbol(facts, name)?;
        let sum = symbol_checksum_in(facts, &full)?;
        Some(CodeLink { symbol: SymbolRef::of(path, &full).ok()?, checksum: sum })
    }

    fn find_everywhere(&self, name: &str) -> Vec<CodeLink> {
        let found = self.current.find_everywhere(name);
        let fresh = |link: CodeLink| self.resolve(link.symbol.path().as_str(), link.symbol.name());
        found.into_iter().filter_map(fresh).collect()
    }

    fn coverage(&self, path: &str) -> FileCoverage {
        self.current.coverage(path)
    }

    fn is_committed(&self, path: &str) -> bool {
        self.current.is_committed(path)
    }

    fn changing_commit(&self, symbol: &SymbolRef) -> Option<String> {
        self.current.changing_commit(symbol)
    }
}
