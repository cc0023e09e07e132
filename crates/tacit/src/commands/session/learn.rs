//! `tacit session learn`

use tacit_app::AppResult;
use tacit_engine::{ObservationSummary, StoreAccess, StoreScope};

use super::{session, settle};
use crate::app::CliApp;
use crate::commands::count;

/// Learn from finished sessions now.
///
/// Takes the sessions that are over or whose work was reported, or a given one. A session that went
/// on since is examined again; everything is learnt once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit session learn
  tacit session learn SESSION --json      one session, even if it is not over")]
pub(crate) struct SessionLearnArgs {
    /// Only this session, and those on the same unit of work.
    #[arg(value_name = "SESSION")]
    session: Option<String>,
}

impl SessionLearnArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        settle(app);
        let engine = app.engine_with_embedder(StoreAccess::Write(StoreScope::Project))?;
        let mut engine = app.with_generator(engine).as_tacit();
        let observed = match &self.session {
            Some(typed) => engine.observe_session(&session(typed)?)?,
            None => engine.observe_pending()?,
        };
        drop(engine);
        app.maintain_in_background();
        if app.json {
            return app.ui.json(&serde_json::to_value(&observed).unwrap_or_default());
        }
        app.ui.line(summary(&observed))
    }
}

fn summary(observed: &ObservationSummary) -> String {
    let ObservationSummary { sessions, stored, reinforced, updated, waiting } = observed;
    let looked = count(*sessions, "session", "sessions");
    let new = count(*stored, "new memory", "new memories");
    let waiting = match waiting {
        0 => String::new(),
        1 => "; 1 waits for the rest of its work".to_owned(),
        many => format!("; {many} wait for the rest of their work"),
    };
    format!("Examined {looked}: {new}, {reinforced} confirmed, {updated} updated{waiting}")
}
