/** The suite's result as a table of Markdown, row by row. */
import type { Row } from './run-scene.ts';

type Counts = Omit<Row, 'fault' | 'wrong' | 'outcomes'>;

const columns: Readonly<Record<keyof Counts, string>> = {
  requests: 'Requests',
  received: 'Reached a provider',
  entries: 'Entries',
  lost: 'Lost',
  doubled: 'Doubled',
  interrupted: 'Interrupted',
  retries: 'Retries',
  queued: 'Through the queue',
  notWritten: 'From the log',
  seconds: 'Seconds',
};
const names = Object.keys(columns) as (keyof Counts)[];

export const tableHead = [
  line(['Fault', ...Object.values(columns)]),
  line(['---', ...names.map(() => '---:')]),
].join('\n');

export function tableRow(row: Counts & { fault: string }): string {
  return line([row.fault, ...names.map((name) => row[name].toLocaleString('en'))]);
}

export function sumRow(rows: readonly Row[]): Counts & { fault: string } {
  const sum = (name: keyof Counts) => rows.reduce((total, row) => total + row[name], 0);
  return {
    fault: 'all',
    requests: sum('requests'),
    received: sum('received'),
    entries: sum('entries'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    interrupted: sum('interrupted'),
    retries: sum('retries'),
    queued: sum('queued'),
    notWritten: sum('notWritten'),
    seconds: sum('seconds'),
  };
}

export function isGood({ received, entries, lost, doubled, wrong }: Row): boolean {
  return lost === 0 && doubled === 0 && wrong.length === 0 && entries === received;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
