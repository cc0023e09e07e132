//! Memories and the code they are about: which symbols they name, whether those are still what they
//! were when it was learnt, and where files went.
//!
//! What the code is, is told by whoever has it, as [`CodeIndex`]. Nothing of this happens in a hook.

mod about;
mod follow;
mod named;

use std::collections::BTreeMap;

use tacit_core::{BuiltinType, Memory, MemoryId, MemoryType, Reasoning, Review, Source, SymbolRef};
use tacit_store::{ActionKind, CodeLink, MemoryLinks};

use crate::engine::{Engine, StoreScope};
use crate::error::EngineResult;
use crate::lookup::StoredMemory;
use crate::remember::titled_text;

pub use about::LocationMemories;
pub use follow::RenameResolver;
use named::{CodeName, is_distinctive, names};

/// How many memories are read at once.
const PAGE: usize = 500;
/// How many digits of a commit are told.
const COMMIT_DIGITS: usize = 7;

/// What is known of a file's symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileCoverage {
    /// All of them.
    Whole,
    /// Not all of them: it could not be parsed, or was not.
    Partly,
    /// The file is gone.
    Gone,
}

/// The code as it is.
pub trait CodeIndex {
    /// What a name means in a file, under its whole name; none if nothing, or several things.
    fn symbol(&self, path: &str, name: &str) -> Option<CodeLink>;

    /// What a name can mean in any file.
    fn anywhere(&self, name: &str) -> Vec<CodeLink>;

    /// What is known of a file's symbols.
    fn known(&self, path: &str) -> FileCoverage;

    /// Whether a file is as it was committed: what is being worked on is not judged yet.
    fn is_settled(&self, path: &str) -> bool;

    /// The commit in which a symbol became what it is, or went.
    fn changed_in(&self, symbol: &SymbolRef) -> Option<String>;
}

/// What comparing memories with the code gave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LinkReport {
    /// How many memories got other links than they had.
    pub linked: usize,
    /// Memories that should be verified since now.
    pub doubted: Vec<MemoryId>,
    /// Memories whose symbols are again what they were.
    pub settled: Vec<MemoryId>,
}

