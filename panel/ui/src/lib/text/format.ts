/** Times and amounts for people. The locale and the present are passed in. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const UNITS: readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, size: number][] = [
  [HOUR, 'minute', MINUTE],
  [DAY, 'hour', HOUR],
  [14 * DAY, 'day', DAY],
  [60 * DAY, 'week', 7 * DAY],
  [700 * DAY, 'month', 30.44 * DAY],
  [Infinity, 'year', 365.25 * DAY],
];

/** `Intl` has `now` and `maintenant`, which fit no sentence: a memory is not learnt `now`. */
const JUST_NOW: Readonly<Record<string, string>> = { en: 'just now', fr: 'à l’instant' };

/** Returns a time relative to now, such as "3 days ago", or "just now" within the last minute. */
export function ago(iso: string, locale: string, now = Date.now()): string {
  const past = now - Date.parse(iso);
  const [, unit, size] = UNITS.find(([limit]) => past < limit) ?? UNITS[0]!;
  // The short forms of a month and a year are `m.` and `a` in French, which nobody reads so.
  const style = unit === 'month' || unit === 'year' ? 'long' : 'short';
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style });
  if (past < MINUTE) return JUST_NOW[locale.slice(0, 2)] ?? format.format(0, 'second');
  // 60 days are two months, and not the last one: only short times count what is complete.
  const count = past / size;
  return format.format(-(size > DAY ? Math.round(count) : Math.floor(count)), unit);
}

/** Returns a short date for a column of a list: the time today, the day this year, else with the year. */
export function shortDate(iso: string, locale: string, now = Date.now()): string {
  const date = new Date(iso);
  const today = new Date(now);
  if (date.toDateString() === today.toDateString()) {
    return date.toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });
  }
  const year = date.getFullYear() === today.getFullYear() ? {} : { year: 'numeric' as const };
  return date.toLocaleDateString(locale, { day: 'numeric', month: 'short', ...year });
}

export function fullDate(iso: string, locale: string): string {
  return new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });
}

export function clock(iso: string, locale: string): string {
  return new Date(iso).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });
}

export const number = (value: number, locale: string): string =>
  value.toLocaleString(locale, { maximumFractionDigits: 1 });

/** Returns a large number in few characters: 1.2M. */
export const compact = (value: number, locale: string): string =>
  value.toLocaleString(locale, { notation: 'compact', maximumFractionDigits: 1 });

export const percent = (share: number, locale: string): string =>
  share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 0 });

/** Returns bytes in the largest unit that keeps the number at least 1. */
export function bytes(count: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const power = count < 1 ? 0 : Math.min(3, Math.floor(Math.log10(count) / 3));
  return (count / 1000 ** power).toLocaleString(locale, {
    style: 'unit',
    unit: units[power]!,
    maximumFractionDigits: power === 0 ? 0 : 1,
  });
}

/** Returns how many of three dots a confidence fills; one at least, so that doubt is visible as a dot and not as nothing. */
export function dots(confidence: number): 1 | 2 | 3 {
  return confidence >= 0.8 ? 3 : confidence >= 0.5 ? 2 : 1;
}

/** Returns how long something took: 45 s, 12 min, 2 h 5 min. */
export function duration(seconds: number, locale: string): string {
  const unit = (value: number, name: string) =>
    value.toLocaleString(locale, { style: 'unit', unit: name, unitDisplay: 'short' });
  if (seconds < 60) return unit(Math.round(seconds), 'second');
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return unit(minutes, 'minute');
  const rest = minutes % 60;
  return [unit(Math.floor(minutes / 60), 'hour'), rest ? unit(rest, 'minute') : ''].join(' ').trim();
}
