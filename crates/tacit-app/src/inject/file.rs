//! After a tool: shows what is known about the files it touched.

use std::path::Path;

use tacit_core::log::NoteRecord;
use tacit_core::{AgentEvent, RepoPath, ToolKind, ToolOutcome, ToolUse};
use tacit_engine::EngineResult;
use tacit_observer::{git_commits, read_files};

use super::item::InjectionItem;
use super::{HookContext, HookDecision, repo_path};
use crate::briefing;

/// The maximum number of memories shown.
const LIMIT: usize = 4;

/// Returns true if the tool touched a file, called an MCP server, or committed.
pub(super) fn may_act_on(
    event: &AgentEvent,
    tool: &ToolUse,
    outcome: &ToolOutcome,
    root: &Path,
) -> bool {
    match &tool.kind {
        ToolKind::Shell { command, .. } => {
            !git_commits(command, outcome.text.as_deref().unwrap_or_default()).is_empty()
                || !shell_reads(event, command, root).is_empty()
        }
        ToolKind::Mcp { .. } => true,
        other => !other.files().is_empty(),
    }
}

/// Handles a tool that succeeded.
pub(super) fn after(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    tool: &ToolUse,
    decision: &mut HookDecision,
) -> EngineResult<()> {
    let mut files: Vec<RepoPath> =
        tool.kind.files().iter().filter_map(|file| ctx.repo_path(event, file)).collect();
    if let ToolKind::Shell { command, .. } = &tool.kind {
        files = shell_reads(event, command, ctx.root);
    }
    if !files.is_empty() {
        about_files(ctx, event, &files, decision)?;
    }
    Ok(())
}

/// Returns the files of the project that a command line reads.
fn shell_reads(event: &AgentEvent, line: &str, root: &Path) -> Vec<RepoPath> {
    let seen_from = |directory: Option<&Path>, file: &str| {
        repo_path(root, directory, file).filter(|file| root.join(file.as_str()).is_file())
    };
    // Some clients report the directory to which the line has changed.
    let found =
        |file: &String| seen_from(event.cwd.as_deref(), file).or_else(|| seen_from(None, file));
    read_files(line).iter().filter_map(found).collect()
}

/// Shows memories about what can go wrong with these files, and notes of this session about them.
fn about_files(
    ctx: &HookContext<'_, '_>,
    event: &AgentEvent,
    files: &[RepoPath],
    decision: &mut HookDecision,
) -> EngineResult<()> {
    ctx.files.note_used(files);
    let shown = ctx.shown(event)?;
    let was_shown = |id| shown.iter().any(|injection| injection.memory == Some(id));
    let found = briefing::about_files(ctx.engine, files, ctx.settings.phase, 4 * LIMIT)?;
    let mut items = ctx.not_shown(event, ctx.qa_issues(files)?)?;
    let notes = ctx.engine.notes(&event.session, files, 8 * LIMIT)?;
    // Of the issues that QA found only the open ones count, whichever session reported them.
    let learnings = notes.into_iter().filter(|note| {
        note.record.is_learning() && !matches!(note.record, NoteRecord::QaFailure(_))
    });
    for note in learnings.filter(|note| !ctx.did_itself(event, note)).take(LIMIT) {
        let item = InjectionItem::noted(&note);
        if shown.iter().all(|injection| injection.text != item.headline()) {
            items.push(item);
        }
    }
    for found in found {
        if !ctx.applies(event, &found.memory) {
            let id = found.memory.id.short();
            decision.trace.push(format!("cut {id}: belongs to another unit of work"));
        } else if was_shown(found.memory.id) {
            let id = found.memory.id.short();
            decision.trace.push(format!("cut {id}: shown before in this session"));
        } else if let Some(objection) = ctx.objection(&found.memory) {
            decision.trace.push(format!("cut {}: {objection}", found.memory.id.short()));
        } else if items.len() < LIMIT {
            items.push(InjectionItem::memory(found, "about this file"));
        }
    }
    let heading = match files {
        [file] => format!("about {file}"),
        _ => "about these files".to_owned(),
    };
    let used: u32 = decision.injections.iter().map(|injection| injection.tokens).sum();
    let budget = ctx.settings.tool_tokens.saturating_sub(used as usize);
    ctx.show(event, &heading, &items, budget, decision);
    Ok(())
}
