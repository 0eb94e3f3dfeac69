import type { CoverPart } from '#lambdas/reports/costs/cover.ts';

/** One line for each part: `hour 2026-03-28T23:00 2026-03-29T00:00 +1 -0`. */
export function describeParts(parts: readonly CoverPart[]): string[] {
  const text = (timestampMs: number) =>
    new Date(timestampMs).toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
  return parts.map(({ period, window, addTo, subtractFrom }) =>
    [
      ...[period, text(window.startMs), text(window.endMs)],
      ...(addTo === null ? [] : [`+${addTo}`]),
      ...(subtractFrom === null ? [] : [`-${subtractFrom}`]),
    ].join(' '),
  );
}
