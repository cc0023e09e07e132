//! A client of `tacit mcp` that speaks the protocol by hand, and what one asks in a long session.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// A connection to a server of its own.
#[derive(Debug)]
pub struct McpClient {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
}

impl McpClient {
    /// Starts a server in the project of a place, and introduces itself.
    pub fn start(env: &TestEnv) -> McpClient {
        McpClient::start_with(env, &[])
    }

    /// With more in the environment of the server.
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
        let mut talk = McpClient { child, to, from, last: 0 };
        let hello = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "1"},
        });
        let answer = talk.ask("initialize", &hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "tacit", "{answer}");
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        talk.send(ready.to_string());
        talk
    }

    /// Sends a line, whatever it is.
    pub fn send(&mut self, line: impl AsRef<[u8]>) {
        self.to.write_all(line.as_ref()).expect("it is taken");
        self.to.write_all(b"\n").expect("it is taken");
    }

    /// Asks and reads until the answer comes.
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

    /// What comes of a tool.
    pub fn result(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))["result"].take()
    }

    /// What a tool says.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> String {
        result_text(&self.result(tool, arguments)).to_owned()
    }

    /// Returns one of the calls of a long session: storing, searching, noting, and an error.
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
        let said = self.call(tool, &arguments);
        assert!(said.starts_with(beginning), "{tool}: {said}");
    }

    /// How many kilobytes of memory the server has at the moment: those of its own, and those of
    /// files that are mapped, of which the system takes back what it needs.
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

    /// Goes, and waits for the server to do the same, which must have printed no complaint.
    pub fn end(self) {
        assert_eq!(self.stderr_at_exit(), "");
    }

    /// Goes, waits for the server to do the same, and returns what it printed on standard error.
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

/// Arguments that `store_memory` takes.
pub fn lesson(description: &str) -> Value {
    json!({
        "name": "A lesson", "description": description, "reasoning": "it was costly",
        "category": "patterns",
    })
}
