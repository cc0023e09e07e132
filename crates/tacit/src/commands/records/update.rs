//! `tacit records update`

use tacit_app::AppResult;

use super::change;
use super::input::{InputArg, read_object};
use super::status::NamedRecordArgs;
use crate::app::CliApp;

/// Change a record.
///
/// The JSON is the whole new record, with at least one new entry in `changes`. With `--note`, a part
/// is enough: lists and tags are added to, other fields are replaced, and the note becomes the entry.
/// With `--hash`, nothing is written if the file has changed since it was read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records update use-wal-mode --input changed.json --hash 5f4dcc3b5aa765d61d8327deb882cf99
  echo '{\"tags\": [\"sqlite\"]}' | tacit records update use-wal-mode --note \"Name the database\"")]
pub(crate) struct RecordsUpdateArgs {
    #[command(flatten)]
    named: NamedRecordArgs,
    /// A summary of the change; the JSON is then merged into the record.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    input: InputArg,
}

impl RecordsUpdateArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let given = read_object(app, &self.input)?;
        let NamedRecordArgs { name, hash } = &self.named;
        change(app, "Updated", |writer| match &self.note {
            Some(note) => writer.merge(name, &given, note, hash.as_deref()),
            None => writer.update(name, given, hash.as_deref()),
        })
    }
}
