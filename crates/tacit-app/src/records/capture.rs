//! From a session to records: what it is worth, a draft for each, its check, and saving it.
//!
//! A text model drafts where one is asked for; whatever it cannot do is done by rules, which only
//! repeat what was said or seen.

use serde_json::{Map, Value, json};
use tacit_engine::{Engine, GenerationPurpose, StoreAccess, StoreScope};
use tacit_models::Prompt;
use tacit_records::files::{Folder, Stored};
use tacit_records::triage::{
    Session, Triggered, Verdict, addition, context_text, draft_record, model, triggered, verify,
};
use tacit_records::{
    Cud, Question, Record, RecordCategory, Selection, Settings, Slug, best_by_words, resolve,
    select,
};

use super::{best_record, folder, keep_draft, keep_window, patience, settings};
use crate::app::App;
use crate::error::AppResult;

/// From this share of its words on, a draft of the rules belongs to a record.
const BELONGS: f64 = 0.5;
/// How many lines of a session stand for what is new in it.
const HEADLINES: usize = 3;

/// Who drafts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drafter {
    /// Nobody but rules.
    Rules,
    /// The text model that is configured, and rules where it fails.
    Model,
}

/// Drafting the records of a session.
pub struct Capture<'a> {
    /// The project.
    pub app: &'a App,
    /// The drafter of records.
    pub drafter: Drafter,
    /// Whether rules draft only what was seen to happen: where nobody asked, since what is only said
    /// may be meant otherwise.
    pub only_seen: bool,
    /// Whether drafts become records at once.
    pub save: bool,
}

/// What became of one category.
#[derive(Debug)]
pub struct Captured {
    pub category: RecordCategory,
    pub action: Cud,
    /// The draft or the record, or why there is none.
    pub what: String,
    /// Who drafted it: `rules`, or the model.
    pub by: String,
    /// Why the model did not, if it was asked.
    pub note: Option<String>,
}

