//! Resolves includes and calls in C.

use crate::{check_imports, check_uses};

#[test]
fn quoted_includes_prefer_the_own_folder_then_the_own_include_directory() {
    check_imports(
        r#"== lib/include/shop/cart.h
== lib/include/one.h
== other/include/one.h
== other/include/only.h
== lib/src/util.h
== lib/src/cart.c
#include "util.h"
#include "shop/cart.h"
#include <shop/cart.h>
#include "one.h"
#include "only.h"
#include <stdio.h>
#include <zlib.h>
#include "gtest/gtest.h"
#include "gone.h"
#include "../src/lost.h"
#include MACRO
== third/main.c
#include <one.h>
#include "src/util.h"
"#,
        &[
            "lib/src/cart.c -> lib/include/one.h",
            "lib/src/cart.c -> lib/include/shop/cart.h",
            "lib/src/cart.c -> lib/src/util.h",
            "lib/src/cart.c -> other/include/only.h",
            "lib/src/cart.c ? ../src/lost.h",
            "lib/src/cart.c ? gone.h",
            // Two directories have it, so the include is ambiguous.
            "third/main.c ? <one.h>",
        ],
    );
}

#[test]
fn include_paths_with_a_directory_are_searched_in_parent_directories() {
    check_imports(
        r#"== src/util/strings.h
== src/db/table/block.c
#include "util/strings.h"
#include "util/gone.h"
#include "db/table/block.c"
== util/strings.h
== tools/dump.c
#include "util/strings.h"
"#,
        &[
            // Both `src/util` and `util` match.
            "src/db/table/block.c ? util/gone.h",
            "src/db/table/block.c ? util/strings.h",
            "tools/dump.c -> util/strings.h",
        ],
    );
}

#[test]
fn compile_commands_provide_include_paths() {
    check_imports(
        r#"== build/compile_commands.json
[{"directory": "/home/me/shop/build", "file": "../src/main.c",
  "command": "cc -I../inc -isystem /home/me/shop/sys -iquote /home/me/shop/quoted -I/usr/include -c ../src/main.c"},
 {"directory": "/home/me/shop/build", "file": "/home/me/shop/src/other.c",
  "arguments": ["cc", "-I", "/home/me/shop/inc2"]}]
== inc/cart.h
#include "order.h"
== inc/order.h
== inc2/cart.h
== sys/cart.h
== sys/zlib.h
== quoted/q.h
== include/unlisted.h
== src/main.c
#include <cart.h>
#include <zlib.h>
#include "q.h"
#include <q.h>
#include <unlisted.h>
== src/other.c
#include "cart.h"
== src/alone.h
#include <order.h>
#include <cart.h>
"#,
        &[
            "inc/cart.h -> inc/order.h",
            // A header has the include paths of all files, and must resolve to the same file with
            // each.
            "src/alone.h -> inc/order.h",
            "src/alone.h ? <cart.h>",
            "src/main.c -> inc/cart.h",
            "src/main.c -> quoted/q.h",
            "src/main.c -> sys/zlib.h",
            "src/other.c -> inc2/cart.h",
        ],
    );
}

#[test]
fn calls_resolve_through_headers_to_the_only_definition() {
    check_uses(
        r#"== cart.h
#ifndef CART_H
#define CART_H
#include "base.h"
typedef struct cart { int sum; } cart_t;
cart_t *cart_new(void);
int **cart_table(void);
void two_times(void);
void nowhere(void);
static inline int cart_sum(cart_t *cart) { return cart->sum; }
#define CART_MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
== base.h
void base(int x);
== base.c
#include "base.h"
void base(int x) {}
== cart.c
#include "cart.h"
static int hidden(int x) { return x; }
cart_t *cart_new(void) { hidden(1); base(2); return 0; }
int **cart_table(void) { return 0; }
void two_times(void) {}
== other.c
#include "cart.h"
void two_times(void) {}
static void base(int x) {}
== stranger.c
void base(int x) {}
cart_t *cart_new(void) { return 0; }
== main.c
#include "cart.h"
int main(void) {
    cart_t *cart = cart_new();
    cart_table();
    cart_sum(cart);
    CART_MAX(1, 2);
    two_times();
    nowhere();
    hidden(1);
    printf("");
    cart->call();
    return 0;
}
static void local(void (*base)(int)) { base(1); }
"#,
        &[
            "cart.c::cart_new calls base.c::base",
            "cart.c::cart_new calls cart.c::hidden",
            "main.c::main calls cart.c::cart_new",
            "main.c::main calls cart.c::cart_table",
            "main.c::main calls cart.h::CART_MAX",
            "main.c::main calls cart.h::cart_sum",
        ],
    );
}

#[test]
fn cyclic_includes_terminate() {
    check_uses(
        "== a.h\n#include \"b.h\"\nvoid f(void);\n== b.h\n#include \"a.h\"\n\
         == a.c\n#include \"b.h\"\nvoid f(void) {}\n\
         == m.c\n#include \"b.h\"\nvoid m(void) { f(); }\n",
        &["m.c::m calls a.c::f"],
    );
}

#[test]
fn dead_code_has_no_calls() {
    check_uses(
        "== a.c
void run(void) {}
void go(void) {}
#if 0
#include \"gone.h\"
void f(void) { run(); }
#else
void g(void) { run(); }
#endif
void h(void) {
#if 0
  run();
#endif
  go();
}
#if 1
void i(void) { run(); }
#endif
",
        &["a.c::g calls a.c::run", "a.c::h calls a.c::go", "a.c::i calls a.c::run"],
    );
}

#[test]
fn includes_are_found_inside_other_constructs() {
    let list = "== list.h\nX(A)\n== x.c\n";
    for text in [
        "static const char *names[] = {\n#define X(a) #a,\n#include \"list.h\"\n#undef X\n};\n",
        "int n[] = {\n  1,\n # include \"list.h\"\n};\n",
        "struct s {\n#include \"list.h\"\n};\n",
        "enum e {\n#define X(a) a,\n#include \"list.h\"\n};\n",
        "void g(void) { foo(\n#include \"list.h\"\n); }\n",
    ] {
        check_imports(&format!("{list}{text}"), &["x.c -> list.h"]);
    }
    for text in [
        "/*\n#include \"list.h\"\n*/ int x[] = {1 2};\n",
        "struct s {\n#pragma include \"list.h\"\n};\n",
        "#if 0\nint n[] = {\n#include \"list.h\"\n};\n#endif\n",
    ] {
        check_imports(&format!("{list}{text}"), &[]);
    }
}
