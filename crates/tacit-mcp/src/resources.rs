//! Resources: memories by their URI, and a list of them.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use tacit_agents::safe_text;
use tacit_engine::StoreAccess;
use tacit_store::{Filter, ListOrder};

use crate::show::{headline, record};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolError, shortened};

/// The URI of the list.
const INDEX: &str = "tacit://index";
/// The URI prefix of a memory.
const MEMORY: &str = "tacit://memory/";
/// The maximum number of memories listed.
const MAX_LISTED: usize = 200;

/// Lists the resources with a fixed URI.
pub fn resources() -> Vec<Resource> {
    vec![
        Resource::new(INDEX, "index")
            .with_title("Memories of this project")
            .with_description("The 200 newest active memories, one per line")
            .with_mime_type("text/plain"),
    ]
}

/// Lists the URI templates.
pub fn resource_templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{MEMORY}{{id}}"), "memory")
            .with_title("A memory")
            .with_description("One memory with all its fields")
            .with_mime_type("application/json"),
    ]
}

/// Reads a resource.
pub(crate) fn read(ctx: &ToolContext<'_>, uri: &str) -> Result<ReadResourceResult, ToolError> {
    let contents = if uri == INDEX {
        ResourceContents::text(index(ctx)?, uri).with_mime_type("text/plain")
    } else if let Some(id) = uri.strip_prefix(MEMORY) {
        let found = ctx.engine(StoreAccess::ReadBoth)?.find(id)?;
        let text = format!("{:#}", record(&found));
        ResourceContents::text(text, uri).with_mime_type("application/json")
    } else {
        let uri = shortened(uri, 100);
        return Err(ToolError::NotFound(format!("Error: there is no resource `{uri}`")));
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

fn index(ctx: &ToolContext<'_>) -> Result<String, ToolError> {
    let engine = ctx.engine(StoreAccess::ReadBoth)?;
    let found = engine.list(None, &Filter::default(), ListOrder::Newest, MAX_LISTED, 0)?;
    let lines: Vec<String> = found
        .iter()
        .map(|found| {
            let memory = &found.memory;
            let line = safe_text(&headline(memory)).replace('\n', " ");
            format!("{}  {}  {line}", memory.id.short(), memory.memory_type())
        })
        .collect();
    Ok(if lines.is_empty() { "There are no memories yet.".to_owned() } else { lines.join("\n") })
}