impl Capture<'_> {
    /// Goes through the categories that the session is worth; through one, if it is named.
    pub fn run(&self, session: &Session, only: Option<RecordCategory>) -> AppResult<Vec<Captured>> {
        let settings = settings(self.app.config());
        let engine = match self.drafter {
            Drafter::Rules => None,
            Drafter::Model => Some(
                self.app.with_generator(self.app.engine(StoreAccess::Read(StoreScope::Project))?),
            ),
        };
        let mut done = Vec::new();
        for found in triggered(session, &settings) {
            if only.is_none_or(|wanted| wanted == found.category) {
                done.push(self.one(session, &found, &settings, engine.as_ref())?);
            }
        }
        Ok(done)
    }

    fn one(
        &self,
        session: &Session,
        found: &Triggered,
        settings: &Settings,
        engine: Option<&Engine<'_>>,
    ) -> AppResult<Captured> {
        let folder = folder(self.app);
        let stored = folder.load()?.stored;
        let records: Vec<Record> = stored.iter().map(|stored| stored.record.clone()).collect();
        let excerpt = context_text(session, found, settings);
        let category = found.category;
        let by_rules = || match self.only_seen && !was_seen(session, category) {
            true => Wanted::nothing("it was only said"),
            false => self.by_rules(session, found, settings, &records, &excerpt),
        };
        let by_model = engine
            .map(|engine| self.by_model(engine, session, found, settings, &records, &excerpt));
        let (wanted, by, note) = match by_model {
            Some(Ok((wanted, by))) => (wanted, by, None),
            Some(Err(why)) => (by_rules(), "rules".to_owned(), Some(why)),
            None => (by_rules(), "rules".to_owned(), None),
        };
        let is_target = |stored: &&Stored| Some(stored.record.path()) == wanted.target;
        let target = stored.iter().find(is_target);
        let (action, what) = self.write(&folder, settings, category, wanted, target, &by)?;
        Ok(Captured { category, action, what, by, note })
    }

    /// What rules make of a session.
    fn by_rules(
        &self,
        session: &Session,
        found: &Triggered,
        settings: &Settings,
        records: &[Record],
        excerpt: &str,
    ) -> Wanted {
        let category = found.category;
        let Some(draft) = draft_record(session, found) else {
            return Wanted::nothing("the session does not say enough");
        };
        if let Verdict::Block(unsupported) = verify(&draft, excerpt) {
            return Wanted::nothing(format!("not in the session: {}", unsupported.join("; ")));
        }
        let title = draft.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
        let best = match category {
            // A session always gets a summary of its own.
            RecordCategory::SessionSummary => None,
            _ => best_by_words(category, &title, records).filter(|(_, score)| *score >= BELONGS),
        };
        let selection = self.select(category, &title, best, records, settings);
        let wanted = if selection.candidate.is_some() { Cud::Update } else { Cud::Create };
        let action = resolve(selection.structural, wanted);
        match (&selection.candidate, action) {
            (Some((record, _)), Cud::Update) => match addition(record, &draft) {
                Some(more) => Wanted {
                    action,
                    fields: more.fields,
                    target: Some(record.path()),
                    note: more.note,
                },
                None => Wanted::nothing(format!("{} says so already", record.path())),
            },
            (_, Cud::Create) => Wanted { action, fields: draft, target: None, note: title },
            _ => Wanted::nothing(selection.vetoes.join("; ")),
        }
    }

    /// What a model makes of a session, and its name; else why that is of no use.
    fn by_model(
        &self,
        engine: &Engine<'_>,
        session: &Session,
        found: &Triggered,
        settings: &Settings,
        records: &[Record],
        excerpt: &str,
    ) -> Result<(Wanted, String), String> {
        let category = found.category;
        let by = engine.generator_name().ok_or("nobody is configured to write text")?.to_owned();
        let news = headline(session, found);
        let best = match category {
            RecordCategory::SessionSummary => None,
            _ => best_record(self.app, category, &news, records),
        };
        let selection = self.select(category, &news, best, records, settings);
        if !selection.vetoes.is_empty() {
            return Ok((Wanted::nothing(selection.vetoes.join("; ")), by));
        }
        let candidate = selection.candidate.as_ref().map(|(record, _)| record);
        let ask = |asked: model::Asked| {
            let prompt = Prompt {
                system: asked.system,
                user: asked.user,
                max_tokens: asked.max_tokens,
                temperature: Some(0.0),
            };
            engine.generate(GenerationPurpose::Records, &prompt).map_err(|error| error.to_string())
        };
        let answer = ask(model::ask_draft(category, excerpt, candidate))?;
        let drafted = model::read_draft(&answer.text)?;
        let action = resolve(selection.structural, drafted.action);
        let target = candidate.map(Record::path);
        let wanted = match action {
            Cud::Noop => Wanted::nothing(drafted.why),
            Cud::Delete => Wanted { action, fields: Map::new(), target, note: drafted.why },
            Cud::Create | Cud::Update => {
                if let Verdict::Block(unsupported) = verify(&drafted.record, excerpt) {
                    return Err(format!("not in the session: {}", unsupported.join("; ")));
                }
                let verdict = ask(model::ask_verdict(&drafted.record, excerpt))?;
                let issues = model::read_verdict(&verdict.text)?;
                if !issues.is_empty() {
                    return Err(format!("not verified: {}", issues.join("; ")));
                }
                let mut fields = drafted.record;
                if action == Cud::Create {
                    complete(&mut fields, session);
                }
                let target = target.filter(|_| action == Cud::Update);
                Wanted { action, fields, target, note: drafted.why }
            }
        };
        Ok((wanted, by))
    }

    fn select(
        &self,
        category: RecordCategory,
        new_info: &str,
        best: Option<(&Record, f64)>,
        records: &[Record],
        settings: &Settings,
    ) -> Selection {
        let question = Question { category, new_info, automatic: true, event: None };
        select(&question, records, best, settings, self.app.now())
    }

    /// Saves what is wanted, or leaves it as a draft. Returns what was done, in words as well.
    fn write(
        &self,
        folder: &Folder,
        settings: &Settings,
        category: RecordCategory,
        wanted: Wanted,
        target: Option<&Stored>,
        by: &str,
    ) -> AppResult<(Cud, String)> {
        let Wanted { action, mut fields, note: why, .. } = wanted;
        if action == Cud::Noop {
            return Ok((Cud::Noop, why));
        }
        if action == Cud::Create {
            fields.insert("generator".to_owned(), json!(by));
            if category == RecordCategory::SessionSummary {
                name_session(self.app, &mut fields);
            }
        }
        let path = target.map(|stored| stored.record.path());
        if !self.save {
            let what = self.leave_draft(category, action, fields, path.as_deref(), &why)?;
            return Ok((action, what));
        }
        let writer = folder.writer(settings, self.app.now(), patience(self.app))?;
        let hash = target.map(|stored| stored.hash.as_str());
        let written = match (action, &path) {
            (Cud::Create, _) => writer.create(category, None, fields),
            (Cud::Update, Some(path)) => writer.merge(path, &fields, &why, hash),
            (_, Some(path)) => writer.retire(path, &why, hash),
            (_, None) => return Ok((Cud::Noop, why)),
        };
        match written {
            Ok(stored) => {
                let mut what = vec![stored.record.path()];
                if action == Cud::Create {
                    what.extend(keep_window(folder, &writer, settings)?);
                }
                Ok((action, what.join("; ")))
            }
            Err(error) => Ok((Cud::Noop, format!("{}: {error}", error.code()))),
        }
    }

    fn leave_draft(
        &self,
        category: RecordCategory,
        action: Cud,
        fields: Map<String, Value>,
        path: Option<&str>,
        why: &str,
    ) -> AppResult<String> {
        if action == Cud::Delete {
            return Ok(format!("{}: {why}", path.unwrap_or_default()));
        }
        let name = keep_draft(self.app, category, fields)?;
        Ok(match path {
            Some(path) => format!("{name} for {path}"),
            None => name,
        })
    }
}

