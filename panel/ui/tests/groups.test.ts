import { expect, test } from 'vitest';
import type { ConfigKey } from '../src/lib/api';
import { groupsOf, matching } from '../src/views/settings/groups';

const key = (name: string, kind: 'default' | 'file' = 'default') => ({ key: name, help: `Help of ${name}.`, origin: { kind } }) as ConfigKey;
const keys = [key('recall.limit', 'file'), key('ui.color'), key('capture.mode'), key('recall.hyde'), key('capture.paused'), key('user.name')];

test('keys are grouped by the first part of their names, single ones at the end', () =>
  expect(groupsOf(keys).map(({ name, keys: found }) => [name, found.map((one) => one.key)])).toEqual([
    ['capture', ['capture.mode', 'capture.paused']],
    ['recall', ['recall.limit', 'recall.hyde']],
    ['', ['ui.color', 'user.name']],
  ]));

test.each([
  ['', false, 6],
  ['recall', false, 2],
  ['RECALL limit', false, 1],
  ['', true, 1],
  ['capture', true, 0],
])('“%s”, set only: %s', (text, changedOnly, count) => expect(matching(keys, text, changedOnly)).toHaveLength(count));
