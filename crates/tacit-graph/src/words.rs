//! Enums whose values have a name in text.

/// Defines an enum with a list of its values and a name for each.
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
            /// All values. The index of each is its number in packed graphs.
            pub const ALL: &'static [$name] = &[$( $name::$variant ),+];

            /// Returns the name of the value.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $( $name::$variant => $word ),+ }
            }
        }
    };
}

pub(crate) use word_enum;
