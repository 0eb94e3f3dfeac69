/** Returns the nearest-rank percentile: the smallest value such that at least `share` of the values do not exceed it. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new Error('A percentile needs at least one value');
  return value;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Returns a heading and a Markdown table. Columns of numbers are right-aligned. */
export function markdownTable(
  title: string,
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const isNumeric = headings.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  const alignments = isNumeric.map((numeric) => (numeric ? '---:' : '---'));
  const formatRow = (cells: readonly (string | number)[]) => `| ${cells.map(formatCell).join(' | ')} |`;
  return `### ${title}\n\n${[headings, alignments, ...rows].map(formatRow).join('\n')}\n`;
}

function formatCell(cell: string | number): string {
  return typeof cell === 'number' ? cell.toLocaleString('en', { maximumFractionDigits: 1 }) : cell;
}

export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.005) return '< 0.01';
  return usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
