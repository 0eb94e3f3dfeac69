/** A bar chart in plain text, which reads the same in a terminal and on a page. */

export interface Bar {
  name: string;
  value: number;
}

const width = 50;
/** From here on, lengths are logarithms. */
const farApart = 20;

/** Between bars of the same length nothing grows. Inside a fence of Markdown. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const values = bars.map(({ value }) => value);
  const highest = Math.max(...values);
  const lowest = Math.min(...values);
  const isLogarithmic = highest / lowest > farApart;
  const floor = 10 ** Math.floor(Math.log10(lowest) - 0.001);
  const part = (value: number) =>
    isLogarithmic ? Math.log(value / floor) / Math.log(highest / floor) : value / highest;
  const nameWidth = Math.max(...bars.map(({ name }) => name.length));
  const lines = bars.map(({ name, value }) => {
    const bar = '█'.repeat(Math.max(1, Math.round(part(value) * width)));
    return `${name.padStart(nameWidth)} ${bar} ${shown(value)}`;
  });
  return `\`\`\`text\n${title}${isLogarithmic ? ' (logarithmic)' : ''}\n${lines.join('\n')}\n\`\`\`\n`;
}

export function shown(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}
