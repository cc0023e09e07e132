//! Resolves `source` and function calls in Bash.

use tacit_graph::{NodeKind, link};

use crate::{check_imports, check_uses, project};

#[test]
fn sourced_paths_are_relative_to_the_script() {
    check_imports(
        r#"== bin/run.sh
#!/usr/bin/env bash
DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
source "$(dirname "$0")/lib.sh"
. "$DIR/../share/more.bash"
source "${DIR}/gone.sh"
. ./beside.sh
source elsewhere.sh
source "$HOME/.profile"
. /etc/profile
source "$plugins/$name.sh"
== bin/lib.sh
== bin/beside.sh
== share/more.bash
== test/run.bats
load helper
== test/helper.bash
"#,
        &[
            "bin/run.sh -> bin/beside.sh",
            "bin/run.sh -> bin/lib.sh",
            "bin/run.sh -> share/more.bash",
            "bin/run.sh ? ./gone.sh",
            "test/run.bats -> test/helper.bash",
        ],
    );
}

#[test]
fn functions_of_sourced_files_are_visible() {
    check_uses(
        r#"== run.sh
source ./lib.sh
main() { log::info "x"; my-step | deep; git status; hidden; $command; stranger; }
main "$@"
== lib.sh
. ./deep.sh
log::info() { echo "$1"; }
function my-step { :; }
== deep.sh
deep() { :; }
== other.sh
stranger() { :; }
hidden() { :; }
== twice.sh
source ./lib.sh
source ./again.sh
main() { deep; my-step; }
== again.sh
deep() { :; }
"#,
        &[
            "run.sh calls run.sh::main",
            "run.sh::main calls deep.sh::deep",
            "run.sh::main calls lib.sh::log::info",
            "run.sh::main calls lib.sh::my-step",
            "twice.sh::main calls lib.sh::my-step",
        ],
    );
}

#[test]
fn bats_tests_are_recognised() {
    let graph = link(&project("== a.bats\n@test \"adds one\" {\n  run add 1\n}\n"), 1);
    let tests: Vec<&str> = { graph.nodes.iter() }
        .filter(|node| node.kind == NodeKind::Test)
        .map(|node| node.name.as_str())
        .collect();
    assert_eq!(tests, ["adds one"]);
}

#[test]
fn non_ascii_names_are_linked() {
    check_uses(
        "== a.sh\ngrüße() { :; }\nmain() { grüße; 𝒳; }\n",
        &["a.sh::main calls a.sh::grüße"],
    );
}
