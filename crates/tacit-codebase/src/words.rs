//! The words of a worktree's files on disk: an index that is mapped, made anew from what is kept by
//! content whenever anything changed, as the graph is.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tacit_graph::{FACTS_VERSION, LARGEST_FILE, Language, skip_by_content, skip_by_path};
use tacit_redact::mask;
use tacit_simd::map::MappedFile;

use crate::content_cache::{CacheKind, ContentCache};
use crate::derived::repairing;
use crate::error::{CodebaseError, CodebaseResult, io};
use crate::facts::{FactStore, Hash, content_hash};
use crate::locate::search::SearchDepth;
use crate::locate::{FileVersion, FileWords, IndexPacker, WORDS_VERSION, WordIndex};
use crate::mtime::FileTime;
use crate::open::Codebase;
use crate::parse_files::{lock, on_threads};
use crate::refresh::RefreshOptions;
use crate::walk::{WalkedFile, is_graph_input, walk};

/// Text that is no source is not read if it is longer: it is data then.
const LARGEST_TEXT: u64 = 200_000;

/// Words, as they are kept. What a piece is follows from facts.
pub(crate) const WORDS: CacheKind =
    CacheKind { name: "words", version: WORDS_VERSION << 16 | FACTS_VERSION };

/// What bringing the words up to date did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WordsReport {
    /// How many files have words.
    pub files: usize,
    /// How many were read, because they looked changed.
    pub read: usize,
    /// Whether the index is another one than before.
    pub changed: bool,
}

/// The words of files, open.
pub struct OpenWords {
    map: MappedFile,
    read: FileTime,
}

impl OpenWords {
    fn bytes(&self) -> &[u8] {
        self.map.get(0..self.map.len()).unwrap_or_default()
    }

    fn is_sound(&self) -> bool {
        WordIndex::is_sound(self.bytes())
    }

    /// When they were read, or last found to be current.
    pub(crate) fn read(&self) -> FileTime {
        self.read
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> WordIndex<'_> {
        WordIndex::new(self.bytes())
            .unwrap_or_else(|| unreachable!("it was looked at when it was opened"))
    }
}

impl Codebase {
    /// Opens the words as they were last read.
    pub fn words(&self, depth: SearchDepth) -> CodebaseResult<OpenWords> {
        let path = self.file("words");
        open_word_index(&path, depth)?
            .ok_or_else(|| CodebaseError::Missing { root: self.root.clone() })
    }

    /// Brings the words up to date, after the graph, which knows what sources define.
    pub fn refresh_words(&self, options: &RefreshOptions<'_>) -> CodebaseResult<WordsReport> {
        let path = self.file("words");
        self.with_lock("words-lock", |started| {
            self.with_shared_stores(|| repairing(|| self.read_words(&path, started, options)))
        })
    }

    fn read_words(
        &self,
        path: &Path,
        started: FileTime,
        options: &RefreshOptions<'_>,
    ) -> CodebaseResult<WordsReport> {
        let store = ContentCache::open(&self.directory, WORDS)?;
        let known = if options.reread_all || store.is_new {
            HashMap::new()
        } else {
            self.indexed_versions()
        };
        let walked = walk(&self.root, options.threads, is_text);
        let same = |entry: &WalkedFile| {
            known.get(&entry.path).is_some_and(|stamp| {
                stamp.modified == entry.stat.modified && stamp.size == entry.stat.size
            })
        };
        let changed: Vec<&WalkedFile> = walked.files.iter().filter(|entry| !same(entry)).collect();
        let mut done = WordsReport { read: changed.len(), ..WordsReport::default() };
        let store = Mutex::new(store);
        let facts = Mutex::new(FactStore::open(&self.directory)?);
        let hashes = read_all(&self.root, &changed, options, &store, &facts);
        let fresh: HashMap<&str, Option<Hash>> =
            changed.iter().map(|entry| entry.path.as_str()).zip(hashes).collect();
        let mut files: Vec<(&str, FileVersion)> = Vec::with_capacity(walked.files.len());
        for entry in &walked.files {
            let hash = match fresh.get(entry.path.as_str()) {
                Some(hash) => *hash,
                None => known.get(&entry.path).map(|stamp| stamp.hash),
            };
            let Some(hash) = hash else { continue };
            let stat = started.trusted(entry.stat);
            files.push((
                &entry.path,
                FileVersion { modified: stat.modified, size: stat.size, hash },
            ));
        }
        done.files = files.len();
        let unchanged = files.len() == known.len()
            && files.iter().all(|(path, stamp)| known.get(*path) == Some(stamp));
        if unchanged && path.exists() {
            started.touch(path);
            return Ok(done);
        }
        done.changed = true;
        let store = store.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut packer = IndexPacker::default();
        for (path, stamp) in &files {
            let bytes = store.get(&stamp.hash, <[u8]>::to_vec)?.unwrap_or_default();
            let words = FileWords::from_bytes(&bytes).unwrap_or_default();
            packer.push(path, *stamp, &words);
        }
        started.publish(path, &packer.finish())?;
        Ok(done)
    }

