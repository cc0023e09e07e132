//! A value of the configuration and its key, from one line of a table.

use super::{ColorChoice, ConfigValue};

/// A field of the configuration that a key sets.
pub(super) trait Setting {
    fn value(&self) -> ConfigValue;
    /// Takes a value of the right kind; others have been refused.
    fn set(&mut self, value: &ConfigValue);
}

macro_rules! setting {
    ($type:ty, $kind:ident, $own:ident => $get:expr, $value:ident => $set:expr) => {
        impl Setting for $type {
            fn value(&self) -> ConfigValue {
                let $own = self;
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

setting!(bool, Bool, own => *own, value => *value);
setting!(u64, Int, own => *own as i64, value => value.unsigned_abs());
setting!(f64, Float, own => *own, value => *value);
setting!(String, Text, own => own.clone(), value => value.clone());
setting!(ColorChoice, Text, own => own.to_string(), value => value.parse().unwrap_or(ColorChoice::Auto));

/// A key: its name, what it takes, what it does, and where its value is kept.
macro_rules! key {
    ($name:expr, $kind:expr, $help:expr, [$($path:tt)*] $($place:tt)+) => {
        Key {
            name: $name,
            kind: $kind,
            help: $help,
            get: |config: &Config| config.$($path)* $($place)+.value(),
            set: |config, value| config.$($path)* $($place)+.set(value),
        }
    };
}

/// A part of the configuration, its defaults and its keys. Each line is a key's name, what it takes,
/// its field with type and default, and what it does. `$path` is where [`super::Config`] has the part.
macro_rules! settings {
    (
        $(#[$meta:meta])* $config:ident, $keys:ident, $path:tt {
            $($name:literal, $kind:expr, $field:ident: $type:ty = $default:expr, $help:literal;)+
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

        pub(super) const $keys: &[Key] =
            &[$($crate::config::setting::key!($name, $kind, $help, $path $field)),+];
    };
}

pub(super) use {key, settings};
