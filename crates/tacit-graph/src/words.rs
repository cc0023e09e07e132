//! Enumerations whose values are words.

/// Makes an enumeration with all its values and the word for each.
macro_rules! word_enum {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$variant_meta:meta])* $variant:ident = $word:literal, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $( $(#[$variant_meta])* $variant, )+
        }

        impl $name {
            /// All of them; the place of each is its number in stored graphs.
            pub const ALL: &'static [$name] = &[$( $name::$variant ),+];

            /// A word for it.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( $name::$variant => $word ),+ }
            }
        }
    };
}

pub(crate) use word_enum;
