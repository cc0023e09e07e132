//! Parses a definition and reports all errors at once.

use serde_json::{Map, Value};
use tacit_core::{
    Confidence, CustomType, FieldError, MemoryType, Problem, Tag, UniversalPhase, WorkUnitRef,
};
use thiserror::Error;
use toml_edit::DocumentMut;

use crate::completion::Completion;
use crate::definition::{HierarchyLevel, Methodology, TypeDefinition};
use crate::pattern::Pattern;
use crate::raw::{RawCompletion, RawDefinition, RawField, RawRelay, RawType, RawUnit, table};
use crate::relay::{Relay, RelayFormat};
use crate::template::placeholders;
use crate::work_state::{FieldKind, StateField};

/// Maximum size of a definition file, in bytes.
pub const MAX_DEFINITION_BYTES: usize = 64 * 1024;
/// The supported schema version.
const SCHEMA: u64 = 1;
/// Maximum number of entries in a list or table.
const MAX_ENTRIES: usize = 64;
/// The range of a weight.
const WEIGHTS: std::ops::RangeInclusive<f64> = 0.1..=2.0;

/// An error in a definition.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DefinitionError {
    /// Invalid TOML.
    #[error("it is not valid TOML: {0}")]
    Syntax(String),
    /// Too large, with the size in bytes.
    #[error("it is {0} bytes long; at most {MAX_DEFINITION_BYTES} are read")]
    TooLarge(usize),
    /// Invalid fields.
    #[error("{}", lines(.0))]
    Fields(Vec<FieldError>),
}

fn lines(errors: &[FieldError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Methodology {
    /// Parses a definition, or returns everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Methodology, DefinitionError> {
        if text.len() > MAX_DEFINITION_BYTES {
            return Err(DefinitionError::TooLarge(text.len()));
        }
        let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            DefinitionError::Syntax(error.to_string().trim_end().to_owned())
        })?;
        let mut json = table(document.iter());
        // Older files have this field; it never had an effect.
        json.remove("unknown_phase");
        let raw: RawDefinition =
            serde_path_to_error::deserialize(Value::Object(json)).map_err(|error| {
                let path = error.path().to_string();
                let field = if path == "." { "the file".to_owned() } else { path };
                let problem = Problem::rule(error.into_inner().to_string());
                DefinitionError::Fields(vec![FieldError::new(field, problem)])
            })?;
        let mut check = DefinitionChecker::default();
        let methodology = check.methodology(raw);
        if check.errors.is_empty() {
            Ok(methodology)
        } else {
            Err(DefinitionError::Fields(check.errors))
        }
    }
}

/// Collects errors. Invalid values are replaced by valid ones so that checking continues; the
/// result is discarded if there was any error.
#[derive(Default)]
struct DefinitionChecker {
    errors: Vec<FieldError>,
}

impl DefinitionChecker {
    fn fail(&mut self, field: impl Into<String>, problem: Problem) {
        self.errors.push(FieldError::new(field, problem));
    }

    fn rule(&mut self, field: impl Into<String>, text: impl Into<String>) {
        self.fail(field, Problem::rule(text));
    }

