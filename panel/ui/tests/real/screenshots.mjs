// Pictures of every view in light and dark for the documentation: `node tests/real/screenshots.mjs path/to/tacit [FOLDER]`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Panel, startBrowser } from './page.mjs';
import { buildShowcase, POOL, sessionId } from './showcase.mjs';

const folder = resolve(process.argv[3] ?? fileURLToPath(new URL('../../../../docs/panel', import.meta.url)));

/** Name, path, and what is done before the picture. */
const PICTURES = [
  ['health', '/'],
  ['memories', '/memories'],
  ['memory', `/memories/${POOL}?sort=used`, ({ page }) => page.locator('article footer').waitFor()],
  ['correction', `/memories/${POOL}?sort=used&type=gotcha`, async ({ panel, page, t }) => {
    await page.locator('article footer').waitFor();
    await panel.press('e');
    await page.getByRole('dialog', { name: t('correct.title') }).waitFor();
  }],
  ['review', '/review'],
  ['session-review', `/review/${sessionId(12)}`],
  ['recipes', '/recipes'],
  ['map', '/map', ({ page }) => page.getByRole('link', { name: /^src\/cart:/ }).focus()],
  ['chat', '/chat', async ({ panel, page, t }) => {
    await page.getByRole('textbox', { name: t('chat.ask') }).fill('What do you know about the connection pool and forks?');
    await panel.press('Enter');
    await page.locator('article li a').first().waitFor();
  }],
  ['teach', '/teach?file=src/db/pool.rs', async ({ panel, page, t }) => {
    await panel.field('teach.text').fill('Raise `pool_size` together with the number of workers: each holds a connection.');
    await page.getByRole('heading', { name: t('teach.known') }).waitFor();
  }],
  ['sessions', '/sessions'],
  ['session', `/sessions/${sessionId(12)}`],
  ['search', '/', async ({ panel, page }) => {
    await panel.press('Control+Shift+M');
    await page.keyboard.type('pool');
    await page.locator('[role=option] .kind').nth(2).waitFor();
  }],
  ['settings', '/settings'],
  ['storage', '/settings/storage'],
  ['backups', '/settings/backups'],
];

/** Makes the pictures smaller: 256 colours are enough for a page of text. */
function optimise() {
  const pictures = readdirSync(folder).filter((name) => name.endsWith('.png')).map((name) => join(folder, name));
  execFileSync('pngquant', ['--force', '--ext', '.png', '--strip', '--speed', '1', '--quality', '80-100', ...pictures]);
  return pictures.reduce((sum, path) => sum + statSync(path).size, 0);
}

const project = buildShowcase(resolve(process.argv[2]));
const server = await project.panel();
const browser = await startBrowser('--font-render-hinting=none');
try {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const dark of [false, true]) {
    const panel = await Panel.open(browser, server, { dark });
    for (const [name, path, act] of PICTURES) {
      await panel.open(path);
      await act?.({ panel, page: panel.page, t: panel.t.bind(panel) });
      await panel.settle();
      await panel.page.evaluate(() => document.fonts.ready);
      await panel.page.mouse.move(0, 0);
      await panel.page.screenshot({ path: join(folder, `${name}-${dark ? 'dark' : 'light'}.png`), animations: 'disabled', caret: 'hide' });
    }
    await panel.close();
  }
  console.log(`${2 * PICTURES.length} pictures in ${folder}, ${Math.round(optimise() / 1024)} KB`);
} finally {
  await browser.close();
  await server.stop();
  project.remove();
}
