//! The places in the code that a memory is about.

use tacit_codebase::CodebaseError;
use tacit_core::Memory;
use tacit_graph::find_target;
use tacit_store::CodeLink;

use crate::app::App;
use crate::error::AppResult;
use crate::graph::main_codebase;

/// A place in the code that a memory is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryLocation {
    /// The path of the file, from the root of the project.
    pub path: String,
    /// The first line of the symbol, as of the last index of the code.
    pub line: Option<u32>,
    /// The symbol, if the memory is linked to one.
    pub symbol: Option<String>,
    /// False if the file is not there.
    pub exists: bool,
}

/// Returns the symbols that a memory is linked to, then its other files.
pub fn locations(app: &App, memory: &Memory, links: &[CodeLink]) -> AppResult<Vec<MemoryLocation>> {
    let codebase = main_codebase(app);
    let graph = match codebase.open() {
        Ok(graph) => Some(graph),
        Err(CodebaseError::Missing { .. } | CodebaseError::Damaged { .. }) => None,
        Err(error) => return Err(error.into()),
    };
    let line = |path: &str, name: &str| {
        let graph = graph.as_ref()?.packed();
        let node = *find_target(&graph, path, Some(name)).ok()?.first()?;
        graph.node(node).map(|node| node.line).filter(|line| *line > 0)
    };
    let exists = |path: &str| app.worktree().join(path).exists();
    let mut locations: Vec<MemoryLocation> = links
        .iter()
        .map(|link| {
            let (path, name) = (link.symbol.path(), link.symbol.name());
            MemoryLocation {
                line: line(path.as_str(), name),
                symbol: Some(name.to_owned()),
                exists: exists(path.as_str()),
                path: path.to_string(),
            }
        })
        .collect();
    for file in memory.body.files.iter() {
        if locations.iter().all(|known| known.path != file.as_str()) {
            let exists = exists(file.as_str());
            let path = file.to_string();
            locations.push(MemoryLocation { path, line: None, symbol: None, exists });
        }
    }
    Ok(locations)
}
