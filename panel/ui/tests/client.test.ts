import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError, request } from '../src/lib/api/client';
import { splitEvents } from '../src/lib/api/events';
import { readFragment } from '../src/lib/api/token';

const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

describe('a request', () => {
  const fetched = vi.fn<typeof fetch>();
  beforeEach(() => {
    vi.stubGlobal('fetch', fetched);
    vi.stubGlobal('sessionStorage', { getItem: () => 'secret' });
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    fetched.mockReset();
  });

  test('carries the token, and a write is JSON', async () => {
    fetched.mockResolvedValue(answer(200, { ok: true }));
    await request('DELETE', '/memories/1');
    const [url, init] = fetched.mock.calls[0]!;
    expect(url).toBe('/api/v1/memories/1');
    expect(init).toMatchObject({ method: 'DELETE', body: '{}', headers: { Authorization: 'Bearer secret', 'Content-Type': 'application/json' } });
  });
  test('that fails has the code, message and hint of the server', async () => {
    fetched.mockResolvedValue(answer(409, { error: { code: 'refused', message: 'changed since', message_phrase: null, hint: 'look at it again', hint_phrase: { code: 'hint.look_again', values: {} } } }));
    await expect(request('GET', '/x')).rejects.toMatchObject({ status: 409, code: 'refused', message: 'changed since', hint: { text: 'look at it again', phrase: { code: 'hint.look_again' } } });
  });
  test('is tried again while the store is busy', async () => {
    fetched.mockResolvedValueOnce(answer(503, {}, { 'Retry-After': '0' })).mockResolvedValueOnce(answer(200, 7));
    await expect(request('GET', '/x')).resolves.toBe(7);
  });
  test('without a server is offline', async () => {
    fetched.mockRejectedValue(new TypeError('failed to fetch'));
    const error = await request('GET', '/x').catch((problem: unknown) => problem);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'offline' });
  });
});

describe('the stream of events', () => {
  test('is split at blank lines, and comments are skipped', () => {
    const { events, rest } = splitEvents(': ping\n\nid: 4\nevent: settings\ndata: {}\n\nevent: bye\nda');
    expect(events).toEqual([{ name: 'settings', data: {} }]);
    expect(rest).toBe('event: bye\nda');
  });
  test('may break anywhere', () => {
    const wire = 'event: sessions\ndata: {"session":"a"}\n\nevent: bye\ndata: {"reason":"idle"}\n\n';
    for (let cut = 0; cut <= wire.length; cut += 1) {
      const first = splitEvents(wire.slice(0, cut));
      const second = splitEvents(first.rest + wire.slice(cut));
      expect([...first.events, ...second.events].map(({ name }) => name)).toEqual(['sessions', 'bye']);
    }
  });
});

test.each([
  ['#token=abc', { token: 'abc', open: null }],
  ['#token=abc&open=27734d01', { token: 'abc', open: '27734d01' }],
  ['', { token: null, open: null }],
])('the fragment %s is read', (hash, expected) => expect(readFragment(hash)).toEqual(expected));
