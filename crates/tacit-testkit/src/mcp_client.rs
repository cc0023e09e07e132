//! A minimal client of `tacit mcp`, and the calls of a long session.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// A connection to its own server process.
#[derive(Debug)]
pub struct McpClient {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
}

impl McpClient {
    /// Starts a server in the project and initialises the protocol.
    pub fn start(env: &TestEnv) -> McpClient {
        McpClient::start_with(env, &[])
    }

    /// Starts a server with additional environment variables.
    pub fn start_with(env: &TestEnv, variables: &[(&str, &str)]) -> McpClient {
        let mut child = env
            .command()
            .arg("mcp")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let to = child.stdin.take().expect("a pipe");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut client = McpClient { child, to, from, last: 0 };
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test client", "version": "1"},
        });
        let answer = client.ask("initialize", &params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "tacit", "{answer}");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.send(ready.to_string());
        client
    }

    /// Sends a line, valid or not.
    pub fn send(&mut self, line: impl AsRef<[u8]>) {
        self.to.write_all(line.as_ref()).expect("it is taken");
        self.to.write_all(b"\n").expect("it is taken");
    }

    /// Sends a request and waits for its response.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let id = self.last;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(request.to_string());
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("a line") > 0, "the server is gone");
            let message: Value = serde_json::from_str(&line).expect("nothing but the protocol");
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    /// Calls a tool and returns its result.
    pub fn result(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    /// Calls a tool and returns the text of its result.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> String {
        result_text(&self.result(tool, arguments)).to_owned()
    }

    /// Makes one of the calls of a long session: storing, searching, noting, or an error.
    pub fn call_number(&mut self, number: usize) {
        let (tool, arguments, beginning) = match number % 4 {
            0 => {
                let text = format!("lesson number {number} of a long session");
                ("store_memory", lesson(&text), "Stored: ")
            }
            1 => {
                let query = format!("lesson number {}", number / 2);
                ("memory_search", json!({"query": query}), "<tacit-notes>")
            }
            2 => {
                let content = format!("note number {number}");
                ("remember_this", json!({"content": content}), "Noted ")
            }
            _ => ("forget", json!({"id": "nothing", "reason": "untrue"}), "Error: "),
        };
        let answer = self.call(tool, &arguments);
        assert!(answer.starts_with(beginning), "{tool}: {answer}");
    }

    /// Returns the resident memory of the server in kilobytes: anonymous memory, and mapped files,
    /// which the system can reclaim.
    #[cfg(target_os = "linux")]
    pub fn resident(&self) -> (u64, u64) {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(path).expect("a status");
        let size = |name| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a size");
            line.trim().trim_end_matches(" kB").parse().expect("a number")
        };
        (size("RssAnon:"), size("RssFile:"))
    }

    /// Kills the server.
    pub fn kill(mut self) {
        self.child.kill().expect("it is killed");
        self.child.wait().expect("it ends");
    }

    /// Closes the connection and waits for the server, which must not print errors.
    pub fn end(self) {
        assert_eq!(self.stderr_at_exit(), "");
    }

    /// Closes the connection, waits for the server, and returns its standard error.
    pub fn stderr_at_exit(self) -> String {
        let McpClient { child, to, from, .. } = self;
        drop((to, from));
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

/// Returns the text of a result.
pub fn result_text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

/// Returns arguments for `store_memory`.
pub fn lesson(description: &str) -> Value {
    json!({
        "name": "A lesson", "description": description, "reasoning": "it was costly",
        "category": "patterns",
    })
}
