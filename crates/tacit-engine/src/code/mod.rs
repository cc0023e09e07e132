//! Links between memories and code: the symbols that memories name, whether they have changed, and
//! renamed files.
//!
//! The caller provides the code through [`CodeIndex`]. None of this runs in a hook.

mod location;
mod names;
mod renames;

use std::collections::BTreeMap;
use std::path::Path;

use tacit_core::{
    BuiltinType, Files, Memory, MemoryId, MemoryType, Reasoning, RepoPath, Review, Source,
    StaleKind, SymbolRef, Symbols,
};
use tacit_store::{ActionKind, CodeLink, MemoryLinks};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::lookup::StoredMemory;
use crate::remember::titled_text;

pub use location::LocationMemories;
use names::{MentionedName, is_distinctive, names};
pub use renames::RenameResolver;

/// The number of memories read at a time.
const PAGE: usize = 500;
/// The number of digits shown of a commit.
const COMMIT_DIGITS: usize = 7;

/// The knowledge of a file's symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileCoverage {
    /// All symbols are known.
    Complete,
    /// Some symbols may be unknown: the file was not parsed, or not completely.
    Partial,
    /// The file does not exist.
    Missing,
}

/// The current code.
pub trait CodeIndex {
    /// Resolves a name in a file to its qualified symbol; `None` if it is unknown or ambiguous.
    fn resolve(&self, path: &str, name: &str) -> Option<CodeLink>;

    /// Returns the symbols of this name in all files.
    fn find_everywhere(&self, name: &str) -> Vec<CodeLink>;

    /// Returns the knowledge of a file's symbols.
    fn coverage(&self, path: &str) -> FileCoverage;

    /// Returns true if a file is unchanged since its commit. Work in progress is not judged yet.
    fn is_committed(&self, path: &str) -> bool;

    /// Returns the commit that last changed or removed a symbol.
    fn changing_commit(&self, symbol: &SymbolRef) -> Option<String>;
}

/// The result of comparing memories with the code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkReport {
    /// The number of memories whose links changed.
    pub linked: usize,
    /// Memories that became stale.
    pub stale: Vec<MemoryId>,
    /// Memories whose symbols are again as they were.
    pub restored: Vec<MemoryId>,
}

