//! The server: its sockets, its loop, and the way of a request through it.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State as Shared};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, Response, StatusCode, header};
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{sleep, timeout};

use crate::assets::Asset;
use crate::error::ApiError;
use crate::events::Seen;
use crate::guard::{check_media_type, check_origin, check_token, is_write};
use crate::host::ProjectHost;
use crate::route::{ApiReply, Requested};
use crate::state::{MAX_CONCURRENT, ServerState, held};
use crate::token::PanelToken;
use crate::{input, openapi, respond};

/// The address below which the API is.
pub(crate) const API: &str = "/api/v1";
/// The largest body of a request.
const LARGEST_BODY: usize = 1 << 20;
/// The time in which a body must arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two looks at the stores while a page listens.
const LOOK: Duration = Duration::from_millis(700);
/// The looks between two comments on an event stream.
const LOOKS_PER_PING: u32 = 20;
/// The time that open connections and running work have to end.
const SHUTDOWN: Duration = Duration::from_secs(3);
/// The threads for requests, and one for the look at the stores; jobs and questions have their own.
const THREADS: usize = MAX_CONCURRENT + 1;
/// The ports that are tried until one is free for both addresses.
const ATTEMPTS: usize = 16;

/// The options of a panel.
#[derive(Debug)]
pub struct PanelOptions {
    /// The port; 0 for any that is free.
    pub port: u16,
    /// The time without requests after which the server ends.
    pub idle: Option<Duration>,
    /// The token that requests must have.
    pub token: PanelToken,
    /// The files of the page.
    pub assets: &'static [Asset],
}

/// A server that is bound but does not answer yet.
pub struct PanelServer {
    listeners: Vec<TcpListener>,
    state: Arc<ServerState>,
}

impl PanelServer {
    /// Binds the loopback addresses.
    pub fn bind(host: Arc<dyn ProjectHost>, options: PanelOptions) -> io::Result<PanelServer> {
        let (listeners, port) = bind(options.port)?;
        let PanelOptions { token, assets, idle, .. } = options;
        let state = Arc::new(ServerState::new(host, token, port, assets, idle));
        Ok(PanelServer { listeners, state })
    }

    /// Returns the address to open, with the token where browsers do not send it anywhere.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.state.port, self.state.token.reveal())
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.state.port
    }

    /// Serves until Ctrl-C, until it was idle for too long, or until a stopper says so.
    pub fn run(self) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(THREADS)
            .thread_name(format!("panel-{}", self.state.port))
            .build()?;
        let served = runtime.block_on(serve(self.listeners, self.state));
        runtime.shutdown_timeout(SHUTDOWN);
        served
    }

    /// Returns a function that ends the server from another thread.
    pub fn stopper(&self) -> impl Fn() + Send + Sync + use<> {
        let state = self.state.clone();
        move || state.end.notify_one()
    }
}

/// Binds 127.0.0.1 and, if the machine has it, [::1], with the same port.
fn bind(port: u16) -> io::Result<(Vec<TcpListener>, u16)> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let v4 = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let chosen = v4.local_addr()?.port();
        match TcpListener::bind(SocketAddr::from((Ipv6Addr::LOCALHOST, chosen))) {
            Ok(v6) => return Ok((vec![v4, v6], chosen)),
            // Somebody else would answer there, in our name.
            Err(error) if error.kind() == ErrorKind::AddrInUse => {
                if port != 0 || attempt == ATTEMPTS {
                    return Err(error);
                }
            }
            Err(_) => return Ok((vec![v4], chosen)),
        }
    }
}

async fn serve(listeners: Vec<TcpListener>, state: Arc<ServerState>) -> io::Result<()> {
    let router = Router::new().fallback(answer).with_state(state.clone());
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let mut servers = Vec::new();
    for listener in listeners {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let mut stopped = stopped.clone();
        let server = axum::serve(listener, router.clone()).with_graceful_shutdown(async move {
            // If the other end is gone, the server ends as well.
            let _ = stopped.wait_for(|stopped| *stopped).await;
        });
        servers.push(tokio::spawn(server.into_future()));
    }
    let watching = tokio::spawn(watch(state.clone()));
    let reason = tokio::select! {
        () = interrupted() => "stopped",
        () = state.end.notified() => "stopped",
        () = idle(&state) => "idle",
    };
    state.hub.publish("bye", &json!({"reason": reason}));
    state.jobs.cancel_all();
    state.hub.close();
    watching.abort();
    let _ = stop.send(true);
    for server in servers {
        // A connection that stays open longer is cut.
        let _ = timeout(SHUTDOWN, server).await;
    }
    Ok(())
}

