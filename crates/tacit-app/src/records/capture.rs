//! Captures records from a session: scores its categories, drafts a record for each, verifies and
//! saves it.
//!
//! A text generator drafts if one is configured. Rules do the rest; they only repeat what was said
//! or done.

use serde_json::{Map, Value, json};
use tacit_engine::{Engine, GenerationPurpose, StoreAccess, StoreScope};
use tacit_models::Prompt;
use tacit_records::files::{RecordsFolder, StoredRecord};
use tacit_records::triage::{
    CategoryScore, DraftVerdict, TriageSession, addition_to, categories_to_capture, context_text,
    draft_record, model, verify,
};
use tacit_records::{
    CandidateQuery, CandidateSelection, Record, RecordAction, RecordCategory, RecordSettings,
    RecordTime, Slug, best_by_words, resolve_action, select_candidate,
};

use super::{best_record, folder, lock_timeout, retire_beyond_window, save_draft, settings};
use crate::app::App;
use crate::error::AppResult;

/// The share of common words from which on a rule-based draft belongs to a record.
const MIN_OVERLAP: f64 = 0.5;
/// The number of lines of a session that stand for what is new in it.
const HEADLINES: usize = 3;

/// The drafter of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drafter {
    /// Only rules.
    Rules,
    /// The configured text generator, and rules if it fails.
    Model,
}

/// The options of a capture.
pub struct RecordCapture<'a> {
    /// The project.
    pub app: &'a App,
    /// The drafter of records.
    pub drafter: Drafter,
    /// True if rules draft only from what was seen to happen. Set for captures that no user requested,
    /// because statements may be meant differently.
    pub only_seen: bool,
    /// True to save drafts as records at once.
    pub save: bool,
}

/// The result for one category.
#[derive(Debug)]
pub struct CaptureResult {
    pub category: RecordCategory,
    pub action: RecordAction,
    /// The name of the draft or record, or why there is none.
    pub what: String,
    /// The drafter: `rules`, or the name of the model.
    pub by: String,
    /// The reason why the model's draft was not used, if it was asked for one.
    pub note: Option<String>,
}

