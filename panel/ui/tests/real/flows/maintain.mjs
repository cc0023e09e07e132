// Backups, export and long jobs. Last, since a restore takes the store back to an earlier state.
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';

export default {
  'all memories are exported, and can be imported again': async ({ panel, page, t, project }) => {
    await panel.open('/settings/backups');
    for (const [format, name, expected] of [['export.jsonl', 'tacit.jsonl', /"format":"tacit-export"/], ['export.markdown', 'tacit.md', /^<!-- tacit-export/]]) {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: t(format) }).click()]);
      assert.equal(download.suggestedFilename(), name);
      const file = await download.path();
      const text = readFileSync(file, 'utf8');
      assert.match(text, expected);
      if (name.endsWith('l')) assert.equal(text, project.run(['export']));
    }
  },
  'a backup is made and restored': async ({ panel, page, t, project }) => {
    await panel.open('/settings/backups');
    project.remember(`Before the backup, the quay of ${panel.language} is dry.`);
    // Maintenance made one of this day five minutes ago; each that is asked for is another.
    const rows = page.locator('main tbody tr');
    const requested = rows.filter({ hasText: t('backups.requested') });
    for (const number of [1, 2]) {
      await panel.button('backups.now').click();
      await requested.nth(number - 1).waitFor();
      assert.equal(await requested.count(), number);
    }
    await panel.notice('backups.made');
    const after = project.remember(`After the backup, the quay of ${panel.language} is wet.`);
    await requested.filter({ hasText: t('store.project') }).first().getByRole('button').click();
    const dialog = page.getByRole('dialog', { name: t('backups.restoreTitle') });
    await dialog.getByRole('button', { name: t('backups.restore') }).click();
    await page.locator('.notice').getByText(/\d/).waitFor();
    assert.throws(() => project.run(['show', after.id]), /Command failed/);
    assert.equal(project.json('recall', 'quay is dry').length > 0, true);
    await page.getByText(t('backups.replaced')).first().waitFor();
    await panel.open('/memories?q=quay');
    await page.locator('[role=row]').filter({ hasText: 'dry' }).first().waitFor();
    assert.equal(await page.locator('[role=row]').filter({ hasText: 'wet' }).count(), 0);
  },
  'long work shows its progress wherever one is, and can be cancelled': async ({ panel, page, t }) => {
    await panel.open('/settings/storage');
    await panel.button('storage.maintain').first().click();
    const job = page.locator('.sidebar .job');
    await job.getByText(t('job.maintain')).waitFor();
    await panel.open('/recipes');
    await job.getByRole('progressbar').waitFor();
    await job.getByRole('button', { name: t('action.cancel') }).click();
    await page.locator('.notice').getByText(t('job.cancelled', { job: t('job.maintain') })).waitFor({ timeout: 60_000 });
    await job.waitFor({ state: 'detached' });
    assert.equal(panel.path(), '/recipes');
  },
};
