/**
 * Measures how fast the rollup function processes a backlog, and verifies the resulting sums: `npm run bench:backlog`.
 *
 * The function processes 100,000 entries of one hour, or the number in the argument, on the embedded DynamoDB engine, in
 * batches of 1,000 records from one stream shard. Then all rollup rows are compared with sums over the entries. Prints a
 * table, and its progress to standard error; takes some minutes.
 */

import { deepStrictEqual } from 'node:assert';
import { hourMs } from '#lambdas/platform/duration.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { expectedRows, readAllRows } from '#test/lambdas/costs/rollups/support/expected-rows.ts';
import { startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { markdownTable } from './harness/figures.ts';
import { meterCapacity } from './reports/capacity-meter.ts';
import { randomEntry } from './reports/dataset.ts';

const count = Number(process.argv[2] ?? 100_000);
const batchSize = 1000;
const startMs = Date.UTC(2026, 0, 31, 9);
const organizationId = 'org_AAAAAAAAAAAAAAAA';

const backlogs: [name: string, fields: Partial<LogEntry>][] = [
  ['12 models, 3 keys', { prompt_id: null, session_id: null, user_id: null }],
  ['the same, 10 % with a prompt, 20 % with a user, 5 % with a session', {}],
];

const rows: (string | number)[][] = [];
for (const [name, fields] of backlogs) {
  const random = seededRandom(1);
  const entries = Array.from({ length: count }, (_, index) => {
    const id = createLogId(startMs + Math.floor((index * hourMs) / count));
    return { ...randomEntry(id, organizationId, random), ...fields };
  });
  rows.push([name, count, ...(await measure(entries))]);
}
console.log(
  markdownTable(
    'Processing a backlog',
    [
      'Entries of an hour',
      'Count',
      'Rollup rows',
      'DynamoDB calls per 1,000',
      'Entries per second',
      'Seconds',
    ],
    rows,
  ),
);

async function measure(entries: LogEntry[]): Promise<number[]> {
  const database = await startEmbeddedDynamoDB();
  try {
    const table = await createRollupsTable(database);
    const rollUp = rollupFunction({ table, now: () => new Date() });
    const meter = meterCapacity(database.client);
    let ms = 0;
    for (let from = 0; from < entries.length; from += batchSize) {
      const batch = entries.slice(from, from + batchSize);
      const Records = batch.map((entry, index) => streamRecord(entry, from + index + 1));
      const startedAt = performance.now();
      await rollUp({ shardId: 'shardId-1', Records });
      ms += performance.now() - startedAt;
      if (from % 10_000 === 0) process.stderr.write(`${from} of ${entries.length} entries\n`);
    }
    const { calls } = meter.take();
    const actualRows = (await readAllRows(table)).get(`${organizationId} 0`) ?? {};
    const stored = entries.map((entry) => ({ entry, writtenAtMs: 0 }));
    deepStrictEqual(actualRows, expectedRows({ entries: stored }, { id: organizationId }, 0));
    const callsPerThousand = (calls / entries.length) * 1000;
    return [Object.keys(actualRows).length, callsPerThousand, entries.length / (ms / 1000), ms / 1000];
  } finally {
    await database.stop();
  }
}
