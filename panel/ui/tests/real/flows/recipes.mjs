// Recipes: a new one with a canonical file, and an edited one.
import { strict as assert } from 'node:assert';

export default {
  'a recipe is added, edited and taken back': async ({ panel, page, t, project }) => {
    await panel.open('/recipes');
    await panel.button('recipes.add').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(t('recipes.task')).fill('Moor a ship');
    await dialog.getByLabel(t('recipes.step', { n: 1 }), { exact: true }).fill('Throw the line');
    await dialog.getByLabel(t('recipes.file', { n: 1 })).fill('src/cart/routes.rs');
    await dialog.getByRole('button', { name: t('recipes.addStep') }).click();
    await dialog.getByLabel(t('recipes.step', { n: 2 }), { exact: true }).fill('Make it fast');
    await dialog.getByRole('button', { name: t('action.save') }).click();
    await panel.notice('recipes.saved');
    const stored = () => project.json('list', '--type', 'workflow_recipe', '-n', '5000').find(({ content, title, details }) => `${title} ${content} ${details?.task_pattern}`.includes('Moor a ship'));
    const { id } = stored();
    const steps = () => project.memory(id).details.steps.map(({ description, canonical_file }) => [description, canonical_file]);
    assert.deepEqual(steps(), [['Throw the line', 'src/cart/routes.rs'], ['Make it fast', undefined]]);
    const article = page.locator('article').filter({ hasText: 'Moor a ship' });
    await article.getByText('src/cart/routes.rs').waitFor();
    await article.getByText(t('recipes.success', { count: project.memory(id).details.success_count })).waitFor();

    await article.getByRole('button', { name: t('recipes.edit') }).click();
    await dialog.getByLabel(t('recipes.step', { n: 2 }), { exact: true }).fill('Make it fast, twice');
    await dialog.getByRole('button', { name: t('recipes.removeStep', { n: 1 }) }).click();
    await dialog.getByRole('button', { name: t('action.save') }).click();
    // The message of the first time may still be there.
    await dialog.waitFor({ state: 'detached' });
    await panel.notice('recipes.saved');
    assert.deepEqual(steps(), [['Make it fast, twice', undefined]]);
    await panel.undo();
    assert.equal(steps().length, 2);
  },
  'a recipe without steps cannot be saved': async ({ panel, page, t }) => {
    await panel.open('/recipes');
    await panel.button('recipes.add').click();
    await page.getByLabel(t('recipes.task')).fill('Nothing to do');
    assert.equal(await panel.button('action.save').isDisabled(), true);
  },
  'two clicks on Save add one recipe': async ({ panel, page, t, project }) => {
    await panel.open('/recipes');
    await panel.button('recipes.add').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(t('recipes.task')).fill(`Paint the buoy of ${panel.language}`);
    await dialog.getByLabel(t('recipes.step', { n: 1 }), { exact: true }).fill('Scrape it');
    await dialog.getByRole('button', { name: t('action.save') }).evaluate((button) => (button.click(), button.click()));
    await dialog.waitFor({ state: 'detached' });
    await panel.notice('recipes.saved');
    await page.locator('article').filter({ hasText: `Paint the buoy of ${panel.language}` }).waitFor();
    const stored = project.json('list', '--type', 'workflow_recipe', '-n', '5000').filter((memory) => JSON.stringify(memory).includes(`Paint the buoy of ${panel.language}`));
    assert.equal(stored.length, 1);
    assert.equal(stored[0].observations, 1, 'and it is stored once');
    await panel.undo();
  },
};
