//! The life of memories: marks those stale whose files are gone, and prunes what no longer serves.
//!
//! All worktrees share the memories, so the main worktree is the one to compare with.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use tacit_codebase::history::FileNameHistory;
use tacit_core::{LifeStep, RepoPath, Timestamp};
use tacit_engine::{Engine, LifeReport, PlannedLife, ProjectState, StoreScope};
use tacit_git::{
    BranchState, Branches, Repository, commit_since, commits_touching, contents_at, is_ancestor,
    is_squashed,
};

use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

/// The most other worktrees that are searched for a file.
const WORKTREES: usize = 16;
/// The most branches in one run whose changes are looked for in the main branch.
const BRANCHES: usize = 50;

/// Plans and applies the steps that are due for the memories of a store. Unless `may_judge`, leaves out
/// those that the files and branches of the project decide.
pub fn advance(
    app: &App,
    engine: &mut Engine<'_>,
    scope: StoreScope,
    may_judge: bool,
) -> AppResult<LifeReport> {
    let plan = if may_judge {
        plan(app, engine, scope)?
    } else {
        let mut plan = engine.plan_life(scope, None)?;
        plan.retain(|planned| {
            !matches!(planned.step, LifeStep::MarkStale(..) | LifeStep::Refresh(_))
        });
        plan
    };
    Ok(engine.apply_life(scope, &plan)?)
}

/// Returns the steps that are due for the memories of a store. Files that were renamed are not
/// missing.
pub fn plan(app: &App, engine: &Engine<'_>, scope: StoreScope) -> AppResult<Vec<PlannedLife>> {
    match scope {
        StoreScope::Global => Ok(engine.plan_life(scope, None)?),
        StoreScope::Project => {
            let state = CheckedOutProject::new(app);
            Ok(engine.plan_life(scope, Some(&state))?)
        }
    }
}

/// Returns true if a directory has files or directories that are not hidden.
pub(crate) fn has_visible_files(root: &Path) -> bool {
    let mut entries = root.read_dir().into_iter().flatten().flatten();
    entries.any(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."))
}

/// Returns true if the worktree has only a part of the project's files.
pub(crate) fn is_sparse(repository: &Repository) -> bool {
    repository.git_dir.join("info/sparse-checkout").exists()
}

/// The files and branches of the project as they are now.
struct CheckedOutProject<'a> {
    app: &'a App,
    /// The worktrees, the main one first; none if there is nothing to compare with.
    roots: Vec<PathBuf>,
    existing: RefCell<HashMap<RepoPath, bool>>,
    gone: RefCell<HashMap<RepoPath, bool>>,
    /// `None` if git cannot list them.
    branches: OnceCell<Option<Branches>>,
    /// The branches that were compared with the main branch, and whether it has their changes.
    squashed: RefCell<HashMap<String, bool>>,
    /// The names of files in the history, read when a file is missing.
    names: OnceCell<Option<FileNameHistory>>,
    is_sparse: bool,
}

