/** Has the rollup function count entries, and fails when what it counted is not their sum. */
import { deepStrictEqual } from 'node:assert';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { countedRows, expectedRows } from '#test/lambdas/costs/rollups/rollup-model.ts';
import type { EmbeddedDynamoDB } from '#test/support/embedded-dynamodb.ts';
import { streamRecord } from '#test/support/report-harness.ts';
import { rollupFunction } from '#test/support/rollup-function.ts';
import { createRollupsTable } from '#test/support/rollups-table.ts';
import { meterCapacity } from '../reports/capacity-meter.ts';

export interface CatchUp {
  /** Rows of sums. */
  sums: number;
  calls: number;
  seconds: number;
}

const batchSize = 1000;

export async function catchUp(database: EmbeddedDynamoDB, entries: LogEntry[]): Promise<CatchUp> {
  const table = await createRollupsTable(database);
  const handler = rollupFunction({ table, now: () => new Date() });
  const meter = meterCapacity(database.client);
  let ms = 0;
  for (let from = 0; from < entries.length; from += batchSize) {
    const Records = entries
      .slice(from, from + batchSize)
      .map((entry, index) => streamRecord(entry, from + index + 1));
    const startedAt = performance.now();
    await handler({ shardId: 'shardId-1', Records });
    ms += performance.now() - startedAt;
    if (from % 10_000 === 0) process.stderr.write(`${from} of ${entries.length} entries\n`);
  }
  const { calls } = meter.take();
  const [organization = ''] = entries.map(({ organization_id }) => organization_id);
  const counted = (await countedRows(table)).get(`${organization} 0`) ?? {};
  const stored = entries.map((entry) => ({ entry, writtenAtMs: 0 }));
  deepStrictEqual(counted, expectedRows({ entries: stored }, { id: organization }, 0));
  return { sums: Object.keys(counted).length, calls, seconds: ms / 1000 };
}
