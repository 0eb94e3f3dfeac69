/** Organizations with thousands of keys, written in the product's format without its checks. */
import { BatchWriteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type ApiKey, maxCurrentKeys } from '#lambdas/access/directory.ts';
import { keyAccessKey, keyRecordKey, organizationKey } from '#lambdas/access/item-keys.ts';
import { creatorOf } from '#lambdas/audit/record.ts';
import { itemKey, totalsAdditions } from '#lambdas/costs/rollups/item.ts';
import { rollupOf } from '#lambdas/costs/rollups/rollup.ts';
import { sumTotals, type Totals } from '#lambdas/costs/rollups/totals.ts';
import { forEachConcurrently } from '#lambdas/platform/concurrency.ts';
import { dayMs, hourMs } from '#lambdas/platform/duration.ts';
import { watermarkAttribute, watermarkValue } from '#lambdas/platform/dynamodb/watermark.ts';
import { type Period, periodText, startOfPeriod } from '#lambdas/platform/period.ts';
import { createLogId } from '#lambdas/request-log/id.ts';
import { unnamedOperation } from '#lambdas/request-log/operation.ts';
import type { OrganizationsFixture, TestUser } from '#test/support/accounts/organizations-fixture.ts';
import { apiKeyRecord } from '#test/support/api-keys.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { randomEntry, toBatches } from '../reports/dataset.ts';

type Item = Record<string, unknown>;

export interface KeyOrganization {
  id: string;
  name: string;
  owner: TestUser;
  /** The first one has created the keys. */
  members: TestUser[];
  /** The newest first. */
  apiKeys: ApiKey[];
}

interface NewKeyOrganization {
  name: string;
  owner: TestUser;
  members: TestUser[];
  keyCount: number;
}

/** The keys are a minute apart, and the newest one is a day old. The oldest has expired. There is no room for another one, however few there are. */
export async function createKeyOrganization(
  fixture: OrganizationsFixture,
  { name, owner, members, keyCount }: NewKeyOrganization,
): Promise<KeyOrganization> {
  const { id } = await fixture.createOrganization(owner, name);
  for (const member of members) await fixture.join(id, member, 'member');
  const nowMs = fixture.clock.nowMs;
  const created_by = creatorOf(fixture.auditOf(members[0] ?? owner).actor);
  const apiKeys = Array.from({ length: keyCount }, (_, index) => {
    return apiKeyRecord({
      organization_id: id,
      name: `service ${String(keyCount - index).padStart(5, '0')}`,
      last_four: String(index).padStart(4, '0').slice(-4),
      created_at: new Date(nowMs - dayMs - index * 60_000).toISOString(),
      created_by,
      expires_at: index < keyCount - 1 ? null : new Date(nowMs - hourMs).toISOString(),
    });
  });
  const { client, tableName } = fixture.dependencies.directoryTable;
  await writeItems(fixture, tableName, apiKeys.flatMap(keyItems));
  await client.send(
    new UpdateCommand({
      TableName: tableName,
      Key: organizationKey(id),
      UpdateExpression: 'SET current_keys = :count',
      ExpressionAttributeValues: { ':count': maxCurrentKeys },
    }),
  );
  return { id, name, owner, members, apiKeys };
}

/** A key is found under its id instead of a hash, which is as long as hashes are. */
export function hashOf({ id }: ApiKey): string {
  return id.padEnd(64, '0');
}

function keyItems(apiKey: ApiKey): Item[] {
  const { id, organization_id, expires_at, rotation, revoked_at } = apiKey;
  const hash = hashOf(apiKey);
  const recordKey = keyRecordKey({ organizationId: organization_id, archived: false }, id);
  return [
    { ...recordKey, ...apiKey, key_hash: hash },
    { ...keyAccessKey(hash), id, organization_id, expires_at, rotation, revoked_at },
  ];
}

/** The requests of a key and model in a month. */
const requestsPerMonth = 300;
/** A row that is written throughout a working day collects three. */
const watermarkCount = 3;
/** One key in ten was used today and yesterday. */
const activeShare = 10;

/** The rows of each key and these models: the present month and the last one, and for some keys today and yesterday. */
export async function writeRollups(
  fixture: OrganizationsFixture,
  organization: KeyOrganization,
  names: readonly ModelName[],
): Promise<void> {
  const { tableName } = fixture.dependencies.costRollups;
  await writeItems(fixture, tableName, rollupRows(organization, names, fixture.clock.nowMs));
}

