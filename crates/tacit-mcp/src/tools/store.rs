//! `store_memory`: kept for later sessions, at once.

use std::sync::PoisonError;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_core::{Category, Confidence, Config, Draft};
use tacit_engine::{Engine, Needs, Outcome, Remembered, Request, Shelf};
use tacit_store::EventQuery;

use super::{Effect, Spec, object, one_of, text, texts};
use crate::answer::{Answer, Refusal, Told, read};
use crate::desk::Desk;

pub(super) const SPEC: Spec = Spec {
    name: "store_memory",
    title: "Store a memory",
    description: "Keep a learning for later sessions, at once. For what the user asks to remember \
                  and for lessons that would be costly to learn again; for anything tentative use \
                  `remember_this`. The same again is reinforced, not duplicated. Secrets are \
                  redacted.",
    input,
    output,
    effect: Effect::Adds,
    run,
};

/// What a learning must have at least, in characters.
const SHORTEST: usize = 20;
/// The longest name, in characters.
const LONGEST_NAME: usize = 60;
/// The categories a learning can have here.
const CATEGORIES: [Category; 3] =
    [Category::AntiPatterns, Category::Heuristics, Category::Patterns];
/// What an event is called that counts as a silent capture.
const SILENT: &str = "silent_capture";

fn input() -> Value {
    object(
        json!({
            "name": text("Title, at most 60 characters"),
            "description": text("The learning in full: what is so, where, what to do about it; 20 characters or more"),
            "reasoning": text("Why it matters, or how it was found out"),
            "category": one_of(&CATEGORIES.map(|category| category.as_str())),
            "references": texts(""),
            "confidence": {"type": "string", "enum": ["high", "medium", "low"], "default": "medium"},
            "files": texts("Files it is about"),
            "type": text("Overrides what `category` implies: decision, gotcha, preference, …"),
            "asked": {"type": "boolean", "description": "The user asked for this or agreed to it"},
            "global": {"type": "boolean", "description": "For all projects of this user"},
        }),
        &["name", "description", "reasoning", "category"],
    )
}