/// Waits until the user ends the program.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let Ok(mut ended) = signal(SignalKind::terminate()) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = ended.recv() => {}
        }
    }
    #[cfg(not(unix))]
    let _ = tokio::signal::ctrl_c().await;
}

/// Waits until no request came for too long.
async fn idle(state: &ServerState) {
    loop {
        match state.idle_left() {
            None => return std::future::pending().await,
            Some(_) if state.jobs.are_running() => {
                state.note_request();
                sleep(LOOK).await;
            }
            Some(left) if left.is_zero() => return,
            Some(left) => sleep(left).await,
        }
    }
}

/// Looks at the stores while a page listens.
async fn watch(state: Arc<ServerState>) {
    // It outlives a look that panics, which is then taken again.
    let seen = Arc::new(Mutex::new(Seen::default()));
    for number in 0_u32.. {
        if number % LOOKS_PER_PING == 0 {
            state.hub.ping();
            let shared = state.clone();
            let _ = tokio::task::spawn_blocking(move || shared.release_memory()).await;
        }
        // The first look is what later ones are compared with.
        if number > 0 && !state.hub.is_heard() {
            sleep(LOOK).await;
            continue;
        }
        let (shared, seen) = (state.clone(), seen.clone());
        let looked = tokio::task::spawn_blocking(move || {
            if let Ok(app) = shared.app() {
                // A store that cannot be read now is looked at again.
                let _ = held(&seen).look(&app, &shared.hub);
            }
        });
        let _ = looked.await;
        sleep(LOOK).await;
    }
}

/// Answers a request.
async fn answer(Shared(state): Shared<Arc<ServerState>>, request: Request) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let answered = serve_request(&state, &parts, body).await;
    respond::protected(answered.unwrap_or_else(|error| respond::error(&error)))
}

async fn serve_request(
    state: &Arc<ServerState>,
    parts: &Parts,
    body: Body,
) -> Result<Response<Body>, ApiError> {
    let path = parts.uri.path();
    let is_api = path == "/api" || path.starts_with("/api/");
    check_origin(parts, state.port, is_api)?;
    if !is_api {
        return page(state, parts);
    }
    check_token(parts, state)?;
    state.note_request();
    let path = path.strip_prefix(API).unwrap_or("");
    match path {
        "/events" | "/openapi.json" if parts.method != Method::GET => {
            return Ok(not_allowed(&parts.method, &[Method::GET.as_str()]));
        }
        "/events" => return listen(state).await,
        "/openapi.json" => {
            let body = openapi::document().to_string();
            return Ok(respond::fresh(StatusCode::OK, "application/json", body.into()));
        }
        _ => {}
    }
    let (index, names) = match find(state, path, &parts.method) {
        Ok(found) => found,
        Err(refused) => return Ok(*refused),
    };
    check_media_type(parts)?;
    let schema = state.routes[index].input_schema();
    let value = if is_write(&parts.method) {
        let read = timeout(BODY_TIMEOUT, to_bytes(body, LARGEST_BODY)).await;
        let late =
            |_| ApiError::new(StatusCode::REQUEST_TIMEOUT, "late", "the body did not arrive");
        let bytes = read.map_err(late)?.map_err(|_| {
            let status = StatusCode::PAYLOAD_TOO_LARGE;
            ApiError::new(status, "too_large", "the body is larger than 1 MiB")
        })?;
        input::body(&bytes, &schema)?
    } else {
        input::query(parts.uri.query().unwrap_or_default(), &schema)?
    };
    let ends = |_| ApiError::failure("the server ends");
    let route = &state.routes[index];
    let waiting = match route.waits {
        true => Some(state.waiting.clone().acquire_owned().await.map_err(ends)?),
        false => None,
    };
    let turn = state.turns.clone().acquire_owned().await.map_err(ends)?;
    // What waits for others needs its turn only as long as somebody waits for it.
    let (kept, given) = if route.waits { (Some(turn), None) } else { (None, Some(turn)) };
    let gone = Arc::new(AtomicBool::new(false));
    let _noticed = NoticeGone { gone: gone.clone(), _turn: kept };
    let shared = state.clone();
    let run = move || {
        let _held = (given, waiting);
        let route = &shared.routes[index];
        if route.waits && gone.load(Ordering::Relaxed) {
            return Err(ApiError::failure("the question was stopped"));
        }
        route.call(&shared.app()?, &shared, Requested { params: names, gone }, value)
    };
    let bug = || {
        ApiError::failure("the request failed because of a bug in tacit")
            .hint("the server continues; nothing that was acknowledged is lost")
    };
    let reply: ApiReply = if route.waits {
        // On a thread of its own, so that those of other requests stay free.
        let (answer, answered) = tokio::sync::oneshot::channel();
        let thread = std::thread::Builder::new().name("panel-question".to_owned());
        let started = thread.spawn(move || drop(answer.send(run())));
        started.map_err(|error| ApiError::failure(error.to_string()))?;
        answered.await.map_err(|_| bug())??
    } else {
        tokio::task::spawn_blocking(run).await.map_err(|_| bug())??
    };
    Ok(respond::reply(reply))
}

