/**
 * The budgets that operators have set, in the Directory table: one record for each organization and key with budgets.
 *
 * A change is one transaction, which returns at once: it also adds a record to the pending changes. The table's stream then
 * starts the budget function, which puts the change into effect and removes the pending one.
 */
import { GetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type DirectoryTable, queryPartition } from '#lambdas/access/directory-table.ts';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import {
  type Changes,
  type Condition,
  equals,
  exists,
  notExists,
  type UpdateExpressions,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { sendTransaction, type TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { type Budget, type BudgetPeriod, type BudgetScope, type Budgets, budgetPeriods } from './budget.ts';
import {
  type BudgetChangesTable,
  deleteIf,
  organizationSortKey,
  pendingChangeItem,
  scopeOf,
  sendIf,
} from './pending-changes.ts';

export interface BudgetRecord {
  scope: BudgetScope;
  budgets: Budgets;
  /** Increases with each change. */
  revision: number;
  /** The last revision that is in effect; 0 at first. */
  appliedRevision: number;
  /** The id of the counter; `null` before the first revision is in effect. */
  counterId: string | null;
  /** Set when the spending has to be counted again, as after a rebuild of the rollups. */
  needsRecount: boolean;
}

const partitionPrefix = 'budgets#';
/** Sorts after every sort key. */
const afterAll = '~';

function recordKey({ organizationId, keyId }: BudgetScope) {
  return { pk: partitionPrefix + organizationId, sk: keyId ?? organizationSortKey };
}

export async function findBudgetRecord(
  { client, tableName }: DirectoryTable,
  scope: BudgetScope,
): Promise<BudgetRecord | null> {
  const { Item } = await client.send(
    new GetCommand({ TableName: tableName, Key: recordKey(scope), ConsistentRead: true }),
  );
  return Item === undefined ? null : toRecord(Item);
}

/** The organization's own budgets first, then those of its keys. */
export async function listBudgetRecords(
  table: DirectoryTable,
  organizationId: string,
): Promise<BudgetRecord[]> {
  const items = await queryPartition(table, partitionPrefix + organizationId);
  return items
    .map(toRecord)
    .sort((one, other) => Number(other.scope.keyId === null) - Number(one.scope.keyId === null));
}

/** In the order of the scopes, which must be distinct. Scopes without budgets are left out. */
export async function findBudgetRecords(
  table: DirectoryTable,
  scopes: readonly BudgetScope[],
): Promise<BudgetRecord[]> {
  const items = await batchGet(table, scopes.map(recordKey));
  const bySortKey = new Map(items.map((item) => [`${item.pk}/${item.sk}`, toRecord(item)]));
  return scopes.map(recordKey).flatMap(({ pk, sk }) => bySortKey.get(`${pk}/${sk}`) ?? []);
}

export interface BudgetRecordQuery {
  organizationId: string;
  /** The scope after which the records begin; `null` for the first ones. */
  after: Pick<BudgetScope, 'keyId'> | null;
  limit: number;
}

/** The organization's own record first, then those of its keys, the newest key first. */
export async function queryBudgetRecords(
  { client, tableName }: DirectoryTable,
  { organizationId, after, limit }: BudgetRecordQuery,
): Promise<{ records: BudgetRecord[]; more: boolean }> {
  const { Items = [], LastEvaluatedKey } = await client.send(
    new QueryCommand({
      TableName: tableName,
      ConsistentRead: true,
      // The sort key of the organization's own budgets is after those of keys.
      ScanIndexForward: false,
      KeyConditionExpression: 'pk = :partition AND sk < :after',
      ExpressionAttributeValues: {
        ':partition': partitionPrefix + organizationId,
        ':after': after === null ? afterAll : recordKey({ organizationId, keyId: after.keyId }).sk,
      },
      // One more shows whether there are further records.
      Limit: limit + 1,
    }),
  );
  const records = Items.map(toRecord);
  return { records: records.slice(0, limit), more: records.length > limit || LastEvaluatedKey !== undefined };
}

/** The items of a transaction, whose condition is that the record is as it was read; `null`: that there was none. */
export function settingItems(
  table: BudgetChangesTable,
  scope: BudgetScope,
  read: Pick<BudgetRecord, 'revision'> | null,
  period: BudgetPeriod,
  { amountUsd, hard, allowsUnpriced }: Budget,
): TransactItem[] {
  const budget: StoredBudget = { amount_usd: amountUsd, hard, allows_unpriced: allowsUnpriced };
  const condition = read === null ? notExists('pk') : equals('revision', read.revision);
  return changeItems(table, scope, { set: { [period]: budget } }, condition);
}

/** The items of a transaction, whose condition is that the record is as it was read. */
export function removalItems(
  table: BudgetChangesTable,
  { scope, revision }: BudgetRecord,
  period: BudgetPeriod,
): TransactItem[] {
  return changeItems(table, scope, { remove: [period] }, equals('revision', revision));
}

/** Starts the budget function although the budgets are the same: the number of shards has changed, or the rollups have. */
export async function requestUpdate(
  table: BudgetChangesTable,
  scope: BudgetScope,
  { recount }: { recount: boolean },
): Promise<boolean> {
  const items = changeItems(table, scope, recount ? { set: { needs_recount: true } } : {}, exists('pk'));
  return (await sendTransaction(table.client, items)).length === 0;
}

/** The first item has the condition. */
function changeItems(
  table: BudgetChangesTable,
  scope: BudgetScope,
  changes: Pick<Changes, 'set' | 'remove'>,
  condition: Condition,
): TransactItem[] {
  const update = {
    TableName: table.tableName,
    Key: recordKey(scope),
    ...updateExpressions({ ...changes, add: { revision: 1 } }, condition),
  };
  return [{ Update: update }, pendingChangeItem(table, scope)];
}

/** For all budgets of the organization and its keys. */
export async function requestUpdates(
  table: BudgetChangesTable,
  organizationId: string,
  change: { recount: boolean },
): Promise<void> {
  // Records are not parsed: one that cannot be read must not keep the others from their update.
  for (const { sk } of await queryPartition(table, partitionPrefix + organizationId)) {
    await requestUpdate(table, scopeOf(organizationId, String(sk)), change);
  }
}

/** Resolves to `false` if another counter was stored before. */
export async function storeCounterId(
  table: DirectoryTable,
  { scope }: BudgetRecord,
  counterId: string,
): Promise<boolean> {
  const set = { counter_id: counterId };
  return update(table, scope, updateExpressions({ set }, exists('pk'), notExists('counter_id')));
}

/** Resolves to `false` if there is a newer revision. */
export async function storeApplied(
  table: DirectoryTable,
  { scope, revision }: BudgetRecord,
): Promise<boolean> {
  const changes = { set: { applied_revision: revision }, remove: ['needs_recount'] };
  return update(table, scope, updateExpressions(changes, equals('revision', revision)));
}

/** Resolves to `false` if there is a newer revision. */
export async function deleteBudgetRecord(
  table: DirectoryTable,
  { scope, revision }: BudgetRecord,
): Promise<boolean> {
  return deleteIf(table, recordKey(scope), equals('revision', revision));
}

/** Resolves to `false` when the condition fails. */
async function update(
  { client, tableName }: DirectoryTable,
  scope: BudgetScope,
  expressions: UpdateExpressions,
): Promise<boolean> {
  const command = { TableName: tableName, Key: recordKey(scope), ...expressions };
  return (await sendIf(() => client.send(new UpdateCommand(command)))) !== null;
}

interface StoredBudget {
  amount_usd: string;
  hard: boolean;
  allows_unpriced: boolean;
}

function toRecord(item: Item): BudgetRecord {
  const budgets: Partial<Record<BudgetPeriod, Budget>> = {};
  for (const period of budgetPeriods) {
    const stored = item[period] as StoredBudget | undefined;
    if (stored === undefined) continue;
    const { amount_usd: amountUsd, hard, allows_unpriced: allowsUnpriced } = stored;
    budgets[period] = { amountUsd, hard, allowsUnpriced };
  }
  return {
    scope: scopeOf(String(item.pk).slice(partitionPrefix.length), String(item.sk)),
    budgets,
    revision: Number(item.revision),
    appliedRevision: Number(item.applied_revision ?? 0),
    counterId: item.counter_id === undefined ? null : String(item.counter_id),
    needsRecount: item.needs_recount === true,
  };
}
