// Ten thousand memories as a file that `tacit import --trust` reads: every type, source, scope and state.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const UNITS = ['042/1', '042/2', '051/1', '060/3'];
const LONG_AGO = Object.fromEntries(['created_at', 'updated_at', 'last_accessed_at'].map((field) => [field, '2026-08-01T10:00:00Z']));
const GONE = 'src/sessions/redis.rs';

/** The fields that a type needs besides its text. */
function detailsOf(type, { related_modules: [module], created_at }, index) {
  const details = {
    prefetch_pattern: { always_read_files: [`${module}/index.rs`], frequently_read_files: [], module_trigger: module, session_count: 3 + (index % 7) },
    task_calibration: { module, methodology: 'native', average_actual_steps: 12, average_planned_steps: 8, ratio: 1.5, sample_count: 4 },
    e2e_observation: { observation_type: ['timing', 'ui_behavior', 'test_sequence', 'precondition'][index % 4], mcp_tool_used: 'click_by_text' },
    work_unit_outcome: { succeeded: index % 5 !== 0, files_modified: [], key_decisions: [], steps_taken: 4 + (index % 9), retry_count: index % 3 },
    workflow_recipe: {
      task_pattern: `add a route to ${module}, variant ${index}`, last_validated_at: created_at, success_count: 1 + (index % 8),
      steps: [{ order: 1, description: 'Declare the route', canonical_file: `${module}/routes.rs` }, { order: 2, description: 'Write the handler' }],
    },
    work_state: { plan: 'the retry rewrite', step: index % 9 },
    context_cost: { module, average_tokens_per_session: 9000 + index, p90_tokens_per_session: 15000 + index, sample_count: 5 },
  };
  return details[type];
}

const RARE = ['workflow_recipe', 'task_calibration', 'workflow'];
/** No gotcha is of one session or from a commit: those the command line lists only if asked, and filters are compared with it. */
const SCOPES = { workflow_recipe: 'global', work_unit_outcome: 'work_unit', work_state: 'work_unit', context_cost: 'module', prefetch_pattern: 'module', task_calibration: 'module' };

function complete(generated, index) {
  const { short_id, store, details: _, ...memory } = generated;
  if (index % 250 < RARE.length) memory.type = RARE[index % 250];
  memory.scope = SCOPES[memory.type] ?? (index % 90 === 0 && memory.type !== 'gotcha' ? 'session' : index % 11 === 0 ? 'module' : index % 13 === 0 ? 'work_unit' : 'global');
  if (memory.scope === 'session') memory.session = `imported-${index % 40}`;
  if (memory.scope === 'work_unit') {
    const unit = UNITS[index % UNITS.length];
    memory.work_unit = { methodology: 'native', hierarchy: unit.split('/'), label: `Spec ${unit.replace('/', ' / Subtask ')}` };
  }
  if (index % 16 === 5) memory.source = 'imported';
  if (index % 16 === 6 && memory.type !== 'gotcha') memory.source = 'commit_auto';
  if (memory.stale_kind === 'file_missing') memory.related_files = [GONE];
  if (index % 50 === 7 && memory.review === 'none') Object.assign(memory, { confidence: 0.12, access_count: 0, ...LONG_AGO });
  memory.content = `${memory.content} (case ${index})`;
  return { ...memory, details: detailsOf(memory.type, memory, index) };
}

/** Returns the text of the file. */
export async function exportOf(count) {
  const { module } = await runnerImport(fileURLToPath(new URL('../../mock/generate.ts', import.meta.url)));
  const lines = module.generate(count).map((memory, index) => JSON.stringify(complete(memory, index)));
  return [JSON.stringify({ format: 'tacit-export', version: 1 }), ...lines, ''].join('\n');
}
