// Development aid: pictures of given paths, `node scripts/shot.mjs NAME=PATH… [--dark] [--fr] [--width=N]`.
import { mkdirSync } from 'node:fs';
import { startBrowser, openPanel, startServer } from './browser.mjs';

const flags = new Set(process.argv.filter((argument) => argument.startsWith('--')));
const width = Number([...flags].find((flag) => flag.startsWith('--width='))?.slice(8) ?? 1440);
mkdirSync('/tmp/ui/shots', { recursive: true });
const server = await startServer();
const browser = await startBrowser();
for (const argument of process.argv.slice(2).filter((argument) => !argument.startsWith('--'))) {
  const [name, path, ...keys] = argument.split('=');
  const page = await openPanel(browser, server, { dark: flags.has('--dark'), language: flags.has('--fr') ? 'fr' : 'en', width });
  await page.goto(`${server.url}${path}#token=mock`);
  await page.waitForTimeout(900);
  for (const key of keys) {
    await page.keyboard.press(key);
    await page.waitForTimeout(500);
  }
  await page.screenshot({ path: `/tmp/ui/shots/${name}.png` });
  console.log(name, page.problems);
  await page.context().close();
}
await browser.close();
server.stop();
