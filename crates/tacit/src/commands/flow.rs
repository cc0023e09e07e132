//! `tacit flow`

use serde_json::{Value, json};
use tacit_graph::{Edge, Flow as Ways, Packed, flow};

use crate::app::App;
use crate::error::CliResult;
use crate::graph::{Target, ask};
use crate::render::visible_line;

/// How one file or symbol leads to another: the shortest way through calls and imports, and the
/// strongest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit flow src/main.rs src/store.rs
  tacit flow src/cli.ts::run src/db.ts::query --json")]
pub(crate) struct Flow {
    /// Where to start: a file, or `FILE::SYMBOL`.
    from: String,
    /// Where to end.
    to: String,
}

/// A way, step by step, as text.
struct Answer {
    /// Whether the way leads from the end to the start.
    backwards: bool,
    shortest: Vec<String>,
    strongest: Vec<String>,
    strength: f32,
    files: Vec<String>,
}

impl Flow {
    pub(crate) fn run(self, app: &mut App) -> CliResult<()> {
        let (from, to) = (Target::parse(app, &self.from)?, Target::parse(app, &self.to)?);
        let found = ask(
            app,
            |graph| {
                let (start, end) = (from.nodes(graph)?, to.nodes(graph)?);
                let graph = graph.packed();
                let there = flow(&graph, &start, &end).map(|ways| (false, ways));
                let back = || flow(&graph, &end, &start).map(|ways| (true, ways));
                Ok(there
                    .or_else(back)
                    .map(|(backwards, ways)| Answer::new(&graph, backwards, &ways)))
            },
            |answer| {
                let ends = [from.path.to_string(), to.path.to_string()];
                answer.iter().flat_map(|answer| answer.files.clone()).chain(ends).collect()
            },
        )?;
        let (from, to) = (from.label(), to.label());
        if app.json {
            let value = match &found {
                None => json!({"from": from, "to": to, "found": false}),
                Some(answer) => answer.to_json(&from, &to),
            };
            return Ok(app.ui.json(&value)?);
        }
        let Some(answer) = found else {
            return Ok(app.ui.line(format!("{from} and {to} do not lead to each other"))?);
        };
        if answer.backwards {
            app.ui.line(format!("{from} does not lead to {to}, but the other way round:"))?;
        }
        print(app, "shortest", &answer.shortest)?;
        if answer.strongest != answer.shortest {
            print(app, "strongest", &answer.strongest)?;
        }
        Ok(app.ui.line(format!("strength {:.2}", answer.strength))?)
    }
}

fn print(app: &mut App, which: &str, steps: &[String]) -> CliResult<()> {
    app.ui.line(format!("{which}:"))?;
    for step in steps {
        app.ui.line(visible_line(&format!("  {step}")))?;
    }
    Ok(())
}

impl Answer {
    fn new(graph: &Packed<'_>, backwards: bool, ways: &Ways) -> Answer {
        let step = |edge: &Edge| {
            let (from, to) = (graph.label(edge.from), graph.label(edge.to));
            format!("{from} {} {to}, {}", edge.kind.as_str(), graph.said(edge))
        };
        let nodes =
            ways.shortest.iter().chain(&ways.strongest).flat_map(|edge| [edge.from, edge.to]);
        let files = nodes.filter_map(|node| Some(graph.path(graph.file_of(node)?).to_owned()));
        Answer {
            backwards,
            shortest: ways.shortest.iter().map(step).collect(),
            strongest: ways.strongest.iter().map(step).collect(),
            strength: ways.strength,
            files: files.collect(),
        }
    }

    fn to_json(&self, from: &str, to: &str) -> Value {
        json!({
            "from": from, "to": to, "found": true, "backwards": self.backwards,
            "shortest": self.shortest, "strongest": self.strongest,
            "strength": f64::from((self.strength * 1000.0).round()) / 1000.0,
        })
    }
}
