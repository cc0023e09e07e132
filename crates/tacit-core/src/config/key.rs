//! One line for each key: what it takes, its name, what it does, and where its value is kept.

macro_rules! key {
    (flag $name:literal, $help:literal, $($place:tt)+) => {
        Key {
            name: $name,
            kind: KeyKind::Bool,
            help: $help,
            get: |config| ConfigValue::Bool(config.$($place)+),
            set: |config, value| {
                if let ConfigValue::Bool(value) = value {
                    config.$($place)+ = *value;
                }
            },
        }
    };
    (number $name:literal, ($min:literal, $max:literal), $help:literal, $($place:tt)+) => {
        Key {
            name: $name,
            kind: KeyKind::Int($min, $max),
            help: $help,
            get: |config| ConfigValue::Int(config.$($place)+ as i64),
            set: |config, value| {
                if let ConfigValue::Int(value) = value {
                    config.$($place)+ = value.unsigned_abs();
                }
            },
        }
    };
    (fraction $name:literal, ($min:literal, $max:literal), $help:literal, $($place:tt)+) => {
        Key {
            name: $name,
            kind: KeyKind::Float($min, $max),
            help: $help,
            get: |config| ConfigValue::Float(config.$($place)+),
            set: |config, value| {
                if let ConfigValue::Float(value) = value {
                    config.$($place)+ = *value;
                }
            },
        }
    };
    (choice $name:literal, $words:expr, $help:literal, $($place:tt)+) => {
        Key {
            name: $name,
            kind: KeyKind::Choice($words),
            help: $help,
            get: |config| ConfigValue::Text(config.$($place)+.clone()),
            set: |config, value| {
                if let ConfigValue::Text(value) = value {
                    config.$($place)+.clone_from(value);
                }
            },
        }
    };
    (text $name:literal, $help:literal, $($place:tt)+) => {
        Key {
            name: $name,
            kind: KeyKind::Text,
            help: $help,
            get: |config| ConfigValue::Text(config.$($place)+.clone()),
            set: |config, value| {
                if let ConfigValue::Text(value) = value {
                    config.$($place)+.clone_from(value);
                }
            },
        }
    };
}

pub(super) use key;