impl Engine<'_> {
    /// Compares memories with the code: links new and changed memories, and marks those whose
    /// symbols changed as stale. With `anew`, all are taken to match the current code.
    pub fn link_code(&mut self, code: &dyn CodeIndex, anew: bool) -> EngineResult<LinkReport> {
        if anew {
            self.store_mut(StoreScope::Project)?.reset_links()?;
        }
        let mut linking = LinkReport { linked: self.find_links(code)?, ..LinkReport::default() };
        self.compare_links(code, &mut linking)?;
        Ok(linking)
    }

    /// Links a memory to the code when it is learnt, so that every later change is noticed. Returns
    /// false if it names nothing or something unknown; [`Engine::link_code`] links it later.
    pub fn link_new_memory(&mut self, code: &dyn CodeIndex, memory: &Memory) -> EngineResult<bool> {
        if keeps_links(memory) {
            return Ok(false);
        }
        let names = names(&titled_text(&memory.body));
        let symbols = &memory.body.symbols;
        if names.is_empty() && symbols.is_empty() {
            return Ok(false);
        }
        let is_known = |path: &str, name: &str| code.resolve(path, name).is_some();
        let all_known = symbols.iter().all(|one| is_known(one.path().as_str(), one.name()))
            && names.iter().all(|name| match name {
                MentionedName::Placed(symbol) => is_known(symbol.path().as_str(), symbol.name()),
                // Names in its own files are known now; elsewhere only the graph knows them.
                MentionedName::Free(name) => {
                    !memory.body.files.is_empty()
                        || !is_distinctive(name)
                        || !code.find_everywhere(name).is_empty()
                }
            });
        if all_known {
            let links = links(memory, code);
            let found =
                MemoryLinks { memory: memory.id, memory_updated_at: memory.updated_at, links };
            self.store_mut(StoreScope::Project)?.save_links(&[found])?;
        }
        Ok(all_known)
    }

    /// Returns the code links of memories.
    pub fn code_links(&self, scope: StoreScope, ids: &[MemoryId]) -> EngineResult<Vec<CodeLink>> {
        let Some(store) = self.store(scope) else { return self.missing_store(scope) };
        Ok(store.links_of(ids)?.into_iter().map(|(_, link)| link).collect())
    }

    /// Marks memories as compared with the code and verified. A memory that holds although a file is
    /// gone is no longer about that file.
    pub fn verify(
        &mut self,
        ids: &[&str],
        reason: Option<Reasoning>,
    ) -> EngineResult<Vec<StoredMemory>> {
        let root = self.paths.root.clone();
        self.change_all(ids, ActionKind::Edit, reason, |memory| {
            if memory.body.trust.stale_cause() == Some(StaleKind::FileMissing) {
                drop_missing_files(&root, memory);
            }
            memory.body.trust.clear_stale();
            memory.body.trust.review = Review::Verified;
            Ok(())
        })
    }

    fn find_links(&mut self, code: &dyn CodeIndex) -> EngineResult<usize> {
        let store = self.store_mut(StoreScope::Project)?;
        let mut linked = 0;
        loop {
            let page = store.unlinked(PAGE)?;
            if page.is_empty() {
                return Ok(linked);
            }
            let ids: Vec<MemoryId> = page.iter().map(|memory| memory.id).collect();
            let mut before = by_memory(store.links_of(&ids)?);
            let mut found = Vec::new();
            for memory in &page {
                let before = before.remove(&memory.id).unwrap_or_default();
                let links = if keeps_links(memory) { before.clone() } else { links(memory, code) };
                linked += usize::from(links != before);
                found.push(MemoryLinks {
                    memory: memory.id,
                    memory_updated_at: memory.updated_at,
                    links,
                });
            }
            store.save_links(&found)?;
        }
    }

    /// Marks memories whose symbols changed as stale, and clears the mark if they changed back.
    fn compare_links(
        &mut self,
        code: &dyn CodeIndex,
        linking: &mut LinkReport,
    ) -> EngineResult<()> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(()) };
        let mut marks: Vec<(MemoryId, Option<String>)> = Vec::new();
        let mut moved: BTreeMap<MemoryId, Vec<CodeLink>> = BTreeMap::new();
        // Many memories may be about one symbol, and finding its last commit takes time.
        let mut seen: BTreeMap<SymbolRef, (u64, Compared)> = BTreeMap::new();
        for (id, links) in by_memory(store.links()?) {
            let mut doubts = Vec::new();
            let mut judged = true;
            let mut kept = links.clone();
            for link in &mut kept {
                let (_, compared) = seen
                    .entry(link.symbol.clone())
                    .and_modify(|(sum, compared)| {
                        if *sum != link.checksum {
                            (*sum, *compared) = (link.checksum, compare(code, link));
                        }
                    })
                    .or_insert_with(|| (link.checksum, compare(code, link)));
                match compared {
                    Compared::Same => {}
                    Compared::Unknown => judged = false,
                    Compared::Moved(to) => link.symbol = to.clone(),
                    Compared::Differs(why) => doubts.push(why.clone()),
                }
            }
            if kept != links {
                moved.insert(id, kept);
            }
            if judged || !doubts.is_empty() {
                marks.push((id, doubts.into_iter().next()));
            }
        }
        if !moved.is_empty() {
            linking.linked += moved.len();
            let ids: Vec<MemoryId> = moved.keys().copied().collect();
            let store = self.store_mut(StoreScope::Project)?;
            let memories = store.read(&ids)?;
            let moved = memories.iter().filter_map(|memory| {
                let links = moved.remove(&memory.id)?;
                Some(MemoryLinks { memory: memory.id, memory_updated_at: memory.updated_at, links })
            });
            store.save_links(&moved.collect::<Vec<_>>())?;
        }
        self.mark(&marks, linking)
    }

    fn mark(
        &mut self,
        marks: &[(MemoryId, Option<String>)],
        linking: &mut LinkReport,
    ) -> EngineResult<()> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(()) };
        let ids: Vec<MemoryId> = marks.iter().map(|(id, _)| *id).collect();
        let marks: BTreeMap<MemoryId, &Option<String>> =
            marks.iter().map(|(id, why)| (*id, why)).collect();
        let differs = |memory: &Memory| {
            let why = marks.get(&memory.id).and_then(|why| why.as_ref());
            match (why, memory.body.trust.stale_reason()) {
                // A memory that is stale for another reason stays so.
                (Some(_), None) => memory.body.trust.stale_at.is_none(),
                (None, Some(_)) => true,
                _ => false,
            }
        };
        let memories = store.read(&ids)?;
        let ids: Vec<MemoryId> = memories.iter().filter(|m| differs(m)).map(|m| m.id).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let action = self.tacit_action(ActionKind::Edit, "the code it is about changed");
        let now = action.at;
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        // The memory may have changed before the transaction began.
        for before in transaction.read(&ids)?.into_iter().filter(differs) {
            let mut after = before.clone();
            // `updated_at` stays, so that the memory decays as before.
            match marks.get(&before.id).and_then(|why| why.as_ref()) {
                Some(why) => {
                    let why = Reasoning::new(why.as_str()).ok();
                    after.body.trust.mark_stale(now, StaleKind::CodeChanged, why);
                    linking.stale.push(before.id);
                }
                None => {
                    after.body.trust.clear_stale();
                    linking.restored.push(before.id);
                }
            }
            transaction.update(&before, &after)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Removes the files that no longer exist from a memory, with their symbols.
fn drop_missing_files(root: &Path, memory: &mut Memory) {
    let exists = |path: &RepoPath| root.join(path.as_str()).exists();
    let body = &mut memory.body;
    let files: Vec<RepoPath> = body.files.iter().filter(|path| exists(path)).cloned().collect();
    let symbols: Vec<SymbolRef> =
        body.symbols.iter().filter(|symbol| exists(&symbol.path())).cloned().collect();
    // Fewer entries are within the limits.
    body.files = Files::collect(files).unwrap_or_default();
    body.symbols = Symbols::collect(symbols).unwrap_or_default();
}

/// Returns true if a memory keeps the checksums of the code it was learnt from, because that code
/// has changed or is gone.
fn keeps_links(memory: &Memory) -> bool {
    let cause = memory.body.trust.stale_cause();
    matches!(cause, Some(StaleKind::CodeChanged | StaleKind::FileMissing))
}

/// Groups links by memory.
fn by_memory(links: Vec<(MemoryId, CodeLink)>) -> BTreeMap<MemoryId, Vec<CodeLink>> {
    let mut by_memory: BTreeMap<MemoryId, Vec<CodeLink>> = BTreeMap::new();
    for (id, link) in links {
        by_memory.entry(id).or_default().push(link);
    }
    by_memory
}

/// Returns the symbols that a memory is about: those its author named, and those its text names if
/// exactly one of its files defines them; without files, exactly one file of the project.
fn links(memory: &Memory, code: &dyn CodeIndex) -> Vec<CodeLink> {
    let body = &memory.body;
    let mut found: BTreeMap<SymbolRef, u64> = BTreeMap::new();
    let mut put = |link: Option<CodeLink>| {
        found.extend(link.map(|link| (link.symbol, link.checksum)));
    };
    for symbol in body.symbols.iter() {
        put(code.resolve(symbol.path().as_str(), symbol.name()));
    }
    // The description of a whole module does not depend on a single symbol.
    if body.origin.source == Source::ObserverInferred
        && memory.memory_type() == MemoryType::Builtin(BuiltinType::ModuleInsight)
    {
        return found.into_iter().map(|(symbol, sum)| CodeLink { symbol, checksum: sum }).collect();
    }
    for name in names(&titled_text(&memory.body)) {
        match name {
            MentionedName::Placed(symbol) => {
                put(code.resolve(symbol.path().as_str(), symbol.name()));
            }
            MentionedName::Free(name) if body.files.is_empty() => {
                if is_distinctive(&name) {
                    put(only(code.find_everywhere(&name)));
                }
            }
            MentionedName::Free(name) => {
                let files = body.files.iter();
                put(only(files.filter_map(|file| code.resolve(file.as_str(), &name)).collect()));
            }
        }
    }
    found.into_iter().map(|(symbol, sum)| CodeLink { symbol, checksum: sum }).collect()
}

fn only(mut links: Vec<CodeLink>) -> Option<CodeLink> {
    if links.len() == 1 { links.pop() } else { None }
}

/// The comparison of a symbol with its link.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Compared {
    /// The symbol is unchanged.
    Same,
    /// The state cannot be determined now.
    Unknown,
    /// The unchanged symbol moved.
    Moved(SymbolRef),
    /// The symbol changed or is gone; the text says how.
    Differs(String),
}