    /// How files looked when they were last read. An index that cannot be used knows nothing.
    fn indexed_versions(&self) -> HashMap<String, FileVersion> {
        let Some(words) = self.words(SearchDepth::Quick).ok().filter(OpenWords::is_sound) else {
            return HashMap::new();
        };
        let index = words.index();
        (0..index.files()).map(|file| (index.path(file).to_owned(), index.stamp(file))).collect()
    }
}

/// Opens an index of words; none if there is none.
pub(crate) fn open_word_index(
    path: &Path,
    depth: SearchDepth,
) -> CodebaseResult<Option<OpenWords>> {
    let file = match tacit_fs::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
            return Err(CodebaseError::PathBlocked { path: path.to_path_buf() });
        }
        Err(error) => return Err(io(path)(error)),
    };
    let metadata = file.metadata().map_err(io(path))?;
    let damaged = || CodebaseError::Damaged { path: path.to_path_buf() };
    let map = MappedFile::new(file, metadata.len()).map_err(|_| damaged())?;
    let words = OpenWords { map, read: FileTime::built_at(&metadata) };
    let is_summed = depth.verifies_checksum(words.bytes());
    if WordIndex::new(words.bytes()).is_none() || (is_summed && !words.is_sound()) {
        return Err(damaged());
    }
    Ok(Some(words))
}

/// Whether a path is that of text that somebody wrote.
fn is_text(path: &str) -> bool {
    // A project of Xcode names every file, and is written by it.
    if skip_by_path(path).is_some() || path.ends_with(".pbxproj") {
        return false;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let endings = "adoc bash bat c cc cfg clj cmake conf cpp cs css cxx dart ejs erb erl ex exs fish \
        graphql groovy gradle h hpp hs html in ini j2 jinja jl json kt kts less lua md mdx mk ml nim \
        php pl pm properties proto ps1 pxd pyi pyx r rb rst scala scss sh sql svelte swift tf tmpl \
        toml txt vue xml yaml yml zig zsh";
    let names =
        ["makefile", "dockerfile", "readme", "changes", "news", "license", "rakefile", "gemfile"];
    is_graph_input(path)
        || endings.split_whitespace().any(|known| known.eq_ignore_ascii_case(ending))
        || names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The hashes of files, whose words are kept then; none for those that have none.
fn read_all(
    root: &Path,
    entries: &[&WalkedFile],
    options: &RefreshOptions<'_>,
    store: &Mutex<ContentCache>,
    facts: &Mutex<FactStore>,
) -> Vec<Option<Hash>> {
    let next = AtomicUsize::new(0);
    let hashes: Mutex<Vec<Option<Hash>>> = Mutex::new(vec![None; entries.len()]);
    // Words that cannot be kept are missing from the index until the file changes.
    let keep = |fresh: &mut Vec<(Hash, Vec<u8>)>| {
        let kept = fresh.iter().map(|(hash, words)| (hash, Cow::Borrowed(words.as_slice())));
        let _ = lock(store).put(kept);
        fresh.clear();
    };
    let work = || {
        let mut fresh: Vec<(Hash, Vec<u8>)> = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(entry) = entries.get(at) else { break };
            let Some((hash, words)) = read_one(root, entry, store, facts) else { continue };
            lock(&hashes)[at] = Some(hash);
            fresh.extend(words.map(|words| (hash, words)));
            if fresh.len() >= 128 {
                keep(&mut fresh);
            }
            (options.progress)(at + 1, entries.len());
        }
        keep(&mut fresh);
    };
    on_threads(options.threads, work);
    hashes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The hash of a file, and its words if they are not kept yet.
fn read_one(
    root: &Path,
    entry: &WalkedFile,
    store: &Mutex<ContentCache>,
    facts: &Mutex<FactStore>,
) -> Option<(Hash, Option<Vec<u8>>)> {
    let language = Language::of_path(&entry.path);
    let largest = if language.is_some() { LARGEST_FILE } else { LARGEST_TEXT };
    if entry.stat.size > largest {
        return None;
    }
    let bytes = tacit_fs::read_following(&root.join(&entry.path), largest).ok()?;
    let hash = content_hash(language, &bytes);
    if lock(store).has(&hash) {
        return Some((hash, None));
    }
    if skip_by_content(&bytes).is_some() {
        return None;
    }
    let facts = language.and_then(|_| lock(facts).get(&hash).ok().flatten()?.read()?.ok());
    let text = mask(&bytes, b' ');
    let words = FileWords::of(&String::from_utf8_lossy(&text), facts.as_ref());
    Some((hash, Some(words.to_bytes())))
}
