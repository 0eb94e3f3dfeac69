/** Reads figures of requests as the page shows them, and as people type them, in a locale (the browser's by default). */
import {
  editableNumber,
  parseLocaleNumber,
  parseLocaleUsd,
} from '#dashboard/components/values/parse-number.ts';
import { hourMs, minuteMs, secondMs } from '#lambdas/platform/duration.ts';
import { formatFigure, isDuration } from './figure-text.ts';
import { type FigureName, isBound } from './figures.ts';

type Locale = Intl.LocalesArgument;

/** Returns the text with which a field for the figure begins. */
export function editableFigure(name: FigureName, value: string, locale?: Locale): string {
  return isDuration(name) ? formatFigure(name, value, locale) : editableNumber(value, locale);
}

/** Returns the value of a text such as "$0.0002", "2 min 5 s", "1,234" or "1.5M"; `null` if the figure has no such value. */
export function parseFigure(name: FigureName, text: string, locale?: Locale): string | null {
  const value = isDuration(name)
    ? parseDuration(text, locale)
    : name === 'cost_usd'
      ? parseLocaleUsd(text, locale)
      : parseCount(text, locale);
  return value !== null && isBound(name, value) ? value : null;
}

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: secondMs,
  min: minuteMs,
  m: minuteMs,
  h: hourMs,
};

/** A number alone is in milliseconds. */
function parseDuration(text: string, locale: Locale): string | null {
  if (!/[a-z]/i.test(text)) return scaled(text, 1, locale);
  if (!/^(?:[^a-z]+[a-z]+)+\s*$/i.test(text)) return null;
  let sumMs = 0;
  for (const [, number = '', unit = ''] of text.matchAll(/([^a-z]+)([a-z]+)/gi)) {
    const partMs = scaled(number, unitsMs[unit.toLowerCase()] ?? Number.NaN, locale);
    if (partMs === null) return null;
    sumMs += Number(partMs);
  }
  return String(sumMs);
}

const multiples: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000, b: 1_000_000_000 };

function parseCount(text: string, locale: Locale): string | null {
  const [, number = '', multiple = ''] = /^(.*?)\s*([kmb]?)\s*$/i.exec(text) ?? [];
  return scaled(number, multiples[multiple.toLowerCase()] ?? 1, locale);
}

/** Returns a whole number. */
function scaled(number: string, factor: number, locale: Locale): string | null {
  const value = parseLocaleNumber(number, locale);
  const product = value === null ? Number.NaN : Math.round(Number(value) * factor);
  return Number.isNaN(product) ? null : String(product);
}
