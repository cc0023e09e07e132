//! Finds and changes the settings of agent clients on this machine.
//!
//! `tacit-agents` knows their format. Commands plan every change first, and make all of them or
//! none.

mod setup;

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};
use tacit_agents::install::{self, ApplyError, FileChange, HookReview, InstallError, Owner};
use tacit_agents::{CLIENTS, Client, ClientFolders, InstallScope};
use tacit_app::exclude;
use tacit_app::{AppError, AppResult, ErrorCode};
use tacit_core::ClientName;

use crate::app::CliApp;
use crate::render;
pub(crate) use setup::{ClientParts, ClientSetup, SetupPart, command_names};

/// The program name in hooks, which the shell looks up on the PATH.
const LOOKED_UP: &str = "tacit";

/// Returns a parser for the name of a client.
pub(crate) fn client_parser() -> impl TypedValueParser<Value = ClientName> {
    let names = ClientName::ALL.iter().map(|name| name.as_str());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<ClientName>())
}

/// Returns the named clients in the order of the table; all of them, if none is named.
pub(crate) fn named_or_all(names: &[ClientName]) -> Vec<&'static Client> {
    let is_meant = |client: &&Client| names.is_empty() || names.contains(&client.name);
    CLIENTS.iter().filter(is_meant).collect()
}

/// Returns the place that the flags `--global` and `--shared` choose.
pub(crate) fn place(global: bool, shared: bool) -> InstallScope {
    match (global, shared) {
        (true, _) => InstallScope::User,
        (_, true) => InstallScope::Shared,
        _ => InstallScope::Project,
    }
}

/// Returns the word for a place, in JSON and in lists.
pub(crate) fn place_word(place: InstallScope) -> &'static str {
    match place {
        InstallScope::Project => "project",
        InstallScope::Shared => "shared",
        InstallScope::User => "user",
    }
}

/// Returns the program to run in hooks: `tacit` if a lookup finds this very program, else its path.
/// A shared file gets the name alone, because the path differs on other machines.
pub(crate) fn program(app: &CliApp, place: InstallScope) -> AppResult<String> {
    let name = format!("tacit{}", std::env::consts::EXE_SUFFIX);
    let here = std::env::current_exe()?;
    if here.file_name().is_none_or(|file| *file != *name) {
        let message = format!("this program is called `{}`", here.display());
        return Err(AppError::new(ErrorCode::Failure, message)
            .hint(format!("rename it to `{name}`: Tacit recognises its hooks by that name")));
    }
    let same = |path: &Path| path.canonicalize().ok() == here.canonicalize().ok();
    let directories = app.environment.search_path.iter();
    let mut candidates = directories.map(|directory| directory.join(&name));
    let found = candidates.find(|path| path.is_file());
    if place == InstallScope::Shared || found.is_some_and(|path| path.is_absolute() && same(&path))
    {
        return Ok(LOOKED_UP.to_owned());
    }
    here.to_str().map(str::to_owned).ok_or_else(|| {
        let message = format!("the path of this program, `{}`, is not UTF-8", here.display());
        AppError::new(ErrorCode::Failure, message).hint("put it on your PATH")
    })
}

/// The file in which a client has its hooks for a place.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) client: &'static Client,
    pub(crate) place: InstallScope,
    pub(crate) path: PathBuf,
    root: PathBuf,
    /// True if the client has one file for this user and for the whole team.
    common: bool,
}

impl Spot {
    pub(crate) fn new(app: &CliApp, client: &'static Client, place: InstallScope) -> Spot {
        let path = client.settings_file(place, folders(app));
        let root = root_of(app, place, &path);
        let shared = client.settings_file(InstallScope::Shared, folders(app));
        let common = place == InstallScope::Project && path == shared;
        Spot { client, place, path, root, common }
    }

    /// Returns every file that may have hooks of a client.
    pub(crate) fn all(app: &CliApp, client: &'static Client) -> Vec<Spot> {
        let mut spots: Vec<Spot> = Vec::new();
        for place in [InstallScope::Project, InstallScope::Shared, InstallScope::User] {
            let spot = Spot::new(app, client, place);
            if !spots.iter().any(|known| known.path == spot.path) {
                spots.push(spot);
            }
        }
        spots
    }

