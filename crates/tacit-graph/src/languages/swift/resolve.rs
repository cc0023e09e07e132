//! What names mean in Swift: the files of one target know each other, and what other targets export
//! where they are imported.

use std::collections::BTreeMap;

use super::TESTABLE;
use super::package::{Target, targets};
use crate::Language;
use crate::facts::Import;
use crate::graph::Origin;
use crate::link::{inside, outward};
use crate::project::{FileId, Found, Index, Open, Resolver, Step};

pub(crate) struct Swift<'a> {
    index: &'a Index<'a>,
    targets: Vec<Target>,
    /// The target of each file, by its place in the list.
    homes: BTreeMap<FileId, usize>,
}

impl<'a> Swift<'a> {
    pub(crate) fn new(index: &'a Index<'a>) -> Swift<'a> {
        let targets = targets(index);
        let mut homes = BTreeMap::new();
        for (file, _) in index.parsed(|language| language == Language::Swift) {
            let path = index.path(file);
            let around = targets.iter().enumerate().filter(|(_, target)| {
                let rest = path.strip_prefix(target.directory.as_str());
                rest.is_some_and(|rest| target.directory.is_empty() || rest.starts_with('/'))
            });
            // The innermost directory decides.
            if let Some((at, _)) = around.max_by_key(|(_, target)| target.directory.len()) {
                homes.insert(file, at);
            }
        }
        Swift { index, targets, homes }
    }
}

impl Resolver for Swift<'_> {
    fn import(&self, _from: FileId, import: &Import) -> Found {
        let name = import.module.strip_prefix(TESTABLE).unwrap_or(&import.module);
        // Which files are meant is known by what is used of it.
        match self.targets.iter().filter(|target| target.name == name).count() {
            0 => Found::External,
            1 => Found::Package(Vec::new(), Origin::Manifest),
            _ => Found::Missing,
        }
    }

    fn open(&self) -> Option<&dyn Open> {
        Some(self)
    }
}

impl Open for Swift<'_> {
    fn steps(&self, _from: FileId, scope: &str, first: &str) -> Vec<Step> {
        outward(scope).map(|space| Step::one(inside(space, first))).collect()
    }

    fn sees(&self, from: FileId, to: FileId, full: &str) -> bool {
        let (Some(here), Some(there)) = (self.homes.get(&from), self.homes.get(&to)) else {
            return false;
        };
        if here == there {
            return true;
        }
        let (Some(facts), Some(other)) = (self.index.facts(from), self.index.facts(to)) else {
            return false;
        };
        let name = self.targets[*there].name.as_str();
        let twice = self.targets.iter().filter(|target| target.name == name).count() > 1;
        let top = full.split('.').next().unwrap_or(full);
        let is_public = || other.exports.iter().any(|export| export.name == top);
        !twice
            && facts.imports.iter().any(|import| match import.module.strip_prefix(TESTABLE) {
                Some(module) => module == name,
                None => import.module == name && is_public(),
            })
    }

    /// A name of the own target hides those of others.
    fn is_near(&self, from: FileId, to: FileId) -> bool {
        self.homes.get(&from).is_some_and(|here| self.homes.get(&to) == Some(here))
    }

    fn inherits_names(&self) -> bool {
        true
    }

    fn hides_private(&self) -> bool {
        true
    }

    /// Types are written with a large letter, members with a small one.
    fn may_be_inherited(&self, name: &str) -> bool {
        !name.starts_with(char::is_uppercase)
    }
}
