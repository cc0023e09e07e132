// What happens elsewhere appears without a reload: memories of sessions that run, their events, and settings.
import { strict as assert } from 'node:assert';
import { before } from '../tacit.mjs';

export default {
  'a memory that a running session stores appears in the list': async ({ panel, page, project }) => {
    await panel.open('/memories');
    await page.locator('[role=row] a').first().waitFor();
    const loaded = await page.evaluate(() => performance.timeOrigin);
    const text = `The fog horn of ${panel.language} sounds twice a minute.`;
    project.run(['remember', '--type', 'gotcha', text], { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'running' } });
    await page.locator('[role=row]').filter({ hasText: 'fog horn' }).waitFor();
    assert.equal(await page.evaluate(() => performance.timeOrigin), loaded, 'without a reload');
  },
  'what a session that ends has taught is promoted before the eyes of the person': async ({ panel, page, t, project }) => {
    const session = `live-${panel.language}`;
    const fire = (event, payload, minute) => project.hook(session, event, payload, before(6 - minute));
    const build = { tool_name: 'Bash', tool_use_id: `${session}-build`, tool_input: { command: 'just build' } };
    fire('SessionStart', { source: 'startup' }, 0);
    await panel.open('/sessions');
    await page.locator('tbody tr').filter({ hasText: session }).waitFor();
    await panel.open(`/sessions/${session}`);
    fire('UserPromptSubmit', { prompt: 'No, use just here, not make.' }, 1);
    await page.locator('main ol li').filter({ hasText: t('event.prompt_submitted') }).first().waitFor();
    fire('PreToolUse', build, 2);
    fire('PostToolUse', { ...build, tool_response: { stdout: 'Done in 2s', stderr: '', interrupted: false } }, 3);
    fire('Stop', { stop_hook_active: false, last_assistant_message: 'Built.' }, 4);
    fire('SessionEnd', { reason: 'other' }, 5);
    await panel.open('/memories?type=preference');
    await page.locator('[role=row] a').first().waitFor();
    project.run(['session', 'learn']);
    const [learnt] = project.json('list', '--session', session, '-n', '5');
    assert.ok(learnt, 'the session taught something');
    await page.locator(`[role=row] a[href*="${learnt.short_id}"]`).waitFor();
  },
  'the number that waits follows': async ({ panel, page, project }) => {
    await panel.open('/sessions');
    const number = page.locator('nav a[href="/review"] .figures');
    await number.waitFor();
    const before = await number.innerText();
    project.remember(`The harbour seals of ${panel.language} sleep on the slip.`, { agent: true });
    await page.waitForFunction((text) => document.querySelector('nav a[href="/review"] .figures').innerText !== text, before);
  },
  'a setting that is changed in the terminal is shown': async ({ panel, project }) => {
    await panel.open('/settings');
    project.run(['config', 'set', 'recall.limit', '17']);
    await panel.page.waitForFunction(() => document.getElementById('key-recall.limit').value === '17');
    project.run(['config', 'unset', 'recall.limit']);
    await panel.page.waitForFunction(() => document.getElementById('key-recall.limit').value !== '17');
  },
  'a server that stops says so': async ({ panel, page, t, project, browser }) => {
    const own = await project.panel();
    const other = await panel.constructor.open(browser, own, { language: panel.language });
    await other.open('/teach');
    await other.page.getByText(t('live.on')).waitFor();
    await own.stop();
    await other.page.getByText(t('live.ended')).waitFor();
    await other.close();
    assert.equal(page.isClosed(), false);
  },
};