fn output() -> Value {
    object(
        json!({
            "outcome": one_of(&["stored", "reinforced", "spooled"]),
            "id": text(""),
            "name": text(""),
            "category": text(""),
            "observations": {"type": "integer"},
            "resembles": text(""),
            "redacted": {"type": "integer"},
            "silent_captures": object(
                json!({"used": {"type": "integer"}, "budget": {"type": "integer"}}),
                &[],
            ),
        }),
        &["outcome", "name", "category"],
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    description: String,
    reasoning: String,
    category: String,
    references: Option<Vec<String>>,
    confidence: Option<String>,
    files: Option<Vec<String>>,
    r#type: Option<String>,
    asked: Option<bool>,
    global: Option<bool>,
}

fn run(desk: &Desk<'_>, arguments: Map<String, Value>) -> Told {
    let arguments: Arguments = read(arguments)?;
    let category = arguments.check()?;
    let asked = arguments.asked.unwrap_or(false);
    let shelf = if arguments.global.unwrap_or(false) { Shelf::Global } else { Shelf::Project };
    let config = desk.config()?;
    if config.capture_mode == "off" && !asked {
        return Err(Refusal::error(
            "`capture.mode` is `off`: store only what the user asks for, with `asked: true`",
        ));
    }
    let draft = arguments.draft(desk, asked)?;
    let mut engine = if asked {
        desk.engine_of(Needs::Write(shelf), desk.host.user())?
    } else {
        desk.engine(Needs::Write(shelf))?
    };
    let counts = !asked && config.capture_mode == "silent";
    let _one_at_a_time = counts.then(|| desk.silent.lock().unwrap_or_else(PoisonError::into_inner));
    let mut budget = if counts { Some(Budget::of(desk, &config)?) } else { None };
    if let Some(budget) = &budget {
        budget.check()?;
    }
    engine = desk.host.with_meaning(engine, &config);
    let session = desk.session(&engine);
    let draft = Draft { session: Some(session.to_string()), ..draft };
    desk.go_on()?;
    let remembered = engine.remember(shelf, Request { draft, reason: None })?;
    if let Some(budget) = budget.as_mut().filter(|_| remembered.outcome != Outcome::Reinforced) {
        budget.spend(desk)?;
    }
    finish(desk, engine, shelf);
    Ok(answer(&remembered, category, budget.as_ref()))
}

impl Arguments {
    /// Checks what is told in words of its own; everything else is up to the engine.
    fn check(&self) -> Result<Category, Refusal> {
        for (name, value) in [
            ("name", &self.name),
            ("description", &self.description),
            ("reasoning", &self.reasoning),
        ] {
            if value.trim().is_empty() {
                return Err(Refusal::error(format!("{name} must be non-empty")));
            }
        }
        let category = CATEGORIES.into_iter().find(|known| known.as_str() == self.category);
        let Some(category) = category else {
            return Err(Refusal::error(format!(
                "invalid category '{}'. Must be one of: {}",
                crate::answer::shortened(&self.category, 100),
                CATEGORIES.map(|category| category.as_str()).join(", ")
            )));
        };
        if let Some(confidence) = &self.confidence
            && !["high", "medium", "low"].contains(&confidence.as_str())
        {
            return Err(Refusal::error(format!(
                "invalid confidence '{}'. Must be one of: high, medium, low",
                crate::answer::shortened(confidence, 100)
            )));
        }
        if self.description.trim().chars().count() < SHORTEST {
            return Err(Refusal::Said(
                "Learning too short (need at least 20 characters). Please provide more detail."
                    .to_owned(),
            ));
        }
        Ok(category)
    }

    fn draft(self, desk: &Desk<'_>, asked: bool) -> Result<Draft, Refusal> {
        let confidence: Confidence = match self.confidence.as_deref() {
            Some(word) => word.parse().unwrap_or(Confidence::MEDIUM),
            None => Confidence::MEDIUM,
        };
        let files = desk.files(self.files)?;
        Ok(Draft {
            title: Some(title(&self.name)),
            content: self.description,
            reasoning: Some(self.reasoning),
            category: Some(self.category),
            kind: self.r#type,
            references: self.references.unwrap_or_default(),
            confidence: Some(confidence.value()),
            related_files: files.into_iter().map(String::from).collect(),
            source: Some(if asked { "user_taught" } else { "agent_explicit" }.to_owned()),
            author: asked.then(|| desk.host.user().to_string()),
            generator: Some(desk.client.clone()),
            ..Draft::default()
        })
    }
}

/// A name on one line that is not too long.
fn title(name: &str) -> String {
    let line = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST_NAME {
        return line;
    }
    line.chars().take(LONGEST_NAME - 3).chain("...".chars()).collect()
}

/// What an agent may store in a session without asking.
struct Budget {
    used: usize,
    most: usize,
}

impl Budget {
    /// What is left of it in this session. It is counted in the log of the project's sessions, so
    /// that neither the agent nor a restart can lose count.
    fn of(desk: &Desk<'_>, config: &Config) -> Result<Budget, Refusal> {
        let engine = desk.engine(Needs::Write(Shelf::Project))?;
        let session = desk.session(&engine);
        let most = usize::try_from(config.capture_silent_budget).unwrap_or(usize::MAX);
        let query = EventQuery {
            session: Some(session),
            kinds: vec![SILENT.to_owned()],
            limit: most.saturating_add(1),
            ..EventQuery::default()
        };
        let used = engine.events(&query)?.len();
        Ok(Budget { used, most })
    }

    fn check(&self) -> Result<(), Refusal> {
        if self.used < self.most {
            return Ok(());
        }
        Err(Refusal::error(format!(
            "the budget for silent captures of this session is used up ({}/{}). Propose the \
             learning to the user; if they agree, store it with `asked: true`",
            self.used, self.most
        )))
    }

    fn spend(&mut self, desk: &Desk<'_>) -> Result<(), Refusal> {
        let mut engine = desk.engine(Needs::Write(Shelf::Project))?;
        desk.record_event(&mut engine, SILENT, SPEC.name, None, &json!({}))?;
        self.used += 1;
        Ok(())
    }
}

/// Gives a vector to what was stored, and leaves the rest to the background.
fn finish(desk: &Desk<'_>, mut engine: Engine<'_>, shelf: Shelf) {
    const FEW: usize = 1;
    // What cannot be embedded now is embedded later; the memory itself is safe.
    let _ = engine.embed_pending(shelf, FEW, &mut |_, _| {});
    let waiting =
        engine.models(shelf).is_ok_and(|models| models.iter().any(|model| model.pending > 0));
    drop(engine);
    if waiting {
        desk.host.leave_work();
    }
}

fn answer(remembered: &Remembered, category: Category, budget: Option<&Budget>) -> Answer {
    let redacted: usize = remembered.treatment.redacted.iter().map(|(_, count)| count).sum();
    let mut value = json!({"category": category.as_str()});
    let mut text = match &remembered.memory {
        None => {
            value["outcome"] = json!("spooled");
            value["name"] = json!("");
            "Spooled: the database is locked; the next call stores this".to_owned()
        }
        Some(memory) => {
            let (id, name) = (memory.id.short().to_string(), memory.headline());
            let reinforced = remembered.outcome == Outcome::Reinforced;
            value["outcome"] = json!(if reinforced { "reinforced" } else { "stored" });
            value["id"] = json!(id);
            value["name"] = json!(tacit_agents::safe_text(&name));
            value["observations"] = json!(memory.observations);
            if reinforced {
                format!("Reinforced: {name} (id: {id}, observations: {})", memory.observations)
            } else {
                format!("Stored: {name} (id: {id})")
            }
        }
    };
    if let Some((near, _)) = &remembered.near {
        value["resembles"] = json!(near.short().to_string());
        text.push_str(&format!("\nResembles {}; both are kept.", near.short()));
    }
    if redacted > 0 {
        value["redacted"] = json!(redacted);
        text.push_str(&format!("\nRedacted {redacted} secret(s): secrets are never stored."));
    }
    if let Some(budget) = budget {
        value["silent_captures"] = json!({"used": budget.used, "budget": budget.most});
        text.push_str(&format!("\nSilent captures this session: {}/{}", budget.used, budget.most));
    }
    Answer { text, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_at_sixty_characters() {
        for (name, expected) in [
            ("short", "short".to_owned()),
            ("two\nlines  of it", "two lines of it".to_owned()),
            (&"é".repeat(60), "é".repeat(60)),
            (&"é".repeat(61), format!("{}...", "é".repeat(57))),
        ] {
            assert_eq!(title(name), expected);
        }
    }
}
