//! Files that cannot be turned against their owner.
//!
//! A repository is data from a stranger: it can hold links, named pipes and files under any name.
//! Every file that Tacit opens for writing below a repository, and every file of its own that it
//! reads, is opened here. Nothing here knows what the files hold.
//!
//! Invariants:
//! - No function follows a link in the last component of a path, nor in the folder that holds it,
//!   except [`open_linked`] and [`read_linked`], which only read.
//! - No function waits for a named pipe or a device: anything but a regular file is refused.
//! - What is created is readable by its owner only: 0600 for files, 0700 for folders.

pub mod failpoint;
mod folder;
mod lock;
mod open;
mod replace;

pub use folder::{FolderProblem, check_folder, create_folder, sync_folder};
pub use lock::{Lock, lock_file};
pub use open::{
    append, check_file, create_new, open, open_linked, open_to_write, read, read_linked, read_text,
};
pub use replace::{keep_copy, remove, replace, replace_light, temporary_name};
