//! `tacit records update`

use super::input::{InputArg, read_object};
use super::{index_now, say, settings};
use crate::app::App;
use crate::error::CliResult;
use tacit_app::records::{folder, patience};

/// Change a record.
///
/// The JSON is the whole record as it shall be, with at least one new entry in `changes`. With
/// `--note`, it can be a part: lists grow, tags join, other fields are replaced, and the note
/// becomes the entry. With `--hash`, nothing is written if the file is no longer what was read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records update use-wal-mode --input changed.json --hash 5f4dcc3b5aa765d61d8327deb882cf99
  echo '{\"tags\": [\"sqlite\"]}' | tacit records update use-wal-mode --note \"Name the database\"")]
pub(crate) struct Update {
    /// The name of the record, or the path of its file.
    #[arg(value_name = "NAME")]
    name: String,
    /// The MD5 of the file as it was read.
    #[arg(long, value_name = "MD5")]
    hash: Option<String>,
    /// What changed; the JSON is then joined to what is there.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    #[command(flatten)]
    input: InputArg,
}

impl Update {
    pub(super) fn run(self, app: &mut App) -> CliResult<()> {
        let given = read_object(app, &self.input)?;
        let (folder, settings) = (folder(app), settings(app));
        let hash = self.hash.as_deref();
        let stored = {
            let writer = folder.writer(&settings, app.now(), patience(app))?;
            match &self.note {
                Some(note) => writer.merge(&self.name, &given, note, hash)?,
                None => writer.update(&self.name, given, hash)?,
            }
        };
        let notes = index_now(app);
        say(app, "Updated", &stored, &notes)
    }
}
