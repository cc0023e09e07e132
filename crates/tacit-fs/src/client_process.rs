//! The process of the agent client that started this one, and whether it still runs.
//!
//! A client that is killed reports nothing. Its number alone does not identify it: numbers are used
//! again, and containers count on their own. On systems without `/proc`, the parent stands for the
//! client, and only its number is compared.

/// A process that can be recognised later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// The number of the process.
    pub pid: u32,
    /// The time at which it started, in ticks since the machine started.
    pub started: Option<u64>,
    /// The namespace in which the number counts.
    pub namespace: Option<String>,
}

/// Returns the process that started this one, skipping shells in between; `None` if all ancestors
/// are shells.
pub fn client_process() -> Option<ProcessIdentity> {
    system::client_process()
}

/// Returns true if a process has certainly ended.
pub fn has_ended(process: &ProcessIdentity) -> bool {
    system::has_ended(process)
}

#[cfg(target_os = "linux")]
mod system {
    use super::ProcessIdentity;

    /// The programs that clients use to start a hook.
    const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "fish", "ash", "busybox", "env"];
    /// The most ancestors that are examined.
    const MAX_ANCESTORS: usize = 5;

    /// The fields of `/proc/PID/stat` that matter here.
    #[derive(Debug, PartialEq, Eq)]
    pub(super) struct Stat<'t> {
        pub(super) program: &'t str,
        pub(super) is_zombie: bool,
        pub(super) parent: u32,
        pub(super) started: u64,
    }

    impl Stat<'_> {
        /// Parses the file. The name of the program may have spaces and brackets.
        pub(super) fn parse(text: &str) -> Option<Stat<'_>> {
            let (head, rest) = text.rsplit_once(')')?;
            let (_, program) = head.split_once('(')?;
            let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
            Some(Stat {
                program,
                is_zombie: matches!(*fields.first()?, "Z" | "X"),
                parent: fields.get(1)?.parse().ok()?,
                started: fields.get(19)?.parse().ok()?,
            })
        }
    }

    pub(super) fn client_process() -> Option<ProcessIdentity> {
        let mut pid = std::os::unix::process::parent_id();
        for _ in 0..MAX_ANCESTORS {
            if pid <= 1 {
                return None;
            }
            let text = read(pid).ok()?;
            let stat = Stat::parse(&text)?;
            if !SHELLS.contains(&stat.program) {
                let started = Some(stat.started);
                return Some(ProcessIdentity { pid, started, namespace: namespace() });
            }
            pid = stat.parent;
        }
        None
    }

    pub(super) fn has_ended(process: &ProcessIdentity) -> bool {
        // Nothing is known about another machine or container.
        if process.namespace.is_none() || process.namespace != namespace() {
            return false;
        }
        match read(process.pid) {
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
            Ok(text) => Stat::parse(&text)
                .is_some_and(|stat| stat.is_zombie || Some(stat.started) != process.started),
        }
    }

    fn read(pid: u32) -> std::io::Result<String> {
        let bytes = crate::read_start_following(format!("/proc/{pid}/stat").as_ref(), 4_096)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn namespace() -> Option<String> {
        let link = std::fs::read_link("/proc/self/ns/pid").ok()?;
        Some(link.to_string_lossy().into_owned())
    }
}

#[cfg(all(unix, not(target_os = "linux")))]
mod system {
    use nix::errno::Errno;
    use nix::sys::signal::kill;
    use nix::unistd::Pid;

    use super::ProcessIdentity;

    pub(super) fn client_process() -> Option<ProcessIdentity> {
        let pid = std::os::unix::process::parent_id();
        (pid > 1).then_some(ProcessIdentity { pid, started: None, namespace: None })
    }

    pub(super) fn has_ended(process: &ProcessIdentity) -> bool {
        let Ok(pid) = i32::try_from(process.pid) else { return false };
        kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH)
    }
}

#[cfg(not(unix))]
mod system {
    use super::ProcessIdentity;

    pub(super) fn client_process() -> Option<ProcessIdentity> {
        None
    }

    pub(super) fn has_ended(_: &ProcessIdentity) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::system::Stat;
    use super::*;

    #[test]
    fn the_name_of_a_program_may_have_brackets() {
        let text = "42 (a (b) c) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9876 1 2 3\n";
        let expected = Stat { program: "a (b) c", is_zombie: false, parent: 7, started: 9876 };
        assert_eq!(Stat::parse(text), Some(expected));
        assert_eq!(Stat::parse("42 (a"), None);
        assert_eq!(Stat::parse("42 (a) Z"), None);
    }

    #[test]
    fn only_a_process_of_this_machine_is_known_to_have_ended() {
        let own = client_process().expect("a test has a parent that is no shell");
        assert!(!has_ended(&own));
        let started = own.started.map(|started| started + 1);
        let successor = ProcessIdentity { started, ..own.clone() };
        assert!(has_ended(&successor), "its number was given to another process");
        let namespace = Some("pid:[1]".to_owned());
        assert!(!has_ended(&ProcessIdentity { namespace, ..successor }), "in another container");
    }
}
