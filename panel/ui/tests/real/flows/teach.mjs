// Teaching: a type, a file, a store, and what is recognised and already known.
import { strict as assert } from 'node:assert';

const idOf = async (page) => (await page.locator('.result a').first().getAttribute('href')).split('/').at(-1);

export default {
  'a memory is taught for a file, with a type': async ({ panel, page, t, project }) => {
    await panel.open('/teach?file=src/cart/queue.rs');
    await panel.field('teach.text').fill('The gulls of the cart queue are fed at nine.');
    await panel.field('teach.type').selectOption('decision');
    await page.getByText(t('teach.more')).click();
    await panel.field('teach.why').fill('They wake the harbour master.');
    await panel.field('teach.cues').fill('the queue is loud in the morning');
    await panel.field('teach.tags').fill('gulls, harbour');
    await panel.button('teach.save').click();
    await panel.notice('teach.stored');
    const memory = project.memory(await idOf(page));
    assert.deepEqual(
      [memory.type, memory.source, memory.review, memory.reasoning, memory.related_files, memory.tags, memory.cues],
      ['decision', 'user_taught', 'verified', 'They wake the harbour master.', ['src/cart/queue.rs'], ['gulls', 'harbour'], ['the queue is loud in the morning']],
    );
    await page.locator('.notice').getByRole('button', { name: t('action.undo') }).click();
    await panel.notice('undo.done');
    assert.throws(() => project.memory(memory.id), /Command failed/, 'nothing is left of it');
  },
  'the type is recognised from the text': async ({ panel, page, t, project }) => {
    await panel.open('/memories');
    await panel.press('t');
    await panel.settle();
    await panel.field('teach.text').fill('Never moor at the fuel jetty in fog.');
    await panel.press('Control+Enter');
    await page.getByText(t('teach.typed', { type: t('type.gotcha') })).waitFor();
    const id = await idOf(page);
    assert.equal(project.memory(id).type, 'gotcha');
    await panel.field('teach.text').fill('Never moor at the fuel jetty in fog.');
    await panel.press('Control+Enter');
    await panel.notice('teach.reinforced');
    project.run(['forget', id]);
  },
  'a memory for all projects goes to the own store': async ({ panel, page, t, project }) => {
    await panel.open('/teach');
    await panel.field('teach.text').fill('Prefer knots that can be opened under load.');
    await panel.field('teach.store').selectOption('global');
    await panel.button('teach.save').click();
    await panel.notice('teach.stored');
    assert.equal(project.memory(await idOf(page)).store, 'global');
    await page.locator('.notice').getByRole('button', { name: t('action.undo') }).click();
    await panel.notice('undo.done');
  },
  'a draft outlives a look at what is known': async ({ panel, page, t }) => {
    await panel.open('/teach');
    await panel.field('teach.text').fill('The cart counts cents, and the gulls count');
    await page.locator('main aside a').first().click();
    await page.locator('article footer').waitFor();
    await page.goBack();
    await panel.settle();
    assert.equal(await panel.field('teach.text').inputValue(), 'The cart counts cents, and the gulls count');
    await panel.open('/sessions');
    await panel.open('/teach?file=src/cart/queue.rs');
    assert.equal(await panel.field('teach.files').inputValue(), 'src/cart/queue.rs');
    assert.match(await panel.field('teach.text').inputValue(), /gulls/);
    await page.getByRole('button', { name: t('teach.save') }).waitFor();
  },
};
