// The code of the generated project: modules that import each other, and a history in which some change together.

export const MODULES = [
  'src/api', 'src/auth', 'src/billing', 'src/cart', 'src/db', 'src/email',
  'src/importer', 'src/search', 'src/worker', 'web/checkout', 'web/settings', 'web/shared',
];
export const FILES = ['pool', 'session', 'token', 'routes', 'schema', 'retry', 'index', 'client', 'queue', 'format'];
/** A module that nobody wrote a memory about. */
export const UNCOVERED = 'src/legacy';
const IMPORTS = {
  'src/api': ['auth', 'cart', 'db'], 'src/auth': ['db'], 'src/billing': ['cart', 'db', 'email'], 'src/cart': ['db'],
  'src/importer': ['db', 'worker'], 'src/search': ['db'], 'src/worker': ['email'],
  'web/checkout': ['shared'], 'web/settings': ['shared'],
};
const TOGETHER = [['src/cart', 'src/billing'], ['src/auth', 'src/api'], ['web/checkout', 'web/shared']];

export const pathOf = (module, file) => `${module}/${file}.${module.startsWith('web') ? 'ts' : 'rs'}`;

function rust(module, file, round) {
  const uses = file === 'routes' ? (IMPORTS[module] ?? []).map((name) => `use crate::${name}::schema::read_schema as ${name}_schema;`) : [];
  return `//! The ${file} of ${module}.\n${uses.join('\n')}\npub fn read_${file}(limit: u32) -> u32 {\n    limit + ${round}\n}\n`;
}

function script(module, file, round) {
  const uses = file === 'routes' ? (IMPORTS[module] ?? []).map((name) => `import { readSchema } from '../${name}/schema';\nexport const limit = readSchema(1);`) : [];
  return `${uses.join('\n')}\nexport function read${file[0].toUpperCase()}${file.slice(1)}(limit: number): number {\n  return limit + ${round};\n}\n`;
}

function write(project, module, file, round) {
  project.file(pathOf(module, file), module.startsWith('web') ? script(module, file, round) : rust(module, file, round));
}

/** Writes the files and a history of commits. */
export function writeCode(project) {
  const crates = [...MODULES, UNCOVERED].filter((module) => module.startsWith('src'));
  project.file('Cargo.toml', '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2024"\n');
  project.file('src/lib.rs', crates.map((module) => `pub mod ${module.slice(4)};\n`).join(''));
  for (const module of [...MODULES, UNCOVERED]) {
    for (const file of FILES) write(project, module, file, 0);
    if (module.startsWith('src')) project.file(`${module}/mod.rs`, FILES.map((file) => `pub mod ${file};\n`).join(''));
  }
  const commit = (text) => {
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message', text);
  };
  commit('Write the shop');
  for (let round = 1; round <= 8; round += 1) {
    for (const pair of TOGETHER) {
      for (const module of pair) write(project, module, 'schema', round);
      commit(`Change the schema of ${pair.join(' and ')}, round ${round}`);
    }
  }
}
