//! Members have different branches and commits checked out.

use super::*;

const ABOUT: &str = "The ledger rounds every amount half to even before it is stored";

fn git(person: &Person, arguments: &[&str]) {
    person.env.git(&person.env.project(), arguments);
}

/// Maintains a person's store. Returns how many memories are stale on the server afterwards, and how often
/// the memory was changed.
fn maintains(team: &Team, person: &Person) -> (usize, usize) {
    person.run(["maintain", "--quiet"]);
    let changes = format!(
        "SELECT count(*) FROM tacit.change_items i JOIN tacit.memories m
         ON m.project = i.project AND m.id = i.memory WHERE m.doc LIKE '%{ABOUT}%'"
    );
    let stale = team.count("SELECT count(*) FROM tacit.memories WHERE stale_at IS NOT NULL");
    (stale, team.count(&changes))
}

#[test]
fn only_the_newest_main_branch_judges_what_is_stale() {
    let (team, ada, bo) = Team::of_two();
    for person in [&ada, &bo] {
        person.embeds_nothing();
    }
    fs::write(ada.env.project().join("ledger.py"), "def amount(): ...\n").expect("a file");
    git(&ada, &["add", "-A"]);
    git(&ada, &["commit", "-qm", "add the ledger"]);
    git(&ada, &["push", "-q", "origin", "HEAD"]);
    git(&bo, &["pull", "-q"]);
    ada.run(["remember", ABOUT, "--type", "gotcha", "--file", "ledger.py"]);
    let (stale, before) = maintains(&team, &ada);
    assert_eq!((stale, maintains(&team, &bo)), (0, (0, before)));

    // On a branch of his own, Bo deletes it; nobody else has.
    git(&bo, &["checkout", "-qb", "rewrite"]);
    git(&bo, &["rm", "-q", "ledger.py"]);
    assert_eq!(maintains(&team, &bo), (0, before), "not committed");
    git(&bo, &["commit", "-qm", "remove the ledger"]);
    assert_eq!(maintains(&team, &bo), (0, before), "not on the main branch");
    // On the main branch, it is gone for the team, even while Ada's clone still has it.
    git(&bo, &["checkout", "-q", "-"]);
    git(&bo, &["merge", "-q", "rewrite"]);
    assert_eq!(maintains(&team, &bo), (0, before), "not pushed");
    git(&bo, &["push", "-q", "origin", "HEAD"]);
    let gone = maintains(&team, &bo);
    assert_eq!(gone, (1, before + 1));
    assert_eq!((maintains(&team, &ada), maintains(&team, &bo)), (gone, gone));

    // It comes back, and Bo's clone does not know yet.
    git(&ada, &["pull", "-q"]);
    git(&ada, &["revert", "--no-edit", "HEAD"]);
    git(&ada, &["push", "-q", "origin", "HEAD"]);
    let back = maintains(&team, &ada);
    assert_eq!(back, (0, before + 2));
    assert_eq!((maintains(&team, &bo), maintains(&team, &ada)), (back, back));

    // A rename is followed once, by the clone that has it.
    git(&ada, &["mv", "ledger.py", "accounts.py"]);
    git(&ada, &["commit", "-qm", "rename the ledger"]);
    git(&ada, &["push", "-q", "origin", "HEAD"]);
    let renamed = maintains(&team, &ada);
    assert_eq!(renamed.0, 0);
    assert_eq!((maintains(&team, &bo), maintains(&team, &ada)), (renamed, renamed));
    let name = "SELECT count(*) FROM tacit.memories WHERE doc LIKE '%accounts.py%'";
    assert_eq!(team.count(name), 1);
}
