//! `tacit records draft`

use serde_json::{Map, Value, json};
use tacit_records::files::{Folder, write_private};
use tacit_records::triage::{
    Session, Triggered, Verdict, context_text, draft_record, triggered, verify,
};
use tacit_records::{
    Cud, Question, RecordCategory, Settings, Slug, best_by_words, resolve, select,
};

use super::create::keep_window;
use super::{category, index_now, settings};
use crate::app::App;
use crate::error::CliResult;
use crate::records::{folder, patience, private_directory, read_session};
use crate::render::visible;

/// Draft records from a session without a model, in the words that were said.
///
/// A draft whose statements are not in the session is dropped; so is one that belongs to a record
/// that is there, or that a rule forbids. Drafts are written to a directory that only you can
/// read, for `tacit records create CATEGORY --draft NAME`; with `--save`, they are saved at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit records draft session.jsonl
  tacit records draft session.jsonl --category decision --save
  tacit records draft - --json < session.jsonl")]
pub(crate) struct Draft {
    /// The transcript of the session, one JSON object a line; `-` is standard input.
    #[arg(value_name = "TRANSCRIPT")]
    transcript: String,
    /// Only for this category.
    #[arg(long, value_name = "CATEGORY", value_parser = category)]
    category: Option<RecordCategory>,
    /// Save the drafts as records.
    #[arg(long)]
    save: bool,
}

/// What became of one category.
struct Drafted {
    category: RecordCategory,
    action: Cud,
    /// The draft or the record, or why there is none.
    what: String,
}

impl Draft {
    pub(super) fn run(self, app: &mut App) -> CliResult<()> {
        let (session, settings) = (read_session(app, &self.transcript)?, settings(app));
        let mut done = Vec::new();
        for found in triggered(&session, &settings) {
            if self.category.is_none_or(|wanted| wanted == found.category) {
                done.push(self.one(app, &session, &found, &settings)?);
            }
        }
        let notes = if self.save { index_now(app) } else { Vec::new() };
        if app.json {
            let values = done.iter().map(|one| {
                json!({
                    "category": one.category.as_str(), "action": one.action.as_str(),
                    "result": one.what,
                })
            });
            return Ok(app.ui.json(&Value::Array(values.collect()))?);
        }
        if done.is_empty() {
            app.ui.line("Nothing in this session is worth a record.")?;
        }
        for one in &done {
            app.ui.line(visible(&format!("{} {}: {}", one.action, one.category, one.what)))?;
        }
        for note in notes {
            app.ui.line(visible(&format!("note: {note}")))?;
        }
        Ok(())
    }

    fn one(
        &self,
        app: &App,
        session: &Session,
        found: &Triggered,
        settings: &Settings,
    ) -> CliResult<Drafted> {
        let category = found.category;
        let nothing = |what: String| Drafted { category, action: Cud::Noop, what };
        let Some(mut draft) = draft_record(session, found) else {
            return Ok(nothing("the session does not say enough".into()));
        };
        if let Verdict::Block(unsupported) = verify(&draft, &context_text(session, found, settings))
        {
            return Ok(nothing(format!("not in the session: {}", unsupported.join("; "))));
        }
        let folder = folder(app);
        let title = draft.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
        let (action, why) = self.action(app, &folder, category, &title, settings)?;
        if action != Cud::Create {
            return Ok(nothing(why));
        }
        if category == RecordCategory::SessionSummary {
            name_session(app, &title, &mut draft);
        }
        if self.save {
            let writer = folder.writer(settings, app.now(), patience(app))?;
            let what = match writer.create(category, None, draft) {
                Ok(stored) => stored.record.path(),
                Err(error) => return Ok(nothing(format!("{}: {error}", error.code()))),
            };
            let left = keep_window(&folder, &writer, settings)?;
            let what = [vec![what], left].concat().join("; ");
            return Ok(Drafted { category, action, what });
        }
        let name = format!("draft-{category}-{}.json", std::process::id());
        let text = format!("{:#}\n", Value::Object(draft));
        let text = tacit_redact::redact(&text).text.into_owned();
        write_private(&private_directory(app), &name, text.as_bytes())?;
        Ok(Drafted { category, action, what: name })
    }

    /// What is to be done: a session always gets a summary of its own; anything else that belongs
    /// to a record that is there is left to whoever can join the two with understanding.
    fn action(
        &self,
        app: &App,
        folder: &Folder,
        category: RecordCategory,
        title: &str,
        settings: &Settings,
    ) -> CliResult<(Cud, String)> {
        let records = folder.load()?.records();
        let best = match category {
            RecordCategory::SessionSummary => None,
            _ => best_by_words(category, title, &records),
        };
        let question = Question { category, new_info: title, automatic: true, event: None };
        let selection = select(&question, &records, best, settings, app.now());
        let (wanted, why) = match &selection.candidate {
            Some((record, _)) => (Cud::Noop, format!("belongs to {}", record.path())),
            None => (Cud::Create, selection.vetoes.join("; ")),
        };
        Ok((resolve(selection.structural, wanted), why))
    }
}

/// Sessions often begin with the same words: the time tells them apart.
fn name_session(app: &App, title: &str, draft: &mut Map<String, Value>) {
    let now = app.now().to_string();
    let digits: String = now.chars().take(16).filter(|c| *c != ':').collect();
    if let Some(slug) = Slug::of_title(&format!("{digits} {title}")) {
        draft.insert("id".to_owned(), json!(slug.as_str()));
    }
}
