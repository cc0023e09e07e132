import { describe, expect, test } from 'vitest';
import { press, type Press } from '../src/lib/keys/press';

const key = (name: string, rest: Partial<Press> = {}): Press => ({
  key: name, ctrl: false, shift: false, alt: false, graph: false, repeat: false, typing: false, time: 0, ...rest,
});

describe('a key', () => {
  test.each<[Press, string | null]>([
    [key('j'), 'j'],
    [key('?', { shift: true }), '?'],
    [key('M', { ctrl: true, shift: true }), 'Mod+Shift+m'],
    [key('M', { ctrl: true, shift: true, typing: true }), 'Mod+Shift+m'],
    [key('j', { typing: true }), null],
    [key('Escape', { typing: true }), 'Escape'],
    [key('Shift', { shift: true }), null],
    [key('g'), null],
    [key('#', { ctrl: true, alt: true, graph: true }), '#'],
    [key('#', { alt: true }), '#'],
    [key('#', { ctrl: true, alt: true, graph: true, typing: true }), null],
    [key('3', { ctrl: true, alt: true }), 'Mod+Alt+3'],
    [key('AltGraph', { graph: true }), null],
    [key('j', { repeat: true }), 'j'],
    [key('PageDown', { repeat: true }), 'PageDown'],
    [key('y', { repeat: true }), null],
    [key('u', { repeat: true }), null],
    [key('m', { ctrl: true, shift: true, repeat: true }), null],
  ])('%j is %s', (event, expected) => expect(press(null, event).chord).toBe(expected));
});

describe('a sequence', () => {
  const start = press(null, key('g')).pending;
  test('is one chord', () => expect(press(start, key('h', { time: 300 })).chord).toBe('g h'));
  test('survives Shift', () => expect(press(press(start, key('Shift')).pending, key(',')).chord).toBe('g ,'));
  test('outlives a prefix that is held', () => expect(press(start, key('g', { repeat: true, time: 90 }))).toEqual({ pending: start, chord: null }));
  test('is forgotten after a while', () => expect(press(start, key('h', { time: 5000 })).chord).toBe('h'));
  test('ends where letters are text', () => expect(press(start, key('h', { typing: true })).pending).toBeNull());
});
