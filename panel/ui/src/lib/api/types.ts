/** The wire format of `/api/v1`. Names and comments follow the contract of the server. */

/** A sentence of the server; `phrase` says the same as a code with values, if it has one. */
export type Sentence = { text: string; phrase: Phrase | null };
export type Phrase = { code: string; values: Record<string, number | string | string[] | Sentence> };

export type StoreName = 'project' | 'global';
export type Time = string;
export type Scope = 'global' | 'module' | 'work_unit' | 'session';
export type Status =
  | { state: 'active' }
  | { state: 'retired' | 'archived'; at: Time; reason: string };

export type Relation = {
  kind: string;
  target: { memory: string } | { file: string };
  confidence: number;
  auto_extracted: boolean;
};

export type Memory = {
  id: string;
  short_id: string;
  store: StoreName;
  type: string;
  content: string;
  title?: string;
  reasoning?: string;
  category?: string;
  confidence: number;
  tags?: string[];
  cues?: string[];
  related_files?: string[];
  related_symbols?: string[];
  related_modules?: string[];
  references?: string[];
  scope: Scope;
  /** Left out if the team sees the memory. */
  visibility?: 'private';
  work_unit?: { methodology: string; hierarchy: string[]; label: string };
  source: string;
  author?: string;
  generator?: string;
  sessions?: string[];
  commit?: string;
  phase?: string;
  review?: 'none' | 'needed' | 'committed' | 'verified';
  relations?: Relation[];
  details?: Record<string, unknown>;
  citation?: string;
  stale_at?: Time;
  stale_kind?: string;
  stale_why?: string;
  status: Status;
  observations: number;
  created_at: Time;
  updated_at: Time;
  access_count: number;
  last_accessed_at: Time;
  linked_symbols?: string[];
};

/** A memory with what a card shows beside its fields. */
export type Item = {
  memory: Memory;
  headline: string;
  effective_confidence: number;
  dots: 1 | 2 | 3;
  trust: string;
  stale: null | { at: Time; kind: string; why: Sentence | null };
  out_of_use: Sentence | null;
  /** The code that it names has changed; with `stale` and false, its subject is gone. */
  verify: boolean;
  needs_review: boolean;
  provisional: boolean;
  shown: number;
  citation: string;
};

export type Undo = { store: StoreName; change: number }[];
export type Changed = { items: Item[]; undo: Undo; notes: Sentence[] };

export type About = {
  version: string;
  api: 1;
  project: { name: string; root: string; worktree: string; branch: string | null };
  initialised: boolean;
  team: boolean;
  person: boolean;
  user: string;
  methodology: { id: string; name: string };
  text_model: string | null;
  embedding: string;
  now: Time;
  idle_minutes: number | null;
};

export type Vocabulary = {
  types: { id: string; choice: boolean; statistics: boolean }[];
  sources: string[];
  scopes: string[];
  statuses: string[];
  reviews: string[];
  phases: string[];
  relations: string[];
  fates: string[];
  stale_kinds: string[];
  orders: string[];
  methodologies: string[];
  tags: { name: string; count: number }[];
};

export type Page = { items: Item[]; total: number; next: string | null };
export type FoundItem = Item & {
  score: number;
  likely: number | null;
  clear: boolean;
  folded: string[];
  conflicts: string[];
};
export type Found = { items: FoundItem[]; clear: boolean; more: number; by_meaning: boolean; notes: Sentence[] };

export type ReviewReason = 'flagged' | 'conflict' | 'code_changed' | 'replaces' | 'unused' | 'unconfirmed';
export type Evidence = {
  commands: string[];
  error: string | null;
  changes: string[];
  commit: string | null;
  reasoning: string | null;
};

export type Change = {
  store: StoreName;
  change: number;
  kind: string;
  at: Time;
  actor: string;
  reason: Sentence | null;
  reverted_by: number | null;
  fields: {
    memory: string;
    before: Record<string, unknown> | null;
    after: Record<string, unknown> | null;
  }[];
};

export type Injection = {
  at: Time;
  session: string;
  event: string;
  layer: string;
  memory: string | null;
  text: string;
  why: Sentence;
  tokens: number;
  withheld: boolean;
  fate: null | { fate: string; why: Sentence };
};

