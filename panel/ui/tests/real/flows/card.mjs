// One memory: what its card shows, and what a person does with it.
import { strict as assert } from 'node:assert';

/** Opens the card of a memory of an agent, which waits for a person. */
async function opened({ panel, page, project }, content, args = []) {
  const memory = project.remember(content, { agent: true, args });
  await panel.open(`/memories/${memory.short_id}`);
  await page.locator('article footer').waitFor();
  return memory;
}

const now = ({ project }, id) => project.memory(id);
const reviewOf = (flow, id) => now(flow, id).review ?? 'none';

async function correct({ panel, page, t }, choice, text) {
  await panel.button('card.correct').click();
  const dialog = page.getByRole('dialog', { name: t('correct.title') });
  await dialog.getByLabel(t(`correct.${choice}`)).check();
  await dialog.getByText(t(`correct.${choice}.effect`)).waitFor();
  if (text) await dialog.getByLabel(t('correct.text'), { exact: true }).fill(text);
  await dialog.getByRole('button', { name: t('correct.save') }).click();
  await panel.notice(choice === 'outdated' ? 'card.done.outdated' : 'card.done.corrected');
}

export default {
  'a card shows where the memory comes from': async (flow) => {
    const { panel, page, t, project } = flow;
    const found = project.json('list', '--session', 'helped', '-n', '1')[0];
    await panel.open(`/memories/${found.short_id}`);
    const article = page.locator('article');
    for (const words of [t(`type.${found.type}`), t(`source.${found.source}`), t('card.citation'), t('card.history'), t('card.files')]) {
      await article.getByText(words).first().waitFor();
    }
    await article.getByRole('link', { name: 'helped' }).click();
    await panel.settle();
    assert.equal(panel.path(), '/sessions/helped');
  },
  'a private memory is shared only in a team, and once it is explained': async (flow) => {
    const { panel, page, t, project } = flow;
    const { id, short_id } = project.remember(`The key of the lantern room hangs in the pantry (${panel.language}).`, { args: ['--private'] });
    const share = panel.button('card.share');
    await panel.open(`/memories/${short_id}`);
    await page.locator('article footer').waitFor();
    await page.locator('article').getByText(t('card.private')).first().waitFor();
    assert.equal(await share.count(), 0, 'without a team it makes no difference');
    await page.route('**/api/v1/about', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), team: true } });
    });
    await page.reload();
    await share.click();
    const dialog = page.getByRole('dialog', { name: t('share.title') });
    await dialog.getByText(t('share.text')).waitFor();
    await dialog.getByRole('button', { name: t('action.cancel') }).click();
    assert.equal(now(flow, id).visibility, 'private');
    await share.click();
    await dialog.getByRole('button', { name: t('share.do') }).click();
    await panel.notice('card.done.shared');
    assert.equal(await page.locator('.notice').getByRole('button', { name: t('action.undo') }).count(), 0, 'nothing takes it back');
    await share.waitFor({ state: 'detached' });
    assert.equal(now(flow, id).visibility ?? 'team', 'team');
  },
  'a stale memory says why': async ({ panel, page, t, project }) => {
    const found = project.json('list', '--stale', '--file', 'src/sessions/redis.rs', '-n', '1')[0];
    await panel.open(`/memories/${found.short_id}`);
    await page.locator('article').getByText(t('stale.file_missing')).waitFor();
    await page.locator('article').getByText(t('card.missing')).waitFor();
  },
  'confirm': async (flow) => {
    const { panel } = flow;
    const { id } = await opened(flow, 'The lighthouse job signs with the key of the harbour.');
    const before = reviewOf(flow, id);
    await panel.button('card.confirm').click();
    await panel.notice('card.done.confirmed');
    assert.equal(reviewOf(flow, id), 'verified');
    await panel.undo();
    assert.equal(reviewOf(flow, id), before);
  },
  'correct: inaccurate': async (flow) => {
    const text = 'The lantern of the pier is lit at dusk.';
    const { id, content } = await opened(flow, 'The lantern of the pier is lit at noon.');
    await correct(flow, 'inaccurate', text);
    await flow.page.locator('article').getByText(text).waitFor();
    assert.deepEqual([now(flow, id).content, reviewOf(flow, id)], [text, 'verified']);
    await flow.panel.undo();
    assert.equal(now(flow, id).content, content);
  },
  'correct: outdated': async (flow) => {
    const { id } = await opened(flow, 'The old mole is closed in winter.');
    await correct(flow, 'outdated');
    assert.ok(now(flow, id).stale_at, 'it is stale');
    await flow.panel.undo();
    assert.ok(!now(flow, id).stale_at);
  },
  'correct: too specific': async (flow) => {
    const { id, content } = await opened(flow, 'The buoys of src/cart/queue.rs are red.', ['--file', 'src/cart/queue.rs', '--scope', 'module']);
    await correct(flow, 'too_specific', 'All buoys are red.');
    const after = now(flow, id);
    assert.deepEqual([after.content, after.scope], ['All buoys are red.', 'global']);
    await flow.panel.undo();
    assert.deepEqual([now(flow, id).content, now(flow, id).scope], [content, 'module']);
  },
  'correct: a duplicate, whose original is searched for': async (flow) => {
    const { panel, page, t, project } = flow;
    const original = project.remember('The breakwater holds waves of six metres, measured in March.');
    const { id } = await opened(flow, 'Waves of six metres do not pass the wall outside.');
    await panel.button('card.correct').click();
    const dialog = page.getByRole('dialog', { name: t('correct.title') });
    await dialog.getByLabel(t('correct.duplicate')).check();
    const save = dialog.getByRole('button', { name: t('correct.save') });
    assert.equal(await save.isDisabled(), true, 'without an original there is nothing to save');
    await dialog.getByLabel(t('correct.find'), { exact: true }).fill('breakwater');
    await dialog.getByLabel(/breakwater/).check();
    await save.click();
    await panel.notice('card.done.corrected');
    assert.equal(now(flow, id).status.state, 'retired');
    assert.equal(now(flow, original.id).status.state, 'active');
    await panel.undo();
    assert.equal(now(flow, id).status.state, 'active');
  },
  'flag wrong': async (flow) => {
    const { id } = await opened(flow, 'The siren is tested on Mondays.');
    await flow.panel.button('card.wrong').click();
    await flow.panel.notice('card.done.flagged');
    assert.equal(reviewOf(flow, id), 'needed');
    await flow.page.locator('article').getByText(flow.t('card.needsReview')).waitFor();
    await flow.panel.undo();
    assert.notEqual(reviewOf(flow, id), 'needed');
  },
  'a flag from the terminal appears on the open card': async (flow) => {
    const { short_id } = await opened(flow, 'The crane lifts forty tons.');
    flow.project.run(['flag', short_id, '--wrong', '--note', 'thirty']);
    await flow.page.locator('article').getByText(flow.t('card.needsReview')).waitFor();
  },
  'delete and restore': async (flow) => {
    const { panel, page, t } = flow;
    const { id } = await opened(flow, 'The tug is painted green.');
    await panel.button('card.delete').click();
    await panel.notice('card.done.deleted');
    assert.equal(now(flow, id).status.state, 'retired');
    await panel.button('card.restore').click();
    await panel.notice('card.done.restored');
    assert.equal(now(flow, id).status.state, 'active');
    await panel.undo();
    assert.equal(now(flow, id).status.state, 'retired');
    await page.getByRole('button', { name: t('card.restore'), exact: true }).waitFor();
  },
  'keys do the same, and a dialog closes without its card': async (flow) => {
    const { panel, page, t } = flow;
    const { id } = await opened(flow, 'The pilot boards two miles out.');
    await panel.press('e');
    const dialog = page.getByRole('dialog', { name: t('correct.title') });
    await dialog.waitFor();
    await panel.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.locator('article footer').waitFor();
    await panel.press('w');
    await panel.notice('card.done.flagged');
    await panel.press('e');
    await dialog.waitFor();
    // A key that follows at once is heard: no timer runs between these two.
    await page.evaluate(async () => {
      const down = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
      down('Escape');
      for (let turn = 0; turn < 50 && document.querySelector('.dialog'); turn += 1) await null;
      down('u');
    });
    await panel.notice('undo.done');
    await page.locator('article footer').waitFor();
    await panel.press('y');
    await panel.notice('card.done.confirmed');
    await panel.press('#');
    await panel.notice('card.done.deleted');
    assert.equal(now(flow, id).status.state, 'retired');
    await panel.undo();
    assert.deepEqual([now(flow, id).status.state, reviewOf(flow, id)], ['active', 'verified']);
  },
  'the citation is copied': async (flow) => {
    const { citation } = await opened(flow, 'The chart is of 1911.', ['--file', 'src/cart/queue.rs']);
    await flow.page.locator('article').getByRole('button', { name: flow.t('action.copy') }).first().click();
    await flow.panel.notice('card.copied');
    const copied = await flow.page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /Memory: gotcha in queue\.rs/, citation);
  },
  'a double click on Undo takes back one change': async (flow) => {
    const { panel, page, t } = flow;
    const { id } = await opened(flow, 'The harbour bell is rung by hand.');
    await panel.press('y');
    await panel.notice('card.done.confirmed');
    await panel.press('#');
    await panel.notice('card.done.deleted');
    await page.locator('.notice').getByRole('button', { name: t('action.undo') }).evaluate((button) => (button.click(), button.click()));
    await panel.notice('undo.done');
    await page.getByRole('button', { name: t('card.delete') }).waitFor();
    assert.deepEqual([now(flow, id).status.state, reviewOf(flow, id)], ['active', 'verified']);
  },
  'an undo that the server cannot take now is the next one again': async (flow) => {
    const { panel, page } = flow;
    const { id } = await opened(flow, 'The slipway is greased in May.');
    await panel.press('y');
    await panel.notice('card.done.confirmed');
    await panel.press('#');
    await panel.notice('card.done.deleted');
    await page.route('**/api/v1/undo', (route) => route.abort());
    await panel.press('u');
    await page.locator('.notice.error').waitFor();
    await page.unroute('**/api/v1/undo');
    panel.problems.length = 0;
    await panel.undo();
    assert.deepEqual([now(flow, id).status.state, reviewOf(flow, id)], ['active', 'verified']);
  },
  'another search forgets the original that was chosen': async (flow) => {
    const { panel, page, t, project } = flow;
    project.remember('The eel weir is set at new moon, never before.');
    await opened(flow, 'Set the weir for eels when the moon is new.');
    await panel.button('card.correct').click();
    const dialog = page.getByRole('dialog', { name: t('correct.title') });
    await dialog.getByLabel(t('correct.duplicate')).check();
    await dialog.getByLabel(/eel weir/).check();
    const save = dialog.getByRole('button', { name: t('correct.save') });
    assert.equal(await save.isDisabled(), false);
    await dialog.getByLabel(t('correct.find'), { exact: true }).fill('cents');
    assert.equal(await save.isDisabled(), true);
  },
};
