//! The payload of a hook on standard input. An agent waits, so reading has limits of time and size.

use std::io::{self, Read};
use std::time::{Duration, Instant};

/// Time to wait for a client that neither writes the payload at once nor closes the pipe; what has
/// arrived by then counts as the whole payload.
const PATIENCE: Duration = Duration::from_secs(3);
/// Most bytes of a payload. Clients send the input and output of tools: whole files, images of some
/// megabytes, uncut logs.
const MOST_BYTES: usize = 64 << 20;

/// The payload of a hook.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Input {
    Whole(Vec<u8>),
    /// The payload is too large; the rest was read and dropped, so that the client can finish.
    TooLarge,
    /// No payload arrived in time.
    Nothing,
}

/// Reads standard input to its end, or until the time is over.
pub(super) fn read() -> io::Result<Input> {
    source::read(PATIENCE, MOST_BYTES)
}

/// The rule for when to stop reading.
#[derive(Clone, Copy, PartialEq)]
enum Patience {
    /// Take bytes that are ready even after the deadline.
    WhileSomethingComes,
    /// Stop at the deadline, even if the writer never stops.
    UntilTimeIsOver,
}

/// Reads until `ready` says that nothing more will come.
fn collect(
    mut from: impl Read,
    most: usize,
    mut ready: impl FnMut(Patience) -> io::Result<bool>,
) -> io::Result<Input> {
    let mut kept = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    let mut too_large = false;
    while ready(if too_large { Patience::UntilTimeIsOver } else { Patience::WhileSomethingComes })?
    {
        match from.read(&mut chunk) {
            Ok(0) => return Ok(if too_large { Input::TooLarge } else { Input::Whole(kept) }),
            Ok(_) if too_large => {}
            Ok(count) if kept.len() + count > most => {
                too_large = true;
                kept = Vec::new();
            }
            Ok(count) => kept.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(match (too_large, kept.is_empty()) {
        (true, _) => Input::TooLarge,
        (false, true) => Input::Nothing,
        (false, false) => Input::Whole(kept),
    })
}

#[cfg(unix)]
mod source {
    use std::os::fd::AsFd;

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    use super::*;

    pub(super) fn read(patience: Duration, most: usize) -> io::Result<Input> {
        let stdin = io::stdin();
        let until = Instant::now() + patience;
        collect(stdin.lock(), most, |patience| is_ready(&stdin, until, patience))
    }

    /// Waits until reading does not block; false when the time is over.
    pub(super) fn is_ready(
        from: &impl AsFd,
        until: Instant,
        patience: Patience,
    ) -> io::Result<bool> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() && patience == Patience::UntilTimeIsOver {
                return Ok(false);
            }
            // Poll at least once: bytes that are there count even if the machine was asleep.
            let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
            match poll(&mut [PollFd::new(from.as_fd(), PollFlags::POLLIN)], left) {
                Ok(0) => return Ok(false),
                // Reading reports the end of a pipe, and files that cannot be polled.
                Ok(_) => return Ok(true),
                Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(not(unix))]
mod source {
    use std::sync::mpsc::channel;

    use super::*;

    pub(super) fn read(patience: Duration, most: usize) -> io::Result<Input> {
        let until = Instant::now() + patience;
        let (sender, receiver) = channel();
        // The thread ends with the process if no payload ever arrives.
        std::thread::spawn(move || {
            let read = collect(io::stdin().lock(), most, |_| Ok(Instant::now() < until));
            let _ = sender.send(read);
        });
        receiver.recv_timeout(patience).unwrap_or(Ok(Input::Nothing))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;

    use super::*;

    fn read(from: &io::PipeReader, patience: Duration, most: usize) -> Input {
        let until = Instant::now() + patience;
        collect(from, most, |patience| source::is_ready(from, until, patience)).expect("a pipe")
    }

    #[test]
    fn a_pipe_is_read_to_its_end() {
        let (from, mut to) = io::pipe().expect("a pipe");
        to.write_all(b"{}").expect("room");
        drop(to);
        assert_eq!(read(&from, Duration::from_secs(60), 10), Input::Whole(b"{}".to_vec()));
    }

    #[test]
    fn a_pipe_that_stays_open_is_left_when_the_time_is_over() {
        let (from, mut to) = io::pipe().expect("a pipe");
        assert_eq!(read(&from, Duration::ZERO, 10), Input::Nothing);
        to.write_all(b"{}").expect("room");
        assert_eq!(read(&from, Duration::ZERO, 10), Input::Whole(b"{}".to_vec()));
        drop(to);
    }

    #[test]
    fn a_writer_that_never_stops_is_left_when_the_time_is_over() {
        let from = std::fs::File::open("/dev/zero").expect("a device");
        let until = Instant::now();
        let read = collect(&from, 1_000, |patience| source::is_ready(&from, until, patience));
        assert_eq!(read.expect("zeroes"), Input::TooLarge);
    }

    #[test]
    fn more_than_is_kept_is_read_and_dropped() {
        let (from, mut to) = io::pipe().expect("a pipe");
        std::thread::scope(|scope| {
            scope.spawn(move || to.write_all(&[b'x'; 300_000]).expect("somebody reads"));
            assert_eq!(read(&from, Duration::from_secs(60), 1_000), Input::TooLarge);
        });
    }
}