impl CheckedOutProject<'_> {
    fn new(app: &App) -> CheckedOutProject<'_> {
        let mut roots = vec![app.places.root.clone()];
        if let Some(repository) = &app.repository {
            let is_bare = repository.main_root == repository.common_dir;
            let others = repository.worktrees().into_iter().filter(|root| *root != app.places.root);
            let others: Vec<PathBuf> = others.take(WORKTREES).collect();
            if is_bare {
                roots.clear();
            }
            roots.extend(others);
        }
        // In an empty directory, every file is yet to be written or the disk is not mounted.
        if !roots.first().is_some_and(|root| has_visible_files(root)) {
            roots.clear();
        }
        CheckedOutProject {
            app,
            roots,
            existing: RefCell::default(),
            gone: RefCell::default(),
            branches: OnceCell::new(),
            squashed: RefCell::default(),
            names: OnceCell::new(),
            is_sparse: app.repository.as_ref().is_some_and(is_sparse),
        }
    }

    fn is_tracked(&self, path: &RepoPath) -> bool {
        let root = &self.app.places.root;
        contents_at(root, "HEAD", path.as_str()).is_ok_and(|found| found.is_some())
    }

    /// Returns true if a file that the main worktree does not have is gone.
    fn find_gone(&self, path: &RepoPath) -> bool {
        // A sparse checkout leaves files out that are still part of the project.
        if self.is_sparse && self.is_tracked(path) {
            return false;
        }
        // Its memories follow it first.
        if self.is_renamed(path) {
            return false;
        }
        // A file that the main branch never had may be new on a branch of another worktree.
        if self.last_commit(path, None).is_some() {
            return true;
        }
        !self.roots.iter().skip(1).any(|root| root.join(path.as_str()).exists())
    }

    /// Returns true if the history has another name for a file, under which it exists.
    fn is_renamed(&self, path: &RepoPath) -> bool {
        let read = || {
            let codebase = main_codebase(self.app);
            self.app.repository.as_ref()?;
            codebase.refresh_history().ok()?;
            codebase.history().ok().map(|history| history.names)
        };
        let Some(names) = self.names.get_or_init(read) else { return false };
        let now = names.owner(path.as_str()).and_then(|file| names.path(file));
        now.is_some_and(|now| now != path.as_str() && self.app.places.root.join(now).exists())
    }

    fn branches(&self) -> Option<&Branches> {
        let read = || {
            let repository = self.app.repository.as_ref()?;
            let current = repository.branch();
            Branches::read(&self.app.places.root, current.as_deref()).ok()
        };
        self.branches.get_or_init(read).as_ref()
    }

    /// Returns true if the main branch has the changes of a branch that has commits of its own.
    fn is_squashed(&self, branch: &str) -> bool {
        let Some(branches) = self.branches() else { return false };
        if branches.state(branch) != BranchState::Open {
            return false;
        }
        let mut known = self.squashed.borrow_mut();
        if let Some(squashed) = known.get(branch) {
            return *squashed;
        }
        let (root, name) = (&self.app.places.root, format!("refs/heads/{branch}"));
        let squashed = known.len() < BRANCHES
            && branches.main.iter().any(|main| is_squashed(root, &name, main));
        known.insert(branch.to_owned(), squashed);
        squashed
    }
}

impl ProjectState for CheckedOutProject<'_> {
    fn exists(&self, path: &RepoPath) -> bool {
        let Some(root) = self.roots.first() else { return true };
        let mut known = self.existing.borrow_mut();
        *known.entry(path.clone()).or_insert_with(|| root.join(path.as_str()).exists())
    }

    fn is_gone(&self, path: &RepoPath) -> bool {
        if let Some(gone) = self.gone.borrow().get(path) {
            return *gone;
        }
        let gone = self.find_gone(path);
        self.gone.borrow_mut().insert(path.clone(), gone);
        gone
    }

    fn last_commit(&self, path: &RepoPath, since: Option<Timestamp>) -> Option<String> {
        self.app.repository.as_ref()?;
        let (root, path) = (&self.app.places.root, path.as_str());
        match since {
            None => commits_touching(root, path, 1).ok()?.pop(),
            Some(since) => commit_since(root, path, since.as_millis() / 1_000).ok()?,
        }
    }

    fn is_open_branch(&self, branch: &str) -> bool {
        self.branches().is_some_and(|branches| branches.state(branch) == BranchState::Open)
            && !self.is_squashed(branch)
    }

    fn is_main_branch(&self, branch: &str) -> bool {
        self.branches().is_none_or(|branches| branches.state(branch) == BranchState::Main)
    }

    fn is_on_main(&self, commit: &str) -> bool {
        let Some(branches) = self.branches() else { return false };
        branches.main.iter().any(|main| is_ancestor(&self.app.places.root, commit, main))
    }

    fn was_squashed(&self, branch: &str, commit: &str) -> bool {
        let name = format!("refs/heads/{branch}");
        self.is_squashed(branch) && is_ancestor(&self.app.places.root, commit, &name)
    }
}