export type One = {
  item: Item;
  review: null | { reason: ReviewReason; why: Sentence | null };
  provenance: {
    source: string;
    session: string | null;
    phase: string | null;
    commit: string | null;
    author: string | null;
    generator: string | null;
  };
  evidence: Evidence;
  locations: { path: string; line: number | null; symbol: string | null; exists: boolean }[];
  relations: {
    kind: string;
    direction: 'to';
    proposed: boolean;
    item: Item | null;
    file: string | null;
  }[];
  others: Item[];
  history: Change[];
  injections: Injection[];
};

export type Teach = {
  content: string;
  type?: string;
  title?: string;
  reasoning?: string;
  tags?: string[];
  cues?: string[];
  files?: string[];
  store?: StoreName;
};
export type Taught = Changed & {
  outcome: 'stored' | 'reinforced' | 'spooled' | 'left_in_inbox';
  type_inferred: boolean;
  similar: null | { item: Item | null; similarity: number };
};

export type Patch = {
  content?: string;
  title?: string | null;
  type?: string;
  tags?: string[];
  visibility?: 'team';
};

export type Correction =
  | { choice: 'inaccurate'; content: string; reason?: string }
  | { choice: 'outdated'; reason?: string }
  | { choice: 'too_specific'; content: string; reason?: string }
  | { choice: 'duplicate'; of: string; reason?: string };

export type BulkAction =
  | 'confirm'
  | 'flag_wrong'
  | 'flag_outdated'
  | 'delete'
  | 'archive'
  | 'restore'
  | 'tag'
  | 'untag';
export type Bulk = {
  action: BulkAction;
  ids?: string[];
  filter?: Record<string, unknown>;
  expect?: number;
  tags?: string[];
  reason?: string;
};
export type BulkDone = { changed: number; undo: Undo; failed: { id: string; message: Sentence }[]; cancelled: boolean };

export type Card = {
  item: Item;
  reason: ReviewReason;
  why: Sentence | null;
  value: number;
  phase: string | null;
  evidence: Evidence;
  others: Item[];
};
export type Rule = { confidence_above: number; shown_at_least: number };
export type Queue = { cards: Card[]; total: number; auto_confirmed: number; rule: Rule };
export type AutoConfirmed = Item & {
  why: 'verified' | 'committed' | 'commit' | 'certain_and_used' | 'other';
};
export type SessionReview = {
  session: string | null;
  applied: Item[];
  new: Card[];
  auto_confirmed: AutoConfirmed[];
  rule: Rule;
};
export type Decision = 'confirm' | 'reject' | 'wrong' | 'outdated' | 'duplicate';

export type Session = {
  id: string;
  client: string;
  started_at: Time;
  last_at: Time;
  ended: string | null;
  state: string | null;
  /** Only in the list of sessions. */
  counts: { injections: number; learnt: number } | null;
};
export type Entry = {
  at: Time;
  kind: string;
  tool: string | null;
  subject: string | null;
  text: string;
  injection: Injection | null;
  memory: string | null;
};
export type Considered = {
  basis: string;
  about: Sentence;
  occurrences: number;
  score: number | null;
  kept: boolean;
  why: Sentence;
};
/** What a session might have taught, and why it did or did not. */
export type Explained = { verdict: string; concluded: boolean; considered: Considered[] };
export type SessionDetail = {
  session: Session;
  timeline: Entry[];
  events: number;
  /** The `before` of the page of earlier events; null if there are none. */
  earlier: string | null;
  learnt: Item[];
};

export type { Action, Health, HealthReason, ModuleCoverage, Modules, ModuleNode } from './health';
export type {
  Backup,
  ConfigKey,
  ConfigValue,
  Layer,
  Job,
  JobKind,
  Methodologies,
  Prune,
  PrunePreview,
  Settings,
  Storage,
  StoreStatistics,
  WorkUnit,
} from './settings';

export type Step = {
  order: number;
  text: string;
  description: string | null;
  file: string | null;
  line: number | null;
  observed: boolean;
  exists: boolean | null;
};
export type Recipe = {
  item: Item;
  task: string;
  steps: Step[];
  success_count: number;
  last_validated_at: Time;
};
export type StepDraft = { description: string; file?: string; line?: number; order?: number };
export type RecipeDraft = { task: string; steps: StepDraft[]; title?: string };

export type Answer = {
  known: boolean;
  text: string;
  by: string | null;
  citations: { n: number; item: Item; likely: number | null }[];
  notes: Sentence[];
};
