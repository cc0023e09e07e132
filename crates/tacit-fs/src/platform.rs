//! Operations that differ between Unix and other systems.
//!
//! On other systems, those that protect files fail with one clear error when they are called; the
//! rest have a portable fallback. Nobody has built the fallbacks yet (docs/platforms.md).

#[cfg(not(unix))]
pub use fallback::*;
#[cfg(unix)]
pub use unix::*;

#[cfg(unix)]
mod unix {
    use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    use std::path::Path;
    use std::process::{Child, Command};

    use nix::fcntl::OFlag;
    use nix::sys::signal::{Signal, killpg, raise};
    use nix::unistd::{Pid, geteuid};

    /// The flag that refuses a symbolic link in the last component of a path.
    pub(crate) const NO_FOLLOW: i32 = OFlag::O_NOFOLLOW.bits();

    /// Sets the permission bits of a file or folder.
    pub fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        fs::set_permissions(path, Permissions::from_mode(mode))
    }

    /// Returns the permission bits that let other users write to a file or folder; `None` if they
    /// cannot.
    pub(crate) fn writable_mode(metadata: &Metadata) -> Option<u32> {
        let mode = metadata.mode() & 0o7777;
        (mode & 0o022 != 0).then_some(mode)
    }

    /// Returns true if other users have any access to a file or folder.
    pub fn is_open_to_others(metadata: &Metadata) -> bool {
        metadata.mode() & 0o077 != 0
    }

    /// Returns true if a file can be run as a program.
    pub fn is_program(path: &Path) -> bool {
        path.metadata().is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0)
    }

    /// Returns the ID of the owner of a file, if that is another user.
    pub(crate) fn foreign_owner(metadata: &Metadata) -> Option<u32> {
        (metadata.uid() != geteuid().as_raw()).then(|| metadata.uid())
    }

    /// Returns when the contents or the metadata of a file last changed, in nanoseconds since 1970.
    /// Programs can set the modification time of a file, but not this one.
    pub fn changed_at(metadata: &Metadata) -> i64 {
        nanoseconds(metadata.ctime(), metadata.ctime_nsec())
    }

    /// Returns when the contents of a file were last modified, in nanoseconds since 1970.
    pub fn modified_at(metadata: &Metadata) -> i64 {
        nanoseconds(metadata.mtime(), metadata.mtime_nsec())
    }

    fn nanoseconds(seconds: i64, rest: i64) -> i64 {
        seconds.saturating_mul(1_000_000_000).saturating_add(rest)
    }

    /// Creates a folder and its missing parents, readable by this user only.
    pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    /// Creates a folder that did not exist, readable by this user only.
    pub(crate) fn create_new_private_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().mode(0o700).create(path)
    }

    /// Makes renames and deletions in a folder durable across a power failure.
    pub fn sync_folder(path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    /// Opens a folder so that it can be locked. Fails if it is a symbolic link.
    pub fn open_folder(path: &Path) -> io::Result<File> {
        let flags = OFlag::O_NOFOLLOW | OFlag::O_DIRECTORY | OFlag::O_NONBLOCK;
        File::options().read(true).custom_flags(flags.bits()).open(path)
    }

    /// Sets flags so that opening a pipe without a writer, or a terminal, does not block.
    pub(crate) fn never_blocking(
        options: &mut OpenOptions,
        flags: i32,
        mode: u32,
    ) -> &mut OpenOptions {
        let flags = flags | (OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits();
        options.mode(mode).custom_flags(flags)
    }

    /// Fills a buffer from a position in a file.
    pub fn read_exact_at(file: &File, bytes: &mut [u8], position: u64) -> io::Result<()> {
        file.read_exact_at(bytes, position)
    }

    /// Writes bytes at a position in a file.
    pub fn write_all_at(file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
        file.write_all_at(bytes, position)
    }

    /// Starts a program in a process group of its own: Ctrl-C does not reach it, and it can be
    /// killed together with its children.
    pub fn own_process_group(command: &mut Command) {
        command.process_group(0);
    }

    /// Kills a program that was started with [`own_process_group`], and its children.
    pub(crate) fn kill_group(child: &Child) {
        if let Ok(group) = i32::try_from(child.id()) {
            // The group may have ended already.
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
    }

    /// Ends the process like a power failure: no destructors, no flushing, no messages.
    #[cfg_attr(not(debug_assertions), expect(dead_code, reason = "tests of debug builds use it"))]
    pub(crate) fn die() {
        let _ = raise(Signal::SIGKILL);
    }
}

#[cfg(not(unix))]
#[expect(missing_docs, reason = "the functions of the same names for Unix have them")]
mod fallback {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io::{self, Read, Seek, SeekFrom, Write};
    use std::path::Path;
    use std::process::{Child, Command};
    use std::time::UNIX_EPOCH;

    pub(crate) const NO_FOLLOW: i32 = 0;

    fn unsupported() -> io::Error {
        io::Error::new(io::ErrorKind::Unsupported, "file modes are only supported on Unix")
    }

    pub fn set_mode(_path: &Path, _mode: u32) -> io::Result<()> {
        Err(unsupported())
    }

    pub(crate) fn writable_mode(_metadata: &Metadata) -> Option<u32> {
        None
    }

    pub fn is_open_to_others(_metadata: &Metadata) -> bool {
        false
    }

    pub fn is_program(path: &Path) -> bool {
        path.is_file()
    }

    pub(crate) fn foreign_owner(_metadata: &Metadata) -> Option<u32> {
        None
    }

    pub fn changed_at(metadata: &Metadata) -> i64 {
        modified_at(metadata)
    }

    pub fn modified_at(metadata: &Metadata) -> i64 {
        let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        since.and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or_default()
    }

    pub(crate) fn create_private_folder(_path: &Path) -> io::Result<()> {
        Err(unsupported())
    }

    pub(crate) fn create_new_private_folder(_path: &Path) -> io::Result<()> {
        Err(unsupported())
    }

    /// Does nothing: folders cannot be opened on this system.
    pub fn sync_folder(_path: &Path) -> io::Result<()> {
        Ok(())
    }

    /// Opens a file inside the folder instead: folders cannot be opened on this system.
    pub fn open_folder(path: &Path) -> io::Result<File> {
        crate::append(&path.join(".tacit-lock"))
    }

    pub(crate) fn never_blocking(
        options: &mut OpenOptions,
        _flags: i32,
        _mode: u32,
    ) -> &mut OpenOptions {
        options
    }

    pub fn read_exact_at(mut file: &File, bytes: &mut [u8], position: u64) -> io::Result<()> {
        file.seek(SeekFrom::Start(position))?;
        file.read_exact(bytes)
    }

    pub fn write_all_at(mut file: &File, bytes: &[u8], position: u64) -> io::Result<()> {
        file.seek(SeekFrom::Start(position))?;
        file.write_all(bytes)
    }

    pub fn own_process_group(_command: &mut Command) {}

    pub(crate) fn kill_group(_child: &Child) {}

    pub(crate) fn die() {
        std::process::abort();
    }
}
