import { beforeEach, expect, it } from 'vitest';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { routesAttributes } from '#lambdas/routing/item.ts';
import { createRouteLookup, type RouteLookup } from '#lambdas/routing/lookup.ts';
import type { Route } from '#lambdas/routing/route.ts';

const changed_at = '2026-11-23T12:00:00.000Z';
const toOpenAi: Route = { strategy: 'order', targets: [{ model: 'openai/gpt-5.6' }] };
const toAnthropic: Route = { strategy: 'order', targets: [{ model: 'anthropic/claude-5' }] };

let items: Map<string, Item>;
let reads: string[];
let nowMs: number;
let lookup: RouteLookup;
beforeEach(() => {
  items = new Map();
  reads = [];
  nowMs = Date.parse(changed_at);
  const get = async (tableName: string, { pk, sk }: Item) => {
    reads.push(`${tableName} ${pk} ${sk}`);
    const item = items.get(String(pk));
    if (item === undefined) return null;
    if (item instanceof Error) throw item;
    return item;
  };
  lookup = createRouteLookup({ calls: { get }, tableName: 'Directory', now: () => new Date(nowMs) });
});

function store(partition: string, routes: Record<string, Route>): void {
  const stored = Object.entries(routes).map(([name, route]) => [name, { ...route, changed_at }] as const);
  items.set(`routes#${partition}`, routesAttributes({ revision: 1, routes: Object.fromEntries(stored) }));
}

it("finds the organization's route before the operator's", async () => {
  store('org_1', { fast: toOpenAi });
  store('*', { fast: toAnthropic, cheap: toAnthropic });

  expect(await lookup.find('org_1', 'fast')).toEqual({ ...toOpenAi, changed_at });
  expect(await lookup.find('org_1', 'cheap')).toEqual({ ...toAnthropic, changed_at });
  expect(await lookup.find('org_2', 'fast')).toEqual({ ...toAnthropic, changed_at });
  expect(await lookup.find('org_1', 'constructor')).toBeNull();
});

it('lists the routes of both by name, without those that the organization has replaced', async () => {
  store('org_1', { fast: toOpenAi, own: toOpenAi });
  store('*', { fast: toAnthropic, cheap: toAnthropic });

  expect(await lookup.list('org_1')).toEqual([
    { name: 'cheap', owner: 'operator', route: { ...toAnthropic, changed_at } },
    { name: 'fast', owner: 'organization', route: { ...toOpenAi, changed_at } },
    { name: 'own', owner: 'organization', route: { ...toOpenAi, changed_at } },
  ]);
});

it('reads two items in 20 seconds, also for requests at the same time', async () => {
  await Promise.all([lookup.find('org_1', 'fast'), lookup.list('org_1'), lookup.find('org_1', 'cheap')]);
  nowMs += 19_999;
  await lookup.find('org_1', 'fast');
  expect(reads).toEqual(['Directory routes#org_1 routes', 'Directory routes#* routes']);

  await lookup.find('org_2', 'fast');
  expect(reads.slice(2)).toEqual(['Directory routes#org_2 routes']);

  nowMs += 1;
  store('*', { fast: toOpenAi });
  expect(await lookup.find('org_1', 'fast')).toEqual({ ...toOpenAi, changed_at });
  expect(reads.slice(3)).toEqual(['Directory routes#org_1 routes', 'Directory routes#* routes']);
});

it('reads again after a failure', async () => {
  const failure = new Error('Throttled');
  items.set('routes#*', failure as unknown as Item);
  await expect(lookup.find('org_1', 'fast')).rejects.toBe(failure);

  store('*', { fast: toOpenAi });

  expect(await lookup.find('org_1', 'fast')).toEqual({ ...toOpenAi, changed_at });
});
