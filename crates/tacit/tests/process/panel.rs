//! `tacit panel` as a process: it prints its address, answers, opens no shell, and ends cleanly.

#![cfg(all(unix, feature = "panel"))]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Stdio};

use serde_json::Value;
use tacit_testkit::env::TestEnv;

use super::{files, initialised};

/// A running panel, with its port and token.
struct Running {
    child: Child,
    port: u64,
    token: String,
}

impl Running {
    fn start(env: &TestEnv, arguments: &[&str], path: Option<&str>) -> Running {
        let mut command = env.command();
        command.args(["panel", "--json"]).args(arguments).stdout(Stdio::piped());
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let mut child = command.spawn().expect("a process");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let value: Value = serde_json::from_str(&line).expect("JSON");
        let url = value["url"].as_str().expect("an address");
        let token = url.split_once("token=").expect("a token").1.to_owned();
        Running { child, port: value["port"].as_u64().expect("a port"), token }
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port as u16)).expect("a connection");
        let (port, token) = (self.port, &self.token[..64]);
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n\
             Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("a write");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Ends it as Ctrl-C does. Returns true if it ended without a failure.
    fn interrupt(mut self) -> bool {
        let process = nix::unistd::Pid::from_raw(self.child.id() as i32);
        nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGINT).expect("a signal");
        self.child.wait().expect("an end").success()
    }
}

#[test]
fn the_panel_answers_until_it_is_interrupted() {
    let env = initialised();
    let panel = Running::start(&env, &["--no-open"], None);
    let answer = panel.get("/api/v1/about");
    assert!(
        answer.starts_with("HTTP/1.1 200") && answer.contains("\"initialised\":true"),
        "{answer}"
    );
    assert!(panel.interrupt());
}

#[test]
fn the_browser_gets_a_private_page_instead_of_the_token() {
    let env = initialised();
    let programs = env.home().join("programs");
    fs::create_dir_all(&programs).expect("a directory");
    let opener = programs.join(if cfg!(target_os = "macos") { "open" } else { "xdg-open" });
    let (told, done) = (env.home().join("told"), env.home().join("done"));
    let script = format!(
        "#!/bin/sh\n/bin/cp \"$1\" {0}\n/bin/echo \"$#\" > {1}.new\n/bin/mv {1}.new {1}\n",
        told.display(),
        done.display()
    );
    fs::write(&opener, script).expect("a file");
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o700)).expect("permissions");
    let panel = Running::start(&env, &[], Some(&programs.display().to_string()));
    while !done.exists() {
        std::thread::yield_now();
    }
    let page = fs::read_to_string(&told).expect("the page");
    assert!(page.contains(&format!("127.0.0.1:{}/#token={}", panel.port, panel.token)), "{page}");
    assert!(panel.interrupt());
    let left = files(&env.home()).into_iter().filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("panel-"))
    });
    assert_eq!(left.count(), 0, "the page is removed");
}
