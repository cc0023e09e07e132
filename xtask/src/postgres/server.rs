//! A server that lives as long as the process that started it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result, bail};

use crate::postgres::directory::ServerDirectory;
use crate::postgres::programs;
use crate::workspace::Workspace;

/// Settings of every server: reached over TCP from this machine only, and never a standby's primary.
const SETTINGS: &str = "-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 \
                        -c wal_level=minimal -c max_wal_senders=0";
/// Settings of a server whose data may be lost when the machine stops.
const WITHOUT_SYNC: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off";
/// The script that stops the server and removes its directory when our end of its input is closed.
const SERVE: &str = include_str!("serve.sh");
/// The number of lines of the log to show when the server does not start.
const LOG_LINES: usize = 20;

/// A running server with an empty superuser database; dropping it stops it and removes its data.
#[derive(Debug)]
pub(crate) struct LocalServer {
    script: Child,
    output: BufReader<ChildStdout>,
    input: Option<ChildStdin>,
    url: String,
}

impl LocalServer {
    /// Starts a server for tests, which is fast because it does not sync.
    pub(crate) fn for_tests(workspace: &Workspace) -> Result<LocalServer> {
        LocalServer::start(workspace, &std::env::temp_dir(), WITHOUT_SYNC)
    }

    /// Starts a server with further settings and its data in a directory.
    pub(crate) fn start(
        workspace: &Workspace,
        parent: &Path,
        settings: &str,
    ) -> Result<LocalServer> {
        let programs = programs::install(workspace)?;
        let directory = ServerDirectory::create_in(parent)?;
        let password = random_password()?;
        directory.add(programs.iter().map(AsRef::as_ref))?;
        directory.add_file("password", &password)?;
        let mut script = directory
            .command("sh")
            .args(["-c", SERVE, "serve"])
            .arg(directory.path(""))
            .arg(format!("{SETTINGS} {settings}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run `sh`")?;
        let input = script.stdin.take();
        let output = BufReader::new(script.stdout.take().context("no output")?);
        // From here, the script removes the directory.
        let directory = directory.keep();
        let mut server = LocalServer { script, output, input, url: String::new() };
        server.expect("initialised", &directory)?;
        // Chosen as late as possible: nothing reserves it.
        let port = free_port()?;
        writeln!(server.input.as_mut().context("no input")?, "{port}")?;
        server.expect("ready", &directory)?;
        server.url = format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres");
        Ok(server)
    }

    /// Returns the URL of the superuser.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Waits until the script ends, as it does only if somebody ends it.
    pub(crate) fn wait(&mut self) -> Result<()> {
        self.output.read_to_end(&mut Vec::new())?;
        bail!("the script that runs the server has ended")
    }

    /// Reads a line of the script; fails with the end of the log unless it is this one.
    fn expect(&mut self, line: &str, directory: &Path) -> Result<()> {
        let mut read = String::new();
        self.output.read_line(&mut read)?;
        if read.trim_end() == line {
            return Ok(());
        }
        let log = fs::read(directory.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<&str> = log.lines().collect();
        let end = lines[lines.len().saturating_sub(LOG_LINES)..].join("\n");
        bail!("PostgreSQL did not start; the end of its log:\n{end}")
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        drop(self.input.take());
        if let Err(error) = self.script.wait() {
            eprintln!("cannot wait for PostgreSQL to stop: {error}");
        }
    }
}

/// Returns a port that is free now, below those that systems give to connections.
fn free_port() -> Result<u16> {
    // Two processes that start at the same time begin at different ports.
    let first = std::process::id() as u16;
    (0..1_000_u16)
        .map(|step| 20_000 + first.wrapping_mul(7).wrapping_add(step) % 10_000)
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .context("no port is free")
}

fn random_password() -> Result<String> {
    let mut bytes = [0; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
