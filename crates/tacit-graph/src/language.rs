//! The languages, and which of them a file is in.

use serde::{Deserialize, Serialize};

/// A language. All are known; which can be parsed is chosen by the features of this crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[expect(missing_docs, reason = "they are called what they are called")]
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

/// Every language with its name and the endings of its files.
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
    /// All of them.
    pub fn all() -> impl Iterator<Item = Language> {
        TABLE.iter().map(|(language, ..)| *language)
    }

    /// Its name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        TABLE[self as usize].1
    }

    /// The language of a file, by the ending of its path.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Language> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, ending) = name.rsplit_once('.')?;
        // A file such as `.rs` has a name and no ending.
        let found = TABLE.iter().find(|(_, _, endings)| endings.contains(&ending));
        found.filter(|_| !stem.is_empty()).map(|(language, ..)| *language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_languages() {
        for (index, (language, ..)) in TABLE.iter().enumerate() {
            assert_eq!(*language as usize, index);
        }
    }

    #[test]
    fn files_are_known_by_their_endings() {
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