/// Notices that the client has gone, which drops the future of its request, and frees its turn.
struct NoticeGone {
    gone: Arc<AtomicBool>,
    _turn: Option<OwnedSemaphorePermit>,
}

impl Drop for NoticeGone {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}

/// Finds the route for a path and a method, or the answer if there is none.
fn find(
    state: &ServerState,
    path: &str,
    method: &Method,
) -> Result<(usize, Vec<String>), Box<Response<Body>>> {
    let mut allowed = Vec::new();
    // A path with fixed parts comes first, and is not also one that takes any name there.
    let address = state.routes.iter().find(|route| route.names(path).is_some());
    let address = address.map(|route| route.path);
    let all = state.routes.iter().enumerate();
    for (index, route) in all.filter(|(_, route)| Some(route.path) == address) {
        match route.names(path) {
            Some(names) if route.method == *method => return Ok((index, names)),
            _ => allowed.push(route.method.as_str()),
        }
    }
    if allowed.is_empty() {
        return Err(Box::new(respond::error(&ApiError::not_found("there is no such route"))));
    }
    Err(Box::new(not_allowed(method, &allowed)))
}

/// Answers that a route takes only these methods.
fn not_allowed(method: &Method, allowed: &[&str]) -> Response<Body> {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    let error = ApiError::new(status, "method", format!("the route does not take `{method}`"));
    let mut response = respond::error(&error);
    if let Ok(allowed) = HeaderValue::from_str(&allowed.join(", ")) {
        response.headers_mut().insert(header::ALLOW, allowed);
    }
    response
}

/// Answers with a file of the page.
fn page(state: &ServerState, parts: &Parts) -> Result<Response<Body>, ApiError> {
    if ![Method::GET, Method::HEAD].contains(&parts.method) {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        return Err(ApiError::new(status, "method", "files can only be read"));
    }
    if let Some(asset) = Asset::find(state.assets, parts.uri.path()) {
        return Ok(respond::asset(asset, &parts.method));
    }
    let text = match state.assets.is_empty() {
        true => "This build of tacit has no page; its API is at /api/v1.\n",
        false => "There is no such file.\n",
    };
    Ok(respond::fresh(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", text.into()))
}

/// Opens a stream of events.
async fn listen(state: &Arc<ServerState>) -> Result<Response<Body>, ApiError> {
    let shared = state.clone();
    // Opening the project reads files and asks git, for which other requests must not wait.
    let opened = tokio::task::spawn_blocking(move || shared.app().map(|app| app.now()));
    let now = opened.await.map_err(|_| ApiError::failure("the project cannot be opened"))??;
    let hello = json!({"version": env!("CARGO_PKG_VERSION"), "now": now});
    let stream = state.hub.listen("hello", &hello).ok_or_else(|| {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        ApiError::new(status, "busy", "too many pages listen").hint("close some of them")
    })?;
    let body = Body::from_stream(stream);
    Ok(respond::fresh(StatusCode::OK, "text/event-stream", body))
}
