//! Searches for the files that a description is about, using the word index, the graph and the
//! history as last read.

use std::cell::RefCell;
use std::collections::HashMap;

use tacit_graph::{EdgeKind, LARGEST_FILE, PackedGraph};

use super::{
    Callbacks, Description, ExternalEvidence, LocateAnswer, PastText, Pointer, PointerSource,
    RelatedFile, locate, similar,
};
use crate::error::{CodebaseError, CodebaseResult};
use crate::history::{CoChangeReason, EstimateWeights, Estimator, History, Partner, Structure};
use crate::mtime::FileTime;
use crate::open::Codebase;
use crate::refresh::RefreshOptions;
use crate::words::OpenWords;

/// Number of newest commits to compare with the description.
const COMPARED_COMMITS: usize = 3_000;
/// Number of most similar commits to use.
const SIMILAR_COMMITS: usize = 8;
/// Similarity at which the files of a commit get full strength.
const FULL_SIMILARITY: f32 = 0.3;
/// Number of co-changed files to consider per file.
const CO_CHANGED_FILES: usize = 10;
/// Maximum length of a commit title in a reason, in bytes.
const TITLE_LENGTH: usize = 60;

/// The effort of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchDepth {
    /// Uses only the mapped word index and graph.
    Quick,
    /// Also uses commits and the content of candidate files.
    Thorough,
}

/// Files up to this size are verified when opened, which takes a millisecond or two; larger ones
/// only when they are refreshed, in bytes.
const MAX_EAGER_CHECKSUM: usize = 16 << 20;

impl SearchDepth {
    /// Returns true if the checksum of mapped bytes should be verified. Quick searches skip it:
    /// readers tolerate any bytes, and a thorough search finds the damage.
    pub(crate) fn verifies_checksum(self, bytes: &[u8]) -> bool {
        self == SearchDepth::Thorough && bytes.len() <= MAX_EAGER_CHECKSUM
    }
}

