//! Plans all that a client gets in one place: hooks, the MCP server, commands and skills.

use std::path::{Path, PathBuf};

use tacit_agents::install::{self, Page};
use tacit_agents::{Client, InstallScope};
use tacit_app::AppResult;

use super::{Planned, Spot, folders, hide, relative, unhide};
use crate::agents;
use crate::app::CliApp;

/// The parts that a client gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClientParts {
    pub(crate) hooks: bool,
    pub(crate) server: bool,
    pub(crate) pages: bool,
}

/// A part of the set-up, and the file or folder it is in.
#[derive(Debug)]
pub(crate) struct SetupPart {
    pub(crate) path: PathBuf,
    /// True if it is added or removed now.
    pub(crate) changes: bool,
    /// True if it is in another file than the one that was asked for.
    pub(crate) elsewhere: bool,
}

/// The planned changes to the files of a client.
#[derive(Debug)]
pub(crate) struct ClientSetup {
    pub(crate) spot: Spot,
    /// The hooks; `None` if they are not wanted.
    pub(crate) hooks: Option<SetupPart>,
    /// The MCP server; `None` if it is not wanted, or if the client reads none in this place.
    pub(crate) server: Option<SetupPart>,
    /// The commands and skills; `None` if they are not wanted, or if the client has none.
    pub(crate) pages: Option<SetupPart>,
    /// The names of the commands and skills that are in the folder, or are removed from it.
    pub(crate) page_names: Vec<&'static str>,
    /// Files in the place of our pages that somebody else wrote or edited; they stay.
    pub(crate) foreign: Vec<PathBuf>,
    /// True if the file of servers has one with our name that we did not write. It is not approved.
    pub(crate) is_server_foreign: bool,
    /// Files that are committed with our part in them; they stay unless the place is shared.
    pub(crate) committed: Vec<PathBuf>,
    /// The changes, one per file.
    pub(crate) files: Vec<Planned>,
}

