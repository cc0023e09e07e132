//! Finds and reads the files to import.

use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressDrawTarget};
use tacit_app::{AppError, AppResult};
use tacit_bridges::settings::{self, ForeignSetting};
use tacit_bridges::{BridgeError, Format, ImportContent, ImportItem, claude_mem, iflow};
use tacit_core::Draft;
use tacit_engine::{ImportLine, ImportTrust, StoreScope};

use crate::app::CliApp;

/// The most bytes of a file: far larger than any real file, small enough not to exhaust memory.
const MOST_BYTES: u64 = 256 << 20;
/// The maximum depth of directories that are searched.
const DEPTH: usize = 8;
/// The most files that one memory can name.
const MOST_FILES: usize = 16;

/// Instructions that clients read at the root of a project.
const RULES: [&str; 11] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    ".claude/CLAUDE.md",
    ".claude/rules",
    "AGENTS.md",
    "GEMINI.md",
    ".github/copilot-instructions.md",
    ".github/instructions",
    ".cursor/rules",
    ".cursorrules",
    ".windsurfrules",
];

/// An item to import, and its location.
pub(super) struct Passage {
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) standing: ImportTrust,
    pub(super) what: Result<ImportLine, &'static str>,
}

/// The entries and settings found in files.
#[derive(Default)]
pub(super) struct Found {
    pub(super) passages: Vec<Passage>,
    /// Settings, each with the file it is in.
    pub(super) settings: Vec<(String, ForeignSetting)>,
}

/// The options with which sources are found and read.
pub(super) struct Sources<'a> {
    pub(super) app: &'a CliApp,
    pub(super) scope: StoreScope,
    pub(super) from: Option<Format>,
    /// The project of claude-mem; the name of this directory if `None`.
    pub(super) project: Option<String>,
    /// True if the user vouches for all of it (`--trust`).
    pub(super) trust: bool,
}

/// A database of another tool, with the memories of several projects.
#[derive(Clone, Copy)]
struct Database {
    /// Reads the memories of a project, or of all.
    read: fn(&Path, &str, Option<&str>) -> BridgeResult<Vec<ImportItem>>,
    /// Lists the projects, each with the number of its memories.
    projects: fn(&Path) -> BridgeResult<Vec<ProjectCount>>,
}

/// A project with the number of its memories.
type ProjectCount = (String, usize);
type BridgeResult<T> = Result<T, BridgeError>;

