//! `tacit edit`

mod tag_link_args;

use std::io::Write;
use std::path::PathBuf;
use std::process::Command as Process;

use serde_json::{Map, Value, json};
use tacit_app::remember::check_custom_type;
use tacit_app::{AppError, AppResult, ErrorCode, change};
use tacit_core::{Memory, Reasoning};
use tacit_engine::remember::TextCleanup;
use tacit_engine::{Engine, EngineError, StoreAccess, StoredMemory};
use toml_edit::{DocumentMut, Item};

use crate::app::CliApp;
use crate::commands::treatment_notes;
use crate::field_args::{FieldArgs, reason};
use crate::render;
use tag_link_args::TagLinkArgs;

/// Largest text accepted from an editor.
const LARGEST: u64 = 64 << 20;

/// Change a memory, its tags, cues or links.
///
/// With flags, sets those fields; without any, opens the memory in your editor. An empty value
/// clears a field that may be empty. Everything is one change, which `tacit undo` undoes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit edit a1b2c3d4                       open it in $VISUAL or $EDITOR
  tacit edit a1b2c3d4 --content \"Close the pool before every fork\"
  tacit edit a1b2c3d4 --review verified --confidence high
  tacit edit a1b2c3d4 --visibility private
  tacit edit a1b2c3d4 --title \"\"            clear the title
  tacit edit a1b2c3d4 --tag auth --untag db
  tacit edit a1b2c3d4 --when \"checkout times out under load\"
  tacit edit a1b2c3d4 --link supersedes:e5f6a7b8 --link required_with:src/pool.rs")]
#[command(
    mut_arg("kind", |arg| arg.help("The type")),
    mut_arg("title", |arg| arg.help("The heading")),
    mut_arg("reasoning", |arg| arg.help("The reason: why it matters")),
    mut_arg("files", |arg| arg.help("The files it is about; they replace those it has")),
    mut_arg("symbols", |arg| arg.help("A symbol it is about (repeat for several); replaces those it has")),
    mut_arg("modules", |arg| arg.help("The modules it is about; they replace those it has")),
    mut_arg("references", |arg| arg.help("Link or document with more about it (repeat for several); replaces those it has")),
    mut_arg("details", |arg| arg.help("The fields that only its type has, as JSON"))
)]
pub(crate) struct EditArgs {
    /// The id; the beginning of one is enough where it is clear.
    #[arg(value_name = "ID")]
    id: String,
    /// The text.
    #[arg(long, value_name = "TEXT")]
    content: Option<String>,
    #[command(flatten)]
    fields: FieldArgs,
    /// The review state: none, needed or verified.
    #[arg(long, value_name = "STATE", display_order = 35)]
    review: Option<String>,
    /// Days after which it counts half; 0 for the default of its type.
    #[arg(long, value_name = "DAYS", allow_negative_numbers = true, display_order = 36)]
    half_life: Option<f64>,
    /// Visibility once the project is shared on a server: team, or private (its owner only).
    #[arg(long, value_name = "WHO", display_order = 37)]
    visibility: Option<String>,
    #[command(flatten)]
    lists: TagLinkArgs,
    /// The reason, for the history.
    #[arg(long, value_name = "TEXT", display_order = 51)]
    reason: Option<String>,
}

/// The fields in the editor, in this order.
const SHOWN: [&str; 12] = [
    "type",
    "title",
    "confidence",
    "scope",
    "visibility",
    "review",
    "tags",
    "cues",
    "related_files",
    "related_modules",
    "references",
    "reasoning",
];

