//! Decides whose checkout judges the memories of a team.
//!
//! Members have different branches and commits checked out. If each compared the shared memories with its
//! own, two of them would mark and clear the same memory in turn. So one line of commits judges: that of
//! the main branch, forwards only.

use tacit_engine::Engine;
use tacit_git::{Branches, head_commit, is_ancestor, uncommitted_files};

use crate::app::App;
use crate::error::AppResult;

/// The beginning of references that git fetched.
const FETCHED: &str = "refs/remotes/";
/// The days after which a checkout judges that does not contain the last judged commit: the history of the
/// main branch may have been rewritten.
const PATIENCE_DAYS: f64 = 7.0;

/// Returns true if memories may be compared with the checkout of the main worktree, and notes its commit for
/// the team. Outside a team, they may always.
///
/// In a team, the commit must be part of the main branch as it was last fetched, no tracked file may differ
/// from it, and it must contain the commit that was judged last.
pub(crate) fn may_judge(app: &App, engine: &mut Engine<'_>) -> AppResult<bool> {
    if !engine.is_in_team() {
        return Ok(true);
    }
    let root = &app.places.root;
    let Some(repository) = &app.repository else { return Ok(false) };
    let Ok(Some(head)) = head_commit(root) else { return Ok(false) };
    let Ok(branches) = Branches::read(root, repository.branch().as_deref()) else {
        return Ok(false);
    };
    let fetched = branches.main.iter().find(|name| name.starts_with(FETCHED));
    let Some(main) = fetched.or(branches.main.first()) else { return Ok(false) };
    if !is_ancestor(root, &head, main)
        || !uncommitted_files(root).is_ok_and(|files| files.is_empty())
    {
        return Ok(false);
    }
    if let Some(judged) = engine.judged_commit()?
        && !is_ancestor(root, &judged.commit, &head)
        && app.now().days_since(judged.at) < PATIENCE_DAYS
    {
        return Ok(false);
    }
    engine.set_judged_commit(head)?;
    Ok(true)
}
