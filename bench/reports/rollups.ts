/** How fast the rollup function counts, and what it writes for that. */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { ReportHarness } from '#test/support/report-harness.ts';
import { markdownTable } from '../shared/markdown-table.ts';
import type { CapacityMeter } from './capacity-meter.ts';
import { models } from './dataset.ts';
import type { Filling } from './fill.ts';

const batchSize = 1000;
const batches = 5;
const atMs = Date.UTC(2026, 0, 31, 9, 30);

/** Of the entry with this number; what callers send at the same moment. */
const loads: [name: string, fieldsOf: (index: number) => Partial<LogEntry>][] = [
  ['1,000 a second: 12 models, 2 keys', (index) => ({ api_key_id: `key_${index % 2}` })],
  [
    'the same with 20 prompts',
    (index) => ({ api_key_id: `key_${index % 2}`, prompt_id: `prompt-${index % 20}` }),
  ],
  [
    'the same with 20 prompts, 500 users, a session each',
    (index) => ({
      api_key_id: `key_${index % 2}`,
      prompt_id: `prompt-${index % 20}`,
      user_id: `user-${index % 500}`,
      session_id: `session-${index}`,
    }),
  ],
];

export async function rollupTable(
  harness: ReportHarness,
  meter: CapacityMeter,
  { entries, rollup }: Filling,
): Promise<string> {
  const rows = [
    [
      `${entries.toLocaleString('en')} over 90 days, as above`,
      entries / (rollup.ms / 1000),
      (rollup.calls / entries) * 1000,
      (rollup.units / entries) * 1000,
    ],
  ];
  const measured: (string | number)[][] = rows;
  for (const [name, fieldsOf] of loads) measured.push([name, ...(await measure(harness, meter, fieldsOf))]);
  return markdownTable(
    'The rollup function, in batches of 1,000',
    ['Entries', 'Entries a second', 'Calls per 1,000', 'Units per 1,000'],
    measured,
  );
}

async function measure(
  harness: ReportHarness,
  meter: CapacityMeter,
  fieldsOf: (index: number) => Partial<LogEntry>,
): Promise<number[]> {
  const { organizationId } = await harness.newCaller();
  const entryOf = (index: number) =>
    logEntry({
      ...models[index % models.length],
      ...fieldsOf(index),
      id: createLogId(atMs + Math.floor(index / 1000) * 1000),
      organization_id: organizationId,
    });
  meter.take();
  const startedAt = performance.now();
  for (let batch = 0; batch < batches; batch += 1) {
    const from = batch * batchSize;
    await harness.rollUp(
      Array.from({ length: batchSize }, (_, index) => entryOf(from + index)),
      from + 1,
    );
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const { calls, units } = meter.take();
  return [(batches * batchSize) / seconds, calls / batches, units / batches];
}
