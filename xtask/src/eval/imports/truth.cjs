// What TypeScript's own parser and resolver make of every import below a folder: lines of
// `from<TAB>to`. A line `from<TAB>?` says that the file uses its own package by name, which leads to
// what is built, and nothing is: there is no truth to compare with.
// Usage: node truth.cjs TYPESCRIPT ROOT
const [, , compiler, given] = process.argv;
const ts = require(compiler);
const fs = require("fs");
const path = require("path");

const root = fs.realpathSync(given);
const endings = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!["node_modules", ".git", ".tacit"].includes(entry.name)) yield* files(at);
    } else if (entry.isFile() && endings.some((end) => entry.name.endsWith(end))) {
      yield at;
    }
  }
}

const usual = { allowJs: true, resolveJsonModule: true, moduleResolution: ts.ModuleResolutionKind.Bundler, module: ts.ModuleKind.ESNext };
const known = new Map();

function optionsFor(folder) {
  if (!known.has(folder)) {
    const config = path.join(folder, "tsconfig.json");
    if (fs.existsSync(config)) {
      const parsed = ts.getParsedCommandLineOfConfigFile(config, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} });
      known.set(folder, { ...usual, ...(parsed ? parsed.options : {}), allowJs: true, moduleResolution: usual.moduleResolution, module: usual.module });
    } else {
      known.set(folder, folder === root ? usual : optionsFor(path.dirname(folder)));
    }
  }
  return known.get(folder);
}

function* specifiers(node) {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) yield node.moduleSpecifier;
  if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference)) yield node.moduleReference.expression;
  if (ts.isCallExpression(node) && node.arguments.length > 0) {
    const required = ts.isIdentifier(node.expression) && node.expression.text === "require";
    if (required || node.expression.kind === ts.SyntaxKind.ImportKeyword) yield node.arguments[0];
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) yield node.argument.literal;
  for (const child of childrenOf(node)) yield* specifiers(child);
}

function childrenOf(node) {
  const children = [];
  ts.forEachChild(node, (child) => { children.push(child); });
  return children;
}

function ownName(folder) {
  const manifest = path.join(folder, "package.json");
  if (fs.existsSync(manifest)) return JSON.parse(fs.readFileSync(manifest, "utf8")).name;
  return folder === root ? undefined : ownName(path.dirname(folder));
}

const edges = new Set();
for (const file of files(root)) {
  const from = path.relative(root, file);
  const source = ts.createSourceFile(file, fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, false);
  for (const literal of specifiers(source)) {
    if (!ts.isStringLiteralLike(literal)) continue;
    const found = ts.resolveModuleName(literal.text, file, optionsFor(path.dirname(file)), ts.sys).resolvedModule;
    const to = found ? path.relative(root, fs.realpathSync(found.resolvedFileName)) : "..";
    const own = ownName(path.dirname(file));
    if (to.startsWith("..") && own && (literal.text === own || literal.text.startsWith(`${own}/`))) {
      edges.add(`${from}\t?`);
    }
    if (to.startsWith("..") || to.includes("node_modules") || !endings.some((end) => to.endsWith(end))) continue;
    if (from !== to) edges.add(`${from}\t${to}`);
  }
}
for (const edge of edges) console.log(edge);
