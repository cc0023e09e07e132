//! Local names: what functions bind hides definitions outside.

use std::collections::HashMap;

use crate::Language;
use crate::facts::{Definition, DefinitionKind, Import};
use crate::languages::is_script;

/// The names that are bound in each definition of a file.
pub(super) struct Bindings<'a> {
    language: Language,
    /// For each definition and name: true if it hides names outside, false if it is only an import.
    hidden: HashMap<(u32, &'a str), bool>,
    /// Names such as `self` that are ordinary parameters there.
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
        // `const a = require("./a")` is one import and one binding of the same name.
        let is_script = is_script(language);
        let hides = |(binds, imports): (usize, usize)| binds > if is_script { imports } else { 0 };
        let hidden = count.into_iter().map(|(place, count)| (place, hides(count))).collect();
        Bindings { language, hidden, rebound: rebound.to_vec() }
    }

    /// Returns true if a name refers to something bound in the functions around its use.
    pub(super) fn is_bound(
        &self,
        definitions: &[Definition],
        from: Option<u32>,
        name: &str,
    ) -> bool {
        // The name of the current object is not an ordinary parameter.
        let is_receiver = match name {
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
            if is_receiver && self.rebound.contains(&(at, name)) {
                return true;
            }
            if let Some(hides) = self.hidden.get(&(at, name)).filter(|_| is_seen && !is_receiver) {
                return *hides;
            }
            next = definition.parent;
        }
        false
    }
}
