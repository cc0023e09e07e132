// Walks through every view of the built panel in both languages and themes, with axe and a picture of each, and then
// through what people do in it. `npm run build && npm run walk`; pictures go to the folder in SHOTS.
import { strict as assert } from 'node:assert';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { openPanel, startBrowser, startServer } from './browser.mjs';
import { FLOWS } from './flows.mjs';

const shots = process.env.SHOTS ?? '/tmp/ui/shots';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Name, path, and the keys that are pressed before the picture. */
const SCENES = [
  ['health', '/'],
  ['memories', '/memories'],
  ['memory', '/memories?type=gotcha&sort=used', 'j', 'Enter'],
  ['selection', '/memories', 'x', 'j', 'x'],
  ['no-match', '/memories?q=zebra'],
  ['correction', '/memories?type=decision', 'Enter', 'e'],
  ['search', '/memories', '/', 'p', 'o', 'o', 'l'],
  ['keys', '/', '?'],
  ['review', '/review'],
  ['review-session', '/review/last', 'y', 'j', 'n'],
  ['teach', '/teach'],
  ['sessions', '/sessions'],
  ['session', '/sessions', 'Enter'],
  ['settings', '/settings'],
  ['methodology', '/settings/methodology'],
  ['models', '/settings/models'],
  ['storage', '/settings/storage'],
  ['backups', '/settings/backups'],
  ['forget', '/settings/forget'],
  ['recipes', '/recipes'],
  ['map', '/map'],
  ['map-list', '/map?as=list'],
  ['chat', '/chat', 'p', 'o', 'o', 'l', 'Enter'],
];

mkdirSync(shots, { recursive: true });
const server = await startServer();
const browser = await startBrowser();
let failures = 0;

function fail(where, what) {
  failures += 1;
  console.error(`${where}: ${what}`);
}

/** Waits until the view has its data: no state that loads, and two frames drawn. */
async function settle(page) {
  await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('.state.waiting'));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

for (const language of ['en', 'fr']) {
  for (const dark of [false, true]) {
    const page = await openPanel(browser, server, { language, dark });
    for (const [name, path, ...keys] of SCENES) {
      const where = `${name}-${language}-${dark ? 'dark' : 'light'}`;
      await page.goto(`${server.url}${path}${path.includes('#') ? '' : '#token=mock'}`);
      await settle(page);
      for (const key of keys) {
        await page.keyboard.press(key);
        await page.waitForTimeout(150);
      }
      await page.waitForTimeout(250);
      await page.screenshot({ path: `${shots}/${where}.png` });
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
      for (const { id, nodes } of violations) fail(where, `axe ${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).slice(0, 2).join(' | ')}`);
      for (const problem of page.problems.splice(0)) fail(where, problem);
    }
    await page.context().close();
  }
}

for (const [name, flow] of Object.entries(FLOWS)) {
  const page = await openPanel(browser, server);
  try {
    await flow(page, (path) => page.goto(`${server.url}${path}#token=mock`), assert);
    for (const problem of page.problems) fail(name, problem);
    console.log(`ok ${name}`);
  } catch (error) {
    fail(name, error.message);
    await page.screenshot({ path: `${shots}/failed-${name.replaceAll(' ', '-')}.png` });
  }
  await page.context().close();
}

await browser.close();
server.stop();
console.log(`${SCENES.length} scenes in 2 languages and 2 themes, ${Object.keys(FLOWS).length} flows, ${failures} failures`);
process.exit(failures ? 1 : 0);
