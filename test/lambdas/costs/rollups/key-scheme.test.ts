/**
 * Computes the writes per partition key of the log and the rollups when one organization makes 50,000 requests per second.
 * DynamoDB allows 1,000 write units per second for each partition; these tests allow half of that.
 */

import { describe, expect, it } from 'vitest';
import { itemKey, sumAttribute } from '#lambdas/costs/rollups/item.ts';
import type { RollupKey } from '#lambdas/costs/rollups/rollup.ts';
import { toRowUpdates } from '#lambdas/costs/rollups/row-updates.ts';
import { isProgressRow, lastWrittenAttribute } from '#lambdas/costs/rollups/state.ts';
import { sumNames } from '#lambdas/costs/rollups/totals.ts';
import { watermarkAttribute, watermarkValue } from '#lambdas/platform/dynamodb/watermark.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, shardOfLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import { logEntry } from '#test/support/log-entries.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { byTestForm } from '#test/support/test-form.ts';

const requestsPerSecond = 50_000;
const logShards = 128;
const seconds = 1;
const maxWritesPerSecond = 500;
const beginMs = Date.UTC(2026, 0, 31, 9, 30);

function* requests(count: number, fields: (random: () => number, index: number) => Partial<LogEntry>) {
  const random = seededRandom(count);
  for (let index = 0; index < count; index += 1) {
    const shard = Math.floor(random() * logShards);
    const id = createLogId(beginMs + (index * 1000) / requestsPerSecond, shard);
    yield logEntry({ id, organization_id: 'org_busy', ...fields(random, index) });
  }
}

function countOne(counts: Map<string, number>, key: string) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const maxCount = (counts: Map<string, number>) => Math.max(...counts.values());

describe('Log entry keys', () => {
  it('spreads identical requests over the partition keys of the log, with less than 500 writes per second each', () => {
    const identicalFields = { prompt_id: 'p', session_id: 's', user_id: 'u', status: 429 };
    const partitionKeys = [logEntriesSchema, ...Object.values(logEntriesSchema.indexes)].map(
      (keys) => keys.partitionKey,
    );
    expect(partitionKeys).toHaveLength(7);
    const writes = new Map<string, Map<string, number>[]>(partitionKeys.map((name) => [name, []]));
    let number = 0;
    for (const entry of requests(seconds * requestsPerSecond, () => identicalFields)) {
      const second = Math.floor(number++ / requestsPerSecond);
      const item = toItem(entry, { writtenAtMs: beginMs, expiresAtSeconds: 0 });
      for (const [name, counts] of writes) {
        counts[second] ??= new Map();
        countOne(counts[second], String(item[name]));
      }
    }
    for (const [name, countsBySecond] of writes) {
      expect([name, ...countsBySecond.map(({ size }) => size)]).toEqual([
        name,
        ...Array(seconds).fill(logShards),
      ]);
      for (const counts of countsBySecond) expect(maxCount(counts)).toBeLessThan(maxWritesPerSecond);
    }
  });
});

