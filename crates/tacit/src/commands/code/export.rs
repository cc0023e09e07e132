//! `tacit code export`

use clap::ValueEnum;
use serde_json::Value;
use tacit_app::AppResult;
use tacit_app::graph::query_whole_graph;
use tacit_graph::{to_dot, to_graphml, to_json};

use crate::app::CliApp;

/// Print the code graph for other programs.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit code export > code.json
  tacit code export --format dot > code.dot
  tacit code export --format graphml > code.graphml")]
pub(crate) struct CodeExportArgs {
    /// The format.
    #[arg(long, value_enum, default_value_t = GraphFormat::Json)]
    format: GraphFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GraphFormat {
    /// Every node and edge.
    Json,
    /// Files and imports, for Graphviz.
    Dot,
    /// Every node and edge, for graph editors.
    Graphml,
}

impl CodeExportArgs {
    pub(super) fn run(self, app: &CliApp) -> AppResult<()> {
        let (value, text) = query_whole_graph(app, |graph| {
            let packed = graph.packed();
            Ok(match self.format {
                GraphFormat::Json => (to_json(&packed), String::new()),
                GraphFormat::Dot => (Value::Null, to_dot(&packed)),
                GraphFormat::Graphml => (Value::Null, to_graphml(&packed)),
            })
        })?;
        match self.format {
            GraphFormat::Json => app.ui.json(&value),
            GraphFormat::Dot | GraphFormat::Graphml => app.ui.line(text.trim_end()),
        }
    }
}
