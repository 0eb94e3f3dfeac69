import type { ChartSeries } from '../chart.ts';
import type { Brush, Current } from './use-interaction.ts';

interface Announced {
  title: string;
  rows: readonly ChartSeries[];
  total: { name: string; text: string } | null;
  current: Current;
  brush: Brush | null;
}

/** The text that a screen reader speaks for the current period. */
export function announcement({ title, rows, total, current, brush }: Announced): string {
  if (brush !== null) return `Selected: ${title}. Press Enter to apply.`;
  const { index, seriesId } = current;
  const chosen = rows.find(({ id }) => id === seriesId);
  if (chosen !== undefined) return `${chosen.name}: ${chosen.texts[index]}. ${title}.`;
  const figures = rows.filter(({ values }) => (values[index] ?? 0) !== 0);
  const texts = figures.map(({ name, texts }) => `${name}: ${texts[index]}`);
  const all = total === null ? [] : [`${total.name}: ${total.text}`];
  return `${title}. ${[...all, ...texts].join(', ')}`;
}
