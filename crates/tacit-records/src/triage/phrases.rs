//! The phrases that indicate a category, and boosters that strengthen them nearby.
//!
//! Phrases are in lower case, match whole words, and are separated by a comma and a space. `^`
//! means the beginning of a sentence, `*` any beginning of a word: `*error` also matches
//! `TypeError`.

use crate::category::RecordCategory;

/// The phrases of a category.
pub(super) struct Phrases {
    /// Phrases that are sufficient by themselves, because they are hardly ever used otherwise.
    pub(super) strong: &'static str,
    /// Phrases that count, but are not sufficient.
    pub(super) primary: &'static str,
    /// Phrases that make a nearby primary phrase count more.
    pub(super) boosters: &'static str,
}

const DECISION: Phrases = Phrases {
    strong: "agreed approach, decided against, decided on, ended up using, ended up with, final \
        answer, going forward, going to drop, i've dropped the idea, let's not use, makes \
        more sense to, ruled it out, that's decided, that's settled, that's what we'll do, \
        the call is, the verdict is, we agreed on, we agreed to, we have decided, we ruled \
        out, we won't be using, we'll go with, we'll keep, we'll ship it as, we'll stick \
        with, we're dropping, we're going to use, we're keeping, we're moving to, we're not \
        going to, we're staying with, we're sticking with, we're switching to, we've agreed, \
        we've chosen, we've decided, we've ruled out",
    primary: "abandoned the, adopted, agreed, best option, better choice, better fit, better off, \
        choose, chose, chosen, committed to, decide to, decided, decision, do it with, ^drop \
        the, dropped the idea, gets its own, going with, i'd rather we, ^instead of, is out, \
        it's clear, let's drop, let's go with, let's move, let's not, let's put, let's \
        split, let's switch, let's use, makes more sense, moved away from, ^no more, opted \
        for, opted to, picked, rejected, replaced, ^scrap, settled on, standardise on, \
        standardize on, talked it over, the plan is to, we are going, we are using, we \
        dropped, we kept, we moved, we picked, we switched, we'll build, we'll do, we'll \
        drop, we'll have, we'll move, we'll put, we'll run, we'll split, we'll start, we'll \
        store, we'll switch, we'll use, we're using, went for, went with",
    boosters: "after the benchmark, alternative, alternatives, and not, anyway, back and forth, \
        beats, because, buys us, cheaper, covers, due to, easier, faster, for free, in the \
        end, instead, instead of, is enough, is simpler, isn't worth, lost, not worth, one \
        less, only one, over, overkill, rather than, rationale, reason, safer, simpler, \
        since, so that, too complex, too expensive, too much, too slow, trade-off, tradeoff, \
        versus, vs, would have meant, would mean",
};

const RUNBOOK: Phrases = Phrases {
    strong: "",
    primary: "404s, 500s, 502, 503, blew up, broke, broken, complained, connection refused, \
        corrupt, corrupted, crash, crashed, crashes, deadlock, denied, died, endless loop, \
        err!, *error, errors, *exception, exit code, failed, failing, fails, failure, fatal, \
        flaky, hangs, hung, infinite loop, kept looping, killed, leaked, no space left, no \
        such file, not found, oom, oom-killed, out of memory, panic, panicked, refused to, \
        refuses to, segfault, stack trace, stalled, stopped working, timed out, times out, \
        traceback, unreachable, went down, won't start, wouldn't, wouldn't start",
    boosters: "^adding, after i, all it took, ^bumping, caused by, ^changing, cleared it, \
        ^clearing, ^deleting, did the trick, ^disabling, does the trick, ^downgrading, \
        fixed, fixed by, fixed it, fixes, gets around it, go away, going again, got rid of, \
        helped, ^installing, is gone, ^lowering, made it pass, made it work, makes it, now \
        it, once i, pass now, passes again, passes now, problem was, ^raising, ran through, \
        reason was, ^reinstalling, ^removing, resolved, ^restarting, root cause, ^setting, \
        solution, solved, sorted it, sorted that, stopped it, stopped that, that was it, the \
        cause, the culprit, the fix, the issue was, the trick, turned out, turns out, until \
        i, ^upgrading, was missing, was wrong, went away, workaround, worked again, works \
        after, works again, works now",
};

