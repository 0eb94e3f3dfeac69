/** The suite's result as a table of Markdown, row by row. */
import type { Row } from './run-scene.ts';

const headings = [
  'Fault',
  'Requests',
  'Reached a provider',
  'Entries',
  'Lost',
  'Doubled',
  'Interrupted',
  'Seconds',
];

export const tableHead = [
  line(headings),
  line(headings.map((_, column) => (column === 0 ? '---' : '---:'))),
].join('\n');

export function tableRow({
  fault,
  requests,
  received,
  entries,
  lost,
  doubled,
  interrupted,
  seconds,
}: Row): string {
  return line([fault, ...[requests, received, entries, lost, doubled, interrupted, seconds].map(shown)]);
}

export function sumRow(rows: readonly Row[]): Row {
  const sum = (countOf: (row: Row) => number) => rows.reduce((total, row) => total + countOf(row), 0);
  return {
    fault: 'all',
    requests: sum(({ requests }) => requests),
    received: sum(({ received }) => received),
    entries: sum(({ entries }) => entries),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    interrupted: sum(({ interrupted }) => interrupted),
    wrong: rows.flatMap(({ wrong }) => wrong),
    seconds: sum(({ seconds }) => seconds),
  };
}

export function isGood({ received, entries, lost, doubled, wrong }: Row): boolean {
  return lost === 0 && doubled === 0 && wrong.length === 0 && entries === received;
}

function shown(count: number): string {
  return count.toLocaleString('en');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
