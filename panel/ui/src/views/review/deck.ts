/** The review as a pure state: which card is current and what was decided. */
import type { Card, Decision } from '../../lib/api';

export type Outcome = Decision | 'edit' | 'later';
export type Deck = {
  readonly cards: readonly Card[];
  readonly current: number;
  readonly decided: ReadonlyMap<string, Outcome>;
  /** Cards that are open again, until a list has them: one that was asked for before has not. */
  readonly back: ReadonlySet<string>;
};

export const deckOf = (cards: readonly Card[]): Deck => ({ cards, current: 0, decided: new Map(), back: new Set() });

const indexOf = (cards: readonly Card[], id: string | undefined): number => cards.findIndex(({ item }) => item.memory.id === id);
const idAt = (deck: Deck, index: number): string | undefined => deck.cards[index]?.item.memory.id;
export const currentCard = (deck: Deck): Card | undefined => deck.cards[deck.current];

export function move(deck: Deck, step: number): Deck {
  const current = Math.max(0, Math.min(deck.cards.length - 1, deck.current + step));
  return { ...deck, current };
}

/**
 * Records a decision. From the current card, goes to the next without one: below first, then from the top; none left:
 * stays.
 */
export function decide(deck: Deck, id: string, outcome: Outcome): Deck {
  const decided = new Map(deck.decided).set(id, outcome);
  const from = indexOf(deck.cards, id);
  if (from !== deck.current) return { ...deck, decided };
  const order = deck.cards.map((_, offset) => (from + 1 + offset) % deck.cards.length);
  const next = order.find((index) => !decided.has(idAt(deck, index)!));
  return { ...deck, decided, current: next ?? deck.current };
}

/** Takes a decision back and returns to its card. */
export function reopen(deck: Deck, id: string): Deck {
  const back = fail(deck, id);
  const current = indexOf(deck.cards, id);
  return { ...back, current: current < 0 ? back.current : current };
}

/** Takes back a decision that the server did not accept: the card that is being read stays, if there is one. */
export function fail(deck: Deck, id: string): Deck {
  const decided = new Map(deck.decided);
  decided.delete(id);
  const reads = !deck.decided.has(idAt(deck, deck.current) ?? id);
  const current = reads ? deck.current : Math.max(0, indexOf(deck.cards, id));
  return { ...deck, decided, current, back: new Set([...deck.back, id]) };
}

/**
 * Takes over a list that was loaded again. Cards that were decided stay where they are, and so does the one that is
 * `held`; the others are as in the new list, which has no card that was settled elsewhere. New ones come last.
 */
export function refresh(deck: Deck, cards: readonly Card[], held?: string): Deck {
  const fresh = new Map(cards.map((card) => [card.item.memory.id, card]));
  const known = new Set(deck.cards.map(({ item }) => item.memory.id));
  const stays = (card: Card) => {
    const { id } = card.item.memory;
    return deck.decided.has(id) || id === held ? card : (fresh.get(id) ?? (deck.back.has(id) ? card : undefined));
  };
  const kept = deck.cards.map(stays);
  const all = [...kept.filter((card) => card !== undefined), ...cards.filter(({ item }) => !known.has(item.memory.id))];
  // The one that is current, or the next that is left.
  const from = kept.slice(deck.current).find((card) => card !== undefined) ?? all.at(-1);
  const back = new Set([...deck.back].filter((id) => !fresh.has(id)));
  return { ...deck, cards: all, current: Math.max(0, indexOf(all, from?.item.memory.id)), back };
}

/** Returns how often each outcome was chosen, in the order in which they were. */
export function tallyOf(deck: Deck): [Outcome, number][] {
  const counts = new Map<Outcome, number>();
  for (const outcome of deck.decided.values()) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts];
}
