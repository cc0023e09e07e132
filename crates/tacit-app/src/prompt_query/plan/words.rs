//! The words by which people ask for a plan, per language.
//!
//! The lists are short on purpose: a request that is not recognised only misses recipes, while a
//! false match shows recipes that do not matter.

/// The wording of requests for a plan in a language with spaces, all in lower case.
pub(super) struct PlanPhrases {
    /// Words that may come before the verb.
    pub(super) polite: &'static [&'static str],
    /// Verbs that ask for a plan at the beginning.
    pub(super) verbs: &'static [&'static str],
    /// Phrases that ask for a plan anywhere.
    pub(super) phrases: &'static [&'static str],
}

pub(super) const LANGUAGES: [PlanPhrases; 7] =
    [ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN, RUSSIAN];

const ENGLISH: PlanPhrases = PlanPhrases {
    polite: &[
        "please", "first", "now", "then", "ok", "okay", "so", "let's", "lets", "can", "could",
        "would", "you", "us",
    ],
    verbs: &["plan"],
    phrases: &[
        "make a plan",
        "write a plan",
        "create a plan",
        "draft a plan",
        "propose a plan",
        "prepare a plan",
        "give me a plan",
        "need a plan",
        "want a plan",
        "come up with a plan",
        "implementation plan",
        "plan how",
        "plan out",
        "plan for",
        "outline the steps",
        "outline an approach",
        "propose an approach",
        "how should we implement",
        "how should i implement",
        "how would you implement",
        "break this down into",
        "don't implement anything yet",
        "don't write code yet",
        "don't write any code yet",
        "before writing any code",
    ],
};

const GERMAN: PlanPhrases = PlanPhrases {
    polite: &["bitte", "kannst", "könntest", "du", "erst", "zuerst", "jetzt", "dann", "ok", "also"],
    verbs: &["plane", "plan"],
    phrases: &[
        "mach einen plan",
        "mache einen plan",
        "erstelle einen plan",
        "erstell einen plan",
        "entwirf einen plan",
        "schreib einen plan",
        "schreibe einen plan",
        "einen plan erstellen",
        "einen plan machen",
        "einen plan schreiben",
        "brauche einen plan",
        "umsetzungsplan",
        "implementierungsplan",
        "wie sollten wir das umsetzen",
        "wie würdest du das umsetzen",
        "noch keinen code",
        "bevor du code schreibst",
    ],
};

const FRENCH: PlanPhrases = PlanPhrases {
    polite: &["s'il", "te", "plaît", "vous", "peux", "tu", "pouvez", "d'abord", "maintenant", "ok"],
    verbs: &["planifie", "planifiez", "planifions", "planifier"],
    phrases: &[
        "fais un plan",
        "faire un plan",
        "établis un plan",
        "établir un plan",
        "écris un plan",
        "écrire un plan",
        "rédige un plan",
        "rédiger un plan",
        "propose un plan",
        "proposer un plan",
        "besoin d'un plan",
        "plan d'implémentation",
        "plan de mise en œuvre",
        "n'écris pas encore de code",
        "avant d'écrire du code",
    ],
};

const SPANISH: PlanPhrases = PlanPhrases {
    polite: &["por", "favor", "puedes", "podrías", "primero", "ahora", "vale", "ok"],
    verbs: &["planifica", "planifique", "planifiquemos", "planificar", "planea"],
    phrases: &[
        "haz un plan",
        "hacer un plan",
        "crea un plan",
        "crear un plan",
        "escribe un plan",
        "escribir un plan",
        "propón un plan",
        "proponer un plan",
        "prepara un plan",
        "necesito un plan",
        "plan de implementación",
        "no escribas código todavía",
        "no escribas código aún",
        "todavía no escribas código",
        "aún no escribas código",
        "antes de escribir código",
    ],
};

const PORTUGUESE: PlanPhrases = PlanPhrases {
    polite: &["por", "favor", "você", "pode", "poderia", "primeiro", "agora", "ok"],
    verbs: &["planeje", "planeja", "planeie", "planejar", "planear"],
    phrases: &[
        "faça um plano",
        "faz um plano",
        "fazer um plano",
        "crie um plano",
        "cria um plano",
        "criar um plano",
        "escreva um plano",
        "escrever um plano",
        "proponha um plano",
        "propor um plano",
        "preciso de um plano",
        "plano de implementação",
        "não escreva código ainda",
        "ainda não escreva código",
        "antes de escrever código",
    ],
};

const ITALIAN: PlanPhrases = PlanPhrases {
    polite: &["per", "favore", "puoi", "potresti", "prima", "ora", "adesso", "ok"],
    verbs: &["pianifica", "pianifichiamo", "pianificare"],
    phrases: &[
        "fai un piano",
        "fare un piano",
        "crea un piano",
        "creare un piano",
        "scrivi un piano",
        "scrivere un piano",
        "proponi un piano",
        "proporre un piano",
        "prepara un piano",
        "mi serve un piano",
        "piano di implementazione",
        "non scrivere ancora codice",
        "prima di scrivere codice",
    ],
};

const RUSSIAN: PlanPhrases = PlanPhrases {
    polite: &["пожалуйста", "сначала", "теперь", "можешь", "можете", "давай", "ок"],
    verbs: &["спланируй", "спланируйте", "запланируй", "спланировать"],
    phrases: &[
        "составь план",
        "составьте план",
        "составить план",
        "напиши план",
        "напишите план",
        "предложи план",
        "предложите план",
        "сделай план",
        "подготовь план",
        "нужен план",
        "план реализации",
        "план внедрения",
        "пока не пиши код",
        "прежде чем писать код",
    ],
};

/// Phrases of languages without spaces between words, or with endings; matched as substrings.
pub(super) const UNSPACED: [&str; 45] = [
    // Chinese, simplified and traditional.
    "制定计划",
    "制定一个计划",
    "制定一份计划",
    "写一个计划",
    "写一份计划",
    "做一个计划",
    "做个计划",
    "列一个计划",
    "给我一个计划",
    "实施计划",
    "实现计划",
    "实现方案",
    "规划一下",
    "计划一下",
    "先不要写代码",
    "先别写代码",
    "制定計畫",
    "制定一個計畫",
    "寫一個計畫",
    "做個計畫",
    "實作計畫",
    "規劃一下",
    "計畫一下",
    "先不要寫程式",
    "先別寫程式",
    // Japanese.
    "計画を立て",
    "計画を作",
    "計画を書",
    "計画を考え",
    "計画して",
    "計画を提案",
    "実装計画",
    "まだコードを書かない",
    "まだコードは書かない",
    "コードを書く前に",
    // Korean.
    "계획을 세워",
    "계획을 세우",
    "계획을 작성",
    "계획을 짜",
    "계획을 만들",
    "계획을 제안",
    "계획해 줘",
    "구현 계획",
    "아직 코드를 작성하지",
    "아직 코드는 작성하지",
];
