//! `tacit observe run`

use tacit_app::AppResult;
use tacit_engine::{Needs, Observed, Shelf};

use super::{session, settle};
use crate::app::App;
use crate::commands::count;

/// Look at sessions now: at those that are over or were reported on, or at one.
///
/// A session is looked at again if it went on since; each conclusion is drawn once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit observe run
  tacit observe run SESSION --json      one session, whether or not it is over")]
pub(crate) struct Run {
    /// Only this session, and those on the same unit of work.
    #[arg(value_name = "SESSION")]
    session: Option<String>,
}

impl Run {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        settle(app);
        let mut engine = app.engine_with_meaning(Needs::Write(Shelf::Project))?.unasked();
        let observed = match &self.session {
            Some(typed) => engine.observe_session(&session(typed)?)?,
            None => engine.observe_pending()?,
        };
        drop(engine);
        app.maintain_in_background();
        if app.json {
            return app.ui.json(&serde_json::to_value(&observed).unwrap_or_default());
        }
        app.ui.line(told(&observed))
    }
}

fn told(observed: &Observed) -> String {
    let Observed { sessions, stored, reinforced, updated, waiting } = observed;
    let looked = count(*sessions, "session", "sessions");
    let new = count(*stored, "new memory", "new memories");
    let waiting = match waiting {
        0 => String::new(),
        1 => "; 1 waits for other units of its work".to_owned(),
        many => format!("; {many} wait for other units of their work"),
    };
    format!(
        "Looked at {looked}: {new}, {reinforced} confirmed, {updated} brought up to date{waiting}"
    )
}
