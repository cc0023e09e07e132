import type { ConfigKey, Job, JobKind } from '../src/lib/api/types';
import { iso, itemOf, NOW } from './generate';
import type { MockServer, Reply } from './server';
import { say } from './say';

const key = (name: string, help: string, value: ConfigKey['value'], rest: Partial<ConfigKey> = {}): ConfigKey => ({
  key: name, pattern: name, help, takes: typeof value, default: value, value, origin: { kind: 'default' },
  kind: typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'int' : 'text', settable: true, why_not: null, shareable: false, ...rest,
});

const keys: ConfigKey[] = [
  key('capture.mode', 'What an agent does with something it learns: propose it first, store it and say so, or leave it.', 'ask-first', { kind: 'choice', choices: ['ask-first', 'silent', 'off'] }),
  key('capture.extractor', 'How sessions become memories and records.', 'auto', { kind: 'choice', choices: ['auto', 'agent', 'model', 'rules', 'off'] }),
  key('capture.paused', 'Capture nothing from sessions: no events, no notes, no learning.', false, { shareable: true }),
  key('capture.silent_budget', 'Memories that an agent may store in a session without asking.', 5, { min: 0, max: 100 }),
  key('recall.limit', 'Maximum number of memories that recall and list show.', 10, { min: 1, max: 1000, value: 20, origin: { kind: 'file', path: '/home/ada/shop/.git/tacit/config.toml', layer: 'project' }, shareable: true }),
  key('recall.profile', 'Ranking: balanced, relevance or seed.', 'balanced', { kind: 'choice', choices: ['balanced', 'relevance', 'seed'], shareable: true }),
  key('recall.hyde', 'If a query finds little, search again with a hypothetical answer.', true),
  key('hooks.tokens.prompt', 'Approximate tokens that a hook may inject with a prompt.', 600, { min: 0, max: 8000, pattern: 'hooks.tokens.<event>' }),
  key('hooks.tokens.session', 'Approximate tokens that a hook may inject at the start of a session.', 2000, { min: 0, max: 8000, pattern: 'hooks.tokens.<event>' }),
  key('review.remind', 'Say at the start of a session how many memories wait for review.', true),
  key('embedding.provider', 'Provider of vectors for search by meaning.', 'bundled', { kind: 'choice', choices: ['bundled', 'auto', 'ollama', 'openai', 'off'] }),
  key('embedding.ollama.model', 'Model with which Ollama embeds.', 'qwen3-embedding:4b', { pattern: 'embedding.<provider>.model' }),
  key('generation.provider', 'Provider of the text model.', 'off', { kind: 'choice', choices: ['off', 'ollama', 'openai', 'anthropic', 'command'] }),
  key('generation.model', 'Model that writes text.', ''),
  key('records.decision.threshold', 'Minimum score for capturing a record of this category.', 0.4, { kind: 'float', min: 0, max: 1, pattern: 'records.<category>.threshold' }),
  key('methodology.active', 'Methodology.', 'native', { shareable: true }),
  key('backups.daily', 'Days for which a backup of each store is kept.', 7, { min: 0, max: 365, pattern: 'backups.<period>' }),
  key('maintain.auto', 'Start tacit maintain in the background.', true),
  key('ui.color', 'Coloured output.', 'auto', { kind: 'choice', choices: ['auto', 'always', 'never'], origin: { kind: 'environment', variable: 'TACIT_UI_COLOR' }, settable: false, why_not: say('the environment variable `TACIT_UI_COLOR` sets it', 'error.environment', { variable: 'TACIT_UI_COLOR' }) }),
];

const jobs = new Map<string, Job>();

/** Starts a job that needs two seconds and reports each tenth. */
export function runJob(mock: MockServer, kind: JobKind): Job {
  const id = `job-${jobs.size + 1}`;
  let job: Job = {
    id, job: kind, state: 'running', cancelling: false, step: 'memories', done: 0, total: 10_000,
    started_at: iso(NOW), ended_at: null, message: null, result: {},
  };
  jobs.set(id, job);
  const timer = setInterval(() => {
    const done = job.done + 1000;
    job = { ...job, ...jobs.get(id), done, state: done >= job.total ? 'done' : jobs.get(id)!.state };
    jobs.set(id, job);
    mock.emit('job', job);
    if (job.state !== 'running') clearInterval(timer);
  }, 200);
  return job;
}

