//! The project that a process works in: its repository, its worktree, and where its files are.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tacit_engine::{INBOX_FOLDER, RelocateError, StorePaths, StoreScope, relocate};
use tacit_fs::FolderProblem;
use tacit_git::{GitError, Repository};

use crate::error::{AppError, Code};
use crate::exclude;

/// The folder of a team's files in a worktree and, without git, of the store.
const FOLDER: &str = ".tacit";
/// The names in that folder that a team may commit, or that are never taken for a store.
const SHARED: [&str; 3] = ["config.toml", "methodologies", INBOX_FOLDER];
/// The folder of the store inside git's directory.
const STORE: &str = "tacit";

/// A project, seen from a directory inside it.
pub struct Project {
    /// The folders of the stores.
    pub places: StorePaths,
    /// The repository, if there is one.
    pub repository: Option<Repository>,
    /// The root of the worktree; of the project, outside git.
    pub worktree: PathBuf,
    /// The reason why there can be no memory here, or why the one that is there is not used.
    pub obstacle: Option<Obstacle>,
}

/// A reason not to use the memory of a place.
#[derive(Debug)]
pub enum Obstacle {
    /// The directory is in a repository without a worktree.
    Bare(PathBuf),
    /// The path cannot be written in the lines of settings and logs.
    LineBreak(PathBuf),
    /// The folder of the store may be somebody else's.
    Untrusted {
        /// The folder.
        folder: PathBuf,
        /// The reason for the distrust.
        why: io::Error,
    },
    /// The store of an earlier version stays in the worktree.
    NotMoved(RelocateError),
}

impl Project {
    /// Finds the project of a directory. The user's own store is in `global`.
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
        };
        let obstacle = obstacle(directory, &places, repository.is_some());
        Project { places, repository, worktree, obstacle }
    }

    /// Moves the store of an earlier version out of the worktree, if there is one and none at the
    /// new place. Returns the folder it was in.
    pub fn adopt_old_store(&mut self, patience: Duration) -> Option<PathBuf> {
        let repository = self.repository.as_ref().filter(|_| self.obstacle.is_none())?;
        if !self.has_old_store() {
            return None;
        }
        let old = self.places.root.join(FOLDER);
        let moved = tracked_in(repository, &self.places.root)
            .and_then(|tracked| relocate(&old, &self.places.project, &tracked, patience));
        match moved {
            Ok(false) => None,
            Ok(true) => {
                // The line hid what a team may want to commit now. If it stays, nothing is lost.
                let _ = exclude::take_out(&repository.common_dir.join("info").join("exclude"));
                Some(old)
            }
            Err(problem) => {
                self.obstacle = Some(Obstacle::NotMoved(problem));
                None
            }
        }
    }

    /// Returns true if there is a store in the worktree and none at the new place.
    pub fn has_old_store(&self) -> bool {
        let old = self.places.root.join(FOLDER).join(StorePaths::DATABASE);
        self.repository.is_some() && !self.has_store() && old.symlink_metadata().is_ok()
    }

    /// Returns true if the project has a memory.
    pub fn has_store(&self) -> bool {
        self.places.database(StoreScope::Project).exists()
    }
}

/// The names in the folder of the main worktree that git tracks. It is an error if any commit ever
/// had a store there: files of a checkout that failed are in no index.
fn tracked_in(repository: &Repository, root: &Path) -> Result<Vec<String>, RelocateError> {
    // A bare repository has no worktree that files could be shipped to.
    if root == repository.common_dir {
        return Ok(Vec::new());
    }
    let unknown = |error: GitError| RelocateError::Unknown {
        path: root.join(FOLDER),
        why: error.to_string(),
    };
    if tacit_git::ever_tracked(root, FOLDER, &SHARED).map_err(unknown)? {
        let why = io::Error::other("the history of the repository has one, so it may be anybody's");
        return Err(RelocateError::Untrusted { path: root.join(FOLDER), why });
    }
    let paths = tacit_git::tracked_below(root, FOLDER).map_err(unknown)?;
    // The case of letters may differ, but not their number.
    let inside = |path: String| path[FOLDER.len()..].trim_matches('/').to_owned();
    Ok(paths.into_iter().map(inside).collect())
}

/// The names in the inbox of a worktree that git tracks; none if all of it may have come with the
/// repository.
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
    if !in_git && let Some(repository) = tacit_git::bare(directory) {
        return Some(Obstacle::Bare(repository));
    }
    let why = tacit_fs::check_folder(&places.project).err()?;
    Some(Obstacle::Untrusted { folder: places.project.clone(), why })
}

/// Outside a git repository: the nearest directory above with a memory of this user's, else this
/// one. Another user's folder is passed over, or they could put one above everybody's work.
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
                format!(
                    "`{}` is a bare repository, which has no files to work on",
                    repository.display()
                ),
                "make a worktree of it (`git worktree add ../work`) and run tacit there".to_owned(),
            ),
            Obstacle::LineBreak(root) => (
                format!(
                    "the path `{}` contains a line break",
                    root.display().to_string().escape_debug()
                ),
                "rename the folder: settings of agents and log lines cannot hold its name"
                    .to_owned(),
            ),
            Obstacle::Untrusted { folder, why } => {
                let shown = folder.display();
                let hint = closing_hint(folder, why).unwrap_or_else(|| {
                    "move it away and run `tacit init`, or work as the user who owns it".to_owned()
                });
                (format!("`{shown}` is not used: {why}"), hint)
            }
            Obstacle::NotMoved(problem) => (problem.to_string(), relocation_hint(problem)),
        };
        AppError::new(Code::Refused, message).hint(hint)
    }
}

/// Suggests a command that closes a folder other users can write to.
fn closing_hint(folder: &Path, why: &io::Error) -> Option<String> {
    matches!(FolderProblem::of(why), Some(FolderProblem::Writable(_)))
        .then(|| format!("if it is yours, run `chmod go-w '{}'`", folder.display()))
}

fn relocation_hint(problem: &RelocateError) -> String {
    let hint = match problem {
        RelocateError::Untrusted { path, why } => {
            return closing_hint(path, why).unwrap_or_else(|| {
                "`tacit init` starts a new memory; only if you made this one yourself, move its \
                 `memory.db` to `tacit/` in git's directory"
                    .to_owned()
            });
        }
        RelocateError::Unknown { .. } => "run `git status` there and try again",
        RelocateError::Busy { .. } => {
            "end it and try again: the memory is moved into git's directory"
        }
        RelocateError::Io { .. } => "check the permissions of both folders and try again",
    };
    hint.to_owned()
}
