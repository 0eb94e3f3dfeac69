/** A Markdown table with a heading of its own; numbers are set to the right. */
export function markdownTable(
  title: string,
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const isNumeric = headings.map((_, column) => rows.every((row) => typeof row[column] === 'number'));
  const rule = isNumeric.map((numeric) => (numeric ? '---:' : '---'));
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(shown).join(' | ')} |`;
  return `### ${title}\n\n${[headings, rule, ...rows].map(line).join('\n')}\n`;
}

function shown(cell: string | number): string {
  return typeof cell === 'number' ? cell.toLocaleString('en', { maximumFractionDigits: 1 }) : cell;
}
