/**
 * The rate limits of organizations and keys in the Directory table: one record for each owner, by which they are listed, and the
 * same limits where requests read them. The record of an organization also has the defaults for its new keys.
 */

import {
  attributeChange,
  type DirectoryTable,
  findRecord,
  queryDescending,
} from '#lambdas/access/directory-table.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import { batchGet } from '#lambdas/platform/dynamodb/batch-get.ts';
import {
  conditionExpressions,
  equals,
  unchanged,
  updateExpressions,
} from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { organizationSortKey, scopeOf } from '../budgets/pending-changes.ts';
import type { RateLimitScope } from './rate-limits.ts';

export interface RateLimitRecord {
  scope: RateLimitScope;
  limits: RateLimits;
}

/** The new keys of an organization that get the limits: all, or those that users with the role `member` create. */
export const rateLimitDefaultNames = ['new_keys', 'member_keys'] as const;
export type RateLimitDefaultName = (typeof rateLimitDefaultNames)[number];

/** `null` without limits. */
type RateLimitDefaults = Readonly<Record<RateLimitDefaultName, RateLimits | null>>;

const partitionPrefix = 'rate-limits#';

function recordKey({ organizationId, keyId }: RateLimitScope) {
  return { pk: partitionPrefix + organizationId, sk: keyId ?? organizationSortKey };
}

function toRecords(items: readonly Item[]): RateLimitRecord[] {
  return items.flatMap(({ pk, sk, limits }) => {
    const scope = scopeOf(String(pk).slice(partitionPrefix.length), String(sk));
    // The record of an organization may have defaults alone.
    return limits === undefined ? [] : [{ scope, limits: limits as RateLimits }];
  });
}

/** In any order. The scopes must be distinct. Scopes without limits are left out. */
export async function findRateLimits(
  table: DirectoryTable,
  scopes: readonly RateLimitScope[],
): Promise<RateLimitRecord[]> {
  return toRecords(await batchGet(table, scopes.map(recordKey)));
}

export async function findDefaultRateLimits(
  table: DirectoryTable,
  organizationId: string,
): Promise<RateLimitDefaults> {
  const record = await findRecord(table, recordKey({ organizationId, keyId: null }));
  const { new_keys = null, member_keys = null } = (record ?? {}) as Partial<RateLimitDefaults>;
  return { new_keys, member_keys };
}

interface RateLimitQuery {
  organizationId: string;
  /** The scope after which the records begin; `null` for the first ones. */
  after: Pick<RateLimitScope, 'keyId'> | null;
  limit: number;
}

interface RateLimitPage {
  records: RateLimitRecord[];
  /** The last scope that was read, after which the next page begins; `null` on the last one. */
  next: RateLimitScope | null;
}

/** The organization's own limits first, then those of its keys, the newest key first. */
export async function queryRateLimits(
  table: DirectoryTable,
  { organizationId, after, limit }: RateLimitQuery,
): Promise<RateLimitPage> {
  const partition = partitionPrefix + organizationId;
  // The sort key of the organization is after those of keys.
  const before = after && recordKey({ organizationId, keyId: after.keyId }).sk;
  const { items, more } = await queryDescending(table, { partition, before, limit });
  const last = more ? items.at(-1) : undefined;
  return { records: toRecords(items), next: last ? scopeOf(organizationId, String(last.sk)) : null };
}

const pageSize = 500;

/** All limits, in the order of `queryRateLimits`. */
export async function listRateLimits(
  table: DirectoryTable,
  organizationId: string,
): Promise<RateLimitRecord[]> {
  const records: RateLimitRecord[] = [];
  let after: RateLimitScope | null = null;
  do {
    const page: RateLimitPage = await queryRateLimits(table, { organizationId, after, limit: pageSize });
    records.push(...page.records);
    after = page.next;
  } while (after !== null);
  return records;
}

/** A change of limits, as they were read and as they become; `null` without limits. */
export interface RateLimitChange {
  before: RateLimits | null;
  after: RateLimits | null;
}

/** The item of a transaction, whose condition is that the limits are as they were read. */
export function rateLimitsItem(
  table: DirectoryTable,
  scope: RateLimitScope,
  change: RateLimitChange,
): TransactItem {
  if (scope.keyId === null || change.after !== null) return attributeItem(table, scope, 'limits', change);
  const condition = conditionExpressions(equals('limits', change.before));
  return { Delete: { TableName: table.tableName, Key: recordKey(scope), ...condition } };
}

/** Like `rateLimitsItem`, for limits that new keys get. */
export function defaultRateLimitsItem(
  table: DirectoryTable,
  organizationId: string,
  name: RateLimitDefaultName,
  change: RateLimitChange,
): TransactItem {
  return attributeItem(table, { organizationId, keyId: null }, name, change);
}

function attributeItem(
  { tableName }: DirectoryTable,
  scope: RateLimitScope,
  name: string,
  { before, after }: RateLimitChange,
): TransactItem {
  const read = unchanged({ [name]: before ?? undefined });
  const update = updateExpressions(attributeChange(name, after ?? undefined), ...read);
  return { Update: { TableName: tableName, Key: recordKey(scope), ...update } };
}
