// Attacks on the panel with a real browser: a name that leads to this machine, a page of another origin, texts that
// would be code, and an address without its token.
import { strict as assert } from 'node:assert';
import { createServer } from 'node:http';
import { Panel, startBrowser } from './page.mjs';
import { Project } from './tacit.mjs';

const SECRET = 'The vault of the lighthouse opens with the number 8261.';
/** As long as a memory may be. */
const LONGEST = 'Donaudampfschifffahrt'.repeat(390);
const HOSTILE = [
  '<script>globalThis.broken = 1</script> runs in the hold',
  '<img src=x onerror="globalThis.broken = 1"> hangs in the hold',
  '[click me](javascript:globalThis.broken=1) in the hold',
  'The hold is \u202Egnorw\u202C and {@html "<b>broken</b>"} in the \u0000 hold',
  '`<svg onload=globalThis.broken=1>` in the hold',
];

/** Starts a page of another origin, and returns its address. */
async function stranger(body) {
  const server = createServer((_, answer) => answer.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html>${body}`));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() };
}

/** Everything that a page can try against an address; returns what it could read. */
async function tryEverything({ origin, token }) {
  const headers = { Authorization: `Bearer ${token}` };
  const read = {};
  const attempt = async (name, work) => {
    try {
      read[name] = await work();
    } catch (error) {
      read[name] = `refused: ${error}`;
    }
  };
  const api = `${origin}/api/v1/memories`;
  await attempt('fetch', async () => (await fetch(api)).text());
  await attempt('fetch with the token', async () => (await fetch(api, { headers })).text());
  await attempt('fetch without cors', async () => (await fetch(api, { mode: 'no-cors' })).text());
  await attempt('post', async () => (await fetch(api, { method: 'POST', mode: 'no-cors', body: '{"content":"planted"}' })).text());
  await attempt('post json', async () => (await fetch(api, { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: '{"content":"planted"}' })).text());
  await attempt('beacon', () => String(navigator.sendBeacon(api, '{"content":"planted"}') && ''));
  const outcome = (element, parent = document.body) =>
    new Promise((done, failed) => {
      element.onload = () => done(element.tagName);
      element.onerror = () => failed(new Error('no answer'));
      parent.append(element);
    });
  await attempt('image', () => outcome(Object.assign(new Image(), { src: `${origin}/icon.svg` })));
  await attempt('script', () => outcome(Object.assign(document.createElement('script'), { src: api })));
  await attempt('style', () => outcome(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: api }), document.head));
  await attempt('events', () => new Promise((done, failed) => {
    const events = new EventSource(`${origin}/api/v1/events`);
    events.onmessage = () => done('a message');
    events.onerror = () => failed(new Error('no stream'));
  }));
  await attempt('socket', () => new Promise((done, failed) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/api/v1/events`);
    socket.onopen = () => done('open');
    socket.onerror = () => failed(new Error('no socket'));
  }));
  return read;
}

