//! Corrections in French.

use super::{CorrectionPhrases, NONE};

#[rustfmt::skip] // The phrases fill the lines.
pub(super) const FRENCH: CorrectionPhrases = CorrectionPhrases {
    fillers: &[
        "s'il te plaît, ", "s'il vous plaît, ", "s'il te plaît ", "stp ", "ok, ", "oui, ", "mais ",
        "et ", "bon, ", "merci, ", "d'accord, ",
    ],
    rejections: &[
        "non, ", "non - ", "non : ", "non: ", "faux, ", "faux : ", "stop, ", "c'est faux : ",
        "c'est faux: ", "c'est faux, ", "ce n'est pas correct : ", "en fait, ", "en fait ",
    ],
    bare_rejections: &["non", "faux", "c'est faux", "ce n'est pas correct", "pas correct"],
    lead_ins: &[
        "je t'ai dit d'", "je t'ai dit de ", "je t'ai déjà dit d'", "je t'ai déjà dit de ",
        "je t'ai déjà dit : ", "je t'ai déjà dit: ", "je vous ai dit de ", "comme je l'ai dit, ",
        "rappel : ", "rappel: ", "souviens-toi : ", "n'oublie pas : ",
    ],
    from_now_on: &[
        "désormais, ", "désormais ", "dorénavant, ", "dorénavant ", "à partir de maintenant, ",
        "à partir de maintenant ", "à l'avenir, ", "à l'avenir ", "règle : ", "convention : ",
    ],
    facts_follow: &["n'oublie pas que ", "note que ", "notez que ", "garde en tête que "],
    rewrites: &[
        ("tu ne dois jamais ", "ne jamais "), ("tu dois toujours ", "toujours "),
        ("il faut toujours ", "toujours "), ("il ne faut jamais ", "ne jamais "),
        ("arrête d'utiliser ", "n'utilise pas "), ("arrêtez d'utiliser ", "n'utilisez pas "),
    ],
    conventions: &[
        "on utilise toujours ", "nous utilisons toujours ", "on n'utilise jamais ",
        "nous n'utilisons jamais ", "la convention est ", "la convention ici est ",
        "notre convention est ", "ce projet utilise ", "ce dépôt utilise ",
    ],
    project_openings: &[
        "dans ce dépôt, ", "dans ce dépôt ", "dans ce projet, ", "dans ce projet ", "ici, ", "ici ",
    ],
    customs: &["on n'utilise pas ", "nous n'utilisons pas ", "on n'utilise plus "],
    habits: &["on utilise ", "nous utilisons ", "on préfère ", "nous préférons ", "on écrit "],
    denials: &["on n'a pas d", "nous n'avons pas d", "il n'y a pas d"],
    denied_in: &[" ici", " dans "],
    misuses: &["pourquoi utilises-tu ", "pourquoi tu utilises ", "pourquoi utilisez-vous "],
    rather_than: "pas",
    always: &[
        "toujours ", "jamais ", "ne jamais ", "utilise toujours ", "utilisez toujours ",
        "n'utilise jamais ", "n'utilisez jamais ", "lance toujours ", "écris toujours ",
        "ne commite jamais ", "ne pousse jamais ", "ne modifie jamais ", "n'édite jamais ",
    ],
    not_after_always: &["le", "la", "les", "un", "une", "pas", "vu", "eu"],
    prohibitions: &[
        "n'utilise pas ", "n'utilisez pas ", "n'écris pas ", "ne pousse pas ", "ne mocke pas ",
        "pas besoin de ",
    ],
    alternatives: &[" utilise ", " utilisez ", "plutôt", "à la place"],
    contrasts: &[", pas ", " et pas ", " au lieu de ", " au lieu d'", " plutôt que ", " et non "],
    prohibition_markers: &[
        "toujours", "jamais", "partout", "directement", "à la main", "chaque", "sur main",
        "sur master",
    ],
    markers: &[
        "toujours", "jamais", "partout", "directement", "à la main", "chaque", "sur main",
        "sur master",
    ],
    verbs: &[
        "utilise ", "utilisez ", "utiliser ", "écris ", "lance ", "préfère ", "évite ", "évitez ",
    ],
    articles: &["le ", "la ", "les ", "l'", "un ", "une ", "des ", "tous "],
    subjects: &[
        "les tests", "les migrations", "les commits", "les commentaires", "les erreurs",
        "les fonctions", "les composants", "les fichiers", "les secrets",
    ],
    modals: &["ne doivent pas", "doivent", "vont dans"],
    strict_modals: &["ne doit jamais", "ne doivent jamais", "doit toujours", "doivent toujours"],
    duties: &["doit", "doivent"],
    states: &["est", "sont"],
    behaviours: &["stocke", "se trouve", "attend", "utilise"],
    status: &[
        "encore", "cassé", "échoue", "échoué", "manque", "marche", "fonctionne", "erreur", "était",
    ],
    tasks: &[
        "ajoute ", "crée ", "écris ", "implémente ", "corrige ", "change ", "fais ", "peux-tu ",
        "je veux ", "je voudrais ", "supprime ",
    ],
    endings: &[" merci", " s'il te plaît", " stp", " svp"],
    turns: &[", puis ", " et puis ", ", ensuite "],
    project_phrases: &["dans ce dépôt", "dans ce projet", "ce projet", "ce dépôt"],
    temporary: &[
        "pour l'instant", "pour le moment", "cette fois", "aujourd'hui", "en ce moment",
        "temporairement",
    ],
    context_words: &[
        "ça", "cela", "ceci", "ce", "cet", "cette", "ces", "celui", "celle", "ceux", "ton", "ta",
        "tes", "tu", "votre", "vous", "autre", "autres",
    ],
    here: &["ici"],
    ..NONE
};
