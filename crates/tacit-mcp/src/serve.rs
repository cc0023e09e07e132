//! Runs the server for one connection.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::host::Host;
use crate::json_lines::JsonLinesConnection;
use crate::server::Server;

/// The number of threads for calls and for blocking reads of standard input.
const THREADS: usize = 8;
/// The time the program waits for running calls before it exits.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Serves one client until it disconnects. Disconnecting before the handshake is not an error.
pub async fn serve<R, W>(host: Arc<dyn Host>, read: R, write: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    match Server::new(host).serve(JsonLinesConnection::new(read, write)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Serves the client on standard input and output, with its own runtime.
pub fn serve_standard_streams(host: Arc<dyn Host>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()?;
    let served = runtime.block_on(async {
        let (read, write) = rmcp::transport::io::stdio_pipes();
        serve(host, read, write).await
    });
    // A thread may still wait for standard input, which may never end.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    served
}
