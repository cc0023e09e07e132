//! Resolves `use` and `mod` in Rust, through the module trees of the workspace's crates.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use toml_edit::{DocumentMut, Item};

use crate::facts::{DefinitionKind, Import, ImportForm};
use crate::graph::EdgeOrigin;
use crate::project::{FileId, ImportTarget, ProjectIndex, Resolver, ancestors, join, parent};

/// The module tree of a crate.
struct Crate {
    /// The file of each module, by its path in the crate. The root has an empty path. Inline
    /// modules map to the file that contains them.
    modules: HashMap<String, FileId>,
    /// The directory of the manifest.
    package: String,
}

/// A package of the workspace.
#[derive(Default)]
struct CargoPackage {
    /// The library's name in code, and its root file.
    library: Option<(String, FileId)>,
    /// Dependencies: the name in code, with the package it stands for.
    dependencies: BTreeMap<String, String>,
    name: String,
}

pub(crate) struct Rust {
    crates: Vec<Crate>,
    /// The first crate that contains each file, and the module path there.
    module_of_file: HashMap<FileId, (usize, String)>,
    packages: BTreeMap<String, CargoPackage>,
    /// The crate of each root file.
    roots: HashMap<FileId, usize>,
    /// The crates that names refer to in the code of each package, by its directory.
    crates_by_name: HashMap<String, HashMap<String, usize>>,
}

impl Rust {
    pub(crate) fn new(index: &ProjectIndex<'_>) -> Rust {
        let mut rust = Rust {
            crates: Vec::new(),
            module_of_file: HashMap::new(),
            packages: BTreeMap::new(),
            roots: HashMap::new(),
            crates_by_name: HashMap::new(),
        };
        for (directory, text) in index.manifests("Cargo.toml") {
            let manifest: DocumentMut = text.parse().unwrap_or_default();
            rust.package(index, directory, &manifest);
        }
        // Without a manifest, each `lib.rs` and `main.rs` is the root of a crate.
        for (file, path) in index.paths() {
            let is_root_name =
                ["lib.rs", "main.rs"].iter().any(|name| path.rsplit('/').next() == Some(name));
            if is_root_name
                && index.is_parsed(file)
                && ancestors(parent(path)).all(|dir| !rust.packages.contains_key(dir))
            {
                rust.add(index, file, parent(path).to_owned());
            }
        }
        rust.compute_crates_by_name();
        rust
    }

    /// Computes the crates that names refer to in each package: those in its manifest, and its own
    /// library.
    fn compute_crates_by_name(&mut self) {
        let mut libraries: HashMap<&str, Vec<(usize, &str, usize)>> = HashMap::new();
        for (order, package) in self.packages.values().enumerate() {
            if let Some((library, root)) = &package.library
                && let Some(number) = self.roots.get(root)
            {
                libraries.entry(&package.name).or_default().push((order, library, *number));
            }
        }
        let of_package = |package: &CargoPackage| {
            let mut names: HashMap<String, usize> = HashMap::new();
            let usable: BTreeSet<&String> =
                package.dependencies.values().chain([&package.name]).collect();
            let mut under_own_name: Vec<_> = usable
                .into_iter()
                .filter_map(|name| libraries.get(name.as_str()))
                .flatten()
                .collect();
            under_own_name.sort_unstable();
            for (_, library, number) in under_own_name {
                names.entry((*library).to_owned()).or_insert(*number);
            }
            for (name, package_name) in &package.dependencies {
                match libraries.get(package_name.as_str()).and_then(|found| found.first()) {
                    Some((.., number)) => names.insert(name.clone(), *number),
                    None => names.remove(name),
                };
            }
            names
        };
        let crates_by_name =
            self.packages.iter().map(|(at, package)| (at.clone(), of_package(package)));
        self.crates_by_name = crates_by_name.collect();
    }

