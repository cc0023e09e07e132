// Drives `tacit mcp` with the official TypeScript SDK.
//
// Usage: node client.mjs TACIT STORY
//
// The story is shared with the other clients: places to start a server in, and calls with what is
// said to them. The rest is here: lists, schemas, resources, prompts, progress, cancellation.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CallToolResultSchema, LATEST_PROTOCOL_VERSION, ProgressNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Ajv } from "ajv";

const FIRST = "a project with a memory";
const ajv = new Ajv();
const failed = [];
let passed = 0;

function check(holds, what) {
  if (holds) passed += 1;
  else failed.push(what);
}

/** The value with what was kept put in for `$name`, and repetitions written out. */
function filled(value, kept) {
  if (typeof value === "string") {
    return value.replace(/\$([a-z]+)/g, (whole, name) => kept[name] ?? whole);
  }
  if (Array.isArray(value)) return value.map((item) => filled(item, kept));
  if (value === null || typeof value !== "object") return value;
  if ("repeat" in value && "times" in value) return value.repeat.repeat(value.times);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item, kept)]));
}

/** Whether a text is as expected, where `[..]` stands for anything. */
function matches(pattern, text) {
  const parts = pattern.split("[..]").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(text);
}

/** Makes a place, and gives what a server is started with there. */
function prepare(tacit, place, root) {
  const made = join(root, "project");
  mkdirSync(made, { recursive: true });
  const project = realpathSync(made);
  const env = {
    PATH: process.env.PATH, HOME: root, TACIT_HOME: join(root, "home"),
    TACIT_MAINTAIN_AUTO: "false", GIT_CONFIG_NOSYSTEM: "1", ...place.env,
  };
  const run = (program, ...words) =>
    execFileSync(program, words, { cwd: project, env, stdio: ["ignore", "ignore", "inherit"] });
  run("git", "init", "--quiet");
  if (place.init) run(tacit, "init", "--no-hooks");
  for (const [path, text] of Object.entries(place.files ?? {})) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  }
  return { command: tacit, args: ["mcp"], env, cwd: project };
}

const said = (result) => result.content.map((block) => block.text).join("");
const call = (client, name, args, options) =>
  client.callTool({ name, arguments: args }, CallToolResultSchema, options);

/** One call of the story. */
async function called(client, validators, row, kept) {
  const about = `${row.tool} ${JSON.stringify(row.arguments)}`;
  const result = await call(client, row.tool, filled(row.arguments, kept));
  const text = said(result);
  if ("refused" in row) {
    check(result.isError && result.structuredContent === undefined, `${about}: no refusal`);
    const expected = filled(row.refused, kept);
    check(matches(expected, text), `${about}: said ${text}, not ${expected}`);
    return;
  }
  check(!result.isError, `${about}: refused: ${text}`);
  const value = result.structuredContent ?? {};
  const valid = validators.get(row.tool);
  check(valid(value), `${about}: ${JSON.stringify(value)}: ${ajv.errorsText(valid.errors)}`);
  for (const [name, field] of Object.entries(row.keep ?? {})) kept[name] = value[field];
  const expected = filled(row.says, kept);
  check(matches(expected, text), `${about}: said ${text}, not ${expected}`);
  for (const [name, item] of Object.entries(row.value ?? {})) {
    check(isDeepStrictEqual(value[name], item), `${about}: ${name} is ${JSON.stringify(value[name])}`);
  }
}

/** Every parameter of every tool left out, of the wrong type, and one that there is not. */
async function misfits(client, tools, story) {
  for (const tool of tools) {
    const good = story.find((row) => row.tool === tool.name).arguments;
    const rows = [
      [{ ...good, surplus: 1 }, "Error: `surplus`: unknown field `surplus`, expected[..]"],
    ];
    for (const name of Object.keys(tool.inputSchema.properties)) {
      rows.push([{ ...good, [name]: { not: ["of", "this", "type"] } }, `Error: \`${name}[..]`]);
    }
    for (const name of tool.inputSchema.required ?? []) {
      const { [name]: _, ...without } = good;
      rows.push([without, `Error: missing field \`${name}\``]);
    }
    for (const [args, expected] of rows) {
      const result = await call(client, tool.name, filled(args, {}));
      const about = `${tool.name} ${JSON.stringify(args)}`;
      const fits = result.isError && matches(expected, said(result));
      check(fits, `${about}: said ${said(result)}, not ${expected}`);
    }
  }
}

/** That an error of the protocol comes back. */
async function fails(asked, about, expected) {
  const error = await asked.then(() => undefined, (error) => String(error));
  check(error?.includes(expected), `${about}: ${error}`);
}

