//! The settings of a connection: the server's address, its password, and how it is encrypted.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::pgpass;
use crate::url;

/// The port that PostgreSQL listens on by default.
pub(crate) const DEFAULT_PORT: u16 = 5432;

/// The error of settings that cannot be used. No variant contains a password.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The address has another form.
    #[error("the address of the server is not `postgres://user@host:port/database`: {0}")]
    Form(&'static str),
    /// A setting of the address is unknown.
    #[error("the address of the server has the unknown setting `{0}`")]
    UnknownSetting(String),
    /// A setting of the address has an invalid value.
    #[error("the setting `{name}` of the server's address {problem}")]
    Value {
        /// The name of the setting.
        name: &'static str,
        /// The problem with its value.
        problem: &'static str,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The password file can be read by others.
    #[error("`{}` is ignored because others can read it; run `chmod 600` on it", .0.display())]
    OpenToOthers(PathBuf),
    /// The file with certificates has none.
    #[error("`{}` has no certificate in the form PEM", .0.display())]
    NoCertificate(PathBuf),
    /// The resources for a connection are not available.
    #[error("cannot prepare a connection: {0}")]
    System(String),
}

/// The use of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SslMode {
    /// Never encrypt.
    Disable,
    /// Encrypt if the server can, without checking who it is.
    Prefer,
    /// Encrypt, without checking who the server is.
    Require,
    /// Encrypt, and check the server's certificate and name.
    VerifyFull,
}

impl SslMode {
    /// Parses the word of libpq.
    pub fn from_word(word: &str) -> Option<SslMode> {
        Some(match word {
            "disable" => SslMode::Disable,
            "prefer" => SslMode::Prefer,
            "require" => SslMode::Require,
            "verify-full" => SslMode::VerifyFull,
            _ => return None,
        })
    }

    /// Returns the word of libpq.
    pub fn as_str(self) -> &'static str {
        match self {
            SslMode::Disable => "disable",
            SslMode::Prefer => "prefer",
            SslMode::Require => "require",
            SslMode::VerifyFull => "verify-full",
        }
    }
}

/// A password, which is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Wraps a password.
    pub fn new(text: impl Into<String>) -> Password {
        Password(text.into())
    }

    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

/// The address of a database. Neither [`fmt::Display`] nor [`fmt::Debug`] shows user or password.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl {
    pub(crate) user: Option<String>,
    pub(crate) password: Option<Password>,
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) database: Option<String>,
    pub(crate) ssl_mode: Option<SslMode>,
    pub(crate) ssl_root_cert: Option<PathBuf>,
    pub(crate) connect_timeout: Option<Duration>,
}

impl ServerUrl {
    /// Parses `postgres://user:password@host:port/database?setting=value`, or the form `host=… port=…`.
    /// The settings are `sslmode`, `sslrootcert` and `connect_timeout` (seconds).
    pub fn parse(text: &str) -> Result<ServerUrl, SettingsError> {
        url::parse(text.trim())
    }

    /// Returns true if the text is the address of a PostgreSQL server.
    pub fn is_one(text: &str) -> bool {
        let text = text.trim();
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Returns the host: a name, an address, or the folder of a socket.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the user, if the address names one.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// Returns true if the address contains a password.
    pub fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// Returns the use of TLS. Without a setting, connections that leave this machine are verified.
    pub fn ssl_mode(&self) -> SslMode {
        self.ssl_mode.unwrap_or(if self.is_local() { SslMode::Prefer } else { SslMode::VerifyFull })
    }

    /// Returns true if the host is a socket.
    pub(crate) fn is_socket(&self) -> bool {
        self.host.starts_with('/')
    }

    fn is_local(&self) -> bool {
        self.is_socket()
            || self.host == "localhost"
            || self.host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = &self.host;
        let database = self.database.as_deref().unwrap_or_default();
        if host.contains(':') {
            write!(f, "postgres://[{host}]:{}/{database}", self.port)
        } else {
            write!(f, "postgres://{host}:{}/{database}", self.port)
        }
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerUrl({self})")
    }
}

/// The user name and the password that the environment provides.
#[derive(Debug, Clone, Default)]
pub struct Credentials {
    /// The user if the address names none: `PGUSER`, or the user of the system.
    pub user: Option<String>,
    /// The password if the address has none: from `PGPASSWORD` or `database.password_command`.
    pub password: Option<Password>,
    /// The file with passwords by server, asked last: `PGPASSFILE` or `~/.pgpass`.
    pub pgpass: Option<PathBuf>,
}

/// The limits on waiting for the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection, up to the first answer. `connect_timeout` of the address may shorten it.
    pub connect: Duration,
    /// For the answer to a statement.
    pub statement: Duration,
    /// For another writer of the project.
    pub busy: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            connect: Duration::from_secs(5),
            statement: Duration::from_secs(60),
            busy: Duration::from_secs(5),
        }
    }
}

/// An address with everything that a connection needs.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    pub(crate) url: ServerUrl,
    pub(crate) user: String,
    pub(crate) password: Option<Password>,
}

impl ServerSettings {
    /// Finds the user and the password for an address: in the address itself, else in `PGPASSWORD`, else
    /// in the password file, as libpq does.
    pub fn resolve(
        url: ServerUrl,
        credentials: &Credentials,
    ) -> Result<ServerSettings, SettingsError> {
        let user = url.user.clone().or_else(|| credentials.user.clone());
        let user = user.ok_or(SettingsError::Form("it names no user"))?;
        let given = url.password.clone().or_else(|| credentials.password.clone());
        let password = match (given, &credentials.pgpass) {
            (Some(password), _) => Some(password),
            (None, Some(file)) => pgpass::find(file, &url, &user)?,
            (None, None) => None,
        };
        Ok(ServerSettings { url, user, password })
    }

    /// Returns the address.
    pub fn url(&self) -> &ServerUrl {
        &self.url
    }

    /// Returns the user.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Returns the password that was found.
    pub fn password(&self) -> Option<&Password> {
        self.password.as_ref()
    }

    /// Returns the database, by default that of the user's name.
    pub fn database(&self) -> &str {
        self.url.database.as_deref().unwrap_or(&self.user)
    }
}