impl EditArgs {
    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        let reason = self.reason.clone().map(reason).transpose()?;
        let patch = self.patch(app)?;
        let mut engine =
            app.engine_with_embedder(StoreAccess::WriteBoth)?.on_behalf_of(app.voice());
        let before = engine.find(&self.id)?.memory;
        let id = before.id.to_string();
        let lists = self.lists.changes(app, &engine)?;
        let (found, treatment) = if patch.is_empty() && lists.is_empty() {
            let edited = edit_in_editor(app, &mut engine, &before, reason)?;
            change::after_edit(&mut engine, &edited.0);
            edited
        } else {
            change::edit(&mut engine, &id, &patch, &lists, reason)?
        };
        drop(engine);
        if app.json {
            return app.ui.json(&render::to_json(&found));
        }
        if found.memory == before {
            return app.ui.line("Nothing changed.");
        }
        app.ui.line(render::change_line(&app.ui, "Changed", &found.memory))?;
        app.ui.lines(treatment_notes(&treatment).iter().map(|note| format!("  {note}")))
    }

    /// Returns the fields that flags set.
    fn patch(&self, app: &CliApp) -> AppResult<Map<String, Value>> {
        let fields = &self.fields;
        let mut patch = Map::new();
        let mut set = |field: &str, value: Option<Value>| {
            if let Some(value) = value {
                patch.insert(field.into(), value);
            }
        };
        let text = |value: &Option<String>| value.as_ref().map(|value| json!(value));
        let or_none = |value: &Option<String>| {
            value.as_ref().map(|value| if value.is_empty() { Value::Null } else { json!(value) })
        };
        let list = |values: &[String]| {
            let given: Vec<&String> = values.iter().filter(|value| !value.is_empty()).collect();
            (!values.is_empty()).then(|| json!(given))
        };
        set("title", or_none(&fields.title));
        set("reasoning", or_none(&fields.reasoning));
        set("content", text(&self.content));
        set("scope", text(&fields.scope));
        set("visibility", text(&self.visibility));
        set("review", text(&self.review));
        let kind = fields.kind()?.map(String::from);
        check_custom_type(app, kind.as_deref()).map_err(EngineError::from)?;
        set("type", kind.map(|kind| json!(kind)));
        set("confidence", fields.confidence.map(|confidence| json!(confidence)));
        let days = self.half_life.map(|days| if days == 0.0 { Value::Null } else { json!(days) });
        set("decay_half_life_days", days);
        set("details", fields.details()?);
        let (files, symbols) = (fields.files(app)?, fields.symbols(app)?);
        set("related_files", (!fields.files.is_empty()).then(|| json!(files)));
        set("related_symbols", (!fields.symbols.is_empty()).then(|| json!(symbols)));
        set("related_modules", list(&fields.modules));
        set("references", list(&fields.references));
        Ok(patch)
    }
}

/// Opens a memory in the user's editor and stores the result as one change. If that fails, the error
/// says where the text is.
pub(crate) fn edit_in_editor(
    app: &CliApp,
    engine: &mut Engine<'_>,
    before: &Memory,
    reason: Option<Reasoning>,
) -> AppResult<(StoredMemory, TextCleanup)> {
    let file = EditorFile::write(app, before)?;
    let edited = file
        .edit(app)
        .and_then(|patch| Ok(engine.edit(&before.id.to_string(), &patch, reason)?))
        .map_err(|error| file.keep(error))?;
    file.discard();
    Ok(edited)
}

/// A memory as a file for an editor. It stays until the changes are stored, so that a mistake does
/// not lose them.
struct EditorFile {
    path: PathBuf,
    before: DocumentMut,
}

impl EditorFile {
    fn write(app: &CliApp, memory: &Memory) -> AppResult<EditorFile> {
        let places = &app.places;
        let directory = if places.project.is_dir() { &places.project } else { &places.global };
        // A file from an earlier attempt may have changes that were not stored.
        let names = (1_u32..).map(|number| match number {
            1 => format!("edit-{}.toml", memory.id.short()),
            _ => format!("edit-{}-{number}.toml", memory.id.short()),
        });
        let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
        let free = names.map(|name| directory.join(name)).find(is_free);
        let file = EditorFile { path: free.unwrap_or_default(), before: to_document(memory) };
        tacit_fs::create_new(&file.path)
            .and_then(|mut opened| opened.write_all(file.before.to_string().as_bytes()))
            .map_err(AppError::cannot("use", &file.path))?;
        Ok(file)
    }

