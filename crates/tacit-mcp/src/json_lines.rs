//! Lines that a client writes: those that are no JSON are answered, where the SDK would say nothing
//! and leave whoever wrote them waiting.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::ErrorData;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A longer line is not read; the SDK takes none that is.
const LONGEST: usize = 16 << 20;

/// Passes on lines that are JSON, and tells of others.
struct JsonLines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// How many bytes of a line that is passed on were taken; none while it is read.
    taken: Option<usize>,
    /// Whether the rest of a line is passed over.
    too_long: bool,
    refused: UnboundedSender<()>,
}

impl<R: AsyncRead + Unpin> JsonLines<R> {
    /// Reads on, to the end of a line at most; whether there is a line to be passed on.
    fn poll_line(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let available = ready!(Pin::new(&mut self.read).poll_fill_buf(context))?;
        let end = available.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let (length, is_over) = (end.unwrap_or(available.len()), available.is_empty());
        if !self.too_long {
            self.line.extend_from_slice(&available[..length]);
        }
        Pin::new(&mut self.read).consume(length);
        self.too_long |= self.line.len() > LONGEST;
        if self.too_long {
            self.line.clear();
        }
        if end.is_some() && (self.too_long || !is_message(&self.line)) {
            // Nobody listens any more at the end.
            let _ = self.refused.send(());
            self.line.clear();
            self.too_long = false;
            return Poll::Ready(Ok(false));
        }
        Poll::Ready(Ok(end.is_some() || is_over))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for JsonLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if let Some(taken) = self.taken {
                let rest = &self.line[taken..];
                let more = rest.len().min(buffer.remaining());
                buffer.put_slice(&rest[..more]);
                self.taken = Some(taken + more).filter(|taken| *taken < self.line.len());
                if self.taken.is_none() {
                    self.line.clear();
                }
                return Poll::Ready(Ok(()));
            }
            if ready!(self.poll_line(context))? {
                self.taken = Some(0);
            }
        }
    }
}

/// Whether a line is JSON that can be read, or empty.
fn is_message(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    line.is_empty() || serde_json::from_slice::<Value>(line).is_ok()
}

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// The way to a client: that of the SDK, with an answer to what is no JSON.
pub(crate) struct Connection<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, JsonLines<R>, W>,
    refused: UnboundedReceiver<()>,
    /// An answer that is on its way. Whoever waits for the next message may stop waiting meanwhile.
    sending: Option<Sending>,
}

impl<R, W> Connection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W) -> Connection<R, W> {
        let (tell, refused) = unbounded_channel();
        let lines = JsonLines {
            read: BufReader::new(read),
            line: Vec::new(),
            taken: None,
            too_long: false,
            refused: tell,
        };
        Connection { inner: AsyncRwTransport::new_server(lines, write), refused, sending: None }
    }

    /// Begins to answer a line that is no JSON.
    fn refuse(&mut self) {
        let error = ErrorData::parse_error("Parse error", None);
        let answer = TxJsonRpcMessage::<RoleServer>::error(error, None);
        self.sending = Some(Box::pin(self.inner.send(answer)));
    }

    async fn sent(&mut self) -> io::Result<()> {
        let Some(sending) = &mut self.sending else { return Ok(()) };
        let sent = sending.await;
        self.sending = None;
        sent
    }
}

impl<R, W> Transport<RoleServer> for Connection<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.inner.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.sent().await.ok()?;
            tokio::select! {
                biased;
                Some(()) = self.refused.recv() => self.refuse(),
                message = self.inner.receive() => {
                    // The last line may be one that is to be answered.
                    if message.is_none() && self.refused.try_recv().is_ok() {
                        self.refuse();
                        continue;
                    }
                    return message;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.inner.close().await
    }
}
