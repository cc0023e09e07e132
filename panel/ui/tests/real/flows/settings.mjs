// Configuration, methodology, and the embedding model with its index.
import { strict as assert } from 'node:assert';

const key = (page, name) => page.locator(`[id="key-${name}"]`);
const value = (project, name) => project.run(['config', 'get', name]).trim();

export default {
  'a key is found, set and reset': async ({ panel, page, t, project }) => {
    await panel.open('/settings');
    const standard = value(project, 'recall.limit');
    await panel.press('f');
    await page.keyboard.type('recall.limit');
    await key(page, 'recall.limit').fill('23');
    await panel.press('Tab');
    await panel.notice('settings.saved', { key: 'recall.limit' });
    assert.equal(value(project, 'recall.limit'), '23');
    await page.getByLabel(t('settings.changedOnly')).check();
    await panel.button('settings.reset').click();
    await panel.notice('settings.unset', { key: 'recall.limit' });
    assert.equal(value(project, 'recall.limit'), standard);
  },
  'a switch, a choice and another file': async ({ panel, page, t, project }) => {
    await panel.open('/settings');
    await page.getByLabel(t('settings.layer')).selectOption('user');
    await key(page, 'ui.color').selectOption('never');
    await panel.notice('settings.saved', { key: 'ui.color' });
    assert.match(project.run(['config', 'list']), /ui\.color.*never/);
    const auto = value(project, 'recall.hyde');
    await key(page, 'recall.hyde').click();
    await panel.notice('settings.saved', { key: 'recall.hyde' });
    assert.notEqual(value(project, 'recall.hyde'), auto);
    for (const name of ['ui.color', 'recall.hyde']) project.run(['config', 'unset', name, '--global']);
  },
  'a value out of range is refused and the old one comes back': async ({ panel, page, project }) => {
    await panel.open('/settings');
    const standard = value(project, 'recall.limit');
    await key(page, 'recall.limit').fill('-5');
    await panel.press('Tab');
    await page.locator('.notice.error').waitFor();
    assert.equal(value(project, 'recall.limit'), standard);
    // The refusal is the answer that this flow wants.
    panel.problems.length = 0;
  },
  'a methodology is chosen': async ({ panel, page, t, project }) => {
    await panel.open('/settings/methodology');
    await page.getByRole('button', { name: new RegExp(`^${t('methodology.use')} `) }).first().click();
    await panel.notice('settings.saved', { key: 'methodology.active' });
    assert.notEqual(value(project, 'methodology.active'), 'native');
    project.run(['config', 'unset', 'methodology.active']);
  },
  'embeddings are built again with progress, and that is cancelled': async ({ panel, page, t, project }) => {
    await panel.open('/settings/models');
    await page.getByText(/tacit-embed/).first().waitFor();
    await panel.button('models.reindex').click();
    const progress = page.locator('main progress');
    await progress.waitFor();
    await page.waitForFunction(() => document.querySelector('main progress')?.value > 0);
    await page.locator('.sidebar progress').waitFor();
    await page.locator('.sidebar .job').getByRole('button', { name: t('action.cancel') }).click();
    await panel.notice('job.cancelled', { job: t('job.reindex') });
    await progress.waitFor({ state: 'detached' });
    assert.match(project.run(['status', '--json']), /vector/);
  },
  'another provider is chosen for embeddings': async ({ panel, page, project }) => {
    await panel.open('/settings/models');
    await key(page, 'embedding.provider').selectOption('off');
    await panel.notice('settings.saved', { key: 'embedding.provider' });
    assert.equal(value(project, 'embedding.provider'), 'off');
    await panel.button('settings.reset').click();
    await panel.notice('settings.unset', { key: 'embedding.provider' });
    assert.equal(value(project, 'embedding.provider'), 'bundled');
  },
  'an emptied number is refused, and the field shows what is in force': async ({ panel, page, project }) => {
    await panel.open('/settings');
    const standard = value(project, 'backups.daily');
    for (const typed of ['', '-5']) {
      await key(page, 'backups.daily').fill(typed);
      await panel.press('Tab');
      await page.locator('.notice.error').first().waitFor();
      await page.waitForFunction((wanted) => document.getElementById('key-backups.daily').value === wanted, standard);
      assert.equal(value(project, 'backups.daily'), standard);
      for (const close of await page.locator('.notice.error button').all()) await close.click();
    }
    panel.problems.length = 0;
  },
  'a value that another file overrides is said to have no effect': async ({ panel, page, t, project }) => {
    project.run(['config', 'set', 'recall.limit', '17']);
    await panel.open('/settings');
    await page.waitForFunction(() => document.getElementById('key-recall.limit').value === '17');
    await page.getByLabel(t('settings.layer')).selectOption('user');
    await key(page, 'recall.limit').fill('23');
    await panel.press('Tab');
    const said = new RegExp(t('settings.overridden', { key: 'recall.limit', value: '17', origin: '' }).replaceAll('.', '\\.').replaceAll(/\s/g, '\\s'));
    await page.locator('.notice').getByText(said).waitFor();
    await page.waitForFunction(() => document.getElementById('key-recall.limit').value === '17');
    await panel.button('settings.reset').click();
    await page.locator('.notice').getByText(/23/).waitFor();
    project.run(['config', 'unset', 'recall.limit', '--global']);
  },
};