fn compare(code: &dyn CodeIndex, link: &CodeLink) -> Compared {
    let (path, name) = (link.symbol.path(), link.symbol.name());
    let present = code.resolve(path.as_str(), name);
    if present.as_ref().is_some_and(|present| present.checksum == link.checksum) {
        return Compared::Same;
    }
    let known = code.coverage(path.as_str());
    if known == FileCoverage::Partial || !code.is_committed(path.as_str()) {
        return Compared::Unknown;
    }
    if present.is_none()
        && let Some(elsewhere) =
            only(code.find_everywhere(name)).filter(|found| found.checksum == link.checksum)
    {
        return Compared::Moved(elsewhere.symbol);
    }
    let commit = code.changing_commit(&link.symbol);
    let commit = commit.map(|commit| commit.chars().take(COMMIT_DIGITS).collect::<String>());
    Compared::Differs(match (present, known, commit) {
        (Some(_), _, Some(commit)) => {
            format!("`{name}` in {path} changed in {commit} since this was learnt")
        }
        (Some(_), _, None) => format!("`{name}` in {path} changed since this was learnt"),
        (None, FileCoverage::Missing, Some(commit)) => {
            format!("{path} with `{name}` is gone since {commit}")
        }
        (None, FileCoverage::Missing, None) => format!("{path} with `{name}` is gone"),
        (None, _, Some(commit)) => format!("`{name}` is no longer in {path}, since {commit}"),
        (None, _, None) => format!("`{name}` is no longer in {path}"),
    })
}
