//! Running the server: a connection from its first byte to its last.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::host::Host;
use crate::json_lines::Connection;
use crate::server::Server;

/// Threads for calls, and for the standard streams where they can only be read by waiting.
const THREADS: usize = 8;
/// How long the end of the program waits for calls that nobody waits for any more.
const PATIENCE: Duration = Duration::from_secs(5);

/// Serves one client until it goes. A client that goes before it has introduced itself is none.
pub async fn serve<R, W>(host: Arc<dyn Host>, read: R, write: W) -> io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    match Server::new(host).serve(Connection::new(read, write)).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// Serves the client at the other end of the standard streams, with a runtime of its own.
pub fn serve_standard_streams(host: Arc<dyn Host>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()?;
    let served = runtime.block_on(async {
        let (read, write) = rmcp::transport::io::stdio_pipes();
        serve(host, read, write).await
    });
    // A thread may still wait for standard input, which perhaps never ends.
    runtime.shutdown_timeout(PATIENCE);
    served
}
