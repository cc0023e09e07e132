// Questions about what is known.
import { strict as assert } from 'node:assert';

export default {
  'an answer cites memories, and says when nothing is known': async ({ panel, page, t, project }) => {
    const { id, short_id } = project.remember('The sluice gate of the marina opens at half tide; before that, the sill has no water.');
    await panel.open('/chat');
    const field = page.getByRole('textbox', { name: t('chat.ask') });
    await field.fill('What do you know about the sluice gate of the marina?');
    await panel.press('Enter');
    const answer = page.locator('article').first();
    const citation = answer.locator(`li a[href="/memories/${short_id}"]`);
    await citation.waitFor();
    await answer.getByText('half tide').first().waitFor();
    await answer.getByText(t('chat.quoted')).waitFor();
    await field.fill('xylophonist zebra quadrille?');
    await panel.button('chat.ask').click();
    await page.locator('article').nth(1).getByText(t('chat.unknown')).waitFor();
    assert.equal(await page.locator('article').nth(1).locator('li').count(), 0);
    await citation.click();
    await page.locator('article footer').waitFor();
    assert.equal(panel.path(), `/memories/${short_id}`);
    project.run(['forget', id]);
  },
  'what is not known can be taught': async ({ panel, page, t }) => {
    await panel.open('/chat');
    await page.getByRole('textbox', { name: t('chat.ask') }).fill('xylophonist zebra quadrille?');
    await panel.press('Enter');
    await panel.link('chat.teach').click();
    await panel.field('teach.text').waitFor();
  },
};