    fn package(&mut self, index: &ProjectIndex<'_>, directory: &str, manifest: &DocumentMut) {
        let text = |item: Option<&Item>| item.and_then(Item::as_str).map(str::to_owned);
        let Some(name) = text(manifest.get("package").and_then(|package| package.get("name")))
        else {
            return;
        };
        let lib = manifest.get("lib");
        let library = text(lib.and_then(|lib| lib.get("name"))).unwrap_or_else(|| name.clone());
        let root = text(lib.and_then(|lib| lib.get("path"))).unwrap_or_else(|| "src/lib.rs".into());
        let root = join(directory, &root).and_then(|path| index.file(&path));
        let mut roots: Vec<FileId> = root.into_iter().collect();
        for table in ["bin", "example", "test", "bench"] {
            let listed = manifest.get(table).and_then(Item::as_array_of_tables);
            for target in listed.into_iter().flatten() {
                let path = text(target.get("path")).and_then(|path| join(directory, &path));
                roots.extend(path.and_then(|path| index.file(&path)));
            }
        }
        for path in ["src/main.rs", "build.rs"] {
            roots.extend(join(directory, path).and_then(|path| index.file(&path)));
        }
        for folder in ["src/bin", "examples", "tests", "benches"] {
            let Some(folder) = join(directory, folder) else { continue };
            roots.extend(index.in_directory(&folder));
            let folder = format!("{folder}/");
            roots.extend(index.paths_with_prefix(&folder).filter_map(|(id, path)| {
                let rest = &path[folder.len()..];
                (rest.matches('/').count() == 1 && rest.ends_with("/main.rs")).then_some(id)
            }));
        }
        for root in roots {
            self.add(index, root, directory.to_owned());
        }
        let package = CargoPackage {
            library: root.map(|root| (library.replace('-', "_"), root)),
            dependencies: dependencies(manifest),
            name,
        };
        self.packages.insert(directory.to_owned(), package);
    }

    /// Adds the crate with a root file, following its `mod` declarations.
    fn add(&mut self, index: &ProjectIndex<'_>, root: FileId, package: String) {
        let number = self.crates.len();
        if self.roots.contains_key(&root) {
            return;
        }
        self.roots.insert(root, number);
        let mut modules = HashMap::new();
        let mut queue = vec![(root, String::new(), true)];
        while let Some((file, module, is_root)) = queue.pop() {
            if modules.insert(module.clone(), file).is_some() {
                continue;
            }
            self.module_of_file.entry(file).or_insert_with(|| (number, module.clone()));
            let Some(facts) = index.facts(file) else { continue };
            for (at, definition) in facts.definitions.iter().enumerate() {
                if definition.kind == DefinitionKind::Module {
                    let inner = facts.qualified(at as u32).replace('.', "::");
                    modules.entry(below(&module, &inner)).or_insert(file);
                }
            }
            for import in &facts.imports {
                if let Some(child) = declared_file(index, file, is_root, import) {
                    let path = below(&module, &import.module);
                    // A file that declares itself would recurse for ever.
                    if path.matches("::").count() < 64 {
                        modules.remove(&path);
                        queue.push((child, path, false));
                    }
                }
            }
        }
        self.crates.push(Crate { modules, package });
    }

    /// Returns the crate that a name refers to in another crate.
    fn crate_named(&self, number: usize, name: &str) -> Option<usize> {
        self.crates_by_name.get(&self.crates[number].package)?.get(name).copied()
    }

    /// Follows a path through modules. Returns the crate, the module and the number of parts used.
    fn follow(&self, from: FileId, path: &[&str]) -> Option<(usize, String, usize)> {
        let (number, module) = self.module_of_file.get(&from)?;
        let (number, mut at, mut used) = match *path.first()? {
            "crate" => (*number, String::new(), 1),
            "self" => (*number, module.clone(), 1),
            "super" => {
                let mut at = module.clone();
                let supers = path.iter().take_while(|part| **part == "super").count();
                for _ in 0..supers {
                    if at.is_empty() {
                        return None;
                    }
                    at = at.rsplit_once("::").map_or(String::new(), |(above, _)| above.to_owned());
                }
                (*number, at, supers)
            }
            first => {
                let child = below(module, first);
                if self.crates[*number].modules.contains_key(&child) {
                    (*number, child, 1)
                } else {
                    (self.crate_named(*number, first)?, String::new(), 1)
                }
            }
        };
        while let Some(part) = path.get(used) {
            let deeper = below(&at, part);
            if !self.crates[number].modules.contains_key(&deeper) {
                break;
            }
            at = deeper;
            used += 1;
        }
        Some((number, at, used))
    }