impl Engine<'_> {
    /// Compares memories with the code: finds the symbols of those that are new or changed, and
    /// marks those whose symbols are no longer what they were. `anew`, all are taken to hold for the
    /// code as it is.
    pub fn link_code(&mut self, code: &dyn CodeIndex, anew: bool) -> EngineResult<LinkReport> {
        if anew {
            self.store_mut(StoreScope::Project)?.unlink_all()?;
        }
        let mut linking = LinkReport { linked: self.find_links(code)?, ..LinkReport::default() };
        self.compare_links(code, &mut linking)?;
        Ok(linking)
    }

    /// Links a memory to the code as it is at the moment it is learnt, so that no change after that
    /// goes unnoticed. What names nothing, or something that is not known yet, is left to
    /// [`Engine::link_code`]; whether it was linked.
    pub fn link_learnt(&mut self, code: &dyn CodeIndex, memory: &Memory) -> EngineResult<bool> {
        if memory.body.trust.doubt().is_some() {
            return Ok(false);
        }
        let named = names(&titled_text(&memory.body));
        let symbols = &memory.body.symbols;
        if named.is_empty() && symbols.is_empty() {
            return Ok(false);
        }
        let is_known = |path: &str, name: &str| code.symbol(path, name).is_some();
        let all_known = symbols.iter().all(|one| is_known(one.path().as_str(), one.name()))
            && named.iter().all(|named| match named {
                CodeName::Placed(symbol) => is_known(symbol.path().as_str(), symbol.name()),
                // In which of its files a name is, is known now; where else, only to the graph.
                CodeName::Free(name) => {
                    !memory.body.files.is_empty()
                        || !is_distinctive(name)
                        || !code.anywhere(name).is_empty()
                }
            });
        if all_known {
            let links = links(memory, code);
            let found = MemoryLinks { memory: memory.id, seen: memory.updated_at, links };
            self.store_mut(StoreScope::Project)?.keep_links(&[found])?;
        }
        Ok(all_known)
    }

    /// The symbols of the code that memories are linked to, of those that were asked for.
    pub fn code_links(&self, shelf: StoreScope, ids: &[MemoryId]) -> EngineResult<Vec<CodeLink>> {
        let Some(store) = self.store(shelf) else { return self.nothing_on(shelf) };
        Ok(store.links_of(ids)?.into_iter().map(|(_, link)| link).collect())
    }

    /// Somebody compared a memory with the code and vouches for it.
    pub fn verify(
        &mut self,
        ids: &[&str],
        reason: Option<Reasoning>,
    ) -> EngineResult<Vec<StoredMemory>> {
        self.change_all(ids, ActionKind::Edit, reason, |memory| {
            memory.body.trust.settle();
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
                let links = match memory.body.trust.doubt() {
                    None => links(memory, code),
                    // Of what is in doubt it must stay known what it was learnt of.
                    Some(_) => before.clone(),
                };
                linked += usize::from(links != before);
                found.push(MemoryLinks { memory: memory.id, seen: memory.updated_at, links });
            }
            store.keep_links(&found)?;
        }
    }

    /// Marks what should be verified, and takes the mark from what is as it was.
    fn compare_links(
        &mut self,
        code: &dyn CodeIndex,
        linking: &mut LinkReport,
    ) -> EngineResult<()> {
        let Some(store) = self.store(StoreScope::Project) else { return Ok(()) };
        let mut marks: Vec<(MemoryId, Option<String>)> = Vec::new();
        let mut moved: BTreeMap<MemoryId, Vec<CodeLink>> = BTreeMap::new();
        // Many memories may be about one symbol, and telling when it changed takes time.
        let mut seen: BTreeMap<SymbolRef, (u64, Compared)> = BTreeMap::new();
        for (id, links) in by_memory(store.links()?) {
            let mut doubts = Vec::new();
            let mut judged = true;
            let mut kept = links.clone();
            for link in &mut kept {
                let (_, compared) = seen
                    .entry(link.symbol.clone())
                    .and_modify(|(sum, compared)| {
                        if *sum != link.sum {
                            (*sum, *compared) = (link.sum, compare(code, link));
                        }
                    })
                    .or_insert_with(|| (link.sum, compare(code, link)));
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
                Some(MemoryLinks { memory: memory.id, seen: memory.updated_at, links })
            });
            store.keep_links(&moved.collect::<Vec<_>>())?;
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
            match (why, memory.body.trust.doubt()) {
                // What is stale for another reason stays so.
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
        let action = self.machine_action(ActionKind::Edit, "the code it is about changed");
        let now = action.at;
        let mut transaction = self.store_mut(StoreScope::Project)?.begin(action)?;
        // What was found may have changed before the transaction began.
        for before in transaction.read(&ids)?.into_iter().filter(differs) {
            let mut after = before.clone();
            // Neither is learnt anew, so that it goes on fading from when it was.
            match marks.get(&before.id).and_then(|why| why.as_ref()) {
                Some(why) => {
                    after.body.trust.stale_at = Some(now);
                    after.body.trust.stale_why = Reasoning::new(why.as_str()).ok();
                    linking.doubted.push(before.id);
                }
                None => {
                    after.body.trust.settle();
                    linking.settled.push(before.id);
                }
            }
            transaction.update(&before, &after)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Links by the memories they are of.
fn by_memory(links: Vec<(MemoryId, CodeLink)>) -> BTreeMap<MemoryId, Vec<CodeLink>> {
    let mut by_memory: BTreeMap<MemoryId, Vec<CodeLink>> = BTreeMap::new();
    for (id, link) in links {
        by_memory.entry(id).or_default().push(link);
    }
    by_memory
}

/// The symbols that a memory is about: those it was said to be about, and those that its text names
/// and that one of its files alone defines; without files, one file of the project alone.
fn links(memory: &Memory, code: &dyn CodeIndex) -> Vec<CodeLink> {
    let body = &memory.body;
    let mut found: BTreeMap<SymbolRef, u64> = BTreeMap::new();
    let mut put = |link: Option<CodeLink>| {
        found.extend(link.map(|link| (link.symbol, link.sum)));
    };
    for symbol in body.symbols.iter() {
        put(code.symbol(symbol.path().as_str(), symbol.name()));
    }
    // What a whole module is does not hang on any one of the symbols it names.
    if body.origin.source == Source::ObserverInferred
        && memory.memory_type() == MemoryType::Builtin(BuiltinType::ModuleInsight)
    {
        return found.into_iter().map(|(symbol, sum)| CodeLink { symbol, sum }).collect();
    }
    for named in names(&titled_text(&memory.body)) {
        match named {
            CodeName::Placed(symbol) => put(code.symbol(symbol.path().as_str(), symbol.name())),
            CodeName::Free(name) if body.files.is_empty() => {
                if is_distinctive(&name) {
                    put(only(code.anywhere(&name)));
                }
            }
            CodeName::Free(name) => {
                let files = body.files.iter();
                put(only(files.filter_map(|file| code.symbol(file.as_str(), &name)).collect()));
            }
        }
    }
    found.into_iter().map(|(symbol, sum)| CodeLink { symbol, sum }).collect()
}

fn only(mut links: Vec<CodeLink>) -> Option<CodeLink> {
    if links.len() == 1 { links.pop() } else { None }
}

/// What became of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Compared {
    /// Nothing.
    Same,
    /// It cannot be told now.
    Unknown,
    /// It is elsewhere, as it was.
    Moved(SymbolRef),
    /// It is another, or gone; in words.
    Differs(String),
}

fn compare(code: &dyn CodeIndex, link: &CodeLink) -> Compared {
    let (path, name) = (link.symbol.path(), link.symbol.name());
    let present = code.symbol(path.as_str(), name);
    if present.as_ref().is_some_and(|present| present.sum == link.sum) {
        return Compared::Same;
    }
    let known = code.known(path.as_str());
    if known == FileCoverage::Partly || !code.is_settled(path.as_str()) {
        return Compared::Unknown;
    }
    if present.is_none()
        && let Some(elsewhere) = only(code.anywhere(name)).filter(|found| found.sum == link.sum)
    {
        return Compared::Moved(elsewhere.symbol);
    }
    let commit = code.changed_in(&link.symbol);
    let commit = commit.map(|commit| commit.chars().take(COMMIT_DIGITS).collect::<String>());
    Compared::Differs(match (present, known, commit) {
        (Some(_), _, Some(commit)) => {
            format!("`{name}` in {path} changed in {commit} since this was learnt")
        }
        (Some(_), _, None) => format!("`{name}` in {path} changed since this was learnt"),
        (None, FileCoverage::Gone, Some(commit)) => {
            format!("{path} with `{name}` is gone since {commit}")
        }
        (None, FileCoverage::Gone, None) => format!("{path} with `{name}` is gone"),
        (None, _, Some(commit)) => format!("`{name}` is no longer in {path}, since {commit}"),
        (None, _, None) => format!("`{name}` is no longer in {path}"),
    })
}
