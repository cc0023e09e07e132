import { describe, expect, test } from 'vitest';
import type { Card } from '../src/lib/api';
import { card as cardOf } from '../mock/cards';
import { generate } from '../mock/generate';
import { currentCard, decide, deckOf, fail, move, refresh, reopen, tallyOf } from '../src/views/review/deck';

const cards: Card[] = generate(4).map(cardOf);
const id = (index: number) => cards[index]!.item.memory.id;
const deck = deckOf(cards);

describe('a review', () => {
  test('starts at the first card', () => expect(currentCard(deck)).toBe(cards[0]));
  test('goes to the next undecided card', () => {
    const later = decide(decide(deck, id(1), 'confirm'), id(0), 'reject');
    expect(later.current).toBe(2);
  });
  test('stays at another card than the decided one', () => expect(decide(deck, id(2), 'edit').current).toBe(0));
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
  test('leaves the card that is read when an earlier decision fails', () => {
    const back = fail(decide(decide(deck, id(0), 'confirm'), id(1), 'reject'), id(0));
    expect([back.current, [...back.decided.keys()]]).toEqual([2, [id(1)]]);
  });
  test('returns to a decision that fails when no other card is open', () => {
    const all = cards.reduce((state, _, index) => decide(state, id(index), 'confirm'), deck);
    expect(fail(all, id(1)).current).toBe(1);
  });
  test.each([[-1, 0], [9, 3]])('moving by %i stops at %i', (step, expected) => expect(move(deck, step).current).toBe(expected));
  test('keeps decided cards when the list is loaded again, and adds new ones last', () => {
    const next = refresh(decide(deckOf(cards.slice(0, 2)), id(0), 'confirm'), cards.slice(1));
    expect(next.cards.map(({ item }) => item.memory.id)).toEqual(cards.map(({ item }) => item.memory.id));
    expect(next.decided.size).toBe(1);
  });
  test('drops cards that were settled elsewhere, and goes to the next that is left', () => {
    const next = refresh(move(deck, 1), [cards[0]!, cards[3]!]);
    expect(next.cards).toEqual([cards[0], cards[3]]);
    expect(currentCard(next)).toBe(cards[3]);
    expect(refresh(move(deck, 3), cards.slice(0, 2)).current).toBe(1);
    expect(refresh(deck, [])).toMatchObject({ cards: [], current: 0 });
  });
  test('stays at its card when cards before it go', () => expect(currentCard(refresh(move(deck, 2), cards.slice(2)))).toBe(cards[2]));
  test('keeps a card that was taken back until a list has it', () => {
    const back = reopen(decide(deck, id(0), 'reject'), id(0));
    const late = refresh(back, cards.slice(1));
    expect(currentCard(late)).toBe(cards[0]);
    expect(refresh(refresh(late, cards), cards.slice(1)).cards).toEqual(cards.slice(1));
  });
  test('has what was edited elsewhere', () => {
    const edited = { ...cards[1]!, reason: 'unused' as const };
    expect(refresh(deck, [cards[0]!, edited]).cards[1]).toBe(edited);
  });
  test('keeps the card whose text is being edited', () => expect(currentCard(refresh(deck, cards.slice(1), id(0)))).toBe(cards[0]));
});

test('the tally counts each outcome', () => {
  const done = decide(decide(decide(deck, id(0), 'confirm'), id(1), 'reject'), id(2), 'confirm');
  expect(tallyOf(done)).toEqual([['confirm', 2], ['reject', 1]]);
});
