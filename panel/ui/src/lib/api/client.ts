import { token } from './token';
import type { Phrase, Sentence } from './types';

export type QueryValue = string | number | boolean | undefined | readonly string[];
export type Query = Readonly<Record<string, QueryValue>>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An answer of the server that is not a success; `code` is the contract's, or `offline`. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly sentence: Sentence,
    readonly hint: Sentence | null = null,
  ) {
    super(sentence.text);
  }
}

/** Writes a query; lists repeat the key, as the server expects, and absent values are left out. */
export function queryString(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    if (typeof value === 'object') value.forEach((entry) => parameters.append(name, entry));
    else parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

async function failure(response: Response): Promise<ApiError> {
  type Wire = {
    error?: { code: string; message: string; message_phrase: Phrase | null; hint: string | null; hint_phrase: Phrase | null };
  };
  const body = (await response.json().catch(() => ({}))) as Wire;
  const { code = 'failure', message = response.statusText, message_phrase = null, hint = null, hint_phrase = null } = body.error ?? {};
  const next = hint ? { text: hint, phrase: hint_phrase } : null;
  return new ApiError(response.status, code, { text: message, phrase: message_phrase }, next);
}

const BUSY_TRIES = 3;
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Sends a request and returns the response, a success; a busy store is tried again as its `Retry-After` says. */
export async function send(
  method: Method,
  path: string,
  options: { query?: Query; body?: unknown; signal?: AbortSignal | undefined } = {},
): Promise<Response> {
  const headers: Record<string, string> = { Authorization: `Bearer ${token() ?? ''}` };
  const init: RequestInit = { method, headers, cache: 'no-store' };
  if (options.signal) init.signal = options.signal;
  if (method !== 'GET') {
    headers['Content-Type'] = 'application/json';
    init.body = JSON.stringify(options.body ?? {});
  }
  const url = `/api/v1${path}${queryString(options.query ?? {})}`;
  for (let attempt = 1; ; attempt += 1) {
    let response: Response;
    try {
      response = await fetch(url, init);
    } catch (error) {
      if (options.signal?.aborted) throw error;
      throw new ApiError(0, 'offline', { text: 'the panel’s server does not answer', phrase: null });
    }
    if (response.ok) return response;
    if (response.status !== 503 || attempt === BUSY_TRIES) throw await failure(response);
    await pause(1000 * Number(response.headers.get('Retry-After') ?? 1));
  }
}

export async function request<T>(...parameters: Parameters<typeof send>): Promise<T> {
  return (await (await send(...parameters)).json()) as T;
}
