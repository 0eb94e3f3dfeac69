/** The entries that are measured: 90 days of two organizations, always the same ones. */
import { randomBytes } from 'node:crypto';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { logEntry } from '#test/support/log-entries.ts';
import type { Caller, ReportHarness } from '#test/support/report-harness.ts';

const dayMs = 86_400_000;
export const days = 90;

const modelsOf = {
  openai: ['gpt-4o', 'gpt-4o-mini', 'gpt-5', 'o4-mini'],
  anthropic: ['claude-sonnet-4-5', 'claude-haiku-4-5', 'claude-opus-4-5', 'claude-3-5-haiku-latest'],
  google: ['gemini-2.5-pro', 'gemini-2.5-flash', 'gemini-2.5-flash-lite', 'gemini-2.0-flash'],
};
export const models = Object.entries(modelsOf).flatMap(([provider, names]) =>
  names.map((model) => ({ provider, model })),
);

export interface Dataset {
  /** Has nine tenths of the entries, in one shard. */
  large: Caller;
  /** Has a tenth, in sixteen shards. */
  spread: Caller;
  /** When the endpoints are asked: in the middle of a minute, at the end of the 90 days. */
  now: Date;
  startMs: number;
  count: number;
  /** In order of time; ids are random. */
  entries(): Generator<LogEntry>;
}

export async function makeDataset(harness: ReportHarness, count: number): Promise<Dataset> {
  const large = await harness.newCaller();
  const spread = await harness.newCaller({ logShards: 16 });
  const now = new Date(Date.now() - (Date.now() % dayMs) + 15.5 * 3_600_000 + 17 * 60_000 + 42_123);
  const startMs = now.getTime() - days * dayMs;
  const stepMs = (days * dayMs) / count;
  harness.setTime(now);
  return {
    large,
    spread,
    now,
    startMs,
    count,
    *entries() {
      const random = seededRandom(1);
      for (let index = 0; index < count; index += 1) {
        const createdAtMs = Math.floor(startMs + index * stepMs + random() * stepMs);
        const isLarge = index % 10 > 0;
        const shard = isLarge ? 0 : Math.floor(random() * 16);
        const { organizationId } = isLarge ? large : spread;
        yield entryOf({ id: createLogId(createdAtMs, shard), organizationId, random });
      }
    },
  };
}

interface EntryOf {
  id: string;
  organizationId: string;
  random(): number;
}

/** A tenth of the entries has a prompt, a fifth a user, a twentieth a session of about ten requests. */
export function entryOf({ id, organizationId, random }: EntryOf): LogEntry {
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
    status: pick(50) === 0 ? 429 : 200,
    api_key_id: `key_${pick(3)}AAAAAAAAAAAAAAA`,
    prompt_id: pick(10) === 0 ? `prompt-${pick(20)}` : null,
    user_id: pick(5) === 0 ? `user-${pick(500)}` : null,
    session_id: pick(20) === 0 ? `01a1fa57-81ee-798e-89ae-${String(pick(1000)).padStart(12, '0')}` : null,
    provider_request_id: `req_${randomBytes(16).toString('hex')}`,
  });
}

/** Mulberry32: small, and good enough to spread. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
