/** Dollars for people. */
import { type Line, totalOf } from './per-chat.ts';

export function dollars(usd: number): string {
  if (usd > 0 && usd < 0.005) return '< 0.01';
  return usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** Lines of the same names, one table row for each, with a column for each list. */
export function sideBySide(columns: readonly (readonly Line[])[]): string[][] {
  const [first = []] = columns;
  return first.map(({ name }, index) => [name, ...columns.map((lines) => dollars(lines[index]?.usd ?? 0))]);
}

export function totalRow(name: string, columns: readonly (readonly Line[])[]): string[] {
  return [`**${name}**`, ...columns.map((lines) => `**${dollars(totalOf(lines))}**`)];
}

export function percent(part: number): string {
  return `${(part * 100).toFixed(0)} %`;
}
