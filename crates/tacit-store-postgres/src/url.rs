//! Parsing of the address of a database, in both forms of libpq.

use std::path::PathBuf;
use std::time::Duration;

use crate::settings::{DEFAULT_PORT, Password, ServerUrl, SettingsError, SslMode};

/// Parses either form.
pub(crate) fn parse(text: &str) -> Result<ServerUrl, SettingsError> {
    if text.contains('\0') {
        return Err(SettingsError::Form("it has a null character"));
    }
    match text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://")) {
        Some(rest) => of_url(rest),
        None if text.split_once("://").is_some_and(|(word, _)| !word.contains('=')) => {
            Err(SettingsError::Form("it does not begin with `postgres://`"))
        }
        None => of_pairs(text),
    }
}

fn empty() -> ServerUrl {
    ServerUrl {
        user: None,
        password: None,
        host: "localhost".to_owned(),
        port: DEFAULT_PORT,
        database: None,
        ssl_mode: None,
        ssl_root_cert: None,
        connect_timeout: None,
    }
}

/// Parses what follows `postgres://`.
fn of_url(rest: &str) -> Result<ServerUrl, SettingsError> {
    let mut url = empty();
    let (rest, settings) = rest.split_once('?').unwrap_or((rest, ""));
    if settings.contains('@') {
        return Err(SettingsError::Form("a `?` in a password is written `%3F`"));
    }
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    if database.contains('/') {
        return Err(SettingsError::Form("a `/` in the name of the database is written `%2F`"));
    }
    // Otherwise a piece of a password with `/` would be taken for the name of the database.
    if database.contains('@') {
        return Err(SettingsError::Form("a `/` in a password is written `%2F`"));
    }
    set(&mut url, "dbname", &decoded(database)?)?;
    // A password may contain `@`.
    let place = match authority.rsplit_once('@') {
        Some((person, place)) => {
            let (user, password) = match person.split_once(':') {
                Some((user, password)) => (user, Some(password)),
                None => (person, None),
            };
            set(&mut url, "user", &decoded(user)?)?;
            if let Some(password) = password {
                set(&mut url, "password", &decoded(password)?)?;
            }
            place
        }
        None => authority,
    };
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            let (host, after) =
                rest.split_once(']').ok_or(SettingsError::Form("a `]` is missing"))?;
            match after.strip_prefix(':') {
                Some(port) => (host, port),
                None if after.is_empty() => (host, ""),
                None => return Err(SettingsError::Form("something follows the `]`")),
            }
        }
        None => place.split_once(':').unwrap_or((place, "")),
    };
    set(&mut url, "host", &decoded(host)?)?;
    if !port.is_empty() {
        set(&mut url, "port", port)?;
    }
    for pair in settings.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) =
            pair.split_once('=').ok_or(SettingsError::Form("a setting has no `=`"))?;
        set(&mut url, &decoded(name)?, &decoded(value)?)?;
    }
    Ok(url)
}

/// Parses `name=value` pairs. Values with spaces are in single quotes; a backslash escapes.
fn of_pairs(text: &str) -> Result<ServerUrl, SettingsError> {
    let mut url = empty();
    let mut rest = text.trim_start();
    if rest.is_empty() {
        return Err(SettingsError::Form("it is empty"));
    }
    while !rest.is_empty() {
        let (name, after) =
            rest.split_once('=').ok_or(SettingsError::Form("a setting has no `=`"))?;
        let (value, after) = value(after.trim_start())?;
        set(&mut url, name.trim_end(), &value)?;
        rest = after.trim_start();
    }
    Ok(url)
}

/// Reads a value, and returns what follows it.
fn value(text: &str) -> Result<(String, &str), SettingsError> {
    let (quoted, text) = match text.strip_prefix('\'') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => {
                let escaped = characters.next().ok_or(SettingsError::Form("it ends in a `\\`"))?;
                value.push(escaped.1);
            }
            '\'' if quoted => return Ok((value, &text[at + 1..])),
            space if !quoted && space.is_whitespace() => return Ok((value, &text[at..])),
            other => value.push(other),
        }
    }
    if quoted {
        return Err(SettingsError::Form("a quote is not closed"));
    }
    Ok((value, ""))
}

/// Sets a setting. An empty value is the default, as in libpq.
fn set(url: &mut ServerUrl, name: &str, value: &str) -> Result<(), SettingsError> {
    let wrong = |name, problem| SettingsError::Value { name, problem };
    let given = !value.is_empty();
    match name {
        "user" if given => url.user = Some(value.to_owned()),
        "password" if given => url.password = Some(Password::new(value)),
        "host" if given => {
            if value.contains(',') {
                return Err(wrong("host", "names several hosts"));
            }
            value.clone_into(&mut url.host);
        }
        "port" if given => {
            let port = value.parse().ok().filter(|port| *port > 0);
            url.port = port.ok_or(wrong("port", "is not from 1 to 65535"))?;
        }
        "dbname" if given => url.database = Some(value.to_owned()),
        "sslmode" if given => {
            let mode = SslMode::from_word(value);
            let expected = "is not `disable`, `prefer`, `require` or `verify-full`";
            url.ssl_mode = Some(mode.ok_or(wrong("sslmode", expected))?);
        }
        "sslrootcert" if given => url.ssl_root_cert = Some(PathBuf::from(value)),
        "connect_timeout" if given => {
            let seconds = value
                .parse()
                .map_err(|_| wrong("connect_timeout", "is not a whole number of seconds"))?;
            // Zero waits for ever in libpq; here, the program's own limit remains.
            url.connect_timeout = (seconds > 0).then(|| Duration::from_secs(seconds));
        }
        // Set by this program.
        "application_name" | "fallback_application_name" => {}
        "user" | "password" | "host" | "port" | "dbname" | "sslmode" | "sslrootcert"
        | "connect_timeout" => {}
        other => return Err(SettingsError::UnknownSetting(printable(other))),
    }
    Ok(())
}

/// Shortens the name of an unknown setting: it may be a piece of a password with `&`.
fn printable(name: &str) -> String {
    let known = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if known && name.len() <= 32 { name.to_owned() } else { "…".to_owned() }
}

/// Decodes percent escapes.
fn decoded(text: &str) -> Result<String, SettingsError> {
    let wrong = SettingsError::Form("a `%` is not followed by two hexadecimal digits");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digit = |at: usize| after.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        let (Some(high), Some(low)) = (digit(0), digit(1)) else { return Err(wrong) };
        bytes.push((high * 16 + low) as u8);
        rest = &after[2..];
    }
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| SettingsError::Form("an escape is not UTF-8"))?;
    if text.contains('\0') {
        return Err(SettingsError::Form("it has a null character"));
    }
    Ok(text)
}
