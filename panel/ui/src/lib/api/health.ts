import type { JobKind } from './settings';
import type { Sentence } from './types';

export type Action =
  | { kind: 'open'; view: 'review' | 'memories' | 'modules' | 'settings'; query?: Record<string, string> }
  | { kind: 'job'; job: JobKind }
  | { kind: 'command'; command: string };

export type HealthReason = {
  id: string;
  text: string;
  points: number;
  count: number;
  action: Action | null;
};

export type ModuleCoverage = {
  path: string;
  files: number;
  memories: number;
  e2e: number;
  /** The share of the files with a memory, 0 to 1. */
  covered: number;
};

export type Health = {
  totals: {
    all: number;
    active: number;
    stale: number;
    retired: number;
    archived: number;
    needs_review: number;
    auto_confirmed: number;
  };
  tokens_saved: number | null;
  score: number;
  reasons: HealthReason[];
  modules: ModuleCoverage[];
  methodology: { id: string; name: Sentence; phase: string | null; unit: string | null };
  sessions: {
    total: number;
    last: { id: string; client: string; at: string } | null;
    injections_7_days: number;
    tokens_7_days: number;
    memories_7_days: number;
  };
  injections: null | {
    days: { day: string; shown: number; fates: Record<string, number>; known_errors: number; answered: number }[];
    precision: number | null;
    recall: number | null;
  };
  problems: { what: Sentence; state: 'ok' | 'wrong' | 'mended' | 'note'; note: Sentence }[];
};

export type ModuleNode = {
  path: string;
  name: string;
  purpose: string | null;
  files: number;
  lines: number;
  tests: number;
  memories: number;
  e2e: number;
  covered: number;
  entry_points: string[];
  used: number;
};

export type Modules = {
  modules: ModuleNode[];
  imports: { from: string; to: string; count: number }[];
  cochange: { a: string; b: string; weight: number; count: number }[];
};