/// What somebody wants done.
struct Wanted {
    action: Cud,
    fields: Map<String, Value>,
    target: Option<String>,
    note: String,
}

impl Wanted {
    fn nothing(why: impl Into<String>) -> Wanted {
        Wanted { action: Cud::Noop, fields: Map::new(), target: None, note: why.into() }
    }
}

/// Whether a record of a category is made from what happened, and not from what was said.
fn was_seen(session: &Session, category: RecordCategory) -> bool {
    match category {
        RecordCategory::SessionSummary => true,
        RecordCategory::Runbook => !session.activity.fixes.is_empty(),
        _ => false,
    }
}

/// What is new in a session, in its own words.
fn headline(session: &Session, found: &Triggered) -> String {
    let lines = found.findings.iter().filter_map(|finding| session.lines.get(finding.line));
    let mut words: Vec<&str> = lines.take(HEADLINES).map(|line| line.text.as_str()).collect();
    words.extend(session.activity.fixes.iter().take(1).map(|fix| fix.error.as_str()));
    if words.is_empty() {
        words.extend(session.activity.goal.as_deref());
    }
    words.join("\n")
}

/// What a model is not asked for.
fn complete(fields: &mut Map<String, Value>, session: &Session) {
    let files: Vec<&String> = session.activity.files.iter().take(16).collect();
    fields.insert("related_files".to_owned(), json!(files));
    let tags = fields.entry("tags").or_insert_with(|| json!([]));
    if let Value::Array(tags) = tags {
        tags.push(json!("auto-captured"));
    }
}

/// Sessions often begin with the same words: the time tells them apart.
fn name_session(app: &App, fields: &mut Map<String, Value>) {
    let now = app.now().to_string();
    let digits: String = now.chars().take(16).filter(|c| *c != ':').collect();
    let title = fields.get("title").and_then(Value::as_str).unwrap_or_default();
    if let Some(slug) = Slug::of_title(&format!("{digits} {title}")) {
        fields.insert("id".to_owned(), json!(slug.as_str()));
    }
}
