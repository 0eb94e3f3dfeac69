/** Figures of requests as the page shows them, in a locale (the browser's by default). */
import { formatCount, formatRoundDuration } from '#dashboard/components/values/number-format.ts';
import { formatExactUsd } from '#dashboard/components/values/usd-format.ts';
import { hourMs, minuteMs, secondMs } from '#lambdas/platform/duration.ts';
import type { FigureBounds, FigureName } from './figures.ts';

type Locale = Intl.LocalesArgument;

/** Returns text such as "$0.0002", "1.5 s" or "1,234", which is exact. */
export function formatFigure(name: FigureName, value: string, locale?: Locale): string {
  if (name === 'cost_usd') return formatExactUsd(value, locale);
  return isDuration(name) ? formatExactDuration(Number(value), locale) : formatCount(Number(value), locale);
}

/** Returns text such as "≥ 1.5 s", "≤ $0.01", "= 3" or "$0.01 – $0.05"; empty without bounds. */
export function formatBounds(name: FigureName, bounds: FigureBounds, locale?: Locale): string {
  const [min, max] = [bounds[`min_${name}`], bounds[`max_${name}`]];
  const format = (value: string) => formatFigure(name, value, locale);
  if (min === undefined) return max === undefined ? '' : `≤ ${format(max)}`;
  if (max === undefined) return `≥ ${format(min)}`;
  return Number(min) === Number(max) ? `= ${format(min)}` : `${format(min)} – ${format(max)}`;
}

export function isDuration(name: FigureName): boolean {
  return name === 'latency_ms' || name === 'time_to_first_token_ms';
}

function formatExactDuration(durationMs: number, locale: Locale): string {
  const precisionMs =
    durationMs < secondMs ? 1 : durationMs < minuteMs ? 10 : durationMs < hourMs ? secondMs : minuteMs;
  return durationMs % precisionMs === 0
    ? formatRoundDuration(durationMs, locale)
    : `${formatCount(durationMs, locale)} ms`;
}