impl Codebase {
    /// Finds the files that a description is about, in their current state. Refreshes the word
    /// index if it is missing, or if a source or a file of the answer changed since. If nothing can
    /// be written, answers from the old index and passes the error to `on_stale`.
    pub fn locate_now(
        &self,
        description: &Description,
        external: &[(String, Pointer)],
        limit: usize,
        options: &RefreshOptions<'_>,
        on_stale: &dyn Fn(&CodebaseError),
    ) -> CodebaseResult<LocateAnswer> {
        let ask = |words: &OpenWords| {
            self.locate(words, description, external, SearchDepth::Thorough, limit)
        };
        let before = match self.words(SearchDepth::Thorough) {
            Ok(words) => {
                let answer = ask(&words)?;
                if self.is_current(&words, &answer) {
                    return Ok(answer);
                }
                Some(answer)
            }
            Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => None,
            Err(error) => return Err(error),
        };
        match (self.refresh_all(options), before) {
            (Ok(()), _) => ask(&self.words(SearchDepth::Thorough)?),
            (Err(error), Some(before)) if error.is_unwritable() => {
                on_stale(&error);
                Ok(before)
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Returns true if no source and no file of the answer changed since the words were read.
    fn is_current(&self, words: &OpenWords, answer: &LocateAnswer) -> bool {
        let before = |change: Option<FileTime>| change.is_some_and(|change| change < words.read());
        let Ok(graph) = self.open() else { return false };
        before(self.last_change(&graph, Vec::new))
            && answer.files.iter().all(|file| before(self.changed_at(&file.path)))
    }

    /// Refreshes the graph and the word index.
    fn refresh_all(&self, options: &RefreshOptions<'_>) -> CodebaseResult<()> {
        self.refresh(options)?;
        self.refresh_words(options).map(drop)
    }

    /// Finds the files that a description is about, in the state last read.
    pub fn locate(
        &self,
        words: &OpenWords,
        description: &Description,
        external: &[(String, Pointer)],
        depth: SearchDepth,
        limit: usize,
    ) -> CodebaseResult<LocateAnswer> {
        let index = words.index();
        let mut external = external.to_vec();
        let history = match depth {
            SearchDepth::Thorough if self.has_history() => Some(self.history()?),
            _ => None,
        };
        if let Some(history) = &history {
            external.extend(self.commit_evidence(description, history)?);
        }
        // Imports are already known from the graph and must not count twice.
        let nothing = Structure::default();
        let estimator = history
            .as_ref()
            .map(|history| Estimator::new(history, &nothing, EstimateWeights::default()));
        let graph = self.open_for(depth).ok();
        let packed = graph.as_ref().map(|graph| graph.packed());
        let read = |path: &str| match depth {
            SearchDepth::Quick => None,
            SearchDepth::Thorough => {
                tacit_fs::read_text_following(&self.root.join(path), LARGEST_FILE).ok()
            }
        };
        let counted = RefCell::new(HashMap::new());
        let neighbours_of = |path: &str| {
            let import_neighbours =
                |graph| import_neighbours(graph, path, &mut counted.borrow_mut());
            let mut neighbours_of = packed.as_ref().map(import_neighbours).unwrap_or_default();
            if let (Some(history), Some(estimator)) = (&history, &estimator) {
                neighbours_of.extend(co_changed_files(history, estimator, path));
            }
            neighbours_of
        };
        Ok(locate(
            index,
            description,
            &external,
            &Callbacks { read: &read, neighbours: &neighbours_of },
            limit,
        ))
    }

    /// Returns the files of commits whose messages are similar to the description.
    fn commit_evidence(
        &self,
        description: &Description,
        history: &History,
    ) -> CodebaseResult<ExternalEvidence> {
        let messages = self.messages(COMPARED_COMMITS)?;
        let past: Vec<PastText<'_>> = messages
            .iter()
            .map(|one| PastText { text: &one.text, files: one.files.len() })
            .collect();
        let like = similar(description, &past, SIMILAR_COMMITS);
        let Some(most) = like.first().map(|(_, strength)| *strength) else { return Ok(Vec::new()) };
        let mut sums: HashMap<&str, (f32, String)> = HashMap::new();
        for (at, strength) in &like {
            let message = &messages[*at];
            let title = message.text.lines().next().unwrap_or("");
            let title = &title[..title.floor_char_boundary(TITLE_LENGTH)];
            for path in message.files.iter().filter_map(|file| history.names.path(*file)) {
                let what = || (0.0, format!("{} {title}", message.id));
                sums.entry(path).or_insert_with(what).0 += strength;
            }
        }
        let pointer = |(path, (sum, what)): (&str, (f32, String))| {
            let strength = (sum / most.max(FULL_SIMILARITY)).min(1.0);
            (path.to_owned(), Pointer { source: PointerSource::Commit, strength, what })
        };
        Ok(sums.into_iter().map(pointer).collect())
    }
}

/// Returns the files that were changed together with one in at least two commits.
fn co_changed_files(history: &History, estimator: &Estimator<'_>, path: &str) -> Vec<RelatedFile> {
    let Some(file) = history.names.find(path) else { return Vec::new() };
    let partners = estimator.partners(file, &[], CO_CHANGED_FILES).into_iter();
    let often = |partner: &Partner| {
        partner
            .reasons
            .iter()
            .any(|reason| matches!(reason, CoChangeReason::Commits { both: 2.., .. }))
    };
    let named = partners.filter(often).filter_map(|partner| {
        let path = history.names.path(partner.file)?;
        Some((path.to_owned(), partner.probability as f32, PointerSource::CoChange))
    });
    named.collect()
}

/// Maximum number of importers to count; more make no difference.
const MAX_IMPORTERS: usize = 256;

/// Returns the files that import one, up to about [`MAX_IMPORTERS`].
fn importers(graph: &PackedGraph<'_>, of: u32) -> Vec<u32> {
    let mut files: Vec<u32> = Vec::new();
    let edges = graph.range(of).flat_map(|node| graph.dependents(node));
    let imports = edges.filter(|edge| edge.kind == EdgeKind::Imports);
    for from in imports.filter_map(|edge| graph.file_of(edge.from)).filter(|from| *from != of) {
        files.push(from);
        // A file may import several names of another.
        if files.len() == 2 * MAX_IMPORTERS {
            files.sort_unstable();
            files.dedup();
            if files.len() >= MAX_IMPORTERS {
                break;
            }
        }
    }
    files.sort_unstable();
    files.dedup();
    files
}

/// Returns the files that one imports or is imported by. They are closer the fewer others import
/// them; these counts are cached in `counted`.
fn import_neighbours(
    graph: &PackedGraph<'_>,
    path: &str,
    counted: &mut HashMap<u32, usize>,
) -> Vec<RelatedFile> {
    let Some(file) = graph.find(path) else { return Vec::new() };
    let mut imported: Vec<u32> = graph
        .range(file)
        .flat_map(|node| graph.dependencies(node))
        .filter(|edge| edge.kind == EdgeKind::Imports)
        .filter_map(|edge| graph.file_of(edge.to))
        .filter(|to| *to != file)
        .collect();
    imported.sort_unstable();
    imported.dedup();
    let by = importers(graph, file);
    let share = |push_varint: usize| 1.0 / (1.0 + push_varint as f32).sqrt();
    let mut close: Vec<(u32, f32)> = Vec::with_capacity(imported.len() + by.len());
    for other in imported {
        let push_varint = *counted.entry(other).or_insert_with(|| importers(graph, other).len());
        close.push((other, share(push_varint)));
    }
    close.extend(by.iter().map(|other| (*other, share(by.len()))));
    let named =
        |(other, close): (u32, f32)| (graph.path(other).to_owned(), close, PointerSource::Imports);
    close.into_iter().map(named).collect()
}
