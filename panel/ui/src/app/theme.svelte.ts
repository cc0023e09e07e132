export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const STORED = 'tacit.theme';
let theme = $state<Theme>('system');

function apply(next: Theme): void {
  theme = next;
  document.documentElement.dataset.theme = next;
}

export function startTheme(): void {
  const stored = localStorage.getItem(STORED);
  apply(THEMES.find((name) => name === stored) ?? 'system');
}

export const currentTheme = (): Theme => theme;

export function chooseTheme(next: Theme): void {
  localStorage.setItem(STORED, next);
  apply(next);
}
