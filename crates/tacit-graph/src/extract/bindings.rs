//! Names that are bound inside of functions, and so mean nothing that is outside.

use std::collections::HashMap;

use crate::Language;
use crate::facts::{Definition, DefinitionKind, Import};
use crate::languages::is_script;

/// What binds names in the definitions of a file.
pub(super) struct Bindings<'a> {
    language: Language,
    /// For each definition and name, whether it hides what is outside; else it is an import.
    hidden: HashMap<(u32, &'a str), bool>,
    /// Names like `self` that are just names there.
    rebound: Vec<(u32, &'a str)>,
}

impl<'a> Bindings<'a> {
    pub(super) fn new(
        language: Language,
        imports: &'a [Import],
        binds: &[(u32, &'a str)],
        rebound: &[(u32, &'a str)],
    ) -> Bindings<'a> {
        let mut count: HashMap<(u32, &str), (usize, usize)> = HashMap::new();
        for place in binds {
            count.entry(*place).or_default().0 += 1;
        }
        for import in imports {
            if let (Some(scope), Some(local)) = (import.scope, import.form.local()) {
                count.entry((scope, local)).or_default().1 += 1;
            }
        }
        // `const a = require("./a")` binds what it imports, and nothing else.
        let is_script = is_script(language);
        let hides = |(binds, imports): (usize, usize)| binds > if is_script { imports } else { 0 };
        let hidden = count.into_iter().map(|(place, count)| (place, hides(count))).collect();
        Bindings { language, hidden, rebound: rebound.to_vec() }
    }

    /// Whether a name means something that is bound inside the functions around its use.
    pub(super) fn has(&self, definitions: &[Definition], from: Option<u32>, name: &str) -> bool {
        // Whatever the language calls the object at hand, it is not just any parameter.
        let is_own = match name {
            "self" | "cls" => !is_script(self.language),
            "this" | "super" | "$this" => true,
            _ => false,
        };
        let mut next = from;
        while let Some(at) = next {
            let definition = &definitions[at as usize];
            // Methods of Python do not see the names in the body of their class.
            let is_seen = next == from
                || self.language != Language::Python
                || definition.kind != DefinitionKind::Class;
            if is_own && self.rebound.contains(&(at, name)) {
                return true;
            }
            if let Some(hides) = self.hidden.get(&(at, name)).filter(|_| is_seen && !is_own) {
                return *hides;
            }
            next = definition.parent;
        }
        false
    }
}
