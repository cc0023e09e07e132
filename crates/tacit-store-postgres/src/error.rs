//! Conversion of the server's errors to store errors.

use std::error::Error as _;
use std::path::PathBuf;

use rustls::CertificateError;
use tacit_store::StoreError;
use tokio_postgres::Error;

/// Converts an error of the server at `server`, an address without user and password.
pub(crate) fn explain(server: &str, error: &Error) -> StoreError {
    let Some(code) = error.code() else { return explain_without_code(server, error) };
    let server = server.to_owned();
    let path = PathBuf::from(&server);
    let detail = error.as_db_error().map_or_else(
        || error.to_string(),
        |error| match error.hint() {
            Some(hint) => format!("{} ({hint})", error.message()),
            None => error.message().to_owned(),
        },
    );
    if code.code() == "42501" && detail == "permission denied for schema tacit" {
        let detail = "you are not a member of any project there".to_owned();
        return StoreError::Denied { server, detail };
    }
    if is_missing_schema(code.code(), &detail) {
        return StoreError::OldSchema { path, found: 0, needed: crate::migrate::LATEST };
    }
    match code.code() {
        // Our own limits of waiting for a lock and for an answer.
        "55P03" | "57014" => StoreError::Busy,
        // Two writers that wait for each other; the server ends one.
        "40P01" | "40001" => StoreError::Busy,
        "25006" => StoreError::ReadOnly { path, detail },
        "53100" => StoreError::Full { path },
        // The role does not exist, or may not do it.
        "42501" | "42704" | "0LP01" | "0P000" => StoreError::Denied { server, detail },
        "3D000" => StoreError::Missing { path },
        "XX001" | "XX002" => StoreError::Damaged { path, detail },
        // The server is starting, stopping, or has no connection left.
        "57P01" | "57P02" | "57P03" | "57P05" | "25P03" => {
            StoreError::Unreachable { server, detail }
        }
        // It lacks memory or connections, or its system fails: a later attempt may succeed.
        other if other.starts_with("53") || other.starts_with("58") => {
            StoreError::Unreachable { server, detail }
        }
        other if other.starts_with("28") => StoreError::Denied { server, detail },
        other if other.starts_with("08") => StoreError::Unreachable { server, detail },
        other => StoreError::Failed { path, detail: format!("{detail} ({other})") },
    }
}

/// Returns true if the server lacks what the first statement of a session asks for.
fn is_missing_schema(code: &str, detail: &str) -> bool {
    let asked = detail.contains("schema_version") || detail.contains("find_project");
    code == "3F000" || (matches!(code, "42P01" | "42883") && asked)
}

/// Returns the reason why a server is not trusted, if that is the error.
fn distrust(error: &Error) -> Option<String> {
    // The client tells kinds apart by their text alone.
    if error.to_string() != "error performing TLS handshake" {
        return None;
    }
    let cause = error.source()?;
    if cause.to_string() == "server does not support TLS" {
        return Some("it does not offer encryption (TLS)".to_owned());
    }
    let inner = cause.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
    let tls = inner.and_then(|inner| inner.downcast_ref::<rustls::Error>())?;
    let rustls::Error::InvalidCertificate(invalid) = tls else { return None };
    let problem = match invalid {
        CertificateError::UnknownIssuer => "is signed by an untrusted authority",
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            "is for another host name"
        }
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "has expired",
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "is not valid yet"
        }
        _ => return Some(format!("its certificate is invalid: {tls}")),
    };
    Some(format!("its certificate {problem}"))
}

/// Converts an error of the connection itself.
fn explain_without_code(server: &str, error: &Error) -> StoreError {
    let cause = error.source().map(ToString::to_string);
    let text = error.to_string();
    let detail = match &cause {
        Some(cause) => format!("{text}: {cause}"),
        None => text.clone(),
    };
    let server = server.to_owned();
    if let Some(detail) = distrust(error) {
        return StoreError::Untrusted { server, detail };
    }
    if text == "authentication error" || text == "invalid configuration" {
        // Such as a password that is asked for and was not given.
        return StoreError::Denied { server, detail: cause.unwrap_or(text) };
    }
    if text.starts_with("error serializing")
        || text.starts_with("error deserializing")
        || text.starts_with("expected ")
        || text.starts_with("invalid column")
        || text.starts_with("query returned")
        || text == "error encoding message to server"
    {
        return StoreError::Failed { path: PathBuf::from(server), detail };
    }
    StoreError::Unreachable { server, detail }
}

/// Returns the error of a server that does not answer in time.
pub(crate) fn late(server: &str) -> StoreError {
    StoreError::Unreachable {
        server: server.to_owned(),
        detail: "it did not answer in time".into(),
    }
}

/// Returns the error of a row that no version of tacit wrote.
pub(crate) fn damaged(server: &str, detail: impl Into<String>) -> StoreError {
    StoreError::Damaged { path: PathBuf::from(server), detail: detail.into() }
}

/// Returns the error of a value that cannot be encoded.
pub(crate) fn unwritable(server: &str, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Failed { path: PathBuf::from(server), detail: error.to_string() }
}
