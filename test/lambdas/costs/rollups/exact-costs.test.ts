import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Dimension, periodsOf, writeShardCount } from '#lambdas/costs/rollups/rollup.ts';
import { addUsd } from '#lambdas/platform/money.ts';
import { allTime } from '#lambdas/platform/time-window.ts';
import { createCostRollupReader } from '#lambdas/reports/rollup-reader.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { createRollupsTable } from '#test/support/dynamodb/rollups-table.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { rollupFunction } from '#test/support/reports/rollup-function.ts';

const entryCount = 10_000;
const batchSize = 1000;
const logShards = 2;
const beginMs = Date.UTC(2026, 0, 31, 21);

/** Cycles through the smallest possible cost and costs of very different magnitudes. */
function picodollars(index: number): bigint {
  const amounts = [
    1n,
    999_999_999_999n,
    1_000_000_000_000n,
    333_333_333_333n + BigInt(index % 7),
    123_456_789_012_345_678_901n,
    100_000_000_000n,
    0n,
    4_720_000_000n,
    7n * 10n ** 20n + 3n,
    BigInt(index) ** 4n + 1n,
  ];
  return amounts[index % amounts.length] ?? 0n;
}

function asUsd(units: bigint): string {
  const digits = units.toString().padStart(13, '0');
  return `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
}

function record(index: number): DynamoDBRecord {
  const createdMs = beginMs + index * 1001;
  const entry = logEntry({
    id: createLogId(createdMs, index % logShards),
    organization_id: 'org_1',
    model: `model-${index % 3}`,
    session_id: `session-${index % 7}`,
    cost_usd: asUsd(picodollars(index)),
  });
  const NewImage = marshall(toItem(entry, { writtenAtMs: createdMs, expiresAtSeconds: 0 }));
  return {
    eventName: 'INSERT',
    dynamodb: { SequenceNumber: String(index), NewImage: NewImage as Record<string, never> },
  };
}

let database: EmbeddedDynamoDB;
beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
});
afterAll(() => database.stop());

it('adds up the costs of 10,000 entries exactly, in total, by key and by session, in every period', async () => {
  const table = await createRollupsTable(database);
  const handler = rollupFunction({ table, now: () => new Date(beginMs) });
  for (let from = 0; from < entryCount; from += batchSize) {
    const Records = Array.from({ length: batchSize }, (_, index) => record(from + index));
    await handler({ shardId: 'shardId-1', Records });
  }

  const all = Array.from({ length: entryCount }, (_, index) => picodollars(index));
  const expected = asUsd(all.reduce((sum, units) => sum + units));
  expect(expected).toBe('823458795451.931625322003');
  for (const dimension of ['totals', 'api_key', 'session_id'] satisfies Dimension[]) {
    for (const period of periodsOf(dimension)) {
      const writeShards = writeShardCount(dimension, logShards);
      const range = {
        organizationId: 'org_1',
        generation: 0,
        dimension,
        period,
        writeShards,
        window: allTime,
      };
      const rollups = await Array.fromAsync(createCostRollupReader(table).read(range));
      expect(rollups.map(({ totals }) => totals.cost_usd).reduce(addUsd, '0')).toBe(expected);
      expect(rollups.reduce((sum, { totals }) => sum + totals.requests, 0)).toBe(entryCount);
    }
  }
});
