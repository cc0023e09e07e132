//! Words by which the statements of an agent are told apart.

/// The meaning of the label before a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Lesson,
    Cause,
    Fix,
    Note,
}

/// The words of labels, by meaning.
pub(super) const LABELS: [(Label, &[&str]); 4] = [
    (Label::Lesson, &[
        "lesson", "lessons", "lesson learned", "lesson learnt", "lessons learned", "learning",
        "takeaway", "key takeaway", "gotcha", "caveat", "key insight", "insight", "lehre", "leçon",
        "lección", "lição", "lezione", "вывод", "教训", "教訓", "교훈",
    ]),
    (Label::Cause, &[
        "root cause", "the root cause", "cause", "the cause", "problem", "the problem",
        "root problem", "issue", "the issue", "bug", "the bug", "why", "reason", "the reason",
        "what happened", "here's what happened", "what was wrong", "diagnosis", "explanation",
        "what went wrong", "why it failed", "why this happened", "ursache", "problème", "causa",
        "причина", "原因", "원인", "문제",
    ]),
    (Label::Fix, &[
        "fix", "fixed", "the fix", "solution", "the solution", "resolution", "lösung", "해결",
    ]),
    (Label::Note, &[
        "note", "important", "worth noting", "tl;dr", "in short", "short version",
        "the short version", "the one-sentence version", "heads up", "hinweis", "주의",
    ]),
];

/// Phrases that connect a cause and its effect.
pub(super) const CAUSES: [&str; 26] = [
    " because ", "turns out", "turned out", "caused by ", " due to ", "the reason ", "which is why",
    "that's why", "root cause", "the issue was", "the issue is", "the problem was",
    "the problem is", "the bug was", "the bug is", "the cause was", "the cause is",
    "the failure was", "the failure is", "the failures were", "the error was", "the culprit",
    "this happened when", "this happens when", "only happens when", " silently ",
];
/// Phrases with which an agent names the cause of a problem as such.
pub(super) const NAMED_CAUSES: [&str; 7] = [
    "root cause", "the issue was", "the problem was", "the bug was", "the cause was", "turns out",
    "turned out",
];
/// Words that state a rule.
pub(super) const RULES: [&str; 9] = [
    " must ", " has to ", " have to ", " needs to ", " requires ", " cannot ", " can't ",
    " no longer ", " unless ",
];
/// Words that state a duty.
pub(super) const OBLIGATIONS: [&str; 5] =
    [" must ", " has to ", " have to ", " needs to ", " requires "];
/// Words that say what something does not do.
pub(super) const LIMITS: [&str; 8] = [
    " never ", " cannot ", " can't ", " doesn't ", " does not ", " isn't ", " is not ", " ignores ",
];
/// Words of a consequence that was observed.
pub(super) const PAST: [&str; 6] =
    [" was ", " were ", " failed ", " broke ", " never ran", " got "];
/// Words that point to another sentence or to the work of the day.
pub(super) const POINTERS: [&str; 8] =
    ["this", "these", "those", "here", "now", "it'll", "next", "remaining"];
/// Words that deny or limit something: with a consequence they explain it.
pub(super) const DENIALS: [&str; 16] = [
    " never ", " always ", " cannot ", " can't ", " won't ", " doesn't ", " does not ", " don't ",
    " isn't ", " aren't ", " wasn't ", " weren't ", " didn't ", " couldn't ", " only ", " without ",
];
/// Phrases that introduce a consequence.
pub(super) const CONSEQUENCES: [&str; 6] = [
    ", so ", " — so ", "; so ", " since ", ", which means ", " means that ",
];
/// First words of sentences that report what was done or announce something.
pub(super) const REPORTS: [&str; 56] = [
    "i", "i've", "i'm", "i'll", "we've", "added", "adds", "updated", "updates", "removed",
    "removes", "changed", "changes", "created", "creates", "replaced", "renamed", "moved", "moves",
    "fixed", "fixes", "refactored", "implemented", "extracted", "switched", "wrapped", "bumped",
    "reverted", "converted", "introduced", "now", "here's", "here", "done", "all", "both", "let",
    "next", "ready", "want", "should", "would", "committed", "pushed", "verified", "everything",
    "nothing", "good", "great", "yes", "ok", "perfect", "called", "made", "uses", "previously",
];
/// Phrases about the result of a run, which says nothing about the next one.
pub(super) const RESULTS: [&str; 10] = [
    "lint pass", "tests pass", "all pass", "0 issues", "build pass", "passes without", "is not new",
    "are not new", "pre-existing", "preexisting",
];
/// Phrases at the beginning of a sentence that reports a success.
pub(super) const PASSES: [&str; 6] = [
    "tests pass", "lint pass", "is complete", "are green", "all pass", "no issues",
];
/// Words that speak to the user.
pub(super) const ADDRESSES: [&str; 13] = [
    "you", "your", "you're", "you'd", "you'll", "i", "i'll", "i'd", "i've", "my", "me", "let's",
    "we'll",
];
/// Words that refer to the conversation or to the work of the day.
pub(super) const CONVERSATION: [&str; 8] = [
    "above", "below", "reviewer", "pr", "todo", "phase", "prior", "plan",
];
/// Phrases that say what anybody has to do.
pub(super) const DUTIES: [&str; 5] = [
    " you have to ", " you need to ", " you must ", " you can't ", " you cannot ",
];
/// Phrases that say when, or what happens otherwise.
pub(super) const OCCASIONS: [&str; 11] = [
    " otherwise ", " or else ", " unless ", " every time ", " each time ", " whenever ",
    " after changing ", " after every ", " after each ", " after adding ", " before ",
];
/// Beginnings that only announce the cause.
pub(super) const LEAD_INS: [&str; 22] = [
    "the issue was that ", "the issue is that ", "the problem was that ", "the problem is that ",
    "the root cause was that ", "the root cause is that ", "the root cause was ",
    "the root cause is ", "the bug was that ", "the bug is that ", "the cause was that ",
    "the cause is that ", "the reason is that ", "the reason was that ", "it turns out that ",
    "it turns out ", "turns out that ", "turns out ", "root cause: ", "the root cause: ",
    "the problem: ", "the issue: ",
];
/// Beginnings of the clause in which the agent says what it did about the matter.
pub(super) const OWN_ACTIONS: [&str; 8] = [
    ", so I ", ", so I've ", "; I ", "; I've ", " — I ", " – I ", ", and I ", ", which I ",
];
