//! Resolves imports in TypeScript and JavaScript.

use crate::check_imports;

#[test]
fn relative_imports_may_omit_extension_and_index() {
    check_imports(
        "== src/a.ts
import { b } from './b';
import c from './c';
import './d.js';
import type { E } from '../e';
import data from './data.json';
import gone from './gone';
const later = import('./f');
const { g, h: other } = require('./g');
== src/b.ts
== src/c/index.tsx
== src/d.ts
== e.d.ts
== src/f.mjs
== src/f.js
== src/g.js
",
        &[
            "src/a.ts -> e.d.ts",
            "src/a.ts -> src/b.ts",
            "src/a.ts -> src/c/index.tsx",
            "src/a.ts -> src/d.ts",
            "src/a.ts -> src/f.js",
            "src/a.ts -> src/g.js",
            "src/a.ts ? ./gone: default",
        ],
    );
}

#[test]
fn files_come_before_folders_and_typescript_before_javascript() {
    check_imports(
        "== a.ts
import './b';
import './c';
import './d/';
== b.ts
== b/index.ts
== c.ts
== c.js
== d.ts
== d/index.ts
",
        &["a.ts -> b.ts", "a.ts -> c.ts", "a.ts -> d/index.ts"],
    );
}

#[test]
fn declarations_resolve_to_their_implementation() {
    let text = "== lib/a.d.ts
import { B } from './b.js';
export declare class A extends B {}
export interface Shape {}
== lib/a.js
import { B } from './b.js';
export class A extends B {}
== lib/b.d.ts
export declare class B {}
== lib/b.js
export class B {}
== lib/m.d.mts
export declare class M {}
== lib/m.mjs
export class M {}
== use.ts
import { A, Shape } from './lib/a';
import { M } from './lib/m.mjs';
class C implements Shape { run() { new A(); new M(); } }
";
    check_imports(
        text,
        &[
            "lib/a.d.ts -> lib/b.d.ts",
            "lib/a.js -> lib/b.d.ts",
            "lib/a.js -> lib/b.js",
            "use.ts -> lib/a.d.ts",
            "use.ts -> lib/a.js",
            "use.ts -> lib/m.d.mts",
            "use.ts -> lib/m.mjs",
        ],
    );
    crate::check_uses(
        text,
        &[
            "lib/a.d.ts::A extends lib/b.d.ts::B",
            "lib/a.js::A extends lib/b.js::B",
            "use.ts::C implements lib/a.d.ts::Shape",
            "use.ts::C.run calls lib/a.js::A",
            "use.ts::C.run calls lib/m.mjs::M",
        ],
    );
}

#[test]
fn imports_are_case_sensitive() {
    check_imports(
        "== a.ts
import './Foo';
import './foo';
== foo.ts
",
        &["a.ts -> foo.ts", "a.ts ? ./Foo"],
    );
}