impl Sources<'_> {
    /// Reads the given files, or the default locations of the format if none is given.
    pub(super) fn read(&self, given: &[PathBuf]) -> AppResult<Found> {
        let paths = if given.is_empty() { self.found_places()? } else { given.to_vec() };
        let mut seen = Vec::new();
        let mut found = Found::default();
        for path in paths {
            if path.as_os_str() == "-" {
                let bytes = whole("standard input", std::io::stdin().lock())?;
                self.parse("-", Path::new("-"), false, &bytes, &mut found)?;
                continue;
            }
            let path = self.app.directory.join(path);
            let is_folder = path.is_dir();
            for file in files_in(&path, 0) {
                // One file may have several names: AGENTS.md is often a link to CLAUDE.md.
                let real = file.canonicalize().unwrap_or_else(|_| file.clone());
                if !seen.contains(&real) {
                    seen.push(real);
                    self.file(&file, is_folder, &mut found)?;
                }
            }
        }
        Ok(found)
    }

    /// Returns the default locations of the format, whether or not they exist.
    fn usual_places(&self) -> Option<Vec<PathBuf>> {
        let environment = &self.app.environment;
        let home = &environment.home;
        let claude = environment.claude_home.clone().unwrap_or_else(|| home.join(".claude"));
        let global = self.scope == StoreScope::Global;
        Some(match self.from {
            Some(Format::Rules) if global => personal_rules(self.app),
            Some(Format::Rules) => RULES.map(|name| self.app.worktree().join(name)).to_vec(),
            Some(Format::AutoMemory) => {
                let root = self.app.places.root.to_string_lossy();
                let slug: String =
                    root.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
                vec![claude.join("projects").join(slug).join("memory")]
            }
            Some(Format::Settings) => settings_in(&self.app.worktree().join(".claude")),
            Some(Format::ClaudeMem) => vec![home.join(".claude-mem/claude-mem.db")],
            // The plugin was renamed.
            Some(Format::Iflow) => {
                ["iflow", "pd"].map(|name| claude.join(name).join("memory/memory.db")).to_vec()
            }
            Some(Format::Serena) if global => vec![home.join(".serena/memories/global")],
            Some(Format::Serena) => vec![self.app.worktree().join(".serena/memories")],
            Some(Format::Beads) => vec![self.app.worktree().join(".beads/issues.jsonl")],
            _ => return None,
        })
    }

    /// Returns the default locations that exist.
    pub(super) fn places_there(&self) -> Vec<PathBuf> {
        let places = self.usual_places().unwrap_or_default();
        places.into_iter().filter(|path| path.exists()).collect()
    }

    /// Returns the default locations that exist; if none does, the error lists them.
    fn found_places(&self) -> AppResult<Vec<PathBuf>> {
        let places = self.usual_places().ok_or_else(|| {
            let error = AppError::usage("name a file to import");
            match self.from {
                Some(Format::WtMemory) => error.hint(
                    "`wt-memory export --output memories.json` writes its database, which only \
                     `wt-memory` can read, to a file to import",
                ),
                _ => error,
            }
        })?;
        let there: Vec<PathBuf> = places.iter().filter(|path| path.exists()).cloned().collect();
        if there.is_empty() {
            let names: Vec<String> = places.iter().map(|path| self.name(path)).collect();
            if let Some(hint) = self.export_hint() {
                return Err(AppError::usage("found nothing in the default locations").hint(hint));
            }
            return Err(AppError::usage("found nothing in the default locations")
                .hint(format!("name the file; these do not exist: {}", names.join(", "))));
        }
        Ok(there)
    }

    /// Returns how to export memories from a store that only its own program can read.
    fn export_hint(&self) -> Option<&'static str> {
        let beads = self.app.worktree().join(".beads");
        match self.from {
            Some(Format::Beads) if beads.is_dir() => Some(
                "`bd export --include-memories > beads.jsonl` writes the database of beads, which only `bd` \
                 can read, to a file to import",
            ),
            _ => None,
        }
    }

    fn file(&self, path: &Path, in_folder: bool, found: &mut Found) -> AppResult<()> {
        let name = self.name(path);
        let file = tacit_fs::open_user_path(path)
            .map_err(|error| AppError::usage(format!("cannot read `{name}`: {error}")))?;
        let bytes = whole(&name, file)?;
        self.parse(&name, path, in_folder, &bytes, found)
    }

    fn parse(
        &self,
        name: &str,
        path: &Path,
        in_folder: bool,
        bytes: &[u8],
        found: &mut Found,
    ) -> AppResult<()> {
        if bytes.trim_ascii().is_empty() {
            return Ok(());
        }
        let detected = tacit_bridges::detect(&path.to_string_lossy().replace('\\', "/"), bytes);
        let format = match (self.from, detected) {
            // Both formats are Tacit's own, so detection is certain and overrides the flag.
            (Some(Format::Tacit | Format::TacitMarkdown), Some(Format::TacitMarkdown)) => {
                Format::TacitMarkdown
            }
            (Some(given), _) => given,
            (None, Some(found)) => found,
            (None, None) if name == "-" || name.ends_with(".jsonl") || name.ends_with(".json") => {
                Format::Tacit
            }
            // Skip unknown files in a folder; a file that the user named is an error.
            (None, None) if in_folder => {
                let why = "is neither an export nor rules; `--from rules` takes it as rules";
                self.app.watcher.note(&format!("skipped `{name}`: it {why}"));
                return Ok(());
            }
            (None, None) => {
                let others = Format::ALL.iter().filter(|format| **format != Format::Rules);
                let known: Vec<&str> = others.map(|format| format.as_str()).collect();
                let known = known.join(", ");
                let message = format!("`{name}` is neither an export nor a file of rules");
                return Err(AppError::usage(message).hint(format!(
                    "`tacit import --from rules {name}` takes it as rules; --from also takes {known}"
                )));
            }
        };
        let refused = |error| {
            AppError::usage(format!("cannot import `{name}` as {}: {error}", format.as_str()))
                .hint("nothing was imported: a file is imported completely or not at all")
        };
        let items = match format {
            Format::Tacit => {
                found.passages.extend(self.lines(name, path, bytes)?);
                return Ok(());
            }
            Format::Settings => {
                let settings = settings::read(bytes).map_err(refused)?;
                found.settings.extend(settings.into_iter().map(|one| (name.to_owned(), one)));
                return Ok(());
            }
            Format::ClaudeMem => {
                let database = Database { read: claude_mem::read, projects: claude_mem::projects };
                self.database(name, path, database)
            }
            Format::Iflow => {
                let database = Database { read: iflow::read, projects: iflow::projects };
                self.database(name, path, database)
            }
            other => tacit_bridges::read(other, name, bytes),
        };
        let items = items.map_err(refused)?;
        found.passages.extend(items.into_iter().map(|item| self.passage(name, path, item)));
        Ok(())
    }

    /// Reads the memories of this project from a database of several.
    fn database(
        &self,
        name: &str,
        path: &Path,
        database: Database,
    ) -> Result<Vec<ImportItem>, BridgeError> {
        let root = self.app.places.root.file_name().map(|name| name.to_string_lossy().into_owned());
        let project = match self.scope {
            StoreScope::Project => self.project.clone().or(root),
            StoreScope::Global => self.project.clone(),
        };
        let items = (database.read)(path, name, project.as_deref())?;
        if let (true, Some(project)) = (items.is_empty(), project) {
            let known: Vec<String> = (database.projects)(path)?
                .into_iter()
                .map(|(name, count)| format!("{name} ({count})"))
                .collect();
            return Err(BridgeError::Other(format!(
                "it has nothing about `{project}`; choose with --project: {}",
                known.join(", ")
            )));
        }
        Ok(items)
    }

    /// Parses the lines of an export, or drafts.
    fn lines(&self, name: &str, path: &Path, bytes: &[u8]) -> AppResult<Vec<Passage>> {
        let progress = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if !self.app.terminal.stderr_is_terminal {
            progress.set_draw_target(ProgressDrawTarget::hidden());
        }
        let mut passages = Vec::new();
        for (index, line) in bytes.lines().enumerate() {
            let number = index + 1;
            let at_line =
                |problem: String| tacit_engine::EngineError::Import { line: number, problem };
            let line = line.map_err(|error| at_line(error.to_string()))?;
            if let Some(incoming) = ImportLine::parse(&line).map_err(at_line)? {
                let (file, standing) = (name.to_owned(), self.standing(path));
                passages.push(Passage { file, line: number, standing, what: Ok(incoming) });
            }
            if number % 1_000 == 0 {
                progress.set_message(format!("{number} lines read"));
                progress.tick();
            }
        }
        progress.finish_and_clear();
        Ok(passages)
    }

    /// Returns the trust in a file. Rules in the user's own directories are trusted; others,
    /// including the rules of the repository, may come from anybody.
    fn standing(&self, path: &Path) -> ImportTrust {
        let own = || personal_rules(self.app).iter().any(|place| path.starts_with(place));
        match self.trust {
            true => ImportTrust::Trusted,
            false if own() => ImportTrust::UserFile,
            false => ImportTrust::Untrusted,
        }
    }

    fn passage(&self, name: &str, path: &Path, item: ImportItem) -> Passage {
        let what = match item.content {
            ImportContent::Memory(memory) => Ok(ImportLine::Memory(memory)),
            ImportContent::Draft(draft) => {
                let related_files = self.files(&item.paths);
                Ok(ImportLine::Draft(Box::new(Draft { related_files, ..*draft })))
            }
            ImportContent::Skipped(why) => Err(why),
        };
        let (file, standing) = (name.to_owned(), self.standing(path));
        Passage { file, line: item.line, standing, what }
    }

    /// Returns those paths that are files of this project.
    fn files(&self, paths: &[String]) -> Vec<String> {
        if self.scope == StoreScope::Global {
            return Vec::new();
        }
        let root = self.app.worktree();
        let mut files: Vec<String> = Vec::new();
        for path in paths {
            let path = root.join(path);
            let inside = path.exists().then(|| path.to_str().map(|path| self.app.repo_path(path)));
            if let Some(Some(Ok(file))) = inside
                && files.len() < MOST_FILES
                && !files.iter().any(|known| *known == file.as_str())
            {
                files.push(file.into());
            }
        }
        files
    }

    /// Returns the path of a file from the root of the project, or from the home directory.
    pub(super) fn name(&self, path: &Path) -> String {
        let name = match path.strip_prefix(self.app.worktree()) {
            Ok(inside) => inside.display().to_string(),
            Err(_) => match path.strip_prefix(&self.app.environment.home) {
                Ok(inside) => format!("~/{}", inside.display()),
                Err(_) => path.display().to_string(),
            },
        };
        name.replace('\\', "/")
    }
}

