//! The project of this server, and the words of the API.

use axum::http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use tacit_core::{
    BuiltinType, Fate, RelationKind, Review, Scope, Source, StaleKind, StatusKind, UniversalPhase,
};
use tacit_engine::{Requester, StoreAccess, StoreScope};

use crate::error::ApiError;
use crate::route::{ApiCall, Route};
use crate::wire::memory::Nothing;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::new(Method::GET, "/about", "The project, the user and this program.", about),
        Route::new(Method::GET, "/vocabulary", "The words of every enumeration.", vocabulary)
            .cached(),
    ]
}

/// The project, the user and this program.
#[derive(Debug, Serialize, JsonSchema)]
struct About {
    version: &'static str,
    api: u32,
    project: ProjectView,
    initialised: bool,
    /// True if the project's memories are shared on a team's server.
    team: bool,
    /// False if an agent runs this server.
    person: bool,
    user: String,
    methodology: MethodologyName,
    text_model: Option<String>,
    embedding: String,
    now: String,
    idle_minutes: Option<u64>,
}

/// The project.
#[derive(Debug, Serialize, JsonSchema)]
struct ProjectView {
    name: String,
    root: String,
    worktree: String,
    branch: Option<String>,
}

/// A methodology.
#[derive(Debug, Serialize, JsonSchema)]
struct MethodologyName {
    id: String,
    name: String,
}

fn about(call: &ApiCall<'_>, _: Nothing) -> Result<About, ApiError> {
    let app = call.app;
    let root = &app.places.root;
    let methodology = app.methodology()?;
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    let config = app.config();
    Ok(About {
        version: env!("CARGO_PKG_VERSION"),
        api: 1,
        project: ProjectView {
            name: name.unwrap_or_else(|| root.display().to_string()),
            root: root.display().to_string(),
            worktree: app.worktree().display().to_string(),
            branch: app.here().branch,
        },
        initialised: app.obstacle.is_none() && app.places.database(StoreScope::Project).exists(),
        team: app.places.is_in_team(),
        person: app.voice() != Requester::Agent,
        user: app.user().to_string(),
        methodology: MethodologyName {
            id: methodology.id().to_string(),
            name: methodology.name().to_owned(),
        },
        text_model: app.has_generator().then(|| match config.generation_model.as_str() {
            "" => config.generation_provider.clone(),
            model => format!("{}/{model}", config.generation_provider),
        }),
        embedding: config.embedding_provider.clone(),
        now: app.now().to_string(),
        idle_minutes: call.state.idle.map(|idle| idle.as_secs() / 60),
    })
}

/// The words of every enumeration.
#[derive(Debug, Serialize, JsonSchema)]
struct Vocabulary {
    types: Vec<TypeWord>,
    sources: Vec<&'static str>,
    scopes: Vec<&'static str>,
    statuses: Vec<&'static str>,
    reviews: Vec<&'static str>,
    phases: Vec<&'static str>,
    relations: Vec<&'static str>,
    fates: Vec<&'static str>,
    stale_kinds: Vec<&'static str>,
    orders: Vec<&'static str>,
    methodologies: Vec<String>,
    tags: Vec<TagCount>,
}

/// A type of memories.
#[derive(Debug, Serialize, JsonSchema)]
struct TypeWord {
    id: String,
    /// True if people choose it.
    choice: bool,
    statistics: bool,
}

/// A tag in use.
#[derive(Debug, Serialize, JsonSchema)]
struct TagCount {
    name: String,
    count: u64,
}

fn vocabulary(call: &ApiCall<'_>, _: Nothing) -> Result<Vocabulary, ApiError> {
    let engine = call.app.engine(StoreAccess::ReadBoth)?;
    let mut tags: Vec<TagCount> = Vec::new();
    for (_, store) in engine.stores() {
        for (name, count) in store.stats()?.tags {
            match tags.iter_mut().find(|tag| tag.name == name) {
                Some(tag) => tag.count += count,
                None => tags.push(TagCount { name, count }),
            }
        }
    }
    tags.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    let definitions = call.app.places.definitions();
    let built_in = BuiltinType::ALL.iter().map(|kind| TypeWord {
        id: kind.as_str().to_owned(),
        choice: BuiltinType::CHOICES.contains(kind),
        statistics: BuiltinType::STATISTICS.contains(kind),
    });
    let own = definitions.iter().filter_map(|definition| definition.methodology.as_ref().ok());
    let own = own.flat_map(|methodology| methodology.types()).map(|added| TypeWord {
        id: added.kind.to_string(),
        choice: true,
        statistics: false,
    });
    Ok(Vocabulary {
        types: built_in.chain(own).collect(),
        sources: Source::ALL.iter().map(|word| word.as_str()).collect(),
        scopes: Scope::ALL.iter().map(|word| word.as_str()).collect(),
        statuses: StatusKind::ALL.iter().map(|word| word.as_str()).collect(),
        reviews: Review::ALL.iter().map(|word| word.as_str()).collect(),
        phases: UniversalPhase::ALL.iter().map(|word| word.as_str()).collect(),
        relations: RelationKind::ALL.iter().map(|word| word.as_str()).collect(),
        fates: Fate::ALL.iter().map(|word| word.as_str()).collect(),
        stale_kinds: StaleKind::ALL.iter().map(|word| word.as_str()).collect(),
        orders: vec!["newest", "oldest", "changed", "used", "confidence"],
        methodologies: definitions.iter().map(|definition| definition.name.clone()).collect(),
        tags,
    })
}
