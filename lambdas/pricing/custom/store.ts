/** Reads and changes the custom prices of all models, for the admin commands. */

import { randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, paginateScan, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { AuditEvent } from '#lambdas/audit/record.ts';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { unchanged, updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import { createSdkTableCalls } from '#lambdas/platform/dynamodb/sdk-table.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import {
  type CustomPrice,
  type CustomPrices,
  fromPriceItem,
  noCustomPrices,
  noStoredPrices,
  priceItemKey,
  scopeOfAll,
  toPriceAttributes,
} from './custom-price.ts';
import { pricesSchema } from './schema.ts';

const { partitionKey, sortKey } = pricesSchema;

export interface CustomPricesTable {
  client: DynamoDBDocumentClient;
  tableName: string;
  now(): Date;
}

/** The prices of one model for one scope. */
export interface ScopedPrices extends PriceScope {
  /** Oldest first, never empty. */
  prices: readonly CustomPrice[];
}

export interface PriceScope {
  /** `<provider>/<model>`. */
  model: string;
  /** `null` for all organizations. */
  organizationId: string | null;
}

/** In the order of the models' names, prices for all organizations first. Strongly consistent. */
export async function readCustomPrices({ client, tableName }: CustomPricesTable): Promise<ScopedPrices[]> {
  const found: ScopedPrices[] = [];
  for await (const { Items = [] } of paginateScan(
    { client },
    { TableName: tableName, ConsistentRead: true },
  )) {
    found.push(...scopedPricesOf(Items));
  }
  const order = ({ model, organizationId }: ScopedPrices) => `${model} ${organizationId ?? ''}`;
  return found.sort((left, right) => (order(left) < order(right) ? -1 : 1));
}

/** Leaves out items without prices. */
function scopedPricesOf(items: readonly Item[]): ScopedPrices[] {
  return items.flatMap((item) => {
    const { prices } = fromPriceItem(item);
    const scope = String(item[sortKey]);
    const organizationId = scope === scopeOfAll ? null : scope;
    return prices.length === 0 ? [] : [{ model: String(item[partitionKey]), organizationId, prices }];
  });
}

/** All custom prices at one time. */
export interface CustomPriceSnapshot {
  readonly all: readonly ScopedPrices[];
  find(organizationId: string, model: string): CustomPrices;
}

export function snapshotOf(all: readonly ScopedPrices[]): CustomPriceSnapshot {
  const keyOf = ({ model, organizationId }: PriceScope) => JSON.stringify([model, organizationId]);
  const byScope = new Map(all.map((scoped) => [keyOf(scoped), scoped.prices]));
  return {
    all,
    find: (organizationId, model) => ({
      organization: byScope.get(keyOf({ model, organizationId })) ?? noCustomPrices.organization,
      all: byScope.get(keyOf({ model, organizationId: null })) ?? noCustomPrices.all,
    }),
  };
}

interface PriceUpdate<Result> {
  prices: readonly CustomPrice[];
  result: Result;
}

/** DynamoDB limits an item to 400 kB. */
const maxItemBytes = 300_000;

interface PriceAudit<Result> {
  trail: AuditTrail;
  eventOf(result: Result): AuditEvent;
}

/**
 * Replaces the prices of a scope, and records that in the same transaction; without `audit`, the caller records it.
 * `update` is called again if somebody else has changed them in the meantime. When it returns the same array, nothing is
 * written.
 */
export async function updateCustomPrices<Result>(
  { client, tableName }: CustomPricesTable,
  { model, organizationId }: PriceScope,
  update: (prices: readonly CustomPrice[]) => PriceUpdate<Result>,
  audit?: PriceAudit<Result>,
): Promise<Result> {
  const calls = createSdkTableCalls(client);
  const Key = priceItemKey(model, organizationId ?? scopeOfAll);
  let written: { revision: string; result: Result } | null = null;
  for (;;) {
    const item = await calls.get(tableName, Key);
    const { prices, revision } = item === null ? noStoredPrices : fromPriceItem(item);
    // The response to the last write was lost, and the retry of the SDK failed.
    if (written !== null && revision === written.revision) return written.result;
    const { prices: updatedPrices, result } = update(prices);
    if (updatedPrices === prices) return result;
    const attributes = toPriceAttributes(updatedPrices);
    if (Buffer.byteLength(JSON.stringify(attributes)) > maxItemBytes) {
      throw new Error(
        `${model} would have too many custom prices: remove them with "price remove --from TIME" and set those that still apply`,
      );
    }
    written = { revision: randomUUID(), result };
    const replacement = {
      TableName: tableName,
      Key,
      ...updateExpressions(
        { set: { prices: attributes, revision: written.revision } },
        ...unchanged({ revision: revision ?? undefined }),
      ),
    };
    // First: a function that finds no mark does not look for prices of organizations.
    const updates = organizationId === null ? [replacement] : [markUpdate(tableName, model), replacement];
    const isWritten =
      audit === undefined
        ? await updateInOrder(client, updates)
        : await updateWithRecord(audit.trail, updates, audit.eventOf(result));
    if (isWritten) return result;
  }
}

type Update = NonNullable<TransactItem['Update']>;

function markUpdate(tableName: string, model: string): Update {
  return {
    TableName: tableName,
    Key: priceItemKey(model, scopeOfAll),
    ...updateExpressions({ set: { has_organization_prices: true } }),
  };
}

/** Resolves to `false` if the update must be repeated from the start: others have changed an item, or are changing it. */
async function updateInOrder(client: DynamoDBDocumentClient, updates: readonly Update[]): Promise<boolean> {
  try {
    for (const update of updates) await client.send(new UpdateCommand(update));
    return true;
  } catch (error) {
    const isConflict =
      error instanceof ConditionalCheckFailedException || error instanceof TransactionConflictException;
    if (!isConflict) throw error;
    return false;
  }
}

/** Resolves like `updateInOrder`. */
async function updateWithRecord(
  trail: AuditTrail,
  updates: readonly Update[],
  event: AuditEvent,
): Promise<boolean> {
  const failed = await trail.transact({ event, items: updates.map((update) => ({ Update: update })) });
  return failed.length === 0;
}

/**
 * Reads the custom prices of many models that apply to one organization, with a bounded number of read units.
 *
 * Most gateways have few custom prices, which fit into the first page of a scan, often one read unit. Only if there are more
 * than 1 MB, from many organizations, are the items of the models read too, which takes two read units for each model.
 */
export async function readCustomPricesForModels(
  table: Pick<CustomPricesTable, 'client' | 'tableName'>,
  organizationId: string,
  models: readonly string[],
): Promise<CustomPriceSnapshot> {
  const { client, tableName } = table;
  const { Items = [], LastEvaluatedKey } = await client.send(
    new ScanCommand({ TableName: tableName, ConsistentRead: true }),
  );
  if (LastEvaluatedKey === undefined) return snapshotOf(scopedPricesOf(Items));
  const keys = models.flatMap((model) =>
    [scopeOfAll, organizationId].map((scope) => priceItemKey(model, scope)),
  );
  return snapshotOf(scopedPricesOf(await batchGet(table, keys)));
}
