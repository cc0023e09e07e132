/** The keyboard as a pure function: what a key press means, given the keys before it. */

export type Press = {
  readonly key: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
  readonly alt: boolean;
  /** AltGr is held: it makes the sign and belongs to no chord. Windows reports it as Ctrl and Alt. */
  readonly graph: boolean;
  /** The key is held down. */
  readonly repeat: boolean;
  /** The focus is where letters are text. */
  readonly typing: boolean;
  readonly time: number;
};

export type Pending = { readonly prefix: string; readonly time: number } | null;
type Result = { readonly pending: Pending; readonly chord: string | null };

/** The first keys of sequences of two: `g h`. */
const PREFIXES = new Set(['g']);
/** Milliseconds after which the first key of a sequence is forgotten. */
const SEQUENCE = 1200;
const BARE_MODIFIERS = new Set(['Shift', 'Control', 'Meta', 'Alt', 'AltGraph']);
/** Keys that may be held down: they move and change nothing. */
const MOVES = /^(j|k|Arrow\w+|Page\w+)$/;
/** Signs that need Option on some keyboards of a Mac. */
const SIGN = /^[^\w\s]$/;

/** Returns the name of a chord, such as `j`, `g h`, `Mod+Shift+m`, or null while a sequence is incomplete. */
export function press(pending: Pending, event: Press): Result {
  if (BARE_MODIFIERS.has(event.key)) return { pending, chord: null };
  if (event.repeat && !MOVES.test(event.key)) return { pending, chord: null };
  const isSign = event.graph || (event.alt && !event.ctrl && SIGN.test(event.key));
  if (!isSign && (event.ctrl || event.alt)) {
    const parts = [event.ctrl && 'Mod', event.alt && 'Alt', event.shift && 'Shift', event.key.toLowerCase()];
    return { pending: null, chord: parts.filter(Boolean).join('+') };
  }
  if (event.typing && event.key !== 'Escape') return { pending: null, chord: null };
  if (pending && event.time - pending.time < SEQUENCE) {
    return { pending: null, chord: `${pending.prefix} ${event.key}` };
  }
  if (PREFIXES.has(event.key)) {
    return { pending: { prefix: event.key, time: event.time }, chord: null };
  }
  return { pending: null, chord: event.key };
}