const METHODS = [
  ['native', 'Native', 'Specs and subtasks, as an agent plans them.'], ['bmad', 'BMAD', 'Epics, stories and tasks with acceptance criteria.'],
  ['tdd', 'TDD', 'Red, green, refactor.'], ['agile', 'Agile', 'Sprints and stories.'],
] as const;

export function settingsRoutes(route: string, _query: URLSearchParams, mock: MockServer): Reply | undefined {
  const ok = (body: unknown): Reply => ({ status: 200, body });
  const changed = /^(PUT|DELETE) \/settings\/(.+)$/.exec(route);
  if (changed) return ok(keys.find((candidate) => candidate.key === changed[2]));
  const cancelled = /^DELETE \/jobs\/(.+)$/.exec(route)?.[1];
  if (cancelled) {
    jobs.set(cancelled, { ...jobs.get(cancelled)!, state: 'cancelled' });
    return ok(jobs.get(cancelled));
  }
  const low = mock.store.select(new URLSearchParams()).filter(({ confidence }) => confidence < 0.37);
  switch (route) {
    case 'GET /settings':
      return ok({ keys, files: { user: '/home/ada/.config/tacit/config.toml', shared: '/home/ada/shop/.tacit/config.toml', project: '/home/ada/shop/.git/tacit/config.toml' }, ignored: [] });
    case 'GET /methodologies':
      return ok({ active: 'native', methodologies: METHODS.map(([id, name, description]) => ({ id, name: say(name, `methodology.${id}`), description: say(description, `methodology.${id}_text`), active: id === 'native', file: null, error: null, phases: ['define', 'implement', 'validate'], levels: ['spec', 'subtask'] })) });
    case 'GET /storage': {
      const all = [...mock.store.memories.values()];
      const by = (of: (memory: (typeof all)[number]) => string) =>
        all.reduce<Record<string, number>>((sums, memory) => ({ ...sums, [of(memory)]: (sums[of(memory)] ?? 0) + 1 }), {});
      return ok({ stores: [{
        store: 'project', path: '/home/ada/shop/.git/tacit/memory.db', bytes: 38_420_480, by_status: by(({ status }) => status.state), by_type: by(({ type }) => type),
        by_source: by(({ source }) => source), by_scope: by(({ scope }) => scope), tags: {}, stale: 480, changes: 31_204, needs_review: 62,
        models: [{ name: 'tacit-embed-s', dimensions: 384, active: true, waiting: 38 }],
      }] });
    }
    case 'POST /prune/preview':
      return ok({ count: low.length, bytes: 512 * low.length, items: low.slice(0, 200).map((memory) => ({ item: itemOf(memory), step: 'low_confidence', reason: say('its confidence is 0.12, and it was not used for 90 days', 'prune.low', { confidence: 0.12, days: 90 }) })) });
    case 'POST /prune':
      return ok({ changed: low.length, undo: [{ store: 'project', change: 1 }], failed: [], cancelled: false });
    case 'GET /work-units':
      return ok({ units: [{ methodology: 'native', path: 'coupon-codes', label: 'Coupon codes', memories: 18, finished: true }, { methodology: 'native', path: 'importer/retries', label: 'Importer: retries', memories: 9, finished: false }] });
    case 'GET /backups':
      return ok({ backups: [1, 2, 3].map((days) => ({ store: 'project', name: `2026-11-${18 - days}.db`, at: iso(NOW - days * 86_400_000), bytes: 38_000_000 - days * 41_000, requested: days === 2, replaced: false })) });
    case 'POST /backups':
      return ok({ store: 'project', name: '2026-11-18.db', at: iso(NOW), bytes: 38_000_000, requested: true, replaced: false });
    case 'POST /backups/restore':
      return ok({ memories: 10_000, replaced: null });
    case 'POST /export':
      return ok({ format: 'tacit-export', version: 1 });
    case 'GET /jobs':
      return ok({ jobs: [...jobs.values()] });
  }
  return undefined;
}