    /// Counts our hooks there.
    pub(crate) fn count(&self) -> AppResult<usize> {
        // A file that does not name Tacit need not be valid.
        let Some(bytes) = self.read()?.filter(|bytes| names_us(bytes)) else { return Ok(0) };
        install::count_hooks(self.client, &bytes).map_err(|error| refused(&self.path, &error))
    }

    /// Returns the other memory tools that have hooks there. A file that cannot be read has none.
    pub(crate) fn foreign_tools(&self) -> Vec<String> {
        let bytes = self.read().ok().flatten();
        bytes.and_then(|bytes| install::foreign_tools(self.client, &bytes).ok()).unwrap_or_default()
    }

    /// Plans to remove the hooks of other memory tools.
    pub(crate) fn plan_foreign_out(&self) -> AppResult<Planned> {
        let current = self.read()?;
        self.planned(install::plan_foreign_removal(self.client, current.as_deref()))
    }

    /// Returns the command that removes the hooks of other memory tools from this file.
    pub(crate) fn clean_command(&self) -> &'static str {
        match self.place {
            InstallScope::User => "tacit agents clean --global",
            InstallScope::Project | InstallScope::Shared => "tacit agents clean",
        }
    }

    /// Returns the programs of our hooks in this file that cannot be found.
    pub(crate) fn missing_programs(&self, app: &CliApp) -> AppResult<Vec<String>> {
        let Some(bytes) = self.read()?.filter(|bytes| names_us(bytes)) else {
            return Ok(Vec::new());
        };
        let programs = install::hook_programs(self.client, &bytes);
        let programs = programs.map_err(|error| refused(&self.path, &error))?;
        let found = |program: &String| {
            if program.contains(['/', '\\']) {
                return Path::new(program).is_file();
            }
            app.environment.search_path.iter().any(|folder| folder.join(program).is_file())
        };
        Ok(programs.into_iter().filter(|program| !found(program)).collect())
    }

    /// Returns the hooks of ours in this file that the user has yet to review in the client, if the
    /// client asks for that.
    pub(crate) fn review(&self, app: &CliApp) -> AppResult<HookReview> {
        let Some(file) = self.client.review_file(folders(app)) else {
            return Ok(HookReview::default());
        };
        let Some(settings) = self.read()?.filter(|bytes| names_us(bytes)) else {
            return Ok(HookReview::default());
        };
        let configuration = install::read(&file).map_err(not_applied)?;
        let review = install::hook_review(&self.path, &settings, configuration.as_deref());
        review.map_err(|error| refused(&file, &error))
    }

    /// Plans hooks that run `program`.
    pub(crate) fn plan_in(&self, program: &str) -> AppResult<Planned> {
        let current = self.read()?;
        let plan = |program: &str| {
            self.planned(install::plan_hooks(self.client, current.as_deref(), program))
        };
        // Hooks that were set up for the whole team keep the bare name.
        match self.common.then(|| plan(LOOKED_UP)) {
            Some(Ok(planned)) if !planned.changes() => Ok(planned),
            _ => plan(program),
        }
    }

    /// Renders the file as JSON, with a word for its state under `key`.
    pub(crate) fn to_json(&self, key: &str, word: &str) -> Value {
        json!({
            "agent": self.client.name.as_str(), "title": self.client.title,
            "place": place_word(self.place), "file": self.path, key: word,
        })
    }

    fn read(&self) -> AppResult<Option<Vec<u8>>> {
        install::read(&self.path).map_err(not_applied)
    }

    fn planned(&self, change: Result<FileChange, InstallError>) -> AppResult<Planned> {
        let change = change.map_err(|error| refused(&self.path, &error))?;
        let owner = owner_of(self.place);
        Ok(Planned { owner, root: self.root.clone(), path: self.path.clone(), change })
    }
}

/// Returns the folders that the files of clients are in.
pub(crate) fn folders(app: &CliApp) -> ClientFolders<'_> {
    ClientFolders {
        home: &app.environment.home,
        claude_home: app.environment.claude_home.as_deref(),
        project: app.worktree(),
    }
}

fn owner_of(place: InstallScope) -> Owner {
    match place {
        InstallScope::Project | InstallScope::Shared => Owner::Project,
        InstallScope::User => Owner::User,
    }
}

/// Returns the folder that a client's file must be in.
fn root_of(app: &CliApp, place: InstallScope, path: &Path) -> PathBuf {
    match place {
        InstallScope::Project | InstallScope::Shared => app.worktree().to_owned(),
        InstallScope::User => {
            let ClientFolders { home, claude_home, .. } = folders(app);
            user_root(home, claude_home, path)
        }
    }
}

