// Storage: statistics, each control of pruning with its preview, and forgetting for good.
import { strict as assert } from 'node:assert';

/** Counts what an export contains: one line each, after the first. */
const count = (project, status) => project.run(['export', '--status', status]).trim().split('\n').length - 1;
const firstNumber = (text) => Number(/[\d\s.,\u00a0\u202f]*\d/.exec(text)[0].replaceAll(/\D/g, ''));

/** Previews a rule, applies it, and takes it back. */
async function prune({ panel, page, t, project }, rule, status) {
  await page.getByRole('button', { name: t('state.pair', { label: t('prune.preview'), text: t(`prune.${rule}`) }) }).click();
  const preview = page.locator('.preview');
  const apply = preview.locator('.danger');
  await apply.waitFor();
  const number = firstNumber(await apply.innerText());
  assert.ok(number > 0);
  await preview.getByText(/[0-9]/).first().waitFor();
  const before = count(project, status);
  assert.equal(count(project, status), before, 'a preview changes nothing');
  await apply.click();
  await panel.notice('prune.done', { count: number });
  assert.equal(count(project, status), before + number);
  await panel.undo();
  assert.equal(count(project, status), before);
}

export default {
  'the statistics are those of the store': async ({ panel, page, t, project }) => {
    await panel.open('/settings/storage');
    const totals = await page.locator('.totals').first().innerText();
    assert.equal(firstNumber(totals), count(project, 'all'));
    for (const title of ['byType', 'byScope', 'bySource', 'byStatus']) await page.getByText(t(`storage.${title}`)).first().waitFor();
    for (const scope of ['global', 'module', 'work_unit', 'session']) await page.getByRole('cell', { name: t(`scope.${scope}`) }).first().waitFor();
  },
  'memories of deleted files are removed': async (flow) => {
    await flow.panel.open('/settings/storage');
    await prune(flow, 'missing_files', 'retired');
  },
  'memories of finished work are archived': async (flow) => {
    const { panel, page, t } = flow;
    await panel.open('/settings/storage');
    const preview = page.getByRole('button', { name: t('state.pair', { label: t('prune.preview'), text: t('prune.finished_work') }) });
    assert.equal(await preview.isDisabled(), true, 'no unit is chosen yet');
    await page.getByLabel(/042 \/ .*1/).check();
    await prune(flow, 'finished_work', 'archived');
  },
  'memories of low confidence are removed': async (flow) => {
    const { panel } = flow;
    await panel.open('/settings/storage');
    await panel.field('prune.below').fill('0.3');
    await panel.field('prune.unused').fill('20');
    await prune(flow, 'low_confidence', 'retired');
  },
  'a rule that finds nothing says so': async ({ panel, page, t }) => {
    await panel.open('/settings/storage');
    await panel.field('prune.below').fill('0');
    await page.getByRole('button', { name: t('state.pair', { label: t('prune.preview'), text: t('prune.low_confidence') }) }).click();
    await page.getByText(t('prune.nothing')).waitFor();
  },
  'forgetting for good needs the typed word, and leaves nothing': async ({ panel, page, t, project }) => {
    const { id, short_id } = project.remember('The password of the harbour safe is turbot.');
    project.run(['forget', id]);
    await panel.open(`/memories/${short_id}`);
    await page.locator('article').getByText('turbot').first().waitFor();
    await panel.link('settings.forget').last().click();
    await panel.settle();
    assert.equal(await panel.field('forget.id').inputValue(), short_id);
    await page.getByText('turbot').waitFor();
    const forget = panel.button('forget.apply', { count: 1 });
    assert.equal(await forget.isDisabled(), true);
    await page.getByLabel(t('forget.type', { word: t('forget.word') })).fill(t('forget.word'));
    await forget.click();
    await panel.notice('forget.done', { count: 1 });
    assert.throws(() => project.run(['show', id]), /Command failed/);
    // The card that led here has no text any more, and says why.
    await page.goBack();
    await page.locator('article [role=alert]').waitFor();
    assert.equal(await page.getByText('turbot').count(), 0);
    panel.problems.length = 0;
    assert.doesNotMatch(project.run(['export', '--status', 'all']), /turbot/);
  },
  'a preview that comes late is not applied to other limits': async ({ panel, page, t }) => {
    await panel.open('/settings/storage');
    const preview = page.getByRole('button', { name: t('state.pair', { label: t('prune.preview'), text: t('prune.low_confidence') }) });
    const answered = (below) => page.waitForResponse((answer) => answer.url().endsWith('/prune/preview') && JSON.parse(answer.request().postData()).below === below);
    const estimate = answered(0.3);
    await panel.field('prune.below').fill('0.3');
    await estimate;
    let release;
    const held = new Promise((done) => (release = done));
    const asked = new Promise((done) =>
      page.route('**/api/v1/prune/preview', (route) => (done(), held.then(() => route.continue())), { times: 1 }),
    );
    await preview.click();
    await asked;
    await panel.field('prune.below').fill('0.01');
    const late = answered(0.3);
    release();
    await late;
    await panel.settle();
    assert.equal(await page.locator('.preview').count(), 0, 'it is about limits that are gone');
    await preview.click();
    await page.locator('.preview').waitFor();
  },
};
