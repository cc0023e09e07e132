/** Connects key presses to the view that is open: the handler registered last is asked first. */
import { press, type Pending } from './press';

export type Handlers = Readonly<Record<string, (() => void) | undefined>>;

type Layer = { readonly handlers: () => Handlers; readonly modal: boolean };

let layers: readonly Layer[] = [];
/** The layers when the key went down: a dialog that it closes still keeps it from the view behind. */
let asked: readonly Layer[] = [];
let pending: Pending = null;

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button', 'range'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Keys that a focused control uses itself. */
function belongsToControl(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' && event.key !== ' ') return false;
  return (event.target as Element).closest('a, button, summary, input, [role="menuitem"]') !== null;
}

function onKeydown(event: KeyboardEvent): void {
  if (event.isComposing || belongsToControl(event)) return;
  const result = press(pending, {
    key: event.key,
    ctrl: event.ctrlKey || event.metaKey,
    shift: event.shiftKey,
    alt: event.altKey,
    graph: event.getModifierState?.('AltGraph') ?? false,
    repeat: event.repeat,
    typing: isTyping(event.target),
    time: event.timeStamp,
  });
  pending = result.pending;
  if (!result.chord) return;
  for (const layer of asked.toReversed()) {
    const handler = layers.includes(layer) ? layer.handlers()[result.chord] : undefined;
    if (handler) {
      event.preventDefault();
      handler();
      return;
    }
    // Keys pressed in a dialog never reach the view behind it.
    if (layer.modal) return;
  }
}

export function startKeys(): void {
  addEventListener('keydown', () => (asked = layers), { capture: true });
  addEventListener('keydown', onKeydown);
}

/** Registers the keys of a component for as long as it is mounted. */
export function useKeys(handlers: () => Handlers, options: { modal?: boolean } = {}): void {
  $effect(() => {
    const layer = { handlers, modal: options.modal ?? false };
    layers = [...layers, layer];
    return () => void (layers = layers.filter((other) => other !== layer));
  });
}
