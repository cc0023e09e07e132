// The dashboard: its figures, and the one click of every reason that lowers the score, in a project that has them all.
import { strict as assert } from 'node:assert';
import { Panel } from '../page.mjs';
import { Project } from '../tacit.mjs';

/** A project with everything that lowers the score; `bare` has no memory of its own. */
function neglected(tacit) {
  const project = new Project(tacit, { name: 'neglected' });
  project.run(['init', '--yes', '--no-hooks']);
  for (const module of ['alpha', 'beta', 'gamma']) {
    for (const file of ['one', 'two', 'three']) project.file(`src/${module}/${file}.ts`, `export const ${file} = 1;\n`);
  }
  project.git('add', '--all');
  project.git('commit', '--quiet', '--message', 'Begin');
  const words = { TACIT_EMBEDDING_PROVIDER: 'off' };
  const keep = (content, ...args) => JSON.parse(project.run(['remember', '--json', ...args, content], { env: words })).memory.id;
  // The one with a vector: without a model in the store, no memory waits for its vector.
  project.remember('Money is counted in cents.', { type: 'decision' });
  const stale = keep('The pool is drained before a fork.', '--type', 'gotcha');
  const wrong = keep('The cache holds a thousand rows.', '--type', 'gotcha');
  const lower = keep('Errors begin in lower case.', '--type', 'preference');
  const agent = { ...words, CLAUDECODE: '1' };
  const upper = JSON.parse(project.run(['remember', '--json', '--type', 'preference', 'Errors begin in upper case.'], { env: agent })).memory.id;
  project.run(['edit', upper, '--link', `conflicts_with:${lower}`], { env: agent });
  project.run(['flag', stale, '--outdated']);
  project.run(['flag', wrong, '--wrong']);
  project.run(['remember', '--type', 'pattern', 'Handlers never check limits.'], { env: agent });
  return project;
}

const row = ({ page, t }, id, count) => page.locator('main li').filter({ hasText: t(`reason.${id}`, { count }) });

async function inNeglected({ browser, panel: { language }, project: { tacit } }, flow, prepare = () => {}) {
  const project = neglected(tacit);
  prepare(project);
  const server = await project.panel();
  const panel = await Panel.open(browser, server, { language });
  try {
    await panel.open('/');
    await flow({ panel, page: panel.page, t: panel.t.bind(panel), project });
    assert.deepEqual(panel.problems, []);
  } catch (error) {
    error.picture = await panel.page.screenshot();
    throw error;
  } finally {
    await panel.close();
    await server.stop();
    project.remove();
  }
}

export default {
  'figures, modules, sessions and precision are shown': async ({ panel, page, t }) => {
    await panel.open('/');
    const { score } = await (await page.request.get(`${panel.server.origin}/api/v1/health`, {
      headers: { Authorization: `Bearer ${panel.server.token}` },
    })).json();
    assert.equal(await page.locator('meter').getAttribute('value'), String(score));
    await page.getByText(t('health.precision.text')).waitFor();
    await page.getByRole('img', { name: /2026|15|16/ }).first().waitFor();
    await page.getByText(t('health.asTable')).click();
    await page.getByRole('columnheader', { name: t('health.day'), exact: true }).waitFor();
    await page.getByRole('link', { name: /claude/i }).first().waitFor();
    await page.locator('main').getByRole('link', { name: 'src/cart', exact: true }).click();
    await page.locator('[role=row] a').first().waitFor();
    assert.equal(panel.query().get('module'), 'src/cart');
  },
  'the methodology leads to its choice': async ({ panel, page, t }) => {
    await panel.open('/');
    await page.locator('main').getByRole('link', { name: t('health.methodology') }).click();
    await panel.settle();
    assert.equal(panel.path(), '/settings/methodology');
  },
  'what waits, is flagged or is stale is one click away': (flow) =>
    inNeglected(flow, async (there) => {
      const { panel, page, t } = there;
      for (const [id, count, action, path] of [
        ['review_waiting', 1, 'act.review', '/review'], ['flaggedWrong', 2, 'act.review', '/review'],
        ['conflicts', 1, 'act.review', '/review'], ['stale', 2, 'act.memories', '/memories'],
      ]) {
        await panel.open('/');
        await row(there, id, count).getByRole('link', { name: t(action) }).click();
        await panel.settle();
        assert.equal(panel.path(), path, id);
      }
      await page.locator('[role=row]').filter({ hasText: 'drained' }).waitFor();
      assert.equal(await page.locator('[role=row] a').count(), 2, 'only stale memories are listed');
    }),
  'the code is indexed, memories are embedded and maintenance runs with one click each': (flow) =>
    inNeglected(flow, async (there) => {
      const { panel, page, t, project } = there;
      for (const [id, count, job] of [['no_graph', 1, 'index'], ['no_vectors', 5, 'reindex'], ['never_maintained', 1, 'maintain']]) {
        await row(there, id, count).getByRole('button', { name: t(`job.${job}`) }).click();
        await panel.notice('job.done', { job: t(`job.${job}`) });
        await panel.open('/settings');
        await panel.open('/');
        await row(there, id, count).waitFor({ state: 'detached' });
      }
      assert.notEqual(project.run(['code', 'map']), '');
      await row(there, 'modules_uncovered', 3).getByRole('link', { name: t('act.modules') }).click();
      await page.getByRole('link', { name: /^src\/alpha\s?:/ }).waitFor();
      assert.equal(panel.path(), '/map');
    }),
  'a failed step of maintenance names the command that explains it': (flow) =>
    inNeglected(
      flow,
      async (there) => {
        const { panel, page, t } = there;
        await row(there, 'store_problem', 1).getByRole('button', { name: t('action.copy') }).click();
        await panel.notice('card.copied');
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'tacit doctor');
        await page.getByRole('heading', { name: t('health.problems') }).waitFor();
      },
      (project) => {
        try {
          project.run(['maintain'], { env: { TACIT_PANIC_AT: 'maintain:judge what was shown' } });
        } catch {
          // A step that fails gives the exit code of a failure; that is what is wanted here.
        }
      },
    ),
  'a project without memory says how to begin': async ({ browser, panel: { language }, project: { tacit } }) => {
    const project = new Project(tacit, { name: 'bare' });
    const server = await project.panel();
    const panel = await Panel.open(browser, server, { language });
    await panel.page.goto(server.url);
    await panel.text(panel.t('init.title')).waitFor();
    await panel.page.getByText('tacit init').waitFor();
    await panel.close();
    await server.stop();
    project.remove();
  },
};
