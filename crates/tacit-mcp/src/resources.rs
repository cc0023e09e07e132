//! Resources: memories by their address, and the list of them.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use tacit_agents::safe_text;
use tacit_engine::StoreAccess;
use tacit_store::{Filter, ListOrder};

use crate::show::{headline, record};
use crate::tool_context::ToolContext;
use crate::tool_result::{ToolError, shortened};

/// The address of the list.
const INDEX: &str = "tacit://index";
/// What the address of a memory begins with.
const MEMORY: &str = "tacit://memory/";
/// How many memories are in the list.
const MOST: usize = 200;

/// The resources that can be named.
pub fn resources() -> Vec<Resource> {
    vec![
        Resource::new(INDEX, "index")
            .with_title("Memories of this project")
            .with_description("The newest 200 memories in use, one in a line")
            .with_mime_type("text/plain"),
    ]
}

/// The resources that have a name only when something is put into it.
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
    let found = engine.list(None, &Filter::default(), ListOrder::Newest, MOST, 0)?;
    let lines: Vec<String> = found
        .iter()
        .map(|found| {
            let memory = &found.memory;
            let line = safe_text(&headline(memory)).replace('\n', " ");
            format!("{}  {}  {line}", memory.id.short(), memory.memory_type())
        })
        .collect();
    Ok(if lines.is_empty() { "No memory is kept yet.".to_owned() } else { lines.join("\n") })
}
