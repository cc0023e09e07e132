//! Files that cannot be turned against their owner.
//!
//! A repository is data from a stranger: it can hold links, named pipes and files under any name.
//! Every file that Tacit opens for writing below a repository, and every file of its own that it
//! reads, is opened here. Nothing here knows what the files hold.
//!
//! Invariants:
//! - No function follows a link in the last component of a path, nor in the folder that holds it,
//!   except those with `linked` or `named` in their name, which only read.
//! - No function waits for a named pipe or a device: anything but a regular file is refused; except by
//!   [`open_user_path`], where the user named one.
//! - What is created is readable by its owner only: 0600 for files, 0700 for folders; except with
//!   `shared` in a name, for files that are committed or belong to other programs.

pub mod failpoint;
mod folder;
mod lock;
mod open;
pub mod process;
mod replace;

pub use folder::{
    FolderProblem, check_folder, create_folder, is_foreign, open_folder, secure_folder, sync_folder,
};
pub use lock::{Lock, LockMode, Wait, lock};
pub use open::{
    append, check_file, create_new, create_new_shared, none_if_missing, open, open_following,
    open_nofollow, open_to_write, open_user_path, read, read_all, read_following, read_nofollow,
    read_start_following, read_text, read_text_following,
};
pub use replace::{
    Replacement, link_or_copy, remove, remove_temporaries, replace, replace_shared,
    replace_unsynced, temporary_name, with_suffix,
};
