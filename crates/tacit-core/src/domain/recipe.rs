//! Workflow recipes: steps that led to success for a class of task.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::values::RepoPath;
use super::words::word_enum;
use crate::clock::Timestamp;

/// The steps for a class of task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkflowRecipe {
    /// A description of the class of task.
    pub task_pattern: String,
    /// The steps in order.
    pub steps: Vec<RecipeStep>,
    /// The time of the last session in which following the recipe worked.
    pub last_validated_at: Timestamp,
    /// The number of sessions in which following the recipe worked.
    pub success_count: u32,
}

/// A step of a recipe. `Display` gives the sentence that people and agents read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecipeStep {
    /// The position of the step, from 1.
    pub order: u32,
    /// A description that somebody gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The action that was observed in sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<StepAction>,
    /// The file to look at or edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical_file: Option<RepoPath>,
    /// The approximate line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical_line: Option<u32>,
}

/// An action that several sessions had in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepAction {
    /// Writes a whole file.
    Write(StepFile),
    /// Changes a part of a file.
    Edit(StepFile),
    /// Runs a check.
    Check {
        /// The kind of check.
        kind: CheckKind,
        /// The program that checks.
        runner: String,
    },
}

/// The file of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepFile {
    /// The same file every time.
    Named(RepoPath),
    /// A different file each time, with the same role and directory.
    Like {
        /// The role of the file; `None` for source files and files without a special role.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        role: Option<FileRole>,
        /// The directory, `.` for the root.
        directory: String,
    },
}

word_enum! {
    /// The role of a file in a project.
    FileRole, "a role of a file" {
        /// Product code.
        Source = "source",
        /// A test or a test fixture.
        Test = "test",
        /// A database migration.
        Migration = "migration",
        /// Settings, manifests, build files.
        Config = "config",
        /// A lock file with resolved versions.
        Lock = "lock",
        /// A document for readers.
        Docs = "docs",
        /// A style sheet.
        Style = "style",
        /// A translation.
        Translation = "translation",
        /// Any other file.
        Other = "other",
    }
}

word_enum! {
    /// The kind of a check.
    CheckKind, "a kind of check" {
        /// Runs tests.
        Test = "test",
        /// Builds the project.
        Build = "build",
        /// Looks for style problems and likely mistakes.
        Lint = "lint",
        /// Checks types.
        Types = "types",
    }
}

impl fmt::Display for RecipeStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.description, &self.action) {
            (Some(description), _) => f.write_str(description),
            (None, Some(action)) => action.fmt(f),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Display for StepAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepAction::Write(file) => write!(f, "Write {file}"),
            StepAction::Edit(file) => write!(f, "Change {file}"),
            StepAction::Check { kind, runner } => {
                let check = match kind {
                    CheckKind::Test => "tests",
                    CheckKind::Build => "build",
                    CheckKind::Lint => "linter",
                    CheckKind::Types => "type checker",
                };
                write!(f, "Run the {check} (`{runner}`)")
            }
        }
    }
}

impl fmt::Display for StepFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepFile::Named(file) => write!(f, "`{file}`"),
            StepFile::Like { role, directory } => match role {
                None | Some(FileRole::Source | FileRole::Other) => {
                    write!(f, "a file in `{directory}`")
                }
                Some(FileRole::Docs) => write!(f, "a page in `{directory}`"),
                Some(role) => write!(f, "a {role} file in `{directory}`"),
            },
        }
    }
}
