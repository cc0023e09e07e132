//! Prompts in languages that the bundled model does not read: names and error texts carry them.

use super::{Agent, remember};
use crate::initialised;

/// The memories of a project, by name.
const MEMORIES: [(&str, &str); 6] = [
    ("retry", "SQLSTATE 40001 is no bug: `dbtx.Retry` repeats the closure"),
    ("stale", "ErrStaleRate after holidays is expected, the bank publishes no rates"),
    ("icons", "Run `pnpm icons` after adding an SVG to src/ui/icons"),
    ("pool", "Close the connection pool before the worker forks, or both share one socket"),
    ("names", "Names of new files are written in kebab case"),
    ("round", "Invoices are rounded half to even, never half up"),
];

/// Prompts, each with the memory that it must bring up.
const NAMED: [(&str, &str); 5] = [
    ("Seit gestern bricht der Import mit SQLSTATE 40001 ab, was ist da kaputt?", "retry"),
    ("배포 후 작업이 중단됩니다: pq: could not serialize access (SQLSTATE 40001)", "retry"),
    ("après les jours fériés le calcul échoue avec ErrStaleRate, pourquoi ?", "stale"),
    ("祝日のあと fx.Latest が ErrStaleRate を返して落ちます", "stale"),
    ("el icono nuevo de src/ui/icons no se ve en la página, falla algo", "icons"),
];

/// Prompts that name nothing that a memory is about.
const QUIET: [&str; 4] = [
    "bitte den Text der Schaltfläche auf der Startseite ändern",
    "버튼의 글자를 바꿔 주세요",
    "ajoute une colonne dans le tableau de la page d'accueil",
    "Warum ist `renderHeader` in der Datei src/ui/header.tsx so langsam?",
];

#[test]
fn names_and_errors_carry_prompts_in_other_languages() {
    let env = initialised();
    for (_, text) in MEMORIES {
        remember(&env, text, &["-t", "gotcha"]);
    }
    for (at, (prompt, name)) in NAMED.into_iter().enumerate() {
        let told = Agent::new(&env, &format!("named-{at}")).says(prompt);
        let expected = MEMORIES.into_iter().find(|(known, _)| *known == name);
        assert!(expected.is_some_and(|(_, text)| told.says(text)), "{prompt}: {told:?}");
    }
    for (at, prompt) in QUIET.into_iter().enumerate() {
        let told = Agent::new(&env, &format!("quiet-{at}")).says(prompt);
        assert!(told.is_nothing(), "{prompt}: {told:?}");
    }
}
