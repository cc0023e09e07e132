//! The stream of events, and requests that wait.

use std::io::{BufRead, BufReader, Write};

use serde_json::{Value, json};

use super::Panel;

/// Opens the stream of events, and reads its greeting.
fn listen(panel: &Panel) -> impl Iterator<Item = String> + use<> {
    let mut stream = panel.connect();
    let request = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
        panel.port, panel.token
    );
    stream.write_all(request.as_bytes()).expect("a write");
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    assert!(lines.any(|line| line == "event: hello"), "it begins with a greeting");
    lines
}

/// Reads until an event of this name. Returns its data.
fn next(lines: &mut impl Iterator<Item = String>, name: &str) -> Value {
    let name = format!("event: {name}");
    assert!(lines.any(|line| line == name), "{name}");
    let data = lines.next().expect("data");
    serde_json::from_str(data.strip_prefix("data: ").expect("data")).expect("JSON")
}

fn teach(panel: &Panel, content: &str) {
    let body = json!({"content": content, "type": "gotcha"});
    assert_eq!(panel.write("POST", "/memories", &body).status, 200);
}

#[test]
fn a_restored_backup_changes_everything_and_later_changes_are_heard() {
    let panel = Panel::start();
    teach(&panel, "Close the pool before every fork");
    let backup = panel.write("POST", "/backups", &json!({"store": "project"})).json();
    for content in ["Ports below 1024 need rights", "Lanterns hang in the pantry"] {
        teach(&panel, content);
    }
    let mut lines = listen(&panel);
    teach(&panel, "Stairs are swept on Mondays");
    let heard = next(&mut lines, "memories");
    assert_eq!((&heard["all"], &heard["replaced"]), (&json!(false), &json!(false)));
    let restore = json!({"store": "project", "name": backup["name"], "confirm": "restore"});
    assert_eq!(panel.write("POST", "/backups/restore", &restore).status, 200);
    let heard = next(&mut lines, "memories");
    assert_eq!((&heard["all"], &heard["replaced"]), (&json!(true), &json!(true)), "{heard}");
    teach(&panel, "The cellar is dry in May");
    let heard = next(&mut lines, "memories");
    assert_eq!(heard["changes"].as_array().map(Vec::len), Some(1), "{heard}");
}

#[test]
fn nothing_waits_for_a_page_that_opens_the_stream() {
    let panel = Panel::start();
    panel.get("/about");
    // The look at the stores may open the project, too.
    panel.project.gate.close_for(2);
    let mut stream = panel.connect();
    let request = format!(
        "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\r\n",
        panel.port, panel.token
    );
    stream.write_all(request.as_bytes()).expect("a write");
    panel.project.gate.wait_for(1);
    assert_eq!(panel.send("GET /index.html", &[], "").status, 200);
    panel.project.gate.open();
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("a line"));
    assert!(lines.any(|line| line == "event: hello"));
}

#[test]
fn a_stopped_question_frees_its_turn() {
    let panel = Panel::start();
    let body = json!({"question": "what about pools?"}).to_string();
    let ask = || {
        let mut stream = panel.connect();
        let request = format!(
            "POST /api/v1/chat HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            panel.port,
            panel.token,
            body.len()
        );
        stream.write_all(request.as_bytes()).expect("a write");
        stream
    };
    panel.get("/about");
    panel.project.gate.close_for(3);
    let questions: Vec<_> = (0..3).map(|_| ask()).collect();
    panel.project.gate.wait_for(3);
    drop(questions);
    assert_eq!(panel.get("/memories").status, 200, "while the questions cannot end");
    panel.project.gate.open();
}