impl RecordCapture<'_> {
    /// Captures every category that the session is worth, or only the named one.
    pub fn run(
        &self,
        session: &TriageSession,
        only: Option<RecordCategory>,
    ) -> AppResult<Vec<CaptureResult>> {
        let settings = settings(self.app.config());
        let engine = match self.drafter {
            Drafter::Rules => None,
            Drafter::Model => Some(
                self.app.with_generator(self.app.engine(StoreAccess::Read(StoreScope::Project))?),
            ),
        };
        let mut done = Vec::new();
        for found in categories_to_capture(session, &settings) {
            if only.is_none_or(|category| category == found.category) {
                done.push(self.capture_category(session, &found, &settings, engine.as_ref())?);
            }
        }
        Ok(done)
    }

    fn capture_category(
        &self,
        session: &TriageSession,
        found: &CategoryScore,
        settings: &RecordSettings,
        engine: Option<&Engine<'_>>,
    ) -> AppResult<CaptureResult> {
        let folder = folder(self.app);
        let stored = folder.load()?.stored;
        let records: Vec<Record> = stored.iter().map(|stored| stored.record.clone()).collect();
        let excerpt = context_text(session, found, settings);
        let category = found.category;
        let by_rules = || match self.only_seen && !was_observed(session, category) {
            true => Proposal::nothing("it was only said, not seen to happen"),
            false => self.by_rules(session, found, settings, &records, &excerpt),
        };
        let by_model = engine
            .map(|engine| self.by_model(engine, session, found, settings, &records, &excerpt));
        let (proposal, by, note) = match by_model {
            Some(Ok((proposal, by))) => (proposal, by, None),
            Some(Err(why)) => (by_rules(), "rules".to_owned(), Some(why)),
            None => (by_rules(), "rules".to_owned(), None),
        };
        let is_target = |stored: &&StoredRecord| Some(stored.record.path()) == proposal.target;
        let target = stored.iter().find(is_target);
        let (action, what) = self.write(&folder, settings, category, proposal, target, &by)?;
        Ok(CaptureResult { category, action, what, by, note })
    }

    /// Drafts a record by rules.
    fn by_rules(
        &self,
        session: &TriageSession,
        found: &CategoryScore,
        settings: &RecordSettings,
        records: &[Record],
        excerpt: &str,
    ) -> Proposal {
        let category = found.category;
        let Some(draft) = draft_record(session, found) else {
            return Proposal::nothing("the session does not say enough for a record");
        };
        if let DraftVerdict::Block(unsupported) = verify(&draft, excerpt) {
            return Proposal::nothing(format!("not in the session: {}", unsupported.join("; ")));
        }
        let title = draft.get("title").and_then(Value::as_str).unwrap_or_default().to_owned();
        let best = match category {
            // A session always gets a summary of its own.
            RecordCategory::SessionSummary => None,
            _ => {
                best_by_words(category, &title, records).filter(|(_, score)| *score >= MIN_OVERLAP)
            }
        };
        let selection = self.select_candidate(category, &title, best, records, settings);
        let proposal =
            if selection.candidate.is_some() { RecordAction::Update } else { RecordAction::Create };
        let action = resolve_action(selection.structural, proposal);
        match (&selection.candidate, action) {
            (Some((record, _)), RecordAction::Update) => match addition_to(record, &draft) {
                Some(more) => Proposal {
                    action,
                    fields: more.fields,
                    target: Some(record.path()),
                    note: more.note,
                },
                None => Proposal::nothing(format!("{} already says so", record.path())),
            },
            (_, RecordAction::Create) => {
                Proposal { action, fields: draft, target: None, note: title }
            }
            _ => Proposal::nothing(selection.vetoes.join("; ")),
        }
    }

    /// Drafts a record with the text generator. Returns the draft and the name of the model, or why
    /// it cannot be used.
    fn by_model(
        &self,
        engine: &Engine<'_>,
        session: &TriageSession,
        found: &CategoryScore,
        settings: &RecordSettings,
        records: &[Record],
        excerpt: &str,
    ) -> Result<(Proposal, String), String> {
        let category = found.category;
        let by = engine.generator_name().ok_or("no text generator is configured")?.to_owned();
        let news = headline(session, found);
        let best = match category {
            RecordCategory::SessionSummary => None,
            _ => best_record(self.app, category, &news, records),
        };
        let selection = self.select_candidate(category, &news, best, records, settings);
        if !selection.vetoes.is_empty() {
            return Ok((Proposal::nothing(selection.vetoes.join("; ")), by));
        }
        let candidate = selection.candidate.as_ref().map(|(record, _)| record);
        let ask = |asked: model::ModelPrompt| {
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
        let action = resolve_action(selection.structural, drafted.action);
        let target = candidate.map(Record::path);
        let proposal = match action {
            RecordAction::Noop => Proposal::nothing(drafted.why),
            RecordAction::Delete => {
                Proposal { action, fields: Map::new(), target, note: drafted.why }
            }
            RecordAction::Create | RecordAction::Update => {
                if let DraftVerdict::Block(unsupported) = verify(&drafted.record, excerpt) {
                    return Err(format!("not in the session: {}", unsupported.join("; ")));
                }
                let verdict = ask(model::ask_verdict(&drafted.record, excerpt))?;
                let issues = model::read_verdict(&verdict.text)?;
                if !issues.is_empty() {
                    return Err(format!("not verified: {}", issues.join("; ")));
                }
                let mut fields = drafted.record;
                if action == RecordAction::Create {
                    complete(&mut fields, session);
                }
                let target = target.filter(|_| action == RecordAction::Update);
                Proposal { action, fields, target, note: drafted.why }
            }
        };
        Ok((proposal, by))
    }

    fn select_candidate(
        &self,
        category: RecordCategory,
        new_info: &str,
        best: Option<(&Record, f64)>,
        records: &[Record],
        settings: &RecordSettings,
    ) -> CandidateSelection {
        let question = CandidateQuery { category, new_info, automatic: true, event: None };
        select_candidate(&question, records, best, settings, self.app.now())
    }

    /// Saves the proposal, or leaves it as a draft. Returns the action taken and a description.
    fn write(
        &self,
        folder: &RecordsFolder,
        settings: &RecordSettings,
        category: RecordCategory,
        proposal: Proposal,
        target: Option<&StoredRecord>,
        by: &str,
    ) -> AppResult<(RecordAction, String)> {
        let Proposal { action, mut fields, note: why, .. } = proposal;
        if action == RecordAction::Noop {
            return Ok((RecordAction::Noop, why));
        }
        if action == RecordAction::Create {
            // The plugin's schemas allow no other field for it.
            let date = RecordTime::of(self.app.now());
            let change = json!({"date": date.as_str(), "summary": format!("drafted by {by}")});
            fields.insert("changes".to_owned(), json!([change]));
            if category == RecordCategory::SessionSummary {
                name_session(self.app, &mut fields);
            }
        }
        let path = target.map(|stored| stored.record.path());
        if !self.save {
            let what = self.leave_draft(category, action, fields, path.as_deref(), &why)?;
            return Ok((action, what));
        }
        let writer = folder.writer(settings, self.app.now(), lock_timeout(self.app))?;
        let hash = target.map(|stored| stored.hash.as_str());
        let written = match (action, &path) {
            (RecordAction::Create, _) => writer.create(category, None, fields),
            (RecordAction::Update, Some(path)) => writer.merge(path, &fields, &why, hash),
            (_, Some(path)) => writer.retire(path, &why, hash),
            (_, None) => return Ok((RecordAction::Noop, why)),
        };
        match written {
            Ok(stored) => {
                let mut what = vec![stored.record.path()];
                if action == RecordAction::Create {
                    what.extend(retire_beyond_window(folder, &writer, settings)?);
                }
                Ok((action, what.join("; ")))
            }
            Err(error) => Ok((RecordAction::Noop, format!("{}: {error}", error.code()))),
        }
    }

    fn leave_draft(
        &self,
        category: RecordCategory,
        action: RecordAction,
        fields: Map<String, Value>,
        path: Option<&str>,
        why: &str,
    ) -> AppResult<String> {
        if action == RecordAction::Delete {
            return Ok(format!("{}: {why}", path.unwrap_or_default()));
        }
        let name = save_draft(self.app, category, fields)?;
        Ok(match path {
            Some(path) => format!("{name} for {path}"),
            None => name,
        })
    }
}

