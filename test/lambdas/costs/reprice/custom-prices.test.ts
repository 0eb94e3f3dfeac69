/** Prices change while requests run in several functions: each entry has the price of its time, and stays as it is. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newOrganizationId } from '#lambdas/access/id.ts';
import { newPriceOf } from '#lambdas/costs/reprice/new-price.ts';
import { noFacts } from '#lambdas/inference/completion/facts.ts';
import { billOf } from '#lambdas/inference/exchange/bill.ts';
import { toLogEntry } from '#lambdas/inference/exchange/log-entry.ts';
import { prefetchPrices } from '#lambdas/inference/exchange/prefetch-prices.ts';
import { createProviderRegistry } from '#lambdas/inference/providers/registry.ts';
import { endCustomPrice, setCustomPrices } from '#lambdas/pricing/custom/change.ts';
import type { CustomPriceDependencies } from '#lambdas/pricing/custom/lookup.ts';
import { readCustomPrices, snapshotOf } from '#lambdas/pricing/custom/store.ts';
import { createPricing, type Pricing } from '#lambdas/pricing/pricing.ts';
import type { PriceTable } from '#lambdas/pricing/table/price-table.ts';
import { noUsage } from '#lambdas/pricing/usage.ts';
import type { LogEntry } from '#lambdas/request-log/entry.ts';
import { requestKey } from '#test/support/api-keys.ts';
import { exampleClientOptions } from '#test/support/aws/client-options.ts';
import { exampleExchange } from '#test/support/chat/example-exchange.ts';
import { type EmbeddedDynamoDB, startEmbeddedDynamoDB } from '#test/support/dynamodb/embedded.ts';
import { tableCallsAt } from '#test/support/dynamodb/table-calls-at.ts';
import { createTable } from '#test/support/dynamodb/tables.ts';
import { fc } from '#test/support/fast-check.ts';
import { byTestForm } from '#test/support/test-form.ts';
import { flatRates } from './flat-rates.ts';

const numRuns = byTestForm({ short: 30, long: 500 });

let database: EmbeddedDynamoDB;
let tableName: string;

beforeAll(async () => {
  database = await startEmbeddedDynamoDB();
  ({ name: tableName } = await createTable(database.client, 'Prices', { key: ['model', 'scope'] }));
});
afterAll(() => database.stop());

const tiers = [null, 'priority', 'flex'];
const scope = fc.record({
  model: fc.constantFrom('a', 'a', 'b'),
  organization: fc.constantFrom(null, null, 0, 1),
  tier: fc.constantFrom(null, ...tiers),
});
const usd = fc.integer({ min: 1, max: 9 });
/** The default start, or a later one. */
const start = fc.option(fc.integer({ min: 80_000, max: 200_000 }), { nil: null });
/** The time between choosing the default start and the end of the write, or the lag of the operator's clock. */
const lagMs = fc.constantFrom(0, 0, 9_000);

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 90_000 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('set' as const), scope, usd, start, lagMs }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('import' as const),
      prices: fc.array(fc.record({ scope, usd, start }), { minLength: 1, maxLength: 5 }),
      lagMs,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), scope, start, lagMs }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('request' as const),
      scope,
      pricing: fc.nat({ max: 2 }),
      /** The response ends after this many steps. */
      duration: fc.nat({ max: 4 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
/** A request of a function that cached the prices just before they changed, close to the start of the new price. */
const changeAfterRead = fc
  .record({
    scope,
    usd,
    lagMs,
    pricing: fc.nat({ max: 2 }),
    ms: fc.constantFrom(60_999, 61_000, 65_000, 69_999, 70_000),
  })
  .map(({ ms, usd: price, lagMs: lag, ...request }): Step[] => [
    { kind: 'request', ...request, duration: 0 },
    { kind: 'set', scope: request.scope, usd: price, start: null, lagMs: lag },
    { kind: 'wait', ms },
    { kind: 'request', ...request, duration: 0 },
  ]);
const steps = fc
  .array(fc.oneof({ weight: 4, arbitrary: step.map((single) => [single]) }, changeAfterRead), {
    minLength: 5,
    maxLength: 40,
  })
  .map((groups) => groups.flat());

type Scope = Extract<Step, { kind: 'end' }>['scope'];

/** $10 for every kind of token. */
const table: PriceTable = {
  version: 'list 1',
  findRates: () => flatRates(10),
  findRegion: () => null,
};

/** The prices by start, from the definition: `null` where the price has ended. */
type Timeline = Map<number, number | null>;

function valueAt(timeline: Timeline | undefined, atMs: number): number | null {
  const starts = [...(timeline?.keys() ?? [])].filter((from) => from <= atMs);
  return timeline?.get(Math.max(...starts)) ?? null;
}

async function simulate(sequence: readonly Step[]): Promise<{ entries: LogEntry[]; expected: string[] }> {
  const run = randomUUID();
  const organizations = [newOrganizationId(), newOrganizationId()];
  const { provider } = createProviderRegistry({}, exampleClientOptions).resolve('openai/a');
  let nowMs = Date.UTC(2026, 0, 31);
  const now = () => new Date(nowMs);
  const reads: Promise<unknown>[] = [];
  const { get } = tableCallsAt(database.endpoint);
  const calls: CustomPriceDependencies['calls'] = {
    get(...read) {
      const reading = get(...read);
      reads.push(reading);
      return reading;
    },
  };
  const functions: Pricing[] = tiers.map(() => createPricing({ calls, tableName, now }, table));
  const timelines = new Map<string, Timeline>();
  const timelineOf = ({ model, organization, tier }: Scope) => {
    const name = JSON.stringify([model, organization, tier]);
    const timeline: Timeline = timelines.get(name) ?? new Map();
    timelines.set(name, timeline);
    return timeline;
  };
  const pending: { endsAt: number; end: () => Promise<LogEntry>; expected: () => string }[] = [];
  const entries: LogEntry[] = [];
  const expected: string[] = [];

  const pricesTable = (lag: number) => ({
    client: database.documentClient,
    tableName,
    now: () => new Date(nowMs - lag),
  });
  const storedScope = ({ model, organization }: Scope) => ({
    model: `openai/${model}-${run}`,
    organizationId: organization === null ? null : (organizations[organization] ?? null),
  });
  const startOf = (offsetMs: number | null) => (offsetMs === null ? null : new Date(nowMs + offsetMs));

  const setPrice = async (item: { scope: Scope; usd: number; start: number | null }, lag: number) => {
    const price = { prices: { input: item.usd, output: item.usd }, above: [] };
    const newPrice = { tier: item.scope.tier, price, from: startOf(item.start) };
    const { isLate } = await setCustomPrices(pricesTable(lag), storedScope(item.scope), [newPrice]);
    expect(isLate).toBe(false);
    const timeline = timelineOf(item.scope);
    const startMs = nowMs + (item.start ?? 70_000 - lag);
    // Without an own start, the same price is not set again.
    if (item.start !== null || valueAt(timeline, startMs) !== item.usd) timeline.set(startMs, item.usd);
  };

  const perform = async (item: Step): Promise<void> => {
    switch (item.kind) {
      case 'wait':
        // No read takes as long as a price is cached.
        await Promise.all(reads.splice(0));
        nowMs += item.ms;
        return;
      case 'set':
        return setPrice(item, item.lagMs);
      case 'import':
        for (const price of item.prices) await setPrice(price, item.lagMs);
        return;
      case 'end': {
        const { scope: ended, start: offsetMs, lagMs: lag } = item;
        await endCustomPrice(pricesTable(lag), storedScope(ended), {
          tier: ended.tier,
          from: startOf(offsetMs),
        });
        const endMs = nowMs + (offsetMs ?? 70_000 - lag);
        const timeline = timelineOf(ended);
        const hasPrice = valueAt(timeline, endMs) !== null;
        for (const from of timeline.keys()) if (from >= endMs) timeline.delete(from);
        if (hasPrice) timeline.set(endMs, null);
        return;
      }
      case 'request': {
        const { model, organization, tier } = item.scope;
        const apiKey = requestKey({ organization_id: organizations[organization ?? 0] });
        const facts = { ...noFacts, usage: { ...noUsage, freshInputTokens: 1_000_000 }, serviceTier: tier };
        const receivedAtMs = nowMs;
        const exchange = {
          ...exampleExchange(),
          apiKey,
          provider,
          model: `${model}-${run}`,
          receivedAtMs,
          facts,
        };
        const pricing = functions[item.pricing];
        if (pricing === undefined) throw new Error('There is no such function');
        prefetchPrices(exchange, async () => pricing);
        pending.push({
          endsAt: item.duration,
          async end() {
            const bill = await billOf(exchange, async () => pricing);
            return toLogEntry(exchange, { endedAtMs: nowMs, status: 200, clientDisconnected: false, bill });
          },
          expected() {
            const byScope = [organization ?? 0, null].map((of) =>
              valueAt(timelines.get(JSON.stringify([model, of, tier])), receivedAtMs),
            );
            return String(byScope.find((value) => value !== null) ?? 10);
          },
        });
        return;
      }
      default:
        item satisfies never;
    }
  };

  const wait = { kind: 'wait', ms: 30_000 } as const;
  for (const item of [...sequence, wait, wait, wait, wait]) {
    await perform(item);
    for (const request of pending.splice(0)) {
      if (request.endsAt > 0) {
        pending.push({ ...request, endsAt: request.endsAt - 1 });
        continue;
      }
      entries.push(await request.end());
      expected.push(request.expected());
    }
  }
  const customPrices = snapshotOf(await readCustomPrices(pricesTable(0)));
  const repricing = { entries: 'all', table, settings: {}, customPrices } as const;
  expect(entries.map((entry) => newPriceOf(entry, repricing))).toEqual(entries.map(() => null));
  return { entries, expected };
}

it('gives each entry the price of its time, which a reprice does not change, while prices change', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { entries, expected } = await simulate(sequence);

      expect(entries.map(({ cost_usd }) => cost_usd)).toEqual(expected);
    }),
    { numRuns },
  );
});
