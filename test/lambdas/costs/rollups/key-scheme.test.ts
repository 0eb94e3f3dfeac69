/**
 * The keys of log entries and of cost rollups when one organization makes 50,000 requests a second: how many writes
 * come to each partition key. DynamoDB takes 1,000 write units a second for one; half of that is what we allow.
 */

import { describe, expect, it } from 'vitest';
import { rowAdditionsOf } from '#lambdas/costs/rollups/increments.ts';
import { itemKey } from '#lambdas/costs/rollups/item.ts';
import { sortableNumber, watermarkAttribute, watermarkValue } from '#lambdas/costs/rollups/watermark.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, shardOfLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntriesSchema } from '#lambdas/request-log/table/schema.ts';
import { logEntry } from '#test/support/log-entries.ts';

const requestsPerSecond = 50_000;
const logShards = 128;
const seconds = 1;
const writesAllowed = 500;
const beginMs = Date.UTC(2026, 0, 31, 9, 30);

/** The same numbers in each run: mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** So many requests one after the other; `fields` may differ from one to the next. */
function* requests(count: number, fields: (random: () => number, index: number) => Partial<LogEntry>) {
  const random = randomNumbers(count);
  for (let index = 0; index < count; index += 1) {
    const shard = Math.floor(random() * logShards);
    const id = createLogId(beginMs + (index * 1000) / requestsPerSecond, shard);
    yield logEntry({ id, organization_id: 'org_busy', ...fields(random, index) });
  }
}

function countOne(counts: Map<string, number>, key: string) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const highest = (counts: Map<string, number>) => Math.max(...counts.values());

describe('the keys of log entries', () => {
  it('take less than 500 writes a second each when all requests are alike', () => {
    const alike = { prompt_id: 'p', session_id: 's', user_id: 'u', status: 429 };
    const partitionKeys = [logEntriesSchema, ...Object.values(logEntriesSchema.indexes)].map(
      (keys) => keys.partitionKey,
    );
    expect(partitionKeys).toHaveLength(7);
    const writes = new Map<string, Map<string, number>[]>(partitionKeys.map((name) => [name, []]));
    let number = 0;
    for (const entry of requests(seconds * requestsPerSecond, () => alike)) {
      const second = Math.floor(number++ / requestsPerSecond);
      const item = toItem(entry, { writtenAtMs: beginMs, expiresAtSeconds: 0 });
      for (const [name, counts] of writes) {
        counts[second] ??= new Map();
        countOne(counts[second], String(item[name]));
      }
    }
    for (const [name, ofSeconds] of writes) {
      expect([name, ...ofSeconds.map(({ size }) => size)]).toEqual([name, ...Array(seconds).fill(logShards)]);
      for (const counts of ofSeconds) expect(highest(counts)).toBeLessThan(writesAllowed);
    }
  });
});

describe('the keys of cost rollups', () => {
  const models = 12;
  const apiKeys = 200;

  const anyone = (random: () => number, index: number) => ({
    model: `model-${Math.floor(random() * models)}`,
    api_key_id: `key-${Math.floor(random() * apiKeys)}`,
    session_id: `session-${index}`,
  });

  /** Rows that are written in a second to the busiest partition key of each dimension, by batches of this size. */
  function highestRates(batchSize: number): (dimension: string) => number {
    const batches = Array.from({ length: logShards }, (): LogEntry[] => []);
    // Shards fill at their own pace: what is left over when the average batch is full belongs to the next one.
    for (const entry of requests(batchSize * logShards, anyone)) batches[shardOfLogId(entry.id)]?.push(entry);
    const writes = new Map<string, number>();
    for (const batch of batches) {
      const records = batch.map((entry, index) => ({
        sequenceNumber: String(index),
        entry,
        before: null,
        writtenAtMs: beginMs,
      }));
      for (const { generation, key } of rowAdditionsOf(records, () => [0]))
        countOne(writes, itemKey(generation, key).pk);
    }
    const batchSeconds = (batchSize * logShards) / requestsPerSecond;
    return (dimension) =>
      highest(new Map([...writes].filter(([pk]) => pk.split('#')[2] === dimension))) / batchSeconds;
  }

  it.each([
    ['a batch has the records of a second', Math.floor(requestsPerSecond / logShards), 97],
    ['a batch has 1,000 records', 1000, 38],
  ])(
    'take less than 500 writes a second each, with a session for each request, where %s',
    (_, size, ofTotals) => {
      const highestRate = highestRates(size);
      expect(highestRate('model')).toBeLessThan(ofTotals);
      expect(highestRate('api_key')).toBeLessThan(writesAllowed);
      expect(highestRate('session_id')).toBeLessThan(writesAllowed);
    },
    60_000,
  );

  it('take less than 500 write units a second for totals, after a day of shards that each left a watermark', () => {
    const shardLifeHours = 4;
    const shardsOfALane = 8;
    const row: Record<string, string> = {
      ...itemKey(0, {
        organizationId: 'org_AAAAAAAAAAAAAAAA',
        dimension: 'model',
        period: 'minute',
        writeShard: 15,
        periodStart: '2026-01-31T09:30',
        value: null,
        provider: 'openrouter',
        model: 'meta-llama/llama-4-maverick-17b-128e-instruct',
      }),
      // Numbers take a byte for two digits, and one more.
      requests: 'x'.repeat(8),
      cost_usd: 'x'.repeat(16),
      input_tokens: 'x'.repeat(10),
      output_tokens: 'x'.repeat(10),
      unpriced_requests: 'x'.repeat(8),
    };
    for (let shard = 0; shard < shardsOfALane * Math.ceil(27 / shardLifeHours); shard += 1) {
      const source = `shardId-${String(1_789_000_000_000 + shard).padStart(20, '0')}-0123abcd`;
      row[watermarkAttribute(source)] = watermarkValue(
        source,
        sortableNumber('9'.repeat(26)),
        new Date(beginMs),
      );
    }
    const bytes = Object.entries(row).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    const unitsPerWrite = Math.ceil(bytes / 1024);
    expect(unitsPerWrite).toBe(4);
    expect(96 * unitsPerWrite).toBeLessThan(writesAllowed);
  });
});
