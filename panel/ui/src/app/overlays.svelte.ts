/** Dialogs that can be opened from every view; one at a time. */
type Overlay = 'palette' | 'keys';

let shown = $state<Overlay | null>(null);

export const overlays = {
  get shown() {
    return shown;
  },
  open(overlay: Overlay): void {
    shown = overlay;
  },
  close(): void {
    shown = null;
  },
};
