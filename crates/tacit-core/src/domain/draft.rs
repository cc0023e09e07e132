//! Drafts: unchecked input to the write gate.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::category::Category;
use super::cue::Cues;
use super::details::Details;
use super::kind::{BuiltinType, MemoryType};
use super::memory::{MemoryBody, Origin, Trust};
use super::placement::{Placement, Scope, Subject, Visibility, required_scope};
use super::relation::{Relation, RelationTarget, Relations};
use super::status::Review;
use super::values::{BoundedSet, Confidence, HalfLife, Sessions, Source, Symbols};
use super::work_unit::WorkUnitRef;
use crate::field::{FieldError, Problem};

/// Unchecked input to the write gate, as plain text. Missing fields get their defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "each field is the memory's field of the same name")]
pub struct Draft {
    pub content: String,
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub details: Option<Value>,
    pub title: Option<String>,
    /// Text of any length from which the write gate makes a title if there is none, after
    /// redaction. A title cut before redaction could hold half a secret that no rule recognises.
    #[serde(skip)]
    pub name: Option<String>,
    pub reasoning: Option<String>,
    pub category: Option<String>,
    pub confidence: Option<f64>,
    pub tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cues: Vec<String>,
    pub related_files: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related_symbols: Vec<String>,
    pub related_modules: Vec<String>,
    pub references: Vec<String>,
    pub scope: Option<String>,
    pub work_unit: Option<WorkUnitRef>,
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    pub source: Option<String>,
    pub author: Option<String>,
    pub generator: Option<String>,
    pub commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    pub relations: Vec<DraftRelation>,
    pub target_node: Option<String>,
    pub decay_half_life_days: Option<f64>,
    pub review: Option<String>,
    pub citation: Option<String>,
}

/// A relation as plain text. Exactly one of the two targets must be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "each field is the relation's field of the same name")]
pub struct DraftRelation {
    pub kind: String,
    #[serde(default)]
    pub memory: Option<String>,
    #[serde(default)]
    pub file: Option<String>,
    #[serde(default)]
    pub confidence: Option<f64>,
    #[serde(default)]
    pub auto_extracted: bool,
}

impl Draft {
    /// Returns every free text of the draft with its field name, for cleaning and redaction in
    /// place.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = (&'static str, &mut String)> {
        let one = [
            ("title", &mut self.title),
            ("name", &mut self.name),
            ("reasoning", &mut self.reasoning),
            ("citation", &mut self.citation),
            ("author", &mut self.author),
        ];
        let many = [
            ("tags", &mut self.tags),
            ("cues", &mut self.cues),
            ("related_modules", &mut self.related_modules),
            ("references", &mut self.references),
        ];
        std::iter::once(("content", &mut self.content))
            .chain(one.into_iter().filter_map(|(name, text)| text.as_mut().map(|t| (name, t))))
            .chain(
                many.into_iter().flat_map(|(name, list)| list.iter_mut().map(move |t| (name, t))),
            )
    }

    /// Returns true if the draft asks for a memory that only its owner sees.
    pub fn is_private(&self) -> bool {
        self.visibility.as_deref() == Some(Visibility::Private.as_str())
    }

    /// Checks every field and returns all errors at once. `default_confidence` applies if the draft
    /// has none.
    pub fn check(self, default_confidence: Confidence) -> Result<MemoryBody, Vec<FieldError>> {
        let mut errors = Errors::default();
        let category: Option<Category> = errors.parse("category", self.category);
        let kind: Option<MemoryType> = errors.parse("type", self.kind).or_else(|| {
            Some(category.map_or(BuiltinType::ModuleInsight, Category::memory_type).into())
        });
        let subject = subject(
            &mut errors,
            kind,
            self.details,
            self.scope,
            self.work_unit,
            self.session.clone(),
        );
        let visibility: Visibility =
            errors.parse("visibility", self.visibility).unwrap_or_default();
        let content = errors.take("content", self.content.parse());
        let title = errors.parse("title", self.title);
        let reasoning = errors.parse("reasoning", self.reasoning);
        let confidence = match self.confidence {
            None => Some(default_confidence),
            Some(value) => errors.take("confidence", Confidence::new(value)),
        };
        let tags = errors.collect("tags", self.tags);
        let cues = errors.parse_all("cues", self.cues);
        let cues = errors.take("cues", Cues::collect(cues));
        let symbols: Symbols =
            errors.collect("related_symbols", self.related_symbols).unwrap_or_default();
        // A memory about a symbol is also about the symbol's file.
        let files = self.related_files.into_iter();
        let files = files.chain(symbols.iter().map(|symbol| symbol.path().into()));
        let files = errors.collect("related_files", files);
        let modules = errors.collect("related_modules", self.related_modules);
        let references = errors.collect("references", self.references);
        let source = errors.parse("source", self.source).unwrap_or(Source::UserTaught);
        let sessions: Sessions = errors.collect("session", self.session).unwrap_or_default();
        let origin = Origin {
            source,
            author: errors.parse("author", self.author),
            generator: errors.parse("generator", self.generator),
            commit: errors.parse("commit", self.commit),
            phase: errors.parse("phase", self.phase),
            sessions,
        };
        let relations = relations(&mut errors, self.relations);
        let target_node = errors.parse("target_node", self.target_node);
        let half_life = self
            .decay_half_life_days
            .and_then(|days| errors.take("decay_half_life_days", HalfLife::from_days(days)));
        let trust = Trust {
            review: errors.parse("review", self.review).unwrap_or_else(|| default_review(source)),
            citation: errors.parse("citation", self.citation),
            stale_at: None,
            stale_kind: None,
            stale_why: None,
        };
        if !errors.0.is_empty() {
            return Err(errors.0);
        }
        // Each `None` below has pushed an error, so this branch is reached only with a non-empty
        // list.
        let (Some(subject), Some(content), Some(confidence)) = (subject, content, confidence)
        else {
            return Err(errors.0);
        };
        Ok(MemoryBody {
            subject,
            visibility,
            title,
            content,
            reasoning,
            category,
            confidence,
            derived_confidence: None,
            tags: tags.unwrap_or_default(),
            cues: cues.unwrap_or_default(),
            files: files.unwrap_or_default(),
            symbols,
            modules: modules.unwrap_or_default(),
            references: references.unwrap_or_default(),
            origin,
            relations: relations.unwrap_or_default(),
            target_node,
            half_life,
            trust,
        })
    }
}

