// The review of what sessions learnt, with the keyboard alone: j k y e n u.
import { strict as assert } from 'node:assert';

/** Sends three lessons of an agent's session, and opens its review. */
async function reviewed({ panel, page, project, t }, session) {
  project.hook(session, 'SessionStart', { source: 'startup' });
  const made = ['anchor', 'bollard', 'capstan'].map((word) =>
    project.run(['remember', '--json', '--type', 'gotcha', '--session', session, `The ${word} of ${session} rusts in salt water, so it is greased weekly.`], {
      env: { CLAUDECODE: '1' },
    }),
  );
  project.hook(session, 'SessionEnd', { reason: 'other' });
  await panel.open(`/review/${session}`);
  await page.getByText(t('review.progress', { done: 0, all: 3 })).waitFor();
  return made.map((text) => JSON.parse(text).memory.id);
}

const progress = ({ page, t }, done) => page.getByText(t('review.progress', { done, all: 3 })).waitFor();
/** The id of the card that has the keyboard, by its text. */
const current = async ({ page, project }, ids) => {
  const text = await page.locator('li[aria-current=true] .text').innerText();
  return ids.find((id) => text.includes(project.memory(id).content));
};

export default {
  'a session is reviewed with j k y e n u': async (flow) => {
    const { panel, page, project } = flow;
    const ids = await reviewed(flow, `rust-${panel.language}`);
    const state = (id) => [project.memory(id).review ?? 'none', project.memory(id).status.state].join(' ');
    const top = await current(flow, ids);
    await panel.press('j');
    assert.notEqual(await current(flow, ids), top);
    await panel.press('k');
    assert.equal(await current(flow, ids), top);
    await panel.press('y');
    await panel.notice('review.decided.confirm');
    await progress(flow, 1);
    assert.equal(state(top), 'verified active');
    const second = await current(flow, ids);
    await panel.press('n');
    await panel.notice('review.decided.reject');
    await progress(flow, 2);
    assert.match(state(second), / retired$/);
    await panel.press('u');
    await panel.notice('undo.done');
    await progress(flow, 1);
    assert.match(state(second), / active$/);
    assert.equal(await current(flow, ids), second, 'undo returns to the card');
    await panel.press('e');
    await page.locator('li[aria-current=true] textarea').fill('Grease it every Monday.');
    await panel.press('Control+Enter');
    await panel.notice('review.decided.edit');
    await progress(flow, 2);
    assert.deepEqual([project.memory(second).content, state(second)], ['Grease it every Monday.', 'verified active']);
    const third = await current(flow, ids);
    await panel.press('s');
    await panel.notice('review.decided.later');
    await progress(flow, 3);
    assert.equal(state(third), 'none active');
  },
  'wrong, outdated and duplicate have keys, too': async (flow) => {
    const { panel, page, t, project } = flow;
    const ids = await reviewed(flow, `tar-${panel.language}`);
    const wrong = await current(flow, ids);
    await panel.press('w');
    await panel.notice('review.decided.wrong');
    assert.ok(project.memory(wrong).confidence < 0.9, 'a wrong memory loses confidence');
    const outdated = await current(flow, ids);
    await panel.press('o');
    await panel.notice('review.decided.outdated');
    assert.ok(project.memory(outdated).stale_at);
    const duplicate = await current(flow, ids);
    await panel.press('d');
    const dialog = page.getByRole('dialog', { name: t('correct.title') });
    await dialog.locator('input[name=original]').first().check();
    await dialog.getByRole('button', { name: t('correct.save') }).click();
    await panel.notice('review.decided.duplicate');
    assert.equal(project.memory(duplicate).status.state, 'retired');
  },
  'a session shows what was applied, what is new, and the rule of what needs no review': async ({ panel, page, t }) => {
    await panel.open('/review/helped');
    await page.getByRole('heading', { name: t('review.applied') }).waitFor();
    const count = await page.locator('details').first().locator('li').count();
    await page.getByText(t('review.applied.text', { count })).waitFor();
    await panel.open('/review/last');
    await panel.link('review.all').click();
    await panel.settle();
    await page.getByRole('heading', { name: t('review.new') }).waitFor();
    await page.getByText(t('review.rule', { confidence: 0.9, shown: 3 })).waitFor();
  },
  'a finished review leads back': async ({ panel }) => {
    await panel.open('/review/helped');
    await panel.button('review.done').click();
    await panel.settle();
    assert.equal(panel.path(), '/');
    await panel.open('/review/helped');
    await panel.link('review.later').click();
    await panel.settle();
    assert.equal(panel.path(), '/sessions');
  },
  'keys in quick succession decide one card each, and a click keeps the focus in the review': async (flow) => {
    const { panel, page, project } = flow;
    const ids = await reviewed(flow, `quick-${panel.language}`);
    const top = await current(flow, ids);
    // No answer of the server comes between these keys, and one of them is held down.
    await page.evaluate(() => {
      for (const [key, repeat] of [['y'], ['y', true], ['y', true], ['n']]) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key, repeat, bubbles: true, cancelable: true }));
      }
    });
    await progress(flow, 2);
    await panel.notice('review.decided.reject');
    const state = (id) => `${project.memory(id).review ?? 'none'} ${project.memory(id).status.state}`;
    assert.equal(state(top), 'verified active');
    assert.equal(ids.filter((id) => / retired$/.test(state(id))).length, 1, 'the second card is rejected');
    // Two presses of the button are one undo: it is gone after the first.
    await page.locator('.notice').getByRole('button', { name: panel.t('action.undo') }).evaluate((button) => (button.click(), button.click()));
    await panel.notice('undo.done');
    await progress(flow, 1);
    assert.equal(state(top), 'verified active', 'only the last decision is taken back');
    await panel.button('review.confirm').click();
    await progress(flow, 2);
    assert.equal(await page.evaluate(() => document.activeElement.closest('li')?.getAttribute('aria-current')), 'true');
  },
  'a decision that the server does not take comes back': async (flow) => {
    const { panel, page } = flow;
    const ids = await reviewed(flow, `refused-${panel.language}`);
    const top = await current(flow, ids);
    await page.route('**/api/v1/review/*', (route) => (route.request().method() === 'POST' ? route.fulfill({ status: 409, json: { error: { code: 'refused', message: 'no' } } }) : route.continue()));
    await panel.press('y');
    await page.locator('.notice.error').waitFor();
    await progress(flow, 0);
    await page.unroute('**/api/v1/review/*');
    panel.problems.length = 0;
    assert.notEqual(await current(flow, ids), top, 'the card that is read stays');
    await panel.press('k', 'y');
    await panel.notice('review.decided.confirm');
    assert.equal(flow.project.memory(top).review, 'verified');
  },
  'a card that is settled elsewhere leaves the review': async (flow) => {
    const { panel, page, t, project } = flow;
    const ids = await reviewed(flow, `settled-${panel.language}`);
    const top = await current(flow, ids);
    await panel.open('/sessions');
    project.run(['forget', top]);
    await panel.open(`/review/settled-${panel.language}`);
    await page.getByText(t('review.progress', { done: 0, all: 2 })).waitFor();
    assert.ok(!(await page.locator('main ol').innerText()).includes(project.memory(top).content));
  },
};
