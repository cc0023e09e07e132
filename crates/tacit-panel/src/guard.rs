//! The checks before a request is served. A page of another site, a name that suddenly leads to this
//! machine, and a program without the token get nothing.

use std::time::Instant;

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header};

use crate::error::ApiError;
use crate::state::{ServerState, held};

/// The names under which this server is reached. A name that a hostile DNS server points here is none.
const HOSTS: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// Destinations that show a page inside another one.
const FRAMES: [&str; 5] = ["iframe", "frame", "object", "embed", "fencedframe"];

/// Checks where a request comes from and where it believes to go.
pub(crate) fn check_origin(parts: &Parts, port: u16, is_api: bool) -> Result<(), ApiError> {
    let host = single(&parts.headers, &header::HOST).filter(|host| is_own(host, port));
    let target = parts.uri.authority().map(|authority| authority.as_str());
    if host.is_none() || target.is_some_and(|target| !is_own(target, port)) {
        let status = StatusCode::MISDIRECTED_REQUEST;
        return Err(ApiError::new(status, "host", "this server answers only under its own names"));
    }
    let foreign =
        || ApiError::new(StatusCode::FORBIDDEN, "origin", "the request comes from another site");
    if parts.headers.contains_key(header::ORIGIN) {
        let origin = single(&parts.headers, &header::ORIGIN);
        let own = origin.and_then(|origin| origin.strip_prefix("http://"));
        // The page and its requests have the same name.
        if own.is_none() || own != host {
            return Err(foreign());
        }
    }
    if parts.headers.contains_key(FETCH_SITE) {
        match single(&parts.headers, &FETCH_SITE) {
            Some("same-origin") => {}
            // Typed into the address bar.
            Some("none") if !is_api => {}
            // A link, such as the one that `tacit panel` opens: the page itself holds no data.
            Some(_) if !is_api && is_visit(parts) => {}
            _ => return Err(foreign()),
        }
    }
    if single(&parts.headers, &FETCH_DEST).is_some_and(|dest| FRAMES.contains(&dest)) {
        return Err(foreign());
    }
    Ok(())
}

/// Checks that a write has a JSON body: a form of another page can send none.
pub(crate) fn check_media_type(parts: &Parts) -> Result<(), ApiError> {
    if is_write(&parts.method) && !is_json(&parts.headers) {
        let status = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return Err(ApiError::new(status, "media_type", "a write needs a JSON body")
            .hint("send `Content-Type: application/json`"));
    }
    Ok(())
}

/// Checks that a request of the API has the token.
pub(crate) fn check_token(parts: &Parts, state: &ServerState) -> Result<(), ApiError> {
    let given = single(&parts.headers, &header::AUTHORIZATION);
    let given = given.and_then(|value| value.strip_prefix("Bearer "));
    if given.is_some_and(|given| state.token.matches(given.as_bytes())) {
        return Ok(());
    }
    // A request without a token is no attempt to guess one.
    if parts.headers.contains_key(header::AUTHORIZATION)
        && let Some(wait) = held(&state.failures).count(Instant::now())
    {
        let status = StatusCode::TOO_MANY_REQUESTS;
        let mut error = ApiError::new(status, "rate", "too many wrong tokens");
        error.retry_after = Some(wait.as_secs().max(1));
        return Err(error);
    }
    Err(ApiError::new(StatusCode::UNAUTHORIZED, "token", "the token is missing or wrong")
        .hint("open the address that `tacit panel` prints"))
}

/// Returns true if the browser shows the answer as a page of its own.
fn is_visit(parts: &Parts) -> bool {
    parts.method == Method::GET
        && single(&parts.headers, &FETCH_MODE) == Some("navigate")
        && single(&parts.headers, &FETCH_DEST) == Some("document")
}

/// Returns true for the methods of routes that take a body. No route takes any other but GET.
pub(crate) fn is_write(method: &Method) -> bool {
    [Method::POST, Method::PUT, Method::PATCH, Method::DELETE].contains(method)
}

fn is_own(host: &str, port: u16) -> bool {
    match host.rsplit_once(':') {
        Some((name, given)) if HOSTS.contains(&name) => given == port.to_string(),
        _ => port == 80 && HOSTS.contains(&host),
    }
}

/// Returns the value of a header that is there exactly once.
fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = single(headers, &header::CONTENT_TYPE) else { return false };
    let mut parts = value.split(';').map(str::trim);
    parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"))
        && parts.all(|rest| rest.eq_ignore_ascii_case("charset=utf-8"))
}
