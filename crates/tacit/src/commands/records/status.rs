//! `tacit records retire`, `archive` and `restore`

use tacit_app::{AppError, AppResult};
use tacit_records::RecordResult;
use tacit_records::files::{RecordWriter, StoredRecord};

use super::change;
use crate::app::CliApp;

/// A record to take out of use, with the reason.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordsRemovalArgs {
    /// The reason.
    #[arg(long, short, value_name = "TEXT")]
    reason: String,
    #[command(flatten)]
    named: NamedRecordArgs,
}

/// A record by name, with the hash of the version that was read.
#[derive(Debug, clap::Args)]
pub(crate) struct NamedRecordArgs {
    /// The name of the record, or the path of its file.
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// The MD5 of the file when it was read.
    #[arg(long, value_name = "MD5")]
    pub(super) hash: Option<String>,
}

/// [`RecordWriter::retire`] or [`RecordWriter::archive`].
type TakeOutOfUse = fn(&RecordWriter<'_>, &str, &str, Option<&str>) -> RecordResult<StoredRecord>;

impl RecordsRemovalArgs {
    pub(super) fn run(self, app: &CliApp, word: &str, take_out: TakeOutOfUse) -> AppResult<()> {
        let (reason, NamedRecordArgs { name, hash }) = (self.reason.trim(), &self.named);
        if reason.is_empty() {
            return Err(AppError::usage("--reason is empty"));
        }
        change(app, word, |writer| take_out(writer, name, reason, hash.as_deref()))
    }
}

impl NamedRecordArgs {
    pub(super) fn restore(self, app: &CliApp) -> AppResult<()> {
        change(app, "Restored", |writer| writer.restore(&self.name, self.hash.as_deref()))
    }
}
