//! What `require` means in Ruby, and which constants are known where: those of files that are
//! loaded together, and in applications with an `app` directory, those that are loaded by name.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::builtin;
use crate::Language;
use crate::facts::{Import, Reference, ReferenceKind};
use crate::graph::EdgeOrigin;
use crate::link::{enclosing_scopes, is_test_path, qualify};
use crate::project::{
    FileId, ImportTarget, LookupStep, MemberScope, OpenNamespaces, ProjectIndex, Resolver,
    ancestors, join, parent, reachable,
};

pub(crate) struct Ruby<'a> {
    index: &'a ProjectIndex<'a>,
    /// Directories with a `Gemfile` or a gemspec.
    gems: BTreeSet<&'a str>,
    /// The files by which each file is loaded; the file itself if by none.
    entries: BTreeMap<FileId, Vec<FileId>>,
    /// What each such file loads, in order.
    loaded: BTreeMap<FileId, BTreeSet<FileId>>,
    /// For files in `app`: the directory of the application, and the constant they hold.
    by_name: BTreeMap<FileId, (&'a str, String)>,
    /// The files that are to hold a constant, by their names, in order.
    homes: HashMap<String, Vec<FileId>>,
    /// Classes that say what they are based on, which only their definitions do.
    based: HashSet<(FileId, u32)>,
}

impl<'a> Ruby<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> Ruby<'a> {
        let gemfiles = index.manifests("Gemfile").map(|(directory, _)| directory);
        let gemspecs = index.manifests_ending(".gemspec").map(|(directory, _)| directory);
        let mut ruby = Ruby {
            index,
            gems: gemfiles.chain(gemspecs).collect(),
            entries: BTreeMap::new(),
            loaded: BTreeMap::new(),
            by_name: BTreeMap::new(),
            homes: HashMap::new(),
            based: HashSet::new(),
        };
        let mut direct: BTreeMap<FileId, Vec<FileId>> = BTreeMap::new();
        for (file, facts) in index.parsed(|language| language == Language::Ruby) {
            let required =
                facts.imports.iter().filter_map(|import| match ruby.resolve_import(file, import) {
                    ImportTarget::File(to, _) if to != file => Some(to),
                    _ => None,
                });
            direct.insert(file, required.collect());
            if let Some(found) = ruby.named(index.path(file)) {
                ruby.by_name.insert(file, found);
            }
            if let Some(constant) = ruby.held(file) {
                ruby.homes.entry(constant).or_default().push(file);
            }
            let bases = facts.references.iter().filter(|one| one.kind == ReferenceKind::Extends);
            ruby.based.extend(bases.filter_map(|one| Some((file, one.from?))));
        }
        ruby.load(&direct);
        ruby
    }

    /// Finds out what is loaded together. What tests load is no reason for the code to know them.
    fn load(&mut self, direct: &BTreeMap<FileId, Vec<FileId>>) {
        let index = self.index;
        let is_test = |file: FileId| is_test_path(index.path(file));
        let mut inner: BTreeSet<FileId> = BTreeSet::new();
        for (file, required) in direct.iter().filter(|(file, _)| !is_test(**file)) {
            inner.extend(required.iter().filter(|to| *to != file));
        }
        // Files that require each other in a circle would have no beginning.
        let mut begun: BTreeSet<FileId> = BTreeSet::new();
        let (outer, circles): (Vec<FileId>, Vec<FileId>) =
            direct.keys().partition(|file| !inner.contains(*file));
        for file in outer.into_iter().chain(circles) {
            if inner.contains(&file) && begun.contains(&file) {
                continue;
            }
            let seen = reachable([file], |at| direct.get(&at).into_iter().flatten().copied());
            for at in &seen {
                if *at == file || !is_test(file) {
                    self.entries.entry(*at).or_default().push(file);
                }
            }
            if !is_test(file) {
                begun.extend(&seen);
            }
            self.loaded.insert(file, seen);
        }
    }

    /// What a file in `app` is loaded as: `app/models/shop/cart.rb` holds `Shop::Cart`. Compared
    /// without case and underscores, because the names of some are written `HTML`.
    fn named(&self, path: &'a str) -> Option<(&'a str, String)> {
        let (before, rest) = match path.strip_prefix("app/") {
            Some(rest) => ("", rest),
            None => path.split_once("/app/")?,
        };
        if !self.gems.contains(before) {
            return None;
        }
        let (_, below) = rest.split_once('/')?;
        let below = below.strip_prefix("concerns/").unwrap_or(below);
        Some((before, folded(below.strip_suffix(".rb")?)))
    }

    /// The constant that a file is to hold, by its name, as it is compared.
    fn held(&self, file: FileId) -> Option<String> {
        if let Some((_, constant)) = self.by_name.get(&file) {
            return Some(constant.clone());
        }
        let below = self.index.path(file).strip_prefix(self.gem(file)?)?;
        let below = below.trim_start_matches('/').strip_prefix("lib/")?;
        Some(folded(below.strip_suffix(".rb")?))
    }

    /// The files of a path without an ending.
    fn at(&self, directory: &str, path: &str) -> Option<FileId> {
        let path = join(directory, path)?;
        self.index
            .file(&format!("{path}.rb"))
            .or_else(|| self.index.file(&path).filter(|_| path.ends_with(".rb")))
    }

    /// The gem or application that a file is in.
    fn gem(&self, file: FileId) -> Option<&'a str> {
        ancestors(parent(self.index.path(file))).find(|above| self.gems.contains(above))
    }

    fn required(&self, from: FileId, module: &str) -> ImportTarget {
        let found = |file: FileId| ImportTarget::File(file, EdgeOrigin::Manifest);
        let own = self.gem(from);
        let below = |gem: &str, folder: &str| self.at(&join(gem, folder)?, module);
        if let Some(own) = own {
            // Test runners put their own directory and `lib` where is searched.
            let here = self.index.path(from);
            let tests = ["spec", "test"].into_iter().filter(|folder| {
                join(own, folder).is_some_and(|at| here.starts_with(&format!("{at}/")))
            });
            if let Some(file) = { tests }.chain(["lib"]).find_map(|folder| below(own, folder)) {
                return found(file);
            }
        }
        let others: BTreeSet<FileId> =
            self.gems.iter().filter_map(|gem| below(gem, "lib")).collect();
        match (others.len(), others.first()) {
            (1, Some(file)) => found(*file),
            (0, _) => {
                let first = module.split('/').next().unwrap_or(module);
                let ours = own.and_then(|own| join(own, &format!("lib/{first}")));
                let is_ours = module.contains('/')
                    && ours.is_some_and(|directory| self.index.is_directory(&directory));
                if is_ours { ImportTarget::Missing } else { ImportTarget::External }
            }
            _ => ImportTarget::Missing,
        }
    }
}