/// Returns the review state for a source: a person's statement counts as verified, an inferred
/// memory needs a review.
pub fn default_review(source: Source) -> Review {
    match source {
        Source::UserTaught => Review::Verified,
        Source::ObserverInferred | Source::McpAuto | Source::Imported | Source::GitHistory => {
            Review::Needed
        }
        Source::AgentExplicit | Source::QaAuto | Source::CommitAuto | Source::File => Review::None,
    }
}

fn subject(
    errors: &mut Errors,
    kind: Option<MemoryType>,
    details: Option<Value>,
    scope: Option<String>,
    work_unit: Option<WorkUnitRef>,
    session: Option<String>,
) -> Option<Subject> {
    let kind = kind?;
    let scope_given = scope.is_some();
    let scope = match errors.parse("scope", scope) {
        Some(scope) => scope,
        None if scope_given => return None,
        None => match &kind {
            MemoryType::Builtin(builtin) => required_scope(*builtin).unwrap_or(Scope::Global),
            MemoryType::Custom(_) => Scope::Global,
        },
    };
    let session = errors.parse("session", session);
    let details = errors.keep(Details::from_json(&kind, details))?;
    let placement = errors.keep(Placement::new(scope, work_unit, session))?;
    errors.keep(Subject::new(details, placement))
}

fn relations(errors: &mut Errors, drafts: Vec<DraftRelation>) -> Option<Relations> {
    let mut relations = Vec::with_capacity(drafts.len());
    for (index, draft) in drafts.into_iter().enumerate() {
        let field = |name: &str| format!("relations[{index}].{name}");
        let kind = errors.take(&field("kind"), draft.kind.parse());
        let target = match (draft.memory, draft.file) {
            (Some(id), None) => {
                errors.take(&field("memory"), id.parse()).map(RelationTarget::Memory)
            }
            (None, Some(path)) => {
                errors.take(&field("file"), path.parse()).map(RelationTarget::File)
            }
            _ => {
                let problem = Problem::rule("names exactly one of `memory` and `file`");
                errors.take(&format!("relations[{index}]"), Err(problem))
            }
        };
        let confidence = match draft.confidence {
            None => Some(Confidence::HIGH),
            Some(value) => errors.take(&field("confidence"), Confidence::new(value)),
        };
        if let (Some(kind), Some(target), Some(confidence)) = (kind, target, confidence) {
            let auto_extracted = draft.auto_extracted;
            relations.push(Relation { target, kind, confidence, auto_extracted });
        }
    }
    errors.take("relations", Relations::collect(relations))
}

