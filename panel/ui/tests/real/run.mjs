// Walks through the panel of a built binary with the real server in Chromium, in both languages.
//
//   node tests/real/run.mjs path/to/tacit [WORDS...]     runs the steps whose names contain one of the words
//
// A failure writes a picture to the folder in SHOTS and says where; with SHOTS set, every view is pictured.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { attacks } from './attacks.mjs';
import { FLOWS } from './flows/index.mjs';
import { LANGUAGES, Panel, startBrowser } from './page.mjs';
import { walkViews } from './views.mjs';
import { buildWorld } from './world.mjs';

const tacit = resolve(process.argv[2]);
const words = process.argv.slice(3);
const shots = process.env.SHOTS ?? join(tmpdir(), 'tacit-panel-shots');
mkdirSync(shots, { recursive: true });
const begin = Date.now();
const seconds = () => `${((Date.now() - begin) / 1000).toFixed(0)} s`;
const failed = [];

/** Writes a picture of the page, or the one that the error has, and says where. */
async function fail(where, error, page) {
  const path = join(shots, `failed-${where.replaceAll(/[^\w-]+/g, '-')}.png`);
  const picture = error.picture ?? (await page?.screenshot().catch(() => undefined));
  if (picture) writeFileSync(path, picture);
  failed.push(where);
  console.error(`FAILED ${where}${picture ? ` (${path})` : ''}\n  ${error.stack ?? error}`);
}

const shot = async (name, page) => process.env.SHOTS && (await page.screenshot({ path: join(shots, `${name}.png`) }));
const chosen = (name) => words.length === 0 || words.some((word) => name.includes(word));

async function walk(browser, language) {
  const project = await buildWorld(tacit);
  const server = await project.panel();
  console.log(`${language}: ${project.root} is ready after ${seconds()}`);
  try {
    if (chosen('views')) await walkViews(browser, server, language, fail, shot);
    console.log(`${language}: views after ${seconds()}`);
    for (const [name, flow] of FLOWS.filter(([name]) => chosen(name))) {
      const panel = await Panel.open(browser, server, { language });
      const start = Date.now();
      try {
        await flow({ panel, page: panel.page, t: panel.t.bind(panel), project, server, browser });
        if (panel.problems.length > 0) await fail(`${name} (${language})`, panel.problems.join('\n  '), panel.page);
        else console.log(`ok ${name} (${language}, ${Date.now() - start} ms)`);
      } catch (error) {
        await fail(`${name} (${language})`, error, panel.page);
      }
      await panel.close();
    }
  } finally {
    await server.stop();
    project.remove();
  }
}

const browser = await startBrowser();
try {
  for (const language of LANGUAGES) await walk(browser, language);
  await attacks(browser, tacit, { fail, chosen });
} finally {
  await browser.close();
}
console.log(failed.length > 0 ? `${failed.length} failed after ${seconds()}: ${failed.join(', ')}` : `everything passed in ${seconds()}`);
process.exit(failed.length > 0 ? 1 : 0);