impl ClientSetup {
    fn new(app: &CliApp, client: &'static Client, place: InstallScope) -> ClientSetup {
        ClientSetup {
            spot: Spot::new(app, client, place),
            hooks: None,
            server: None,
            pages: None,
            page_names: Vec::new(),
            foreign: Vec::new(),
            is_server_foreign: false,
            committed: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Plans to install parts. In a project, a part that the client has from another place is not
    /// added: the client would load both.
    pub(crate) fn install(
        app: &CliApp,
        client: &'static Client,
        place: InstallScope,
        parts: ClientParts,
        program: &str,
    ) -> AppResult<ClientSetup> {
        let mut setup = ClientSetup::new(app, client, place);
        if parts.hooks {
            setup.install_hooks(app, program)?;
        }
        if parts.server {
            setup.install_server(app, program)?;
        }
        if parts.pages {
            setup.install_pages(app)?;
        }
        Ok(setup)
    }

    /// Plans to bring the parts that are there up to date.
    pub(crate) fn upgrade(app: &CliApp, spot: &Spot) -> AppResult<ClientSetup> {
        let (client, place) = (spot.client, spot.place);
        let server = client.server_file(place, folders(app));
        let server = server.and_then(|path| install::read(&path).ok().flatten());
        let parts = ClientParts {
            hooks: spot.count()? > 0,
            server: server.is_some_and(|bytes| install::has_server(client, &bytes)),
            pages: client.pages(place, folders(app)).iter().any(|(path, page)| is_page(path, page)),
        };
        let program = agents::program(app, place)?;
        ClientSetup::install(app, client, place, parts, &program)
    }

    /// Returns the parts that change, in words.
    pub(crate) fn changed_parts(&self) -> Vec<(String, &SetupPart)> {
        let named = [
            (&self.hooks, "hooks".to_owned()),
            (&self.server, "MCP server".to_owned()),
            (&self.pages, command_names(&self.page_names)),
        ];
        let found = named.into_iter().filter_map(|(part, what)| Some((what, part.as_ref()?)));
        found.filter(|(_, part)| part.changes).collect()
    }

    fn install_hooks(&mut self, app: &CliApp, program: &str) -> AppResult<()> {
        let spot = &self.spot;
        if spot.place == InstallScope::Project && spot.count()? == 0 {
            // Other settings files that cannot be read do not matter here.
            let mut others = Spot::all(app, spot.client).into_iter();
            if let Some(other) = others.find(|other| other.count().is_ok_and(|number| number > 0)) {
                self.hooks = Some(SetupPart { path: other.path, changes: false, elsewhere: true });
                return Ok(());
            }
        }
        let planned = spot.plan_in(program)?;
        let (path, changes) = (planned.path.clone(), planned.changes());
        self.hooks = Some(SetupPart { path, changes, elsewhere: false });
        self.files.push(planned);
        Ok(())
    }

    fn install_server(&mut self, app: &CliApp, program: &str) -> AppResult<()> {
        let (client, place) = (self.spot.client, self.spot.place);
        let Some(path) = client.server_file(place, folders(app)) else { return Ok(()) };
        let user = client.server_file(InstallScope::User, folders(app)).filter(|it| *it != path);
        let is_there = |path: &Path| {
            let bytes = install::read(path).ok().flatten();
            bytes.is_some_and(|bytes| install::has_server(client, &bytes))
        };
        if let Some(user) = user
            && place == InstallScope::Project
            && !is_there(&path)
            && is_there(&user)
        {
            self.server = Some(SetupPart { path: user, changes: false, elsewhere: true });
            return Ok(());
        }
        let changes =
            self.edit(app, &path, |current| install::plan_server(client, current, program))?;
        if place == InstallScope::Project {
            let planned = self.files.iter().find(|file| file.path == path);
            let servers = planned.and_then(|file| file.change.after.as_deref()).unwrap_or_default();
            self.is_server_foreign = !install::may_approve(client, servers, program);
            let settings = self.spot.path.clone();
            if !self.is_server_foreign {
                self.edit(app, &settings, |current| install::plan_approval(client, current))?;
            }
        }
        self.server = Some(SetupPart { path, changes, elsewhere: false });
        Ok(())
    }

    fn install_pages(&mut self, app: &CliApp) -> AppResult<()> {
        let (client, place) = (self.spot.client, self.spot.place);
        let Some(folder) = client.page_folder(place, folders(app)) else { return Ok(()) };
        if place == InstallScope::Project {
            let user = client.pages(InstallScope::User, folders(app));
            if !user.is_empty() && user.iter().all(|(path, page)| is_page(path, page)) {
                let path = client.page_folder(InstallScope::User, folders(app)).unwrap_or(folder);
                self.page_names = user.iter().map(|(_, page)| page.name).collect();
                self.pages = Some(SetupPart { path, changes: false, elsewhere: true });
                return Ok(());
            }
        }
        let mut changes = false;
        for (path, page) in client.pages(place, folders(app)) {
            changes |= self.edit(app, &path, |current| page.plan(current))?;
            let after = self.files.iter().find(|file| file.path == path);
            let after = after.and_then(|file| file.change.after.as_deref()).unwrap_or_default();
            if page.is_ours(after) {
                self.page_names.push(page.name);
            } else {
                self.foreign.push(path);
            }
        }
        self.pages = Some(SetupPart { path: folder, changes, elsewhere: false });
        Ok(())
    }

    /// Plans to remove everything. In your own place, files that are committed with our part in them
    /// stay, unless `committed` is true: they are the team's.
    pub(crate) fn removal(
        app: &CliApp,
        client: &'static Client,
        place: InstallScope,
        committed: bool,
    ) -> AppResult<ClientSetup> {
        let mut setup = ClientSetup::new(app, client, place);
        let is_kept = |path: &Path| {
            place == InstallScope::Project && !committed && is_committed(app, client, path)
        };
        // Parts of one file are removed in reverse order, so that each has the same surroundings as
        // when it was added.
        let settings = setup.spot.path.clone();
        if place == InstallScope::Project && names_us(&settings) {
            setup
                .edit(app, &settings, |current| install::plan_approval_removal(client, current))?;
        }
        if let Some(path) = client.server_file(place, folders(app)) {
            if path != settings && is_kept(&path) {
                setup.committed.push(path);
            } else {
                let changes = names_us(&path)
                    && setup.edit(app, &path, |current| {
                        install::plan_server_removal(client, current)
                    })?;
                setup.server = Some(SetupPart { path, changes, elsewhere: false });
            }
        }
        let changes = names_us(&settings)
            && setup
                .edit(app, &settings, |current| install::plan_hooks_removal(client, current))?;
        setup.hooks = Some(SetupPart { path: settings, changes, elsewhere: false });
        if let Some(folder) = client.page_folder(place, folders(app)) {
            let mut removed = false;
            for (path, page) in client.pages(place, folders(app)) {
                if is_page(&path, &page) && is_kept(&path) {
                    setup.committed.push(path);
                } else if setup.edit(app, &path, |current| page.plan_removal(current))? {
                    setup.page_names.push(page.name);
                    removed = true;
                }
            }
            setup.pages = Some(SetupPart { path: folder, changes: removed, elsewhere: false });
        }
        Ok(setup)
    }

    /// Plans a change to a file, after those that are already planned for it. Returns true if it
    /// changes anything.
    fn edit(
        &mut self,
        app: &CliApp,
        path: &Path,
        plan: impl FnOnce(Option<&[u8]>) -> Result<install::FileChange, install::InstallError>,
    ) -> AppResult<bool> {
        if let Some(planned) = self.files.iter_mut().find(|file| file.path == path) {
            return planned.then(plan);
        }
        let planned = Planned::at(app, self.spot.place, path.to_owned(), plan)?;
        let changes = planned.changes();
        self.files.push(planned);
        Ok(changes)
    }

    /// Returns true if any file is changed.
    pub(crate) fn changes(&self) -> bool {
        self.files.iter().any(Planned::changes)
    }

    /// Returns the differences of all files that change.
    pub(crate) fn diff(&self) -> String {
        self.files.iter().filter(|file| file.changes()).map(Planned::diff).collect()
    }

    /// Hides new files that are for this user alone from git. Returns the exclude file, if it was
    /// changed.
    pub(crate) fn hide(&self, app: &CliApp) -> AppResult<Option<PathBuf>> {
        let mut exclude = None;
        for planned in self.files.iter().filter(|planned| planned.changes()) {
            let common = planned.path != self.spot.path || self.spot.common;
            exclude = hide(app, self.spot.place, common, planned)?.or(exclude);
        }
        Ok(exclude)
    }

    /// Lets git see the files again.
    pub(crate) fn unhide(&self, app: &CliApp) -> AppResult<()> {
        let mut changed = self.files.iter().filter(|planned| planned.changes());
        changed.try_for_each(|planned| unhide(app, &planned.path))
    }
}

/// Lists commands, and counts skills that agents use by themselves.
pub(crate) fn command_names(names: &[&str]) -> String {
    let is_command = |name: &&&str| ["remember", "when", "how", "memory"].contains(*name);
    let listed: Vec<String> =
        names.iter().filter(is_command).map(|name| format!("/{name}")).collect();
    match names.len() - listed.len() {
        0 => listed.join(", "),
        1 => format!("{} and a skill", listed.join(", ")),
        more => format!("{} and {more} skills", listed.join(", ")),
    }
}

/// Returns true if a file can contain a part of ours. One that does not need not be valid.
fn names_us(path: &Path) -> bool {
    install::read(path).ok().flatten().is_none_or(|bytes| super::names_us(&bytes))
}

/// Returns true if a file is a page of ours.
fn is_page(path: &Path, page: &Page) -> bool {
    install::read(path).ok().flatten().is_some_and(|bytes| page.is_ours(&bytes))
}

/// Returns true if the last commit has a file with our part in it.
fn is_committed(app: &CliApp, client: &Client, path: &Path) -> bool {
    let Some(file) = relative(app, path).filter(|_| app.repository.is_some()) else { return false };
    // Reading the index spares starting git for files that it does not track.
    if tacit_git::tracked_below(app.worktree(), &file).is_ok_and(|tracked| tracked.is_empty()) {
        return false;
    }
    let committed = tacit_git::contents_at(app.worktree(), "HEAD", &file).ok().flatten();
    let is_server =
        client.server_file(InstallScope::Project, folders(app)).as_deref() == Some(path);
    committed.is_some_and(|bytes| !is_server || install::has_server(client, &bytes))
}
