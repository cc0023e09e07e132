//! The name of a record, which is also the name of its file.

use std::fmt;
use std::str::FromStr;

use tacit_core::Problem;
use unicode_normalization::UnicodeNormalization;

/// A name of lower-case letters, digits and single hyphens. No such name can leave its folder, be
/// hidden, or have a special meaning to a file system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    /// The most characters of a slug.
    pub const MAX: usize = 80;

    /// Validates a slug.
    pub fn new(text: impl Into<String>) -> Result<Slug, Problem> {
        let text = text.into();
        let fits = text.len() <= Slug::MAX
            && text.split('-').all(|part| {
                !part.is_empty()
                    && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            });
        if fits {
            Ok(Slug(text))
        } else {
            Err(Problem::unexpected(
                &text,
                "a slug: lower-case letters, digits and single hyphens, such as `use-wal-mode`",
            ))
        }
    }

    /// Converts a title to a slug: removes accents, and turns everything else that does not fit
    /// into hyphens. Returns `None` if nothing is left.
    pub fn of_title(title: &str) -> Option<Slug> {
        let mut slug = String::new();
        for c in title.nfkd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)) {
            let c = c.to_ascii_lowercase();
            if c.is_ascii_lowercase() || c.is_ascii_digit() {
                slug.push(c);
            } else if !matches!(c, '\'' | '’') && !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
            if slug.len() == Slug::MAX {
                break;
            }
        }
        Slug::new(slug.trim_end_matches('-')).ok()
    }

    /// Returns the slug as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for Slug {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Slug, Problem> {
        Slug::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn titles_are_converted_to_slugs() {
        for (title, slug) in [
            ("Use WAL mode", Some("use-wal-mode")),
            ("  Don't `unwrap` -- ever!  ", Some("dont-unwrap-ever")),
            ("Crème brûlée", Some("creme-brulee")),
            ("C++/Rust: FFI (v2)", Some("c-rust-ffi-v2")),
            ("決定", None),
            ("...", None),
            ("", None),
        ] {
            assert_eq!(Slug::of_title(title).as_ref().map(Slug::as_str), slug, "{title}");
        }
    }

    #[test]
    fn unsafe_names_are_refused() {
        for wrong in [
            "", ".", "..", "../x", "a/b", "a\\b", ".hidden", "A", "a_b", "-a", "a-", "a--b", "a.b",
            "a b", "a\0", "é", "~", "a\n",
        ] {
            assert!(Slug::new(wrong).is_err(), "{wrong:?}");
        }
        assert!(Slug::new("a".repeat(Slug::MAX)).is_ok());
        assert!(Slug::new("a".repeat(Slug::MAX + 1)).is_err());
    }

    proptest! {
        #[test]
        fn slugs_of_any_title_are_valid(title in any::<String>()) {
            if let Some(slug) = Slug::of_title(&title) {
                prop_assert_eq!(Slug::new(slug.as_str()), Ok(slug.clone()));
                prop_assert_eq!(Slug::of_title(slug.as_str()), Some(slug));
            }
        }
    }
}
