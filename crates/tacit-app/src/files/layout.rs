//! The files of a worktree that memories follow, by the configuration.

use std::path::Path;

use tacit_core::Config;
use tacit_triggers::files::TriggerLayout;

use super::written::WrittenPlaces;
use crate::triggers::layout_at;

/// The files of a worktree that memories follow: records and decision files, and the files with
/// rules.
pub struct FileLayout {
    pub(super) triggers: TriggerLayout,
    pub(super) written: WrittenPlaces,
}

impl FileLayout {
    /// Returns where the files below a root are.
    pub fn of(root: &Path, config: &Config) -> FileLayout {
        let triggers = layout_at(root, config);
        let written = WrittenPlaces::of(root, config, &triggers);
        FileLayout { triggers, written }
    }
}
