/** Reads of the dashboard in organizations with thousands of keys, and of chat for a key. */
import { createApiKeyFinder, createApiKeyLookup, keyRevocationDelayMs } from '#lambdas/access/key-lookup.ts';
import type { ApiKeyList, ApiKeyNames, BudgetList } from '#lambdas/accounts/organizations/responses.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { defaultMemoryMb } from '#lib/functions/limits.ts';
import type { Caller } from './caller.ts';
import { type Measurement, measureChange, measureRead } from './measure.ts';
import { hashOf, type KeyOrganization } from './organization.ts';
import type { SimulatedTime } from './simulated-time.ts';

interface ReadSubjects {
  time: SimulatedTime;
  caller: Caller;
  organization: KeyOrganization;
}

export function measurePage(
  { time, caller, organization: { id, owner } }: ReadSubjects,
  condition: string,
): Promise<Measurement> {
  const name = `a page of 25 keys, the newest first${condition}`;
  return measureRead(time, name, async () => {
    const body = await caller.call(owner, 'GET', `/organizations/${id}/keys`);
    expectCount(name, (body as ApiKeyList).data, 25);
  });
}

export async function measureKeyLists({ time, caller, organization }: ReadSubjects): Promise<Measurement[]> {
  const { id, owner, apiKeys } = organization;
  const read = async (name: string, query: Record<string, string>, count: number) =>
    measureRead(time, name, async () => {
      const body = await caller.call(owner, 'GET', `/organizations/${id}/keys`, { query });
      expectCount(name, (body as ApiKeyList).data, count);
    });
  const middle = apiKeys[Math.floor(apiKeys.length / 4)];
  const oldest = apiKeys.at(-2);
  if (middle === undefined || oldest === undefined) throw new Error('The organization has too few keys');
  return [
    await measurePage({ time, caller, organization }, ''),
    await read('a page of 100 keys among older ones', { limit: '100', cursor: middle.id }, 100),
    await read('a search that finds the oldest key by its name', { search: oldest.name }, 1),
    await read('a search that finds none', { search: 'nothing' }, 0),
    await read('a search for an id', { search: middle.id }, 1),
    await read('a page of ended keys, of which there is one', { state: 'ended' }, 1),
    await measureRead(time, 'a search for the name of a key, to choose it', async () => {
      const query = { search: oldest.name };
      const body = await caller.call(owner, 'GET', `/organizations/${id}/key-names`, { query });
      expectCount('names', (body as ApiKeyNames).data, 1);
    }),
    await measureRead(time, 'the names of 100 keys', async () => {
      const ids = apiKeys.filter((_, index) => index % Math.ceil(apiKeys.length / 100) === 0);
      const query = { ids: ids.map((apiKey) => apiKey.id).join(',') };
      const body = await caller.call(owner, 'GET', `/organizations/${id}/key-names`, { query });
      expectCount('names', (body as ApiKeyNames).data, ids.length);
    }),
  ];
}

/** After the removal of the member who had all keys. */
export function measureEndedKeys({
  time,
  caller,
  organization: { id, owner },
}: ReadSubjects): Promise<Measurement> {
  const name = 'a search that finds none among as many revoked keys';
  return measureRead(time, name, async () => {
    const query = { state: 'ended', search: 'nothing' };
    const body = await caller.call(owner, 'GET', `/organizations/${id}/keys`, { query });
    expectCount(name, (body as ApiKeyList).data, 0);
  });
}

export function measureRanking(
  { time, caller, organization: { id, owner } }: ReadSubjects,
  keys: string,
): Promise<Measurement> {
  const name = `a page of the keys that spent most, ${keys}`;
  return measureRead(time, name, async () => {
    const query = { order: 'spend' };
    const body = await caller.call(owner, 'GET', `/organizations/${id}/keys`, { query });
    expectCount(name, (body as ApiKeyList).data, 25);
  });
}

export function measureMembers({
  time,
  caller,
  organization: { id, owner, members },
}: ReadSubjects): Promise<Measurement> {
  const name = `${members.length + 1} members with the number of their active keys`;
  return measureRead(time, name, () => caller.call(owner, 'GET', `/organizations/${id}/members`));
}

export async function measureBudgets({
  time,
  caller,
  organization: { id, owner },
}: ReadSubjects): Promise<Measurement[]> {
  const read = (name: string, query: Record<string, string>) =>
    measureRead(time, name, async () => {
      const body = await caller.call(owner, 'GET', `/organizations/${id}/budgets`, { query });
      expectCount(name, (body as BudgetList).data, 25);
    });
  return [
    await read('a page of budgets, those of the newest keys first', {}),
    await read('a page of budgets, of which most is spent', { order: 'spent' }),
  ];
}

/** The function's own code is not the deployed one: only the calls count. */
export async function measureLookups({
  time,
  caller: { dependencies },
  organization: { apiKeys },
}: ReadSubjects): Promise<Measurement[]> {
  const [apiKey] = apiKeys;
  if (apiKey === undefined) throw new Error('The organization has no keys');
  const { client, tableName } = dependencies.directoryTable;
  const finder = createApiKeyFinder({ calls: createSdkTableCalls(client), tableName });
  const lookUp = createApiKeyLookup({ apiKeys: finder, now: dependencies.now });
  const read = async () => {
    const found = await lookUp(hashOf(apiKey));
    if (typeof found === 'string') throw new Error(`The key is ${found}`);
  };
  const measure = (name: string) => measureChange(time, name, read, defaultMemoryMb);
  const cold = await measure('a key that the function does not know');
  const cached = await measure('the same within 20 seconds');
  await time.run(() => time.wait(keyRevocationDelayMs));
  return [cold, cached, await measure('the same after 20 seconds')];
}

function expectCount(name: string, list: readonly unknown[], count: number): void {
  if (list.length !== count) throw new Error(`${name}: ${list.length} instead of ${count}`);
}
