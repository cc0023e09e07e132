//! The words by which rules are told from other passages, separated by spaces; phrases by commas.

/// Words that oblige, forbid or prefer, wherever they stand.
pub(super) const OBLIGING: &str = "\
    must, never, always, don't, do not, doesn't belong, avoid, forbidden, required, mandatory, \
    not allowed, may not, should, shouldn't, prefer, preferred, instead of, rather than, make \
    sure, ensure, only use, no need to, needs to be, need to be, has to be, have to be, is \
    banned, are banned, by convention";

/// Verbs with which a rule begins.
pub(super) const VERBS: &str = "\
    add annotate append ask assert assume attach avoid begin build bump call cast catch change \
    check choose clean close commit compile configure confirm consider construct convert copy \
    cover create declare default define delegate delete deploy derive disable document edit \
    enable exclude execute export expose extend extract fail favor favour fetch fix follow \
    format generate give go group guard handle hide ignore implement import include increment \
    indent initialize inject install invoke isolate keep leave let limit link lint list load \
    lock log look maintain make mark match minimize mock move name note omit open organize parse \
    pass pin place plan prefer prefix prepare preserve propagate provide pull push put quote \
    raise read rebase recreate refer regenerate register reject release rely remember remove \
    rename replace report respect restart return reuse revert review run sanitize save seed send \
    separate set share show sign skip sort specify split squash start stay stick stop store \
    structure submit suffix switch sync tag take target test throw touch track translate treat \
    try type update upgrade use validate verify version wait watch work wrap write";

/// Words of headings below which list items are rules, whatever their form.
pub(super) const RULE_HEADINGS: &str = "\
    rule rules convention conventions guideline guidelines style standards principle principles \
    practices preference preferences constraints gotcha gotchas pitfalls caveats important \
    critical never always don'ts dos naming invariants decisions";

/// Words of headings below which commands are worth keeping.
pub(super) const TASK_HEADINGS: &str = "\
    build building test tests testing run running command commands lint linting format \
    formatting check checks setup install installation develop development developing deploy \
    deployment release releasing debug debugging migration migrations workflow verification \
    tasks scripts ci quality";

/// Programs by which code without a language is known to be for a shell.
pub(super) const PROGRAMS: &str = "\
    bazel bun bundle cargo cd cmake composer ctest deno docker dotnet export git go gradle just \
    make mise mix mvn ninja node nox npm npx php pip pnpm poetry pre-commit pytest python \
    python3 rake ruby rustfmt sbt swift task tox uv yarn";

/// Words of headings below which a guide does not speak of the code.
pub(super) const ELSEWHERE: &str = "\
    welcome thanks conduct license licence licensing cla dco legal copyright sponsor sponsors \
    donate donations community contact help support question questions discussion discussions \
    issue issues bug bugs reporting report feature features suggest suggesting suggestions \
    enhancements security vulnerability vulnerabilities first ways contents maintainers \
    governance roadmap acknowledgements credits recognition translations fork slack discord \
    attribution review reviews triage";

/// Words of passages about the path of a contribution, not about the code.
pub(super) const PATH_OF_A_CHANGE: &str = "\
    fork clone issue issues maintainer maintainers license licence cla conduct contributor \
    upstream discord slack email github.com";

/// Returns true if a list has a word.
pub(super) fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|own| own == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_whole_words() {
        assert!(has(VERBS, "run") && has(VERBS, "write") && !has(VERBS, "ru") && !has(VERBS, ""));
        assert!(OBLIGING.split(", ").any(|phrase| phrase == "instead of"));
    }
}
