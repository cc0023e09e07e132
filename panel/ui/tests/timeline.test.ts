import { describe, expect, test } from 'vitest';
import type { Entry } from '../src/lib/api';
import { withoutStarts } from '../src/views/sessions/timeline';

const entry = (kind: string, subject: string | null = null): Entry => ({
  at: '2026-11-18T10:30:00Z', kind, tool: subject && 'Bash', subject, text: '', injection: null, memory: null,
});
const shown = (...timeline: Entry[]) => withoutStarts(timeline).map(({ kind, subject }) => [kind, subject].filter(Boolean).join(' '));

describe('a timeline', () => {
  test('shows a finished call once', () =>
    expect(shown(entry('tool_starting', 'just check'), entry('injection'), entry('tool_failed', 'just check'))).toEqual(['injection', 'tool_failed just check']));
  test('shows a call that was stopped or still runs', () =>
    expect(shown(entry('tool_starting', 'make wipe'), entry('tool_finished', 'ls'), entry('tool_starting', 'ls'))).toEqual([
      'tool_starting make wipe', 'tool_finished ls', 'tool_starting ls',
    ]));
  test('pairs repeated calls one by one', () =>
    expect(shown(entry('tool_starting', 'ls'), entry('tool_starting', 'ls'), entry('tool_finished', 'ls'))).toEqual(['tool_starting ls', 'tool_finished ls']));
});
