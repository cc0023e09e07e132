//! What imports of TypeScript and JavaScript mean: relative paths, `tsconfig.json`, workspaces.

use std::collections::BTreeMap;

use super::config::TsConfig;
use super::packages::{NpmPackage, NpmPackages, sources, split, stem, targets};
use crate::Language;
use crate::facts::{Import, ImportForm};
use crate::graph::EdgeOrigin;
use crate::project::{FileId, ImportTarget, ProjectIndex, Resolver, ancestors, join, parent};
use crate::skip::is_listed;

/// The endings that may be left out, in the order in which they are tried.
const ENDINGS: [&str; 5] = [".ts", ".tsx", ".d.ts", ".js", ".jsx"];

/// The endings of files that only declare, with those of the code beside them.
const DECLARATIONS: [(&str, &[&str]); 3] =
    [(".d.ts", &[".js", ".jsx"]), (".d.mts", &[".mjs"]), (".d.cts", &[".cjs"])];

/// Whether a file only declares what is for others.
pub(crate) fn is_declaration(path: &str) -> bool {
    DECLARATIONS.iter().any(|(ending, _)| path.ends_with(ending))
}

pub(crate) struct TypeScript<'a> {
    index: &'a ProjectIndex<'a>,
    packages: NpmPackages,
    /// The configuration of each directory that has one.
    configs: BTreeMap<String, TsConfig>,
}

