//! Phrases with which people correct an agent, by language. The lists are short on purpose: a
//! missed correction can be repeated, but a sentence mistaken for a rule gets in the way.

mod chinese;
mod english;
mod french;
mod german;
mod italian;
mod japanese;
mod korean;
mod portuguese;
mod russian;
mod spanish;
mod tools;

pub(super) use tools::TOOLS;

/// Every known language. Sentences of several languages begin alike: the first one decides.
pub(super) static LANGUAGES: [CorrectionPhrases; 10] = [
    english::ENGLISH,
    german::GERMAN,
    french::FRENCH,
    spanish::SPANISH,
    portuguese::PORTUGUESE,
    italian::ITALIAN,
    russian::RUSSIAN,
    chinese::CHINESE,
    japanese::JAPANESE,
    korean::KOREAN,
];

/// The phrases of one language, in lower case. A phrase that ends with a space ends at a word
/// boundary.
pub(super) struct CorrectionPhrases {
    /// True if words are separated by spaces. In other scripts instructions are searched anywhere
    /// in a sentence, because verbs may come last.
    pub(super) spaced: bool,
    /// Beginnings without meaning for the rule: agreement, politeness, conjunctions.
    pub(super) fillers: &'static [&'static str],
    /// Beginnings that reject what was done.
    pub(super) rejections: &'static [&'static str],
    /// Whole sentences that reject what was done; the next sentence says what is right.
    pub(super) bare_rejections: &'static [&'static str],
    /// Beginnings that refer to an earlier instruction.
    pub(super) lead_ins: &'static [&'static str],
    /// Beginnings of what holds from now on.
    pub(super) from_now_on: &'static [&'static str],
    /// Beginnings of facts to keep in mind.
    pub(super) facts_follow: &'static [&'static str],
    /// Beginnings that are replaced, so that the rule is an imperative.
    pub(super) rewrites: &'static [(&'static str, &'static str)],
    /// Beginnings of what must be done, before `upkeep` or a tool.
    pub(super) needs: &'static [&'static str],
    /// Verbs for what makes a change take effect.
    pub(super) upkeep: &'static [&'static str],
    /// Phrases for the change that `needs` it.
    pub(super) changes: &'static [&'static str],
    /// Beginnings that state a convention of the project.
    pub(super) conventions: &'static [&'static str],
    /// Beginnings that limit a rule to the project; a rule must follow.
    pub(super) project_openings: &'static [&'static str],
    /// Beginnings that say what the team does.
    pub(super) customs: &'static [&'static str],
    /// Beginnings that say what the team does, but that also describe the code. They count with
    /// something that makes them a rule.
    pub(super) habits: &'static [&'static str],
    /// Beginnings of rules without exception.
    pub(super) always: &'static [&'static str],
    /// Words after `always` that begin no instruction.
    pub(super) not_after_always: &'static [&'static str],
    /// Beginnings of prohibitions.
    pub(super) prohibitions: &'static [&'static str],
    /// Verbs after a prohibition that people use for rules rather than for the task. Empty if
    /// `prohibitions` contain the verb.
    pub(super) prohibited: &'static [&'static str],
    /// Phrases that introduce the alternative to a prohibition.
    pub(super) alternatives: &'static [&'static str],
    /// Verbs after a prohibition that count with a folder: "don't modify anything in vendor/".
    pub(super) changing: &'static [&'static str],
    /// Beginnings of a prohibition without a verb: "no emojis in commit messages".
    pub(super) none_of: &'static [&'static str],
    /// Words after `none_of` that report a result.
    pub(super) not_none_of: &'static [&'static str],
    /// Phrases that introduce the condition of a prohibition.
    pub(super) conditions: &'static [&'static str],
    /// Phrases that contrast the right thing with the wrong one.
    pub(super) contrasts: &'static [&'static str],
    /// Phrases that make a prohibition general.
    pub(super) prohibition_markers: &'static [&'static str],
    /// Phrases that make an instruction general.
    pub(super) markers: &'static [&'static str],
    /// Beginnings of instructions.
    pub(super) verbs: &'static [&'static str],
    /// Beginnings of instructions that count only if they are repeated.
    pub(super) repeated: &'static [&'static str],
    /// Beginnings of an object that is a thing of the present task.
    pub(super) articles: &'static [&'static str],
    /// Nouns for things that projects have rules about.
    pub(super) subjects: &'static [&'static str],
    /// Words between a subject and the rule about it.
    pub(super) modals: &'static [&'static str],
    /// Modal phrases that state a rule about any subject.
    pub(super) strict_modals: &'static [&'static str],
    /// Words for what must be, in statements that count after a rejection and name code.
    pub(super) duties: &'static [&'static str],
    /// Words for what is, in such statements.
    pub(super) states: &'static [&'static str],
    /// Words for what a product does, in such statements. The name of a product is enough.
    pub(super) behaviours: &'static [&'static str],
    /// Words that report a state of the work.
    pub(super) status: &'static [&'static str],
    /// Beginnings of tasks.
    pub(super) tasks: &'static [&'static str],
    /// Beginnings of tasks that conclude the work. A rule after them is no part of it.
    pub(super) conclusions: &'static [&'static str],
    /// Phrases that limit a choice to a part of the code.
    pub(super) parts: &'static [&'static str],
    /// Phrases that say that something is no longer used.
    pub(super) obsolete: &'static [&'static str],
    /// Beginnings that tell of something that exists already.
    pub(super) offers: &'static [&'static str],
    /// Nouns for reusable code, after `offers`.
    pub(super) offered: &'static [&'static str],
    /// Beginnings that deny that something exists.
    pub(super) denials: &'static [&'static str],
    /// Words after `denials` that deny nothing about the domain.
    pub(super) not_denied: &'static [&'static str],
    /// Phrases for the place of a denied thing.
    pub(super) denied_in: &'static [&'static str],
    /// Verbs of tasks that bring what is denied into existence.
    pub(super) builders: &'static [&'static str],
    /// Questions that blame the choice of a tool.
    pub(super) misuses: &'static [&'static str],
    /// The word that contrasts the blamed tool with the right one.
    pub(super) rather_than: &'static str,
    /// Words in the middle of sentences without meaning for the rule.
    pub(super) asides: &'static [&'static str],
    /// Ends of sentences without meaning for the rule.
    pub(super) endings: &'static [&'static str],
    /// Phrases at which a sentence turns from the rule to the task.
    pub(super) turns: &'static [&'static str],
    /// Phrases at which a sentence turns to the rule, from a task or from what did not work.
    pub(super) joints: &'static [&'static str],
    /// Phrases for the project, removed before `context_words` are searched.
    pub(super) project_phrases: &'static [&'static str],
    /// Phrases that limit a sentence to the present.
    pub(super) temporary: &'static [&'static str],
    /// Words that refer to something said before.
    pub(super) context_words: &'static [&'static str],
    /// Words that refer to something said before, unless a clause of the same sentence precedes.
    pub(super) pronouns: &'static [&'static str],
    /// The word for the place at hand, which means the project in rules about tools and customs.
    pub(super) here: &'static [&'static str],
    /// Words that begin a relative clause after "that", which then refers to nothing else.
    pub(super) after_relative: &'static [&'static str],
}