/// A proposed action on a record.
struct Proposal {
    action: RecordAction,
    fields: Map<String, Value>,
    target: Option<String>,
    note: String,
}

impl Proposal {
    fn nothing(why: impl Into<String>) -> Proposal {
        Proposal { action: RecordAction::Noop, fields: Map::new(), target: None, note: why.into() }
    }
}

/// Returns true if a record of the category comes from events, not only from what was said.
fn was_observed(session: &TriageSession, category: RecordCategory) -> bool {
    match category {
        RecordCategory::SessionSummary => true,
        RecordCategory::Runbook => !session.activity.fixes.is_empty(),
        _ => false,
    }
}

/// Returns what is new in a session, in its own words.
fn headline(session: &TriageSession, found: &CategoryScore) -> String {
    let lines = found.findings.iter().filter_map(|finding| session.lines.get(finding.line));
    let mut words: Vec<&str> = lines.take(HEADLINES).map(|line| line.text.as_str()).collect();
    words.extend(session.activity.fixes.iter().take(1).map(|fix| fix.finding.as_str()));
    if words.is_empty() {
        words.extend(session.activity.goal());
    }
    words.join("\n")
}

/// Adds the fields that a model does not write.
fn complete(fields: &mut Map<String, Value>, session: &TriageSession) {
    let files: Vec<&String> = session.activity.files.iter().take(16).collect();
    fields.insert("related_files".to_owned(), json!(files));
    let tags = fields.entry("tags").or_insert_with(|| json!([]));
    if let Value::Array(tags) = tags {
        tags.push(json!("auto-captured"));
    }
}

/// Adds the time to the name of a session summary, because sessions often begin with the same
/// words.
fn name_session(app: &App, fields: &mut Map<String, Value>) {
    let now = app.now().to_string();
    let digits: String = now.chars().take(16).filter(|c| *c != ':').collect();
    let title = fields.get("title").and_then(Value::as_str).unwrap_or_default();
    if let Some(slug) = Slug::of_title(&format!("{digits} {title}")) {
        fields.insert("id".to_owned(), json!(slug.as_str()));
    }
}
