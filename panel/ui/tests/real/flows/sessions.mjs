// Sessions: the list, the timeline of one with what it was shown and what became of it, and what was considered.
import { strict as assert } from 'node:assert';

export default {
  'the list has every session, with what it was shown and learnt': async ({ panel, page, t, project }) => {
    await panel.open('/sessions');
    const count = project.json('session', 'list', '-n', '200').length;
    await page.locator('main header').getByText(t('sessions.count', { count })).waitFor();
    const rows = page.locator('tbody tr');
    for (const { session } of project.json('session', 'list')) await rows.locator(`a[href="/sessions/${session}"]`).waitFor();
    await rows.filter({ hasText: 'running' }).getByText(t('sessions.running'), { exact: true }).last().waitFor();
    const learnt = project.json('list', '--session', 'helped', '-n', '200').length;
    assert.ok(learnt > 0);
    assert.equal(await rows.filter({ hasText: 'helped' }).getByRole('cell').nth(5).innerText(), String(learnt));
    assert.match(await rows.filter({ hasText: 'helped' }).getByRole('cell').nth(4).innerText(), /^[1-9]/, 'it was shown memories');
    const second = await rows.nth(1).locator('a').getAttribute('href');
    await panel.press('j', 'Enter');
    await panel.settle();
    assert.equal(panel.path(), second);
    await panel.press('Escape');
    await panel.settle();
    assert.equal(panel.path(), '/sessions');
  },
  'the timeline shows events, injections and their fates': async ({ panel, page, t }) => {
    await panel.open('/sessions/stopped');
    const entries = page.locator('main ol li');
    for (const event of ['session_started', 'prompt_submitted', 'turn_stopped', 'session_ended', 'injection']) {
      await entries.filter({ hasText: t(`event.${event}`) }).first().waitFor();
    }
    await entries.filter({ hasText: t('event.prompt_submitted') }).getByText('Then clean the fixtures.').waitFor();
    await entries.filter({ hasText: t('event.checkout') }).first().waitFor();
    await entries.filter({ hasText: 'pnpm install' }).first().waitFor();
    const helped = entries.filter({ hasText: t('fate.helped') }).first();
    await helped.getByText('make wipe').first().waitFor();
    await helped.getByRole('link').first().click();
    const shown = page.locator('article');
    await shown.getByText(t('card.injections')).waitFor();
    // Sessions that came later were shown it, too.
    const more = shown.getByRole('button', { name: t('action.more') });
    if (await more.count()) await more.click();
    await shown.getByText(t('fate.helped')).first().waitFor();
  },
  'a session shows what it taught and what was considered': async ({ panel, page, t, project }) => {
    const [{ short_id }] = project.json('list', '--session', 'helped', '-n', '1');
    await panel.open('/sessions/helped');
    await page.getByRole('heading', { name: t('sessions.memoriesLearnt') }).waitFor();
    await page.getByRole('heading', { name: t('sessions.considered') }).waitFor();
    await page.getByText(t('sessions.kept'), { exact: true }).first().waitFor();
    await panel.link('sessions.review').click();
    await panel.settle();
    assert.equal(panel.path(), '/review/helped');
    await panel.open('/sessions/helped');
    await page.locator(`section a[href="/memories/${short_id}"]`).first().click();
    await page.locator('article footer').waitFor();
  },
};
