// Starts the mock server with the built panel, and a Chromium that looks at it.
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { runnerImport } from 'vite';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

export async function startServer() {
  const { module } = await runnerImport(fileURLToPath(new URL('../mock/http.ts', import.meta.url)));
  const server = await module.serveBuilt(dist, 0);
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.closeAllConnections() || server.close() };
}

export function startBrowser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
  });
}

/** Opens a page whose clock stands at the mock's time; `problems` collects errors and violations of the policy. */
export async function openPanel(browser, server, { dark = false, language = 'en', width = 1440, height = 900 } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', locale: language === 'fr' ? 'fr-FR' : 'en-US',
    reducedMotion: 'reduce', timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await page.clock.setFixedTime('2026-11-18T10:30:00Z');
  page.problems = [];
  page.on('console', (message) => message.type() === 'error' && page.problems.push(message.text()));
  page.on('pageerror', (error) => page.problems.push(String(error)));
  return page;
}
