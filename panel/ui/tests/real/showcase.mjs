// A small project with the memories that its sessions could have left, for the screenshots of the documentation.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeCode } from './code.mjs';
import { play } from './story.mjs';
import { before, Project } from './tacit.mjs';

const DAY = 24 * 60;

/** Type, source, review, confidence, age in days, uses, file, text. */
const MEMORIES = [
  ['gotcha', 'observer_inferred', 'verified', 0.94, 41, 23, 'src/db/pool.rs', 'Close the pool before the workers fork. A child that inherits an open connection hangs after about 40 requests, and the log stays empty.'],
  ['decision', 'user_taught', 'verified', 0.97, 120, 31, 'src/cart/schema.rs', 'Money is stored as integer cents. `read_schema` is the only place that converts, so rounding happens once.'],
  ['gotcha', 'agent_explicit', 'verified', 0.88, 33, 12, 'src/auth/token.rs', 'Refresh tokens are single-use: a retried request needs the new token from the first answer, or the session is revoked.'],
  ['error_pattern', 'observer_inferred', 'verified', 0.9, 19, 9, 'src/db/schema.rs', '`relation "orders_v2" does not exist` in integration tests means the template database is stale: run `just db-reset`, then the tests.'],
  ['preference', 'user_taught', 'verified', 0.99, 200, 44, '', 'Use pnpm in `web/`, never npm: the workspace protocol breaks without it.'],
  ['pattern', 'agent_explicit', 'verified', 0.83, 61, 18, 'src/api/routes.rs', 'Routes are declared in one table with their rate limits. Handlers never check limits themselves.'],
  ['dead_end', 'observer_inferred', 'verified', 0.86, 27, 4, 'src/worker/queue.rs', 'Replacing the polling with LISTEN/NOTIFY was tried and given up: the connection pooler drops notifications.'],
  ['module_insight', 'agent_explicit', 'verified', 0.81, 52, 7, 'src/importer/queue.rs', 'The importer streams. Supplier files reach 4 GB, so nothing here may hold a whole file in memory.'],
  ['requirement', 'user_taught', 'verified', 0.98, 90, 6, 'src/cart/session.rs', 'A cart survives 30 days without a visit, also if prices change in between.'],
  ['e2e_observation', 'mcp_auto', 'verified', 0.79, 8, 5, 'web/checkout/routes.ts', 'The Pay button cannot be clicked while the address modal animates: wait 300 ms after it closes.'],
  ['gotcha', 'qa_auto', 'verified', 0.85, 14, 8, 'src/billing/format.rs', 'Invoices round half to even, carts half up. Totals of the two may differ by a cent; compare in cents with a tolerance of one.'],
  ['causal_dependency', 'commit_auto', 'none', 0.8, 22, 3, 'src/cart/schema.rs', '`src/cart/schema.rs` and `src/billing/schema.rs` change together: a field of a cart line is also one of an invoice line.'],
  ['decision', 'file', 'committed', 0.95, 150, 15, 'src/auth/session.rs', 'Sessions live in PostgreSQL, not in Redis: one service less to run, and 3 ms are fast enough here.'],
  ['gotcha', 'user_taught', 'verified', 0.96, 12, 10, 'src/email/client.rs', 'The sandbox of the mail provider accepts every address and delivers none. Check `X-Sandbox` before you trust a test.'],
  ['pattern', 'agent_explicit', 'verified', 0.78, 38, 11, 'src/api/retry.rs', 'Outgoing calls go through `read_retry`, which waits with full jitter and gives up after five attempts.'],
  ['error_pattern', 'observer_inferred', 'none', 0.74, 6, 2, 'src/search/index.rs', '`invalid_grant` from the search cluster: the clock of the container is more than 30 s off; restart it.'],
  ['decision', 'agent_explicit', 'none', 0.69, 3, 1, 'src/search/schema.rs', 'Search indexes are rebuilt under a new name and swapped, so a failed rebuild leaves the old one in place.'],
  ['module_insight', 'agent_explicit', 'none', 0.66, 2, 0, 'web/shared/format.ts', 'Prices are formatted on the server; the client only places them, because currencies disagree about spaces.'],
  ['gotcha', 'agent_explicit', 'none', 0.71, 1, 0, 'web/checkout/session.ts', 'The checkout keeps its step in the address. Going back twice from the receipt must not submit again.'],
  ['gotcha', 'observer_inferred', 'needed', 0.58, 1, 1, 'src/importer/retry.rs', 'A supplier that sends an empty file must not delete its products; the importer treats it as a failed download.'],
  ['work_state', 'agent_explicit', 'none', 0.8, 0.4, 2, 'src/worker/retry.rs', 'The retry rewrite stands at step 3 of 5: `read_retry` is done and tested, the callers in `src/email` are next.'],
  ['work_unit_outcome', 'commit_auto', 'none', 0.9, 16, 3, 'src/cart/routes.rs', 'Coupon codes are done: 14 steps, 2 retries. The discount moved into the cart, because taxes need the reduced price.'],
  ['gotcha', 'agent_explicit', 'verified', 0.62, 75, 2, 'src/auth/redis.rs', 'The session cache must be flushed after a change of roles.', { stale_at: before(5 * DAY), stale_kind: 'file_missing' }],
  ['pattern', 'agent_explicit', 'verified', 0.7, 64, 4, 'src/email/queue.rs', 'Mails are queued in the transaction that causes them, and sent after it.', { stale_at: before(2 * DAY), stale_kind: 'code_changed', stale_why: '`read_queue` has changed' }],
  ['workflow', 'user_taught', 'verified', 0.93, 48, 9, '', 'Integration tests need `docker compose up -d db` first; they skip themselves without it.'],
];

