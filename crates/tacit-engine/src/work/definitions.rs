//! Definitions of methodologies: those inside the program, those in the project's files, and the one
//! that is active.

use std::path::{Path, PathBuf};
use std::{fs, io};

use tacit_core::UniversalPhase;
use tacit_recall::PhaseWeights;
use tacit_work::{
    DefinitionError, MAX_DEFINITION_BYTES, Methodology, NATIVE, SHIPPED, SpecFiles, SpecLayout,
    shipped_methodology,
};
use thiserror::Error;

use crate::engine::{Engine, StorePaths};

/// The most entries of a directory of specs that are looked at.
const MOST_ENTRIES: usize = 1_000;

/// Why a methodology cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the messages say what each field is")]
pub enum MethodologyError {
    #[error("there is no methodology `{name}`; there are {}", known.join(", "))]
    Unknown { name: String, known: Vec<String> },
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("`{}` is no methodology:\n{}", path.display(), indented(source))]
    Invalid { path: PathBuf, source: DefinitionError },
    #[error("`{}` has the id `{id}`; a methodology is called like its file", path.display())]
    Misnamed { path: PathBuf, id: String },
}

fn indented(error: &DefinitionError) -> String {
    error.to_string().lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

impl MethodologyError {
    /// The name that was probably meant.
    pub fn suggestion(&self) -> Option<&str> {
        let MethodologyError::Unknown { name, known } = self else { return None };
        let near = known.iter().map(|known| (strsim::levenshtein(name, known), known));
        near.min().filter(|(distance, _)| *distance <= 2).map(|(_, known)| known.as_str())
    }
}

/// A definition that can be chosen, or why it cannot.
#[derive(Debug)]
pub struct MethodologyDefinition {
    /// Its name.
    pub name: String,
    /// Its file; none if it is inside the program.
    pub path: Option<PathBuf>,
    /// The definition, or why it cannot be used.
    pub methodology: Result<Methodology, MethodologyError>,
}

impl StorePaths {
    /// The directory of the project's own definitions.
    pub fn methodologies(&self) -> PathBuf {
        self.shared.join("methodologies")
    }

    /// Every definition, those inside the program first. A file with the name of one of them takes
    /// its place.
    pub fn definitions(&self) -> Vec<MethodologyDefinition> {
        let mut names: Vec<String> =
            SHIPPED.iter().map(|shipped_methodology| shipped_methodology.id.to_owned()).collect();
        for name in self.own_definitions() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let definition = |name: String| {
            let path = self.definition(&name).filter(|path| path.exists());
            MethodologyDefinition { methodology: self.methodology(&name), name, path }
        };
        names.into_iter().map(definition).collect()
    }

    /// The methodology of a name: the project's own, or one inside the program.
    pub fn methodology(&self, name: &str) -> Result<Methodology, MethodologyError> {
        if let Some(path) = self.definition(name)
            && path.exists()
        {
            return read_definition(&path);
        }
        shipped_methodology(name).ok_or_else(|| {
            let mut known: Vec<String> = SHIPPED.iter().map(|one| one.id.to_owned()).collect();
            known.extend(
                self.own_definitions().into_iter().filter(|own| shipped_methodology(own).is_none()),
            );
            MethodologyError::Unknown { name: name.to_owned(), known }
        })
    }

    /// The file of a name; none for what cannot be a name, so that none leads elsewhere.
    fn definition(&self, name: &str) -> Option<PathBuf> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        let is_name = !name.is_empty() && name.bytes().all(plain);
        is_name.then(|| self.methodologies().join(format!("{name}.toml")))
    }

    fn own_definitions(&self) -> Vec<String> {
        let entries = fs::read_dir(self.methodologies()).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| {
                Some(entry.file_name().into_string().ok()?.strip_suffix(".toml")?.to_owned())
            })
            .collect();
        names.sort();
        names
    }
}

/// Reads a definition and makes sure that it is called like its file.
pub fn read_definition(path: &Path) -> Result<Methodology, MethodologyError> {
    let fail = |source| MethodologyError::Read { path: path.to_path_buf(), source };
    let invalid = |source| MethodologyError::Invalid { path: path.to_path_buf(), source };
    let file = tacit_fs::open_nofollow(path).map_err(fail)?;
    let length = usize::try_from(file.metadata().map_err(fail)?.len()).unwrap_or(usize::MAX);
    if length > MAX_DEFINITION_BYTES {
        return Err(invalid(DefinitionError::TooLarge(length)));
    }
    let bytes = tacit_fs::read_all(file, MAX_DEFINITION_BYTES as u64).map_err(fail)?;
    let text = String::from_utf8(bytes)
        .map_err(|error| fail(io::Error::new(io::ErrorKind::InvalidData, error.utf8_error())))?;
    let methodology = Methodology::parse(&text).map_err(invalid)?;
    if path.file_stem().is_some_and(|stem| stem == methodology.id()) {
        Ok(methodology)
    } else {
        let id = methodology.id().to_owned();
        Err(MethodologyError::Misnamed { path: path.to_path_buf(), id })
    }
}

impl Engine<'_> {
    /// The active methodology; the native one where it cannot be read, which is told to whoever asks
    /// about methodologies and keeps nobody else from working.
    pub fn methodology(&self) -> &Methodology {
        self.methodology.get_or_init(|| {
            let name = self.config.methodology_active.as_str();
            let active = self.places.methodology(name).ok();
            active
                .or_else(|| shipped_methodology(NATIVE))
                .unwrap_or_else(|| unreachable!("it is shipped"))
        })
    }

    /// The weights of types in a phase. The native methodology adds none, so that nothing is read
    /// for it.
    pub(crate) fn weights(&self, phase: Option<UniversalPhase>) -> PhaseWeights {
        if phase.is_none() || self.config.methodology_active == NATIVE {
            return PhaseWeights::default();
        }
        PhaseWeights::with(self.methodology().types().iter().flat_map(|added| {
            added.weights.iter().map(|(phase, weight)| (added.kind.clone(), *phase, *weight))
        }))
    }
}

/// The names in the directory where a worktree keeps its specs; none if it keeps none. One directory
/// is listed, and no file is read.
pub fn spec_files(worktree: &Path) -> Option<SpecFiles> {
    SpecLayout::DIRECTORIES.into_iter().find_map(|(layout, directory)| {
        let entries = fs::read_dir(worktree.join(directory)).ok()?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut entries: Vec<String> = names.take(MOST_ENTRIES).collect();
        entries.sort();
        Some(SpecFiles { layout, directory, entries })
    })
}
