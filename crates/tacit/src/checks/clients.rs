//! Checks of the hooks of each agent client: that they can run, are current, and are there once.

use std::path::Path;

use tacit_agents::install::plugin_settings;
use tacit_agents::{CLIENTS, Client, InstallScope};
use tacit_app::AppResult;
use tacit_core::ClientName;

use super::{DoctorFinding, State};
use crate::agents::{self, ClientSetup, Spot};
use crate::app::CliApp;

/// Checks the hooks of all clients. With `fix`, brings those of this user up to date. One finding if
/// no client has hooks.
pub(crate) fn check(app: &CliApp, fix: bool) -> Vec<DoctorFinding> {
    let mut findings: Vec<DoctorFinding> =
        CLIENTS.iter().flat_map(|client| check_client(app, client, fix)).collect();
    if findings.is_empty() {
        let note = "no agent client has hooks here; `tacit init` sets them up";
        findings.push(DoctorFinding::new("clients", State::Note, note));
    }
    findings
}

fn check_client(app: &CliApp, client: &'static Client, fix: bool) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    let mut places = Vec::new();
    for spot in Spot::all(app, client) {
        match check_spot(app, &spot, fix) {
            Ok(None) => {}
            Ok(Some(finding)) => {
                let path = short_path(app, &spot.path);
                findings.push(finding);
                findings.extend(not_reviewed(app, &spot, &path));
                places.push((spot.place, path));
            }
            Err(error) => {
                let note = format!("{}; correct the file, or move it away", error.message);
                findings.push(DoctorFinding::new(client.title, State::Wrong, note));
            }
        }
    }
    if places.len() > 1 {
        let removed = places
            .iter()
            .map(|(place, path)| format!("`{}` removes those in {path}", removal(client, *place)));
        let note = format!(
            "hooks are in {} files, and the client runs them all; {}",
            places.len(),
            removed.collect::<Vec<_>>().join(", ")
        );
        findings.push(DoctorFinding::new(client.title, State::Wrong, note));
    }
    findings.extend(peculiarities(app, client, &places));
    findings
}

/// Returns the command that removes the hooks of a client from a place.
fn removal(client: &Client, place: InstallScope) -> String {
    let flag = match place {
        InstallScope::Project => "",
        InstallScope::Shared => " --shared",
        InstallScope::User => " --global",
    };
    format!("tacit agents remove {}{flag}", client.name)
}

/// Checks what only one client has. `places` have its hooks.
fn peculiarities(
    app: &CliApp,
    client: &Client,
    places: &[(InstallScope, String)],
) -> Vec<DoctorFinding> {
    match client.name {
        ClientName::Claude => plugin(app, client, places).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Checks one settings file; `None` if it has no hooks of ours.
fn check_spot(app: &CliApp, spot: &Spot, fix: bool) -> AppResult<Option<DoctorFinding>> {
    if spot.count()? == 0 {
        return Ok(None);
    }
    let path = short_path(app, &spot.path);
    let finding = |state, note: String| Some(DoctorFinding::new(spot.client.title, state, note));
    let missing = spot.missing_programs(app)?;
    // A program under another name cannot write hooks, but those that are there may be fine.
    let setup = ClientSetup::upgrade(app, spot).ok().filter(ClientSetup::changes);
    // What the team committed is for the team to change.
    let is_own = spot.place != InstallScope::Shared;
    if let Some(setup) = setup.as_ref().filter(|_| fix && is_own) {
        agents::apply_all(setup.files.iter())?;
        return Ok(finding(State::Mended, format!("hooks in {path} are current now")));
    }
    if let Some(program) = missing.first() {
        let note = format!(
            "hooks in {path} run `{program}`, which is not there; `tacit agents upgrade` corrects \
             them"
        );
        return Ok(finding(State::Wrong, note));
    }
    if setup.is_some() {
        let note = format!("hooks in {path} are of another version; `tacit agents upgrade` helps");
        return Ok(finding(State::Note, note));
    }
    Ok(finding(State::Fine, format!("hooks in {path}")))
}

/// Reports hooks that do not run before the user has reviewed them in the client.
fn not_reviewed(app: &CliApp, spot: &Spot, path: &str) -> Option<DoctorFinding> {
    let review = spot.review(app).ok().filter(|review| review.open() > 0)?;
    let note = format!(
        "hooks in {path} wait for your review ({} new, {} changed) and do not run; start `{}` here and \
         choose 2 with Enter to trust them",
        review.new, review.changed, spot.client.name
    );
    Some(DoctorFinding::new(spot.client.title, State::Wrong, note))
}

/// Reports the plugin beside hooks in settings: Claude Code runs both.
fn plugin(
    app: &CliApp,
    client: &Client,
    places: &[(InstallScope, String)],
) -> Option<DoctorFinding> {
    let (place, path) = places.first()?;
    let file = plugin_settings(client, agents::folders(app))?;
    let note = format!(
        "the plugin is enabled in {}, and the client also runs the hooks in {path}; `{}` removes \
         them",
        short_path(app, &file),
        removal(client, *place)
    );
    Some(DoctorFinding::new(client.title, State::Wrong, note))
}

/// Reports hooks of other memory tools, which show and store everything a second time.
pub(crate) fn other_tools(app: &CliApp) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for spot in CLIENTS.iter().flat_map(|client| Spot::all(app, client)) {
        for tool in spot.foreign_tools() {
            let (file, clean) = (short_path(app, &spot.path), spot.clean_command());
            let note = format!("hooks of {tool} are in `{file}`; `{clean}` removes them");
            findings.push(DoctorFinding::new(spot.client.title, State::Note, note));
        }
    }
    findings
}

/// Shortens the path of a file in the project or in the home directory.
fn short_path(app: &CliApp, path: &Path) -> String {
    if let Ok(inside) = path.strip_prefix(app.worktree()) {
        return inside.display().to_string();
    }
    match path.strip_prefix(&app.environment.home) {
        Ok(inside) => Path::new("~").join(inside).display().to_string(),
        Err(_) => path.display().to_string(),
    }
}
