// What works in every view: the address, search, keys, language and theme.
import { strict as assert } from 'node:assert';

const PATHS = ['/', '/memories', '/review', '/sessions', '/recipes', '/map', '/chat', '/teach', '/settings'];
const LETTERS = { h: '/', m: '/memories', r: '/review', s: '/sessions', p: '/recipes', o: '/map', c: '/chat', ',': '/settings', t: '/teach' };

export default {
  'the token leaves the address, and a reload keeps the view': async ({ panel }) => {
    await panel.open('/memories?type=gotcha');
    assert.equal(new URL(panel.page.url()).hash, '');
    await panel.reload();
    assert.equal(panel.query().get('type'), 'gotcha');
  },
  'search opens from every view with Ctrl+Shift+M': async ({ panel, page, t }) => {
    for (const path of PATHS) {
      await panel.open(path);
      await panel.press('Control+Shift+M');
      const field = page.getByRole('combobox', { name: t('palette.title') });
      await field.waitFor();
      await panel.press('Escape');
      await field.waitFor({ state: 'detached' });
    }
  },
  'a memory is found and opened with the keyboard alone': async ({ panel, page, project }) => {
    const { id, short_id } = project.remember('The ferry to Skye needs a heliotrope ticket.');
    await panel.open('/settings');
    await panel.press('Control+Shift+M');
    // Enter comes before the answer to the whole word: what answers its first letters must not open.
    await page.keyboard.type('heliotrope');
    await panel.press('Enter');
    await page.locator('article footer').waitFor();
    assert.equal(panel.path(), `/memories/${short_id}`);
    project.run(['forget', id]);
  },
  'letters lead to views': async ({ panel }) => {
    await panel.open('/settings');
    for (const [letter, path] of Object.entries(LETTERS)) {
      await panel.page.evaluate(() => document.activeElement.blur());
      await panel.press('g', letter);
      await panel.settle();
      assert.equal(panel.path(), path, `g ${letter}`);
    }
  },
  'a question mark lists all keys': async ({ panel, page, t }) => {
    await panel.open('/');
    await panel.press('?');
    const dialog = page.getByRole('dialog', { name: t('keys.title') });
    await dialog.waitFor();
    for (const key of ['keys.search', 'keys.undo', 'keys.confirm', 'keys.reject']) await dialog.getByText(t(key)).first().waitFor();
    await panel.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  },
  'a citation leads to its memory': async ({ panel, page, project, server }) => {
    const { id, short_id, content } = project.remember('Cited from a terminal: the tide table is in hours of Greenwich.');
    assert.match(project.run(['open', short_id]), /tide table/);
    await panel.open(`/m/${short_id}`);
    await page.locator('article').getByText(content).waitFor();
    await page.goto('about:blank');
    // What `tacit panel ID` opens.
    await page.goto(`${server.origin}/#token=${server.token}&open=${id}`);
    await page.locator('article').getByText(content).waitFor();
    project.run(['forget', id]);
  },
  'language and theme are switched and kept': async ({ panel, page, t }) => {
    await panel.open('/');
    await page.getByLabel(t('theme.label'), { exact: true }).selectOption('dark');
    const other = panel.language === 'en' ? 'fr' : 'en';
    await page.getByLabel(t('language.label'), { exact: true }).selectOption(other);
    panel.language = other;
    await panel.link('nav.recipes').waitFor();
    await panel.reload();
    await panel.link('nav.recipes').waitFor();
    const seen = await page.evaluate(() => [document.documentElement.lang, document.documentElement.dataset.theme, getComputedStyle(document.body).colorScheme]);
    assert.deepEqual(seen.slice(0, 2), [other, 'dark']);
  },
  'the keyboard reaches the content past the views': async ({ panel, page, t }) => {
    await panel.open('/');
    await panel.press('Tab');
    await panel.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'content');
    await page.getByRole('link', { name: t('nav.skip') }).waitFor({ state: 'attached' });
  },
  'an unknown address says so': async ({ panel, page, t }) => {
    await panel.open('/');
    await panel.open('/nowhere');
    await page.getByText(t('error.route')).waitFor();
    await panel.link('error.home').click();
    await panel.settle();
    assert.equal(panel.path(), '/');
  },
  'a server that is gone is told, with what to do': async ({ panel, page }) => {
    await panel.open('/teach');
    await page.route('**/api/**', (route) => route.abort());
    await panel.field('teach.text').fill('The buoy bell is cracked.');
    await panel.button('teach.save').click();
    await page.locator('.notice.error').getByText('tacit panel').waitFor();
    assert.equal(await panel.field('teach.text').inputValue(), 'The buoy bell is cracked.', 'the text is not lost');
    // The requests that failed are what this flow wants.
    panel.problems.length = 0;
  },
};
