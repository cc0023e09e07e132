//! An HTTP client: one JSON request, one JSON answer, within a deadline.
//!
//! Rules for every provider: time and size limits, retries, no redirects, no proxy from the
//! environment, and no key in anything a person may read.

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use ureq::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Uri};
use ureq::{Agent, Body, Timeout};

use crate::budget::{self, Attempt, RequestDeadline, Sleep};
use crate::endpoint::Endpoint;
use crate::protocol::ServerKind;
use crate::server_message::{ServerMessage, tidy};
use crate::{EmbedError, EmbedderReach, Secret};

/// Time limit for a request without a deadline, including retries and pauses.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// Time limit for connecting to a server on this machine.
pub const CONNECT_LOOPBACK: Duration = Duration::from_millis(500);
/// Time limit for connecting to any other server, including DNS and TLS.
pub const CONNECT_REMOTE: Duration = Duration::from_secs(3);
/// Maximum size of an answer with vectors.
pub const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;

/// A connection to one server, with its key and limits.
pub(crate) struct HttpClient {
    agent: Agent,
    pub(crate) endpoint: Endpoint,
    kind: &'static ServerKind,
    key: Option<(Secret, HeaderValue)>,
    max_bytes: u64,
    sleep: Sleep,
}

impl HttpClient {
    /// Creates a client of the server at `base` that accepts answers of at most `max_bytes` bytes.
    pub(crate) fn new(
        kind: &'static ServerKind,
        base: &str,
        key: Option<Secret>,
        max_bytes: u64,
    ) -> Result<Self, EmbedError> {
        let endpoint = Endpoint::new(base, key.as_ref())?;
        let key = match key {
            None => None,
            Some(key) => {
                let (_, before) = &kind.key_header;
                let header = HeaderValue::from_str(&format!("{before}{}", key.reveal()));
                let mut header = header.map_err(|_| {
                    let message = "the key contains invalid characters; copy it again";
                    EmbedError::Misconfigured(message.to_owned())
                })?;
                header.set_sensitive(true);
                Some((key, header))
            }
        };
        let connect = match endpoint.reach {
            EmbedderReach::Remote => CONNECT_REMOTE,
            EmbedderReach::Bundled | EmbedderReach::Loopback => CONNECT_LOOPBACK,
        };
        let config = Agent::config_builder()
            .user_agent(concat!("tacit/", env!("CARGO_PKG_VERSION")))
            .accept("application/json")
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .timeout_connect(Some(connect))
            .build();
        let agent = Agent::new_with_config(config);
        let sleep = Arc::new(std::thread::sleep);
        Ok(Self { agent, endpoint, kind, key, max_bytes, sleep })
    }

    /// Replaces the function that sleeps between attempts.
    pub(crate) fn with_sleep(self, sleep: Sleep) -> Self {
        Self { sleep, ..self }
    }

    /// Posts JSON and returns the body of the answer, retrying temporary failures.
    pub(crate) fn post(
        &self,
        path: &str,
        json: &Value,
        deadline: RequestDeadline,
    ) -> Result<Vec<u8>, EmbedError> {
        let json = json.to_string();
        budget::retry(&self.endpoint.base, deadline, &self.sleep, |remaining| {
            let request =
                self.request(path).method("POST").header(CONTENT_TYPE, "application/json");
            let request = match request.body(json.as_bytes()) {
                Ok(request) => request,
                Err(error) => return Attempt::Done(Err(self.malformed(&error.to_string()))),
            };
            let request =
                self.agent.configure_request(request).timeout_global(Some(remaining)).build();
            self.interpret(self.agent.run(request), deadline)
        })
    }

    /// Gets the body of an answer, without retries.
    pub(crate) fn get(&self, path: &str, deadline: RequestDeadline) -> Result<Vec<u8>, EmbedError> {
        let remaining =
            deadline.remaining().ok_or_else(|| deadline.timeout_error(&self.endpoint.base))?;
        let request = self.request(path).body(());
        let request = request.map_err(|error| self.malformed(&error.to_string()))?;
        let request = self.agent.configure_request(request).timeout_global(Some(remaining)).build();
        match self.interpret(self.agent.run(request), deadline) {
            Attempt::Done(result) => result,
            Attempt::Retry(error, _) => Err(error),
        }
    }

    fn request(&self, path: &str) -> ureq::http::request::Builder {
        let mut request = Request::builder().uri(format!("{}{path}", self.endpoint.base));
        if let Some((name, value)) = self.kind.header {
            request = request.header(name, value);
        }
        match &self.key {
            Some((_, header)) => request.header(&self.kind.key_header.0, header.clone()),
            None => request,
        }
    }

