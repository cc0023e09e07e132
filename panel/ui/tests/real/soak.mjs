// Uses the panel for some minutes and watches its memory: `node tests/real/soak.mjs path/to/tacit MINUTES`.
//
// About each minute the garbage is collected, and the heap of the page, its nodes and listeners, and the memory of the
// server are printed. Fails if the second half needs more than the first by more than `GROWTH`.
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Panel, startBrowser } from './page.mjs';
import { buildWorld } from './world.mjs';

/** By how much the most of the second half may exceed the most of the first. */
const GROWTH = { heap: 1024, nodes: 300, listeners: 100, server: 16 * 1024 };
const UNITS = { heap: ' kB', nodes: '', listeners: '', server: ' kB' };
const MINUTE = 60_000;
const minutes = Number(process.argv[3] ?? 30);

/** What a person does in a round; the same number of notices, filters and cards each time. */
async function round(panel, project, memory, number) {
  const { page } = panel;
  for (const path of ['/', '/review', '/sessions', '/sessions/helped', '/recipes', '/map', '/map?as=list', '/settings', '/settings/storage', '/settings/models']) {
    await panel.open(path);
  }
  await panel.open('/memories');
  await page.getByRole('searchbox').fill(['pool', 'token', 'schema', 'retry'][number % 4]);
  await page.locator('[role=row] a').first().waitFor();
  await panel.open('/memories');
  await page.locator('[role=row] a').first().waitFor();
  await page.locator('.viewport').evaluate((list) => (list.scrollTop = 100_000));
  await page.locator('.viewport').evaluate((list) => (list.scrollTop = 0));
  await panel.open(`/memories/${memory.short_id}`);
  await page.locator('article footer').waitFor();
  await panel.press('y');
  await panel.notice('card.done.confirmed');
  await panel.press('e');
  await page.locator('#correction').waitFor();
  await panel.press('Escape');
  await page.locator('.dialog').waitFor({ state: 'detached' });
  await panel.undo();
  await panel.press('Escape');
  await panel.open('/chat');
  await page.getByRole('textbox', { name: panel.t('chat.ask') }).fill('What do you know about the tide gauge of the pier?');
  await panel.press('Enter');
  await page.locator('article li a').first().waitFor();
  await page.getByLabel(panel.t('theme.label')).selectOption(number % 2 ? 'dark' : 'light');
  const [language] = ['fr', 'en'].filter((code) => code !== panel.language);
  await page.getByLabel(panel.t('language.label')).selectOption(language);
  panel.language = language;
  await page.getByLabel(panel.t('theme.label'), { exact: true }).waitFor();
  project.hook('running', 'UserPromptSubmit', { prompt: `How does the cart keep its cents? ${number}` });
}

async function measure(page, cdp, pid) {
  // A message holds what would take its change back.
  await page.locator('.notice').waitFor({ state: 'detached' });
  for (let time = 0; time < 2; time += 1) await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const value = (name) => metrics.find((metric) => metric.name === name).value;
  const [, kilobytes] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return {
    heap: Math.round(value('JSHeapUsedSize') / 1024), nodes: value('Nodes'), listeners: value('JSEventListeners'), server: Number(kilobytes),
  };
}

/** Returns the figures that grew, one line each. */
function grown(measured) {
  const half = Math.floor(measured.length / 2);
  const most = (list, name) => Math.max(...list.map((figures) => figures[name]));
  return Object.keys(GROWTH).flatMap((name) => {
    const [first, second] = [most(measured.slice(0, half), name), most(measured.slice(half), name)];
    return second > first + GROWTH[name] ? [`${name}: ${first}${UNITS[name]}, then ${second}${UNITS[name]}`] : [];
  });
}

const project = await buildWorld(resolve(process.argv[2]));
const memory = project.remember('The tide gauge of the pier counts in feet.', { agent: true });
const server = await project.panel();
const browser = await startBrowser();
const panel = await Panel.open(browser, server);
try {
  await panel.open('/');
  const cdp = await panel.page.context().newCDPSession(panel.page);
  await cdp.send('Performance.enable');
  const measured = [];
  let rounds = 0;
  const begin = Date.now();
  while (Date.now() < begin + minutes * MINUTE) {
    const next = Date.now() + MINUTE;
    do await round(panel, project, memory, (rounds += 1)); while (Date.now() < next);
    await panel.open('/');
    measured.push(await measure(panel.page, cdp, server.pid));
    const minute = Math.round((Date.now() - begin) / MINUTE);
    console.log(`minute ${minute}, round ${rounds}: ${Object.entries(measured.at(-1)).map(([name, value]) => `${name} ${value}${UNITS[name]}`).join(', ')}`);
  }
  const problems = [...panel.problems, ...(measured.length > 1 ? grown(measured) : [])];
  console.log(problems.length > 0 ? `failed: ${problems.join('; ')}` : 'the memory of page and server is flat');
  process.exitCode = problems.length > 0 ? 1 : 0;
} catch (error) {
  const picture = join(tmpdir(), 'tacit-panel-soak.png');
  await panel.page.screenshot({ path: picture });
  throw new Error(`${panel.page.url()} (${picture}): ${panel.problems.join('; ')}`, { cause: error });
} finally {
  await browser.close();
  await server.stop();
  project.remove();
}
