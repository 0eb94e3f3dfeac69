/** Generates the dataset: log entries of two organizations over 90 days, the same in every run. */

import { randomBytes } from 'node:crypto';
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { dayMs, hourMs, minuteMs } from '#lambdas/platform/duration.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId, timestampOfLogId } from '#lambdas/request-log/id.ts';
import { toItem } from '#lambdas/request-log/table/item.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { Caller, ReportFixture } from '#test/support/reports/fixture.ts';
import { type Random, seededRandom } from '#test/support/seeded-random.ts';
import type { CapacityMeter, Consumption } from './capacity-meter.ts';

export const days = 90;

const modelsByProvider = {
  openai: ['gpt-4o', 'gpt-4o-mini', 'gpt-5', 'o4-mini'],
  anthropic: ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-5', 'claude-3-5-haiku-latest'],
  google: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-2.0-flash'],
};
export const models = Object.entries(modelsByProvider).flatMap(([provider, names]) =>
  names.map((model) => ({ provider, model })),
);

export interface Dataset {
  /** Has 90 % of the entries, in one write shard. */
  large: Caller;
  /** Has 10 % of the entries, in sixteen write shards. */
  sharded: Caller;
  /** Current time of the endpoints: the end of the 90 days, in the middle of a minute. */
  now: Date;
  startMs: number;
  count: number;
  /** Yields the entries in chronological order. */
  entries(): Generator<LogEntry>;
}

export async function createDataset(fixture: ReportFixture, count: number): Promise<Dataset> {
  const { database, tables } = fixture;
  // The engine's writes slow down with each stream record, and nothing reads this stream.
  await database.client.send(
    new UpdateTableCommand({
      TableName: tables.logEntries,
      StreamSpecification: { StreamEnabled: false },
    }),
  );
  const large = await fixture.newCaller();
  const sharded = await fixture.newCaller({ logShards: 16 });
  const now = new Date(Date.now() - (Date.now() % dayMs) + 15.5 * hourMs + 17 * minuteMs + 42_123);
  const startMs = now.getTime() - days * dayMs;
  const stepMs = (days * dayMs) / count;
  fixture.setTime(now);
  return {
    large,
    sharded,
    now,
    startMs,
    count,
    *entries() {
      const random = seededRandom(1);
      for (let index = 0; index < count; index += 1) {
        const createdAtMs = Math.floor(startMs + index * stepMs + random() * stepMs);
        const isLarge = index % 10 > 0;
        const shard = isLarge ? 0 : Math.floor(random() * 16);
        const { organizationId } = isLarge ? large : sharded;
        yield randomEntry(createLogId(createdAtMs, shard), organizationId, random);
      }
    },
  };
}

/** Returns an entry with a prompt (10 %), a user (20 %) and a session (5 %, about ten requests each). */
export function randomEntry(id: string, organizationId: string, random: Random): LogEntry {
  const pick = (count: number) => Math.floor(random() * count);
  const { provider, model } = models[pick(models.length)] ?? { provider: 'openai', model: 'gpt-4o' };
  const input = 200 + pick(5000);
  const output = 20 + pick(900);
  return logEntry({
    id,
    organization_id: organizationId,
    provider,
    model,
    response_model: `${model}-2026-01-15`,
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cost_usd: `0.${String(1 + pick(999_999_999)).padStart(12, '0')}`,
    cached_input_tokens: pick(2) * Math.floor(input / 256) * 128,
    reasoning_tokens: pick(2) * Math.floor(output / 2),
    ...randomDurations(random),
    api_key_id: `key_${pick(3)}AAAAAAAAAAAAAAA`,
    prompt_id: pick(10) === 0 ? `prompt-${pick(20)}` : null,
    user_id: pick(5) === 0 ? `user-${pick(500)}` : null,
    session_id: pick(20) === 0 ? `01a1fa57-81ee-798e-89ae-${String(pick(1000)).padStart(12, '0')}` : null,
    provider_request_id: `req_${randomBytes(16).toString('hex')}`,
    ...(pick(20) === 0 && failures[pick(failures.length)]),
  });
}

const free: Partial<LogEntry> = { cost_usd: '0', output_tokens: 0, time_to_first_token_ms: null };

/** One request in twenty. */
const failures: readonly Partial<LogEntry>[] = [
  { ...free, outcome: 'provider_error', status: 429, error_code: 'rate_limit_exceeded' },
  { ...free, outcome: 'provider_error', status: 503, error_code: 'code-of-a-provider' },
  { ...free, outcome: 'timeout', status: 504, error_code: 'provider_timeout' },
  { ...free, outcome: 'rejected', status: 400, error_code: 'model_not_found', overhead_ms: null },
  { outcome: 'client_closed' },
];

/** Lognormal, with a median of two seconds; one request in a hundred takes ten times as long. Half of them are streams. */
export function randomDurations(random: Random): Partial<LogEntry> {
  const lognormal = (median: number, sigma: number) => Math.round(median * Math.exp(sigma * normal(random)));
  const latency = lognormal(2000, 0.7) * (random() < 0.01 ? 10 : 1);
  const isStream = random() < 0.5;
  return {
    latency_ms: latency,
    stream: isStream,
    time_to_first_token_ms: isStream ? Math.min(lognormal(400, 0.5), latency) : null,
    overhead_ms: 2 + Math.floor(random() * 10),
  };
}

/** Standard normal, by the Box-Muller transform. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

const batchSize = 1000;
/** The limit of BatchWriteItem. */
const writeSize = 25;
const concurrentWrites = 4;
/** Late enough that no entry expires during a benchmark. */
const expiresAtSeconds = 4_000_000_000;

/** Writes the entries, runs the rollup function on them, and returns its consumption and duration. */
export async function writeDataset(
  fixture: ReportFixture,
  meter: CapacityMeter,
  dataset: Pick<Dataset, 'count' | 'entries'>,
): Promise<Consumption & { ms: number }> {
  const { database, tables } = fixture;
  const rollup = { calls: 0, units: 0, items: 0, ms: 0 };
  let processed = 0;
  for (const batch of toBatches(dataset.entries(), batchSize)) {
    await forEachConcurrently(toBatches(batch, writeSize), concurrentWrites, async (entries) => {
      const requests = entries.map((entry) => ({
        PutRequest: { Item: toItem(entry, { writtenAtMs: timestampOfLogId(entry.id), expiresAtSeconds }) },
      }));
      const command = new BatchWriteCommand({ RequestItems: { [tables.logEntries]: requests } });
      await database.documentClient.send(command);
    });
    meter.take();
    const startedAt = performance.now();
    await fixture.rollUp(batch, processed + 1);
    rollup.ms += performance.now() - startedAt;
    const { calls, units } = meter.take();
    rollup.calls += calls;
    rollup.units += units;
    processed += batch.length;
    if (processed % 10_000 === 0) process.stderr.write(`${processed} of ${dataset.count} entries\n`);
  }
  return rollup;
}

export function* toBatches<Element>(elements: Iterable<Element>, size: number): Generator<Element[]> {
  let batch: Element[] = [];
  for (const element of elements) {
    batch.push(element);
    if (batch.length === size) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}
