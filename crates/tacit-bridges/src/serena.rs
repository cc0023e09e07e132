//! Reads the memories of Serena: markdown files about topics of a project. Its onboarding describes
//! the project there, which the code says better; rules, warnings and commands are memories.

use tacit_core::BuiltinType;

use crate::ImportItem;
use crate::blocks::blocks;
use crate::draft::{self, Attribution};
use crate::rules::statement;
use crate::written;

pub(crate) fn read(name: &str, text: &str) -> Vec<ImportItem> {
    let mut items = Vec::new();
    for block in blocks(text, 1) {
        let statement = match written::is_rule(&block) {
            true => statement(name, &block).map(|mut statement| {
                statement.kind = Some(BuiltinType::infer(&block.text));
                statement
            }),
            false => Err("describes the project"),
        };
        items.extend(draft::items(statement, block.line, Attribution::agent("serena")));
    }
    items
}
