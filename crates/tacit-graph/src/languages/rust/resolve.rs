//! What `use` and `mod` mean: the module trees of the crates, and the crates of the workspace.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use toml_edit::{DocumentMut, Item};

use crate::facts::{DefinitionKind, Import, ImportForm};
use crate::graph::EdgeOrigin;
use crate::project::{FileId, ImportTarget, ProjectIndex, Resolver, ancestors, join, parent};

/// A crate: the modules below its root.
struct Crate {
    /// The file of each module, by its path inside the crate; the root is the empty path. Modules
    /// inside a file are there too, with the file they are in.
    modules: HashMap<String, FileId>,
    /// The directory of its manifest.
    package: String,
}

/// A package of the workspace.
#[derive(Default)]
struct CargoPackage {
    /// The name of its library, as code writes it.
    library: Option<(String, FileId)>,
    /// Names of dependencies, as code writes them, with the packages they stand for.
    renamed: BTreeMap<String, String>,
    name: String,
}

pub(crate) struct Rust {
    crates: Vec<Crate>,
    /// The first crate that has the file, and the module it is.
    places: HashMap<FileId, (usize, String)>,
    packages: BTreeMap<String, CargoPackage>,
    /// The crate of each root.
    roots: HashMap<FileId, usize>,
    /// For each package, by its directory, the crates that names mean in its code.
    named: HashMap<String, HashMap<String, usize>>,
}

impl Rust {
    pub(crate) fn new(index: &ProjectIndex<'_>) -> Rust {
        let mut rust = Rust {
            crates: Vec::new(),
            places: HashMap::new(),
            packages: BTreeMap::new(),
            roots: HashMap::new(),
            named: HashMap::new(),
        };
        for (directory, text) in index.manifests("Cargo.toml") {
            let manifest: DocumentMut = text.parse().unwrap_or_default();
            rust.package(index, directory, &manifest);
        }
        // Code without a manifest above it: each `lib.rs` and `main.rs` is the root of a crate.
        for (file, path) in index.paths() {
            let named =
                ["lib.rs", "main.rs"].iter().any(|name| path.rsplit('/').next() == Some(name));
            if named
                && index.is_parsed(file)
                && ancestors(parent(path)).all(|dir| !rust.packages.contains_key(dir))
            {
                rust.add(index, file, parent(path).to_owned());
            }
        }
        rust.name_crates();
        rust
    }

    /// Notes the crates that names mean in the code of each package: only what its manifest names
    /// can be used, and every crate can use the library of its own package.
    fn name_crates(&mut self) {
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
                package.renamed.values().chain([&package.name]).collect();
            let mut under_own_name: Vec<_> = usable
                .into_iter()
                .filter_map(|name| libraries.get(name.as_str()))
                .flatten()
                .collect();
            under_own_name.sort_unstable();
            for (_, library, number) in under_own_name {
                names.entry((*library).to_owned()).or_insert(*number);
            }
            for (name, meant) in &package.renamed {
                match libraries.get(meant.as_str()).and_then(|found| found.first()) {
                    Some((.., number)) => names.insert(name.clone(), *number),
                    None => names.remove(name),
                };
            }
            names
        };
        let named = self.packages.iter().map(|(at, package)| (at.clone(), of_package(package)));
        self.named = named.collect();
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
            renamed: renamed(manifest),
            name,
        };
        self.packages.insert(directory.to_owned(), package);
    }

    /// Adds the crate with this root, following its `mod` declarations.
    fn add(&mut self, index: &ProjectIndex<'_>, root: FileId, package: String) {
        let number = self.crates.len();
        if self.roots.contains_key(&root) {
            return;
        }
        self.roots.insert(root, number);
        let mut modules = HashMap::new();
        let mut waiting = vec![(root, String::new(), true)];
        while let Some((file, module, is_root)) = waiting.pop() {
            if modules.insert(module.clone(), file).is_some() {
                continue;
            }
            self.places.entry(file).or_insert_with(|| (number, module.clone()));
            let Some(facts) = index.facts(file) else { continue };
            for (at, definition) in facts.definitions.iter().enumerate() {
                if definition.kind == DefinitionKind::Module {
                    let inner = facts.qualified(at as u32).replace('.', "::");
                    modules.entry(below(&module, &inner)).or_insert(file);
                }
            }
            for import in &facts.imports {
                if let Some(child) = part(index, file, is_root, import) {
                    let path = below(&module, &import.module);
                    // A file that declares itself would go on for ever.
                    if path.matches("::").count() < 64 {
                        modules.remove(&path);
                        waiting.push((child, path, false));
                    }
                }
            }
        }
        self.crates.push(Crate { modules, package });
    }

    /// The crate that a name means in a crate's code.
    fn named(&self, number: usize, name: &str) -> Option<usize> {
        self.named.get(&self.crates[number].package)?.get(name).copied()
    }

    /// Follows a path as far as it leads through modules: the crate, the module, how many parts.
    fn follow(&self, from: FileId, path: &[&str]) -> Option<(usize, String, usize)> {
        let (number, module) = self.places.get(&from)?;
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
                    (self.named(*number, first)?, String::new(), 1)
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
                .places
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
            // An inner name of a module, `use Kind::A`, is neither missing nor from outside.
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

/// The file of a module that is declared in another.
fn part(index: &ProjectIndex<'_>, file: FileId, is_root: bool, import: &Import) -> Option<FileId> {
    let ImportForm::Part { path } = &import.form else { return None };
    let here = index.path(file);
    let name = here.rsplit('/').next().unwrap_or(here);
    if let Some(path) = path {
        return index.file(&join(parent(here), path)?);
    }
    // Modules of `a.rs` are in `a/`, those of a root or of `a/mod.rs` beside it.
    let beside = is_root || name == "mod.rs";
    let folder =
        if beside { parent(here).to_owned() } else { here.strip_suffix(".rs")?.to_owned() };
    let inside = import.module.replace("::", "/");
    let try_path =
        |end: &str| join(&folder, &format!("{inside}{end}")).and_then(|path| index.file(&path));
    try_path(".rs").or_else(|| try_path("/mod.rs"))
}

/// The dependencies of a package: names in code, with the packages they stand for.
fn renamed(manifest: &DocumentMut) -> BTreeMap<String, String> {
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