impl<'a> TypeScript<'a> {
    pub(crate) fn new(index: &'a ProjectIndex<'a>) -> TypeScript<'a> {
        let packages = NpmPackages::new(index);
        let mut configs = BTreeMap::new();
        for name in ["jsconfig.json", "tsconfig.json"] {
            for (directory, _) in index.manifests(name) {
                let path = join(directory, name).unwrap_or_default();
                if let Some(config) = TsConfig::read(index, &packages, &path) {
                    configs.insert(directory.to_owned(), config);
                }
            }
        }
        TypeScript { index, packages, configs }
    }

    /// The file that a path means, as the compiler tries endings and folders.
    fn candidate(&self, path: &str) -> Option<FileId> {
        self.as_file(path).or_else(|| self.as_directory(path))
    }

    fn as_file(&self, path: &str) -> Option<FileId> {
        let with = |base: &str, endings: &[&str]| {
            endings.iter().find_map(|ending| self.index.file(&format!("{base}{ending}")))
        };
        // The name of what a source becomes stands for the source.
        let renamed = [
            (".js", &[".ts", ".tsx", ".d.ts"][..]),
            (".jsx", &[".tsx", ".ts", ".d.ts"]),
            (".mjs", &[".mts", ".d.mts"]),
            (".cjs", &[".cts", ".d.cts"]),
        ];
        for (ending, endings) in renamed {
            if let Some(base) = path.strip_suffix(ending)
                && let Some(file) = with(base, endings)
            {
                return Some(file);
            }
        }
        // `a` may be `a.ts` and `a/index.ts`: the file comes first, whatever `a` ends in.
        with(path, &ENDINGS).or_else(|| self.index.file(path).filter(|file| self.is_code(*file)))
    }

    fn is_code(&self, file: FileId) -> bool {
        let language = Language::of_path(self.index.path(file));
        matches!(language, Some(Language::TypeScript | Language::Tsx | Language::JavaScript))
    }

    fn as_directory(&self, path: &str) -> Option<FileId> {
        let entry = self.packages.at(path).and_then(|package| self.entry(package));
        entry.or_else(|| self.as_file(&join(path, "index")?))
    }

    /// What a package is when nothing of it is named: its entry.
    fn entry(&self, package: &NpmPackage) -> Option<FileId> {
        let fields = ["source", "types", "typings", "module", "main"];
        let stated = fields.iter().filter_map(|field| package.json[field].as_str());
        stated
            .filter_map(|target| self.target(package, target))
            .next()
            .or_else(|| self.as_file(&join(&package.directory, "index")?))
            .or_else(|| self.as_file(&join(&package.directory, "src/index")?))
    }

    /// The file behind a target of a manifest, which may only exist once it is built.
    fn target(&self, package: &NpmPackage, target: &str) -> Option<FileId> {
        let inside = join("", target)?;
        let try_path = |inside: &str| {
            let path = join(&package.directory, inside)?;
            self.as_file(&path)
                .or_else(|| self.as_file(stem(&path)))
                .or_else(|| self.as_file(&join(&path, "index")?))
        };
        try_path(&inside).or_else(|| sources(&inside).iter().find_map(|source| try_path(source)))
    }

    /// What a name of a package means to others.
    fn exported(&self, package: &NpmPackage, rest: &str) -> Option<FileId> {
        let exports = &package.json["exports"];
        if !exports.is_null() {
            let name = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
            return targets(exports, &name).iter().find_map(|target| self.target(package, target));
        }
        if rest.is_empty() {
            return self.entry(package);
        }
        self.candidate(&join(&package.directory, rest)?).or_else(|| self.target(package, rest))
    }

    /// What the paths of a configuration make of a name.
    fn mapped(&self, config: &TsConfig, name: &str) -> Option<Option<FileId>> {
        let exact = config.paths.iter().find(|(pattern, _)| pattern == name);
        let (star, to) = match exact {
            Some((_, to)) => ("", to),
            None => {
                let fitting = config.paths.iter().filter_map(|(pattern, to)| {
                    let (before, after) = pattern.split_once('*')?;
                    let star = name.strip_prefix(before)?.strip_suffix(after)?;
                    Some((before.len(), star, to))
                });
                let (_, star, to) = fitting.max_by_key(|(length, ..)| *length)?;
                (star, to)
            }
        };
        let found = to.iter().find_map(|target| {
            let path = target.replace('*', star);
            self.candidate(&join("", &path)?)
        });
        Some(found)
    }

    fn relative(&self, from: &str, name: &str) -> Option<FileId> {
        let path = join(parent(from), name)?;
        // `./` means the folder, even beside a file of its name.
        let found = if name.ends_with('/') || name.ends_with("..") || name == "." {
            self.as_directory(&path)
        } else {
            self.candidate(&path)
        };
        found.or_else(|| {
            let config = self.config(from)?;
            let root = config
                .root_dirs
                .iter()
                .find_map(|root| path.strip_prefix(root.as_str())?.strip_prefix('/'))?;
            config.root_dirs.iter().find_map(|other| self.candidate(&join(other, root)?))
        })
    }

    /// The configuration that a file is under.
    fn config(&self, from: &str) -> Option<&TsConfig> {
        ancestors(parent(from)).find_map(|directory| self.configs.get(directory))
    }

    fn resolve(&self, from: FileId, name: &str) -> ImportTarget {
        let here = self.index.path(from);
        let name = name.split('?').next().unwrap_or(name);
        if name == "." || name == ".." || name.starts_with("./") || name.starts_with("../") {
            return match self.relative(here, name) {
                Some(file) => ImportTarget::File(file, EdgeOrigin::Relative),
                None if is_asset(name) => ImportTarget::External,
                None => ImportTarget::Missing,
            };
        }
        let manifest = |file| ImportTarget::File(file, EdgeOrigin::Manifest);
        let own = self.packages.around(parent(here));
        if name.starts_with('#') {
            let found = own.and_then(|package| {
                let to = targets(&package.json["imports"], name);
                to.iter().find_map(|target| self.target(package, target))
            });
            if let Some(file) = found {
                return manifest(file);
            }
        }
        let config = self.config(here);
        let mut should_be_here = false;
        match config.and_then(|config| self.mapped(config, name)) {
            Some(Some(file)) => return manifest(file),
            // A pattern of `*` fits everything, and says nothing about what it does not find.
            Some(None) => should_be_here = name.starts_with("@/") || name.starts_with("~/"),
            None => {}
        }
        let based =
            config.and_then(|config| config.base.as_deref()).and_then(|base| join(base, name));
        if let Some(file) = based.and_then(|path| self.candidate(&path)) {
            return manifest(file);
        }
        let (package_name, rest) = split(name);
        if let Some(package) = own.filter(|own| own.json["name"].as_str() == Some(package_name))
            && !package.json["exports"].is_null()
            && let Some(file) = self.exported(package, rest)
        {
            return manifest(file);
        }
        if let Some((directory, rest)) = self.packages.directory_of(name)
            && let Some(package) = self.packages.at(directory)
        {
            return self.exported(package, rest).map_or(ImportTarget::Missing, manifest);
        }
        if should_be_here || name.starts_with('/') {
            ImportTarget::Missing
        } else {
            ImportTarget::External
        }
    }
}

/// Whether a name is of a file that is no code: styles, pictures, data.
fn is_asset(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    let ending = last.rsplit_once('.').map(|(_, ending)| ending);
    let assets = "\
        json css scss sass less svg png jpg jpeg gif webp html md mdx txt wasm vue svelte \
        graphql gql yaml yml node woff woff2 ttf mp3 mp4 csv glsl";
    ending.is_some_and(|ending| is_listed(assets, ending)) && Language::of_path(last).is_none()
}

impl Resolver for TypeScript<'_> {
    fn resolve_import(&self, from: FileId, import: &Import) -> ImportTarget {
        match (self.resolve(from, &import.module), &import.form) {
            (ImportTarget::File(file, origin), ImportForm::Item { .. } | ImportForm::Star) => {
                ImportTarget::InFile(file, origin)
            }
            (found, _) => found,
        }
    }

    fn implementation_of(&self, declaring: FileId) -> Option<FileId> {
        let path = self.index.path(declaring);
        DECLARATIONS.iter().find_map(|(declared, code)| {
            let stem = path.strip_suffix(declared)?;
            code.iter().find_map(|ending| self.index.file(&format!("{stem}{ending}")))
        })
    }
}
