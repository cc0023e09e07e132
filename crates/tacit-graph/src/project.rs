//! The files of a project as resolvers see them: paths, facts and manifests, no file system.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::Language;
use crate::facts::{FileFacts, Import, Reference};
use crate::graph::EdgeOrigin;
use crate::scip::ScipIndex;
use crate::skip::{is_listed, skip_by_path};
use crate::words::word_enum;

/// A file, by its place among all paths in order.
pub type FileId = u32;

word_enum! {
    /// The reason why a file was not parsed.
    SkipReason {
        /// Made by a program.
        Generated = "generated",
        /// Made small for browsers.
        Minified = "minified",
        /// Somebody else's, kept here.
        Vendored = "vendored",
        /// Larger than anybody writes.
        Huge = "huge",
        /// No text.
        Binary = "binary",
        /// The file cannot be read.
        Unreadable = "unreadable",
        /// The grammar of the language does not take the file.
        Unsupported = "unsupported",
    }
}

/// A source file of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceFile {
    /// Its path from the root, with `/`.
    pub path: String,
    /// What it says, or why nobody knows.
    pub facts: Result<FileFacts, SkipReason>,
}

/// Everything that decides what the graph is. Two equal ones give equal graphs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphInput {
    /// The source files, ordered by path.
    pub files: Vec<SourceFile>,
    /// Manifests by path, with their text.
    pub manifests: BTreeMap<String, String>,
    /// An index that a compiler made.
    pub compiler_index: Option<CompilerIndex>,
    /// Files that are not among them.
    pub non_utf8: NonUtf8Files,
}

/// Source files whose names are no text: they can only be counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NonUtf8Files {
    /// How many there are.
    pub files: u32,
    /// The languages they are in, a bit each.
    pub(crate) languages: u64,
}

impl NonUtf8Files {
    /// Counts files, by the languages that the endings of their names tell.
    pub fn count(languages: impl IntoIterator<Item = Language>) -> NonUtf8Files {
        languages.into_iter().fold(NonUtf8Files::default(), |counted, language| NonUtf8Files {
            files: counted.files.saturating_add(1),
            languages: counted.languages | 1 << language as u32,
        })
    }

    /// The languages they are in.
    pub fn languages(self) -> impl Iterator<Item = Language> {
        Language::all().filter(move |language| self.languages >> *language as u32 & 1 == 1)
    }
}

impl GraphInput {
    /// Returns the facts of a file, or `None` if it was not parsed.
    pub(crate) fn facts(&self, file: FileId) -> Option<&FileFacts> {
        self.files.get(file as usize)?.facts.as_ref().ok()
    }
}

/// An index that a compiler made, and what it is too old for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompilerIndex {
    /// What it says.
    pub scip: ScipIndex,
    /// Files that were written after it was.
    pub newer_files: BTreeSet<String>,
}

/// The names of files that say how imports are resolved, or where a module begins.
const MANIFESTS: &str = "\
    package.json pnpm-workspace.yaml Cargo.toml go.mod go.work pyproject.toml setup.cfg setup.py \
    pom.xml build.gradle build.gradle.kts composer.json compile_commands.json Package.swift \
    Gemfile build.sbt CMakeLists.txt";

/// Whether a file says how imports are resolved.
#[must_use]
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let configures = name.starts_with("tsconfig") || name.starts_with("jsconfig");
    let by_ending = [".csproj", ".sln", ".gemspec"].iter().any(|end| name.ends_with(end));
    // A project of somebody else's sources says nothing of ours, and is long.
    let is_project = name == "project.pbxproj" && skip_by_path(path).is_none();
    is_listed(MANIFESTS, name) || by_ending || is_project || (configures && name.ends_with(".json"))
}

/// The directory that a manifest speaks for: the one it is in, or that a project of Xcode is in.
pub(crate) fn manifest_directory(manifest: &str) -> &str {
    match manifest.rsplit_once('/') {
        Some((bundle, "project.pbxproj")) => parent(bundle),
        _ => parent(manifest),
    }
}

/// What an import turned out to mean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ImportTarget {
    /// The name stands for a whole file.
    File(FileId, EdgeOrigin),
    /// The name is one of those in a file.
    InFile(FileId, EdgeOrigin),
    /// The name is one of those in a package, which is several files.
    Package(Vec<FileId>, EdgeOrigin),
    /// It is not part of this project.
    External,
    /// It should be part of this project and is not there.
    Missing,
}

/// What the imports of a language mean.
pub(crate) trait Resolver: Send + Sync {
    /// What an import in a file means.
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget;

    /// The file that a path written out in code leads to, and how many of its parts did.
    fn resolve_path(&self, _from: FileId, _path: &[String]) -> Option<(FileId, usize)> {
        None
    }

