/** The filters of the browser and the query of the address: one is the other, so a view can be bookmarked and shared. */
import type { Query } from '../../lib/api/client';

export const CONFIDENCES = ['0.5', '0.8'] as const;
export const PERIODS = ['1d', '7d', '30d', '90d'] as const;
export const STATUSES = ['active', 'review', 'stale', 'retired', 'archived', 'all'] as const;
export const ORDERS = ['newest', 'oldest', 'changed', 'used', 'confidence'] as const;

export type Filters = {
  q: string;
  type: string[];
  source: string[];
  module: string[];
  methodology: string[];
  confidence: '' | (typeof CONFIDENCES)[number];
  since: string;
  status: (typeof STATUSES)[number];
  sort: (typeof ORDERS)[number];
};

export const NO_FILTERS: Filters = {
  q: '', type: [], source: [], module: [], methodology: [], confidence: '', since: '', status: 'active', sort: 'newest',
};

const oneOf = <T extends string>(known: readonly T[], value: string | null, otherwise: T): T =>
  known.find((candidate) => candidate === value) ?? otherwise;

/** Reads an address; what it does not understand counts as not said. `stale=true` and `review=needed` come from links of Health. */
export function readFilters(query: URLSearchParams): Filters {
  const status = query.has('stale') ? 'stale' : query.get('review') === 'needed' ? 'review' : query.get('status');
  const since = query.get('since') ?? '';
  return {
    q: query.get('q') ?? '',
    type: query.getAll('type'),
    source: query.getAll('source'),
    module: query.getAll('module'),
    methodology: query.getAll('methodology'),
    confidence: oneOf(['', ...CONFIDENCES], query.get('confidence'), ''),
    since: /^(\d+[dw]|\d{4}-\d\d-\d\d)$/.test(since) ? since : '',
    status: oneOf(STATUSES, status, 'active'),
    sort: oneOf(ORDERS, query.get('sort'), 'newest'),
  };
}

/** Writes the filters that differ from the default, always in the same order. */
export function writeFilters(filters: Filters): string {
  const query = new URLSearchParams();
  for (const [name, standard] of Object.entries(NO_FILTERS)) {
    const value = filters[name as keyof Filters];
    if (typeof value === 'object') value.forEach((entry) => query.append(name, entry));
    else if (value !== standard) query.set(name, value);
  }
  const text = query.toString();
  return text && `?${text}`;
}

/** Returns the query that asks the server for these memories. */
export function serverQuery(filters: Filters): Query {
  const { q, type, source, module, methodology, confidence, since, status, sort } = filters;
  const query: Record<string, Query[string]> = {
    type, source, module, methodology, min_confidence: confidence, since,
    stale: status === 'stale' ? true : undefined,
    review: status === 'review' ? 'needed' : undefined,
    status: ['retired', 'archived', 'all'].includes(status) ? status : undefined,
  };
  return q.trim() ? { ...query, q: q.trim() } : { ...query, sort };
}

export const isFiltered = (filters: Filters): boolean =>
  writeFilters({ ...filters, sort: 'newest' }) !== '';
