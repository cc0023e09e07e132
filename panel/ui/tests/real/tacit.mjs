// A project of its own in a temporary folder, with commands of the built binary, hooks and the panel's server.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** The time of every project: a fixed one, so that a run can be repeated. */
export const NOW = '2026-11-18T10:30:00Z';
const LARGEST_OUTPUT = 256 * 1024 * 1024;

/** Returns the time some minutes before `NOW`. */
export const before = (minutes) => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();

export class Project {
  /** `tacit` is the path of the binary, `name` the folder's, and `base` the one around it, if its name is seen. */
  constructor(tacit, { name = 'shop', base } = {}) {
    this.tacit = tacit;
    if (base) {
      rmSync(base, { recursive: true, force: true });
      mkdirSync(base, { recursive: true });
    }
    this.base = realpathSync(base ?? mkdtempSync(join(tmpdir(), 'tacit-panel-')));
    this.root = join(this.base, name);
    this.home = join(this.base, 'home');
    this.seed = 1;
    this.env = {
      PATH: process.env.PATH, HOME: this.base, USER: 'ada', TACIT_HOME: this.home, TACIT_NOW: NOW, TACIT_MAINTAIN_AUTO: 'false',
      GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_DATE: '2026-09-01T09:00:00Z', GIT_COMMITTER_DATE: '2026-09-01T09:00:00Z', GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org',
      GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org',
    };
    mkdirSync(this.root);
    this.git('init', '--quiet', '--initial-branch=main');
  }

  /** Returns the environment of a command; each gets identifiers of its own. */
  environment(more = {}) {
    this.seed += 1;
    return { ...this.env, TACIT_ID_SEED: String(this.seed), ...more };
  }

  git(...args) {
    return execFileSync('git', args, { cwd: this.root, env: this.env, encoding: 'utf8' });
  }

  file(path, content) {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
  }

  /** Runs a command, with `input` and `env` if given in `options`. */
  run(args, { input, env } = {}) {
    return execFileSync(this.tacit, args, {
      cwd: this.root, env: this.environment(env), encoding: 'utf8', input: input ?? '', maxBuffer: LARGEST_OUTPUT,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** Runs a command while the page goes on. */
  async runAside(args) {
    await promisify(execFile)(this.tacit, args, { cwd: this.root, env: this.environment(), maxBuffer: LARGEST_OUTPUT });
  }

  json(...args) {
    return JSON.parse(this.run([...args, '--json']));
  }

  /** Returns one memory as the command line shows it. */
  memory(id) {
    return this.json('show', id)[0];
  }

  /** Stores a memory and returns it. `agent` makes it an agent's, which waits for a person. */
  remember(content, { type = 'gotcha', agent = false, args = [] } = {}) {
    const env = agent ? { CLAUDECODE: '1' } : {};
    const stored = JSON.parse(this.run(['remember', '--type', type, '--json', ...args, content], { env }));
    return this.memory((stored.memory ?? stored).id);
  }

  /** Sends an event of Claude Code through the real hook; returns its reply. */
  hook(session, event, payload = {}, at = NOW) {
    const input = JSON.stringify({ session_id: session, cwd: this.root, hook_event_name: event, ...payload });
    return this.run(['hook', 'claude'], { input, env: { TACIT_NOW: at } });
  }

  /** Starts the panel's server; `stop` ends it. */
  async panel(...args) {
    const server = spawn(this.tacit, ['panel', '--no-open', '--json', ...args], {
      cwd: this.root, env: this.environment(), stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise((done) => server.once('exit', done));
    const line = await new Promise((done, failed) => {
      createInterface({ input: server.stdout }).once('line', done);
      void ended.then((code) => failed(new Error(`tacit panel ended with ${code}`)));
    });
    const { url } = JSON.parse(line);
    const { origin, port, hash } = new URL(url);
    const token = new URLSearchParams(hash.slice(1)).get('token');
    return { url, origin, port, token, pid: server.pid, stop: () => (server.kill('SIGINT'), ended) };
  }

  remove() {
    rmSync(this.base, { recursive: true, force: true });
  }
}