    fn interpret(
        &self,
        answer: Result<Response<Body>, ureq::Error>,
        deadline: RequestDeadline,
    ) -> Attempt<Vec<u8>> {
        let (parts, body) = match answer {
            Ok(answer) => answer.into_parts(),
            Err(error) => return self.failed(&error, deadline, "closed the connection"),
        };
        let body = match body.into_with_config().limit(self.max_bytes).read_to_vec() {
            Ok(body) => body,
            Err(error) => return self.failed(&error, deadline, "broke off its answer"),
        };
        if parts.status.is_success() {
            return Attempt::Done(Ok(body));
        }
        self.refused(parts.status, &parts.headers, &body)
    }

    /// Converts an error response, and decides whether to retry.
    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Attempt<Vec<u8>> {
        let server_message = ServerMessage::read(body);
        let endpoint = self.endpoint.base.clone();
        let retry_after = headers.get(RETRY_AFTER).and_then(seconds);
        if status == StatusCode::TOO_MANY_REQUESTS && !server_message.is_final() {
            return Attempt::Retry(EmbedError::RateLimited { endpoint, retry_after }, retry_after);
        }
        let message = match status {
            // Servers tend to repeat the key in this message, complete or masked.
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if self.key.is_some() => {
                "the key was rejected; check that it is complete and allowed to use this model"
                    .to_owned()
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                "a key is required; set one, or choose another provider".to_owned()
            }
            _ if status.is_redirection() => redirected(headers),
            _ => server_message.into_message(),
        };
        let message = self.readable(&message);
        let error = EmbedError::Refused { endpoint, status: status.as_u16(), message };
        if status.is_server_error() {
            Attempt::Retry(error, retry_after)
        } else {
            Attempt::Done(Err(error))
        }
    }

    /// Converts a failure without a complete answer, and decides whether to retry.
    fn failed(
        &self,
        error: &ureq::Error,
        deadline: RequestDeadline,
        failure: &str,
    ) -> Attempt<Vec<u8>> {
        let unreachable = |detail: &str| EmbedError::Unreachable {
            endpoint: self.endpoint.base.clone(),
            detail: format!("{}; {}", self.readable(detail), self.kind.hint),
        };
        match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                Attempt::Done(Err(unreachable("no connection within the time limit")))
            }
            ureq::Error::Timeout(_) => {
                Attempt::Done(Err(deadline.timeout_error(&self.endpoint.base)))
            }
            ureq::Error::Io(io) if is_broken_connection(io.kind()) => {
                Attempt::Retry(unreachable(&format!("the server {failure}")), None)
            }
            ureq::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => {
                Attempt::Done(Err(unreachable("nothing is listening there")))
            }
            ureq::Error::BodyExceedsLimit(limit) => {
                let megabytes = limit / (1024 * 1024);
                Attempt::Done(Err(self.malformed(&format!("longer than {megabytes} MB"))))
            }
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                Attempt::Done(Err(self.malformed("not HTTP; check the address")))
            }
            error => Attempt::Done(Err(unreachable(&error.to_string()))),
        }
    }

    fn malformed(&self, detail: &str) -> EmbedError {
        let endpoint = self.endpoint.base.clone();
        EmbedError::Malformed { endpoint, detail: self.readable(detail) }
    }

    /// Removes the key from foreign text and makes it a short single line.
    fn readable(&self, text: &str) -> String {
        match &self.key {
            // The key is removed before the text is cut, so that no part of it is left at the end.
            Some((key, _)) => tidy(&key.hide_in(text)),
            None => tidy(text),
        }
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = self.key.as_ref().map(|(key, _)| key);
        f.debug_struct("Client").field("endpoint", &self.endpoint).field("key", &key).finish()
    }
}

/// Returns true if an established connection was lost, which a retry may fix.
fn is_broken_connection(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
            | ErrorKind::NotConnected
    )
}

/// Parses `Retry-After` in seconds. A date is ignored: it would need a clock that agrees with the
/// server's.
fn seconds(header: &HeaderValue) -> Option<Duration> {
    header.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

fn redirected(headers: &HeaderMap) -> String {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let uri = location.and_then(|location| location.parse::<Uri>().ok());
    match uri.as_ref().and_then(Uri::host) {
        Some(host) => format!("redirects to `{host}` are not followed; set that address"),
        None => "redirects are not followed; set the address it leads to".to_owned(),
    }
}
