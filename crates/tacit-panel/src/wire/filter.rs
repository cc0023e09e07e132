//! The filters of queries and bodies.

use schemars::JsonSchema;
use serde::Deserialize;
use tacit_app::App;
use tacit_app::filter::FilterWords;
use tacit_core::Confidence;
use tacit_engine::StoreScope;
use tacit_store::Filter;

use crate::error::ApiError;
use crate::input::{Count, Flag, Number, Words};

/// Conditions for memories, which must all hold.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Filters {
    #[serde(rename = "type")]
    pub(crate) kind: Words,
    pub(crate) source: Words,
    pub(crate) scope: Words,
    /// active, retired, archived or all; active if not given.
    pub(crate) status: Option<String>,
    pub(crate) review: Words,
    pub(crate) tag: Words,
    /// Files, directories, or `path::symbol`.
    pub(crate) file: Words,
    /// Labels, or the paths of modules, whose files count; the root's is empty or `.`.
    pub(crate) module: Words,
    pub(crate) session: Words,
    pub(crate) work_unit: Option<String>,
    pub(crate) methodology: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) min_confidence: Option<Number>,
    pub(crate) since: Option<String>,
    pub(crate) until: Option<String>,
    pub(crate) stale: Option<Flag>,
    pub(crate) store: Option<StoreName>,
}

/// A store: the project's, or the user's own for all projects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StoreName {
    Project,
    Global,
}

impl From<StoreName> for StoreScope {
    fn from(store: StoreName) -> StoreScope {
        match store {
            StoreName::Project => StoreScope::Project,
            StoreName::Global => StoreScope::Global,
        }
    }
}

impl From<StoreScope> for StoreName {
    fn from(scope: StoreScope) -> StoreName {
        match scope {
            StoreScope::Project => StoreName::Project,
            StoreScope::Global => StoreName::Global,
        }
    }
}

impl Filters {
    /// Checks the words.
    pub(crate) fn filter(&self, app: &App) -> Result<Filter, ApiError> {
        let min_confidence = self.min_confidence.as_ref().map(|number| Confidence::new(number.0));
        let words = FilterWords {
            types: self.kind.0.clone(),
            sources: self.source.0.clone(),
            scopes: self.scope.0.clone(),
            status: self.status.clone(),
            reviews: self.review.0.clone(),
            tags: self.tag.0.clone(),
            files: self.file.0.clone(),
            // The root has the path "" in the answers about modules.
            modules: self.module.0.iter().map(|name| module_name(name)).collect(),
            sessions: self.session.0.clone(),
            work_unit: self.work_unit.clone(),
            methodology: self.methodology.clone(),
            author: self.author.clone(),
            min_confidence: min_confidence.transpose()?,
            since: self.since.clone(),
            until: self.until.clone(),
            stale: self.stale.as_ref().map(|flag| flag.0),
        };
        Ok(words.filter(app, |name| format!("`{name}`"))?)
    }

    /// Returns the store, if only one is meant.
    pub(crate) fn only(&self) -> Option<StoreScope> {
        self.store.map(StoreScope::from)
    }
}

fn module_name(path: &str) -> String {
    if path.is_empty() { ".".to_owned() } else { path.to_owned() }
}

/// A list of memories. The fields of [`Filters`] are repeated, because a flattened type cannot refuse
/// unknown fields.
macro_rules! with_filters {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, default)]
        pub(crate) struct $name {
            $($(#[$field_doc])* pub(crate) $field: $type,)*
            #[serde(rename = "type")]
            kind: Words,
            source: Words,
            scope: Words,
            status: Option<String>,
            review: Words,
            tag: Words,
            file: Words,
            module: Words,
            session: Words,
            work_unit: Option<String>,
            methodology: Option<String>,
            author: Option<String>,
            min_confidence: Option<Number>,
            since: Option<String>,
            until: Option<String>,
            stale: Option<Flag>,
            store: Option<StoreName>,
        }

        impl $name {
            /// Returns the conditions.
            pub(crate) fn filters(&self) -> Filters {
                Filters {
                    kind: self.kind.clone(),
                    source: self.source.clone(),
                    scope: self.scope.clone(),
                    status: self.status.clone(),
                    review: self.review.clone(),
                    tag: self.tag.clone(),
                    file: self.file.clone(),
                    module: self.module.clone(),
                    session: self.session.clone(),
                    work_unit: self.work_unit.clone(),
                    methodology: self.methodology.clone(),
                    author: self.author.clone(),
                    min_confidence: self.min_confidence.clone(),
                    since: self.since.clone(),
                    until: self.until.clone(),
                    stale: self.stale.clone(),
                    store: self.store,
                }
            }
        }
    };
}

with_filters! {
    /// A page of memories.
    ListQuery {
        /// newest, oldest, changed, used or confidence.
        sort: Option<String>,
        limit: Option<Count>,
        /// The `next` of the page before.
        cursor: Option<String>,
        /// The number of memories to skip; for jumps in a long list.
        offset: Option<Count>,
    }
}

with_filters! {
    /// A search.
    SearchQuery {
        q: String,
        limit: Option<Count>,
        /// both or words.
        mode: Option<String>,
    }
}
