//! `tacit records create`

use tacit_app::AppResult;
use tacit_app::records::{folder, lock_timeout, retire_beyond_window};
use tacit_records::RecordCategory;

use super::input::{InputArg, read_object};
use super::{category, index_now, say, settings};
use crate::app::CliApp;

/// Write a new record.
///
/// The JSON needs `title`, `tags` and `content`; Tacit fills in the rest. The title names the file,
/// unless `--target` does. The name of a retired record cannot be used again for 24 hours. A new
/// session summary retires the oldest beyond `records.session_summary.max_retained`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records create decision --input draft.json
  tacit records create runbook --target runbooks/locked-database < draft.json
  tacit records create decision --draft draft-decision-4711.json --json")]
pub(crate) struct RecordsCreateArgs {
    /// The category.
    #[arg(value_name = "CATEGORY", value_parser = category)]
    category: RecordCategory,
    /// The name of the record, or the path of its file.
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    #[command(flatten)]
    input: InputArg,
}

impl RecordsCreateArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let folder = folder(app);
        let slug = match &self.target {
            None => None,
            Some(name) => {
                let (category, slug) = folder.parse_name(name)?;
                if let Some(other) = category.filter(|other| *other != self.category) {
                    let why = format!("it is the folder of category `{other}`");
                    return Err(tacit_records::RecordError::Path { path: name.clone(), why }.into());
                }
                Some(slug)
            }
        };
        let given = read_object(app, &self.input)?;
        let settings = settings(app);
        let (stored, mut notes) = {
            let writer = folder.writer(&settings, app.now(), lock_timeout(app))?;
            let stored = writer.create(self.category, slug.as_ref(), given)?;
            (stored, retire_beyond_window(&folder, &writer, &settings)?)
        };
        notes.extend(index_now(app));
        say(app, "Created", &stored, &notes)
    }
}
