//! The login that set up the server is dropped.

use super::server::OwnServer;
use super::*;

#[test]
fn a_team_goes_on_without_the_login_that_set_it_up() {
    // On a server of its own, because other tests have the roles made by a superuser.
    let server = OwnServer::start();
    let database = server.database();
    database.create_user("ada");
    let (ada, name) = (database.user("ada"), database.name());
    database.run(&format!(
        "CREATE EXTENSION vector; ALTER ROLE {ada} CREATEROLE; GRANT CREATE ON DATABASE {name} TO {ada}"
    ));
    let team = Team { database, origin: tempfile::tempdir().expect("a directory") };
    team.create_repository();
    let ada = team.founder();
    let bo = team.member("bo", "curator", &ada);
    bo.run(["team", "remove", &ada.login]);
    team.database.drop_user("ada");
    let cy = team.member("cy", "contributor", &bo);
    assert_eq!(cy.remembers("The depot opens at six")["outcome"], "stored");
    assert_eq!((bo.knows().len(), team.memories()), (4, 4));
    let may = "SELECT rolcreaterole OR rolcanlogin FROM pg_roles WHERE rolname = 'tacit_owner'";
    assert_eq!(team.database.ask_superuser(may).as_deref(), Some("f"));
}
