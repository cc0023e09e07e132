//! Answers, with the headers that every one of them has.

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use serde_json::json;

use crate::assets::Asset;
use crate::error::ApiError;
use crate::route::ApiReply;

/// The things that the page may load: its own files, and nothing written into it. The one policy of trusted types is
/// that of the templates of Svelte.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
     img-src 'self' data:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; \
     form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
     trusted-types svelte-trusted-html 'allow-duplicates'";

/// Headers of every answer.
const ALWAYS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
    ),
];

/// Adds the headers of every answer.
pub(crate) fn protected(mut response: Response<Body>) -> Response<Body> {
    for (name, value) in ALWAYS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Builds an answer that no cache keeps.
pub(crate) fn fresh(status: StatusCode, media_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

pub(crate) fn reply(reply: ApiReply) -> Response<Body> {
    match reply {
        ApiReply::Json(status, bytes) => fresh(status, "application/json", bytes.into()),
        ApiReply::File { media_type, name, bytes } => {
            let mut response = fresh(StatusCode::OK, media_type, bytes.into());
            let saved = format!("attachment; filename=\"{name}\"");
            if let Ok(value) = HeaderValue::from_str(&saved) {
                response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
            }
            response
        }
    }
}

pub(crate) fn error(error: &ApiError) -> Response<Body> {
    let body = json!({"error": error.body}).to_string();
    let mut response = fresh(error.status, "application/json", body.into());
    let headers = response.headers_mut();
    if let Some(seconds) = error.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if error.status == StatusCode::UNAUTHORIZED {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Answers with a file of the page.
pub(crate) fn asset(asset: Asset, method: &Method) -> Response<Body> {
    let body = if *method == Method::HEAD { Body::empty() } else { Body::from(asset.bytes) };
    let mut response = fresh(StatusCode::OK, asset.media_type(), body);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(asset.cache_control()));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(asset.bytes.len()));
    response
}
