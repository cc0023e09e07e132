// How soon a warm server's page is painted: `node tests/real/paint.mjs path/to/tacit`. Prints the median of ten; decides
// nothing.
import { resolve } from 'node:path';
import { startBrowser } from './page.mjs';
import { buildWorld } from './world.mjs';

const RUNS = 10;
const median = (times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)];

const project = await buildWorld(resolve(process.argv[2]));
const server = await project.panel();
const browser = await startBrowser();
try {
  for (const path of ['/', '/memories']) {
    const painted = [];
    const ready = [];
    for (let run = 0; run <= RUNS; run += 1) {
      // A plain page: the fixed clock of the flows has no paint timing.
      const page = await (await browser.newContext()).newPage();
      const start = Date.now();
      await page.goto(`${server.origin}${path}#token=${server.token}`);
      await page.waitForFunction(() => document.querySelector('main h1') && !document.querySelector('.state.waiting'));
      const shown = Date.now() - start;
      const entry = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
      const paint = await (await page.waitForFunction(entry)).jsonValue();
      // The first run warms the server.
      if (run > 0) {
        painted.push(paint);
        ready.push(shown);
      }
      await page.context().close();
    }
    console.log(`${path}: first contentful paint ${Math.round(median(painted))} ms, data shown ${median(ready)} ms (median of ${RUNS})`);
  }
} finally {
  await browser.close();
  await server.stop();
  project.remove();
}