describe('Cost rollup keys', () => {
  const models = 12;
  const apiKeys = 200;

  const randomFields = (random: () => number, index: number) => ({
    model: `model-${Math.floor(random() * models)}`,
    api_key_id: `key-${Math.floor(random() * apiKeys)}`,
    session_id: `session-${index}`,
  });

  /** The writes per second to the busiest partition key of each dimension, with batches of this size. */
  function maxRates(batchSize: number): (dimension: string) => number {
    const batches = Array.from({ length: logShards }, (): LogEntry[] => []);
    // Shards fill at different rates: the average batch has `batchSize` records.
    for (const entry of requests(batchSize * logShards, randomFields))
      batches[shardOfLogId(entry.id)]?.push(entry);
    const writes = new Map<string, number>();
    for (const batch of batches) {
      const records = batch.map((entry, index) => ({
        sequenceNumber: String(index),
        entry,
        before: null,
        writtenAtMs: beginMs,
      }));
      for (const { generation, key } of toRowUpdates(records, () => [0]))
        countOne(writes, itemKey(generation, key).pk);
    }
    const batchSeconds = (batchSize * logShards) / requestsPerSecond;
    return (dimension) =>
      maxCount(new Map([...writes].filter(([pk]) => pk.split('#')[2] === dimension))) / batchSeconds;
  }

  const smallBatch = [
    'a batch has the records of a second',
    Math.floor(requestsPerSecond / logShards),
    97,
  ] as const;
  const fullBatch = ['a batch has 1,000 records', 1000, 38] as const;
  it.each(byTestForm({ short: [smallBatch], long: [smallBatch, fullBatch] }))(
    'spreads distinct sessions over partition keys with less than 500 writes per second each when %s',
    (_, size, maxTotalsRate) => {
      const maxRate = maxRates(size);
      expect(maxRate('totals')).toBeLessThan(maxTotalsRate);
      expect(maxRate('api_key')).toBeLessThan(maxWritesPerSecond);
      expect(maxRate('session_id')).toBeLessThan(maxWritesPerSecond);
    },
    60_000,
  );

  it('consumes less than 500 write units per second for totals with the watermarks of a day of shards', () => {
    const shardLifeHours = 4;
    const logShardsPerWriteShard = 8;
    const key: RollupKey = {
      organizationId: 'org_AAAAAAAAAAAAAAAA',
      dimension: 'totals',
      period: 'minute',
      writeShard: 15,
      periodStart: '2026-01-31T09:30',
      value: null,
      provider: 'openrouter',
      operation: 'embeddings',
      serviceTier: 'priority',
      model: 'meta-llama/llama-4-maverick-17b-128e-instruct',
    };
    const watermarks = logShardsPerWriteShard * Math.ceil(27 / shardLifeHours);
    const unitsPerWrite = Math.ceil(rowBytes(key, watermarks, 20) / 1024);
    expect(unitsPerWrite).toBe(3);
    expect(96 * unitsPerWrite).toBeLessThan(maxWritesPerSecond);
  });

  it.each([
    ['of a month with its histograms and the watermarks of a day of shards', typicalKey, 7, 30],
    [
      'with a named operation, and with a value, a service tier and a model of the maximum length',
      {
        ...typicalKey,
        dimension: 'session_id',
        period: 'hour',
        periodStart: '2026-01-31T09',
        value: 'v'.repeat(256),
        operation: 'embeddings',
        serviceTier: 't'.repeat(32),
        model: 'm'.repeat(256),
      },
      1,
      0,
    ],
  ] as const)('consumes one write unit for a row %s', (_, key, watermarks, buckets) => {
    expect(rowBytes(key, watermarks, buckets)).toBeLessThanOrEqual(1024);
  });
});

const typicalKey: RollupKey = {
  organizationId: 'org_AAAAAAAAAAAAAAAA',
  dimension: 'api_key',
  period: 'month',
  writeShard: 0,
  periodStart: '2026-01',
  value: 'key_AAAAAAAAAAAAAAAA',
  provider: 'anthropic',
  operation: 'chat.completions',
  serviceTier: 'standard',
  model: 'claude-sonnet-4-5',
};

/** A row of a busy organization, with this number of buckets in each of its histograms. */
function rowBytes(key: RollupKey, watermarks: number, buckets: number): number {
  const row: Record<string, string> = { ...itemKey(0, key) };
  const unused = [
    'fallback_attempts',
    'rejected_requests',
    'unpriced_requests',
    'assumed_requests',
    'assumed_cost_usd',
  ];
  const used = sumNames.filter((name) => !unused.includes(name));
  // A number takes a byte for two digits, and one more: millions of requests, billions of tokens and milliseconds.
  for (const name of used)
    row[sumAttribute(name)] = 'x'.repeat(name === 'cost_usd' ? 11 : name.endsWith('requests') ? 4 : 6);
  for (let bucket = 0; bucket < buckets; bucket += 1)
    for (const duration of ['l', 'f']) row[`${duration}${10 + bucket}`] = 'x'.repeat(3);
  if (isProgressRow(key)) row[lastWrittenAttribute] = 'x'.repeat(8);
  for (let shard = 0; shard < watermarks; shard += 1) {
    const source = `shardId-${String(1_789_000_000_000 + shard).padStart(20, '0')}-0123abcd`;
    row[watermarkAttribute(source)] = watermarkValue(source, '9'.repeat(26), new Date(beginMs));
  }
  return Object.entries(row).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
