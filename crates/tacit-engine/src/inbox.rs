//! The inbox: requests of agents whose sandbox lets them write to the worktree but not to git's
//! directory, where the store is.
//!
//! It lies in the worktree, so anybody who can put a file there can ask for something. Whatever is
//! asked is stored as told by an agent: never verified, never the user's own word. A file that git
//! tracks came with the repository and is not taken at all.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::{Author, Draft, Reasoning, Source};
use tacit_store_sqlite::Spool;

use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::{RememberOutcome, RememberResult, SpooledRequest, TextCleanup};

/// The name of the folder in [`StorePaths::shared`].
pub const INBOX: &str = "inbox";
/// The most bytes of one request; a memory has far fewer.
const LARGEST: u64 = 64 * 1024;
/// Keeps the folder out of what git sees, wherever it comes to be.
const IGNORE_ALL: &str = "*\n";
/// The name in the history of an agent that cannot say which one it is.
const AGENT: &str = "agent";

/// A request as it lies in the inbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InboxRequest {
    draft: Draft,
    reason: Option<Reasoning>,
}

impl StorePaths {
    /// The inbox of the worktree.
    pub fn inbox(&self) -> PathBuf {
        self.shared.join(INBOX)
    }

    /// Returns true if there is an inbox. Costs one `lstat` of a folder that hardly ever exists.
    pub fn has_inbox(&self) -> bool {
        self.shared != self.project && self.inbox().symlink_metadata().is_ok()
    }
}

impl Engine<'_> {
    /// Leaves a request in the inbox: the store cannot be written from here.
    pub(crate) fn leave_in_inbox(
        &self,
        waiting: SpooledRequest,
        refusal: EngineError,
    ) -> EngineResult<RememberResult> {
        if self.places.shared == self.places.project || create_inbox(&self.places).is_err() {
            return Err(refusal);
        }
        let folder = self.places.inbox();
        let fail = |source| EngineError::Io { path: folder.clone(), source };
        let request = InboxRequest { draft: waiting.draft, reason: waiting.reason };
        let bytes = serde_json::to_vec(&request).map_err(|error| fail(error.into()))?;
        let id = self.ids.next_id(self.clock.now());
        Spool::at(&folder).put(&id, &bytes).map_err(fail)?;
        Ok(RememberResult {
            outcome: RememberOutcome::LeftInInbox,
            memory: None,
            treatment: waiting.treatment,
            near: None,
            left_out: Vec::new(),
        })
    }

    /// Stores what agents left in the inbox, at most `most` requests, and returns how many that
    /// were. `tracked` tells which names in the folder git keeps; it is asked only if something
    /// waits there.
    pub fn take_inbox(
        &mut self,
        most: usize,
        tracked: impl FnOnce() -> Option<Vec<String>>,
    ) -> EngineResult<usize> {
        let folder = self.places.inbox();
        let fail = |source| EngineError::Io { path: folder.clone(), source };
        if !is_real_folder(&self.places.shared) || !tacit_fs::check_folder(&folder).map_err(fail)? {
            return Ok(0);
        }
        let inbox = Spool::at(&folder);
        if inbox.is_empty() {
            return Ok(0);
        }
        // Where git cannot say, anything could have come with the repository.
        let Some(tracked) = tracked() else { return Ok(0) };
        let mut taken = 0;
        let ours = |name: &str| !tracked.contains(&format!("{name}.json").to_ascii_lowercase());
        for entry in inbox.entries_up_to(LARGEST, most, ours).map_err(fail)? {
            // One that cannot be set aside must not keep the others from being taken.
            let Ok(request) = serde_json::from_slice::<InboxRequest>(&entry.bytes) else {
                let _ = inbox.set_aside(&entry);
                continue;
            };
            match self.store_request(&format!("inbox {}", entry.name), request) {
                Ok(()) => {
                    inbox.remove(&entry).map_err(fail)?;
                    taken += 1;
                }
                Err(error @ EngineError::Store(_)) => return Err(error),
                Err(_) => drop(inbox.set_aside(&entry)),
            }
        }
        Ok(taken)
    }

    fn store_request(&mut self, name: &str, request: InboxRequest) -> EngineResult<()> {
        let waiting = SpooledRequest {
            draft: told_by_an_agent(request.draft),
            reason: request.reason,
            actor: Author::new(AGENT).unwrap_or_else(|_| self.actor.clone()),
            treatment: TextCleanup::default(),
        };
        self.store_waiting(StoreScope::Project, name, waiting, false)
    }
}

/// The fields of a draft that an agent may fill; the rest says who told it and how far it is trusted.
fn told_by_an_agent(draft: Draft) -> Draft {
    Draft {
        content: draft.content,
        kind: draft.kind,
        details: draft.details,
        title: draft.title,
        reasoning: draft.reasoning,
        category: draft.category,
        tags: draft.tags,
        related_files: draft.related_files,
        related_symbols: draft.related_symbols,
        related_modules: draft.related_modules,
        references: draft.references,
        source: Some(Source::AgentExplicit.to_string()),
        ..Draft::default()
    }
}

/// Creates the inbox in a worktree. Neither it nor the folder above it may be a link.
fn create_inbox(places: &StorePaths) -> io::Result<()> {
    if places.shared.symlink_metadata().is_err() {
        tacit_fs::create_folder(&places.shared)?;
    }
    if !is_real_folder(&places.shared) {
        let why = format!("`{}` is not a folder of yours", places.shared.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let folder = places.inbox();
    tacit_fs::create_folder(&folder)?;
    let ignore = folder.join(".gitignore");
    match tacit_fs::read(&ignore, LARGEST) {
        Ok(bytes) if bytes == IGNORE_ALL.as_bytes() => Ok(()),
        _ => tacit_fs::replace(&ignore, IGNORE_ALL.as_bytes()),
    }
}

/// Returns true for a real folder, not a link. Its permissions are the worktree owner's choice.
fn is_real_folder(path: &std::path::Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| there.is_dir())
}

/// Returns the inbox if there is one and no link leads to it.
pub(crate) fn real_inbox(places: &StorePaths) -> Option<PathBuf> {
    let is_real = is_real_folder(&places.shared) && is_real_folder(&places.inbox());
    (places.has_inbox() && is_real).then(|| places.inbox())
}

/// Returns the number of requests in the inbox, or `None` if it is empty.
pub fn inbox_size(places: &StorePaths) -> Option<usize> {
    Spool::at(real_inbox(places)?).len().ok().filter(|size| *size > 0)
}
