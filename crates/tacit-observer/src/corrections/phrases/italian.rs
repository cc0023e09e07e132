//! Corrections in Italian.

use super::{CorrectionPhrases, NONE, ROMANCE_CONTEXT_WORDS};

#[rustfmt::skip] // The phrases fill the lines.
pub(super) const ITALIAN: CorrectionPhrases = CorrectionPhrases {
    fillers: &["per favore, ", "per favore ", "ok, ", "sì, ", "ma ", "e ", "grazie, "],
    rejections: &[
        "no, ", "no - ", "no: ", "sbagliato, ", "sbagliato: ", "è sbagliato: ", "in realtà, ",
        "in realtà ",
    ],
    bare_rejections: &["no", "sbagliato", "è sbagliato"],
    lead_ins: &["te l'ho già detto: ", "ti ho già detto di ", "come ho detto, ", "ricorda: "],
    from_now_on: &[
        "d'ora in poi, ", "d'ora in poi ", "da ora in poi, ", "da ora in poi ", "in futuro, ",
        "regola: ",
    ],
    facts_follow: &["ricorda che ", "tieni presente che ", "nota che "],
    rewrites: &[
        ("non devi mai ", "mai "), ("devi sempre ", "sempre "), ("smetti di usare ", "non usare "),
    ],
    conventions: &[
        "usiamo sempre ", "non usiamo mai ", "la convenzione è ", "la convenzione qui è ",
        "la nostra convenzione è ", "questo progetto usa ",
    ],
    project_openings: &[
        "in questo repo, ", "in questo repo ", "in questo progetto, ", "in questo progetto ",
        "qui ",
    ],
    customs: &["non usiamo ", "non usiamo più "],
    habits: &["usiamo ", "noi usiamo ", "preferiamo "],
    misuses: &["perché usi ", "perché stai usando "],
    rather_than: "non",
    always: &["sempre ", "mai ", "usa sempre ", "non usare mai "],
    not_after_always: &["il", "la", "lo", "i", "gli", "le", "un", "una", "è"],
    prohibitions: &["non usare ", "non utilizzare ", "non scrivere ", "non modificare "],
    alternatives: &[" usa ", " utilizza ", "invece", "piuttosto"],
    contrasts: &[", non ", " e non ", " invece di ", " anziché ", " al posto di "],
    prohibition_markers: &["sempre", "mai", "ovunque", "direttamente", "a mano", "ogni"],
    markers: &["sempre", "mai", "ovunque", "direttamente", "a mano", "ogni"],
    verbs: &["usa ", "usate ", "utilizza ", "esegui ", "scrivi ", "preferisci ", "evita "],
    articles: &["il ", "la ", "lo ", "i ", "gli ", "le ", "un ", "una "],
    strict_modals: &["non deve mai", "non devono mai", "deve sempre", "devono sempre"],
    duties: &["deve", "devono"],
    states: &["è", "sono"],
    behaviours: &["si trova", "usa", "salva"],
    status: &["ancora", "fallisce", "rotto", "manca", "funziona", "errore", "era"],
    tasks: &[
        "aggiungi ", "crea ", "scrivi ", "implementa ", "correggi ", "cambia ", "fai ", "voglio ",
    ],
    endings: &[" per favore", " grazie"],
    turns: &[", poi ", " e poi "],
    project_phrases: &["in questo repo", "in questo progetto", "questo progetto"],
    temporary: &[
        "per ora", "per adesso", "questa volta", "stavolta", "oggi", "al momento",
        "temporaneamente",
    ],
    context_words: ROMANCE_CONTEXT_WORDS,
    here: &["aquí", "aqui", "qui"],
    ..NONE
};
