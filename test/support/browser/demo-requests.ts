/** The requests of `npm run demo-data`, written to a local gateway. */

import { setTimeout as delay } from 'node:timers/promises';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { setBudget } from '#lambdas/limits/budgets/budgets.ts';
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { demoEntries } from '#local/demo-data/entries.ts';
import { ensureDemoKeys, type LocalTables, openLocalTables } from '#local/demo-data/gateway.ts';
import { putEntries, writeEntries } from '#local/demo-data/write.ts';
import type { LocalGateway } from '#local/local-gateway.ts';
import { streamRecord } from '#test/support/reports/fixture.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';

/**
 * Returns them, the newest first, when the rollups have counted them. The organization has a monthly budget of 1,000 dollars.
 *
 * @param alsoAt the times of further requests, which are copies; their log entries may have expired
 */
export async function writeDemoRequests(
  gateway: LocalGateway,
  requests: number,
  alsoAt: readonly string[] = [],
): Promise<LogEntry[]> {
  return withTables(gateway, async (tables) => {
    const { organizationId, audit } = tables;
    const originals = await createDemoEntries(tables, requests);
    const copies = alsoAt.flatMap((time, index) =>
      originals.slice(index, index + 1).map((entry) => ({
        ...entry,
        id: createLogId(Date.parse(time)),
        created_at: new Date(time).toISOString(),
      })),
    );
    const entries = [...originals, ...copies].sort((one, other) => (one.id < other.id ? -1 : 1));
    await writeEntries(tables, entries);
    const budget = { amountUsd: '1000', hard: false, allowsUnpriced: false };
    await setBudget(tables, { organizationId, keyId: null }, 'month', budget, audit);
    return entries.toReversed();
  });
}

/** As many as fit the memory of the rollup function. */
const countedBatchSize = 5000;

/**
 * Writes many requests, which are copies of each other in the same milliseconds, and counts them by the rollup function itself
 * rather than from the stream, with whose length the embedded database slows down. Afterwards, the gateway counts no more
 * requests. They name no session and no user, whose sums would take ten times as long.
 */
export async function writeManyRequests(gateway: LocalGateway, requests: number): Promise<void> {
  await withTables(gateway, async (tables) => {
    const originals = await createDemoEntries(tables, Math.min(requests, 1000));
    const copies = Array.from({ length: Math.ceil(requests / originals.length) }, () =>
      originals.map((entry) => ({
        ...entry,
        session_id: null,
        user_id: null,
        id: createLogId(Date.parse(entry.created_at)),
      })),
    );
    const entries = copies.flat().slice(-requests);
    const { logEntries, costRollups } = tables;
    await logEntries.client.send(
      new UpdateTableCommand({
        TableName: logEntries.tableName,
        StreamSpecification: { StreamEnabled: false },
      }),
    );
    await putEntries(tables, entries);
    const count = rollupFunction({ table: costRollups, now: () => new Date() });
    let sequenceNumber = 0;
    for (const chunk of chunksOf(entries, countedBatchSize)) {
      const writtenAtMs = Date.now();
      const Records = chunk.map((entry) => streamRecord(entry, ++sequenceNumber, writtenAtMs));
      await count({ shardId: 'shardId-0', Records });
    }
    await untilCounted(gateway);
  });
}

const pollMs = 2000;

/** Until the sum stays the same, and includes the newest request. */
async function untilCounted({ baseUrl, apiKey }: LocalGateway): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}` };
  let before = 0;
  for (;;) {
    const response = await fetch(`${baseUrl}/api/costs`, { headers });
    const costs = (await response.json()) as { total_requests: number; complete_until: string };
    const isComplete = Date.now() - Date.parse(costs.complete_until) < pollMs;
    if (isComplete && costs.total_requests > 0 && costs.total_requests === before) return;
    before = costs.total_requests;
    await delay(pollMs);
  }
}

async function withTables<Result>(
  gateway: LocalGateway,
  work: (tables: LocalTables) => Promise<Result>,
): Promise<Result> {
  const tables = openLocalTables(gateway.connection, () => new Date());
  try {
    return await work(tables);
  } finally {
    tables.close();
  }
}

async function createDemoEntries(tables: LocalTables, requests: number): Promise<LogEntry[]> {
  const keys = await ensureDemoKeys(tables);
  return demoEntries({ ...tables, keys, until: new Date(), requests });
}
