//! The MCP protocol: handles requests and converts results.

use std::sync::{Arc, Mutex};

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use tacit_core::{SessionId, visible_line};
use tacit_fs::failpoint::reach;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinError;

use crate::host::Host;
use crate::instructions::INSTRUCTIONS;
use crate::tool_context::{ToolContext, client_name};
use crate::tool_result::{ToolError, ToolResult};
use crate::{prompts, resources, tools};

/// The number of calls of one client that run at once; others wait.
const MAX_CONCURRENT: usize = 4;
/// The time clients may cache the lists, in milliseconds; they do not change while the server runs.
const CACHE_MS: u64 = 3_600_000;

/// The server for one client.
pub(crate) struct Server {
    host: Arc<dyn Host>,
    connection: SessionId,
    turns: Arc<Semaphore>,
    maintaining: Arc<Mutex<bool>>,
}

impl Server {
    pub(crate) fn new(host: Arc<dyn Host>) -> Server {
        let id = host.app().environment.ids.next_id(host.app().now());
        let connection = SessionId::new(format!("mcp-{id}"))
            .unwrap_or_else(|_| unreachable!("an identifier has no spaces"));
        let turns = Arc::new(Semaphore::new(MAX_CONCURRENT));
        Server { host, connection, turns, maintaining: Arc::default() }
    }

    /// Runs blocking work on its own thread, unless the call is cancelled before its turn.
    async fn work<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&ToolContext<'_>) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let turns = self.turns.clone();
        let turn = tokio::select! {
            () = context.ct.cancelled() => return Err(ToolError::Cancelled),
            turn = turns.acquire_owned() => turn.map_err(|_| ToolError::Cancelled)?,
        };
        let (progress, mut steps) = mpsc::unbounded_channel::<(usize, usize)>();
        let client = context.client_info().map_or_else(
            || client_name("", ""),
            |client| client_name(&client.name, &client.version),
        );
        let (host, connection) = (self.host.clone(), self.connection.clone());
        let maintaining = self.maintaining.clone();
        let ct = context.ct.clone();
        let mut task = tokio::task::spawn_blocking(move || {
            let ctx = ToolContext {
                host: host.as_ref(),
                maintaining,
                client,
                connection,
                progress: Box::new(move |done, total| {
                    // A cancelled call has no receiver.
                    let _ = progress.send((done, total));
                }),
                cancelled: Box::new(move || ct.is_cancelled()),
            };
            let result = work(&ctx);
            drop(turn);
            result
        });
        let token = context.meta.get_progress_token();
        loop {
            tokio::select! {
                biased;
                // A write that has started completes, but the client does not wait for it.
                () = context.ct.cancelled() => return Err(ToolError::Cancelled),
                Some((done, total)) = steps.recv() => {
                    if let Some(token) = &token {
                        let step = ProgressNotificationParam::new(token.clone(), done as f64)
                            .with_total(total as f64);
                        // If the client is gone, the transport reports that.
                        let _ = context.peer.notify_progress(step).await;
                    }
                }
                done = &mut task => {
                    return done.unwrap_or_else(|error| Err(panic_error(error)));
                }
            }
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(
                Implementation::new("tacit", env!("CARGO_PKG_VERSION")).with_title("Tacit"),
            )
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult {
            ttl_ms: Some(CACHE_MS),
            cache_scope: Some(CacheScope::Public),
            ..ListToolsResult::with_all_items(tools())
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name).map(tools::ToolSpec::tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(spec) = tools::find(&request.name) else {
            let name = crate::tool_result::shortened(&request.name, 100);
            return Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let result = self
            .work(&context, move |ctx| {
                reach("tool", spec.name);
                (spec.run)(ctx, arguments)
            })
            .await;
        Ok(to_call_result(result).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult {
            ttl_ms: Some(CACHE_MS),
            cache_scope: Some(CacheScope::Public),
            ..ListResourcesResult::with_all_items(resources())
        })
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult {
            ttl_ms: Some(CACHE_MS),
            cache_scope: Some(CacheScope::Public),
            ..ListResourceTemplatesResult::with_all_items(resources::resource_templates())
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = self
            .work(&context, move |ctx| {
                reach("resource", &request.uri);
                resources::read(ctx, &request.uri)
            })
            .await;
        read.map(ReadResourceResponse::from).map_err(|refusal| match refusal {
            ToolError::NotFound(_) => ErrorData::resource_not_found(refusal.text(), None),
            _ => ErrorData::internal_error(refusal.text(), None),
        })
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult {
            ttl_ms: Some(CACHE_MS),
            cache_scope: Some(CacheScope::Public),
            ..ListPromptsResult::with_all_items(prompts())
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let made = self
            .work(&context, move |ctx| {
                reach("prompt", &request.name);
                prompts::prompt(ctx, &request.name, &arguments)
            })
            .await;
        made.map(GetPromptResponse::from)
            .map_err(|refusal| ErrorData::invalid_params(refusal.text(), None))
    }
}

/// Describes a call that panicked. The server and its other calls continue.
fn panic_error(error: JoinError) -> ToolError {
    let Ok(panic) = error.try_into_panic() else { return ToolError::Cancelled };
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = visible_line(&tacit_redact::redact(text.unwrap_or("no message")).text);
    ToolError::error(format!("the call failed because of a bug in tacit: {text}"))
}

fn to_call_result(result: ToolResult) -> CallToolResult {
    match result {
        Ok(answer) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
            result.structured_content = Some(answer.value);
            result
        }
        Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.text())]),
    }
}