const RECIPES = [
  ['Add a route to the API', 9, ['Declare the route and its limit', 'src/api/routes.rs'], ['Write the handler beside its neighbours', 'src/api/client.rs'], ['Add its types to the schema', 'src/api/schema.rs'], ['Run `just api-docs` and commit what it writes']],
  ['Add a column to a table', 5, ['Write the migration; never change an old one', 'src/db/schema.rs'], ['Read and write the column', 'src/db/client.rs'], ['Run `just db-reset`, then the tests']],
  ['Release a hotfix', 3, ['Branch from the tag, not from main'], ['Raise the version', 'Cargo.toml'], ['Tag it; the pipeline publishes']],
];

const DETAILS = {
  e2e_observation: { observation_type: 'timing', mcp_tool_used: 'click_by_text' },
  work_state: { plan: 'the retry rewrite', step: 3 },
  work_unit_outcome: { succeeded: true, files_modified: ['src/cart/routes.rs'], key_decisions: [], steps_taken: 14, retry_count: 2 },
};

/** The sessions of two weeks; older memories are of earlier ones. */
const DAYS = 14;
/** The day on which what the sessions taught is confirmed. */
const CONFIRMED = 6;

/** Returns the id of the session of a day. */
export const sessionId = (day) => `${(((day + 1) * 2_654_435_761) >>> 0).toString(16).padStart(8, '0')}-7c1e-4d02-9a55-1b2c3d4e5f60`;

const id = (index) => `01a1dec1-b840-7000-aa3d-${(0x5eed00000000 + (index + 1) * 2_654_435_761).toString(16).slice(-12)}`;

/** The memory about the pool. */
export const POOL = id(0).slice(-8);

function memory([type, source, review, confidence, age, used, file, content, more], index) {
  const at = before(age * DAY);
  const inUnit = ['work_state', 'work_unit_outcome'].includes(type);
  return {
    id: id(index), type, content, confidence, source, review, scope: inUnit ? 'work_unit' : 'global', status: { state: 'active' },
    ...(file ? { related_files: [file], related_modules: [file.split('/').slice(0, 2).join('/')] } : {}),
    ...(inUnit ? { work_unit: { methodology: 'native', hierarchy: ['042', '3'], label: 'Spec 042 / Subtask 3' } } : {}),
    ...(source === 'user_taught' ? { author: 'ada' } : { sessions: [sessionId(DAYS - 1 - Math.floor(age))], phase: 'implement' }),
    ...(DETAILS[type] ? { details: DETAILS[type] } : {}),
    observations: 1 + (used % 4), created_at: at, updated_at: at, access_count: used, last_accessed_at: used ? before(Math.min(age * DAY - 1, 37 * (index + 1))) : at, ...more,
  };
}

function recipe([task, count, ...steps], index) {
  const details = {
    task_pattern: task, success_count: count, last_validated_at: before((index + 1) * 4 * DAY),
    steps: steps.map(([description, canonical_file], order) => ({ order: order + 1, description, ...(canonical_file ? { canonical_file } : {}) })),
  };
  return memory(['workflow_recipe', 'user_taught', 'verified', 0.95 - index * 0.1, 30 + index, count, '', task, { details }], 100 + index);
}