/// Returns true if a file can contain our hooks: it mentions Tacit.
fn names_us(bytes: &[u8]) -> bool {
    bytes.windows(5).any(|window| window.eq_ignore_ascii_case(b"tacit"))
}

/// Returns the folder that a user's file must be in: the home directory, unless the user keeps the
/// settings elsewhere. Through a link, it is the folder behind it; through a variable, the one that it
/// names.
fn user_root(home: &Path, claude_home: Option<&Path>, path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(home);
    let Ok(below) = folder.strip_prefix(home) else {
        let mut existing = claude_home.unwrap_or(folder).ancestors();
        return existing.find(|folder| folder.exists()).unwrap_or(home).to_owned();
    };
    let Ok(real_home) = home.canonicalize() else { return home.to_owned() };
    let mut inside = home.to_owned();
    for part in below.components() {
        inside.push(part);
        if inside.canonicalize().is_ok_and(|real| !real.starts_with(&real_home)) {
            return inside;
        }
    }
    home.to_owned()
}

/// A change to a file, not made yet.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) owner: Owner,
    pub(crate) root: PathBuf,
    pub(crate) path: PathBuf,
    pub(crate) change: FileChange,
}

impl Planned {
    /// Plans a change to a file of the project.
    fn in_project(
        app: &CliApp,
        name: &str,
        plan: impl FnOnce(Option<&[u8]>) -> Result<FileChange, InstallError>,
    ) -> AppResult<Planned> {
        let root = app.worktree().to_owned();
        let path = root.join(name);
        let current = install::read(&path).map_err(not_applied)?;
        let change = plan(current.as_deref()).map_err(|error| refused(&path, &error))?;
        Ok(Planned { owner: Owner::Project, root, path, change })
    }

    /// Plans to add or remove the section about memory in a file with instructions.
    pub(crate) fn instructions(app: &CliApp, name: &str, add: bool) -> AppResult<Planned> {
        let plan =
            if add { install::plan_instructions } else { install::plan_instructions_removal };
        Planned::in_project(app, name, plan)
    }

    /// Plans a change to a file of a client.
    fn at(
        app: &CliApp,
        place: InstallScope,
        path: PathBuf,
        plan: impl FnOnce(Option<&[u8]>) -> Result<FileChange, InstallError>,
    ) -> AppResult<Planned> {
        let current = install::read(&path).map_err(not_applied)?;
        let change = plan(current.as_deref()).map_err(|error| refused(&path, &error))?;
        let root = root_of(app, place, &path);
        Ok(Planned { owner: owner_of(place), root, path, change })
    }

    /// Adds a further change to the same file. Returns true if it changes anything.
    fn then(
        &mut self,
        plan: impl FnOnce(Option<&[u8]>) -> Result<FileChange, InstallError>,
    ) -> AppResult<bool> {
        let before = self.change.after.clone();
        self.change.then(plan).map_err(|error| refused(&self.path, &error))?;
        Ok(self.change.after != before)
    }

    /// Plans to write a whole file, unless it exists.
    pub(crate) fn new_file(app: &CliApp, name: &str, text: &str) -> AppResult<Planned> {
        Planned::in_project(app, name, |before| {
            let after = before.unwrap_or(text.as_bytes());
            Ok(FileChange { before: before.map(<[u8]>::to_vec), after: Some(after.to_vec()) })
        })
    }

    /// Returns true if there is anything to do.
    pub(crate) fn changes(&self) -> bool {
        !self.change.is_empty()
    }

    /// Returns the difference, for people. Pages that are written or removed as a whole have none.
    pub(crate) fn diff(&self) -> String {
        if let (None, Some(page)) | (Some(page), None) = (&self.change.before, &self.change.after)
            && install::is_own_page(page)
        {
            return String::new();
        }
        let diff = self.change.diff(&self.path.display().to_string());
        render::visible(&diff.replace("\r\n", "\n"))
    }

    /// Renders the change as JSON, with its outcome.
    pub(crate) fn to_json(&self, outcome: &str, dry_run: bool) -> Value {
        self.with_diff(json!({"file": self.path, "outcome": outcome}), dry_run)
    }

    /// Adds the difference in a dry run.
    pub(crate) fn with_diff(&self, mut value: Value, dry_run: bool) -> Value {
        if dry_run {
            value["diff"] = json!(self.diff());
        }
        value
    }
}

