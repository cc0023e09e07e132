//! A route: its address, the types of what it takes and gives, and the function that serves it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::{Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tacit_app::App;

use crate::cache::DataVersion;
use crate::error::ApiError;
use crate::input;
use crate::state::ServerState;

/// One request on its own thread.
pub(crate) struct ApiCall<'a> {
    /// The project.
    pub(crate) app: &'a App,
    /// The server.
    pub(crate) state: &'a Arc<ServerState>,
    requested: Requested,
}

/// The request itself.
#[derive(Clone)]
pub(crate) struct Requested {
    /// The parts of the address that stand for names.
    pub(crate) params: Vec<String>,
    /// True once the client has gone.
    pub(crate) gone: Arc<AtomicBool>,
}

impl ApiCall<'_> {
    /// Returns true if nobody waits for the answer any more.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.requested.gone.load(Ordering::Relaxed)
    }

    /// Returns the name in the address, such as an id.
    pub(crate) fn name(&self) -> &str {
        self.requested.params.first().map_or("", String::as_str)
    }

    /// Returns the same request with the project as it is now.
    pub(crate) fn with<'b>(&'b self, app: &'b App) -> ApiCall<'b> {
        ApiCall { app, state: self.state, requested: self.requested.clone() }
    }

    /// Returns an error if an agent runs the server.
    pub(crate) fn person_only(&self, what: &str) -> Result<(), ApiError> {
        self.app.person_only(what).map_err(|error| {
            let refused = ApiError::new(StatusCode::FORBIDDEN, "person_only", error.message);
            refused.hint(error.hint.unwrap_or_default())
        })
    }
}

/// The answer of a route.
#[derive(Clone)]
pub(crate) enum ApiReply {
    Json(StatusCode, Vec<u8>),
    /// A file for the user to save.
    File {
        media_type: &'static str,
        name: String,
        bytes: Vec<u8>,
    },
}

type Run = Box<dyn Fn(&ApiCall<'_>, Value) -> Result<ApiReply, ApiError> + Send + Sync>;
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A route of the API.
pub(crate) struct Route {
    pub(crate) method: Method,
    /// The path below `/api/v1`; `{id}` stands for a name.
    pub(crate) path: &'static str,
    /// A sentence for the documentation.
    pub(crate) summary: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) input: SchemaOf,
    /// `None` if the answer is a file.
    pub(crate) output: Option<SchemaOf>,
    /// True if the answer depends on the address, the stores and the configuration alone, and is expensive to
    /// compute.
    pub(crate) is_cached: bool,
    /// True if it waits for others, such as a text model, and changes nothing: its turn ends when the client goes.
    pub(crate) waits: bool,
    run: Run,
}

impl Route {
    /// A route that answers with JSON.
    pub(crate) fn new<I, O>(
        method: Method,
        path: &'static str,
        summary: &'static str,
        run: fn(&ApiCall<'_>, I) -> Result<O, ApiError>,
    ) -> Route
    where
        I: DeserializeOwned + JsonSchema + 'static,
        O: Serialize + JsonSchema + 'static,
    {
        Route {
            method,
            path,
            summary,
            status: StatusCode::OK,
            input: I::json_schema,
            output: Some(|generator| generator.subschema_for::<O>()),
            is_cached: false,
            waits: false,
            run: Box::new(move |call, value| {
                let answer = run(call, input::read(value)?)?;
                let bytes = serde_json::to_vec(&answer);
                let bytes = bytes.map_err(|error| ApiError::failure(error.to_string()))?;
                Ok(ApiReply::Json(StatusCode::OK, bytes))
            }),
        }
    }

    /// A route that answers with a file.
    pub(crate) fn file<I: DeserializeOwned + JsonSchema + 'static>(
        path: &'static str,
        summary: &'static str,
        run: fn(&ApiCall<'_>, I) -> Result<ApiReply, ApiError>,
    ) -> Route {
        Route {
            method: Method::POST,
            path,
            summary,
            status: StatusCode::OK,
            input: I::json_schema,
            output: None,
            is_cached: false,
            waits: false,
            run: Box::new(move |call, value| run(call, input::read(value)?)),
        }
    }

    /// Answers with another status than 200.
    pub(crate) fn with_status(mut self, status: StatusCode) -> Route {
        self.status = status;
        self
    }

    /// Returns the schema of the input.
    pub(crate) fn input_schema(&self) -> Value {
        (self.input)(&mut SchemaGenerator::default()).to_value()
    }

    /// Keeps the answer until a store changes.
    pub(crate) fn cached(mut self) -> Route {
        self.is_cached = true;
        self
    }

    /// Frees the turn of the request when its client goes.
    pub(crate) fn waiting(mut self) -> Route {
        self.waits = true;
        self
    }

    /// Returns the names in a path, if the route serves it.
    pub(crate) fn names(&self, path: &str) -> Option<Vec<String>> {
        let mut names = Vec::new();
        let (mut own, mut given) = (self.path.split('/'), path.split('/'));
        loop {
            match (own.next(), given.next()) {
                (None, None) => return Some(names),
                (Some(part), Some(text)) if part.starts_with('{') => {
                    let name = input::percent_decoded(text, false)?;
                    names.push(Some(name).filter(|name| !name.is_empty())?);
                }
                (Some(part), Some(text)) if part == text => {}
                _ => return None,
            }
        }
    }

    /// Serves a request.
    pub(crate) fn call(
        &self,
        app: &App,
        state: &Arc<ServerState>,
        requested: Requested,
        value: Value,
    ) -> Result<ApiReply, ApiError> {
        let params = &requested.params;
        let name = self.is_cached.then(|| format!("{} {params:?} {value}", self.path));
        let run = || match (self.run)(&ApiCall { app, state, requested }, value)? {
            ApiReply::Json(_, bytes) => Ok(ApiReply::Json(self.status, bytes)),
            file => Ok(file),
        };
        match name {
            None => run(),
            Some(name) => {
                let reply = state.cache.get(&name, &DataVersion::of(app), run)?;
                Ok(ApiReply::clone(&reply))
            }
        }
    }
}
