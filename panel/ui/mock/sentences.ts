/** What the generated memories say. `{f}` is a file of the module, `{n}` a number, `{s}` a symbol. */

export const MODULES = [
  'src/api', 'src/auth', 'src/billing', 'src/cart', 'src/db', 'src/email',
  'src/importer', 'src/search', 'src/worker', 'web/checkout', 'web/settings', 'web/shared',
] as const;

export const FILES = ['pool', 'session', 'token', 'routes', 'schema', 'retry', 'index', 'client', 'queue', 'format'];
export const SYMBOLS = ['open_pool', 'refresh_token', 'apply_discount', 'parse_row', 'send_batch', 'render_cart'];

export const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  gotcha: [
    'Close the pool in `{f}` before the fork: a worker that inherits an open connection hangs after about {n} requests.',
    'WAL mode is needed for concurrent writers; without it `{f}` fails with SQLITE_BUSY as soon as two sessions run.',
    'The staging certificate is pinned in `{f}`. After a rotation, requests fail with a timeout, not with a TLS error.',
    '`{s}` rounds half to even. Totals differ by a cent from the invoice unless both sides use it.',
  ],
  decision: [
    'Money is stored as integer cents everywhere; `{s}` is the only place that converts, so that rounding happens once.',
    'Sessions live in the database, not in Redis: one service less to run, and {n} ms are fast enough here.',
    'The importer is a queue of small transactions. One big transaction held locks for {n} s and was rolled back in March.',
  ],
  preference: [
    'Errors start in lower case and name the file in backticks.',
    'Tests of `{f}` are tables of cases, one line each, not one function per case.',
  ],
  pattern: [
    'New routes are declared in `{f}` and get their limits from the table above them; handlers never check limits themselves.',
    'Every outgoing request goes through `{s}`, which retries with jitter and gives up after {n} attempts.',
  ],
  requirement: ['A cart must survive {n} days without a visit, also if prices change in between.'],
  error_pattern: [
    '`relation "orders_v2" does not exist` in the tests of `{f}`: the template database is stale; run `just db-reset`.',
    'If `{s}` fails with `invalid_grant`, the clock of the container is off by more than {n} s.',
  ],
  module_insight: [
    'This module turns supplier files into products. `{f}` streams; nothing else may hold a whole file in memory.',
    'All writes pass `{f}`; the other files of the module only read.',
  ],
  causal_dependency: ['`{f}` and its migration are changed together: a column added to one must be added to the other.'],
  prefetch_pattern: ['Work here always begins with `{f}` and its test.'],
  work_state: ['The retry rewrite stands at step {n} of 9: `{s}` is done and tested, the callers are not changed yet.'],
  e2e_observation: [
    'The settings page shows nothing until the integration is enabled, and no error either. Enable it before the test.',
    '`click_by_text` misses the Pay button while the modal animates; wait {n} ms after it opens.',
  ],
  dead_end: [
    'Replacing the polling in `{f}` with LISTEN/NOTIFY was tried and given up: the pooler drops notifications.',
  ],
  work_unit_outcome: ['Coupon codes were done in {n} steps; the discount moved into `{s}`.'],
  workflow_recipe: ['Add a new API route', 'Add a column to an existing table', 'Release a hotfix', 'Add a payment provider', 'Translate a new page'],
  context_cost: ['A session in this module takes {n}00 tokens on average.'],
};

export const TAGS = ['pool', 'postgres', 'money', 'retry', 'tests', 'checkout', 'release', 'flaky', 'tls', 'i18n'];
