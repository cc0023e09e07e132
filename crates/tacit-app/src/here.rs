//! The session, branch and unit of work that a command is about.

use tacit_core::{Problem, WorkUnitRef};
use tacit_engine::{MethodologyError, Reporter, WorkContext};
use tacit_work::{Methodology, NATIVE, shipped_methodology};

use crate::app::App;
use crate::error::{AppError, AppResult, ErrorCode, closest};

impl App {
    /// Returns the current session, branch and worktree.
    pub fn here(&self) -> WorkContext {
        WorkContext {
            session: self.session(),
            branch: self.repository.as_ref().and_then(|repository| repository.branch()),
            worktree: self.worktree().to_path_buf(),
        }
    }

    /// Returns the reporter for a report made by `command`.
    pub fn reporter(&self, command: &str) -> Reporter {
        Reporter { here: self.here(), client: "tacit".into(), tool: command.to_owned() }
    }

    /// Loads the active methodology. If its file is broken, warns once and continues with the native
    /// one, as hooks do.
    pub fn methodology(&self) -> AppResult<Methodology> {
        let active = &self.config().methodology_active;
        self.places.methodology(active).or_else(|error| {
            let unknown = matches!(error, MethodologyError::Unknown { .. });
            let error = AppError::from(error);
            if unknown {
                return Err(error.hint("`tacit work methodology use NAME` selects another one"));
            }
            self.warned_of_methodology.get_or_init(|| {
                self.watcher.warn(&format!("{}\nThe native methodology is used", error.message));
            });
            shipped_methodology(NATIVE).ok_or(error)
        })
    }

    /// Parses a unit of work as typed, by the rules of the active methodology.
    pub fn work_unit(&self, typed: &str) -> AppResult<WorkUnitRef> {
        let methodology = self.methodology()?;
        methodology.unit(typed).map_err(|error| {
            let levels: Vec<&str> =
                methodology.levels().iter().map(|level| level.name.as_str()).collect();
            let form = levels.join("/").to_uppercase();
            AppError::usage(error.to_string()).hint(format!("give it as {form}, such as `042/3`"))
        })
    }

    /// Parses a unit of work of any methodology: entries separated by slashes. The active
    /// methodology provides the label if the unit is its own.
    pub fn named_unit(
        &self,
        path: &str,
        methodology: Option<&str>,
    ) -> Result<WorkUnitRef, Problem> {
        if path.split('/').any(|entry| entry.trim().is_empty()) {
            return Err(Problem::rule(format!("`{path}` has an empty entry")));
        }
        let active = self.config().methodology_active.as_str();
        let name = methodology.unwrap_or(active);
        let hierarchy: Vec<String> = path.split('/').map(str::to_owned).collect();
        match self.places.methodology(name) {
            Ok(own) if name == active => own.unit_of(hierarchy),
            _ => {
                let label = hierarchy.join(" / ");
                WorkUnitRef::new(name, hierarchy, label)
            }
        }
    }

    /// Parses a phase as typed: one of the methodology, a stage, or a universal phase.
    pub fn phase(&self, typed: &str) -> AppResult<tacit_core::UniversalPhase> {
        let methodology = self.methodology()?;
        methodology.find_phase(typed).ok_or_else(|| {
            let words = methodology.phase_words();
            let hint = match closest(typed, words.iter().copied()) {
                Some(word) => format!("did you mean `{word}`?"),
                None => format!("the phases are {}", words.join(", ")),
            };
            let name = methodology.id();
            AppError::usage(format!("`{typed}` is not a phase of `{name}`")).hint(hint)
        })
    }
}

impl From<MethodologyError> for AppError {
    fn from(error: MethodologyError) -> AppError {
        let suggestion = error.suggestion().map(|name| format!("did you mean `{name}`?"));
        let (code, hint) = match &error {
            MethodologyError::Unknown { .. } => (
                ErrorCode::NotFound,
                suggestion.unwrap_or_else(|| "`tacit work methodology list` shows them".into()),
            ),
            MethodologyError::Read { .. } => {
                (ErrorCode::Failure, "check that it is a readable file".into())
            }
            MethodologyError::Invalid { .. } => (
                ErrorCode::Usage,
                "correct the file; docs/methodologies.md describes every field".into(),
            ),
            MethodologyError::Misnamed { id, .. } => {
                (ErrorCode::Usage, format!("rename the file to `{id}.toml`, or change its `id`"))
            }
        };
        AppError::new(code, error.to_string()).hint(hint)
    }
}
