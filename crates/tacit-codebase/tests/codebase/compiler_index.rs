//! What `index.scip` adds to a graph, and when it is not believed.

use tacit_codebase::IndexUse;
use tacit_graph::{EdgeKind, EdgeOrigin};

use crate::{Worktree, refresh};

/// One occurrence of a symbol.
#[derive(Clone, Copy)]
pub(crate) struct Occurrence {
    symbol: &'static str,
    line: u8,
    roles: u8,
}

impl Occurrence {
    pub(crate) fn defines(symbol: &'static str, line: u8) -> Occurrence {
        Occurrence { symbol, line, roles: 1 }
    }

    pub(crate) fn names(symbol: &'static str, line: u8) -> Occurrence {
        Occurrence { symbol, line, roles: 0 }
    }
}

/// A document: its path, what it says, and which symbols implement which.
type Document<'a> = (&'a str, &'a [Occurrence], &'a [(&'a str, &'a str)]);

/// A field with bytes in it.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len();
    let mut out = vec![number << 3 | 2, (length & 0x7f) as u8 | 0x80, (length >> 7) as u8];
    out.extend(bytes);
    out
}

/// An index, as a compiler would write it.
pub(crate) fn index(documents: &[Document<'_>]) -> Vec<u8> {
    let mut out = field(1, &field(3, b"file:///code"));
    for (path, occurrences, bases) in documents {
        let mut document = field(1, path.as_bytes());
        for one in *occurrences {
            let mut occurrence = field(1, &[one.line - 1, 4, 9]);
            occurrence.extend(field(2, one.symbol.as_bytes()));
            occurrence.extend([3 << 3, one.roles]);
            document.extend(field(2, &occurrence));
        }
        for (symbol, base) in *bases {
            let relation = [field(1, base.as_bytes()), vec![3 << 3, 1]].concat();
            let symbol = [field(1, symbol.as_bytes()), field(4, &relation)].concat();
            document.extend(field(3, &symbol));
        }
        out.extend(field(2, &document));
    }
    out
}

/// A shop whose till calls a method of a value that only a compiler knows.
fn shop() -> Worktree {
    let mut worktree = Worktree::new();
    worktree.write(
        "pool.ts",
        "export interface Shut { close(): void }\nexport class Pool {\n  close() {}\n}\n",
    );
    worktree.write(
        "till.ts",
        "import { make } from './make';\nexport function run() {\n  make().close();\n}\n",
    );
    worktree.write(
        "make.ts",
        "import { Pool } from './pool';\nexport const make = () => new Pool();\n",
    );
    worktree
}

fn shop_index() -> Vec<u8> {
    index(&[
        (
            "pool.ts",
            &[
                Occurrence::defines("shop Shut#", 1),
                Occurrence::defines("shop Pool#", 2),
                Occurrence::defines("shop Pool#close().", 3),
                Occurrence::defines("local 1", 3),
            ],
            &[("shop Pool#", "shop Shut#")],
        ),
        (
            "till.ts",
            &[
                Occurrence::defines("shop run().", 2),
                Occurrence::names("shop make().", 3),
                Occurrence::names("shop Pool#close().", 3),
                Occurrence::names("elsewhere gone().", 3),
            ],
            &[],
        ),
        ("make.ts", &[Occurrence::defines("shop make().", 2)], &[]),
        ("no-such-file.ts", &[Occurrence::defines("shop nothing().", 1)], &[]),
    ])
}

/// The edges that are known by the index.
fn index_edges(worktree: &Worktree) -> Vec<String> {
    let open = worktree.codebase("kept").open().unwrap();
    let graph = open.packed();
    let edges = (0..graph.nodes()).flat_map(|node| graph.dependencies(node));
    let known = edges.filter(|edge| edge.origin == EdgeOrigin::Scip);
    let mut lines: Vec<String> = known
        .map(|edge| {
            let (from, to) = (graph.label(edge.from), graph.label(edge.to));
            format!("{from} {} {to} {}", edge.kind.as_str(), edge.line)
        })
        .collect();
    lines.sort();
    lines
}

#[test]
fn the_index_resolves_calls_on_values() {
    let mut worktree = shop();
    let codebase = worktree.codebase("kept");
    refresh(&codebase);
    assert_eq!(index_edges(&worktree), Vec::<String>::new());
    worktree.write("index.scip", shop_index());
    let done = refresh(&codebase);
    let IndexUse::Used(used) = done.index else { panic!("{done:?}") };
    assert_eq!((used.documents, used.edges, used.stale), (3, 4, vec![]));
    assert_eq!(
        index_edges(&worktree),
        [
            "pool.ts::Pool implements pool.ts::Shut 2",
            "till.ts imports make.ts::make 1",
            "till.ts imports pool.ts 3",
            "till.ts imports pool.ts::Pool.close 3",
            "till.ts::run calls make.ts::make 3",
            "till.ts::run calls pool.ts::Pool.close 3",
        ]
    );
    let open = codebase.open().unwrap();
    let graph = open.packed();
    assert!((0..graph.files()).all(|file| graph.file(file).unwrap().dynamic_calls == 0));
    // What a statement says is certain already, and stays as it was.
    let relative = (0..graph.nodes())
        .flat_map(|node| graph.dependencies(node))
        .find(|edge| edge.kind == EdgeKind::Imports && graph.label(edge.to) == "make.ts");
    assert_eq!(relative.unwrap().origin, EdgeOrigin::Relative);
    assert!(!refresh(&codebase).changed);
}

#[test]
fn files_newer_than_the_index_are_left_out() {
    let mut worktree = shop();
    worktree.write("index.scip", shop_index());
    worktree.write("till.ts", "export function run() {\n\n}\n");
    let done = refresh(&worktree.codebase("kept"));
    let IndexUse::Used(used) = done.index else { panic!("{done:?}") };
    assert_eq!((used.documents, used.stale), (2, vec!["till.ts".to_owned()]));
    assert_eq!(index_edges(&worktree), ["pool.ts::Pool implements pool.ts::Shut 2"]);
    // A file that is only touched may be another for all one knows.
    worktree.write("pool.ts", std::fs::read(worktree.root().join("pool.ts")).unwrap());
    refresh(&worktree.codebase("kept"));
    assert_eq!(index_edges(&worktree), Vec::<String>::new());
}

#[test]
fn files_whose_definitions_moved_are_left_out() {
    let mut worktree = shop();
    worktree.write("pool.ts", "\n\n\n\n\nexport class Pool {\n  close() {}\n}\n");
    // An index of an earlier state that came later.
    worktree.write("index.scip", shop_index());
    let done = refresh(&worktree.codebase("kept"));
    let IndexUse::Used(used) = done.index else { panic!("{done:?}") };
    assert_eq!((used.documents, used.stale), (2, vec!["pool.ts".to_owned()]));
    assert!(index_edges(&worktree).iter().all(|edge| !edge.contains("pool.ts")));
}

#[test]
fn names_without_a_node_do_not_make_a_file_stale() {
    let mut worktree = Worktree::new();
    worktree.write(
        "pool.ts",
        "export interface Options {\n  close: boolean;\n}\n\
         export function close(it: string): void;\nexport function close(it: number): void;\n\
         export function close(it: any) {}\n",
    );
    worktree.write(
        "index.scip",
        index(&[(
            "pool.ts",
            &[
                Occurrence::defines("shop `pool.ts`/Options#", 1),
                Occurrence::defines("shop `pool.ts`/Options#close.", 2),
                Occurrence::defines("shop `pool.ts`/close().", 4),
                Occurrence::defines("shop `pool.ts`/close().", 5),
                Occurrence::defines("shop `pool.ts`/close().", 6),
                Occurrence::defines("shop `pool.ts`/close().(it)", 6),
            ],
            &[],
        )]),
    );
    let done = refresh(&worktree.codebase("kept"));
    let IndexUse::Used(used) = done.index else { panic!("{done:?}") };
    assert_eq!((used.documents, used.stale), (1, vec![]));
}

#[test]
fn imports_and_reexports_are_not_calls() {
    let mut worktree = Worktree::new();
    worktree.write("pool.ts", "export function open() {}\nexport function close() {}\n");
    worktree.write(
        "till.ts",
        "import {\n  open,\n  close,\n} from './pool';\nopen();\nexport { close } from './pool';\n",
    );
    let (open, close) = ("shop `pool.ts`/open().", "shop `pool.ts`/close().");
    worktree.write(
        "index.scip",
        index(&[
            ("pool.ts", &[Occurrence::defines(open, 1), Occurrence::defines(close, 2)], &[]),
            (
                "till.ts",
                &[
                    Occurrence::names(open, 2),
                    Occurrence::names(close, 3),
                    Occurrence::names(open, 5),
                    Occurrence::names(close, 6),
                ],
                &[],
            ),
        ]),
    );
    refresh(&worktree.codebase("kept"));
    let known = index_edges(&worktree);
    let calls: Vec<&String> = known.iter().filter(|edge| edge.contains(" calls ")).collect();
    assert_eq!(calls, ["till.ts calls pool.ts::open 5"]);
}

#[test]
fn property_setters_do_not_call_their_getter() {
    let mut worktree = Worktree::new();
    let text = "class A:\n    @property\n    def x(self):\n        return 1\n    @x.setter\n    \
                def x(self, to):\n        self.y = to\n";
    worktree.write("a.py", text);
    let x = "shop `a`/A#x().";
    let occurrences = [Occurrence::defines(x, 3), Occurrence::names(x, 6)];
    worktree.write("index.scip", index(&[("a.py", &occurrences, &[])]));
    refresh(&worktree.codebase("kept"));
    assert_eq!(index_edges(&worktree), Vec::<String>::new());
}

#[test]
fn invalid_indexes_are_reported_as_unreadable() {
    let mut worktree = shop();
    worktree.write("index.scip", "no index");
    let codebase = worktree.codebase("kept");
    assert_eq!(refresh(&codebase).index, IndexUse::Unreadable);
    worktree.remove("index.scip");
    let done = refresh(&codebase);
    assert_eq!((done.index, done.changed, done.removed), (IndexUse::NotRead, true, 0));
}

/// A project as it was indexed, with its index.
fn indexed(files: &[(&str, &[u8])]) -> (Worktree, Vec<String>) {
    let mut worktree = Worktree::new();
    // The index is the newest.
    for (path, bytes) in files {
        worktree.write(path, bytes);
    }
    let done = refresh(&worktree.codebase("kept"));
    let IndexUse::Used(used) = done.index else { panic!("{done:?}") };
    assert_eq!(used.stale, Vec::<String>::new());
    let edges = index_edges(&worktree);
    (worktree, edges)
}

macro_rules! indexed {
    ($folder:literal: $($path:literal),+) => {
        indexed(&[$(($path, include_bytes!(concat!("../indexes/", $folder, "/", $path)))),+])
    };
}

#[test]
fn scip_typescript_indexes_are_read() {
    let (_worktree, edges) = indexed!("typescript": "pool.ts", "till.ts", "index.scip");
    assert_eq!(
        edges,
        [
            "pool.ts::Pool implements pool.ts::Closable 5",
            "till.ts imports pool.ts::Closable 1",
            "till.ts imports pool.ts::Pool.close 15",
            "till.ts imports pool.ts::open 1",
            "till.ts::day calls pool.ts::Pool.close 15",
            "till.ts::day calls pool.ts::open 13",
            "till.ts::day calls till.ts::end 14",
        ]
    );
}

#[test]
fn scip_python_indexes_are_read() {
    let (_worktree, edges) = indexed!(
        "python": "shop/__init__.py", "shop/pool.py", "shop/till.py", "index.scip"
    );
    assert_eq!(
        edges,
        [
            "shop/pool.py::Deep extends shop/pool.py::Pool 17",
            "shop/pool.py::Deep.close calls shop/pool.py::Pool.close 19",
            "shop/pool.py::Deep.close implements shop/pool.py::Pool.close 18",
            "shop/till.py imports shop/pool.py::Deep 1",
            "shop/till.py imports shop/pool.py::Pool 1",
            "shop/till.py imports shop/pool.py::Pool.close 11",
            "shop/till.py imports shop/pool.py::Pool.size 10",
            "shop/till.py::day calls shop/pool.py::Pool.close 11",
            "shop/till.py::day calls shop/pool.py::Pool.size 10",
            "shop/till.py::day calls shop/till.py::make 9",
        ]
    );
}

/// A constant is no node; the type of the same name is one, and stands on another line.
#[test]
fn constants_and_types_may_share_a_name() {
    for (lines, stale) in [((2, 3), 0), ((2, 4), 1)] {
        let mut worktree = Worktree::new();
        worktree.write(
            "user.ts",
            "export function mk() { return 1; }\nexport const User = mk();\nexport type User = number;\n",
        );
        let (constant, kind) = lines;
        let occurrences = [
            Occurrence::defines("shop mk().", 1),
            Occurrence::defines("shop User.", constant),
            Occurrence::defines("shop User#", kind),
            Occurrence::names("shop mk().", 2),
        ];
        worktree.write("index.scip", index(&[("user.ts", &occurrences, &[])]));
        let done = refresh(&worktree.codebase("kept"));
        let IndexUse::Used(used) = done.index else { panic!("{done:?}") };
        assert_eq!(used.stale.len(), stale, "{lines:?}");
    }
}

/// What is inside a function, and the title of a test, may be called like something else.
#[test]
fn inner_functions_and_test_titles_need_no_index_entry() {
    let (members, titles) = (
        "export interface C { init(): void }\nexport function C() {\n  function init() {}\n}\n",
        "const includes = 1;\ntest('includes', () => {});\n",
    );
    let inside = [
        Occurrence::defines("shop C#", 1),
        Occurrence::defines("shop C#init().", 1),
        Occurrence::defines("shop C().", 2),
    ];
    for (text, occurrences) in
        [(members, &inside[..]), (titles, &[Occurrence::defines("shop includes.", 1)])]
    {
        let mut worktree = Worktree::new();
        worktree.write("a.ts", text);
        worktree.write("index.scip", index(&[("a.ts", occurrences, &[])]));
        let done = refresh(&worktree.codebase("kept"));
        let IndexUse::Used(used) = done.index else { panic!("{done:?}") };
        assert_eq!(used.stale, Vec::<String>::new(), "{text}");
    }
}