#[test]
fn paths_and_base_url_come_from_the_nearest_configuration() {
    check_imports(
        r#"== tsconfig.base.json
{ "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["libs/*/src"], "exact": ["libs/exact.ts"] } } }
== app/tsconfig.json
{ // comments are fine
  "extends": "../tsconfig.base", }
== app/main.ts
import { x } from '@lib/x';
import exact from 'exact';
import { based } from 'libs/based';
import react from 'react';
== other/tsconfig.json
{ "compilerOptions": { "paths": { "@/*": ["./src/*", "./gen/*"] } } }
== other/src/a.ts
import '@/b';
import '@/c';
import '@/nowhere';
import '@scope/package';
== other/src/b.ts
== other/gen/c.ts
== libs/x/src/index.ts
== libs/exact.ts
== libs/based.ts
"#,
        &[
            "app/main.ts -> libs/based.ts",
            "app/main.ts -> libs/exact.ts",
            "app/main.ts -> libs/x/src/index.ts",
            "other/src/a.ts -> other/gen/c.ts",
            "other/src/a.ts -> other/src/b.ts",
            "other/src/a.ts ? @/nowhere",
        ],
    );
}

#[test]
fn referenced_configurations_apply() {
    check_imports(
        r#"== tsconfig.json
{ "files": [], "references": [{ "path": "./tsconfig.node.json" }, { "path": "./tsconfig.app.json" }] }
== tsconfig.node.json
{}
== tsconfig.app.json
{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }
== src/a.ts
import '~/b';
== src/b.ts
"#,
        &["src/a.ts -> src/b.ts"],
    );
}

#[test]
fn root_dirs_are_merged() {
    check_imports(
        r#"== tsconfig.json
{ "compilerOptions": { "rootDirs": ["src", "generated"] } }
== src/views/a.ts
import './template';
== generated/views/template.ts
"#,
        &["src/views/a.ts -> generated/views/template.ts"],
    );
}

#[test]
fn workspace_packages_resolve_to_their_sources() {
    check_imports(
        r#"== package.json
{ "workspaces": ["packages/*", "!packages/hidden"] }
== packages/core/package.json
{ "name": "@shop/core", "main": "dist/index.js", "types": "dist/index.d.ts" }
== packages/core/src/index.ts
== packages/core/src/deep.ts
== packages/ui/package.json
{ "name": "@shop/ui", "exports": { ".": { "import": "./dist/esm/main.js" }, "./icons/*": "./dist/icons/*.js", "./private": null } }
== packages/ui/src/main.ts
import { core } from '@shop/core';
import deep from '@shop/core/dist/deep';
import { self } from '@shop/ui/icons/star';
== packages/ui/src/icons/star.tsx
== packages/hidden/package.json
{ "name": "@shop/hidden" }
== packages/hidden/index.ts
== app.ts
import ui from '@shop/ui';
import star from '@shop/ui/icons/star';
import secret from '@shop/ui/private';
import hidden from '@shop/hidden';
import outside from '@other/package';
"#,
        &[
            "app.ts -> packages/ui/src/icons/star.tsx",
            "app.ts -> packages/ui/src/main.ts",
            "app.ts ? @shop/ui/private: default",
            "packages/ui/src/main.ts -> packages/core/src/deep.ts",
            "packages/ui/src/main.ts -> packages/core/src/index.ts",
            "packages/ui/src/main.ts -> packages/ui/src/icons/star.tsx",
        ],
    );
}

#[test]
fn pnpm_workspaces_links_and_private_imports_resolve() {
    check_imports(
        r##"== pnpm-workspace.yaml
packages:
  - "libs/*"  # all of them
catalog:
  - not/this
== package.json
{ "name": "root", "imports": { "#config": "./src/config.ts", "#lib/*": "./src/lib/*.ts" } }
== libs/a/package.json
{ "name": "a", "dependencies": { "b": "link:../../elsewhere/b" } }
== libs/a/index.js
require('b');
== elsewhere/b/package.json
{ "name": "b" }
== elsewhere/b/index.js
== src/main.ts
import '#config';
import '#lib/x';
import 'a';
== src/config.ts
== src/lib/x.ts
"##,
        &[
            "libs/a/index.js -> elsewhere/b/index.js",
            "src/main.ts -> libs/a/index.js",
            "src/main.ts -> src/config.ts",
            "src/main.ts -> src/lib/x.ts",
        ],
    );
}

#[test]
fn reexported_names_resolve() {
    crate::check_uses(
        "== a.ts
export function one() {}
function two() {}
export { two as second };
export default function three() {}
== barrel.ts
export * from './a';
export { default as third } from './a';
export * as space from './a';
== b.ts
import { one, second, third, space } from './barrel';
import whole from './a';
import * as all from './a';
export function use() { one(); second(); third(); space.one(); whole(); all.one(); gone(); all.gone(); }
",
        &[
            "b.ts::use calls a.ts::one",
            "b.ts::use calls a.ts::three",
            "b.ts::use calls a.ts::two",
        ],
    );
}

#[test]
fn cyclic_reexports_terminate() {
    check_imports(
        "== a.ts
export * from './b';
import { x } from './b';
x();
== b.ts
export * from './a';
",
        &["a.ts -> b.ts", "b.ts -> a.ts"],
    );
}
