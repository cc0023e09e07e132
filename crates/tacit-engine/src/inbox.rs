//! The inbox: requests of agents whose sandbox can write to the worktree but not to git's
//! directory, where the store is.
//!
//! Any program that can write to the worktree can leave a request, so a request is stored as an
//! agent's claim and never verified. Files that git tracks came with the repository and are ignored.

use std::fs;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tacit_core::{Author, Draft, Reasoning, Source};

use crate::engine::{Engine, StorePaths, StoreScope};
use crate::error::{EngineError, EngineResult};
use crate::remember::{RememberOutcome, RememberResult, SpooledRequest, TextCleanup};
use crate::requester::refuse_private;
use crate::spool::Spool;

/// The folder name in [`StorePaths::shared`].
pub const INBOX_FOLDER: &str = "inbox";
/// The most bytes of a request; a memory has far fewer.
const LARGEST: u64 = 64 * 1024;
/// Hides the folder from git.
const IGNORE_ALL: &str = "*\n";
/// The author of requests from unknown agents.
const AGENT: &str = "agent";

/// A request in the inbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct InboxRequest {
    draft: Draft,
    reason: Option<Reasoning>,
}

impl StorePaths {
    /// Returns the inbox of the worktree.
    pub fn inbox(&self) -> PathBuf {
        self.shared.join(INBOX_FOLDER)
    }

    /// Returns true if the inbox exists. Costs one `lstat`.
    pub fn has_inbox(&self) -> bool {
        self.shared != self.project && self.inbox().symlink_metadata().is_ok()
    }
}

impl Engine<'_> {
    /// Leaves a request in the inbox if the store is read-only. A private one is not left there: what
    /// is in the inbox becomes an agent's claim, which the team sees.
    pub(crate) fn leave_in_inbox(
        &self,
        waiting: SpooledRequest,
    ) -> EngineResult<Option<RememberResult>> {
        if self.paths.shared == self.paths.project
            || waiting.draft.is_private()
            || create_inbox(&self.paths).is_err()
        {
            return Ok(None);
        }
        let folder = self.paths.inbox();
        let fail = |source| EngineError::Io { path: folder.clone(), source };
        let request = InboxRequest { draft: waiting.draft, reason: waiting.reason };
        let bytes = serde_json::to_vec(&request).map_err(|error| fail(error.into()))?;
        let id = self.ids.next_id(self.clock.now());
        Spool::at(&folder).put(&id, &bytes).map_err(fail)?;
        Ok(Some(RememberResult {
            outcome: RememberOutcome::LeftInInbox,
            memory: None,
            cleanup: waiting.cleanup,
            similar: None,
            left_out: Vec::new(),
            stays_team: false,
        }))
    }

    /// Stores at most `most` requests from the inbox and returns their number. `tracked` returns
    /// the names in the folder that git tracks; it is called only if there are requests.
    pub fn drain_inbox(
        &mut self,
        most: usize,
        tracked: impl FnOnce() -> Option<Vec<String>>,
    ) -> EngineResult<usize> {
        let folder = self.paths.inbox();
        let fail = |source| EngineError::Io { path: folder.clone(), source };
        if !is_real_folder(&self.paths.shared) || !tacit_fs::check_folder(&folder).map_err(fail)? {
            return Ok(0);
        }
        let inbox = Spool::at(&folder);
        if inbox.is_empty() {
            return Ok(0);
        }
        // If git cannot tell, any file may have come with the repository.
        let Some(tracked) = tracked() else { return Ok(0) };
        let mut taken = 0;
        let ours = |name: &str| !tracked.contains(&format!("{name}.json").to_ascii_lowercase());
        for entry in inbox.entries_up_to(LARGEST, most, ours).map_err(fail)? {
            // A request that cannot be quarantined must not block the others.
            let Ok(request) = serde_json::from_slice::<InboxRequest>(&entry.bytes) else {
                let _ = inbox.quarantine(&entry);
                continue;
            };
            match self.store_request(&format!("inbox {}", entry.name), request) {
                Ok(()) => {
                    inbox.remove(&entry).map_err(fail)?;
                    taken += 1;
                }
                Err(error @ EngineError::Store(_)) => return Err(error),
                Err(_) => drop(inbox.quarantine(&entry)),
            }
        }
        Ok(taken)
    }

    fn store_request(&mut self, name: &str, request: InboxRequest) -> EngineResult<()> {
        refuse_private(&request.draft)?;
        let waiting = SpooledRequest {
            draft: agent_fields(request.draft),
            reason: request.reason,
            actor: Author::new(AGENT).unwrap_or_else(|_| self.actor.clone()),
            cleanup: TextCleanup::default(),
        };
        self.store_waiting(StoreScope::Project, name, waiting, false)
    }
}

/// Keeps only the fields that an agent may set.
fn agent_fields(draft: Draft) -> Draft {
    Draft {
        content: draft.content,
        kind: draft.kind,
        details: draft.details,
        title: draft.title,
        reasoning: draft.reasoning,
        category: draft.category,
        tags: draft.tags,
        cues: draft.cues,
        related_files: draft.related_files,
        related_symbols: draft.related_symbols,
        related_modules: draft.related_modules,
        references: draft.references,
        source: Some(Source::AgentExplicit.to_string()),
        ..Draft::default()
    }
}

/// Creates the inbox in a worktree. Neither it nor its parent may be a symbolic link.
fn create_inbox(paths: &StorePaths) -> io::Result<()> {
    if paths.shared.symlink_metadata().is_err() {
        tacit_fs::create_folder(&paths.shared)?;
    }
    if !is_real_folder(&paths.shared) {
        let why = format!("`{}` is not your directory", paths.shared.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    }
    let folder = paths.inbox();
    tacit_fs::create_folder(&folder)?;
    let ignore = folder.join(".gitignore");
    match tacit_fs::read(&ignore, LARGEST) {
        Ok(bytes) if bytes == IGNORE_ALL.as_bytes() => Ok(()),
        _ => tacit_fs::replace(&ignore, IGNORE_ALL.as_bytes()),
    }
}

/// Returns true for a directory that is not a link. Its permissions are the owner's choice.
fn is_real_folder(path: &std::path::Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|there| there.is_dir())
}

/// Returns the inbox if it exists and is not reached through a link.
pub(crate) fn real_inbox(paths: &StorePaths) -> Option<PathBuf> {
    let is_real = is_real_folder(&paths.shared) && is_real_folder(&paths.inbox());
    (paths.has_inbox() && is_real).then(|| paths.inbox())
}

/// Returns the number of requests in the inbox, or `None` if it is empty.
pub fn inbox_size(paths: &StorePaths) -> Option<usize> {
    Spool::at(real_inbox(paths)?).len().ok().filter(|size| *size > 0)
}
