//! Approaches that were given up, and what only looks like one.

use crate::script::{OK, Script, assert_dropped};

const BORROW: &str = "error[E0502]: cannot borrow `lru` as mutable";

fn dead_ends(script: &Script) -> Vec<String> {
    let memories = script.memories(&[]).into_iter();
    memories.filter(|memory| memory.starts_with("dead_end")).collect()
}

fn tries(file: &str, old: &str, new: &str) -> Script {
    Script::new("s").says("Make the lookup faster").edits(file, old, new)
}

fn tries_lru() -> Script {
    tries("src/users/cache.rs", "db.get(id)", "lru.get_or(id, db)").fails("cargo test", BORROW)
}

fn queries(script: Script) -> Script {
    script
        .edits("src/users/cache.rs", "db.get(id)", "query::prepared(id)")
        .runs("cargo test", OK)
        .ends()
}

#[test]
fn dead_ends_name_the_approach_the_reason_and_the_alternative() {
    for (script, expected) in [
        (
            queries(tries_lru().runs("git checkout -- src/users/cache.rs", "")),
            "dead_end: Tried and given up: `lru.get_or` in `src/users/cache.rs`. Why: `cargo test` failed: \
             cannot borrow `lru` as mutable (E0502). Instead: `query::prepared` in `src/users/cache.rs`.",
        ),
        (
            tries(
                "web/form.ts",
                "onInput = save",
                "import debounce from 'lodash/debounce'\nonInput = debounce(save, 300)",
            )
            .fails(
                "npx vitest run",
                "FAIL web/form.test.ts > saves\nError: debounce is not a function",
            )
            .runs("git restore web/form.ts", "")
            .edits("web/form.ts", "onInput = save", "onInput = useDeferredValue(save)")
            .runs("npx vitest run", "      Tests  3 passed (3)")
            .ends(),
            "dead_end: Tried and given up: `lodash/debounce` and `debounce` in `web/form.ts`. Why: `npx vitest run` \
             failed: Error: debounce is not a function. Instead: `useDeferredValue` in `web/form.ts`.",
        ),
        (
            tries("app/load.py", "rows = read()", "rows = pool.map_async(read)")
                .runs("git checkout app/load.py", "")
                .edits("app/load.py", "rows = read()", "rows = read_batches(100)")
                .runs("pytest", "3 passed in 0.1s")
                .answers("Done. I dropped `map_async` because the connection cannot be pickled.")
                .ends(),
            "dead_end: Tried and given up: `pool.map_async` in `app/load.py`. Why: the agent said “I dropped \
             `map_async` because the connection cannot be pickled”. Instead: `read_batches` in `app/load.py`.",
        ),
        (
            tries("cmd/root.go", "flags.Var(v)", "flags.NoOptDefVal(v)")
                .says("NoOptDefVal breaks `--agent x`, please undo that")
                .runs("git checkout -- cmd/root.go", "")
                .edits("cmd/root.go", "flags.Var(v)", "cmd.SetFlagErrorFunc(v)")
                .runs("go test ./...", "ok  \texample.com/a\t0.1s")
                .ends(),
            "dead_end: Tried and given up: `flags.NoOptDefVal` in `cmd/root.go`. Why: the user said “NoOptDefVal \
             breaks `--agent x`, please undo that”. Instead: `cmd.SetFlagErrorFunc` in `cmd/root.go`.",
        ),
    ] {
        assert_eq!(dead_ends(&script), [expected]);
    }
}

#[test]
fn told_attempts_are_dead_ends_if_their_lines_are_gone() {
    let told = "Done. My first attempt used `NoOptDefVal`, but that breaks `--proxy corp`. So instead the \
         error is caught in `SetFlagErrorFunc`.";
    let flags = "cmd/flags.go";
    let attempt = || tries(flags, "flags.Var(v)", "flags.NoOptDefVal = \"list\"");
    let given_up = attempt()
        .edits(flags, "flags.NoOptDefVal = \"list\"", "cmd.SetFlagErrorFunc(list)")
        .runs("go test ./...", "ok  \texample.com/a\t0.1s");
    assert_eq!(
        dead_ends(&given_up.answers(told).ends()),
        [
            "dead_end: Tried and given up: `NoOptDefVal` in `cmd/flags.go`. Why: the agent said “My first attempt \
          used `NoOptDefVal`, but that breaks `--proxy corp`”. Instead: the error is caught in \
          `SetFlagErrorFunc`."
        ]
    );
    let kept = attempt().runs("go test ./...", "ok  \texample.com/a\t0.1s").answers(told).ends();
    assert!(dead_ends(&kept).is_empty());
}

#[test]
fn code_that_the_user_takes_back_is_a_dead_end() {
    let script = tries("src/ids.rs", "message.to_owned()", "shorten_hex(message)")
        .runs("cargo test", OK)
        .answers("Hashes are shortened.")
        .says("I don't like that heuristic, a hash can be all digits. Take it out.")
        .edits("src/ids.rs", "shorten_hex(message)", "message.to_owned()")
        .edits("src/commit.rs", "self.hash", "self.hash.short_form(8)")
        .runs("cargo test", OK)
        .ends();
    assert_eq!(
        dead_ends(&script),
        [
            "dead_end: Tried and given up: `shorten_hex` in `src/ids.rs`. Why: the user said “I don't like that \
          heuristic, a hash can be all digits”. Instead: `hash.short_form` in `src/commit.rs`."
        ]
    );
}

