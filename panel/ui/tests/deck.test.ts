import { describe, expect, test } from 'vitest';
import type { Card } from '../src/lib/api';
import { card as cardOf } from '../mock/cards';
import { generate } from '../mock/generate';
import { currentCard, decide, deckOf, move, refresh, reopen, tallyOf } from '../src/views/review/deck';

const cards: Card[] = generate(4).map(cardOf);
const id = (index: number) => cards[index]!.item.memory.id;
const deck = deckOf(cards);

describe('a review', () => {
  test('starts at the first card', () => expect(currentCard(deck)).toBe(cards[0]));
  test('goes to the next undecided card', () => {
    const later = decide(decide(deck, id(1), 'confirm'), id(0), 'reject');
    expect(later.current).toBe(2);
  });
  test('comes back to the ones that were skipped', () => {
    const end = decide(move(deck, 3), id(3), 'confirm');
    expect(end.current).toBe(0);
  });
  test('stays when all is decided', () => {
    const all = cards.reduce((state, _, index) => decide(state, id(index), 'confirm'), deck);
    expect([all.decided.size, all.current]).toEqual([4, 3]);
  });
  test('returns to a card whose decision was taken back', () => {
    const back = reopen(decide(deck, id(0), 'confirm'), id(0));
    expect([back.current, back.decided.size]).toEqual([0, 0]);
  });
  test.each([[-1, 0], [9, 3]])('moving by %i stops at %i', (step, expected) => expect(move(deck, step).current).toBe(expected));
  test('keeps decided cards when the list is loaded again, and adds new ones last', () => {
    const next = refresh(decide(deckOf(cards.slice(0, 2)), id(0), 'confirm'), cards.slice(1));
    expect(next.cards.map(({ item }) => item.memory.id)).toEqual(cards.map(({ item }) => item.memory.id));
    expect(next.decided.size).toBe(1);
  });
});

test('the tally counts each outcome', () => {
  const done = decide(decide(decide(deck, id(0), 'confirm'), id(1), 'reject'), id(2), 'confirm');
  expect(tallyOf(done)).toEqual([['confirm', 2], ['reject', 1]]);
});