    fn take<T>(&mut self, field: impl Into<String>, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.fail(field, problem)).ok()
    }

    fn limit_count(&mut self, field: &str, count: usize) {
        if count > MAX_ENTRIES {
            self.fail(field, Problem::TooMany { max: MAX_ENTRIES, actual: count });
        }
    }

    fn methodology(&mut self, raw: RawDefinition) -> Methodology {
        if raw.schema != SCHEMA {
            self.rule("schema", format!("is {}, but only {SCHEMA} is supported", raw.schema));
        }
        self.slug("id", &raw.id);
        self.line("name", &raw.name);
        let phases = self.phases(raw.phases);
        let stages = self.stages(raw.stages, &phases);
        let (levels, branch_level, dotted_level) = self.levels(raw.work_unit);
        let relays = self.relays(raw.relay, &stages);
        let defaults = RelayFormat::default();
        let relay_format = RelayFormat {
            heading: raw.relay_format.heading.unwrap_or(defaults.heading),
            item: raw.relay_format.item.unwrap_or(defaults.item),
        };
        self.template(
            "relay_format.heading",
            &relay_format.heading,
            &RelayFormat::HEADING_PLACEHOLDERS,
        );
        self.template("relay_format.item", &relay_format.item, &RelayFormat::ITEM_PLACEHOLDERS);
        let state = self.state(raw.work_state.field);
        let types = self.types(&raw.id, raw.memory_type);
        let completion = self.completion(raw.completion, &phases, &state);
        Methodology {
            id: raw.id,
            name: raw.name,
            description: raw.description,
            phases,
            stages,
            levels,
            branch_level,
            dotted_level,
            relays,
            relay_format,
            state,
            types,
            completion,
        }
    }

    fn phases(&mut self, raw: Map<String, Value>) -> Vec<(String, UniversalPhase)> {
        self.limit_count("phases", raw.len());
        if raw.is_empty() {
            self.rule("phases", "is empty; map each of your phases to a universal phase");
        }
        let mut phases = Vec::new();
        for (name, value) in raw {
            let field = format!("phases.{name}");
            self.slug(&field, &name);
            let phase = self.text(&field, &value).map(str::parse);
            let phase = phase.and_then(|phase| self.take(&field, phase));
            // Keep the name of an invalid phase, so that the mistake is reported once.
            phases.push((name, phase.unwrap_or(UniversalPhase::Explore)));
        }
        phases
    }

    /// Reads the stages with their universal phases.
    fn stages(
        &mut self,
        raw: Map<String, Value>,
        phases: &[(String, UniversalPhase)],
    ) -> Vec<(String, UniversalPhase)> {
        self.limit_count("stages", raw.len());
        let mut stages = Vec::new();
        for (name, value) in raw {
            let field = format!("stages.{name}");
            self.slug(&field, &name);
            let Some(word) = self.text(&field, &value) else { continue };
            let phase = self.take(field, phase_of(word, phases));
            stages.push((name, phase.unwrap_or(UniversalPhase::Explore)));
        }
        stages
    }

    fn levels(&mut self, raw: RawUnit) -> (Vec<HierarchyLevel>, usize, Option<usize>) {
        let field = "work_unit.level";
        if raw.level.is_empty() || raw.level.len() > WorkUnitRef::MAX_DEPTH {
            self.rule(field, format!("must have 1 to {} levels", WorkUnitRef::MAX_DEPTH));
        }
        let mut levels: Vec<HierarchyLevel> = Vec::new();
        for (at, level) in raw.level.into_iter().enumerate() {
            self.slug(&format!("{field}[{at}].name"), &level.name);
            if levels.iter().any(|known| known.name == level.name) {
                self.rule(
                    format!("{field}[{at}].name"),
                    format!("`{}` is given twice", level.name),
                );
            }
            if let Some(label) = &level.label {
                self.template(&format!("{field}[{at}].label"), label, &[""]);
                if label.matches("{}").count() != 1 {
                    self.rule(
                        format!("{field}[{at}].label"),
                        "must have exactly one `{}`, for the unit's name",
                    );
                }
            }
            levels.push(HierarchyLevel { name: level.name, label: level.label });
        }
        let mut find = |field: &str, name: Option<String>| {
            let name = name?;
            let found = levels.iter().position(|level| level.name == name);
            if found.is_none() {
                let names: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
                let expected = format!("a level of `work_unit.level` ({})", names.join(", "));
                self.fail(field, Problem::unexpected(&name, expected));
            }
            found
        };
        let branch = find("work_unit.named_by_branch", raw.named_by_branch).unwrap_or(0);
        let dotted = find("work_unit.dotted_parent", raw.dotted_parent);
        if dotted.is_some_and(|dotted| dotted >= branch) {
            self.rule("work_unit.dotted_parent", "must be a level outside `named_by_branch`");
        }
        (levels, branch, dotted)
    }

    fn relays(&mut self, raw: Vec<RawRelay>, stages: &[(String, UniversalPhase)]) -> Vec<Relay> {
        self.limit_count("relay", raw.len());
        let mut relays = Vec::new();
        for (at, relay) in raw.into_iter().enumerate() {
            for (end, stage) in [("from", &relay.from), ("to", &relay.to)] {
                if !stages.iter().any(|(name, _)| name == stage) {
                    let names: Vec<&str> = stages.iter().map(|(name, _)| name.as_str()).collect();
                    let expected = format!("a stage of `stages` ({})", names.join(", "));
                    self.fail(format!("relay[{at}].{end}"), Problem::unexpected(stage, expected));
                }
            }
            let mut types = Vec::new();
            for (number, word) in relay.types.iter().enumerate() {
                let field = format!("relay[{at}].types[{number}]");
                types.extend(self.take(field, word.parse::<MemoryType>()));
            }
            let mut tags = Vec::new();
            for (number, word) in relay.tags.iter().enumerate() {
                let field = format!("relay[{at}].tags[{number}]");
                tags.extend(self.take(field, word.parse::<Tag>()));
            }
            let min_confidence = relay.min_confidence.and_then(|value| {
                self.take(format!("relay[{at}].min_confidence"), Confidence::new(value))
            });
            relays.push(Relay { from: relay.from, to: relay.to, types, min_confidence, tags });
        }
        relays
    }

    fn state(&mut self, raw: Vec<RawField>) -> Vec<StateField> {
        self.limit_count("work_state.field", raw.len());
        let mut fields: Vec<StateField> = Vec::new();
        for (at, field) in raw.into_iter().enumerate() {
            let path = format!("work_state.field[{at}]");
            self.slug(&format!("{path}.name"), &field.name);
            self.line(&format!("{path}.label"), &field.label);
            if fields.iter().any(|known| known.name == field.name) {
                self.rule(format!("{path}.name"), format!("`{}` is given twice", field.name));
            }
            let kind = FieldKind::WORDS.iter().find(|(word, _)| *word == field.kind);
            let Some((_, kind)) = kind else {
                let expected = "a kind of field (list, text, number)";
                self.fail(format!("{path}.kind"), Problem::unexpected(&field.kind, expected));
                continue;
            };
            self.limit_count(&format!("{path}.patterns"), field.patterns.len());
            let mut patterns = Vec::new();
            for (number, text) in field.patterns.iter().enumerate() {
                let place = format!("{path}.patterns[{number}]");
                match Pattern::parse(text) {
                    Ok(pattern) if pattern.takes_number() != (*kind == FieldKind::Number) => {
                        self.rule(
                            place,
                            "must use `{n}` in a field of kind `number`, and `{}` in others",
                        );
                    }
                    Ok(pattern) => patterns.push(pattern),
                    Err(problem) => self.rule(place, problem),
                }
            }
            let (name, label) = (field.name, field.label);
            fields.push(StateField { name, label, kind: *kind, patterns });
        }
        fields
    }

    fn types(&mut self, id: &str, raw: Vec<RawType>) -> Vec<TypeDefinition> {
        self.limit_count("memory_type", raw.len());
        let mut types: Vec<TypeDefinition> = Vec::new();
        for (at, kind) in raw.into_iter().enumerate() {
            let path = format!("memory_type[{at}]");
            let full = CustomType::new(format!("{id}:{}", kind.name));
            let Some(name) = self.take(format!("{path}.name"), full) else { continue };
            if types.iter().any(|known| known.kind == name) {
                self.rule(format!("{path}.name"), format!("`{}` is given twice", kind.name));
            }
            let mut weights = Vec::new();
            for (word, value) in &kind.weights {
                let field = format!("{path}.weights.{word}");
                let Some(phase) = self.take(&*field, word.parse::<UniversalPhase>()) else {
                    continue;
                };
                match value.as_f64().filter(|weight| WEIGHTS.contains(weight)) {
                    Some(weight) => weights.push((phase, weight)),
                    None => {
                        let (least, most) = (WEIGHTS.start(), WEIGHTS.end());
                        let expected =
                            format!("a weight from {least} to {most}; 1 changes nothing");
                        self.fail(field, Problem::unexpected(&value.to_string(), expected));
                    }
                }
            }
            types.push(TypeDefinition { kind: name, description: kind.description, weights });
        }
        types
    }

    fn completion(
        &mut self,
        raw: RawCompletion,
        phases: &[(String, UniversalPhase)],
        state: &[StateField],
    ) -> Completion {
        let text = raw.text.unwrap_or_else(|| Completion::default().text);
        let fields = state.iter().map(|field| field.name.as_str());
        let known: Vec<&str> = Completion::PLACEHOLDERS.into_iter().chain(fields).collect();
        self.template("completion.text", &text, &known);
        if text.trim().is_empty() || text.len() > 1_000 {
            self.rule("completion.text", "must have 1 to 1000 bytes");
        }
        for (number, tag) in raw.tags.iter().enumerate() {
            self.take(format!("completion.tags[{number}]"), tag.parse::<Tag>());
        }
        self.limit_count("completion.tags", raw.tags.len());
        let next_phase = raw.next_phase.and_then(|word| {
            let phase = phase_of(&word, phases);
            self.take("completion.next_phase", phase).map(|phase| (word, phase))
        });
        Completion { text, tags: raw.tags, next_phase }
    }

    fn text<'v>(&mut self, field: &str, value: &'v Value) -> Option<&'v str> {
        let text = value.as_str();
        if text.is_none() {
            self.fail(field, Problem::unexpected(&value.to_string(), "a string"));
        }
        text
    }

    /// Checks a name that can be typed without quotes.
    fn slug(&mut self, field: &str, text: &str) {
        let starts = text.starts_with(|c: char| c.is_ascii_lowercase());
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if !starts || text.len() > 64 || !text.bytes().all(plain) {
            let expected = "a name of lower-case letters, digits and `_`, beginning with a letter";
            self.fail(field, Problem::unexpected(text, expected));
        }
    }

    fn line(&mut self, field: &str, text: &str) {
        if text.trim().is_empty() {
            self.fail(field, Problem::Empty);
        } else if text.chars().count() > 100 || text.chars().any(char::is_control) {
            self.rule(field, "must be one line of at most 100 characters");
        }
    }

    fn template(&mut self, field: &str, template: &str, known: &[&str]) {
        match placeholders(template) {
            Err(problem) => self.rule(field, problem),
            Ok(names) => {
                for name in names.into_iter().filter(|name| !known.contains(name)) {
                    let known: Vec<String> =
                        known.iter().map(|name| format!("{{{name}}}")).collect();
                    let expected = format!("a known placeholder ({})", known.join(", "));
                    self.fail(field, Problem::unexpected(&format!("{{{name}}}"), expected));
                }
            }
        }
    }
}

/// Returns the universal phase for a word: one of these phases, or a universal phase.
fn phase_of(word: &str, phases: &[(String, UniversalPhase)]) -> Result<UniversalPhase, Problem> {
    let own = phases.iter().find(|(name, _)| name == word).map(|(_, phase)| *phase);
    own.or_else(|| word.parse().ok()).ok_or_else(|| {
        let names: Vec<&str> = phases.iter().map(|(name, _)| name.as_str()).collect();
        Problem::unexpected(word, format!("a phase of `phases` ({})", names.join(", ")))
    })
}
