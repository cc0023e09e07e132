//! Setting up agents: what becomes of the settings that people have.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use tacit_testkit::env::TestEnv;

use crate::{BINARY, bare};

const LOCAL: &str = ".claude/settings.local.json";

/// Writes a file in the project, with its folders.
fn write(env: &TestEnv, name: &str, bytes: &[u8]) -> PathBuf {
    let path = env.project().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    fs::write(&path, bytes).expect("a file");
    path
}

fn home(env: &TestEnv) -> PathBuf {
    env.root().join("home")
}

/// The program that the first hook of a client with programs and arguments runs.
fn program(settings: &Path) -> String {
    let text = fs::read_to_string(settings).expect("settings");
    let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let hook = &value["hooks"]["SessionStart"][0]["hooks"][0];
    assert_eq!(hook["args"], serde_json::json!(["hook", "claude"]));
    hook["command"].as_str().expect("a program").to_owned()
}

#[test]
fn every_file_is_given_back_byte_for_byte() {
    let oddities: [&[u8]; 9] = [
        b"",
        b"\n \n",
        b"{}",
        b"{ }\r\n",
        b"\xef\xbb\xbf{\n\t\"a\" :1 ,\n\t\"hooks\" : { }\n}\n\n\n",
        b"{\"z\":[1,\n2],\"a\":1e2,\"a\":2}",
        b"{\r\n    \"hooks\": {\r\n        \"Stop\": [ ]\r\n    },\r\n    \"x\": \"\\u00e9\"\r\n}",
        b"{\"hooks\":{\"stop\":[],\"Stop\":[]},\"version\":1}\n",
        b"{\n  \"version\": 1\n}",
    ];
    let files = [
        ("claude", LOCAL),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
        ("copilot", ".github/hooks/tacit.json"),
    ];
    for before in oddities {
        let env = bare();
        let paths = files.map(|(_, file)| write(&env, file, before));
        // All of them are found by their files.
        let ran = env.run(["init", "--json"]).succeeded().json();
        assert_eq!(ran["agents"].as_array().map(Vec::len), Some(files.len()), "{ran}");
        let with: Vec<_> = paths.iter().map(|path| fs::read(path).expect("a file")).collect();
        assert!(with.iter().all(|bytes| bytes != before));
        env.run(["init"]).succeeded();
        for (path, bytes) in paths.iter().zip(&with) {
            assert_eq!(&fs::read(path).expect("a file"), bytes, "a second run changes nothing");
        }
        env.run(["uninstall"]).succeeded();
        for path in &paths {
            let after = fs::read(path).expect("a file");
            assert_eq!(String::from_utf8_lossy(&after), String::from_utf8_lossy(before));
        }
    }
}

#[test]
fn settings_that_are_a_link_are_changed_where_they_lead() {
    let env = bare();
    let real = write(&env, "dotfiles/claude.json", b"{\"model\": \"opus\"}");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("permissions");
    fs::create_dir(env.project().join(".claude")).expect("a folder");
    let link = env.project().join(LOCAL);
    symlink("../dotfiles/claude.json", &link).expect("a link");
    env.run(["init"]).succeeded();
    assert!(link.is_symlink());
    assert_eq!(program(&real), BINARY);
    assert_eq!(fs::metadata(&real).expect("a file").permissions().mode() & 0o777, 0o640);
    env.run(["uninstall"]).succeeded();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&real).expect("a file"), b"{\"model\": \"opus\"}");
}

#[test]
fn a_project_cannot_lead_us_out_of_it() {
    let env = bare();
    let outside = env.root().join("outside");
    fs::create_dir(&outside).expect("a folder");
    symlink(&outside, env.project().join(".claude")).expect("a link");
    let ran = env.run(["init"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("leads out of"), "{}", ran.stderr);
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0);
    assert!(env.store().join("memory.db").exists());
}

#[test]
fn a_link_of_the_users_own_may_lead_anywhere() {
    let env = bare();
    let outside = env.root().join("outside");
    fs::create_dir(&outside).expect("a folder");
    symlink(&outside, home(&env).join(".claude")).expect("a link");
    env.run(["init", "--global"]).succeeded();
    assert_eq!(program(&outside.join("settings.json")), BINARY);
    assert!(!env.store().exists());
    env.run(["uninstall", "--global"]).succeeded();
    assert_eq!(fs::read_dir(&outside).expect("the folder is still there").count(), 0);
}

#[test]
fn settings_that_are_read_only_are_left_alone_and_so_are_all_others() {
    let env = bare();
    let closed = write(&env, ".gemini/settings.json", b"{}");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o444)).expect("permissions");
    let open = write(&env, LOCAL, b"{}");
    let ran = env.run(["init"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("settings.json` is read-only"), "{}", ran.stderr);
    for path in [&closed, &open] {
        assert_eq!(fs::read(path).expect("a file"), b"{}");
    }
    assert!(env.store().join("memory.db").exists());
    env.run(["init", "--agent", "claude"]).succeeded();
    assert_eq!(program(&open), BINARY);
}