    /// Opens the editor, and returns the fields that were changed.
    fn edit(&self, app: &CliApp) -> AppResult<Map<String, Value>> {
        let Some(editor) = &app.terminal.editor else {
            return Err(AppError::usage("nothing to change")
                .hint("give a flag such as --content, or set $EDITOR to edit the whole memory"));
        };
        #[expect(clippy::disallowed_methods, reason = "the user names the editor")]
        let mut shell = Process::new("sh");
        // As git does: the editor may be a command with arguments.
        let status = shell
            .args(["-c", &format!("{editor} \"$1\""), "sh"])
            .arg(&self.path)
            .status()
            .map_err(|error| {
                AppError::new(ErrorCode::Failure, format!("cannot start `{editor}`: {error}"))
            })?;
        if !status.success() {
            return Err(AppError::new(
                ErrorCode::Failure,
                format!("`{editor}` failed; nothing changed"),
            ));
        }
        let text = self.text().map_err(AppError::cannot("use", &self.path))?;
        let after: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            AppError::usage(format!("the edited text is not valid TOML: {error}"))
        })?;
        changes(&self.before, &after)
    }

    /// Adds the path of the file to an error; removes the file if nothing was written.
    fn keep(&self, error: AppError) -> AppError {
        let text = self.text().unwrap_or_default();
        if text.is_empty() || text == self.before.to_string() {
            self.discard();
            return error;
        }
        error.hint(format!("nothing changed; your text is in `{}`", self.path.display()))
    }

    /// Reads the file; an editor may have replaced it by a link.
    fn text(&self) -> std::io::Result<String> {
        tacit_fs::read_text_following(&self.path, LARGEST)
    }

    fn discard(&self) {
        // Failing to remove the file is harmless.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn to_document(memory: &Memory) -> DocumentMut {
    let mut document = DocumentMut::new();
    let fields = memory.to_json();
    for key in SHOWN.into_iter().chain(["content"]) {
        document[key] = match fields.get(key) {
            Some(Value::Array(items)) => {
                let items: toml_edit::Array = items.iter().filter_map(Value::as_str).collect();
                toml_edit::value(items)
            }
            Some(Value::Number(number)) => toml_edit::value(number.as_f64().unwrap_or_default()),
            Some(Value::String(text)) => toml_edit::value(text.as_str()),
            _ if matches!(key, "title" | "reasoning") => toml_edit::value(""),
            _ if key == "visibility" => toml_edit::value(memory.body.visibility.as_str()),
            _ => toml_edit::value(toml_edit::Array::new()),
        };
    }
    let comment = format!(
        "# Memory {}. Save and close to keep your changes; a field that you remove is not changed.\n",
        memory.id.short()
    );
    document.decor_mut().set_prefix(comment);
    document
}

fn changes(before: &DocumentMut, after: &DocumentMut) -> AppResult<Map<String, Value>> {
    let mut patch = Map::new();
    for (key, item) in after.iter() {
        if !SHOWN.contains(&key) && key != "content" {
            return Err(AppError::usage(format!("`{key}` is not a field that can be edited")));
        }
        let value = value_of(item)
            .ok_or_else(|| AppError::usage(format!("`{key}` has an invalid value")))?;
        if before.get(key).and_then(value_of).as_ref() != Some(&value) {
            // An emptied visibility is a mistake: it must not make a private memory visible.
            let empty = value.as_str() == Some("") && key != "visibility";
            patch.insert(key.to_owned(), if empty { Value::Null } else { value });
        }
    }
    Ok(patch)
}

fn value_of(item: &Item) -> Option<Value> {
    match item.as_value()? {
        toml_edit::Value::String(text) => Some(json!(text.value().trim_end())),
        toml_edit::Value::Integer(number) => Some(json!(*number.value() as f64)),
        toml_edit::Value::Float(number) => Some(json!(*number.value())),
        toml_edit::Value::Array(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(|item| item.as_str()).collect();
            texts.map(|texts| json!(texts))
        }
        _ => None,
    }
}
