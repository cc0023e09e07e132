//! The flags of `tacit edit` that add and remove tags, cues and links.

use tacit_app::{AppError, AppResult, did_you_mean};
use tacit_core::{Confidence, Cue, Problem, Relation, RelationKind, RelationTarget, Tag};
use tacit_engine::{Engine, ListChanges};

use crate::app::CliApp;

/// Tags, cues and links to add and remove. Relations: required_with, conflicts_with, validates,
/// supersedes, derived_from.
#[derive(Debug, clap::Args)]
pub(super) struct TagLinkArgs {
    /// A tag to add (repeat for several).
    #[arg(long = "tag", value_name = "TAG", display_order = 37)]
    tags: Vec<String>,
    /// A tag to remove (repeat for several).
    #[arg(long = "untag", value_name = "TAG", display_order = 38)]
    untags: Vec<String>,
    /// A situation in which it helps, to add (repeat for several, at most 8).
    #[arg(long = "when", value_name = "TEXT", display_order = 38)]
    cues: Vec<String>,
    /// A situation to remove (repeat for several).
    #[arg(long = "not-when", value_name = "TEXT", display_order = 38)]
    not_cues: Vec<String>,
    /// A link to a memory or a file (repeat for several), such as supersedes:e5f6a7b8 or
    /// required_with:src/pool.rs. Relations: required_with, conflicts_with, validates, supersedes,
    /// derived_from.
    #[arg(long = "link", value_name = "RELATION:TARGET", display_order = 39)]
    links: Vec<String>,
    /// A link to remove (repeat for several).
    #[arg(long = "unlink", value_name = "RELATION:TARGET", display_order = 40)]
    unlinks: Vec<String>,
    /// Confidence in the links: high, medium, low, or a number from 0 to 1.
    #[arg(
        long,
        value_name = "CONFIDENCE",
        default_value = "high",
        requires = "links",
        display_order = 41
    )]
    link_confidence: Confidence,
}

impl TagLinkArgs {
    /// Returns the changes, with the identifiers of the memories that links name.
    pub(super) fn changes(&self, app: &CliApp, engine: &Engine<'_>) -> AppResult<ListChanges> {
        let mut changes = ListChanges {
            add_tags: tags(&self.tags)?,
            remove_tags: tags(&self.untags)?,
            add_cues: cues("--when", &self.cues)?,
            remove_cues: cues("--not-when", &self.not_cues)?,
            ..ListChanges::default()
        };
        for text in &self.links {
            let (kind, target) = link(app, engine, text)?;
            let confidence = self.link_confidence;
            changes.add_links.push(Relation { target, kind, confidence, auto_extracted: false });
        }
        for text in &self.unlinks {
            changes.remove_links.push(link(app, engine, text)?);
        }
        Ok(changes)
    }
}

fn tags(texts: &[String]) -> AppResult<Vec<Tag>> {
    let tag = |text: &String| {
        text.parse().map_err(|problem: Problem| AppError::usage(problem.to_string()))
    };
    texts.iter().map(tag).collect()
}

fn cues(flag: &str, texts: &[String]) -> AppResult<Vec<Cue>> {
    let cue = |text: &String| {
        Cue::new(text.as_str()).map_err(|problem| AppError::usage(format!("{flag} {problem}")))
    };
    texts.iter().map(cue).collect()
}

/// Parses `RELATION:TARGET`. A target with a slash or a dot is a file, any other the id of a memory.
fn link(
    app: &CliApp,
    engine: &Engine<'_>,
    text: &str,
) -> AppResult<(RelationKind, RelationTarget)> {
    let Some((word, target)) = text.split_once(':').filter(|(_, target)| !target.is_empty()) else {
        return Err(AppError::usage(format!("`{text}` is not a link"))
            .hint("write the relation and the target: `supersedes:e5f6a7b8`"));
    };
    let kind: RelationKind = word.parse().map_err(|problem: Problem| {
        let words = RelationKind::ALL.iter().map(|kind| kind.as_str());
        AppError::usage(format!("relation {problem}")).hint(did_you_mean(word, words))
    })?;
    let target = if target.contains(['/', '.']) {
        RelationTarget::File(app.repo_path(target)?)
    } else {
        RelationTarget::Memory(engine.find(target)?.memory.id)
    };
    Ok((kind, target))
}
