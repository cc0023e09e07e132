//! The flags for the fields of a memory, shared by `remember` and `edit`.

use clap::Args;
use serde_json::Value;
use tacit_app::filter::{memory_type, split_paths};
use tacit_app::graph::CodeTarget;
use tacit_app::{AppError, AppResult};
use tacit_core::{BuiltinType, Confidence, MemoryType, Reasoning};

use crate::app::CliApp;
use crate::filter_args::trimmed;

/// Fields of a memory. Their order in the help leaves room for flags of a command's own: 13 to 19,
/// 21 to 29, 35 to 49, and from 51.
#[derive(Debug, Args)]
pub(crate) struct FieldArgs {
    #[arg(
        long = "type",
        short = 't',
        value_name = "TYPE",
        display_order = 10,
        help = format!(
            "Type: {}. Guessed from the text if not given",
            BuiltinType::CHOICE_WORDS
        )
    )]
    kind: Option<String>,
    /// A heading of at most 120 characters.
    #[arg(long, value_name = "TEXT", display_order = 11)]
    pub(crate) title: Option<String>,
    /// Reason: why it matters, or how it was found out.
    #[arg(long = "why", value_name = "TEXT", display_order = 12)]
    pub(crate) reasoning: Option<String>,
    /// Confidence: high, medium, low, or a number from 0 to 1.
    #[arg(long, value_name = "CONFIDENCE", display_order = 20)]
    pub(crate) confidence: Option<Confidence>,
    /// The files it is about, repeated or separated by commas (at most 64).
    #[arg(long = "file", short = 'f', value_name = "PATH", display_order = 30)]
    pub(crate) files: Vec<String>,
    /// A symbol it is about (repeat for several, at most 32); when the symbol changes, the memory
    /// needs review.
    #[arg(long = "symbol", value_name = "PATH::NAME", display_order = 31)]
    pub(crate) symbols: Vec<String>,
    /// The modules it is about, repeated or separated by commas.
    #[arg(
        long = "module",
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = trimmed,
        display_order = 32
    )]
    pub(crate) modules: Vec<String>,
    /// Link or document with more about it (repeat for several).
    #[arg(long = "reference", value_name = "TEXT", display_order = 33)]
    pub(crate) references: Vec<String>,
    /// Scope in which it applies: global, module, work_unit or session.
    #[arg(long, value_name = "SCOPE", display_order = 34)]
    pub(crate) scope: Option<String>,
    /// The fields that only this type has, as JSON.
    #[arg(long, value_name = "JSON", display_order = 50)]
    details: Option<String>,
}

impl FieldArgs {
    pub(crate) fn kind(&self) -> AppResult<Option<MemoryType>> {
        self.kind.as_deref().map(|text| memory_type("--type", text)).transpose()
    }

    pub(crate) fn details(&self) -> AppResult<Option<Value>> {
        let details = self.details.as_deref().map(serde_json::from_str).transpose();
        details.map_err(|error| AppError::usage(format!("--details is not valid JSON: {error}")))
    }

    /// Returns the files with their paths from the root.
    pub(crate) fn files(&self, app: &CliApp) -> AppResult<Vec<String>> {
        let files = split_paths(app, &self.files).into_iter().filter(|path| !path.is_empty());
        files.map(|path| app.repo_path(&path).map(String::from)).collect()
    }

    /// Returns the symbols with the paths of their files from the root.
    pub(crate) fn symbols(&self, app: &CliApp) -> AppResult<Vec<String>> {
        let symbol = |text: &String| match CodeTarget::parse(app, text)? {
            CodeTarget { path, symbol: Some(name) } => Ok(format!("{path}::{name}")),
            CodeTarget { .. } => Err(AppError::usage(format!("`{text}` names no symbol"))
                .hint("write the file and the name: `src/pool.rs::Pool.close`")),
        };
        self.symbols.iter().filter(|text| !text.is_empty()).map(symbol).collect()
    }
}

/// Parses the reason for a change, the value of `--reason`.
pub(crate) fn reason(text: String) -> AppResult<Reasoning> {
    Reasoning::new(text).map_err(|problem| AppError::usage(format!("--reason {problem}")))
}
