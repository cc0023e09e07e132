//! Runs the server of the panel.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tacit_app::{App, AppError, AppResult, ErrorCode, Watcher};
use tacit_core::{Clock, IdSource};
use tacit_engine::StoreAccess;
use tacit_panel::{ASSETS, PanelOptions, PanelServer, PanelToken, ProjectHost};

use super::PanelArgs;
use super::browser;
use crate::app::CliApp;
use crate::environment;

pub(super) fn serve(app: &CliApp, args: &PanelArgs) -> AppResult<()> {
    let shown = match &args.id {
        Some(id) => Some(app.engine(StoreAccess::ReadBoth)?.find(id)?.memory.id.short()),
        None => None,
    };
    let random = environment::random_bytes().map_err(|error| {
        AppError::new(ErrorCode::Failure, format!("no random token could be made: {error}"))
    })?;
    let host = PanelHost {
        directory: app.directory.clone(),
        clock: app.environment.clock.clone(),
        ids: app.environment.ids.clone(),
    };
    let port = args.port.unwrap_or(0);
    let options = PanelOptions {
        port,
        idle: args.idle.map(|minutes| Duration::from_secs(60 * minutes)),
        token: PanelToken::new(random),
        assets: ASSETS,
    };
    let server = PanelServer::bind(Arc::new(host), options).map_err(|error| {
        let failed = AppError::new(ErrorCode::Failure, format!("cannot listen: {error}"));
        match error.kind() {
            ErrorKind::AddrInUse => failed.hint(format!("port {port} is in use; leave out --port")),
            _ => failed,
        }
    })?;
    let mut address = server.address();
    if let Some(id) = shown {
        address.push_str(&format!("&open={id}"));
    }
    if app.json {
        app.ui.json(&json!({"url": address, "port": server.port()}))?;
    } else {
        app.ui.line(format!("The panel is at {address}"))?;
        app.ui.line("Ctrl-C ends it.")?;
    }
    app.ui.flush()?;
    let page = (!args.no_open).then(|| browser::open(app, &address));
    if let Some(Err(error)) = &page {
        app.watcher.note(&format!("no browser was opened: {error}; open the address yourself"));
    }
    tacit_app::panics::print_to_stderr();
    let served = server.run();
    // The page leads nowhere any more.
    if let Some(Ok(page)) = page {
        let _ = std::fs::remove_file(page);
    }
    served.map_err(|error| AppError::new(ErrorCode::Failure, format!("the panel failed: {error}")))
}

/// Opens the project for each request, as a command would.
struct PanelHost {
    directory: PathBuf,
    clock: Arc<dyn Clock + Send + Sync>,
    ids: Arc<dyn IdSource + Send + Sync>,
}

impl ProjectHost for PanelHost {
    fn open(&self, watcher: Box<dyn Watcher>) -> AppResult<App> {
        let mut environment = environment::read();
        environment.clock = self.clock.clone();
        // A sequence of identifiers that is chosen for tests goes on.
        environment.ids = self.ids.clone();
        App::open(environment, self.directory.clone(), watcher, true)
    }
}
