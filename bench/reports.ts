/**
 * Measures the capacity units and the latency of reading and writing logs and costs, on the embedded DynamoDB engine:
 * `npm run bench:reports`.
 *
 * The engine counts capacity units as DynamoDB does; they do not depend on the machine, unlike times. Prints tables, of
 * which `docs/reports.md` has a selection, and its progress to standard error; takes about fifteen minutes. The argument is
 * the number of entries of the dataset; the dashboard's queries have organizations of their own.
 */
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { type ReportFixture, startReportFixture } from '#test/support/reports/fixture.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { markdownTable } from './harness/figures.ts';
import { type CapacityMeter, type Consumption, meterCapacity } from './reports/capacity-meter.ts';
import { dashboardTable } from './reports/dashboard.ts';
import { createDataset, days, models, randomDurations, writeDataset } from './reports/dataset.ts';
import { logListTable } from './reports/log-lists.ts';
import { readTable } from './reports/reads.ts';

const uuid = '01a1fa57-81ee-798e-89ae-413ad5140b00';
const requestKinds: [name: string, fields: Partial<LogEntry>][] = [
  ['no header', {}],
  ['`gateway-prompt-id`', { prompt_id: uuid }],
  ['`gateway-session-id`', { session_id: uuid }],
  ['`gateway-user-id`', { user_id: uuid }],
  ['all three headers, UUIDs', { prompt_id: uuid, session_id: uuid, user_id: uuid }],
  [
    'all three headers, 256 bytes each',
    { prompt_id: 'p'.repeat(256), session_id: 's'.repeat(256), user_id: 'u'.repeat(256) },
  ],
  ['no header, error 429', { status: 429, outcome: 'provider_error', error_code: 'rate_limit_exceeded' }],
  [
    'rejected before a provider was called',
    { status: 400, outcome: 'rejected', provider: null, model: null, error_code: 'model_not_found' },
  ],
];

/** Read units of every batch: the quarantined records of its stream shard, and the state of its organization. */
const batchReadUnits = 2;

const batchSize = 1000;
const batches = 5;
const atMs = Date.UTC(2026, 0, 31, 9, 30);

const loads: [name: string, createFields: (index: number) => Partial<LogEntry>][] = [
  ['1,000 per second: 12 models, 2 keys', () => ({})],
  ['the same with 20 prompts', (index) => ({ prompt_id: `prompt-${index % 20}` })],
  [
    'the same with 20 prompts, 500 users, a session each',
    (index) => ({
      prompt_id: `prompt-${index % 20}`,
      user_id: `user-${index % 500}`,
      session_id: `session-${index}`,
    }),
  ],
];

const count = Number(process.argv[2] ?? 200_000);

const fixture = await startReportFixture();
try {
  const meter = meterCapacity(fixture.database.client);
  const dataset = await createDataset(fixture, count);
  const datasetRollup = await writeDataset(fixture, meter, dataset);
  console.log(await readTable(fixture, meter, dataset));
  console.log(await dashboardTable(fixture, meter, dataset));
  console.log(await logListTable(fixture, meter, dataset));
  console.log(await writeTable(fixture, meter));
  console.log(await rollupTable(fixture, meter, { count, datasetRollup }));
} finally {
  await fixture.stop();
}

async function writeTable(fixture: ReportFixture, meter: CapacityMeter): Promise<string> {
  const rows: (string | number)[][] = [];
  for (const [name, fields] of requestKinds) {
    const { organizationId } = await fixture.newCaller();
    const entry = logEntry({ ...fields, id: createLogId(Date.now()), organization_id: organizationId });
    meter.take();
    await fixture.write(entry);
    const entryUnits = meter.take().units;
    await fixture.rollUp([entry]);
    const rollupUnits = meter.take().units - batchReadUnits;
    rows.push([name, entryUnits, rollupUnits, entryUnits + rollupUnits]);
  }
  return markdownTable(
    'Write units per request',
    ['Request', 'Entry and indexes', 'Rollups, if alone in a batch', 'Total'],
    rows,
  );
}

async function rollupTable(
  fixture: ReportFixture,
  meter: CapacityMeter,
  { count, datasetRollup }: { count: number; datasetRollup: Consumption & { ms: number } },
): Promise<string> {
  const rows = [
    rollupRow(`${count.toLocaleString('en')} over ${days} days, the dataset`, count, datasetRollup),
  ];
  for (const [name, createFields] of loads) {
    const { organizationId } = await fixture.newCaller();
    const random = seededRandom(1);
    meter.take();
    const startedAt = performance.now();
    for (let from = 0; from < batches * batchSize; from += batchSize) {
      const entries = Array.from({ length: batchSize }, (_, offset) => {
        const index = from + offset;
        return logEntry({
          ...models[index % models.length],
          api_key_id: `key_${index % 2}`,
          ...createFields(index),
          ...randomDurations(random),
          id: createLogId(atMs + Math.floor(index / 1000) * 1000),
          organization_id: organizationId,
        });
      });
      await fixture.rollUp(entries, from + 1);
    }
    const ms = performance.now() - startedAt;
    rows.push(rollupRow(name, batches * batchSize, { ...meter.take(), ms }));
  }
  return markdownTable(
    'The rollup function, in batches of 1,000',
    ['Entries', 'Entries per second', 'DynamoDB calls per 1,000', 'Capacity units per 1,000'],
    rows,
  );
}

function rollupRow(name: string, count: number, { ms, calls, units }: Consumption & { ms: number }) {
  return [name, count / (ms / 1000), (calls / count) * 1000, (units / count) * 1000];
}
