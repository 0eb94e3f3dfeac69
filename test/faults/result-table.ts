import type { ScenarioResult } from './run-scenario.ts';

type Counts = Omit<ScenarioResult, 'fault' | 'violations' | 'outcomes'>;

const columns: Readonly<Record<keyof Counts, string>> = {
  requests: 'Requests',
  received: 'Reached a provider',
  entries: 'Entries',
  lost: 'Lost',
  duplicated: 'Duplicated',
  interrupted: 'Interrupted',
  retries: 'Retries',
  queued: 'Through the queue',
  notWritten: 'From the log',
  seconds: 'Seconds',
};
const names = Object.keys(columns) as (keyof Counts)[];

export const tableHeader = [
  line(['Fault', ...Object.values(columns)]),
  line(['---', ...names.map(() => '---:')]),
].join('\n');

export function tableRow(row: Counts & { fault: string }): string {
  return line([row.fault, ...names.map((name) => row[name].toLocaleString('en'))]);
}

export function totalRow(rows: readonly ScenarioResult[]): Counts & { fault: string } {
  const sum = (name: keyof Counts) => rows.reduce((total, row) => total + row[name], 0);
  return {
    fault: 'all',
    requests: sum('requests'),
    received: sum('received'),
    entries: sum('entries'),
    lost: sum('lost'),
    duplicated: sum('duplicated'),
    interrupted: sum('interrupted'),
    retries: sum('retries'),
    queued: sum('queued'),
    notWritten: sum('notWritten'),
    seconds: sum('seconds'),
  };
}

export function hasPassed({ received, entries, lost, duplicated, violations }: ScenarioResult): boolean {
  return lost === 0 && duplicated === 0 && violations.length === 0 && entries === received;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
