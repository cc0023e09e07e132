//! Linking a memory at the moment it is learnt, to the code as it is then.
//!
//! The graph may be older than what an agent has just written, so that the files a memory names are
//! read themselves; where a name is without a file, the graph is asked.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;

use tacit_codebase::CodebaseError;
use tacit_core::{Memory, SymbolRef};
use tacit_engine::{Code, Engine, Known};
use tacit_graph::{
    Extractor, FileFacts, LARGEST_FILE, Language, Source, anchor_of, skip_by_path, symbol_of,
};
use tacit_store::CodeLink;

use super::{Present, link};
use crate::app::App;
use crate::error::CliResult;
use crate::graph::main_codebase;

/// Links a memory to the symbols it names, if there is a graph of the code.
pub(crate) fn link_learnt(app: &App, engine: &mut Engine<'_>, memory: &Memory) -> CliResult<()> {
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
    engine.link_learnt(&code, memory)?;
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
        let language = Language::of_path(path).filter(|_| skip_by_path(path).is_none())?;
        let file = self.present.root.join(path);
        let length = fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?.len();
        if length > LARGEST_FILE {
            return None;
        }
        self.extractor.borrow_mut().extract(language, &Source::new(&fs::read(&file).ok()?))
    }
}

impl Code for Learnt<'_> {
    fn symbol(&self, path: &str, name: &str) -> Option<CodeLink> {
        let mut files = self.files.borrow_mut();
        let facts = files.entry(path.to_owned()).or_insert_with(|| self.read(path)).as_ref()?;
        let full = symbol_of(facts, name)?;
        let sum = anchor_of(facts, &full)?;
        Some(CodeLink { symbol: SymbolRef::of(path, &full).ok()?, sum })
    }

    fn anywhere(&self, name: &str) -> Vec<CodeLink> {
        let found = self.present.anywhere(name);
        let fresh = |link: CodeLink| self.symbol(link.symbol.path().as_str(), link.symbol.name());
        found.into_iter().filter_map(fresh).collect()
    }

    fn known(&self, path: &str) -> Known {
        self.present.known(path)
    }

    fn is_settled(&self, path: &str) -> bool {
        self.present.is_settled(path)
    }

    fn changed_in(&self, symbol: &SymbolRef) -> Option<String> {
        self.present.changed_in(symbol)
    }
}