#[test]
fn settings_that_cannot_be_understood_keep_all_others_from_being_changed() {
    let env = bare();
    let open = write(&env, LOCAL, b"{}");
    for broken in [&b"{\"a\": 1,}"[..], b"[]", b"{\"hooks\": 3}", b"\xff", b"// text\n{}"] {
        let path = write(&env, ".gemini/settings.json", broken);
        let ran = env.run(["init"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(".gemini/settings.json`"), "{}", ran.stderr);
        assert!(ran.stderr.contains("\nhint: correct it"), "{}", ran.stderr);
        assert_eq!(fs::read(&path).expect("a file"), broken);
        assert_eq!(fs::read(&open).expect("a file"), b"{}");
        assert!(env.store().join("memory.db").exists());
    }
    // Hooks are nowhere, so there is nothing that would have to be understood.
    env.run(["uninstall"]).succeeded();
}

#[test]
fn the_program_is_named_by_its_path_unless_looking_it_up_finds_it() {
    let folder = Path::new(BINARY).parent().expect("a folder").display().to_string();
    let other = tempfile::tempdir().expect("a folder");
    fs::write(other.path().join("tacit"), "").expect("a file");
    let other = other.path().display().to_string();
    let cases = [
        ("/usr/bin:/bin".to_owned(), BINARY),
        (format!("/usr/bin:{folder}"), "tacit"),
        (format!("{other}:{folder}"), BINARY),
    ];
    let env = bare();
    for (path, expected) in cases {
        let set_up = |arguments: &[&str]| {
            let ran = env.command().args(arguments).env("PATH", &path).output().expect("a run");
            assert!(ran.status.success(), "{ran:?}");
        };
        set_up(&["init", "--agent", "claude"]);
        assert_eq!(program(&env.project().join(LOCAL)), expected, "{path}");
        set_up(&["init", "--agent", "claude", "--shared"]);
        assert_eq!(program(&env.project().join(".claude/settings.json")), "tacit", "{path}");
    }
}

#[test]
fn shared_hooks_stay_shared() {
    let env = bare();
    env.run(["init", "--agent", "codex", "--shared"]).succeeded();
    let path = env.project().join(".codex/hooks.json");
    let shared = fs::read_to_string(&path).expect("a file");
    assert!(shared.contains("\"tacit hook codex\""), "{shared}");
    env.run(["init"]).succeeded();
    env.run(["agents", "upgrade"]).succeeded();
    assert_eq!(fs::read_to_string(&path).expect("a file"), shared);
}

#[test]
fn claude_code_may_keep_its_settings_elsewhere() {
    let env = bare();
    let moved = env.root().join("moved");
    for folder in [moved.clone(), PathBuf::from("../moved")] {
        let run = |name: &str| {
            let mut command = env.command();
            let ran = command.args([name, "--global"]).env("CLAUDE_CONFIG_DIR", &folder).output();
            assert!(ran.expect("a run").status.success());
        };
        fs::create_dir_all(&moved).expect("a folder");
        run("init");
        assert_eq!(program(&moved.join("settings.json")), BINARY);
        assert!(!home(&env).join(".claude").exists());
        run("uninstall");
        assert!(!moved.join("settings.json").exists());
    }
}

#[test]
fn a_worktree_has_its_own_settings_and_git_sees_none() {
    let env = bare();
    env.git(&env.project(), &["init", "-q"]);
    env.git(&env.project(), &["commit", "-q", "--allow-empty", "-m", "first"]);
    env.git(&env.project(), &["worktree", "add", "-q", "../side", "-b", "side"]);
    let side = env.root().join("side");
    let exclude = env.project().join(".git/info/exclude");
    env.run(["init"]).succeeded();
    let before = fs::read(&exclude).expect("a file");
    env.run_in(&side, ["init", "--agent", "claude", "--agent", "cursor"]).succeeded();
    assert_eq!(program(&side.join(LOCAL)), BINARY);
    assert!(!env.project().join(LOCAL).exists());
    assert!(!side.join(".tacit").exists());
    let status = || {
        let mut git = env.command_for("git");
        let output = git.args(["status", "--short"]).current_dir(&side).output().expect("git");
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(status(), "");
    // What is meant for everybody is to be seen.
    env.run_in(&side, ["init", "--agent", "cursor", "--shared"]).succeeded();
    assert_eq!(status(), "?? .cursor/\n");
    env.run_in(&side, ["uninstall"]).succeeded();
    assert_eq!(status(), "");
    assert_eq!(fs::read(&exclude).expect("a file"), before);
}

#[test]
fn lines_of_others_in_the_exclude_file_stay() {
    let env = bare();
    env.git(&env.project(), &["init", "-q"]);
    let exclude = env.project().join(".git/info/exclude");
    fs::write(&exclude, "/.tacit/\n/.claude/settings.local.json\n").expect("a file");
    for command in [&["init", "--agent", "claude", "--hooks-only"][..], &["uninstall"]] {
        env.run(command).succeeded();
        let text = fs::read_to_string(&exclude).expect("a file");
        assert_eq!(text, "/.tacit/\n/.claude/settings.local.json\n");
    }
}

/// Every file below the project, except the store, with its bytes; folders end with a slash.
fn tree(env: &TestEnv) -> Vec<(String, Vec<u8>)> {
    let root = env.project();
    let (mut folders, mut found) = (vec![root.clone()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.strip_prefix(&root).expect("below").display().to_string();
            if path.is_dir() && [".git", ".tacit"].contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                found.push((format!("{name}/"), Vec::new()));
                folders.push(path);
            } else {
                found.push((name, fs::read(&path).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

const ALL: [&str; 8] =
    ["claude", "codex", "gemini", "cursor", "copilot", "opencode", "kilo", "qwen"];

#[test]
fn servers_commands_and_skills_leave_no_trace() {
    let odd = "{\"mcpServers\" : {\r\n  \"other\":{\"command\":\"x\"} },\"z\":[ ]}";
    let own = "---\nname: remember\ndescription: mine\n---\nmine\n";
    let cases: [&[(&str, &str)]; 5] = [
        &[],
        &[(".mcp.json", odd), (".cursor/mcp.json", "{}"), ("opencode.json", "{\n}\n")],
        &[(".gemini/settings.json", odd), (".codex/config.toml", "model = \"x\"")],
        &[
            (".claude/skills/other/SKILL.md", own),
            (".claude/skills/remember/SKILL.md", own),
            (".gemini/commands/remember.toml", "prompt = \"mine\"\n"),
        ],
        &[
            (".codex/config.toml", "[mcp_servers.other]\r\ncommand = 'y'\r\n"),
            (".claude/settings.local.json", "{\"enabledMcpjsonServers\":[\"other\"]}"),
            ("opencode.json", "{\"mcp\":{}}"),
            (".mcp.json", ""),
        ],
    ];
    for files in cases {
        let env = bare();
        for (name, text) in files {
            write(&env, name, text.as_bytes());
        }
        let before = tree(&env);
        env.run(["init", "--agent", &ALL.join(",")]).succeeded();
        let with = tree(&env);
        for name in [".codex/config.toml", "opencode.json", ".cursor/commands/when.md"] {
            assert!(with.iter().any(|(found, _)| found == name), "{name}");
        }
        env.run(["init", "--agent", &ALL.join(",")]).succeeded();
        assert!(tree(&env) == with, "a second run changes nothing");
        env.run(["agents", "upgrade"]).succeeded();
        assert!(tree(&env) == with, "nothing is outdated");
        env.run(["uninstall"]).succeeded();
        let after = tree(&env);
        let names = |tree: &[(String, Vec<u8>)]| -> Vec<String> {
            tree.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(&after), names(&before));
        assert!(after == before, "{files:?}");
    }
}

#[test]
fn edits_of_the_user_stay() {
    let env = bare();
    env.run(["init", "--agent", "claude,codex"]).succeeded();
    let page = env.project().join(".claude/skills/when/SKILL.md");
    let edited = fs::read_to_string(&page).expect("a page").replace("decided", "agreed");
    fs::write(&page, &edited).expect("a file");
    let servers = env.project().join(".mcp.json");
    let text = fs::read_to_string(&servers).expect("a file");
    let more = text.replacen("\"tacit\"", "\"mine\": {\"command\": \"x\"},\n    \"tacit\"", 1);
    fs::write(&servers, more).expect("a file");
    let ran = env.run(["init", "--agent", "claude"]).succeeded();
    assert!(ran.stdout.contains("when/SKILL.md stays as it is"), "{}", ran.stdout);
    env.run(["uninstall"]).succeeded();
    assert_eq!(fs::read_to_string(&page).expect("a page"), edited);
    let left: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&servers).expect("a file")).expect("JSON");
    assert_eq!(left["mcpServers"], serde_json::json!({"mine": {"command": "x"}}));
    assert!(!env.project().join(".codex").exists());
}

#[test]
fn files_that_are_committed_stay() {
    let env = bare();
    env.git(&env.project(), &["init", "-q"]);
    env.run(["init", "--agent", "claude", "--shared"]).succeeded();
    env.git(&env.project(), &["add", "."]);
    env.git(&env.project(), &["commit", "-q", "-m", "set up"]);
    let before = tree(&env);
    let ran = env.run(["uninstall"]).succeeded();
    assert!(ran.stdout.contains(".mcp.json is committed and stays"), "{}", ran.stdout);
    assert!(tree(&env) == before);
    env.run(["uninstall", "--shared"]).succeeded();
    assert_eq!(tree(&env), []);
}

#[test]
fn hooks_of_other_memory_tools_are_named_and_removed() {
    let env = bare();
    let before = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"command\": \"lint\"}]},\n      \
                  {\"hooks\": [{\"type\": \"command\", \"command\": \"wt-hook-memory-save\"}]}\n    ],\n    \
                  \"SessionStart\": [{\"hooks\": [{\"command\": \"node /x/claude-mem/start.js\"}]}]\n  }\n}\n";
    let path = write(&env, ".claude/settings.json", before.as_bytes());
    let ran = env.run(["init", "--agent", "claude"]).succeeded();
    for tool in ["wt-memory", "claude-mem"] {
        assert!(ran.stdout.contains(&format!("Hooks of {tool} are still in")), "{}", ran.stdout);
    }
    assert!(ran.stdout.contains("`tacit agents clean` removes them"), "{}", ran.stdout);
    let doctor = env.run(["doctor"]).succeeded();
    assert!(doctor.stdout.contains("hooks of claude-mem are in"), "{}", doctor.stdout);
    env.run(["agents", "clean", "--dry-run"]).succeeded();
    assert_eq!(fs::read_to_string(&path).expect("a file"), before);
    env.run(["agents", "clean", "--yes"]).succeeded();
    let left: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).expect("a file")).expect("JSON");
    let lint = serde_json::json!([{"hooks": [{"command": "lint"}]}]);
    assert_eq!(left, serde_json::json!({"hooks": {"Stop": lint}}));
}

/// The checksums that Codex 0.166 kept of hooks that run `tacit hook codex` and that its user trusted.
const TRUSTED: [(&str, &str); 8] = [
    ("pre_tool_use", "2ef3edd4a5ef0c6eee9a1d11b5e2b918295abdc3fc85d50ae8fd7ab48180a246"),
    ("post_tool_use", "2b9ed7fa5881be6c50715048c2fd63c253414af79349f1cc23bdd01e1ede165e"),
    ("pre_compact", "7707dd78ee03a7b85666e8f514a7b25af9176d61c501d5de20235c43e2228cc5"),
    ("session_start", "7c52c712059f5682edb908896e878ed9748f733a211d8b98a2e06f593cd7c5a8"),
    ("user_prompt_submit", "db70bfe0b92a0e2ec15107d496650fd2629d8d79b67e8916665e9fb82da30339"),
    ("subagent_start", "3795e0a02f60734d03969a51275cb8e88df9e3e396cec353e7d2adac648fb8d3"),
    ("subagent_stop", "ebdc9e940f1adfaed13d111138b72cad85d50bb66d09a44d558199a7de6f88ec"),
    ("stop", "beca42bceec2c41e3026058a9ffecae98a664f80c151a498dcd1311234d5a037"),
];

#[test]
fn hooks_that_codex_has_not_been_told_to_trust_are_reported() {
    let env = bare();
    env.run(["init", "--agent", "codex", "--shared"]).succeeded();
    let state = || {
        let listed = env.run(["agents", "list", "--json"]).succeeded().json();
        let listed = listed.as_array().expect("a list").clone();
        let codex = listed.iter().find(|it| it["agent"] == "codex" && it["place"] == "project");
        codex.expect("the file")["state"].clone()
    };
    let doctor = || env.run(["doctor"]).stdout;
    assert_eq!(state(), "unreviewed");
    assert!(doctor().contains("wait for your review (9 new, 0 changed)"), "{}", doctor());
    let file = env.project().canonicalize().expect("a folder").join(".codex/hooks.json");
    let table = |event: &str, hash: &str| {
        let key = format!("{}:{event}:0:0", file.display());
        format!("[hooks.state.\"{key}\"]\ntrusted_hash = \"sha256:{hash}\"\n")
    };
    let trusted: String = TRUSTED.iter().map(|(event, hash)| table(event, hash)).collect();
    let write_home = |text: &str| {
        let folder = env.root().join("home/.codex");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("config.toml"), text).expect("a file");
    };
    write_home(&trusted);
    // The end of a session was not registered when these were trusted.
    assert!(doctor().contains("wait for your review (1 new, 0 changed)"), "{}", doctor());
    write_home(&format!("{trusted}{}", table("session_end", "00")));
    assert!(doctor().contains("wait for your review (0 new, 1 changed)"), "{}", doctor());
}
