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
  file: string[];
  tag: string[];
  confidence: '' | (typeof CONFIDENCES)[number];
  since: string;
  status: (typeof STATUSES)[number];
  sort: (typeof ORDERS)[number];
};

export const NO_FILTERS: Filters = {
  q: '', type: [], source: [], module: [], methodology: [], file: [], tag: [], confidence: '', since: '', status: 'active', sort: 'newest',
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
    methodology: query.getAll('methodology').slice(0, 1),
    file: query.getAll('file'),
    tag: query.getAll('tag'),
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

function conditions({ type, source, module, methodology, file, tag, confidence, since, status }: Filters): Record<string, Query[string]> {
  return {
    type, source, module, methodology, file, tag, min_confidence: confidence, since,
    stale: status === 'stale' ? true : undefined,
    review: status === 'review' ? 'needed' : undefined,
    status: ['retired', 'archived', 'all'].includes(status) ? status : undefined,
  };
}

/** Returns the filter of a change to all memories that pass, as a body has it: one value is no list there. */
export function bulkFilter(filters: Filters): Record<string, unknown> {
  const { methodology, min_confidence, review, ...rest } = conditions(filters);
  const single = {
    ...rest,
    methodology: (methodology as string[])[0],
    min_confidence: min_confidence ? Number(min_confidence) : undefined,
    review: review && [review],
  };
  return Object.fromEntries(Object.entries(single).filter(([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0)));
}

/** Returns the query that asks the server for these memories. */
export function serverQuery(filters: Filters): Query {
  const { q, sort } = filters;
  const query = conditions(filters);
  return q.trim() ? { ...query, q: q.trim() } : { ...query, sort };
}

export const isFiltered = (filters: Filters): boolean =>
  writeFilters({ ...filters, sort: 'newest' }) !== '';
