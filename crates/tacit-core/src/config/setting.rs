//! Macros that make a field of the configuration and its key from one line of a table.

use super::{ColorChoice, CommandGuard, ConfigValue};

/// A field of the configuration that a key can read and set.
pub(super) trait ConfigField {
    fn value(&self) -> ConfigValue;
    /// Stores a value. [`super::ConfigKey::apply`] has checked its kind, so any other is left out.
    fn set(&mut self, value: &ConfigValue);
}

macro_rules! config_field {
    ($type:ty, $kind:ident, $field:ident => $get:expr, $value:ident => $set:expr) => {
        impl ConfigField for $type {
            fn value(&self) -> ConfigValue {
                let $field = self;
                ConfigValue::$kind($get)
            }

            fn set(&mut self, value: &ConfigValue) {
                if let ConfigValue::$kind($value) = value {
                    *self = $set;
                }
            }
        }
    };
}

config_field!(bool, Bool, field => *field, value => *value);
config_field!(u64, Int, field => *field as i64, value => value.unsigned_abs());
config_field!(f64, Float, field => *field, value => *value);
config_field!(String, Text, field => field.clone(), value => value.clone());
config_field!(ColorChoice, Text, field => field.to_string(), value => value.parse().unwrap_or(ColorChoice::Auto));
config_field!(CommandGuard, Text, field => field.to_string(), value => value.parse().unwrap_or(CommandGuard::Once));

/// Makes a [`super::ConfigKey`]. `$path` and `$place` together lead from the configuration to the field.
macro_rules! key {
    ($name:expr, $pattern:expr, $kind:expr, $help:expr, [$($path:tt)*] $($place:tt)+) => {
        ConfigKey {
            name: $name,
            pattern: $pattern,
            kind: $kind,
            help: $help,
            get: |config: &Config| config.$($path)* $($place)+.value(),
            set: |config, value| config.$($path)* $($place)+.set(value),
        }
    };
}

/// Returns the last of its arguments: the pattern of a key, or its name if it has none.
macro_rules! last {
    ($name:literal) => {
        $name
    };
    ($name:literal $pattern:literal) => {
        $pattern
    };
}

/// Makes a part of the configuration, its defaults and its keys. Each line has the key's name, the
/// pattern it is documented under if that is not the name, the values it takes, its field with type
/// and default, and its help. `$path` leads from [`super::Config`] to the part.
macro_rules! settings {
    (
        $(#[$meta:meta])* $config:ident, $keys:ident, $path:tt {
            $($name:literal $(in $pattern:literal)?, $kind:expr, $field:ident: $type:ty = $default:expr, $help:literal;)+
        }
        $(#[$part_meta:meta])* and $part:ident: $part_type:ty = $part_default:expr;
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $config {
            $(#[doc = $help] pub $field: $type,)+
            $(#[$part_meta])* pub $part: $part_type,
        }

        impl Default for $config {
            fn default() -> $config {
                $config { $($field: $default,)+ $part: $part_default }
            }
        }

        pub(super) const $keys: &[ConfigKey] = &[$($crate::config::setting::key!(
            $name,
            $crate::config::setting::last!($name $($pattern)?),
            $kind,
            $help,
            $path $field
        )),+];
    };
}

pub(super) use {key, last, settings};
