//! The files of a worktree that memories follow, by the configuration.

use std::path::Path;

use tacit_core::Config;
use tacit_triggers::files::TriggerLayout;

use super::written::WrittenPlaces;
use crate::triggers::layout_at;

/// The files of a worktree that memories follow: records and decision files, and the files with
/// rules.
pub struct FollowedLayout {
    pub(super) triggers: TriggerLayout,
    pub(super) written: WrittenPlaces,
}

impl FollowedLayout {
    /// Returns where the files below a root are.
    pub fn of(root: &Path, config: &Config) -> FollowedLayout {
        let triggers = layout_at(root, config);
        let written = WrittenPlaces::of(root, config, &triggers);
        FollowedLayout { triggers, written }
    }
}
