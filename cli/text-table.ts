import type { Usd } from '#lambdas/platform/money.ts';
import { escapeControls } from '#lib/terminal-output.mjs';

/** Aligns each column to its widest cell. */
export function textTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  // As they are printed, for their width.
  const lines = [headings, ...rows].map((line) => line.map(escapeControls));
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

/** A cell with a dash instead of 0. */
export function countText(count: number): string {
  return count === 0 ? '-' : String(count);
}

/** A cell such as `2 ($0.5)`. There can be a cost without a count: a request counts in one row, but its cost can be in several. */
export function countAndCostText(count: number, cost: Usd): string {
  return count === 0 && cost === '0' ? '-' : `${count} ($${cost})`;
}
