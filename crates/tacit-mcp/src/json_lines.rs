//! Reads lines from a client and answers those that are not JSON. The SDK would ignore them, and
//! the client would wait for ever.

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

/// The most bytes of a line, as in the SDK.
const MAX_LINE: usize = 16 << 20;

/// A reader that passes on JSON lines and reports all others.
struct JsonLines<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// The number of bytes passed on of the current line; `None` while the line is being read.
    passed: Option<usize>,
    /// True while the rest of a line that is too long is skipped.
    too_long: bool,
    rejected: UnboundedSender<()>,
}

impl<R: AsyncRead + Unpin> JsonLines<R> {
    /// Reads up to the end of a line. Returns true if there is a line to pass on.
    fn poll_line(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let available = ready!(Pin::new(&mut self.read).poll_fill_buf(context))?;
        let end = available.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
        let (length, at_end) = (end.unwrap_or(available.len()), available.is_empty());
        if !self.too_long {
            self.line.extend_from_slice(&available[..length]);
        }
        Pin::new(&mut self.read).consume(length);
        self.too_long |= self.line.len() > MAX_LINE;
        if self.too_long {
            self.line.clear();
        }
        if end.is_some() && (self.too_long || !is_message(&self.line)) {
            // The receiver may be gone when the connection closes.
            let _ = self.rejected.send(());
            self.line.clear();
            self.too_long = false;
            return Poll::Ready(Ok(false));
        }
        Poll::Ready(Ok(end.is_some() || at_end))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for JsonLines<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if let Some(passed) = self.passed {
                let rest = &self.line[passed..];
                let more = rest.len().min(buffer.remaining());
                buffer.put_slice(&rest[..more]);
                self.passed = Some(passed + more).filter(|passed| *passed < self.line.len());
                if self.passed.is_none() {
                    self.line.clear();
                }
                return Poll::Ready(Ok(()));
            }
            if ready!(self.poll_line(context))? {
                self.passed = Some(0);
            }
        }
    }
}

/// Returns true if a line is valid JSON or empty.
fn is_message(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
    line.is_empty() || serde_json::from_slice::<Value>(line).is_ok()
}

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// A transport like the SDK's that also answers lines that are not JSON.
pub(crate) struct JsonLinesConnection<R: AsyncRead + Unpin, W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, JsonLines<R>, W>,
    rejected: UnboundedReceiver<()>,
    /// An answer that is being sent. Kept here because `receive` may be cancelled meanwhile.
    sending: Option<Sending>,
}

impl<R, W> JsonLinesConnection<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W) -> JsonLinesConnection<R, W> {
        let (report, rejected) = unbounded_channel();
        let lines = JsonLines {
            read: BufReader::new(read),
            line: Vec::new(),
            passed: None,
            too_long: false,
            rejected: report,
        };
        JsonLinesConnection {
            inner: AsyncRwTransport::new_server(lines, write),
            rejected,
            sending: None,
        }
    }

    /// Starts to answer a line that is not JSON.
    fn reject(&mut self) {
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

impl<R, W> Transport<RoleServer> for JsonLinesConnection<R, W>
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
                Some(()) = self.rejected.recv() => self.reject(),
                message = self.inner.receive() => {
                    // The last line may still need an answer.
                    if message.is_none() && self.rejected.try_recv().is_ok() {
                        self.reject();
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
