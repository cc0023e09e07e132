import type { Item, Sentence, StoreName, Time } from './types';

export type ConfigValue = boolean | number | string;
export type Layer = 'project' | 'user' | 'shared';

export type ConfigKey = {
  key: string;
  pattern: string;
  help: string;
  takes: string;
  kind: 'bool' | 'int' | 'float' | 'text' | 'choice';
  min?: number;
  max?: number;
  choices?: string[];
  default: ConfigValue;
  value: ConfigValue;
  origin:
    | { kind: 'default' }
    | { kind: 'file'; path: string; layer: Layer | null }
    | { kind: 'environment'; variable: string };
  settable: boolean;
  why_not: Sentence | null;
  shareable: boolean;
};

export type Settings = {
  keys: ConfigKey[];
  files: { user: string; shared: string; project: string | null };
  ignored: string[];
};

export type Methodologies = {
  active: string;
  methodologies: {
    id: string;
    name: Sentence;
    description: Sentence;
    active: boolean;
    file: string | null;
    error: string | null;
    phases: string[];
    levels: string[];
  }[];
};

export type StoreStatistics = {
  store: StoreName;
  path: string;
  bytes: number;
  by_status: Record<string, number>;
  by_type: Record<string, number>;
  by_source: Record<string, number>;
  by_scope: Record<string, number>;
  tags: Record<string, number>;
  stale: number;
  changes: number;
  needs_review: number;
  models: { name: string; dimensions: number; active: boolean; waiting: number }[];
};
export type Storage = { stores: StoreStatistics[] };

export type Prune =
  | { rule: 'missing_files' }
  | { rule: 'finished_work'; units: string[] }
  | { rule: 'low_confidence'; below?: number; unused_days?: number };
export type PrunePreview = {
  count: number;
  items: { item: Item; step: string; reason: Sentence }[];
  bytes: number;
};

export type WorkUnit = {
  methodology: string;
  path: string;
  label: string;
  memories: number;
  finished: boolean;
};
export type Backup = { store: StoreName; name: string; at: Time; bytes: number; requested: boolean; replaced: boolean };

export type JobKind = 'maintain' | 'reindex' | 'index' | 'scan' | 'compare';
export type Job = {
  id: string;
  /** `change` is a change of many memories, which its own request began. */
  job: JobKind | 'change';
  state: 'running' | 'done' | 'failed' | 'cancelled';
  cancelling: boolean;
  step: string | null;
  done: number;
  total: number;
  started_at: Time;
  ended_at: Time | null;
  message: Sentence | null;
  result: Record<string, number>;
};
