import { beforeAll, describe, expect, it } from 'vitest';
import { createPricing } from '#lambdas/pricing/pricing.ts';
import { type LogEntry, outcomes } from '#lambdas/request-log/entry.ts';
import { parseLogEntry, serializeLogEntry } from '#lambdas/request-log/entry-json.ts';
import { timestampOfLogId } from '#lambdas/request-log/id.ts';
import { uncertaintyOf } from '#lambdas/request-log/uncertainty.ts';
import { demoEntries } from '#local/demo-data/entries.ts';
import { emptyPriceTable } from '#test/support/prices.ts';
import { demoKeys } from './demo-keys.ts';

/** A Monday afternoon. */
const until = new Date('2026-11-23T17:05:00Z');

const generate = (requests?: number, end = until) =>
  demoEntries({
    until: end,
    keys: demoKeys(),
    pricing: createPricing(emptyPriceTable),
    ...(requests && { requests }),
  });

let all: LogEntry[];
let few: LogEntry[];
beforeAll(async () => {
  [all, few] = await Promise.all([generate(), generate(300)]);
});

describe('The demo data', () => {
  it('has the number of requests that was asked for, from about 30 days, none in the future', () => {
    expect([all.length, few.length]).toEqual([10_000, 300]);
    for (const entries of [all, few]) {
      const ends = entries.map(({ created_at, latency_ms }) => Date.parse(created_at) + latency_ms);
      expect(Math.max(...ends)).toBeLessThan(until.getTime());
      expect(daysBefore(entries[0])).toBeGreaterThan(27);
      expect(daysBefore(entries[0])).toBeLessThan(32);
      expect(daysBefore(entries.at(-1))).toBeLessThan(1);
    }
  });

  it('is the same in each run, and has only later requests in addition when its end is later', async () => {
    const known = new Set(few.map(({ id }) => id));
    const later = await generate(300, new Date('2026-12-02T12:00:00Z'));
    const added = later.filter(({ id }) => !known.has(id));

    expect(await generate(300)).toEqual(few);
    expect(added.length).toBeGreaterThan(50);
    expect(added.filter((entry) => daysBefore(entry) > 0.5)).toEqual([]);
  });

  it('has the ids of responses and of the provider, by which requests are found', () => {
    const responses = few.filter(({ response_id: id }) => id !== null);

    expect(responses.length).toBeGreaterThan(200);
    expect(
      responses.filter(({ response_id: id }) => !/^(chatcmpl-|msg_01)[0-9a-f]{22}$/.test(String(id))),
    ).toEqual([]);
    expect(new Set(responses.map(({ response_id: id }) => id)).size).toBe(responses.length);
    expect(responses.filter(({ operation, status }) => operation === 'embeddings' || status !== 200)).toEqual(
      [],
    );
    expect(few.filter(({ provider_request_id: id }) => id !== null).length).toBeGreaterThan(250);
  });

  it('has valid entries with distinct ids of their time, in the first write shard', () => {
    for (const entry of few) {
      expect(parseLogEntry(JSON.parse(JSON.stringify(serializeLogEntry(entry))))).toEqual(entry);
      expect(timestampOfLogId(entry.id)).toBe(Date.parse(entry.created_at));
      expect(entry.id.slice(-2)).toBe('00');
    }
    expect(new Set(all.map(({ id }) => id)).size).toBe(10_000);
  });

  it('has what every view of the dashboard shows', () => {
    expect(valuesOf(all, 'outcome')).toEqual(outcomes.filter((name) => name !== 'interrupted').sort());
    expect(valuesOf(all, 'error_code')).toHaveLength(8);
    expect(valuesOf(all, 'model')).toHaveLength(10);
    expect(valuesOf(all, 'prompt_id')).toHaveLength(13);
    expect(valuesOf(all, 'user_id')).toHaveLength(25);
    expect(valuesOf(all, 'session_id').length).toBeGreaterThan(300);
    expect(valuesOf(all, 'service_tier')).toEqual(['default', 'flex', 'priority', 'standard']);
    expect(costliest(all, 'user_id')).toBe('olivia.king');
  });

  it.each([
    ['10,000', 7, () => all],
    ['300', 14, () => few],
  ])('of %s requests has the rare kinds in the last %i days', (_, days, entriesOf) => {
    const recent = entriesOf().filter((entry) => daysBefore(entry) < days);

    expect(valuesOf(recent, 'api_key_id')).toHaveLength(6);
    expect(valuesOf(recent, 'operation')).toEqual(['chat.completions', 'embeddings']);
    expect(new Set(recent.map(uncertaintyOf))).toEqual(new Set([null, 'unpriced', 'assumed', 'estimated']));
    expect(recent.filter(({ billed_parts: parts }) => parts?.length === 2)).not.toEqual([]);
    expect(recent.filter(({ web_searches: searches }) => searches === 34)).not.toEqual([]);
    expect(recent.filter(({ outcome }) => outcome === 'timeout')).not.toEqual([]);
  });

  it('has sessions whose requests have the earlier ones as cached context', () => {
    const [session] = [...Map.groupBy(all, ({ session_id: id }) => id)]
      .flatMap(([id, requests]) => (id?.startsWith('code-assistant') ? [requests] : []))
      .filter((requests) => requests.length > 5 && requests.every(({ outcome }) => outcome === 'completed'));
    const inputs = session?.map(({ input_tokens: tokens }) => Number(tokens)) ?? [];

    expect(inputs).toEqual(inputs.toSorted((one, other) => one - other));
    expect(session?.at(-1)?.cached_input_tokens).toBeGreaterThan(2 * Number(session?.[0]?.input_tokens));
  });
});

function daysBefore(entry: LogEntry | undefined): number {
  return (until.getTime() - Date.parse(entry?.created_at ?? '')) / 86_400_000;
}

function valuesOf(entries: LogEntry[], field: keyof LogEntry): unknown[] {
  return [...new Set(entries.map((entry) => entry[field]))].filter((value) => value !== null).sort();
}

/** The value whose requests cost most. */
function costliest(entries: LogEntry[], field: keyof LogEntry): unknown {
  const groups = [...Map.groupBy(entries, (entry) => entry[field])].filter(([value]) => value !== null);
  const costOf = (group: LogEntry[]) => group.reduce((sum, { cost_usd }) => sum + Number(cost_usd), 0);
  return groups.sort(([, one], [, other]) => costOf(other) - costOf(one))[0]?.[0];
}