    fn file(&self, number: usize, module: &str) -> Option<FileId> {
        self.crates[number].modules.get(module).copied()
    }
}

impl Resolver for Rust {
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget {
        let mut path: Vec<&str> =
            import.module.split("::").filter(|part| !part.is_empty()).collect();
        if let ImportForm::Part { .. } = import.form {
            let place = self
                .module_of_file
                .get(&from)
                .map(|(number, module)| (*number, below(module, &import.module)));
            let child = place.and_then(|(number, module)| self.file(number, &module));
            return match child {
                Some(child) if child != from => ImportTarget::File(child, EdgeOrigin::ModuleTree),
                _ => ImportTarget::Missing,
            };
        }
        if let ImportForm::Item { name, .. } = &import.form {
            path.push(name);
        }
        let Some((number, module, used)) = self.follow(from, &path) else {
            let local = matches!(path.first(), Some(&("crate" | "self" | "super")));
            // `use Kind::A` names a variant, which is neither missing nor external.
            return if local { ImportTarget::Missing } else { ImportTarget::External };
        };
        let Some(file) = self.file(number, &module) else { return ImportTarget::Missing };
        if used == path.len() {
            ImportTarget::File(file, EdgeOrigin::ModuleTree)
        } else {
            ImportTarget::InFile(file, EdgeOrigin::ModuleTree)
        }
    }

    fn resolve_path(&self, from: FileId, path: &[String]) -> Option<(FileId, usize)> {
        let parts: Vec<&str> = path.iter().map(String::as_str).collect();
        let (number, module, used) = self.follow(from, &parts)?;
        Some((self.file(number, &module)?, used))
    }
}

fn below(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") }
}

/// Returns the file of a module declared with `mod`.
fn declared_file(
    index: &ProjectIndex<'_>,
    file: FileId,
    is_root: bool,
    import: &Import,
) -> Option<FileId> {
    let ImportForm::Part { path } = &import.form else { return None };
    let here = index.path(file);
    let name = here.rsplit('/').next().unwrap_or(here);
    if let Some(path) = path {
        return index.file(&join(parent(here), path)?);
    }
    // Modules of `a.rs` are in `a/`; those of a root or of `a/mod.rs` are next to it.
    let beside = is_root || name == "mod.rs";
    let folder =
        if beside { parent(here).to_owned() } else { here.strip_suffix(".rs")?.to_owned() };
    let inside = import.module.replace("::", "/");
    let try_path =
        |end: &str| join(&folder, &format!("{inside}{end}")).and_then(|path| index.file(&path));
    try_path(".rs").or_else(|| try_path("/mod.rs"))
}

/// Reads the dependencies of a package: names in code, with the packages they stand for.
fn dependencies(manifest: &DocumentMut) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    let mut take = |table: Option<&Item>| {
        for (name, value) in table.and_then(Item::as_table_like).into_iter().flat_map(|t| t.iter())
        {
            let package = value.get("package").and_then(Item::as_str).unwrap_or(name);
            names.insert(name.replace('-', "_"), package.to_owned());
        }
    };
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    for kind in kinds {
        take(manifest.get(kind));
    }
    let targets = manifest.get("target").and_then(Item::as_table_like);
    for (_, target) in targets.into_iter().flat_map(|targets| targets.iter()) {
        for kind in kinds {
            take(target.get(kind));
        }
    }
    names
}
