// What people do in the panel, step by step. A flow gets a page, a way to open a path, and assert.

const text = (page, words) => page.getByText(words, { exact: false }).first().waitFor({ timeout: 4000 });

export const FLOWS = {
  'the token leaves the address bar': async (page, open, assert) => {
    await open('/memories');
    await text(page, 'memories');
    assert.equal(new URL(page.url()).hash, '');
  },
  'a memory named in the fragment is opened': async (page, open, assert) => {
    await open('/#x');
    const origin = new URL(page.url()).origin;
    await open('/memories');
    await page.locator('[role=row]').first().waitFor();
    const path = await page.locator('[role=row] a').first().getAttribute('href');
    const id = path.split('/').at(-1);
    await page.goto(`about:blank`);
    await page.goto(`${origin}/#token=mock&open=${id}`);
    await page.locator('article').waitFor();
    assert.equal(new URL(page.url()).pathname, `/memories/${id}`);
  },
  'filters and search are kept in the address': async (page, open, assert) => {
    await open('/memories');
    await page.getByRole('button', { name: 'Type' }).click();
    await page.getByLabel('Dead end').check();
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').fill('polling');
    await text(page, 'results');
    const { search } = new URL(page.url());
    assert.equal(search, '?q=polling&type=dead_end');
    await page.reload();
    await text(page, 'results');
    assert.equal(new URL(page.url()).search, search);
  },
  'selected memories are deleted together and come back': async (page, open, assert) => {
    await open('/memories');
    await text(page, 'memories');
    const count = () => page.locator('main header span').first().innerText();
    await page.locator('[role=row]').first().waitFor();
    const before = await count();
    for (const key of ['x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click();
    await text(page, '2 memories deleted');
    assert.notEqual(await count(), before);
    await page.keyboard.press('u');
    await text(page, 'Taken back');
    await page.waitForFunction((old) => document.querySelector('main header span')?.textContent === old, before);
  },
  'a memory is confirmed, corrected and flagged with keys': async (page, open) => {
    await open('/memories?type=gotcha');
    await page.locator('[role=row]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('article footer').waitFor();
    await page.keyboard.press('y');
    await text(page, 'Confirmed');
    await page.keyboard.press('e');
    await page.getByLabel('Corrected text').fill('The corrected text of this memory.');
    await page.keyboard.press('Control+Enter');
    await text(page, 'Corrected');
    await page.locator('article').getByText('The corrected text of this memory.').waitFor();
    await page.keyboard.press('w');
    await text(page, 'Flagged as wrong');
  },
  'a duplicate needs its original': async (page, open, assert) => {
    await open('/memories?type=gotcha');
    await page.locator('[role=row]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.locator('article footer').waitFor();
    await page.keyboard.press('e');
    await page.getByLabel('It’s a duplicate').check();
    const save = page.getByRole('button', { name: 'Save correction' });
    assert.equal(await save.isDisabled(), true);
    await page.locator('input[name=original]').first().check();
    await save.click();
    await text(page, 'Corrected');
  },
  'a review with the keyboard alone, and undo': async (page, open) => {
    await open('/review/last');
    await page.locator('li.current').waitFor();
    await page.keyboard.press('y');
    await text(page, '1 of');
    await page.keyboard.press('n');
    await text(page, '2 of');
    await page.keyboard.press('u');
    await text(page, '1 of');
    await page.keyboard.press('e');
    await page.locator('li.current textarea').fill('Edited during the review.');
    await page.keyboard.press('Control+Enter');
    await text(page, 'Edited and confirmed');
  },
  'a memory is taught': async (page, open) => {
    await open('/teach?file=src/db/pool.rs');
    await page.getByLabel('What should the next agent know?').fill('Raise pool_size with the workers.');
    await page.getByRole('button', { name: 'Remember' }).click();
    await page.locator('.result').waitFor();
  },
  'search opens from any view with Ctrl+Shift+M': async (page, open, assert) => {
    await open('/settings');
    await text(page, 'Configuration');
    await page.keyboard.press('Control+Shift+M');
    await page.getByRole('combobox', { name: 'Search' }).fill('pool');
    await page.locator('[role=option]').nth(2).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('article').waitFor();
    assert.match(new URL(page.url()).pathname, /^\/memories\/\w+/);
  },
  'a job shows its progress and can be cancelled': async (page, open) => {
    await open('/settings/models');
    await page.getByRole('button', { name: 'Re-index embeddings' }).click();
    await page.locator('.sidebar progress').waitFor();
    await page.locator('.sidebar .job').getByRole('button', { name: 'Cancel' }).click();
    await text(page, 'cancelled');
  },
  'pruning shows what it would remove first': async (page, open) => {
    await open('/settings/storage');
    await page.getByRole('button', { name: 'Preview: Remove memories of low confidence' }).click();
    await text(page, 'would be taken out of use');
    await page.getByRole('button', { name: /^Take/ }).click();
    await page.locator('.notice').getByText('taken out of use').waitFor();
  },
  'forgetting for good needs the typed word': async (page, open, assert) => {
    await open('/memories');
    await page.locator('[role=row] a').first().waitFor();
    const id = (await page.locator('[role=row] a').first().getAttribute('href')).split('/').at(-1);
    await open('/settings/forget');
    await page.getByLabel('Memories to forget, by id').fill(id);
    await page.getByRole('button', { name: 'Show them' }).click();
    const forget = page.getByRole('button', { name: 'Forget 1 memory for good' });
    await forget.waitFor();
    assert.equal(await forget.isDisabled(), true);
    await page.getByLabel('Type forget').fill('forget');
    await forget.click();
    await text(page, 'forgotten for good');
  },
  'a recipe is edited': async (page, open) => {
    await open('/recipes');
    await page.getByRole('button', { name: 'Edit: Release a hotfix' }).click();
    await page.getByRole('button', { name: 'Add step' }).click();
    await page.getByLabel('Step 4', { exact: true }).fill('Tell the others');
    await page.getByRole('button', { name: 'Save' }).click();
    await text(page, 'Recipe saved');
  },
  'chat cites memories, and says when nothing is known': async (page, open) => {
    await open('/chat');
    await page.getByRole('textbox', { name: 'Ask' }).fill('What do you know about the pool?');
    await page.keyboard.press('Enter');
    await page.locator('article li a').first().waitFor();
    await page.getByRole('textbox', { name: 'Ask' }).fill('And about zebras?');
    await page.keyboard.press('Enter');
    await text(page, 'Nothing is known');
  },
  'the map leads to the memories of a module': async (page, open, assert) => {
    await open('/map');
    await page.getByRole('link', { name: /^src\/db:/ }).focus();
    await page.keyboard.press('Enter');
    await text(page, 'memories');
    assert.equal(new URL(page.url()).search, '?module=src%2Fdb');
  },
  'language and theme are switched and kept': async (page, open, assert) => {
    await open('/');
    await page.getByLabel('Theme').selectOption('dark');
    await page.getByLabel('Language').selectOption('fr');
    await text(page, 'Ce qui l’abaisse');
    await page.reload();
    await text(page, 'Souvenirs');
    assert.equal(await page.evaluate(() => `${document.documentElement.lang} ${document.documentElement.dataset.theme}`), 'fr dark');
  },
};
