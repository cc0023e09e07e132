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
//!   [`open_named`], where the user named one.
//! - What is created is readable by its owner only: 0600 for files, 0700 for folders; except with
//!   `shared` in a name, for files that are committed or belong to other programs.

pub mod failpoint;
mod folder;
mod lock;
mod open;
pub mod process;
mod replace;

pub use folder::{
    FolderProblem, check_folder, create_folder, is_foreign, open_folder, own_folder, sync_folder,
};
pub use lock::{Hold, Lock, Wait, lock};
pub use open::{
    append, check_file, create_new, create_new_shared, found, open, open_linked, open_named,
    open_to_write, open_unlinked, read, read_all, read_linked, read_start_linked, read_text,
    read_text_linked, read_unlinked,
};
pub use replace::{
    Replacement, beside, keep_copy, remove, remove_temporaries, replace, replace_light,
    replace_shared, temporary_name,
};