/// A name of a file or a constant as both are compared.
fn folded(name: &str) -> String {
    let name = name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase);
    name.map(|c| if c == '/' { '.' } else { c }).collect()
}

impl Resolver for Ruby<'_> {
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget {
        match import.module.strip_prefix("./") {
            Some(path) => {
                self.at(parent(self.index.path(from)), path).map_or(ImportTarget::Missing, |file| {
                    ImportTarget::File(file, EdgeOrigin::Relative)
                })
            }
            None => self.required(from, &import.module),
        }
    }

    fn open_namespaces(&self) -> Option<&dyn OpenNamespaces> {
        Some(self)
    }
}

impl OpenNamespaces for Ruby<'_> {
    fn lookup_steps(&self, _from: FileId, scope: &str, first: &str) -> Vec<LookupStep> {
        let spaces = enclosing_scopes(scope).filter(|_| first.starts_with(char::is_uppercase));
        let mut steps: Vec<LookupStep> =
            spaces.map(|space| LookupStep::one(qualify(space, first))).collect();
        // A function outside of all classes is known everywhere.
        if steps.is_empty() {
            steps.push(LookupStep::function(first.to_owned()));
        }
        steps
    }

    fn sees(&self, from: FileId, to: FileId, full: &str) -> bool {
        if let Some((application, constant)) = self.by_name.get(&to)
            && self.gem(from) == Some(application)
        {
            let full = folded(full);
            // What it holds, what that holds, and the modules that its path makes.
            let is_in = |inner: &str, outer: &str| {
                let rest = inner.strip_prefix(outer);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            return is_in(&full, constant) || is_in(constant, &full);
        }
        if is_test_path(self.index.path(to)) && !is_test_path(self.index.path(from)) {
            return false;
        }
        let entries = self.entries.get(&from).into_iter().flatten();
        let mut loaded = entries.filter_map(|entry| self.loaded.get(entry));
        loaded.any(|files| files.contains(&to))
    }

    fn only_reopens(&self, full: &str, seen: &[(FileId, u32)], all: &[(FileId, u32)]) -> bool {
        if builtin::is_core(full) {
            return true;
        }
        let homes = self.homes.get(&folded(full)).map_or(&[][..], Vec::as_slice);
        let is_home = |(file, _): &(FileId, u32)| homes.binary_search(file).is_ok();
        (builtin::is_standard(full) || (!homes.is_empty() && all.iter().any(is_home)))
            && !seen.iter().any(|place| is_home(place) || self.based.contains(place))
    }

    fn is_home(&self, path: &str, name: &str) -> bool {
        let file = path.rsplit('/').next().unwrap_or(path);
        file.strip_suffix(".rb").is_some_and(|stem| folded(stem) == folded(name))
    }

    /// `Cart.make` is defined as `self.make` in `Cart`.
    fn as_defined<'p>(&self, path: &'p [String]) -> Cow<'p, [String]> {
        match path {
            [outer @ .., last] if path.len() > 1 && !last.starts_with(char::is_uppercase) => {
                let own = format!("self.{last}");
                Cow::Owned(outer.iter().cloned().chain([own]).collect())
            }
            _ => Cow::Borrowed(path),
        }
    }

    fn own_member_name<'n>(&self, scope: &str, class: &str, name: &'n str) -> Cow<'n, str> {
        let rest = scope.strip_prefix(class).unwrap_or_default();
        let of_class = rest.is_empty() || rest == ".self" || rest.starts_with(".self.");
        if of_class { Cow::Owned(format!("self.{name}")) } else { Cow::Borrowed(name) }
    }

    /// What is included last comes first, and the superclass last.
    fn order_bases(&self, bases: &mut [&Reference]) {
        bases.reverse();
    }

    fn member_scope(&self) -> MemberScope {
        MemberScope::Innermost
    }

    fn may_be_inherited(&self, name: &str) -> bool {
        !name.starts_with(char::is_uppercase)
    }
}
