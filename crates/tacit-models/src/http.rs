//! Talking to a server: one JSON request, one JSON answer, within a deadline.
//!
//! Everything that must hold for every provider is here: time and size limits, retries, no
//! redirects, no proxy from the environment, and no key in anything a person may read.

use std::fmt;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use ureq::http::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use ureq::http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Uri};
use ureq::{Agent, Body, Timeout};

use crate::budget::{self, RequestDeadline, Sleep, Try};
use crate::endpoint::Endpoint;
use crate::protocol::ServerKind;
use crate::server_message::{ServerMessage, tidy};
use crate::{EmbedError, EmbedderReach, Secret};

/// What a request may take when the caller sets no deadline, tries and pauses included.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
/// What connecting to a server on this machine may take.
pub const CONNECT_LOOPBACK: Duration = Duration::from_millis(500);
/// What connecting to any other server may take, with name and TLS.
pub const CONNECT_REMOTE: Duration = Duration::from_secs(3);
/// The longest answer with vectors that is read.
pub const MAX_ANSWER_BYTES: u64 = 64 * 1024 * 1024;

/// A server and what is needed to talk to it.
pub(crate) struct HttpClient {
    agent: Agent,
    pub(crate) endpoint: Endpoint,
    kind: &'static ServerKind,
    key: Option<(Secret, HeaderValue)>,
    longest: u64,
    sleep: Sleep,
}

