//! Finds the project that a process works in: its repository, its worktree, and its store.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacit_engine::{INBOX_FOLDER, RelocateError, StorePaths, StoreScope, relocate};
use tacit_fs::FolderProblem;
use tacit_git::{GitError, Repository};

use crate::error::{AppError, ErrorCode};
use crate::exclude;

/// The folder of the team's files in a worktree; outside git, also of the store.
const FOLDER: &str = ".tacit";
/// Names in that folder that a team may commit, or that are never part of a store.
const SHARED: [&str; 3] = ["config.toml", "methodologies", INBOX_FOLDER];
/// The folder of the store inside the `.git` directory.
const STORE: &str = "tacit";

/// A project, seen from a directory inside it.
pub struct Project {
    /// The paths of the stores.
    pub places: StorePaths,
    /// The repository, if there is one.
    pub repository: Option<Repository>,
    /// The root of the worktree; outside git, of the project.
    pub worktree: PathBuf,
    /// The reason why there can be no store here, or why the existing one is not used.
    pub obstacle: Option<Obstacle>,
}

/// A reason not to use the project's store.
#[derive(Debug)]
pub enum Obstacle {
    /// The directory is inside a bare repository.
    Bare(PathBuf),
    /// The path contains a line break, which settings and log lines cannot hold.
    LineBreak(PathBuf),
    /// The folder of the store may belong to another user.
    Untrusted {
        /// The folder of the store.
        folder: PathBuf,
        /// The reason why it is not trusted.
        why: io::Error,
    },
    /// The store of an earlier version could not be moved out of the worktree.
    NotMoved(RelocateError),
}

impl Project {
    /// Finds the project of a directory. `global` is the folder of the global store.
    pub fn at(directory: &Path, global: &Path) -> Project {
        let repository = tacit_git::discover(directory);
        let (root, worktree, store) = match &repository {
            Some(repository) => (
                repository.main_root.clone(),
                repository.worktree.clone(),
                repository.common_dir.join(STORE),
            ),
            None => {
                let root = plain_root(directory);
                (root.clone(), root.clone(), root.join(FOLDER))
            }
        };
        let places = StorePaths {
            root,
            project: store,
            shared: worktree.join(FOLDER),
            global: global.to_path_buf(),
            server: None,
        };
        let obstacle = obstacle(directory, &places, repository.is_some());
        Project { places, repository, worktree, obstacle }
    }

    /// Moves the store of an earlier version out of the worktree, if there is one and no newer
    /// store. Returns the folder it was in.
    pub fn move_old_store(&mut self, timeout: Duration) -> Option<PathBuf> {
        let repository = self.repository.as_ref().filter(|_| self.obstacle.is_none())?;
        if !self.has_old_store() {
            return None;
        }
        let old = self.places.root.join(FOLDER);
        let moved = tracked_in(repository, &self.places.root)
            .and_then(|tracked| relocate(&old, &self.places.project, &tracked, timeout));
        match moved {
            Ok(false) => None,
            Ok(true) => {
                // The line hides files that a team may want to commit; if it stays, nothing is
                // lost.
                let _ =
                    exclude::remove_old_line(&repository.common_dir.join("info").join("exclude"));
                Some(old)
            }
            Err(problem) => {
                self.obstacle = Some(Obstacle::NotMoved(problem));
                None
            }
        }
    }

    /// Returns true if the worktree has a store of an earlier version and there is no newer store.
    pub fn has_old_store(&self) -> bool {
        let old = self.places.root.join(FOLDER).join(StorePaths::DATABASE);
        self.repository.is_some() && !self.has_store() && old.symlink_metadata().is_ok()
    }

    /// Returns true if the project has a store.
    pub fn has_store(&self) -> bool {
        self.places.database(StoreScope::Project).exists()
    }
}

/// Returns the names in the main worktree's folder that git tracks. Returns an error if any commit
/// ever had a store there: the files may have come from somebody else, even if the index does not
/// list them.
fn tracked_in(repository: &Repository, root: &Path) -> Result<Vec<String>, RelocateError> {
    // A bare repository has no worktree to check files out to.
    if root == repository.common_dir {
        return Ok(Vec::new());
    }
    let unknown = |error: GitError| RelocateError::Unknown {
        path: root.join(FOLDER),
        why: error.to_string(),
    };
    if tacit_git::ever_tracked(root, FOLDER, &SHARED).map_err(unknown)? {
        let why = io::Error::other("a commit contains one, so it may have come from somebody else");
        return Err(RelocateError::Untrusted { path: root.join(FOLDER), why });
    }
    let paths = tacit_git::tracked_below(root, FOLDER).map_err(unknown)?;
    // The case of the letters may differ, the length does not.
    let inside = |path: String| path[FOLDER.len()..].trim_matches('/').to_owned();
    Ok(paths.into_iter().map(inside).collect())
}

