/** Reads the custom prices of many models that apply to one organization, with a bounded number of read units. */
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import { priceItemKey, scopeOfAll } from './item.ts';
import { type CustomPriceSnapshot, type CustomPricesTable, scopedPricesOf, snapshotOf } from './store.ts';

/**
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
