//! The report of `tacit forget --purge`: what was deleted where, and what is left.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tacit_app::AppResult;
use tacit_app::purge::{PurgeProof, prove};
use tacit_core::MemoryId;
use tacit_engine::PurgeResult;

use crate::app::CliApp;
use crate::commands::{count, of};
use crate::render;
use crate::ui::Tone;

/// Searches for what is left and prints the result. No engine may be open.
pub(super) fn report(app: &CliApp, resumed: &[MemoryId], purged: &PurgeResult) -> AppResult<()> {
    // The text of a purge that was only finished is not known any more.
    let proof = (!purged.memories.is_empty()).then(|| prove(app, purged));
    if app.json {
        app.ui.json(&to_json(resumed, purged, proof.as_ref()))?;
    } else {
        for id in resumed {
            let id = app.ui.paint(Tone::Id, &id.short().to_string());
            app.ui.line(format!("Purged: finished what was interrupted (id {id})"))?;
        }
        let memories = purged.memories.iter();
        app.ui
            .lines(memories.map(|found| render::change_line(&app.ui, "Purged", &found.memory)))?;
        if let Some(proof) = &proof {
            app.ui.lines(summary(purged, proof))?;
        }
    }
    app.ui.flush()?;
    for note in notes(purged, proof.as_ref()) {
        app.watcher.note(&note);
    }
    Ok(())
}

fn to_json(resumed: &[MemoryId], purged: &PurgeResult, proof: Option<&PurgeProof>) -> Value {
    // Deleted text is not printed again.
    let one = |id: &MemoryId, scope: Option<&str>| {
        let short = id.short().to_string();
        json!({"id": id, "short_id": short, "store": scope, "purged": true})
    };
    let done =
        purged.memories.iter().map(|found| one(&found.memory.id, Some(found.store.as_str())));
    let memories: Vec<Value> = resumed.iter().map(|id| one(id, None)).chain(done).collect();
    let proof = proof.map(|proof| {
        json!({
            "erased_rows": purged.erased, "cleaned_files": purged.cleaned,
            "rewritten_backups": purged.backups_cleaned,
            "deleted_backups": purged.backups_removed,
            "searched_files": proof.scan.files, "searched_bytes": proof.scan.bytes,
            "left_in": proof.scan.left, "unreadable_files": proof.scan.unread,
            "quoted_by": purged.quoted_by, "not_touched": proof.not_touched,
            "damaged_copies": purged.damaged_copies,
        })
    });
    json!({"memories": memories, "finished": !purged.unfinished, "proof": proof})
}

/// Says what was deleted and how much was searched.
fn summary(purged: &PurgeResult, proof: &PurgeProof) -> Vec<String> {
    let mut lines = Vec::new();
    let rows = purged.erased.iter().map(|erased| (erased.rows, erased.table.as_str()));
    let mut done: Vec<String> =
        rows.map(|(rows, table)| format!("{} of {table}", of(rows, "row", "rows"))).collect();
    for (paths, one, many) in
        [(&purged.cleaned, "file", "files"), (&purged.backups_cleaned, "backup", "backups")]
    {
        if !paths.is_empty() {
            done.push(count(paths.len(), one, many));
        }
    }
    if !done.is_empty() {
        lines.push(format!("Removed what quoted it: {}", done.join(", ")));
    }
    if !purged.backups_removed.is_empty() {
        let number = count(purged.backups_removed.len(), "backup", "backups");
        lines.push(format!("Deleted {number} that could not be rewritten without it"));
    }
    let (files, bytes) = (count(proof.scan.files, "file", "files"), proof.scan.bytes);
    let found = match proof.scan.left.len() {
        0 => "no trace is left".to_owned(),
        left => format!("{} still has words of it", count(left, "file", "files")),
    };
    lines.push(format!("Searched {files} of the stores ({} kB): {found}", bytes.div_ceil(1024)));
    lines
}

/// Names what Tacit did not delete, and why.
fn notes(purged: &PurgeResult, proof: Option<&PurgeProof>) -> Vec<String> {
    let mut notes = Vec::new();
    if purged.unfinished {
        notes
            .push("other processes use the store; the next command removes the last traces".into());
    }
    for path in &purged.quoted_in {
        notes.push(format!("`{}` quotes it and is yours to change", path.display()));
    }
    for id in &purged.quoted_by {
        let id = id.short();
        notes.push(format!("memory {id} says the same in part; `tacit show {id}` shows it"));
    }
    for path in &purged.damaged_copies {
        notes.push(format!(
            "the damaged copy `{}` may still hold it; `rm '{}'*` removes it, and so does \
             `--damaged-copies` with the next purge",
            path.display(),
            path.display()
        ));
    }
    let Some(proof) = proof else { return notes };
    for path in &proof.not_touched {
        notes.push(format!(
            "`{}` quotes it and is not changed: it belongs to git or to an agent client",
            path.display()
        ));
    }
    for path in &proof.scan.left {
        notes.extend(unexpected(path, purged));
    }
    for path in &proof.scan.unread {
        notes.push(format!("`{}` could not be searched", path.display()));
    }
    notes
}

/// Explains why a file still has words of a memory, unless another note does.
fn unexpected(path: &Path, purged: &PurgeResult) -> Option<String> {
    let is_named = |paths: &[PathBuf]| {
        paths.iter().any(|known| path.to_string_lossy().starts_with(&*known.to_string_lossy()))
    };
    if is_named(&purged.quoted_in) || is_named(&purged.damaged_copies) {
        return None;
    }
    let path = path.display();
    Some(match purged.quoted_by.is_empty() {
        true => format!("`{path}` still has words of it"),
        false => format!("`{path}` still has words of it, in the memories named above"),
    })
}
