//! The files that memories like a text are about.

use std::collections::BTreeMap;

use tacit_store::Filter;

use crate::Engine;
use crate::error::EngineResult;
use crate::recall::{Channels, Recall};

/// So many memories are believed.
const MEMORIES: usize = 5;
/// A memory about more files than this tells nothing about any of them.
const FILES: usize = 10;
/// So much of a text is compared.
const LONGEST: usize = 2_000;

impl Engine<'_> {
    /// The files of memories that are like a text, each with how likely the memory is about it, from 0
    /// to 1, and the short id of the memory. Searched by words, so that no model is loaded.
    pub fn files_about(&self, text: &str) -> EngineResult<Vec<(String, f32, String)>> {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let recall = Recall {
            channels: Channels::Words,
            ..Recall::explicit(text, Filter::default(), MEMORIES)
        };
        let mut best: BTreeMap<String, (f32, String)> = BTreeMap::new();
        for recalled in self.recall(&recall)?.shown {
            let memory = &recalled.found.memory;
            let likely = recalled.why.map_or(0.0, |why| why.likelihood) as f32;
            let files: Vec<String> = memory.said.files.iter().map(ToString::to_string).collect();
            if files.len() > FILES {
                continue;
            }
            let strength = likely / (files.len().max(1) as f32).sqrt();
            for file in files {
                let id = memory.id.short().to_string();
                let known = best.entry(file).or_default();
                if strength > known.0 {
                    *known = (strength, id);
                }
            }
        }
        Ok(best.into_iter().map(|(file, (strength, id))| (file, strength, id)).collect())
    }
}
