//! Many clients write while the network is down for a minute: each acknowledged memory is on the server once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::*;

/// The time for which the network is cut. The writers write all the while.
const CUT: Duration = Duration::from_secs(60);
/// The people, and the clients of each, which share a clone and thus a spool.
const PEOPLE: [&str; 4] = ["bo", "cy", "di", "ed"];
const CLIENTS: usize = 2;
/// The number of acknowledgements before the cut, and of those from the server after it.
const BEFORE_AND_AFTER: usize = 3 * CLIENTS * PEOPLE.len();

fn fact(writer: usize, number: usize) -> String {
    format!("writer{writer} learnt fact{number} about module{}", number % 7)
}

#[test]
fn eight_writers_lose_nothing_while_the_network_is_cut() {
    let team = Team::new();
    let ada = team.founder();
    let behind: Vec<(Proxy, Person)> =
        PEOPLE.map(|name| team.member_behind(name, "contributor", &ada)).into();
    behind.iter().for_each(|(_, person)| person.embeds_nothing());
    let done = AtomicBool::new(false);
    let (send, acknowledged) = mpsc::channel();
    let mut written = Vec::new();
    let mut outcomes: BTreeMap<String, usize> = BTreeMap::new();
    std::thread::scope(|scope| {
        for writer in 0..CLIENTS * PEOPLE.len() {
            let (person, done, send) = (&behind[writer % PEOPLE.len()].1, &done, send.clone());
            scope.spawn(move || {
                for number in 0.. {
                    if done.load(Ordering::Relaxed) {
                        return;
                    }
                    let text = fact(writer, number);
                    let outcome = person.remembers(&text)["outcome"].clone();
                    let outcome = outcome.as_str().expect("an outcome").to_owned();
                    send.send((text, outcome)).expect("somebody listens");
                }
            });
        }
        drop(send);
        let mut next = || {
            // A writer that fails ends the channel.
            let (text, outcome): (String, String) = acknowledged.recv().expect("a write");
            *outcomes.entry(outcome.clone()).or_default() += 1;
            written.push(text);
            outcome
        };
        for _ in 0..BEFORE_AND_AFTER {
            assert_eq!(next(), "stored");
        }
        behind.iter().for_each(|(proxy, _)| proxy.cut());
        let cut = Instant::now();
        while cut.elapsed() < CUT {
            next();
        }
        behind.iter().for_each(|(proxy, _)| proxy.heal());
        let mut stored = 0;
        while stored < BEFORE_AND_AFTER {
            stored += usize::from(next() == "stored");
        }
        done.store(true, Ordering::Relaxed);
        // The last of each writer.
        for (text, outcome) in &acknowledged {
            *outcomes.entry(outcome).or_default() += 1;
            written.push(text);
        }
    });
    assert!(
        outcomes.keys().all(|outcome| outcome == "stored" || outcome == "spooled"),
        "{outcomes:?}"
    );
    assert!(outcomes["spooled"] > BEFORE_AND_AFTER, "{outcomes:?}");
    println!("acknowledged: {outcomes:?}");

    for (_, person) in &behind {
        person.run(["team", "push"]);
        let status = person.status();
        let left = (&status["waiting"], &status["refused"]);
        assert_eq!((person.spooled(), left), (0, (&0.into(), &0.into())), "{status}");
    }
    written.extend([POOL, NAMES, INVOICES].map(str::to_owned));
    written.sort();
    assert_eq!(team.memories(), written.len());
    assert_eq!(ada.knows(), written);
    // The copies have the same.
    for (proxy, person) in &behind {
        person.run(["team", "pull"]);
        proxy.cut();
        assert_eq!(person.knows(), written, "{}", person.login);
    }
}