interface ModelName {
  provider: string;
  model: string;
}

function* rollupRows(
  { id: organizationId, apiKeys }: KeyOrganization,
  names: readonly ModelName[],
  nowMs: number,
): Generator<Item> {
  const random = seededRandom(3);
  const periods = countedPeriods(nowMs);
  for (const [index, { id: value }] of apiKeys.entries()) {
    const isActive = index % activeShare === 0;
    for (const { period, startMs, attributes } of periods) {
      if (period === 'day' && !isActive) continue;
      for (const { provider, model } of names) {
        const key = itemKey(0, {
          organizationId,
          dimension: 'api_key',
          period,
          writeShard: 0,
          periodStart: periodText(period, startMs),
          value,
          provider,
          model,
          operation: unnamedOperation,
          serviceTier: 'default',
        });
        yield { ...key, ...attributes, cost_usd: Math.round(random() * 1e9) / 1e6 };
      }
    }
  }
}

interface CountedPeriod {
  period: Period;
  startMs: number;
  attributes: Item;
}

function countedPeriods(nowMs: number): CountedPeriod[] {
  const monthMs = startOfPeriod('month', nowMs);
  const month = { period: 'month', attributes: rowAttributes(requestsPerMonth, nowMs) } as const;
  const day = { period: 'day', attributes: rowAttributes(requestsPerMonth / 30, nowMs) } as const;
  return [
    { ...month, startMs: startOfPeriod('month', monthMs - 1) },
    { ...month, startMs: monthMs },
    { ...day, startMs: startOfPeriod('day', nowMs - dayMs) },
    { ...day, startMs: startOfPeriod('day', nowMs) },
  ];
}

/** The sums and watermarks of a row with so many requests, none of them rejected. */
function rowAttributes(requests: number, nowMs: number): Item {
  const random = seededRandom(requests);
  const totals: Totals[] = [];
  while (totals.length < requests) {
    const entry = randomEntry(createLogId(0), 'org', random);
    const rollup = entry.outcome === 'rejected' ? null : rollupOf(entry, 'api_key');
    if (rollup !== null) totals.push(rollup.totals);
  }
  const watermarks = Array.from({ length: watermarkCount }, (_, index) => {
    const shardId = `shardId-${String(nowMs + index).padStart(20, '0')}-0a1b2c3d`;
    const value = watermarkValue(shardId, '4421584500000000017450439091', new Date(nowMs));
    return [watermarkAttribute(shardId), value];
  });
  return { ...totalsAdditions(sumTotals(totals)), ...Object.fromEntries(watermarks), written_ms: nowMs };
}

/** Gives the newest keys the budgets of one that has them, whose budgets are in effect. */
export async function copyKeyBudgets(
  fixture: OrganizationsFixture,
  { id, apiKeys }: KeyOrganization,
  { from, count }: { from: ApiKey; count: number },
): Promise<void> {
  const { directoryTable, budgetCounters } = fixture.dependencies;
  const read = async (TableName: string, Key: Item): Promise<Item> => {
    const { Item } = await directoryTable.client.send(new GetCommand({ TableName, Key }));
    if (Item === undefined) throw new Error('The key has no budgets in effect');
    return Item;
  };
  const partition = `budgets#${id}`;
  const record = await read(directoryTable.tableName, { pk: partition, sk: from.id });
  const counter = await read(budgetCounters.tableName, { counter_key: `${id}/${from.id}` });
  const others = apiKeys.filter(({ id: keyId }) => keyId !== from.id).slice(0, count - 1);
  await writeItems(
    fixture,
    directoryTable.tableName,
    others.map((apiKey) => ({ ...record, sk: apiKey.id })),
  );
  await writeItems(
    fixture,
    budgetCounters.tableName,
    others.map((apiKey) => ({ ...counter, counter_key: `${id}/${apiKey.id}` })),
  );
}

const batchSize = 25;
const concurrentBatches = 4;

async function writeItems(
  { dependencies: { directoryTable } }: OrganizationsFixture,
  tableName: string,
  items: Iterable<Item>,
): Promise<void> {
  let written = 0;
  await forEachConcurrently([...toBatches(items, batchSize)], concurrentBatches, async (batch) => {
    const requests = batch.map((Item) => ({ PutRequest: { Item } }));
    await directoryTable.client.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
    written += batch.length;
    if (written % 20_000 === 0) process.stderr.write(`${written.toLocaleString('en')} items\n`);
  });
}
