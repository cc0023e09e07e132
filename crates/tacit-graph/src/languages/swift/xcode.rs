//! The targets of Xcode's projects, which say of each file where it belongs: by naming it, or by
//! naming a folder that it lies in.

use std::collections::{BTreeMap, BTreeSet};

use super::plist::{PlistTable, read};
use crate::project::{ProjectIndex, join, parent};

/// How deep groups of a project may lie in each other.
const DEEPEST: usize = 64;

/// A target: the name of its module, if that is known, and its sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct XcodeTarget {
    /// The project it is of.
    pub(crate) manifest: String,
    pub(crate) module: Option<String>,
    files: BTreeSet<String>,
    folders: Vec<SourceFolder>,
}

/// A folder whose files are sources of a target, but for some.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SourceFolder {
    path: String,
    without: BTreeSet<String>,
}

impl XcodeTarget {
    /// Whether a file is one of its sources.
    pub(crate) fn has(&self, path: &str) -> bool {
        let is_in = |folder: &SourceFolder| {
            let rest = path.strip_prefix(folder.path.as_str());
            let rest = rest.filter(|rest| folder.path.is_empty() || rest.starts_with('/'));
            rest.is_some_and(|_| !outward(path).any(|at| folder.without.contains(at)))
        };
        self.files.contains(path) || self.folders.iter().any(is_in)
    }
}

/// A path, and the folders it is in.
fn outward(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |at| at.contains('/').then(|| parent(at)))
}

/// All targets of the projects of Xcode.
pub(crate) fn targets(index: &ProjectIndex<'_>) -> Vec<XcodeTarget> {
    let projects = index.manifests("project.pbxproj");
    projects.flat_map(|(bundle, text)| project_targets(bundle, text).unwrap_or_default()).collect()
}

/// The targets of one project; none if it cannot be read.
fn project_targets(bundle: &str, text: &str) -> Option<Vec<XcodeTarget>> {
    let whole = read(text)?;
    let objects = Objects::new(whole.table("objects")?);
    let project = objects.get(whole.text("rootObject")?)?;
    let root = join(parent(bundle), project.text("projectDirPath").unwrap_or_default())?;
    let mut paths = BTreeMap::new();
    objects.place(project.text("mainGroup")?, &root, &root, DEEPEST, &mut paths);
    let targets = project.texts("targets").filter_map(|id| {
        let target = objects.get(id)?;
        Some(XcodeTarget {
            manifest: bundle.to_owned(),
            module: objects.module(target),
            files: objects.files(id, target, &paths),
            folders: objects.folders(id, target, &paths),
        })
    });
    Some(targets.collect())
}

/// What a project consists of, by identifier.
struct Objects<'p> {
    all: &'p PlistTable,
    /// The folders that targets have as a whole.
    folders: Vec<(&'p str, &'p PlistTable)>,
}

impl<'p> Objects<'p> {
    fn new(all: &'p PlistTable) -> Objects<'p> {
        let tables = all.iter().filter_map(|(id, object)| Some((id, object.as_table()?)));
        let folders = tables
            .filter(|(_, object)| object.text("isa") == Some("PBXFileSystemSynchronizedRootGroup"));
        Objects { all, folders: folders.collect() }
    }

    fn get(&self, id: &str) -> Option<&'p PlistTable> {
        self.all.table(id)
    }

    fn all(&self, list: &PlistTable, name: &str) -> Vec<&'p PlistTable> {
        list.texts(name).filter_map(|id| self.get(id)).collect()
    }

    /// Notes where a group or a file lies, and everything in it.
    fn place(
        &self,
        id: &str,
        above: &str,
        root: &str,
        deeper: usize,
        paths: &mut BTreeMap<String, String>,
    ) {
        let (Some(object), Some(deeper)) = (self.get(id), deeper.checked_sub(1)) else { return };
        let from = match object.text("sourceTree") {
            Some("<group>") => above,
            Some("SOURCE_ROOT") => root,
            // Somewhere on the machine of whoever builds it.
            _ => return,
        };
        let Some(path) = join(from, object.text("path").unwrap_or_default()) else { return };
        // A damaged project may put a group into itself.
        if paths.contains_key(id) {
            return;
        }
        paths.insert(id.to_owned(), path.clone());
        for child in object.texts("children") {
            self.place(child, &path, root, deeper, paths);
        }
    }

    /// The files that a target names, and those that join it from folders of others.
    fn files(
        &self,
        id: &str,
        target: &PlistTable,
        paths: &BTreeMap<String, String>,
    ) -> BTreeSet<String> {
        let phases = self.all(target, "buildPhases").into_iter();
        let phases = phases.filter(|phase| phase.text("isa") == Some("PBXSourcesBuildPhase"));
        let built = phases.flat_map(|phase| self.all(phase, "files"));
        let named = built.filter_map(|file| paths.get(file.text("fileRef")?).cloned());
        let is_own =
            |folder: &str| target.texts("fileSystemSynchronizedGroups").any(|own| own == folder);
        let others = self.folders.iter().filter(|(folder, _)| !is_own(folder));
        let joined = others.flat_map(|(folder, object)| {
            let path = paths.get(*folder);
            let excepted = self.excepted(id, object).into_iter();
            excepted.filter_map(move |file| join(path?, file))
        });
        named.chain(joined).collect()
    }

    /// The folders that belong to a target.
    fn folders(
        &self,
        id: &str,
        target: &PlistTable,
        paths: &BTreeMap<String, String>,
    ) -> Vec<SourceFolder> {
        let groups = target.texts("fileSystemSynchronizedGroups");
        let folder = |group: &str| {
            let path = paths.get(group)?.clone();
            let excepted = self.excepted(id, self.get(group)?);
            let without = excepted.into_iter().filter_map(|file| join(&path, file)).collect();
            Some(SourceFolder { path, without })
        };
        groups.filter_map(folder).collect()
    }

    /// What in a folder is with a target if the others are not, and the other way round.
    fn excepted(&self, target: &str, folder: &PlistTable) -> Vec<&'p str> {
        let sets = self.all(folder, "exceptions").into_iter();
        let sets = sets.filter(|set| set.text("target") == Some(target));
        sets.flat_map(|set| set.texts("membershipExceptions")).collect()
    }

    /// What the module of a target is called; none if its settings do not agree, or follow from
    /// something that is not here.
    fn module(&self, target: &PlistTable) -> Option<String> {
        let name = target.text("name")?;
        let list = target.text("buildConfigurationList").and_then(|list| self.get(list));
        let configurations = list.map(|list| self.all(list, "buildConfigurations"));
        let settings: Vec<&PlistTable> = { configurations.into_iter().flatten() }
            .filter_map(|one| one.table("buildSettings"))
            .collect();
        // What is set for all; `default` where nothing is.
        let set = |key: &str, default: &str| {
            let mut values = settings.iter().map(|one| one.text(key).unwrap_or(default));
            let first = values.next().unwrap_or(default);
            values.all(|other| other == first).then(|| first.to_owned())
        };
        let product = set("PRODUCT_NAME", name)?;
        let product = ["$(TARGET_NAME)", "${TARGET_NAME}"]
            .iter()
            .fold(product, |product, variable| product.replace(variable, name));
        let module = set("PRODUCT_MODULE_NAME", &product)?;
        let module = module.replace("$(TARGET_NAME)", name).replace("$(PRODUCT_NAME)", &product);
        (!module.contains('$')).then(|| identifier(&module))
    }
}

/// A name as modules are called.
fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}
