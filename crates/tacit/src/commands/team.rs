//! `tacit team`

mod members;
mod membership;
mod status;

use clap::Subcommand;
use tacit_app::AppResult;
use tacit_store::TeamRole;

use crate::app::CliApp;

/// Share the project's memories with a team.
///
/// A team keeps the memories of a project in one PostgreSQL database. This machine keeps a copy, from
/// which hooks answer even if the server does not. Memories you store meanwhile are queued on this machine
/// and delivered later. Sessions stay on the machine on which they were recorded.
///
/// Without a subcommand, shows the state, as `tacit team status` does.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  tacit team init postgres://ada@db.example/tacit    the first member, once per database and project
  tacit team join postgres://bo@db.example/tacit     everybody else
  tacit team add bo --role contributor
  tacit team status")]
pub(crate) struct TeamArgs {
    #[command(subcommand)]
    action: Option<TeamAction>,
}

#[derive(Debug, Subcommand)]
enum TeamAction {
    /// Create or upgrade the schema on the server, create the project, and join it as its curator.
    ///
    /// The first run needs a login that may create roles, a schema and the extension `vector`.
    #[command(after_help = "Examples:
  tacit team init postgres://ada@db.example/tacit --share
  tacit team init                                    upgrade the schema after a new version")]
    Init(membership::JoinArgs),
    /// Join a team, and keep a copy of its memories on this machine.
    ///
    /// Your global store is synced with the first server you join, so it follows you to your other machines. No other
    /// member can read it. To keep it on this machine, first run `tacit config set database.preferences false --global`.
    #[command(after_help = "Examples:
  tacit team join postgres://bo@db.example/tacit --share
  tacit team join --set-aside                        the address is in `database.url`")]
    Join(membership::JoinArgs),
    /// Leave the team, and keep this machine's copy as the project's own store.
    #[command(after_help = "Examples:
  tacit team leave")]
    Leave,
    /// Deliver the requests that wait on this machine to the server.
    #[command(after_help = "Examples:
  tacit team push")]
    Push,
    /// Bring this machine's copy up to date.
    #[command(after_help = "Examples:
  tacit team pull")]
    Pull,
    /// Show the server, your role, and the requests that wait.
    #[command(after_help = "Examples:
  tacit team status
  tacit team status --json")]
    Status,
    /// List the members of this project.
    #[command(after_help = "Examples:
  tacit team members
  tacit team members --json")]
    Members,
    /// Add a member, or change a member's role.
    ///
    /// The name is that of a user of the server. A reader sees memories; a contributor also adds and
    /// corrects them; a curator also reviews and purges those of others, and manages the members.
    #[command(after_help = "Examples:
  tacit team add bo
  tacit team add cy --role reader")]
    Add {
        /// The name of the user on the server.
        #[arg(value_name = "NAME")]
        name: String,
        /// The role: reader, contributor or curator.
        #[arg(long, value_name = "ROLE", default_value = "contributor", value_parser = role)]
        role: TeamRole,
    },
    /// Remove a member.
    #[command(after_help = "Examples:
  tacit team remove bo")]
    Remove {
        /// The name of the user on the server.
        #[arg(value_name = "NAME")]
        name: String,
    },
}

fn role(text: &str) -> Result<TeamRole, String> {
    TeamRole::from_word(text).ok_or_else(|| "a role is reader, contributor or curator".to_owned())
}

impl TeamArgs {
    /// Returns true if the output says whether the team's server answers.
    pub(crate) fn tells_of_server(&self) -> bool {
        matches!(self.action, None | Some(TeamAction::Status | TeamAction::Leave))
    }

    pub(crate) fn run(self, app: &CliApp) -> AppResult<()> {
        match self.action.unwrap_or(TeamAction::Status) {
            TeamAction::Init(args) => membership::init(app, &args),
            TeamAction::Join(args) => membership::join(app, &args),
            TeamAction::Leave => membership::leave(app),
            TeamAction::Push => status::push(app),
            TeamAction::Pull => status::pull(app),
            TeamAction::Status => status::show(app),
            TeamAction::Members => members::list(app),
            TeamAction::Add { name, role } => members::add(app, &name, role),
            TeamAction::Remove { name } => members::remove(app, &name),
        }
    }
}