    /// The file with the code of what a file declares, if that is another one.
    fn implementation_of(&self, _declaring: FileId) -> Option<FileId> {
        None
    }

    /// The files whose names are known here without an import.
    fn neighbours(&self, _from: FileId) -> &[FileId] {
        &[]
    }

    /// Whether it is known what a file is built with. If not, nobody knows what names in it mean.
    fn has_known_target(&self, _file: FileId) -> bool {
        true
    }

    /// What the language says of its namespaces, if many files may add to one.
    fn open_namespaces(&self) -> Option<&dyn OpenNamespaces> {
        None
    }
}

/// What a language says of namespaces that many files add to.
pub(crate) trait OpenNamespaces: Sync {
    /// The full names that the first part of a name may stand for in a scope (the full name of the
    /// definition around it), the nearest first.
    fn lookup_steps(&self, from: FileId, scope: &str, first: &str) -> Vec<LookupStep>;

    /// Whether a definition in a file is known in another.
    fn sees(&self, from: FileId, to: FileId, full: &str) -> bool;

    /// Whether a definition in a file is meant rather than one in another that is seen as well.
    fn is_preferred(&self, _from: FileId, _to: FileId) -> bool {
        false
    }

    /// Whether others cannot mean what is private in a file.
    fn hides_private(&self) -> bool {
        false
    }

    /// Whether modules are packages: that one is named on the way to something in it uses none of the
    /// files that add to it.
    fn modules_are_packages(&self) -> bool {
        false
    }

    /// How it is known what a name in another file means.
    fn origin(&self) -> EdgeOrigin {
        EdgeOrigin::Package
    }

    /// Whether those definitions of a type or module that are seen only add to it: what it is, is
    /// said in another file, or outside of the project.
    fn only_reopens(&self, _full: &str, _seen: &[(FileId, u32)], _all: &[(FileId, u32)]) -> bool {
        false
    }

    /// Whether a type whose pieces are in several files is at home in this one.
    fn is_home(&self, _path: &str, _name: &str) -> bool {
        false
    }

    /// A path as definitions spell it.
    fn as_defined<'p>(&self, path: &'p [String]) -> Cow<'p, [String]> {
        Cow::Borrowed(path)
    }

    /// A member of the type around a scope, as definitions spell it.
    fn own_member_name<'n>(&self, _scope: &str, _class: &str, name: &'n str) -> Cow<'n, str> {
        Cow::Borrowed(name)
    }

    /// Whether a name may mean what a type has from an unknown one that it is based on.
    fn may_be_inherited(&self, _name: &str) -> bool {
        true
    }

    /// Whether a name may mean what a type around has from those it is based on, before anything that
    /// lies outside of the type.
    fn inherits_names(&self) -> bool {
        false
    }

    /// Whether what a file calls a value may be a type, which hides others of its name.
    fn values_are_types(&self, _file: FileId) -> bool {
        true
    }

    /// Puts what a type is based on, as it is written, into the order in which it is asked for a
    /// member.
    fn order_bases(&self, _bases: &mut [&Reference]) {}

    /// Which members are known by their names alone.
    fn member_scope(&self) -> MemberScope {
        MemberScope::AllEnclosing
    }
}

/// Which members are known by their names alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberScope {
    /// None: the object is always named.
    Never,
    /// Those of the type around.
    Innermost,
    /// Those of all types around.
    AllEnclosing,
}

/// Full names that are equally near; if two of them are there, nobody knows which is meant.
#[derive(Debug, Default)]
pub(crate) struct LookupStep {
    pub(crate) names: Vec<String>,
    /// Whether only functions are meant.
    pub(crate) only_functions: bool,
    /// Whether an import names it, so that the file is known to use it anyway.
    pub(crate) imported: bool,
}

impl LookupStep {
    /// A step with one name.
    pub(crate) fn one(name: String) -> LookupStep {
        LookupStep { names: vec![name], ..LookupStep::default() }
    }

    /// A step with one name, of a function.
    pub(crate) fn function(name: String) -> LookupStep {
        LookupStep { only_functions: true, ..LookupStep::one(name) }
    }
}

/// The project, with what is looked up often.
pub(crate) struct ProjectIndex<'a> {
    project: &'a GraphInput,
    files: HashMap<&'a str, FileId>,
    directories: BTreeMap<&'a str, Vec<FileId>>,
    /// Every directory that has a file somewhere below it.
    above: BTreeSet<&'a str>,
}

