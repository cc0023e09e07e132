//! File operations that a hostile repository cannot turn against the user.
//!
//! A repository is untrusted data: it can contain symbolic links, named pipes and files of any
//! name. Every file that Tacit writes inside a repository, and every file of its own that it reads,
//! is opened by this crate. The crate knows nothing about file contents.
//!
//! Invariants:
//! - No function follows a symbolic link in the last component of a path or in its parent folder.
//!   Exceptions are the read-only functions with `following` in their name, and [`open_user_path`].
//! - No function blocks on a named pipe or a device: everything except regular files is refused.
//!   The exception is [`open_user_path`], because the user named the file.
//! - New files have mode 0600 and new folders 0700. Exceptions are the functions with `shared` in
//!   their name, for files that are committed or belong to other programs.

mod client_process;
pub mod failpoint;
mod folder;
mod lock;
mod open;
pub mod platform;
pub mod process;
mod replace;

pub use client_process::{ProcessIdentity, client_process, has_ended};
pub use folder::{
    FolderProblem, check_folder, create_folder, create_new_folder, is_foreign, secure_folder,
};
pub use lock::{Lock, LockMode, Wait, lock};
pub use open::{
    append, check_file, create_new, create_new_shared, none_if_missing, open, open_following,
    open_nofollow, open_to_write, open_user_path, read, read_all, read_following, read_nofollow,
    read_start_following, read_text, read_text_following,
};
pub use platform::{open_folder, sync_folder};
pub use replace::{
    Replacement, link_or_copy, remove, remove_abandoned, remove_temporaries, replace,
    replace_shared, replace_unsynced, temporary_name, with_suffix,
};
