/** How benchmarks summarize and print their figures. */

/** The nearest rank: the smallest measured value that at least `share` of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error('There is no percentile of no values');
  return value;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** A Markdown table under a heading of its own. Columns of numbers are right-aligned. */
export function markdownTable(
  title: string,
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const isNumeric = headings.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  const rule = isNumeric.map((numeric) => (numeric ? '---:' : '---'));
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cellText).join(' | ')} |`;
  return `### ${title}\n\n${[headings, rule, ...rows].map(line).join('\n')}\n`;
}

function cellText(cell: string | number): string {
  return typeof cell === 'number' ? cell.toLocaleString('en', { maximumFractionDigits: 1 }) : cell;
}

export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.005) return '< 0.01';
  return usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