/// Returns the names in the worktree's inbox that git tracks; `None` if the whole inbox may have
/// come with the repository.
pub(crate) fn tracked_in_inbox(worktree: &Path) -> Option<Vec<String>> {
    let paths = tacit_git::tracked_below(worktree, FOLDER).ok()?;
    let mut names = Vec::new();
    for path in paths {
        let (folder, rest) = path.split_at(FOLDER.len());
        let rest = rest.trim_start_matches('/');
        let (inbox, name) = rest.split_once('/').unwrap_or((rest, ""));
        let is_inbox = inbox.eq_ignore_ascii_case(INBOX_FOLDER);
        if folder.len() == path.len() || is_inbox && name.is_empty() {
            return None;
        }
        if is_inbox {
            names.push(name.to_ascii_lowercase());
        }
    }
    Some(names)
}

fn obstacle(directory: &Path, places: &StorePaths, in_git: bool) -> Option<Obstacle> {
    if places.project.as_os_str().as_encoded_bytes().iter().any(|byte| b"\n\r".contains(byte)) {
        return Some(Obstacle::LineBreak(places.root.clone()));
    }
    if !in_git && let Some(repository) = tacit_git::discover_bare(directory) {
        return Some(Obstacle::Bare(repository));
    }
    let why = tacit_fs::check_folder(&places.project).err()?;
    Some(Obstacle::Untrusted { folder: places.project.clone(), why })
}

/// Returns the root of a project outside git: the nearest ancestor with a store of this user, else
/// the directory itself. Other users' folders are skipped, or anyone could plant a store in `/tmp`.
fn plain_root(directory: &Path) -> PathBuf {
    let is_ours = |ancestor: &&Path| {
        let folder = ancestor.join(FOLDER);
        folder.join(StorePaths::DATABASE).symlink_metadata().is_ok()
            && !tacit_fs::is_foreign(&folder)
    };
    directory.ancestors().find(is_ours).unwrap_or(directory).to_path_buf()
}

impl From<&Obstacle> for AppError {
    fn from(obstacle: &Obstacle) -> AppError {
        let (message, hint) = match obstacle {
            Obstacle::Bare(repository) => (
                format!("`{}` is a bare repository without a worktree", repository.display()),
                "create a worktree (`git worktree add ../work`) and run tacit there".to_owned(),
            ),
            Obstacle::LineBreak(root) => (
                format!(
                    "the path `{}` contains a line break",
                    root.display().to_string().escape_debug()
                ),
                "rename the folder: agent settings and log lines cannot hold its name".to_owned(),
            ),
            Obstacle::Untrusted { folder, why } => {
                let shown = folder.display();
                let hint = chmod_hint(folder, why).unwrap_or_else(|| {
                    "move it away and run `tacit init`, or run tacit as the user who owns it"
                        .to_owned()
                });
                (format!("`{shown}` is not used: {why}"), hint)
            }
            Obstacle::NotMoved(problem) => (problem.to_string(), relocation_hint(problem)),
        };
        AppError::new(ErrorCode::Refused, message).hint(hint)
    }
}

/// Suggests a command that makes a folder unwritable for other users.
fn chmod_hint(folder: &Path, why: &io::Error) -> Option<String> {
    matches!(FolderProblem::of(why), Some(FolderProblem::Writable(_)))
        .then(|| format!("if it is yours, run `chmod go-w '{}'`", folder.display()))
}

fn relocation_hint(problem: &RelocateError) -> String {
    let hint = match problem {
        RelocateError::Untrusted { path, why } => {
            return chmod_hint(path, why).unwrap_or_else(|| {
                "`tacit init` creates a new store; only if you created this one yourself, move its \
                 `memory.db` to `.git/tacit/`"
                    .to_owned()
            });
        }
        RelocateError::Unknown { .. } => "run `git status` there and try again",
        RelocateError::Busy { .. } => {
            "stop it and try again: the store is being moved into the `.git` directory"
        }
        RelocateError::Io { .. } => "check the permissions of both folders and try again",
    };
    hint.to_owned()
}