/// A language without phrases.
const NONE: CorrectionPhrases = CorrectionPhrases {
    spaced: true,
    fillers: &[],
    rejections: &[],
    bare_rejections: &[],
    lead_ins: &[],
    from_now_on: &[],
    facts_follow: &[],
    rewrites: &[],
    needs: &[],
    upkeep: &[],
    changes: &[],
    conventions: &[],
    project_openings: &[],
    customs: &[],
    habits: &[],
    always: &[],
    not_after_always: &[],
    prohibitions: &[],
    prohibited: &[],
    alternatives: &[],
    changing: &[],
    none_of: &[],
    not_none_of: &[],
    conditions: &[],
    contrasts: &[],
    prohibition_markers: &[],
    markers: &[],
    verbs: &[],
    repeated: &[],
    articles: &[],
    subjects: &[],
    modals: &[],
    strict_modals: &[],
    duties: &[],
    states: &[],
    behaviours: &[],
    status: &[],
    tasks: &[],
    conclusions: &[],
    parts: &[],
    obsolete: &[],
    offers: &[],
    offered: &[],
    denials: &[],
    not_denied: &[],
    denied_in: &[],
    builders: &[],
    misuses: &[],
    rather_than: "",
    asides: &[],
    endings: &[],
    turns: &[],
    joints: &[],
    project_phrases: &[],
    temporary: &[],
    context_words: &[],
    pronouns: &[],
    here: &[],
    after_relative: &[],
};

/// Context words of Spanish, Portuguese and Italian, whose sentences begin alike.
const ROMANCE_CONTEXT_WORDS: &[&str] = &[
    "acima", "ahí", "altra", "altro", "arriba", "ciò", "ello", "esa", "ese", "eso", "esos", "essa",
    "esse", "esses", "esta", "este", "estes", "esto", "estos", "isso", "isto", "otra", "otro",
    "outra", "outro", "quella", "quelli", "quello", "questa", "questi", "questo", "seu", "sopra",
    "sua", "tu", "tua", "tuo", "tus", "tú", "você",
];
