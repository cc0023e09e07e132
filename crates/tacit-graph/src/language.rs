//! The supported languages, and the file extensions of each.

use serde::{Deserialize, Serialize};

/// A programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names of languages need no explanation")]
pub enum Language {
    Rust,
    TypeScript,
    Tsx,
    JavaScript,
    Python,
    Go,
    Java,
    C,
    Cpp,
    CSharp,
    Ruby,
    Php,
    Kotlin,
    Swift,
    Scala,
    Bash,
}

/// Every language with its name and its file extensions.
const TABLE: [(Language, &str, &[&str]); 16] = [
    (Language::Rust, "rust", &["rs"]),
    (Language::TypeScript, "typescript", &["ts", "mts", "cts"]),
    (Language::Tsx, "tsx", &["tsx"]),
    (Language::JavaScript, "javascript", &["js", "jsx", "mjs", "cjs"]),
    (Language::Python, "python", &["py", "pyi"]),
    (Language::Go, "go", &["go"]),
    (Language::Java, "java", &["java"]),
    (Language::C, "c", &["c", "h"]),
    (Language::Cpp, "cpp", &["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl"]),
    (Language::CSharp, "csharp", &["cs"]),
    (Language::Ruby, "ruby", &["rb", "rake"]),
    (Language::Php, "php", &["php"]),
    (Language::Kotlin, "kotlin", &["kt", "kts"]),
    (Language::Swift, "swift", &["swift"]),
    (Language::Scala, "scala", &["scala", "sc"]),
    (Language::Bash, "bash", &["sh", "bash", "bats"]),
];

impl Language {
    /// Lists all languages.
    pub fn all() -> impl Iterator<Item = Language> {
        TABLE.iter().map(|(language, ..)| *language)
    }

    /// Returns the name in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// Returns the language of a file, by the extension of its path.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, extension) = name.rsplit_once('.')?;
        // A file such as `.rs` has no extension.
        let found = TABLE.iter().find(|(_, _, extensions)| extensions.contains(&extension));
        found.filter(|_| !stem.is_empty()).map(|(language, ..)| *language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_rows_are_in_enum_order() {
        for (index, (language, ..)) in TABLE.iter().enumerate() {
            assert_eq!(*language as usize, index);
        }
    }

    #[test]
    fn languages_are_found_by_extension() {
        for (path, language) in [
            ("a.rs", Some(Language::Rust)),
            ("src/a.test.tsx", Some(Language::Tsx)),
            ("a.d.ts", Some(Language::TypeScript)),
            ("dir.rs/README", None),
            (".rs", None),
            ("A.RS", None),
            ("a", None),
        ] {
            assert_eq!(Language::of_path(path), language, "{path}");
        }
    }
}
