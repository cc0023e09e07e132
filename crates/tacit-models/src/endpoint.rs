//! Validates the address of a server.

use std::net::IpAddr;

use ureq::http::Uri;
use ureq::http::uri::{PathAndQuery, Scheme};

use crate::{EmbedError, EmbedderReach, Secret};

/// A base address such as `https://api.openai.com/v1`, without credentials or query.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(crate) base: String,
    pub(crate) reach: EmbedderReach,
}

impl Endpoint {
    /// Parses a base address. Without a scheme, as in `OLLAMA_HOST`, it is plain HTTP.
    ///
    /// A key may only be sent over TLS or to this machine.
    pub(crate) fn new(base: &str, key: Option<&Secret>) -> Result<Self, EmbedError> {
        let base = base.trim();
        let base = if base.contains("://") { base.to_owned() } else { format!("http://{base}") };
        // The address may contain credentials, so these messages do not repeat it.
        let wrong = |what: &str| {
            let example = "`http://127.0.0.1:11434` or `https://api.openai.com/v1`";
            EmbedError::Misconfigured(format!(
                "the address of the server {what}; write it like {example}"
            ))
        };
        let uri: Uri = base.parse().map_err(|_| wrong("is not an address"))?;
        let host = uri.host().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| wrong("has no host"))?;
        let secure = uri.scheme() == Some(&Scheme::HTTPS);
        if !secure && uri.scheme() != Some(&Scheme::HTTP) {
            return Err(wrong("starts with something other than `http://` or `https://`"));
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err(wrong("contains a user name or password"));
        }
        if uri.path_and_query().and_then(PathAndQuery::query).is_some() || base.contains('#') {
            return Err(wrong("contains a query or a fragment"));
        }
        let reach = reach_of(host);
        if key.is_some() && !secure && reach != EmbedderReach::Loopback {
            return Err(EmbedError::Misconfigured(format!(
                "the key would be sent to `{base}` unencrypted; use `https://`, or remove the key"
            )));
        }
        Ok(Self { base: base.trim_end_matches('/').to_owned(), reach })
    }
}

/// Classifies a host by name or address alone: a name that merely resolves to this machine counts
/// as remote.
fn reach_of(host: &str) -> EmbedderReach {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let local = host.eq_ignore_ascii_case("localhost")
        || bare.parse().is_ok_and(|address: IpAddr| address.to_canonical().is_loopback());
    if local { EmbedderReach::Loopback } else { EmbedderReach::Remote }
}
