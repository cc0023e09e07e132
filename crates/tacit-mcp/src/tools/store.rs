//! `store_memory`: stores a memory for later sessions.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use tacit_app::code::unknown_references;
use tacit_app::remember::{Submission, SubmissionResult, remember};
use tacit_core::{BuiltinType, Category, Confidence, Config, Cues, Draft, FieldError, Problem};
use tacit_engine::{
    EngineError, LEARNING_CATEGORIES, RememberOutcome, SHORTEST_LEARNING, StoreAccess, StoreScope,
    TOO_SHORT, confirmation, learning_category, learning_confidence, learning_name,
};
use tacit_redact::redact;

use super::{Effect, ToolSpec, object, one_of, text, texts};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolAnswer, ToolError, ToolResult, read, shortened};

pub(super) const SPEC: ToolSpec = ToolSpec {
    name: "store_memory",
    title: "Store a memory",
    description: "Store a learning for later sessions. For what the user asks to remember \
                  and for lessons that would be costly to learn again; for anything tentative use \
                  `remember_this`. Secrets are redacted.",
    input: || {
        object(
            json!({
                "name": text("Title, at most 60 characters"),
                "description": text("The full learning: what is true, where, what to do; at least 20 characters"),
                "reasoning": text("Why it matters, or how you found out"),
                "category": one_of(&LEARNING_CATEGORIES.map(|category| category.as_str())),
                "use_when": {
                    "type": "array", "items": {"type": "string"}, "maxItems": Cues::LIMIT,
                    "description": "2 to 4 situations in which it helps, in a user's words",
                },
                "references": texts(""),
                "confidence": {"type": "string", "enum": ["high", "medium", "low"]},
                "files": texts("`path` or `path::symbol`"),
                "type": text(&format!("Instead of `category`: {}", BuiltinType::CHOICE_WORDS)),
                "asked": {"type": "boolean", "description": "The user asked for this or agreed"},
                "global": {"type": "boolean", "description": "For all of the user's projects"},
            }),
            &["name", "description", "reasoning", "category"],
        )
    },
    output: || {
        object(
            json!({
                "outcome": one_of(&["stored", "reinforced", "spooled"]),
                "id": text(""),
                "name": text(""),
                "category": text(""),
                "observations": {"type": "integer"},
                "resembles": text(""),
                "redacted": {"type": "integer"},
                "silent_captures": {"type": "object"},
            }),
            &["outcome", "name", "category"],
        )
    },
    effect: Effect::Adds,
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    description: String,
    reasoning: String,
    category: String,
    use_when: Option<Vec<String>>,
    references: Option<Vec<String>>,
    confidence: Option<String>,
    files: Option<Vec<String>>,
    r#type: Option<String>,
    asked: Option<bool>,
    global: Option<bool>,
}

fn run(ctx: &ToolContext<'_>, arguments: Map<String, Value>) -> ToolResult {
    let arguments: Arguments = read(arguments)?;
    let (category, confidence) = arguments.check()?;
    let asked = arguments.asked.unwrap_or(false);
    let global = arguments.global.unwrap_or(false);
    let config = ctx.config()?;
    if config.capture_mode == "off" && !asked {
        return Err(ToolError::error(
            "`capture.mode` is `off`: store only what the user asks for, with `asked: true`",
        ));
    }
    let name = learning_name(&redact(&arguments.name).text);
    let mut draft = arguments.draft(ctx, confidence)?;
    let unknown =
        unknown_references(ctx.app().worktree(), &draft.related_files, &draft.related_symbols);
    let mut engine = ctx.engine_with_embedder(StoreAccess::Write(StoreScope::Project))?;
    let session = ctx.session(&engine);
    if !asked && !ctx.captures(&engine, &session)? {
        return Err(ToolError::error(
            "capture is off in this session: store only what the user asks for, with `asked: true`",
        ));
    }
    draft.session = Some(session.to_string());
    ctx.check_cancelled()?;
    let silent_session = (!asked && config.capture_mode == "silent").then_some(session);
    let submission = Submission { draft, global, silent_session };
    let named = ctx.host.session();
    let stored =
        remember(ctx.app(), &mut engine, named, submission).map_err(|error| match error {
            EngineError::AskFirst(why) if global => {
                ToolError::error(format!("{why}, with `asked: true`"))
            }
            EngineError::AskFirst(_) => budget_spent(&config),
            other => refusal(other),
        })?;
    drop(engine);
    if stored.needs_maintenance {
        ctx.start_maintenance(&config);
    }
    let mut answer = answer(&name, &stored, category);
    add_provenance(&mut answer, &stored, asked);
    for unknown in unknown {
        answer.text.push_str(&format!("\nNote: {}", tacit_agents::safe_text(&unknown)));
    }
    Ok(ToolAnswer::message(answer.text, answer.value))
}

