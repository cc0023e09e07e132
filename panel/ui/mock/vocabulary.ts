import type { Vocabulary } from '../src/lib/api/types';
import { TAGS } from './sentences';

const CHOICES = ['gotcha', 'decision', 'preference', 'pattern', 'requirement', 'error_pattern', 'module_insight', 'dead_end'];
const OTHERS = ['workflow', 'causal_dependency', 'work_state', 'e2e_observation', 'work_unit_outcome', 'workflow_recipe'];
const STATISTICS = ['prefetch_pattern', 'task_calibration', 'context_cost'];

export const VOCABULARY: Vocabulary = {
  types: [
    ...CHOICES.map((id) => ({ id, choice: true, statistics: false })),
    ...OTHERS.map((id) => ({ id, choice: false, statistics: false })),
    ...STATISTICS.map((id) => ({ id, choice: false, statistics: true })),
  ],
  sources: ['user_taught', 'agent_explicit', 'imported', 'file', 'qa_auto', 'commit_auto', 'observer_inferred', 'mcp_auto'],
  scopes: ['global', 'module', 'work_unit', 'session'],
  statuses: ['active', 'retired', 'archived'],
  reviews: ['none', 'needed', 'committed', 'verified'],
  phases: ['define', 'implement', 'validate', 'refine', 'explore', 'reflect'],
  relations: ['required_with', 'conflicts_with', 'validates', 'supersedes', 'derived_from'],
  fates: ['helped', 'acted_on', 'cited', 'ignored', 'contradicted', 'flagged'],
  stale_kinds: ['file_missing', 'code_changed', 'recipe_doubtful', 'reported'],
  orders: ['newest', 'oldest', 'changed', 'used', 'confidence'],
  methodologies: ['native', 'bmad', 'tdd', 'agile'],
  tags: TAGS.map((name, index) => ({ name, count: 400 - 31 * index })),
};
