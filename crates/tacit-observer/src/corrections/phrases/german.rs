//! Corrections in German.

use super::{CorrectionPhrases, NONE};

#[rustfmt::skip] // The phrases fill the lines.
pub(super) const GERMAN: CorrectionPhrases = CorrectionPhrases {
    fillers: &[
        "bitte ", "ok, ", "okay, ", "gut, ", "ja, ", "aber ", "und ", "also ", "hey, ", "hm, ",
        "übrigens ", "übrigens: ", "nochmal: ", "danke, ",
    ],
    rejections: &[
        "nein, ", "nein - ", "nein – ", "nein: ", "nee, ", "falsch, ", "falsch: ", "stopp, ",
        "halt, ", "das ist falsch: ", "das ist falsch, ", "das stimmt nicht: ",
        "das stimmt nicht, ", "stimmt nicht, ", "stimmt nicht: ", "eigentlich ",
    ],
    bare_rejections: &["nein", "falsch", "das ist falsch", "das stimmt nicht", "stimmt nicht"],
    lead_ins: &[
        "wie gesagt, ", "wie gesagt: ", "ich habe doch gesagt, ", "ich hab doch gesagt, ",
        "ich habe dir schon gesagt: ", "ich habe dir schon gesagt, ", "ich hab dir schon gesagt: ",
        "ich hab dir schon gesagt, ", "merk dir: ", "merke dir: ", "denk dran: ",
        "nicht vergessen: ",
    ],
    from_now_on: &[
        "ab jetzt ", "ab sofort ", "von jetzt an ", "in zukunft ", "zukünftig ", "künftig ",
        "grundsätzlich ", "regel: ", "konvention: ",
    ],
    facts_follow: &["denk daran, dass ", "beachte, dass ", "bedenke, dass ", "beachte: "],
    rewrites: &[
        ("du sollst nie ", "nie "), ("du sollst niemals ", "niemals "),
        ("du sollst immer ", "immer "), ("du musst immer ", "immer "), ("du darfst nie ", "nie "),
        ("du darfst niemals ", "niemals "), ("hör auf, ", "nicht "),
    ],
    conventions: &[
        "wir verwenden immer ", "wir benutzen immer ", "wir nutzen immer ", "wir verwenden nie ",
        "wir benutzen nie ", "wir nutzen nie ", "die konvention ist ", "die konvention hier ist ",
        "unsere konvention ist ", "dieses projekt verwendet ", "dieses projekt nutzt ",
        "dieses repo nutzt ", "dieses repo verwendet ",
    ],
    project_openings: &["in diesem repo ", "in diesem projekt ", "in diesem repository ", "hier "],
    habits: &[
        "wir verwenden ", "wir benutzen ", "wir nutzen ", "verwenden wir ", "benutzen wir ",
        "nutzen wir ", "wir schreiben ", "wir bevorzugen ", "wir committen ", "wir nehmen ",
    ],
    denials: &["wir haben kein", "es gibt kein"],
    denied_in: &[" hier", " in "],
    misuses: &[
        "warum benutzt du ", "warum verwendest du ", "warum nutzt du ", "wieso benutzt du ",
        "wieso verwendest du ", "wieso nutzt du ",
    ],
    rather_than: "nicht",
    always: &[
        "immer ", "nie ", "niemals ", "verwende immer ", "benutze immer ", "nutze immer ",
        "nimm immer ", "schreibe immer ", "schreib immer ", "verwende nie ", "benutze nie ",
        "nutze nie ", "verwende niemals ", "benutze niemals ", "nutze niemals ", "committe nie ",
        "committe niemals ", "pushe nie ", "pushe niemals ", "führe immer ", "achte immer ",
        "lass immer ",
    ],
    not_after_always: &["noch", "wieder", "gesehen", "mehr", "der", "die", "das", "wenn"],
    prohibitions: &[
        "verwende nicht ", "benutze nicht ", "nutze nicht ", "nimm nicht ", "verwende kein",
        "benutze kein", "nutze kein", "schreibe kein", "schreib kein", "push nicht ",
        "pushe nicht ", "nicht ", "kein ", "keine ",
    ],
    alternatives: &["sondern ", "stattdessen", ", nimm ", ", verwende ", ", benutze ", ", nutze "],
    contrasts: &[
        ", nicht ", " nicht ", " statt ", " anstatt ", " anstelle ", " und nicht ", ", kein",
    ],
    prohibition_markers: &[
        "immer", "nie", "niemals", "überall", "nirgends", "direkt", "von hand", "jedem", "jeder",
        "auf main", "auf master",
    ],
    markers: &[
        "immer", "nie", "niemals", "überall", "nirgends", "direkt", "von hand", "jedem", "jeder",
        "auf main", "auf master",
    ],
    verbs: &[
        "verwende ", "benutze ", "nutze ", "nimm ", "schreib ", "schreibe ", "führe ", "halte ",
        "lege ", "leg ",
    ],
    repeated: &["achte darauf "],
    articles: &["den ", "die ", "das ", "einen ", "eine ", "ein ", "alle "],
    subjects: &[
        "tests", "migrationen", "commits", "funktionen", "fehler", "kommentare", "importe",
        "secrets", "dateien", "namen", "klassen", "komponenten", "typen", "texte",
    ],
    modals: &[
        "dürfen nicht", "dürfen kein", "dürfen nie", "sollen nicht", "müssen", "gehören", "liegen",
    ],
    strict_modals: &[
        "darf nie", "darf niemals", "dürfen nie", "dürfen niemals", "muss immer", "müssen immer",
    ],
    duties: &["muss", "müssen", "darf", "dürfen"],
    states: &["ist", "sind", "hat", "heißt"],
    behaviours: &["liegt", "liegen", "speichert", "gehört", "gehören", "erwartet", "braucht"],
    status: &[
        "noch", "kaputt", "fehlt", "fehlgeschlagen", "fehler", "geht", "klappt", "funktioniert",
        "war", "waren", "wieder",
    ],
    tasks: &[
        "füge ", "erstelle ", "schreibe ", "schreib ", "implementiere ", "baue ", "bau ", "mach ",
        "behebe ", "ändere ", "kannst du ", "ich möchte ", "ich will ", "lösche ", "entferne ",
    ],
    endings: &[" bitte", " danke", " ok"],
    turns: &[", dann ", " und dann ", ", bitte ändere", ", bitte korrigiere"],
    project_phrases: &[
        "in diesem repository", "in diesem repo", "in diesem projekt", "dieses projekt",
        "dieses repo",
    ],
    temporary: &[
        "vorerst", "erstmal", "erst mal", "diesmal", "heute", "im moment", "gerade", "vorläufig",
        "zunächst", "bis ",
    ],
    context_words: &[
        "das", "dies", "diese", "diesen", "dieser", "dieses", "es", "ihn", "sie", "oben", "dein",
        "deine", "du", "dort", "andere", "anderen", "da", "so", "damit", "dafür",
    ],
    here: &["hier"],
    ..NONE
};
