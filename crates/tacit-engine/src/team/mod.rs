//! A project whose memories are shared on a server. Memories are stored on the server, sessions on this
//! machine, and hooks answer from a copy of the memories on this machine. The user's own memories, which
//! are for all projects, are exchanged with the server.

mod copy;
mod follow;
mod move_store;
mod preferences;
mod state;
mod store;

pub use copy::{CopyProgress, TableDifference};
pub use follow::FollowReport;
pub(crate) use move_store::remove_unfinished_move;
pub use move_store::{MoveReport, StoreMove};
pub use preferences::{PreferencesReport, PreferencesState};
pub use state::TeamState;
pub(crate) use store::{ServerLink, TeamStore};