const ATTACKS = {
  'a name that leads to this machine gets 421': async ({ server }) => {
    const browser = await startBrowser('--host-resolver-rules=MAP evil.test 127.0.0.1,MAP localhost.evil.test [::1]');
    try {
      const page = await (await browser.newContext()).newPage();
      for (const name of ['evil.test', 'localhost.evil.test']) {
        for (const path of ['/', '/api/v1/memories', '/icon.svg', `/#token=${server.token}`]) {
          await page.goto('about:blank');
          const answer = await page.goto(`http://${name}:${server.port}${path}`);
          assert.equal(answer.status(), 421, `${name}${path}`);
        }
        const status = await page.evaluate(async (token) => (await fetch('/api/v1/memories', { headers: { Authorization: `Bearer ${token}` } })).status, server.token);
        assert.equal(status, 421, 'a page that the name shows gets nothing either, even with the token');
        assert.ok(!(await page.content()).includes('Tacit'));
      }
    } finally {
      await browser.close();
    }
  },
  'a page of another origin reads and writes nothing': async ({ browser, server, project }) => {
    const evil = await stranger('<title>evil</title><body>');
    const page = await (await browser.newContext()).newPage();
    await page.goto(evil.url);
    const before = project.json('list').length;
    const read = await page.evaluate(tryEverything, { origin: server.origin, token: server.token });
    for (const [name, got] of Object.entries(read)) {
      assert.ok(got === '' || got.startsWith('refused: '), `${name}: ${got}`);
    }
    assert.equal(project.json('list').length, before, 'nothing was stored');
    evil.stop();
    await page.context().close();
  },
  'a form of another origin is refused': async ({ browser, server, project }) => {
    const evil = await stranger(`<form method="post" enctype="text/plain" action="${server.origin}/api/v1/memories">
      <input name='{"content":"planted in the hold","x":"' value='"}'></form>`);
    const page = await (await browser.newContext()).newPage();
    await page.goto(evil.url);
    const [answer] = await Promise.all([page.waitForNavigation(), page.evaluate(() => document.forms[0].submit())]);
    assert.equal(answer.status(), 403);
    assert.ok(!project.run(['export']).includes('planted'));
    evil.stop();
    await page.context().close();
  },
  'the panel is not shown in a frame': async ({ browser, server }) => {
    const evil = await stranger(`<iframe src="${server.url}"></iframe>`);
    const page = await (await browser.newContext()).newPage();
    const answers = [];
    page.on('response', (answer) => answer.url().startsWith(server.origin) && answers.push(answer.status()));
    await page.goto(evil.url);
    await page.waitForFunction(() => document.readyState === 'complete');
    for (const frame of page.frames().slice(1)) assert.ok(!(await frame.content()).includes('id="panel"'), 'the frame is empty');
    assert.deepEqual(answers.filter((status) => status < 400), []);
    evil.stop();
    await page.context().close();
  },
  'a link from elsewhere opens a page without data': async ({ browser, server }) => {
    const evil = await stranger(`<a href="${server.origin}/memories">look</a>`);
    const panel = await Panel.open(browser, server);
    await panel.page.goto(evil.url);
    await panel.page.click('a');
    await panel.text(panel.t('token.title')).waitFor();
    assert.ok(!(await panel.page.content()).includes('lighthouse'));
    evil.stop();
    await panel.close();
  },
  'an address without its token, or with a wrong one, shows nothing': async ({ browser, server }) => {
    for (const fragment of ['', '#token=', `#token=${'0'.repeat(server.token.length)}`]) {
      const panel = await Panel.open(browser, server);
      await panel.page.goto(`${server.origin}/memories${fragment}`);
      await panel.text(panel.t('token.title')).waitFor();
      assert.ok(!(await panel.page.content()).includes('lighthouse'));
      await panel.close();
    }
  },
  'the token stays in its tab': async ({ browser, server }) => {
    const panel = await Panel.open(browser, server);
    await panel.open('/memories');
    const { page } = panel;
    assert.deepEqual(await page.context().cookies(), []);
    assert.ok(!(await page.evaluate(() => JSON.stringify(localStorage))).includes(server.token));
    const other = await page.context().newPage();
    await other.goto(`${server.origin}/memories`);
    await other.getByText(panel.t('token.title')).first().waitFor();
    await panel.close();
  },
  'hostile texts are texts': async ({ browser, server, project }) => {
    for (const language of ['en', 'fr']) {
      const panel = await Panel.open(browser, server, { language });
      const { page } = panel;
      await panel.open('/memories?q=hold');
      await page.locator('[role=row] a').nth(HOSTILE.length - 1).waitFor();
      for (const { short_id, content } of project.json('list').filter(({ content }) => content.includes('hold'))) {
        await panel.open(`/memories/${short_id}`);
        await page.locator('article footer').waitFor();
        const shown = await page.locator('article .text').innerText();
        assert.ok(shown.length > 10, content);
        assert.equal(await page.locator('main article script, main article img, main article a[href^="javascript"]').count(), 0, content);
      }
      await panel.open('/chat');
      await page.getByRole('textbox', { name: panel.t('chat.ask') }).fill('What runs in the hold?');
      await panel.press('Enter');
      await page.locator('article li a').first().waitFor();
      assert.equal(await page.evaluate(() => globalThis.broken), undefined);
      assert.deepEqual(panel.problems, []);
      await panel.close();
    }
  },
  'a word without an end does not break the layout': async ({ browser, server, project }) => {
    const panel = await Panel.open(browser, server);
    const { page } = panel;
    const long = project.json('list').find(({ content }) => content.includes('Donau'));
    const fits = async (where) => {
      const [wide, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= window, `${where} is ${wide} px wide`);
    };
    for (const path of ['/memories', `/memories/${long.short_id}`, '/review', '/memories?q=Donau']) {
      await panel.open(path);
      if (path.includes(long.short_id)) await page.locator('article footer').waitFor();
      await fits(path);
    }
    await panel.open('/teach');
    await panel.field('teach.text').fill(LONGEST.repeat(13));
    await panel.button('teach.save').click();
    await page.locator('.notice.error').waitFor();
    await fits('the refusal of a text of 100 KB');
    await panel.close();
  },
};

export async function attacks(browser, tacit, { fail, chosen }) {
  const project = new Project(tacit);
  project.run(['init', '--yes', '--no-hooks']);
  const words = { TACIT_EMBEDDING_PROVIDER: 'off' };
  project.run(['remember', '--type', 'gotcha', SECRET], { env: words });
  for (const text of HOSTILE) project.run(['remember', '--type', 'gotcha', '--stdin'], { env: { ...words, CLAUDECODE: '1' }, input: text });
  project.run(['remember', '--type', 'gotcha', '--stdin'], { env: words, input: LONGEST });
  const server = await project.panel();
  try {
    for (const [name, attack] of Object.entries(ATTACKS).filter(([name]) => chosen(`attack: ${name}`))) {
      const start = Date.now();
      try {
        await attack({ browser, server, project });
        console.log(`ok attack: ${name} (${Date.now() - start} ms)`);
      } catch (error) {
        await fail(`attack: ${name}`, error);
      }
    }
  } finally {
    await server.stop();
    project.remove();
  }
}
