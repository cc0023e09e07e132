/** The review as a pure state: which card is current and what was decided. */
import type { Card, Decision } from '../../lib/api';

export type Outcome = Decision | 'edit' | 'later';
export type Deck = {
  readonly cards: readonly Card[];
  readonly current: number;
  readonly decided: ReadonlyMap<string, Outcome>;
};

export const deckOf = (cards: readonly Card[]): Deck => ({ cards, current: 0, decided: new Map() });

const idAt = (deck: Deck, index: number): string | undefined => deck.cards[index]?.item.memory.id;
export const currentCard = (deck: Deck): Card | undefined => deck.cards[deck.current];

export function move(deck: Deck, step: number): Deck {
  const current = Math.max(0, Math.min(deck.cards.length - 1, deck.current + step));
  return { ...deck, current };
}

/** Records a decision and goes to the next card without one: below first, then from the top; none left: stays. */
export function decide(deck: Deck, id: string, outcome: Outcome): Deck {
  const decided = new Map(deck.decided).set(id, outcome);
  const from = deck.cards.findIndex(({ item }) => item.memory.id === id);
  const order = deck.cards.map((_, offset) => (from + 1 + offset) % deck.cards.length);
  const next = order.find((index) => !decided.has(idAt(deck, index)!));
  return { ...deck, decided, current: next ?? deck.current };
}

/** Takes a decision back and returns to its card. */
export function reopen(deck: Deck, id: string): Deck {
  const decided = new Map(deck.decided);
  decided.delete(id);
  const current = deck.cards.findIndex(({ item }) => item.memory.id === id);
  return { ...deck, decided, current: current < 0 ? deck.current : current };
}

/** Takes over a list that was loaded again. Cards that were decided stay where they are, new ones come last. */
export function refresh(deck: Deck, cards: readonly Card[]): Deck {
  const known = new Set(deck.cards.map(({ item }) => item.memory.id));
  return { ...deck, cards: [...deck.cards, ...cards.filter(({ item }) => !known.has(item.memory.id))] };
}

/** Returns how often each outcome was chosen, in the order in which they were. */
export function tallyOf(deck: Deck): [Outcome, number][] {
  const counts = new Map<Outcome, number>();
  for (const outcome of deck.decided.values()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts];
}