#[test]
fn code_that_the_user_takes_back_needs_no_alternative() {
    let script = tries("src/ids.rs", "message.to_owned()", "shorten_hex(message)")
        .runs("cargo test", OK)
        .says("not sure I like the heuristic though")
        .says("can you revert this change?")
        .edits("src/ids.rs", "shorten_hex(message)", "message.to_owned()")
        .runs("cargo test", OK)
        .says("Next: the cleanup")
        .edits("src/clean.rs", "remove(path)", "strip_contents(path)")
        .runs("cargo test", OK)
        .ends();
    assert_eq!(
        dead_ends(&script),
        [
            "dead_end: Tried and given up: `shorten_hex` in `src/ids.rs`. Why: the user said “not sure I like the \
          heuristic though”. Instead: the earlier code."
        ]
    );
}

#[test]
fn a_look_at_the_baseline_is_not_a_dead_end() {
    for line in [
        "git stash && cargo test; git stash pop",
        "git stash && git stash pop",
        "git stash push src/users/cache.rs && cargo test && git stash pop",
    ] {
        let script = queries(tries_lru().runs(line, ""));
        assert!(dead_ends(&script).is_empty(), "{line}");
    }
    let apart = tries_lru()
        .runs("git stash -- src/users/cache.rs", "")
        .runs("cargo test", OK)
        .runs("git stash apply", "");
    assert!(dead_ends(&queries(apart)).is_empty());
}

#[test]
fn only_the_named_path_is_set_aside() {
    let script = tries_lru()
        .edits("src/users/other.rs", "let a = 1;", "let a = 2;")
        .runs("git stash push -m wip src/users/other.rs", "")
        .runs("git stash drop", "");
    assert!(dead_ends(&queries(script)).is_empty());
    let script =
        tries_lru().runs("git stash push src/users/cache.rs", "").runs("git stash drop", "");
    assert_eq!(dead_ends(&queries(script)).len(), 1);
}

#[test]
fn other_git_commands_give_up_nothing() {
    for line in [
        "git worktree add ../b topic",
        "git bisect start",
        "git rebase main",
        "git checkout topic",
        "git switch -c topic",
        "git restore --staged src/users/cache.rs",
        "git reset src/users/cache.rs",
        "git checkout -- src/users/generated.rs",
        "cd /tmp/other && git reset --hard",
    ] {
        let script = queries(tries_lru().runs(line, ""));
        assert!(dead_ends(&script).is_empty(), "{line}");
    }
}

#[test]
fn committed_work_is_not_given_up() {
    let script = tries_lru()
        .runs("git commit -am x", "[main 1a2b3c4] x")
        .runs("git checkout -- src/users/cache.rs", "");
    assert!(dead_ends(&queries(script)).is_empty());
    // The user may have committed it between two prompts.
    let script =
        tries_lru().says("Now fix the linter").runs("git checkout -- src/users/cache.rs", "");
    let script = queries(script);
    assert!(dead_ends(&script).is_empty());
    assert_dropped(&script, "cache.rs", "it may have been committed");
}

#[test]
fn work_that_was_written_again_is_not_given_up() {
    let script = tries_lru()
        .runs("git checkout -- src/users/cache.rs", "")
        .edits("src/users/cache.rs", "db.get(id)", "lru.get_or(id, db)")
        .edits("src/users/lru.rs", "fn get(&self)", "fn get_or(&mut self)")
        .runs("cargo test", OK)
        .ends();
    assert!(dead_ends(&script).is_empty());
}

#[test]
fn dead_ends_need_a_name_a_reason_and_an_alternative() {
    let unnamed = tries("src/users/cache.rs", "let a = 1;", "let a = 2;")
        .fails("cargo test", BORROW)
        .runs("git checkout -- src/users/cache.rs", "");
    assert_dropped(&queries(unnamed), "cache.rs", "nothing names the approach");
    let unexplained = tries("src/users/cache.rs", "db.get(id)", "lru.get_or(id, db)")
        .runs("git checkout -- src/users/cache.rs", "");
    assert_dropped(&queries(unexplained), "cache.rs", "nothing tells why it was given up");
    // The error had nothing to do with it, or came again.
    let unrelated = tries("src/users/cache.rs", "db.get(id)", "lru.get_or(id, db)")
        .fails("cargo test", "error: linker `cc` not found")
        .runs("git checkout -- src/users/cache.rs", "");
    assert_dropped(&queries(unrelated), "cache.rs", "nothing tells why it was given up");
    let again =
        tries_lru().runs("git checkout -- src/users/cache.rs", "").fails("cargo test", BORROW);
    assert_dropped(&queries(again), "cache.rs", "nothing tells why it was given up");
    let alone = tries_lru()
        .runs("git checkout -- src/users/cache.rs", "")
        .edits("docs/other/guide.md", "one", "two")
        .runs("cargo test", OK)
        .ends();
    assert_dropped(&alone, "cache.rs", "no checked alternative");
}