/// Makes all changes, or none if one of them cannot be made.
pub(crate) fn apply_all<'a>(planned: impl Iterator<Item = &'a Planned> + Clone) -> AppResult<()> {
    for it in planned.clone() {
        install::check(it.owner, &it.root, &it.path, &it.change).map_err(not_applied)?;
    }
    for it in planned {
        install::apply(it.owner, &it.root, &it.path, &it.change).map_err(not_applied)?;
    }
    Ok(())
}

/// Returns the instruction files of clients, each once.
pub(crate) fn instruction_files(clients: &[&'static Client]) -> Vec<&'static str> {
    let mut files = Vec::new();
    for client in clients {
        if !files.contains(&client.instructions) {
            files.push(client.instructions);
        }
    }
    files
}

/// Hides a file that is for this user alone from git. `common` files are also read by others who
/// work on the project, so one that was there before is not hidden. Returns the exclude file, if it
/// was changed.
fn hide(
    app: &CliApp,
    place: InstallScope,
    common: bool,
    planned: &Planned,
) -> AppResult<Option<PathBuf>> {
    let (Some(exclude), Some(file)) = (exclude_file(app), relative(app, &planned.path)) else {
        return Ok(None);
    };
    if place == InstallScope::Shared {
        exclude::unhide(&exclude, &file)?;
        return Ok(None);
    }
    let ours = planned.change.before.is_none() || !common;
    if place != InstallScope::Project || !ours || tacit_git::is_ignored(app.worktree(), &file) {
        return Ok(None);
    }
    exclude::hide(&exclude, &file)?;
    Ok(Some(exclude))
}

/// Lets git see a file again, unless another worktree still has our part in it: all worktrees share
/// the exclude file.
pub(crate) fn unhide(app: &CliApp, path: &Path) -> AppResult<()> {
    let (Some(repository), Some(file)) = (&app.repository, relative(app, path)) else {
        return Ok(());
    };
    let others = repository.worktrees().into_iter().filter(|root| root != app.worktree());
    let needed = others.map(|root| root.join(&file)).any(|path| {
        install::read(&path).is_ok_and(|bytes| bytes.is_some_and(|bytes| names_us(&bytes)))
    });
    match exclude_file(app) {
        Some(exclude) if !needed => exclude::unhide(&exclude, &file),
        _ => Ok(()),
    }
}

/// Returns the exclude file of the repository.
pub(crate) fn exclude_file(app: &CliApp) -> Option<PathBuf> {
    app.repository.as_ref().map(|r| r.common_dir.join("info").join("exclude"))
}

fn relative(app: &CliApp, path: &Path) -> Option<String> {
    let file = path.strip_prefix(app.worktree()).ok()?;
    Some(file.to_str()?.replace('\\', "/"))
}

fn refused(path: &Path, error: &InstallError) -> AppError {
    let hint = match error {
        InstallError::NotText
        | InstallError::Json(_)
        | InstallError::Toml(_)
        | InstallError::Shape { .. } => {
            "correct it and try again; `--agent NAME` leaves other clients alone. No settings were \
             changed"
        }
        InstallError::NotOurs => "move it away and try again. No settings were changed",
        InstallError::Unbalanced { .. } => {
            "correct the lines of the section, or remove all of it, and try again. No settings were \
             changed"
        }
    };
    AppError::new(ErrorCode::Failure, format!("cannot use `{}`: {error}", path.display()))
        .hint(hint)
}

/// Converts the error of a change that was not made.
fn not_applied(error: ApplyError) -> AppError {
    let (code, hint) = match &error {
        ApplyError::Changed(_) => (ErrorCode::Refused, "try again"),
        ApplyError::ReadOnly(_) => {
            (ErrorCode::Failure, "make it writable, or leave its client out with `--agent NAME`")
        }
        ApplyError::Outside { .. } => {
            (ErrorCode::Failure, "the file or one of its folders is a symbolic link; replace it")
        }
        ApplyError::Io { .. } => (
            ErrorCode::Failure,
            "check that it is a file, and the permissions of it and its directory",
        ),
    };
    let message = match error {
        ApplyError::Io { path, source } => format!("cannot change `{}`: {source}", path.display()),
        other => other.to_string(),
    };
    AppError::new(code, message).hint(hint)
}