const FAILURE = `| ---- db::pool_survives_fork stdout ----
|
| thread 'db::pool_survives_fork' panicked at tests/db.rs:31:9:
| timed out waiting for a connection of \`read_pool\`
|
| test result: FAILED. 41 passed; 1 failed; 0 ignored`;
const LOG = Array.from({ length: 40 }, (_, line) => `| pool ${line % 7}: connection ${line} handed to worker ${line % 5}, ${8 - (line % 8)} free`).join('\n');
const PASSED = '| test result: ok. 42 passed; 0 failed; 0 ignored';

const PROMPTS = [
  'Make the pool survive a fork.', 'Keep the cents of a cart after a discount.', 'Send the mails of a failed order again.', 'Rebuild the search index without a gap.',
  'Let suppliers send their prices as CSV.', 'Show the step of the checkout in its title.', 'Sign out a user on all devices.', 'Round invoices half to even.',
  'Limit sign-ins to five a minute.', 'Translate the receipt into French.', 'Log each import with its supplier.', 'Keep coupons out of the shipping costs.',
  'Paginate the list of orders.', 'Give the worker a metric for its queue.',
];

/** Sessions of two weeks: known failures that are met again, dangers that are stopped, and files that are looked at in vain. */
function playDays(project, from, to) {
  for (let day = from; day < to; day += 1) {
    const start = before((DAYS - 1 - day) * DAY + 45 + ((day * 97) % 400));
    const check = day < CONFIRMED ? 'cargo test' : 'just check';
    // Without the memory, the agent searches: it runs the test again, and reads the log of the pool.
    const search = day < CONFIRMED ? `fails ${check}\n${FAILURE}\nruns cat target/pool.log\n${LOG}\n` : '';
    const fix = `fails ${check}
${FAILURE}
${search}edits src/db/pool.rs
| -    limit + 0
| +    limit + 1
runs ${check}
${PASSED}`;
    const look = 'runs git status\n| nothing to commit\nruns git log -1\n| Change the schema\nruns ls src\n| api auth billing\nruns ls web\n| checkout\nruns git diff\n| ';
    const lines = [`session ${sessionId(day)} ${start}`, `prompt ${PROMPTS[day]}`];
    if (day % 4 === 0) lines.push('reads src/db/pool.rs', fix, 'says The pool is closed before the fork now.');
    else lines.push(`reads ${['', 'src/cart/schema.rs', 'src/email/client.rs', 'src/search/index.rs'][day % 4]}`, fix, look, 'says Done; all tests pass.');
    if (day % 3 === 1) lines.push('tries make wipe');
    play(project, [...lines, 'ends'].join('\n'));
    // The fix lands elsewhere: what is uncommitted is shown when a session starts, before it fails again.
    project.git('checkout', '--quiet', '--', '.');
  }
}

export function buildShowcase(tacit) {
  const project = new Project(tacit, { name: 'tidewater', base: join(tmpdir(), 'ada') });
  project.run(['init', '--yes', '--no-hooks']);
  writeCode(project);
  const memories = [...MEMORIES.map(memory), ...RECIPES.map(recipe)];
  const lines = [{ format: 'tacit-export', version: 1 }, ...memories].map((line) => JSON.stringify(line));
  project.run(['import', '-', '--trust'], { input: `${lines.join('\n')}\n` });
  project.run(['remember', '--type', 'gotcha', '--tag', 'danger', 'Never run `make wipe`: it deletes the fixtures that QA records by hand.'], { env: { TACIT_NOW: before(30 * DAY) } });
  project.run(['remember', '--global', '--type', 'preference', 'Explain the cause before the fix, in one sentence.'], { env: { TACIT_NOW: before(60 * DAY) } });
  project.run(['code', 'index']);
  playDays(project, 0, CONFIRMED);
  const then = { TACIT_NOW: before((DAYS - CONFIRMED) * DAY) };
  project.run(['maintain'], { env: then });
  for (const { id } of project.json('list', '--type', 'error_pattern', '--session', sessionId(1))) {
    project.run(['review', 'confirm', id], { env: then });
    // It is shown when the test fails, not at the start of each session.
    project.run(['edit', id, '--untag', 'cheat-sheet'], { env: then });
  }
  playDays(project, CONFIRMED, DAYS);
  project.run(['maintain']);
  play(project, `session ${sessionId(14)} ${before(18)}\nprompt Let the mails wait with jitter, as the API does.\nreads src/email/client.rs\nreads src/api/retry.rs`);
  project.run(['config', 'set', 'recall.limit', '8']);
  return project;
}
