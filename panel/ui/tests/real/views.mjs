// Every view with its data, in both languages and themes: axe finds nothing, nothing fails, and no English is left in French.
import { englishOn } from './french.mjs';
import { Panel } from './page.mjs';

/** Name, path, and the keys that are pressed before it is looked at. */
export const VIEWS = [
  ['health', '/'],
  ['memories', '/memories'],
  ['memory', '/memories?sort=used', 'Enter'],
  ['selection', '/memories', 'x', 'j', 'x'],
  ['no-match', '/memories?since=1999-01-01&type=requirement&source=file&status=archived'],
  ['correction', '/memories?type=decision', 'Enter', 'e'],
  ['search', '/memories', 'Control+Shift+M', 'p', 'o', 'o', 'l'],
  ['keys', '/', '?'],
  ['review', '/review'],
  ['review-edit', '/review', 'e'],
  ['review-session', '/review/helped'],
  ['teach', '/teach?file=src/cart/schema.rs'],
  ['sessions', '/sessions'],
  ['session', '/sessions/helped'],
  ['recipes', '/recipes'],
  ['map', '/map'],
  ['map-list', '/map?as=list'],
  ['chat', '/chat'],
  ['settings', '/settings'],
  ['methodology', '/settings/methodology'],
  ['models', '/settings/models'],
  ['storage', '/settings/storage'],
  ['backups', '/settings/backups'],
  ['forget', '/settings/forget'],
  ['nowhere', '/nowhere'],
];

/** Presses a key and waits until what it opens is there. */
async function press(panel, key) {
  await panel.press(key);
  if (key === 'Enter') await panel.page.locator('article footer').waitFor();
  if (key === 'e') await panel.page.locator('textarea').waitFor();
  if (key === 'l') await panel.page.locator('[role=option] .kind').nth(2).waitFor();
}

/** Looks at each view in light and then in dark, where only its colours differ. */
export async function walkViews(browser, server, language, fail, shot) {
  const panel = await Panel.open(browser, server, { language });
  const { page } = panel;
  for (const [name, path, ...keys] of VIEWS) {
    try {
      await page.emulateMedia({ colorScheme: 'light' });
      await panel.open(path);
      if (path.startsWith('/memories') && keys.length > 0) await page.locator('[role=row] a').first().waitFor();
      for (const key of keys) await press(panel, key);
      await panel.settle();
      for (const scheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme: scheme });
        const left = language === 'fr' && scheme === 'light' ? await englishOn(page) : [];
        const axe = await panel.violations(scheme === 'dark' ? ['color-contrast'] : undefined);
        const found = [...axe, ...panel.problems.splice(0), ...left.map((text) => `in English: ${text}`)];
        const where = `${name}-${language}-${scheme}`;
        if (found.length > 0) await fail(where, found.join('\n  '), page);
        else await shot(where, page);
      }
    } catch (error) {
      await fail(`${name}-${language}`, error, page);
    }
  }
  await panel.close();
}