impl HttpClient {
    /// A client of the server at `base` for answers of at most `longest` bytes.
    pub(crate) fn new(
        kind: &'static ServerKind,
        base: &str,
        key: Option<Secret>,
        longest: u64,
    ) -> Result<Self, EmbedError> {
        let endpoint = Endpoint::new(base, key.as_ref())?;
        let key = match key {
            None => None,
            Some(key) => {
                let (_, before) = &kind.key_header;
                let header = HeaderValue::from_str(&format!("{before}{}", key.reveal()));
                let mut header = header.map_err(|_| {
                    let message = "the key holds characters that no key has; copy it again";
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
        Ok(Self { agent, endpoint, kind, key, longest, sleep })
    }

    /// The same client with another way to pass the time between tries.
    pub(crate) fn with_sleep(self, sleep: Sleep) -> Self {
        Self { sleep, ..self }
    }

    /// Posts JSON and returns the body of the answer, trying again where that may help.
    pub(crate) fn post(
        &self,
        path: &str,
        json: &Value,
        deadline: RequestDeadline,
    ) -> Result<Vec<u8>, EmbedError> {
        let json = json.to_string();
        budget::retry(&self.endpoint.base, deadline, &self.sleep, |left| {
            let request =
                self.request(path).method("POST").header(CONTENT_TYPE, "application/json");
            let request = match request.body(json.as_bytes()) {
                Ok(request) => request,
                Err(error) => return Try::Done(Err(self.malformed(&error.to_string()))),
            };
            let request = self.agent.configure_request(request).timeout_global(Some(left)).build();
            self.judge(self.agent.run(request), deadline)
        })
    }

    /// Gets the body of an answer in one try.
    pub(crate) fn get(&self, path: &str, deadline: RequestDeadline) -> Result<Vec<u8>, EmbedError> {
        let left = deadline.left().ok_or_else(|| deadline.missed(&self.endpoint.base))?;
        let request = self.request(path).body(());
        let request = request.map_err(|error| self.malformed(&error.to_string()))?;
        let request = self.agent.configure_request(request).timeout_global(Some(left)).build();
        match self.judge(self.agent.run(request), deadline) {
            Try::Done(result) => result,
            Try::Again(error, _) => Err(error),
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

    fn judge(
        &self,
        answer: Result<Response<Body>, ureq::Error>,
        deadline: RequestDeadline,
    ) -> Try<Vec<u8>> {
        let (parts, body) = match answer {
            Ok(answer) => answer.into_parts(),
            Err(error) => return self.failed(&error, deadline, "closed the connection"),
        };
        let body = match body.into_with_config().limit(self.longest).read_to_vec() {
            Ok(body) => body,
            Err(error) => return self.failed(&error, deadline, "broke off its answer"),
        };
        if parts.status.is_success() {
            return Try::Done(Ok(body));
        }
        self.refused(parts.status, &parts.headers, &body)
    }

    /// An answer that is an error: which may pass, and which will not.
    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Try<Vec<u8>> {
        let server_message = ServerMessage::read(body);
        let endpoint = self.endpoint.base.clone();
        let retry_after = headers.get(RETRY_AFTER).and_then(seconds);
        if status == StatusCode::TOO_MANY_REQUESTS && !server_message.is_final() {
            return Try::Again(EmbedError::RateLimited { endpoint, retry_after }, retry_after);
        }
        let message = match status {
            // What servers say here tends to repeat the key, whole or masked.
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if self.key.is_some() => {
                "the key was not accepted; check that it is whole and may be used for this model"
                    .to_owned()
            }
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                "it wants a key; set one, or choose another provider".to_owned()
            }
            _ if status.is_redirection() => redirected(headers),
            _ => server_message.into_message(),
        };
        let message = self.readable(&message);
        let error = EmbedError::Refused { endpoint, status: status.as_u16(), message };
        if status.is_server_error() {
            Try::Again(error, retry_after)
        } else {
            Try::Done(Err(error))
        }
    }

    /// No whole answer: late, broken off, or never connected.
    fn failed(&self, error: &ureq::Error, deadline: RequestDeadline, broken: &str) -> Try<Vec<u8>> {
        let unreachable = |detail: &str| EmbedError::Unreachable {
            endpoint: self.endpoint.base.clone(),
            detail: format!("{}; {}", self.readable(detail), self.kind.advice),
        };
        match error {
            ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) => {
                Try::Done(Err(unreachable("nobody took the connection in time")))
            }
            ureq::Error::Timeout(_) => Try::Done(Err(deadline.missed(&self.endpoint.base))),
            ureq::Error::Io(io) if breaks(io.kind()) => {
                Try::Again(unreachable(&format!("it {broken}")), None)
            }
            ureq::Error::Io(io) if io.kind() == ErrorKind::ConnectionRefused => {
                Try::Done(Err(unreachable("nothing listens there")))
            }
            ureq::Error::BodyExceedsLimit(limit) => {
                let megabytes = limit / (1024 * 1024);
                Try::Done(Err(self.malformed(&format!("it is longer than {megabytes} MB"))))
            }
            ureq::Error::Protocol(_) | ureq::Error::LargeResponseHeader(..) => {
                Try::Done(Err(self.malformed("it is not HTTP; check the address")))
            }
            error => Try::Done(Err(unreachable(&error.to_string()))),
        }
    }

    fn malformed(&self, detail: &str) -> EmbedError {
        let endpoint = self.endpoint.base.clone();
        EmbedError::Malformed { endpoint, detail: self.readable(detail) }
    }

    /// Text from elsewhere as it may be shown: without the key, on one line, and not too long.
    fn readable(&self, text: &str) -> String {
        match &self.key {
            // Before it is cut, so that no part of a key is left at the end.
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

/// Whether a connection that stood went away, which a second try may mend.
fn breaks(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
            | ErrorKind::NotConnected
    )
}

/// `Retry-After` in seconds. The form with a date needs a clock that agrees with the server's;
/// it counts as absent.
fn seconds(header: &HeaderValue) -> Option<Duration> {
    header.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}

fn redirected(headers: &HeaderMap) -> String {
    let location = headers.get(LOCATION).and_then(|value| value.to_str().ok());
    let uri = location.and_then(|location| location.parse::<Uri>().ok());
    match uri.as_ref().and_then(Uri::host) {
        Some(host) => format!("it redirects to `{host}`, which is not followed; set that address"),
        None => "it redirects, which is not followed; set the address it leads to".to_owned(),
    }
}
