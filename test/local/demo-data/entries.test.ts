import { beforeAll, describe, expect, it } from 'vitest';
import { fromUnits } from '#lambdas/platform/money.ts';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { costBreakdownOf } from '#lambdas/reports/logs/cost-breakdown.ts';
import { type LogEntry, outcomes } from '#lambdas/request-log/entry.ts';
import { parseLogEntry, serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import { uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';
import { totalCost } from '#local/demo-data/budgets.ts';
import { demoEntries } from '#local/demo-data/entries.ts';
import { topUser } from '#local/demo-data/users.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { demoKeys } from './demo-keys.ts';

/** A Monday afternoon. */
const until = new Date('2026-11-23T17:05:00Z');
const keys = demoKeys();

const generate = (requests?: number, end = until) =>
  demoEntries({
    until: end,
    keys,
    pricing: createPricing(emptyPriceTable),
    ...(requests && { requests }),
  });

let all: LogEntry[];
let few: LogEntry[];
beforeAll(async () => {
  [all, few] = await Promise.all([generate(), generate(600)]);
});

describe('The demo data', () => {
  it('has the number of requests that was asked for, from about 30 days, none in the future', () => {
    expect([all.length, few.length]).toEqual([10_000, 600]);
    for (const entries of [all, few]) {
      const ends = entries.map(({ created_at, latency_ms }) => Date.parse(created_at) + latency_ms);
      expect(Math.max(...ends)).toBeLessThan(until.getTime());
      expect(daysBefore(entries[0])).toBeGreaterThan(27);
      expect(daysBefore(entries[0])).toBeLessThan(32);
      expect(daysBefore(entries.at(-1))).toBeLessThan(1);
    }
  });

  it('is the same in each run', async () => {
    expect(await generate(600)).toEqual(few);
    expect(few[0]?.id).toBe('01a17787-f6e1-7330-a85a-d5c36040ec00');
  });

  it('has only later requests in addition when its end is later', async () => {
    const known = new Set(few.map(({ id }) => id));
    const later = await generate(600, new Date('2026-11-24T12:00:00Z'));
    const added = later.filter(({ id }) => !known.has(id));

    expect(added.length).toBeGreaterThan(5);
    expect(added.filter((entry) => daysBefore(entry) > 0.2)).toEqual([]);
  });

  it('has valid entries with distinct ids of their time', () => {
    for (const entry of all) {
      expect(parseLogEntry(JSON.parse(JSON.stringify(serializeLogEntry(entry))))).toEqual(entry);
      expect(timestampOfLogId(entry.id)).toBe(Date.parse(entry.created_at));
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  it('has costs that the price table explains', async () => {
    const priced = few.filter(({ pricing }) => pricing === 'table' || pricing === 'assumed');
    const breakdowns = await Promise.all(
      priced.map((entry) => costBreakdownOf(entry, { customPrices: emptyPriceTable, settings: {} })),
    );

    expect(priced.length).toBeGreaterThan(500);
    expect(breakdowns).not.toContain(null);
  });

  it('has less traffic at weekends and at night', () => {
    const perDay = (days: number[]) => countIn(all, (date) => days.includes(date.getUTCDay())) / days.length;
    const perHour = (hours: number[]) =>
      countIn(all, (date) => hours.includes(date.getUTCHours())) / hours.length;

    expect(perDay([0, 6])).toBeLessThan(0.4 * perDay([1, 2, 3, 4, 5]));
    expect(perHour([22, 23, 0])).toBeLessThan(0.2 * perHour([9, 10, 14]));
  });
});

describe.each([
  ['10,000', () => all],
  ['600', () => few],
])('The demo data of %s requests', (_, entriesOf) => {
  it('has ten models of six providers and six keys', () => {
    const reached = entriesOf().filter(({ outcome }) => outcome !== 'rejected');

    expect(valuesOf(reached, 'model')).toHaveLength(10);
    expect(valuesOf(reached, 'provider')).toEqual([
      'anthropic',
      'bedrock',
      'google',
      'mistral',
      'nvidia',
      'openai',
    ]);
    expect(valuesOf(entriesOf(), 'api_key_id')).toHaveLength(6);
    expect(valuesOf(entriesOf(), 'prompt_id')).toHaveLength(13);
  });

  it('has embeddings, which cost $0.02 per million input tokens and have no output', () => {
    const embeddings = entriesOf().filter(({ operation }) => operation === 'embeddings');
    const counted = embeddings.filter(({ outcome }) => outcome === 'completed');

    expect(valuesOf(entriesOf(), 'operation')).toEqual(['chat.completions', 'embeddings']);
    expect(counted.length).toBeGreaterThan(0.03 * entriesOf().length);
    for (const entry of counted) {
      const tokens = Number(entry.input_tokens);
      expect(tokens).toBeGreaterThan(0);
      expect(entry).toMatchObject({
        provider: 'openai',
        model: 'text-embedding-3-small',
        stream: false,
        output_tokens: 0,
        total_tokens: tokens,
        finish_reason: null,
        time_to_first_token_ms: null,
        pricing: 'table',
        usage_source: 'provider',
      });
      expect(entry.cost_usd).toBe(fromUnits(BigInt(tokens) * 20_000n));
    }
  });

  it('has each outcome, typical errors, tiers and sources of prices', () => {
    const entries = entriesOf();

    expect(valuesOf(entries, 'outcome')).toEqual(outcomes.filter((name) => name !== 'interrupted').sort());
    expect(valuesOf(entries, 'error_code')).toEqual([
      'content_filter',
      'context_length_exceeded',
      'insufficient_quota',
      'model_not_found',
      'provider_not_configured',
      'provider_timeout',
      'provider_unavailable',
      'rate_limit_exceeded',
      'server_error',
    ]);
    expect(valuesOf(entries, 'service_tier')).toEqual(['default', 'flex', 'priority', 'standard']);
    expect(valuesOf(entries, 'pricing')).toEqual(['assumed', 'table', 'unknown']);
    expect(valuesOf(entries, 'usage_source')).toEqual(['estimated', 'missing', 'provider']);
    expect(new Set(entries.map(uncertaintyOf))).toEqual(new Set([null, 'unpriced', 'assumed', 'estimated']));
    expect(valuesOf(entries, 'stream')).toEqual([false, true]);
    expect(entries.filter(({ retries }) => retries === 1).length).toBeGreaterThan(2);
    expect(entries.filter(({ reasoning_tokens }) => Number(reasoning_tokens) > 0).length).toBeGreaterThan(50);
    expect(entries.filter(({ billed_parts }) => billed_parts?.length === 2).length).toBeGreaterThan(0);
  });

  it('has a user who costs most in the last week, mostly on one model', () => {
    const lastWeek = entriesOf().filter((entry) => daysBefore(entry) < 7);
    const [[user, usd], [, nextUsd]] = byCost(lastWeek, 'user_id');
    const [[model, modelUsd]] = byCost(
      lastWeek.filter(({ user_id }) => user_id === topUser),
      'model',
    );

    expect([user, model]).toEqual([topUser, 'claude-opus-5-5']);
    expect(usd).toBeGreaterThan(2 * nextUsd);
    expect(modelUsd).toBeGreaterThan(0.8 * usd);
  });

  it('has a Tuesday on which one provider is slow, but not the gateway', () => {
    const slow = entriesOf().filter(({ provider }) => provider === 'anthropic');
    const tuesday = slow.filter(({ created_at }) => created_at.startsWith('2026-11-17'));
    const others = slow.filter(({ created_at }) => !created_at.startsWith('2026-11-17'));

    expect(median(tuesday, 'latency_ms')).toBeGreaterThan(2 * median(others, 'latency_ms'));
    expect(median(tuesday, 'time_to_first_token_ms')).toBeGreaterThan(
      2 * median(others, 'time_to_first_token_ms'),
    );
    expect(median(tuesday, 'overhead_ms')).toBeLessThan(15);
  });

  it('has an outage of one provider for some hours', () => {
    const outage = entriesOf().filter(
      ({ provider, created_at }) =>
        provider === 'anthropic' && created_at > '2026-11-12T12' && created_at < '2026-11-12T16',
    );
    const failed = outage.filter(({ status }) => status === 503 || status === 504);

    expect(failed.length).toBeGreaterThan(0.6 * outage.length);
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([503, 504]));
  });

  it('has a very expensive request: long context, cache writes, reasoning and web searches', () => {
    const [first, second] = entriesOf().toSorted(
      (one, other) => Number(other.cost_usd) - Number(one.cost_usd),
    );

    expect(first).toMatchObject({
      cost_usd: '6.2639264',
      model: 'claude-opus-5-5',
      prompt_id: 'research-report',
      cache_write_1h_input_tokens: 642_310,
      reasoning_tokens: 27_450,
      web_searches: 34,
    });
    expect(Number(first?.cost_usd)).toBeGreaterThan(5 * Number(second?.cost_usd));
  });

  it('has sessions whose input grows, more and more of it cached', () => {
    const sessions = Map.groupBy(
      entriesOf().filter(({ session_id, outcome, billed_parts }) => {
        return session_id !== null && outcome === 'completed' && billed_parts === null;
      }),
      ({ session_id }) => session_id,
    );
    const ends = [...sessions.values()]
      .filter(({ length }) => length >= 4)
      .map((turns) => [turns[0], turns.at(-1)]);
    const cachedShare = (entry: LogEntry | undefined) =>
      Number(entry?.cached_input_tokens) / Number(entry?.input_tokens);

    expect(ends.length).toBeGreaterThan(5);
    for (const [first, last] of ends) {
      expect(last?.input_tokens).toBeGreaterThan(Number(first?.input_tokens));
    }
    expect(mean(ends.map(([, last]) => cachedShare(last)))).toBeGreaterThan(
      mean(ends.map(([first]) => cachedShare(first))) + 0.1,
    );
  });
});

it('has about sixty users', () => {
  expect(valuesOf(all, 'user_id').length).toBeGreaterThan(55);
});

function daysBefore(entry: LogEntry | undefined): number {
  return (until.getTime() - Date.parse(entry?.created_at ?? '')) / 86_400_000;
}

function countIn(entries: LogEntry[], accepts: (date: Date) => boolean): number {
  return entries.filter(({ created_at }) => accepts(new Date(created_at))).length;
}

function valuesOf(entries: LogEntry[], field: keyof LogEntry): unknown[] {
  return [...new Set(entries.map((entry) => entry[field]))].filter((value) => value !== null).sort();
}

function median(entries: LogEntry[], field: 'latency_ms' | 'time_to_first_token_ms' | 'overhead_ms'): number {
  const values = entries.flatMap((entry) => entry[field] ?? []).sort((one, other) => one - other);
  return values[Math.floor(values.length / 2)] ?? 0;
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function byCost(entries: LogEntry[], field: 'user_id' | 'model'): [[string, number], [string, number]] {
  const named = entries.filter((entry) => entry[field] !== null);
  const groups = [...Map.groupBy(named, (entry) => String(entry[field]))].map(
    ([value, members]): [string, number] => [value, Number(totalCost(members))],
  );
  const [first = ['', 0], second = ['', 0]] = groups.sort(([, one], [, other]) => other - one);
  return [first, second];
}