/** Resources, prompts, and what is not there. */
async function told(client, kept) {
  const { resources } = await client.listResources();
  check(isDeepStrictEqual(resources.map((one) => one.uri), ["tacit://index"]), "the resources");
  const { resourceTemplates } = await client.listResourceTemplates();
  const templates = resourceTemplates.map((one) => one.uriTemplate);
  check(isDeepStrictEqual(templates, ["tacit://memory/{id}"]), "the templates");
  const index = await client.readResource({ uri: "tacit://index" });
  check(index.contents[0].text.includes(kept.lesson), "the index has no lesson");
  const memory = await client.readResource({ uri: `tacit://memory/${kept.lesson}` });
  check(JSON.parse(memory.contents[0].text).short_id === kept.lesson, "a memory by its address");
  const { prompts } = await client.listPrompts();
  const names = prompts.map((one) => one.name);
  check(isDeepStrictEqual(names, ["remember", "when", "review"]), "the prompts");
  for (const [name, args, word] of [
    ["remember", { learning: "always run the linter" }, "always run the linter"],
    ["when", { situation: "writing mock tests" }, "writing mock tests"],
    ["review", {}, kept.lesson],
  ]) {
    const prompt = await client.getPrompt({ name, arguments: args });
    check(prompt.messages[0].content.text.includes(word), `the prompt ${name}`);
  }
  await fails(client.readResource({ uri: "tacit://other" }), "another resource", "there is no");
  const unknown = client.readResource({ uri: "tacit://memory/ffffffff" });
  await fails(unknown, "no such memory", "no memory has");
  await fails(client.getPrompt({ name: "sing" }), "another prompt", "there is no");
  await fails(client.getPrompt({ name: "remember" }), "no learning", "`learning` is missing");
  await fails(client.getPrompt({ name: "when" }), "no situation", "`situation` is missing");
  await fails(call(client, "sing", {}), "another tool", "there is no");
}

/** Progress of a call, a call that is called off, and the server after that. */
async function heard(client, kept) {
  const steps = [];
  // Not with `onprogress`: the SDK drops what it reads in one go with the answer.
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
    steps.push([params.progressToken, params.progress, params.total]);
  });
  const ids = [kept.lesson, kept.mine];
  const _meta = { progressToken: "reading" };
  await client.callTool({ name: "memory_get", arguments: { ids }, _meta });
  await call(client, "memory_search", {});
  check(isDeepStrictEqual(steps, [["reading", 1, 2], ["reading", 2, 2]]), `progress: ${JSON.stringify(steps)}`);
  const aborters = Array.from({ length: 12 }, () => new AbortController());
  const calls = aborters.map(({ signal }, number) =>
    call(client, "memory_search", { query: `pool ${number}` }, { signal }));
  aborters.at(-1).abort("not wanted");
  const ends = (await Promise.allSettled(calls)).map((end) => end.status);
  const expected = [...Array(11).fill("fulfilled"), "rejected"];
  check(isDeepStrictEqual(ends, expected), `of 12 calls, one called off: ${ends}`);
  const huge = await call(client, "memory_search", { query: "pool ".repeat(2_000_000) });
  check(!huge.isError, "ten megabytes of a question");
}

async function play(tacit, place, root) {
  const server = prepare(tacit, place, root);
  const client = new Client({ name: "typescript", version: "1" });
  await client.connect(new StdioClientTransport(server));
  check(client.getServerVersion().name === "tacit", "the name of the server");
  const { tools } = await client.listTools();
  const validators = new Map(tools.map((tool) => [tool.name, ajv.compile(tool.outputSchema)]));
  const kept = { root: server.cwd };
  for (const row of place.calls) await called(client, validators, row, kept);
  if (place.name === FIRST) {
    check(client.getInstructions().includes("memory across sessions"), "the instructions");
    const used = new Set(place.calls.filter((row) => "says" in row).map((row) => row.tool));
    check(tools.every((tool) => used.has(tool.name)), "not every tool was called");
    const hinted = tools.every((tool) => tool.annotations.readOnlyHint !== undefined);
    check(hinted, "annotations");
    await misfits(client, tools, place.calls);
    await told(client, kept);
    await heard(client, kept);
  }
  await client.close();
}

const [tacit, file] = process.argv.slice(2);
const story = JSON.parse(readFileSync(file, "utf8"));
const root = mkdtempSync(join(tmpdir(), "tacit-clients-"));
try {
  for (const [number, place] of story.places.entries()) {
    await play(tacit, place, join(root, String(number)));
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
for (const failure of failed) console.error(`failed: ${failure}`);
const installed = new URL("./node_modules/@modelcontextprotocol/sdk/package.json", import.meta.url);
const { version } = JSON.parse(readFileSync(installed, "utf8"));
console.log(
  `TypeScript SDK ${version}, protocol ${LATEST_PROTOCOL_VERSION}: ` +
    `${passed} checks passed, ${failed.length} failed`,
);
process.exit(failed.length > 0 ? 1 : 0);