/// Returns the files with the user's instructions for agents in all projects.
fn personal_rules(app: &CliApp) -> Vec<PathBuf> {
    let (claude, home) = (app.environment.claude_files(), &app.environment.home);
    vec![
        claude.join("CLAUDE.md"),
        claude.join("rules"),
        home.join(".codex/AGENTS.md"),
        home.join(".gemini/GEMINI.md"),
    ]
}

/// Returns the settings files of other tools in the directory of Claude Code, whether or not they
/// exist.
fn settings_in(directory: &Path) -> Vec<PathBuf> {
    let mut places = vec![directory.join("memory/memory-config.json")];
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut local: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    local.retain(|path| {
        // Other tools use such files, too.
        path.to_string_lossy().ends_with(".local.md")
            && tacit_fs::read_following(path, MOST_BYTES)
                .is_ok_and(|bytes| tacit_bridges::detect("", &bytes) == Some(Format::Settings))
    });
    local.sort();
    places.append(&mut local);
    places
}

/// Reads everything; fails if it is too large, because cutting it off would lose memories silently.
fn whole(name: &str, source: impl Read) -> AppResult<Vec<u8>> {
    let mut bytes = Vec::new();
    source
        .take(MOST_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| AppError::usage(format!("cannot read `{name}`: {error}")))?;
    if bytes.len() as u64 > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        return Err(AppError::usage(format!("`{name}` is larger than {most} MiB"))
            .hint("split it: an export has one memory a line"));
    }
    Ok(bytes)
}

/// Returns the markdown files below a directory, in order, or the file itself.
fn files_in(path: &Path, depth: usize) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_path_buf()];
    }
    if depth >= DEPTH {
        return Vec::new();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    entries.sort();
    entries
        .into_iter()
        .filter(|entry| {
            let name = entry.file_name().map(|name| name.to_string_lossy().into_owned());
            let name = name.unwrap_or_default();
            let markdown = name.ends_with(".md") || name.ends_with(".mdc");
            !name.starts_with('.') && if entry.is_dir() { !entry.is_symlink() } else { markdown }
        })
        .flat_map(|entry| files_in(&entry, depth + 1))
        .collect()
}
