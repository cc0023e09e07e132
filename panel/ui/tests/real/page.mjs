// A Chromium, and the panel in one of its tabs as a person of some language sees it.
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { runnerImport } from 'vite';
import { NOW } from './tacit.mjs';

export const LANGUAGES = ['en', 'fr'];
/** Milliseconds to wait for what must come; far more than it takes, since timings decide nothing. */
const PATIENCE = Number(process.env.PATIENCE ?? 60_000);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const load = async (path) => (await runnerImport(fileURLToPath(new URL(`../../src/lib/i18n/${path}`, import.meta.url)))).module;
const { fill } = await load('fill.ts');
const catalogues = Object.fromEntries(
  await Promise.all(LANGUAGES.map(async (language) => [language, (await load(`${language}/index.ts`)).default])),
);

/** `more` are further arguments of Chromium. It has no sandbox, since root cannot have one. */
export function startBrowser(...more) {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-dev-shm-usage', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', ...more,
    ],
  });
}

export class Panel {
  /** Opens a tab in a context of its own. `server` is what `Project.panel` returns. */
  static async open(browser, server, { language = 'en', dark = false, width = 1440, height = 900 } = {}) {
    const context = await browser.newContext({
      viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', locale: language === 'fr' ? 'fr-FR' : 'en-GB',
      reducedMotion: 'reduce', timezoneId: 'UTC', permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(PATIENCE);
    return new Panel(await context.newPage(), server, language).listen();
  }

  constructor(page, server, language) {
    Object.assign(this, { page, server, language, problems: [] });
  }

  /** Collects errors of the console, violations of the policy, and requests that fail. */
  async listen() {
    const { page, problems } = this;
    await page.clock.setFixedTime(NOW);
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('response', (answer) => answer.status() >= 400 && problems.push(`${answer.status()} ${answer.url()}`));
    page.on('requestfailed', (request) => {
      const { errorText } = request.failure();
      // The page cancels requests whose answer nobody waits for any more.
      if (errorText !== 'net::ERR_ABORTED') problems.push(`${errorText} ${request.url()}`);
    });
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
    return this;
  }

  /** Returns a message of the interface in the language of the person. */
  t(key, values) {
    const message = catalogues[this.language][key];
    assert.ok(message !== undefined, `there is no message \`${key}\``);
    return fill(message, values, this.language);
  }

  /** Shows a path and waits for its data: with the token in a new tab, as a link does in one that is open. */
  async open(path = '/') {
    const { origin, token } = this.server;
    if (this.page.url().startsWith(origin)) {
      await this.closeDialog();
      await this.page.evaluate((href) => {
        document.activeElement.blur();
        history.pushState(null, '', href);
        dispatchEvent(new PopStateEvent('popstate'));
      }, path);
    } else {
      await this.page.goto(`${origin}${path}#token=${token}`);
    }
    await this.settle();
  }

  async closeDialog() {
    const dialog = this.page.getByRole('dialog');
    if ((await dialog.count()) === 0) return;
    await this.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }

  /** Loads the page again, as F5 does. */
  async reload() {
    await this.page.reload();
    await this.settle();
  }

  /** Waits until the view has its data and two frames are drawn. */
  async settle() {
    await this.page.waitForFunction(() => document.querySelector('main h1, main .empty') && !document.querySelector('.state.waiting'));
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const [error] = await this.page.locator('main .state[role=alert]').allInnerTexts();
    assert.equal(error, undefined, `${this.page.url()} shows an error; ${this.problems.join('; ')}`);
  }

  /** A button by its words; some name their key after them. */
  button(key, values) {
    const words = this.t(key, values).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s/g, '\\s');
    return this.page.getByRole('button', { name: new RegExp(`^${words}( \\S| Ctrl ?.)?$`) });
  }

  field(key, values) {
    return this.page.getByLabel(this.t(key, values), { exact: true });
  }

  link(key) {
    return this.page.getByRole('link', { name: this.t(key), exact: true });
  }

  text(words) {
    return this.page.getByText(words).first();
  }

  /** Waits for a message at the foot of the window. */
  async notice(key, values) {
    await this.page.locator('.notice').getByText(this.t(key, values), { exact: true }).waitFor();
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Takes back the last change with the key, and waits until that is said. */
  async undo() {
    await this.press('u');
    await this.notice('undo.done');
  }

  path() {
    return new URL(this.page.url()).pathname;
  }

  query() {
    return new URL(this.page.url()).searchParams;
  }

  /** Returns what axe finds, one line each; `rules` are those to check, if not all. */
  async violations(rules) {
    await this.page.evaluate(axe);
    const { violations } = await this.page.evaluate(
      (only) => globalThis.axe.run(document, { resultTypes: ['violations'], ...(only ? { runOnly: only } : {}) }),
      rules,
    );
    return violations.map(({ id, nodes }) => `axe ${id}: ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target} ${failureSummary}`).join(' | ')}`);
  }

  async close() {
    await this.page.context().close();
  }
}
