//! Macros for enumerations of words and for checked strings.

/// Defines an enumeration whose values have one word in code, storage and output.
macro_rules! word_enum {
    (
        $(#[$meta:meta])*
        $name:ident, $expected:literal {
            $( $(#[$variant_meta:meta])* $variant:ident = $word:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize,
        )]
        #[serde(try_from = "String", into = "&'static str")]
        pub enum $name {
            $( $(#[$variant_meta])* $variant ),+
        }

        impl $name {
            /// All values, in the order of the specification.
            pub const ALL: &'static [$name] = &[$( $name::$variant ),+];

            /// Returns the word for this value.
            pub const fn as_str(self) -> &'static str {
                match self { $( $name::$variant => $word ),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::field::Problem;

            fn from_str(text: &str) -> Result<$name, $crate::field::Problem> {
                match text {
                    $( $word => Ok($name::$variant), )+
                    _ => Err($crate::field::Problem::unexpected(
                        text,
                        concat!($expected, " (", $crate::domain::words::list!($($word),+), ")"),
                    )),
                }
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::field::Problem;

            fn try_from(text: String) -> Result<$name, $crate::field::Problem> {
                text.parse()
            }
        }

        impl From<$name> for &'static str {
            fn from(value: $name) -> &'static str {
                value.as_str()
            }
        }
    };
}

/// Joins words with commas at compile time.
macro_rules! list {
    ($first:literal $(, $rest:literal)*) => { concat!($first $(, ", ", $rest)*) };
}

/// Defines a string type whose values have passed `$check`.
macro_rules! checked_text {
    ($(#[$meta:meta])* $name:ident, $check:expr) => {
        $(#[$meta])*
        #[derive(
            Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize,
        )]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// Checks a text.
            pub fn new(text: impl Into<String>) -> Result<$name, $crate::field::Problem> {
                let check: fn(String) -> Result<String, $crate::field::Problem> = $check;
                check(text.into()).map($name)
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::field::Problem;

            fn from_str(text: &str) -> Result<$name, $crate::field::Problem> {
                $name::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::field::Problem;

            fn try_from(text: String) -> Result<$name, $crate::field::Problem> {
                $name::new(text)
            }
        }

        impl From<$name> for String {
            fn from(value: $name) -> String {
                value.0
            }
        }
    };
}

pub(crate) use {checked_text, list, word_enum};