const CONSTRAINT: Phrases = Phrases {
    strong: "aren't allowed to, by law, caps us at, doesn't let us, is not allowed to, isn't \
        allowed to, legal requirement, limits us to, max out at, maxes out at, no more than, \
        no way around, not allowed to, nothing we can do about, only lets, out of our hands, \
        there is no api for, there's no api for, tops out at, we have to support, we must \
        support, we're not allowed, won't let",
    primary: "aren't allowed, at most, can't, can't be, cannot, contractually, does not support, \
        doesn't support, forbidden, hard limit, has to run, has to stay, has to work, \
        impossible, incompatible, is down every, is limited, isn't available, isn't \
        possible, limitation, limited to, maximum, minimum, must go through, must not, must \
        stay, never retries, no access to, no way to, not allowed, not possible, not \
        supported, only accepts, only allows, only available, only has, only runs, only \
        speaks, only supports, only takes, only works, pinned to, quota, rate limit, \
        requires, restricted, speaks only, won't accept, won't work",
    boosters: "a month, api, auditors, browsers, by design, client's, compliance, contract, \
        customer, customer's, customers, device, devices, discovered, documented, enduring, \
        every night, firewall, found out, framework, full stop, gdpr, government, hardware, \
        heads up, kernel, legacy, legal, legal team, licence, license, mainframe, mandated, \
        partner, per day, per hour, per invocation, per minute, per month, per request, per \
        second, permanently, platform, policy, privacy, provider, regardless, regulation, \
        requirement, rule, runtime, sandbox, security team, server side, sqlite, their end, \
        third-party, tier, turns out, upstream, vendor, webhook, whatever status, whatever \
        we do",
};

const TECH_DEBT: Phrases = Phrases {
    strong: "a project of its own, at some point, band-aid, basically missing, clean that up, \
        clean this up, cleaning that up, commented out the, copy-pasted, cut a corner, cut \
        corners, didn't bother, didn't get around to, didn't get to it, duct tape, good \
        enough for now, needs a real fix, needs cleaning up, needs fixing, not for \
        production, not handled yet, not proud of, one of these days, ought to be, ought to \
        extract, quick and dirty, ran out of time, should really, some day, someday, tech \
        debt, technical debt, won't scale, would be nicer",
    primary: "brittle, can be removed once, defer, deferred, deferring, duplicate code, \
        duplicated, fixme, for now, fragile, hack, hacky, hard-coded, hardcoded, has to be \
        made, later, ^leaving, left out, messy, no error handling, no tests for, not \
        handled, not yet, ought to, postpone, postponed, put off, quick fix, shortcut, \
        skipped, ^skipping, spaghetti, stays until, still have to, stopgap, swallows, \
        temporary, todo, ugly, untested, workaround, yet to",
    boosters: "after the launch, backlog, because, because of the, clean up, cleaner, cleanup, come \
        back, deadline, deal with, due to, eventually, extract, first version, fixing, \
        follow up, follow-up, in two places, issue for it, longer term, needs, needs to be, \
        next sprint, next version, not ideal, one day, ought to, properly, refactor, remove \
        it in, revisit, rewrite, should, since, someone should, the demo, the release, \
        ticket, time, whatsoever",
};

const PREFERENCE: Phrases = Phrases {
    strong: "^always, as a rule, from now on, house style, i don't like, i don't want, i expect, \
        i hate, i like, i prefer, i want each, i want every, i want you to always, i'd like, \
        in this codebase, ^never, our convention, please always, please ask, please avoid, \
        ^please don't, please keep, please make sure, please never, please stop, please \
        write, ^prefer, ^stop adding, ^stop using, ^stop writing, style guide, the \
        convention, we always, we don't use, we like to, we never, we prefer, we tend to, we \
        write, when you write",
    primary: "always use, always write, ^avoid, ^comment, convention, conventions, ^do not, do not \
        use, ^document, ^don't, don't use, ^format, i never, ^name, never use, never write, \
        our code, our commits, our files, our style, our tests, please use, prefer, \
        preference, prefers, ^separate, should always, should be named, should start with, \
        shouldn't have, ^sort, stick to, two spaces, ^use, ^write",
    boosters: "all caps, always, before committing, before you, bullet points, camel case, \
        consistently, don't mock, every, everywhere, i always, i never, in comments, in \
        commit messages, in every, in tests, in the docs, in this project, in this repo, in \
        this repository, instead of, lower case, must, naming, never, no more than, no tabs, \
        one per, only if, over, please, rather than, rule, snake case, spelling, style, we \
        don't, with is",
};

/// Splits a list of phrases.
pub(super) fn split_phrases(list: &'static str) -> Vec<&'static str> {
    list.split(", ").filter(|phrase| !phrase.is_empty()).collect()
}

/// Returns the phrases of a category; `None` for session summaries, which depend on activity.
pub(super) fn for_category(category: RecordCategory) -> Option<&'static Phrases> {
    match category {
        RecordCategory::SessionSummary => None,
        RecordCategory::Decision => Some(&DECISION),
        RecordCategory::Runbook => Some(&RUNBOOK),
        RecordCategory::Constraint => Some(&CONSTRAINT),
        RecordCategory::TechDebt => Some(&TECH_DEBT),
        RecordCategory::Preference => Some(&PREFERENCE),
    }
}