/// Adds whose words were stored, if the agent claims that they are the user's.
fn add_provenance(answer: &mut ToolAnswer, stored: &SubmissionResult, asked: bool) {
    if stored.typed_by_user {
        answer.text.push_str("\nKept in the user's own words, as typed behind /remember.");
    } else if let Some(memory) = &stored.remembered.memory
        && memory.is_unconfirmed_claim()
        && (asked || stored.only_proposed)
    {
        let (who, id) = (memory.trust_label(), memory.id.short());
        answer.text.push_str(&format!(
            "\nStands as {who}; the user confirms it with `tacit review confirm {id}`."
        ));
    }
    if stored.only_proposed {
        answer.text.push_str(
            "\nKept in this project. For all projects, the user types `/remember --global TEXT`.",
        );
    }
}

impl Arguments {
    /// Checks the arguments that have prescribed error messages; the engine checks the rest.
    fn check(&self) -> Result<(Category, Confidence), ToolError> {
        for (name, value) in [
            ("name", &self.name),
            ("description", &self.description),
            ("reasoning", &self.reasoning),
        ] {
            if value.trim().is_empty() {
                return Err(ToolError::error(format!("{name} must be non-empty")));
            }
        }
        let category =
            learning_category(&shortened(&self.category, 100)).map_err(ToolError::Message)?;
        let confidence = self.confidence.as_deref().map(|word| shortened(word, 100));
        let confidence = learning_confidence(confidence.as_deref()).map_err(ToolError::Message)?;
        if self.description.trim().chars().count() < SHORTEST_LEARNING {
            return Err(ToolError::Message(TOO_SHORT.to_owned()));
        }
        Ok((category, confidence))
    }

    fn draft(self, ctx: &ToolContext<'_>, confidence: Confidence) -> Result<Draft, ToolError> {
        let (symbols, files): (Vec<String>, Vec<String>) =
            self.files.unwrap_or_default().into_iter().partition(|file| file.contains("::"));
        let files = ctx.files(Some(files))?;
        let symbols = symbols.iter().filter_map(|symbol| symbol.split_once("::"));
        let symbols = symbols.map(|(path, name)| {
            let path = ctx.file(path)?;
            Ok(format!("{path}::{name}"))
        });
        Ok(Draft {
            name: Some(self.name),
            content: self.description,
            reasoning: Some(self.reasoning),
            category: Some(self.category),
            kind: self.r#type,
            cues: self.use_when.unwrap_or_default(),
            references: self.references.unwrap_or_default(),
            confidence: Some(confidence.value()),
            related_files: files.into_iter().map(String::from).collect(),
            related_symbols: symbols.collect::<Result<_, ToolError>>()?,
            generator: Some(ctx.client.clone()),
            ..Draft::default()
        })
    }
}

/// Converts an error of the engine, renaming fields to the arguments of this tool.
fn refusal(error: EngineError) -> ToolError {
    let EngineError::Invalid(mut problems) = error else { return error.into() };
    for problem in &mut problems {
        for (field, parameter) in [
            ("content", "description"),
            ("title", "name"),
            ("cues", "use_when"),
            ("related_files", "files"),
            ("related_symbols", "files"),
        ] {
            if let Some(rest) = problem.field.strip_prefix(field) {
                problem.field = format!("{parameter}{rest}");
            }
        }
        if problem.field == "details" {
            let rule = "memories of this type need fields that this tool does not have";
            *problem = FieldError::new("type", Problem::rule(rule));
        }
    }
    EngineError::Invalid(problems).into()
}

/// Creates the error for a spent silent-capture budget.
fn budget_spent(config: &Config) -> ToolError {
    let budget = config.capture_silent_budget;
    ToolError::error(format!(
        "the budget for silent captures of this session is used up ({budget}/{budget}). Propose the \
         learning to the user; if they agree, store it with `asked: true`"
    ))
}

/// Builds the answer. It uses the name as submitted: an existing memory with the same content may
/// have another.
fn answer(name: &str, stored: &SubmissionResult, category: Category) -> ToolAnswer {
    let remembered = &stored.remembered;
    let redacted: usize = remembered.cleanup.redacted.iter().map(|(_, count)| count).sum();
    let name = tacit_agents::safe_text(name);
    let mut text = confirmation(&name, remembered);
    let outcome = match (&remembered.memory, remembered.outcome == RememberOutcome::Reinforced) {
        (None, _) => "spooled",
        (Some(_), true) => "reinforced",
        (Some(_), false) => "stored",
    };
    let mut value = json!({"category": category.as_str(), "outcome": outcome, "name": name});
    if let Some(memory) = &remembered.memory {
        value["id"] = json!(memory.id.short().to_string());
        value["observations"] = json!(memory.observations);
    }
    if let Some((near, _)) = &remembered.similar {
        value["resembles"] = json!(near.short().to_string());
        text.push_str(&format!("\nResembles {}; both are kept.", near.short()));
    }
    if redacted > 0 {
        value["redacted"] = json!(redacted);
        text.push_str(&format!("\nRedacted {redacted} secret(s): secrets are never stored."));
    }
    if let Some((used, budget)) = stored.silent_captures.filter(|_| !stored.typed_by_user) {
        value["silent_captures"] = json!({"used": used, "budget": budget});
        text.push_str(&format!("\nSilent captures this session: {used}/{budget}"));
    }
    ToolAnswer { text, value }
}
