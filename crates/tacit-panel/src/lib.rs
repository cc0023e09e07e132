//! The panel: a page in the browser, and the JSON API that it talks to.
//!
//! The server listens on loopback alone. Every request passes the checks of `guard` first; a request of
//! the API then becomes a call of one function of `routes`, on a thread where it may block. These
//! functions call use cases of `tacit-app` and turn their results into the types of `wire`. The table of
//! routes is also the source of the OpenAPI document.

mod assets;
mod cache;
mod error;
mod events;
mod guard;
mod host;
mod input;
mod jobs;
mod openapi;
mod phrase;
mod respond;
mod route;
mod routes;
mod serve;
mod state;
mod token;
mod wire;

pub use assets::{ASSETS, Asset};
pub use host::ProjectHost;
pub use openapi::document;
pub use phrase::module as phrases;
pub use serve::{PanelOptions, PanelServer};
pub use token::PanelToken;
