//! `tacit tag`

use serde_json::json;
use tacit_app::{AppError, AppResult};
use tacit_core::{Problem, Tag as Label};
use tacit_engine::StoreAccess;

use crate::app::App;
use crate::render;
use crate::ui::Tone;

/// Add and remove tags.
///
/// Without tags to add or remove, shows those a memory has; without an id, lists all tags in use.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit tag                               every tag and how often it is used
  tacit tag a1b2c3d4                      the tags of one memory
  tacit tag a1b2c3d4 cheat-sheet auth     add two
  tacit tag a1b2c3d4 --remove auth")]
pub(crate) struct Tag {
    /// The memory.
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Tags to add.
    #[arg(value_name = "TAG")]
    add: Vec<String>,
    /// A tag to remove (repeat for several).
    #[arg(long, short, value_name = "TAG", requires = "id")]
    remove: Vec<String>,
}

impl Tag {
    pub(crate) fn run(self, app: &App) -> AppResult<()> {
        let Some(id) = &self.id else { return all(app) };
        let parse = |texts: &[String]| -> AppResult<Vec<Label>> {
            texts
                .iter()
                .map(|text| {
                    text.parse().map_err(|problem: Problem| AppError::usage(problem.to_string()))
                })
                .collect()
        };
        let (add, remove) = (parse(&self.add)?, parse(&self.remove)?);
        let found = if add.is_empty() && remove.is_empty() {
            app.engine(StoreAccess::ReadBoth)?.find(id)?
        } else {
            app.engine_to_tell(StoreAccess::WriteBoth)?.retag(id, &add, &remove)?
        };
        if app.json {
            return app.ui.json(&render::to_json(&found));
        }
        let tags: Vec<&str> = found.memory.body.tags.iter().map(|tag| tag.as_str()).collect();
        let id = app.ui.paint(Tone::Id, &found.memory.id.short().to_string());
        let tags =
            if tags.is_empty() { "no tags".into() } else { render::visible(&tags.join(" ")) };
        app.ui.line(format!("{id}  {tags}"))
    }
}

fn all(app: &App) -> AppResult<()> {
    let engine = app.engine(StoreAccess::ReadBoth)?;
    let mut tags: Vec<(String, u64)> = Vec::new();
    for (_, store) in engine.stores() {
        for (tag, count) in store.stats()?.tags {
            match tags.iter_mut().find(|(known, _)| *known == tag) {
                Some((_, sum)) => *sum += count,
                None => tags.push((tag, count)),
            }
        }
    }
    drop(engine);
    tags.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    if app.json {
        let values: Vec<_> =
            tags.iter().map(|(tag, count)| json!({"tag": tag, "count": count})).collect();
        return app.ui.json(&json!(values));
    }
    if tags.is_empty() {
        return app.ui.line("No tags.");
    }
    app.ui.lines(tags.iter().map(|(tag, count)| format!("{count:>5}  {}", render::visible(tag))))
}
