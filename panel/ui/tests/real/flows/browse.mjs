// The browser of memories: each filter, search as you type, the address, a long list, and many at once.
import { strict as assert } from 'node:assert';

const rows = (page) => page.locator('[role=row]');
const first = (page) => rows(page).locator('a').first();

/** Waits until the header counts these memories. */
const counted = ({ page, t }, count) => page.locator('main header').getByText(t('memories.count', { count }), { exact: true }).waitFor();

/** Chooses an entry of a filter, and waits until the address has it. */
async function choose({ panel, page, t }, filter, label) {
  await page.getByRole('group', { name: t('filter.label') }).getByRole('button', { name: t(`filter.${filter}`) }).click();
  await page.getByRole('group', { name: t(`filter.${filter}`), exact: true }).getByLabel(label, { exact: true }).check();
  await panel.press('Escape');
}

/** The memories that the command line counts. */
const listed = (project, ...args) => project.json('list', '-n', '20000', ...args).length;

export default {
  'each filter shows what the command line lists': async (flow) => {
    const { panel, page, t, project } = flow;
    // Of one type, since the command line lists no statistics unless it is asked for them.
    const of = (...args) => listed(project, '--type', 'gotcha', ...args);
    const inUnits = project.json('list', '-n', '20000', '--type', 'gotcha').filter(({ work_unit: unit }) => unit?.methodology === 'native').length;
    const cases = [
      ['source', t('source.imported'), { source: 'imported' }, of('--source', 'imported')],
      ['confidence', t('filter.confidence.0.8'), { confidence: '0.8' }, of('--min-confidence', '0.8')],
      ['module', 'src/cart', { module: 'src/cart' }, of('--module', 'src/cart')],
      ['methodology', 'native', { methodology: 'native' }, inUnits],
      ['date', t('filter.date.7d'), { since: '7d' }, of('--since', '7d')],
      ['status', t('status.archived'), { status: 'archived' }, of('--status', 'archived')],
      ['status', t('filter.status.stale'), { status: 'stale' }, of('--stale')],
      ['status', t('filter.status.review'), { status: 'review' }, of('--review', 'needed')],
    ];
    await panel.open('/memories');
    await choose(flow, 'type', t('type.gotcha'));
    await counted(flow, of());
    for (const [filter, label, query, count] of cases) {
      await choose(flow, filter, label);
      await counted(flow, count);
      for (const [name, value] of Object.entries(query)) assert.equal(panel.query().get(name), value);
      await panel.open('/memories?type=gotcha');
      await counted(flow, of());
    }
    await panel.button('memories.reset').click();
    assert.equal(new URL(page.url()).search, '');
  },
  'filters and order stay in the address': async (flow) => {
    const { panel, page, t, project } = flow;
    await panel.open('/memories');
    await choose(flow, 'type', t('type.gotcha'));
    await choose(flow, 'type', t('type.decision'));
    await page.getByLabel(t('filter.sort'), { exact: true }).selectOption('oldest');
    const search = '?type=gotcha&type=decision&sort=oldest';
    await page.waitForFunction((wanted) => location.search === wanted, search);
    const [{ short_id }] = project.json('list', '--type', 'gotcha', '--type', 'decision', '--sort', 'oldest', '-n', '1');
    const top = page.locator(`[role=row][aria-rowindex="1"] a[href*="${short_id}"]`);
    await top.waitFor();
    await panel.reload();
    await top.waitFor();
    assert.equal(new URL(page.url()).search, search);
    await page.goBack();
    await page.waitForFunction(() => location.search === '?type=gotcha&type=decision');
  },
  'results follow each letter, by words and by meaning': async ({ panel, page, project }) => {
    const { id } = project.remember('The quokka job must end before midnight, or the invoices miss a day.');
    await panel.open('/memories');
    await first(page).waitFor();
    for (const part of ['q', 'uok', 'k']) {
      await panel.field('memories.search').pressSequentially(part);
      await page.waitForFunction((typed) => new URL(location).searchParams.get('q')?.endsWith(typed), part);
    }
    await rows(page).filter({ hasText: 'quokka' }).waitFor();
    assert.equal(panel.query().get('q'), 'quokk');
    await panel.field('memories.search').fill('bills are late for a day');
    await rows(page).filter({ hasText: 'quokka' }).waitFor();
    await panel.field('memories.search').fill('');
    await page.waitForFunction(() => location.search === '');
    project.run(['forget', id]);
  },
  'a search that finds nothing says so': async ({ panel, page, t }) => {
    await panel.open('/memories?type=requirement&source=file&status=archived');
    await page.getByText(t('memories.none')).waitFor();
    await panel.button('memories.reset').click();
    await first(page).waitFor();
  },
  'the last of all memories is reached by scrolling': async ({ panel, page, project }) => {
    await panel.open('/memories?sort=newest');
    await first(page).waitFor();
    const grid = page.getByRole('grid');
    await grid.evaluate((list) => (list.scrollTop = list.scrollHeight));
    const count = Number(await grid.getAttribute('aria-rowcount'));
    await page.locator(`[role=row][aria-rowindex="${count}"] a`).waitFor();
    const [{ short_id }] = project.json('list', '-n', '1', '--sort', 'oldest');
    await page.locator(`[role=row] a[href*="${short_id}"]`).waitFor();
    assert.ok((await rows(page).count()) < 100, 'only rows in sight are drawn');
  },
  'arrows, letters and the page keys move through the list': async ({ panel, page }) => {
    await panel.open('/memories');
    await first(page).waitFor();
    await panel.press('j', 'j', 'ArrowDown', 'k', 'PageDown');
    await page.locator('[role=row][aria-rowindex="18"] .active').waitFor();
    await panel.press('Enter');
    await page.locator('article footer').waitFor();
    const opened = panel.path();
    await panel.press('j');
    await page.waitForFunction((path) => location.pathname !== path, opened);
    await panel.press('Escape');
    await page.locator('article').waitFor({ state: 'detached' });
    assert.equal(panel.path(), '/memories');
  },
  'many are confirmed, flagged, archived, deleted and restored together, and come back': async (flow) => {
    const { panel, page, t, project } = flow;
    const made = ['first', 'second', 'third'].map((word) => project.remember(`The ${word} heron of the bulk change stands in the reeds.`, { type: 'gotcha', agent: true }));
    const state = () => made.map(({ id }) => project.memory(id)).map(({ review, status }) => `${review ?? 'none'} ${status.state}`);
    const select = async (query) => {
      await panel.open(`/memories${query}`);
      const mine = rows(page).filter({ hasText: 'heron of the bulk' });
      await mine.nth(2).waitFor();
      for (const row of await mine.all()) await row.getByRole('checkbox').check();
      return page.getByRole('toolbar', { name: t('bulk.selected', { count: 3 }) });
    };
    const before = state();
    for (const [action, after] of [
      ['confirm', 'verified active'], ['flag_wrong', 'needed active'], ['archive', 'none archived'], ['delete', 'none retired'],
    ]) {
      const bar = await select('');
      await bar.getByRole('button', { name: t(`bulk.${action}`) }).click();
      await panel.notice(`bulk.done.${action}`, { count: 3 });
      assert.deepEqual(new Set(state()), new Set([after]), action);
      await panel.undo();
      assert.deepEqual(state(), before, `${action} is taken back`);
    }
    project.run(['forget', ...made.map(({ id }) => id)]);
    const bar = await select('?status=retired&sort=changed');
    await bar.getByRole('button', { name: t('bulk.restore') }).click();
    await panel.notice('bulk.done.restore', { count: 3 });
    assert.deepEqual(state(), before);
    project.run(['forget', ...made.map(({ id }) => id)]);
  },
  'a selection is made and cleared with keys': async ({ panel, page, t }) => {
    await panel.open('/memories');
    await first(page).waitFor();
    await panel.press('x', 'j', 'x');
    await page.getByRole('toolbar', { name: t('bulk.selected', { count: 2 }) }).waitFor();
    await panel.press('Escape');
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
  },
  'all that pass the filters are tagged together': async ({ panel, page, t, project }) => {
    await panel.open('/memories?type=gotcha&source=imported');
    await first(page).waitFor();
    const count = listed(project, '--type', 'gotcha', '--source', 'imported');
    await panel.press('x');
    await panel.button('bulk.all', { count }).click();
    await panel.button('bulk.tag').click();
    await page.keyboard.type('trial');
    await panel.press('Enter');
    await panel.notice('bulk.done.tag', { count });
    assert.equal(listed(project, '--tag', 'trial'), count);
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
    await panel.undo();
    assert.equal(listed(project, '--tag', 'trial'), 0);
  },
  'a file leads to its memories, and to a new one': async ({ panel, page }) => {
    await panel.open('/memories?type=decision');
    await first(page).waitFor();
    await panel.press('Enter');
    await page.locator('article .file a').first().click();
    await page.waitForURL(/\/memories\?file=/);
    await first(page).click();
    await page.locator('article .file .add').first().click();
    await page.waitForURL(/\/teach\?file=/);
    assert.notEqual(await panel.field('teach.files').inputValue(), '');
  },
  'a filter of one value is chosen with the keyboard': async ({ panel, page, t }) => {
    await panel.open('/memories');
    await first(page).waitFor();
    const filters = page.getByRole('group', { name: t('filter.label') });
    await filters.getByRole('button', { name: t('filter.status') }).focus();
    await panel.press('Enter');
    const menu = page.getByRole('group', { name: t('filter.status'), exact: true });
    await menu.getByLabel(t('status.active'), { exact: true }).waitFor();
    await page.waitForFunction(() => document.activeElement.type === 'radio');
    await panel.press('ArrowDown');
    await page.waitForFunction(() => new URL(location).searchParams.get('status') === 'review');
    await panel.press('ArrowDown');
    await page.waitForFunction(() => new URL(location).searchParams.get('status') === 'stale');
    assert.ok(await menu.isVisible(), 'the menu stays open');
    await panel.press('Escape');
    await menu.waitFor({ state: 'detached' });
    assert.equal(panel.query().get('status'), 'stale');
  },
  'a search that fails says so, and shows nothing that was found before': async ({ panel, page, t }) => {
    await panel.open('/memories');
    await first(page).waitFor();
    await page.route('**/api/v1/search?**', (route) => route.abort());
    await panel.field('memories.search').fill('cents');
    await page.locator('.rows .empty').getByRole('button', { name: t('action.retry') }).waitFor();
    assert.equal(await rows(page).count(), 0);
    await page.unroute('**/api/v1/search?**');
    panel.problems.length = 0;
    await panel.button('action.retry').click();
    await first(page).waitFor();
  },
  'the last memory is reached with a card open, and arrows scroll a card that is read': async ({ panel, page }) => {
    await panel.open('/memories');
    await first(page).waitFor();
    await panel.press('j', 'Enter');
    await page.locator('article footer').waitFor();
    await panel.press('End');
    const count = await page.getByRole('grid').getAttribute('aria-rowcount');
    const last = (await page.locator(`[role=row][aria-rowindex="${count}"] a`).getAttribute('href')).split('?')[0];
    await page.waitForFunction((path) => location.pathname === path, last);
    await page.locator('article footer').waitFor();
    await page.locator('article .text').click();
    await panel.press('ArrowUp', 'PageUp', 'Home');
    assert.equal(panel.path(), last, 'the card stays');
    await page.locator('article .close').click();
    await page.locator('article').waitFor({ state: 'detached' });
    assert.ok(await page.evaluate(() => document.activeElement.closest('.memory.active')), 'the row has the focus again');
  },
  'what comes in does not move the keyboard to another memory': async ({ panel, page, project }) => {
    await panel.open('/memories?type=gotcha');
    await first(page).waitFor();
    await panel.press('j', 'j');
    const href = await page.locator('.memory.active a').getAttribute('href');
    const { id } = project.remember(`The gull of ${panel.language} lands first.`);
    await rows(page).filter({ hasText: 'lands first' }).waitFor();
    await page.waitForFunction((wanted) => document.querySelector('.memory.active a').getAttribute('href') === wanted, href);
    await panel.press('Enter');
    await page.locator('article footer').waitFor();
    assert.equal(panel.path(), new URL(href, page.url()).pathname);
    project.run(['forget', id]);
  },
  'all but one are tagged, and Escape in the field keeps the selection': async ({ panel, page, t, project }) => {
    const query = ['--type', 'gotcha', '--source', 'imported'];
    await panel.open('/memories?type=gotcha&source=imported');
    await first(page).waitFor();
    const count = listed(project, ...query);
    await panel.press('x');
    await panel.button('bulk.all', { count }).click();
    await rows(page).nth(1).getByRole('checkbox').uncheck();
    const bar = page.getByRole('toolbar', { name: t('bulk.selected', { count: count - 1 }) });
    await bar.waitFor();
    await panel.button('bulk.tag').click();
    await page.keyboard.type('all-but-one');
    await panel.press('Escape');
    await bar.waitFor();
    await panel.button('bulk.tag').click();
    await panel.press('Enter');
    await panel.notice('bulk.done.tag', { count: count - 1 });
    assert.equal(listed(project, '--tag', 'all-but-one'), count - 1);
    await page.getByRole('toolbar').waitFor({ state: 'detached' });
    await panel.undo();
    assert.equal(listed(project, '--tag', 'all-but-one'), 0);
  },
  'a range reaches rows that were never in sight': async ({ panel, page, t }) => {
    await panel.open('/memories');
    await first(page).waitFor();
    const grid = page.getByRole('grid');
    await panel.press('x');
    await grid.evaluate((list) => (list.scrollTop = 36 * 420));
    const row = page.locator('[role=row][aria-rowindex="430"]');
    await row.getByRole('checkbox').click({ modifiers: ['Shift'] });
    await page.getByRole('toolbar', { name: t('bulk.selected', { count: 430 }) }).waitFor();
  },
};