/// Collects all errors, so that they can be reported at once.
#[derive(Default)]
struct Errors(Vec<FieldError>);

impl Errors {
    fn keep<T>(&mut self, result: Result<T, FieldError>) -> Option<T> {
        result.map_err(|error| self.0.push(error)).ok()
    }

    fn take<T>(&mut self, field: &str, result: Result<T, Problem>) -> Option<T> {
        self.keep(result.map_err(|problem| FieldError::new(field, problem)))
    }

    fn parse<T>(&mut self, field: &str, text: Option<String>) -> Option<T>
    where
        T: std::str::FromStr<Err = Problem>,
    {
        text.and_then(|text| self.take(field, text.parse()))
    }

    fn collect<T, const MAX: usize>(
        &mut self,
        field: &str,
        texts: impl IntoIterator<Item = String>,
    ) -> Option<BoundedSet<T, MAX>>
    where
        T: std::str::FromStr<Err = Problem> + Ord,
    {
        let values = self.parse_all(field, texts);
        self.take(field, BoundedSet::collect(values))
    }

    fn parse_all<T>(&mut self, field: &str, texts: impl IntoIterator<Item = String>) -> Vec<T>
    where
        T: std::str::FromStr<Err = Problem>,
    {
        let texts = texts.into_iter().enumerate();
        texts
            .filter_map(|(index, text)| self.take(&format!("{field}[{index}]"), text.parse()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(content: &str) -> Draft {
        Draft { content: content.into(), ..Draft::default() }
    }

    #[test]
    fn missing_fields_get_defaults() {
        let body = draft("use absolute paths in hooks").check(Confidence::MEDIUM).unwrap();
        assert_eq!(body.subject.memory_type().as_str(), "module_insight");
        assert_eq!(body.subject.placement().scope(), Scope::Global);
        assert_eq!(body.confidence, Confidence::MEDIUM);
        assert_eq!(body.origin.source, Source::UserTaught);
    }

    #[test]
    fn visibility_is_no_part_of_the_identity() {
        let private = Draft { visibility: Some("private".into()), ..draft("ask Mia for the keys") };
        assert!(private.is_private());
        let private = private.check(Confidence::HIGH).unwrap();
        let team = draft("ask Mia for the keys").check(Confidence::HIGH).unwrap();
        assert_eq!(private.visibility, Visibility::Private);
        assert_eq!(team.visibility, Visibility::Team);
        assert_eq!(private.content_hash(), team.content_hash());
    }

    #[test]
    fn category_determines_the_type() {
        let filed = Draft { category: Some("anti-patterns".into()), ..draft("never do this") };
        let body = filed.check(Confidence::HIGH).unwrap();
        assert_eq!(body.subject.memory_type().as_str(), "gotcha");
    }

    #[test]
    fn all_errors_are_reported_at_once() {
        let wrong = Draft {
            kind: Some("gotcah".into()),
            confidence: Some(7.0),
            tags: vec!["fine".into(), "not fine".into()],
            related_files: vec!["../etc/passwd".into()],
            scope: Some("galaxy".into()),
            visibility: Some("secret".into()),
            relations: vec![DraftRelation {
                kind: "supersedes".into(),
                memory: None,
                file: None,
                confidence: None,
                auto_extracted: false,
            }],
            ..draft("")
        };
        let errors = wrong.check(Confidence::HIGH).unwrap_err();
        let fields: Vec<_> = errors.iter().map(|error| error.field.as_str()).collect();
        assert_eq!(
            fields,
            [
                "type",
                "scope",
                "visibility",
                "content",
                "confidence",
                "tags[1]",
                "related_files[0]",
                "relations[0]",
            ]
        );
    }

    #[test]
    fn types_require_their_fields() {
        for (kind, scope, field) in [
            ("context_cost", None, "details"),
            ("work_state", None, "details"),
            ("gotcha", Some("work_unit"), "work_unit"),
            ("gotcha", Some("session"), "session"),
        ] {
            let wrong = Draft {
                kind: Some(kind.into()),
                scope: scope.map(Into::into),
                ..draft("some text")
            };
            let errors = wrong.check(Confidence::HIGH).unwrap_err();
            assert_eq!(errors[0].field, field, "{kind} {errors:?}");
        }
    }
}