impl<'a> ProjectIndex<'a> {
    pub(crate) fn new(project: &'a GraphInput) -> ProjectIndex<'a> {
        let mut files = HashMap::with_capacity(project.files.len());
        let mut directories: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
        // Paths are in order, so files of a directory often follow each other.
        let mut last: (&str, Vec<FileId>) = ("", Vec::new());
        for (id, file) in (0..).zip(&project.files) {
            let path = file.path.as_str();
            files.insert(path, id);
            if parent(path) != last.0 {
                let (directory, found) = std::mem::replace(&mut last, (parent(path), Vec::new()));
                directories.entry(directory).or_default().extend(found);
            }
            last.1.push(id);
        }
        directories.entry(last.0).or_default().extend(last.1);
        directories.retain(|_, files| !files.is_empty());
        let mut above = BTreeSet::from([""]);
        for directory in directories.keys().copied() {
            let mut at = directory;
            while above.insert(at) {
                at = parent(at);
            }
        }
        ProjectIndex { project, files, directories, above }
    }

    pub(crate) fn count(&self) -> usize {
        self.project.files.len()
    }

    pub(crate) fn path(&self, file: FileId) -> &'a str {
        self.project.files.get(file as usize).map_or("", |file| file.path.as_str())
    }

    /// The paths of all files, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (FileId, &'a str)> + use<'a> {
        (0..).zip(self.project.files.iter().map(|file| file.path.as_str()))
    }

    /// The paths that begin so.
    pub(crate) fn paths_from(&self, prefix: &str) -> impl Iterator<Item = (FileId, &'a str)> {
        let (mut low, mut high) = (0, self.count() as FileId);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.path(middle) < prefix {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let from = (low..self.count() as FileId).map(|file| (file, self.path(file)));
        from.take_while(move |(_, path)| path.starts_with(prefix))
    }

    pub(crate) fn facts(&self, file: FileId) -> Option<&'a FileFacts> {
        self.project.facts(file)
    }

    pub(crate) fn file(&self, path: &str) -> Option<FileId> {
        self.files.get(path).copied()
    }

    pub(crate) fn is_directory(&self, path: &str) -> bool {
        self.above.contains(path)
    }

    /// The files in a directory itself.
    pub(crate) fn in_directory(&self, path: &str) -> &[FileId] {
        self.directories.get(path).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn manifest(&self, path: &str) -> Option<&'a str> {
        self.project.manifests.get(path).map(String::as_str)
    }

    /// The manifests of a name, with the directories they are in.
    pub(crate) fn manifests(&self, name: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.project.manifests.iter().filter_map(move |(path, text)| {
            let (directory, file) = path.rsplit_once('/').unwrap_or(("", path));
            (file == name).then_some((directory, text.as_str()))
        })
    }

    /// The manifests whose names end so, with the directories they are in.
    pub(crate) fn manifests_ending(&self, end: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let manifests = self.project.manifests.iter();
        let manifests = manifests.filter(move |(path, _)| path.ends_with(end));
        manifests.map(|(path, text)| (parent(path), text.as_str()))
    }

    /// All files of some languages that were parsed.
    pub(crate) fn parsed(
        &self,
        languages: impl Fn(Language) -> bool,
    ) -> impl Iterator<Item = (FileId, &'a FileFacts)> {
        let facts = self.project.files.iter().map(|file| file.facts.as_ref().ok());
        let parsed = (0..).zip(facts).filter_map(|(file, facts)| Some((file, facts?)));
        parsed.filter(move |(_, facts)| languages(facts.language))
    }

    /// Whether a file was parsed.
    pub(crate) fn is_parsed(&self, file: FileId) -> bool {
        self.facts(file).is_some()
    }
}

/// Everything that steps lead to from the first ones, which count themselves.
pub(crate) fn reachable<T: Ord + Copy, I: IntoIterator<Item = T>>(
    first: impl IntoIterator<Item = T>,
    steps: impl Fn(T) -> I,
) -> BTreeSet<T> {
    let mut seen = BTreeSet::new();
    let mut waiting: Vec<T> = first.into_iter().collect();
    while let Some(at) = waiting.pop() {
        if seen.insert(at) {
            waiting.extend(steps(at));
        }
    }
    seen
}

/// The directory a path is in; empty for the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// A directory and those above it, nearest first, the root last.
pub(crate) fn ancestors(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |at| (!at.is_empty()).then(|| parent(at)))
}

/// A relative path as seen from a directory, without `.` and `..`; none if it leaves the project.
pub(crate) fn join(directory: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_inside_the_project() {
        for (directory, relative, expected) in [
            ("a/b", "./c", Some("a/b/c")),
            ("a/b", "../c", Some("a/c")),
            ("a/b", "../../c", Some("c")),
            ("a/b", "../../../c", None),
            ("", ".", Some("")),
            ("a", "b//c/", Some("a/b/c")),
        ] {
            assert_eq!(join(directory, relative).as_deref(), expected, "{directory} {relative}");
        }
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
    }
}
