//! A PostgreSQL server of a test's own, which can crash and whose disk can be full.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tacit_testkit::postgres::{TestDatabase, fresh_database};
use tempfile::TempDir;

/// Runs the server of the programs `$1` in the directory `$2`; obeys words until the input ends. `$3` is the
/// account if root runs this, else empty; `$4` are settings. The processes die, not the machine, so nothing is synced. The directory `tiny` is a disk of its own, in a namespace that ends
/// with the server.
const SERVE: &str = r#"
programs=$1 account=$3 settings=$4
cd "$2" || exit
as_account() {
    if [ -n "$account" ]; then setpriv --reuid="$account" --regid="$account" --clear-groups "$@"
    else unshare --user --map-user=1000 "$@"; fi
}
pg_ctl() { as_account "$programs/pg_ctl" --pgdata=data --silent --wait "$@" </dev/null >>log 2>&1; }
obey() {
    case $1 in
        start) pg_ctl start --log=data/log --options="-c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off $settings -p $2" ;;
        crash) pg_ctl stop --mode=immediate ;;
    esac
}
mount -t tmpfs -o "size=24m,uid=${account:-0},gid=${account:-0},mode=0700" tiny tiny || exit
as_account "$programs/initdb" --pgdata=data --username=postgres --pwfile=password --auth=scram-sha-256 \
    --encoding=UTF8 --locale=C --no-sync </dev/null >log 2>&1 || exit
echo done
while read -r word port; do
    if obey "$word" "$port"; then echo done; else echo failed; fi
done
pg_ctl stop --mode=immediate
"#;

/// A running server; dropping it stops it and removes its data.
pub(super) struct OwnServer {
    script: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    directory: TempDir,
    password: String,
    port: u16,
}

impl OwnServer {
    /// Starts a server with the programs, and as the account, of the one that runs for tests.
    pub(super) fn start() -> OwnServer {
        OwnServer::start_with(&[], "")
    }

    /// Like [`OwnServer::start`], with TLS and a certificate for the host `localhost`.
    pub(super) fn with_certificate() -> OwnServer {
        let files = [
            ("server.pem", include_str!("certificates/server.pem")),
            ("server.key", include_str!("certificates/server.key")),
        ];
        let settings = "-c ssl=on -c ssl_cert_file=../server.pem -c ssl_key_file=../server.key";
        OwnServer::start_with(&files, settings)
    }

    fn start_with(files: &[(&str, &str)], settings: &str) -> OwnServer {
        let database = fresh_database();
        let ask = |sql: &str| database.ask_superuser(sql).expect("a row");
        let programs = ask("SELECT setting FROM pg_config WHERE name = 'BINDIR'");
        let libraries = ask("SELECT setting FROM pg_config WHERE name = 'LIBDIR'");
        let account = fs::metadata(ask("SHOW data_directory"))
            .expect("the server for tests runs on this machine, and its data can be looked at")
            .uid();
        let directory = tempfile::tempdir().expect("a directory");
        let password = database.name().to_owned();
        fs::write(directory.path().join("password"), &password).expect("a file");
        fs::create_dir(directory.path().join("tiny")).expect("a directory");
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::write(&path, text).expect("a file");
            // The server takes no key that others can read.
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("permissions");
        }
        let is_ours = fs::metadata(directory.path()).expect("a directory").uid() == account;
        if !is_ours {
            let files = files.iter().map(|(name, _)| *name);
            for path in ["", "password", "tiny"].into_iter().chain(files) {
                chown(directory.path().join(path), Some(account), Some(account))
                    .expect("we are root");
            }
        }
        #[expect(clippy::disallowed_methods, reason = "tests start a server")]
        let mut command = Command::new("unshare");
        // Mounting needs root, at least in a namespace of its own.
        command.args(if is_ours {
            &["--user", "--map-root-user", "--mount"][..]
        } else {
            &["--mount"]
        });
        let mut script = command
            .args(["sh", "-c", SERVE, "serve", &programs])
            .arg(directory.path())
            .arg(if is_ours { String::new() } else { account.to_string() })
            .arg(settings)
            .env_clear()
            .env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
            .env("LD_LIBRARY_PATH", libraries)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .expect("`unshare` is there");
        let input = script.stdin.take();
        let output = BufReader::new(script.stdout.take().expect("a pipe"));
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let mut server = OwnServer { script, input, output, directory, password, port };
        server.expect_done("initdb");
        server.starts_again();
        server
    }

    /// Creates a database on it.
    pub(super) fn database(&self) -> TestDatabase {
        let (password, port) = (&self.password, self.port);
        TestDatabase::on(&format!("postgres://postgres:{password}@127.0.0.1:{port}/postgres"))
    }

    /// Returns the mount point of a disk with room for few memories.
    pub(super) fn tiny_disk(&self) -> String {
        self.directory.path().join("tiny").display().to_string()
    }

    /// Ends all processes of the server at once; nothing is written any more.
    pub(super) fn crashes(&mut self) {
        self.obey("crash");
    }

    /// Starts it again; it recovers from its log.
    pub(super) fn starts_again(&mut self) {
        self.obey(&format!("start {}", self.port));
    }

    fn obey(&mut self, words: &str) {
        let input = self.input.as_mut().expect("it runs");
        writeln!(input, "{words}").expect("it listens");
        self.expect_done(words);
    }

    fn expect_done(&mut self, what: &str) {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("text");
        assert_eq!(line, "done\n", "{what}: {}", log(self.directory.path()));
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ended = self.script.wait();
    }
}

fn log(directory: &Path) -> String {
    let read = |name| fs::read_to_string(directory.join(name)).unwrap_or_default();
    read("log") + &read("data/log")
}
