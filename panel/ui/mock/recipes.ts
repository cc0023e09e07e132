import type { Memory, Recipe } from '../src/lib/api/types';
import { iso, itemOf, NOW } from './generate';

const STEPS: Readonly<Record<string, readonly [string, string | null][]>> = {
  'Add a new API route': [
    ['Declare the route and its limits', 'src/api/routes.rs'], ['Write the handler beside its neighbours', 'src/api/client.rs'],
    ['Add the types to the schema', 'src/api/schema.rs'], ['Run `just api-docs` and commit what it writes', null],
  ],
  'Add a column to an existing table': [
    ['Write the migration; never change an old one', 'src/db/schema.rs'], ['Read and write the column', 'src/db/client.rs'],
    ['Run `just db-reset`, then the tests', null],
  ],
  'Release a hotfix': [['Branch from the tag, not from main', null], ['Raise the version', 'Cargo.toml'], ['Tag; the pipeline publishes', null]],
};

export function recipes(): Recipe[] {
  return Object.entries(STEPS).map(([task, steps], index) => {
    const id = `01a1dec1-b840-7000-aa3d-0000000c0de${index}`;
    const memory: Memory = {
      id, short_id: id.slice(-8), store: 'project', type: 'workflow_recipe', title: task, content: task, confidence: 0.9 - 0.2 * index,
      scope: 'global', source: index === 1 ? 'observer_inferred' : 'user_taught', review: index === 1 ? 'needed' : 'verified', status: { state: 'active' },
      observations: 1, created_at: iso(NOW - 40 * 86_400_000), updated_at: iso(NOW - 6 * 86_400_000), access_count: 12 - 4 * index,
      last_accessed_at: iso(NOW - 86_400_000), ...(index === 2 ? { stale_at: iso(NOW - 86_400_000), stale_kind: 'recipe_doubtful' } : {}),
    };
    return {
      item: itemOf(memory), task, success_count: 9 - 4 * index, last_validated_at: iso(NOW - (3 + 20 * index) * 86_400_000),
      steps: steps.map(([text, file], order) => ({
        order: order + 1, text, description: text, file, line: file ? 12 + 31 * order : null, observed: index === 1, exists: file ? true : null,
      })),
    };
  });
}
