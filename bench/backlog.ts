/**
 * How fast the rollup function counts a backlog, and that the sums are right: `npm run bench:backlog`.
 *
 * The function counts 100,000 entries of one hour, or as many as the argument says, on the embedded engine, from the records
 * of one shard in batches of 1,000. Then all rows are compared with plain sums of the entries. Prints a table and, on
 * standard error, its progress; takes some minutes.
 */
import { deepStrictEqual } from 'node:assert';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { countedRows, expectedRows } from '#test/lambdas/costs/rollups/rollup-model.ts';
import { startEmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { streamRecord } from '#test/support/report-harness.ts';
import { rollupFunction } from '#test/support/rollup-function.ts';
import { createRollupsTable } from '#test/support/rollups-table.ts';
import { markdownTable } from './harness/figures.ts';
import { meterCapacity } from './reports/capacity-meter.ts';
import { randomEntry, seededRandom } from './reports/dataset.ts';

const count = Number(process.argv[2] ?? 100_000);
const batchSize = 1000;
const startMs = Date.UTC(2026, 0, 31, 9);
const hourMs = 3_600_000;
const organizationId = 'org_AAAAAAAAAAAAAAAA';

const backlogs: [name: string, fields: Partial<LogEntry>][] = [
  ['of 12 models and 3 keys', { prompt_id: null, session_id: null, user_id: null }],
  ['a tenth with a prompt, a fifth with a user, a twentieth with a session', {}],
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
    'Counting a backlog',
    ['Entries of an hour', 'Count', 'Rows', 'Calls per 1,000', 'Entries a second', 'Seconds'],
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
    const counted = (await countedRows(table)).get(`${organizationId} 0`) ?? {};
    const stored = entries.map((entry) => ({ entry, writtenAtMs: 0 }));
    deepStrictEqual(counted, expectedRows({ entries: stored }, { id: organizationId }, 0));
    const perThousand = (calls / entries.length) * 1000;
    return [Object.keys(counted).length, perThousand, entries.length / (ms / 1000), ms / 1000];
  } finally {
    await database.stop();
  }
}
