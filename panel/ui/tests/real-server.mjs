// Walks through the panel of the built binary in Chromium: every view, a reload, and a confirmation that is taken back.
// `node tests/real-server.mjs path/to/tacit`; `cargo xtask panel` runs it. Any error of the console, violation of the
// policy or failed request fails it.
import { strict as assert } from 'node:assert';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { startBrowser } from '../scripts/browser.mjs';

const tacit = resolve(process.argv[2]);
const base = mkdtempSync(join(tmpdir(), 'tacit-panel-'));
const project = join(base, 'project');
mkdirSync(project);
const env = {
  PATH: process.env.PATH, HOME: base, TACIT_HOME: join(base, 'home'), TACIT_MAINTAIN_AUTO: 'false',
  TACIT_EMBEDDING_PROVIDER: 'off',
};
const run = (program, ...args) => execFileSync(program, args, { cwd: project, env, encoding: 'utf8' });
/** Stores a memory as an agent does, so that it waits for a person. */
const learn = (type, content) =>
  execFileSync(tacit, ['remember', '--type', type, content], { cwd: project, env: { ...env, CLAUDECODE: '1' } });

const MEMORIES = [
  ['gotcha', 'The pool in src/pool.rs must be drained before the tests fork, or they hang.'],
  ['decision', 'Retries use full jitter, because a fixed delay made all workers return at once.'],
  ['convention', 'Errors are lower case, with the value in backticks.'],
];
const VIEWS = ['/', '/memories', '/review', '/sessions', '/recipes', '/map', '/chat', '/teach', '/settings',
  '/settings/methodology', '/settings/models', '/settings/storage', '/settings/backups', '/settings/forget'];

let server;
let browser;
try {
  run('git', 'init', '--quiet');
  mkdirSync(join(project, 'src'));
  writeFileSync(join(project, 'src/pool.rs'), 'pub fn drain() {}\n');
  run(tacit, 'init', '--yes', '--no-hooks');
  for (const [type, content] of MEMORIES) learn(type, content);
  server = spawn(tacit, ['panel', '--no-open', '--json'], { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await new Promise((done, failed) => {
    createInterface({ input: server.stdout }).once('line', (text) => done([text]));
    server.once('exit', (code) => failed(new Error(`tacit panel ended with ${code}`)));
  });
  const { url } = JSON.parse(line);
  const { origin } = new URL(url);

  browser = await startBrowser();
  const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
  const problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('response', (answer) => answer.status() >= 400 && problems.push(`${answer.status()} ${answer.url()}`));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  });
  const settle = async (where) => {
    await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('.state.waiting'));
    assert.equal(await page.locator('main .state[role=alert]').count(), 0, `${where} shows an error`);
    assert.deepEqual(problems, [], where);
  };
  /** Waits for a notice; elsewhere, `Unconfirmed` has the same letters. */
  const says = (words) => page.locator('.notice').getByText(words).waitFor({ timeout: 5000 });

  await page.goto(url);
  await settle('the start');
  assert.equal(new URL(page.url()).hash, '', 'the token leaves the address');
  for (const path of VIEWS) {
    await page.goto(origin + path);
    await settle(path);
    console.log(`ok ${path}`);
  }

  await page.goto(`${origin}/memories?type=gotcha`);
  await page.locator('[role=row]').first().waitFor();
  await page.reload();
  await page.locator('[role=row]').first().waitFor();
  await settle('a reload');
  assert.equal(await page.locator('[role=row] a').count(), 1, 'the filter of the address holds after a reload');
  const id = (await page.locator('[role=row] a').first().getAttribute('href')).split('/').at(-1).split('?')[0];
  const review = () => JSON.parse(run(tacit, 'show', id, '--json'))[0].review ?? 'none';
  const before = review();

  await page.goto(`${origin}/m/${id}`);
  await page.locator('article footer').waitFor();
  await settle('a citation');
  await page.keyboard.press('y');
  await says('Confirmed');
  assert.notEqual(before, 'verified', 'the memory waits for a person');
  assert.equal(review(), 'verified');
  await page.keyboard.press('u');
  await says('Taken back');
  assert.equal(review(), before, 'undo brings back the state before');

  const live = 'The release job signs with the key of the build machine.';
  await page.goto(`${origin}/memories`);
  await page.locator('[role=row]').first().waitFor();
  learn('convention', live);
  await page.getByText(live).first().waitFor({ timeout: 5000 });
  await settle('a memory from elsewhere');
  console.log('ok a reload, a citation, confirm, undo, and a memory that appears by itself');

  const stranger = await (await browser.newContext({ locale: 'en-US' })).newPage();
  await stranger.goto(`${origin}/memories`);
  await stranger.getByText('tacit panel').first().waitFor({ timeout: 5000 });
  assert.ok(!(await stranger.content()).includes(MEMORIES[0][1]), 'without the token there is no memory');
  console.log('ok without the token');
} finally {
  await browser?.close();
  server?.kill('SIGINT');
  rmSync(base, { recursive: true, force: true });
}
