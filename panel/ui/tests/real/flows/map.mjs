// The map of modules: circles that lead to memories, with the mouse and with the keyboard.
import { strict as assert } from 'node:assert';

export default {
  'a module is chosen with the keyboard, explained, and opened': async ({ panel, page, t, project }) => {
    await panel.open('/map');
    await page.getByRole('link', { name: /^src\/billing\s?:/ }).focus();
    const details = page.locator('main aside');
    await details.getByRole('heading', { name: 'src/billing' }).waitFor();
    await details.getByText('src/cart', { exact: true }).first().waitFor();
    await details.getByRole('heading', { name: t('map.imports') }).waitFor();
    await details.getByRole('heading', { name: t('map.cochange') }).waitFor();
    await panel.press('Tab');
    assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^src\/cart\s?:/, 'Tab goes from module to module');
    await panel.press('Enter');
    await page.locator('[role=row] a').first().waitFor();
    assert.equal(panel.query().get('module'), 'src/cart');
    const [{ short_id }] = project.json('list', '--module', 'src/cart', '-n', '1');
    await page.locator(`[role=row] a[href*="${short_id}"]`).waitFor();
  },
  'a click explains a module, what the mouse crosses does not, and a second one opens its memories': async ({ panel, page }) => {
    await panel.open('/map');
    const module = (name) => page.getByRole('link', { name: new RegExp(`^src/${name}\\s?:`) });
    await module('auth').click();
    const title = page.locator('main aside h2').first();
    await page.locator('main aside').getByRole('heading', { name: 'src/auth' }).waitFor();
    assert.equal(panel.path(), '/map');
    await module('billing').hover();
    assert.equal(await title.innerText(), 'src/auth');
    await module('auth').click();
    await page.locator('[role=row] a').first().waitFor();
    assert.equal(panel.query().get('module'), 'src/auth');
  },
  'the list has every module with its coverage': async ({ panel, page, t }) => {
    await panel.open('/map');
    await panel.button('map.list').click();
    await panel.settle();
    assert.equal(panel.query().get('as'), 'list');
    const more = panel.button('action.more');
    if (await more.count()) await more.click();
    await page.getByRole('link', { name: 'src/legacy', exact: true }).waitFor();
    await page.getByRole('columnheader', { name: t('health.e2e') }).waitFor();
  },
};
