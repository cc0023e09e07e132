//! Reading and parsing files in parallel, within a bound of memory: as many trees as threads, and
//! facts as bytes, which are small. Facts as values would be many small pieces among those of the
//! trees, and make memory slow to find for both.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tacit_graph::{
    Extractor, LARGEST_FILE, Language, SkipReason, SourceText, is_manifest, skip_by_content,
    skip_by_path,
};
use tacit_redact::mask;

use crate::facts::{FactStore, Hash, StoredFacts, content_hash};
use crate::walk::WalkedFile;

/// Manifests that are larger are not read. Compilers write lists of all that they compiled.
pub(crate) const LARGEST_MANIFEST: u64 = 256 << 20;

/// What reading a file gave.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReadFile {
    pub(crate) hash: Hash,
    /// What it says, for sources; none for manifests.
    pub(crate) facts: Option<StoredFacts>,
    /// Its text, for manifests.
    pub(crate) text: Option<String>,
    /// Whether it had to be parsed.
    pub(crate) parsed: bool,
}

/// Reads files that changed, and parses those whose bytes were never seen.
pub(crate) fn read_and_parse(
    root: &Path,
    entries: &[&WalkedFile],
    threads: usize,
    store: &Mutex<FactStore>,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Option<ReadFile>> {
    let next = AtomicUsize::new(0);
    let read_file: Mutex<Vec<Option<ReadFile>>> = Mutex::new(vec![None; entries.len()]);
    let work = || {
        let mut extractor = Extractor::default();
        let mut fresh: Vec<(Hash, StoredFacts)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(entry) = entries.get(at) else { break };
            let one = read_one(root, entry, store, &mut extractor);
            if let Some(ReadFile { hash, facts: Some(facts), parsed: true, .. }) = &one {
                fresh.push((*hash, facts.clone()));
                if fresh.len() >= 256 {
                    keep(store, &mut fresh);
                }
            }
            lock(&read_file)[at] = one;
            progress(at);
        }
        keep(store, &mut fresh);
    };
    on_threads(threads, work);
    read_file.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Does the same on several threads, this one among them.
pub(crate) fn on_threads(threads: usize, work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        let work = &work;
        (1..threads.max(1)).for_each(|_| {
            scope.spawn(work);
        });
        work();
    });
}

/// Facts that cannot be kept are parsed again next time; that is all that is lost.
fn keep(store: &Mutex<FactStore>, fresh: &mut Vec<(Hash, StoredFacts)>) {
    let _ = lock(store).put(fresh);
    fresh.clear();
}

/// Reads one file; none if it is gone.
fn read_one(
    root: &Path,
    entry: &WalkedFile,
    store: &Mutex<FactStore>,
    extractor: &mut Extractor,
) -> Option<ReadFile> {
    let language = Language::of_path(&entry.path);
    let path = root.join(&entry.path);
    let skip = |why: SkipReason, hash: Hash| {
        Some(ReadFile {
            hash,
            facts: language.map(|_| StoredFacts::Skipped(why)),
            text: None,
            parsed: false,
        })
    };
    if entry.stat.size > LARGEST_FILE && language.is_some() {
        // The bytes do not matter, only that there are too many.
        return skip(SkipReason::Huge, content_hash(language, b"huge"));
    }
    // It may have become larger than it was when it was looked at.
    let most = if language.is_some() { LARGEST_FILE } else { LARGEST_MANIFEST };
    let bytes = match tacit_fs::read_following(&path, most) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(_) => return skip(SkipReason::Unreadable, content_hash(language, b"unreadable")),
    };
    let hash = content_hash(language, &bytes);
    let Some(language) = language else {
        let text = Some(String::from_utf8_lossy(&bytes).into_owned());
        return Some(ReadFile { hash, facts: None, text, parsed: false });
    };
    if let Some(why) = skip_by_path(&entry.path) {
        return skip(why, hash);
    }
    // Some manifests are programs, and sources as well: `setup.py`, `Package.swift`.
    let text = is_manifest(&entry.path).then(|| String::from_utf8_lossy(&bytes).into_owned());
    let kept = lock(store).get(&hash).ok().flatten();
    if let Some(facts) = kept.filter(|kept| kept.read().is_some()) {
        return Some(ReadFile { hash, facts: Some(facts), text, parsed: false });
    }
    let facts = match skip_by_content(&bytes) {
        Some(why) => StoredFacts::Skipped(why),
        // Names are kept, and a secret may stand where a name does.
        None => match extractor.extract(language, &SourceText::new(&mask(&bytes, b'x'))) {
            Some(facts) => StoredFacts::Facts(facts.to_bytes()),
            None => StoredFacts::Skipped(SkipReason::Unsupported),
        },
    };
    // What cannot be parsed by this program may be by another.
    let parsed = facts != StoredFacts::Skipped(SkipReason::Unsupported);
    debug_assert!(facts.read().is_some());
    Some(ReadFile { hash, facts: Some(facts), text, parsed })
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
