/**
 * Sets and removes rate limits: what the command line and the dashboard call. A change takes effect when the functions read the
 * organization and the key again, which they cache for 20 seconds.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ApiKey, NewKeyChange } from '#lambdas/access/directory.ts';
import { attributeChange, type DirectoryTable, recordUnchanged } from '#lambdas/access/directory-table.ts';
import { keyAccessKey, organizationKey } from '#lambdas/access/item-keys.ts';
import { findKeyRecord } from '#lambdas/access/keys/read.ts';
import { copyToReplacements } from '#lambdas/access/keys/replacements.ts';
import type { RateLimits } from '#lambdas/access/rate-limits.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { AuditEvent } from '#lambdas/audit/record.ts';
import { updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { TransactItem } from '#lambdas/platform/dynamodb/transaction.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import type { RateLimitScope } from './rate-limits.ts';
import {
  defaultRateLimitsItem,
  findDefaultRateLimits,
  findRateLimits,
  type RateLimitChange,
  type RateLimitDefaultName,
  type RateLimitRecord,
  rateLimitsItem,
} from './store.ts';

/** Returns the limits as they are to become. It may be called again, if others change them at the same time. */
type Change = (limits: RateLimits | null) => RateLimits | null;

/**
 * Resolves to the change that was made. Limits that stay the same have no audit record, but the keys that have replaced the first
 * one get them if they differ, as after a change that was interrupted. Throws a `GatewayError` (404) without such an
 * organization or key.
 */
export async function changeRateLimits(
  table: DirectoryTable,
  scope: RateLimitScope,
  changeOf: Change,
  audit: AuditTrail,
): Promise<RateLimitChange> {
  const owner = await findOwner(table, scope);
  for (;;) {
    const [record] = await findRateLimits(table, [scope]);
    const before = record?.limits ?? null;
    const change = { before, after: changeOf(before) };
    if (!isDeepStrictEqual(before, change.after)) {
      const event = rateLimitsEvent(scope, owner.name, change);
      const items = [rateLimitsItem(table, scope, change), owner.item(change.after)];
      const failed = await audit.transact({ event, items });
      if (failed.includes(1)) throw noOwnerError();
      if (failed.length > 0) continue;
    }
    const { organizationId, keyId } = scope;
    if (keyId !== null) await copyToReplacements(table, { organizationId, keyId }, 'key_rate_limits');
    return change;
  }
}

interface Owner {
  /** `null` for an organization. */
  name: string | null;
  /** The item of a transaction, which changes what requests read. Its condition fails if the owner does not exist. */
  item(limits: RateLimits | null): TransactItem;
}

async function findOwner(table: DirectoryTable, { organizationId, keyId }: RateLimitScope): Promise<Owner> {
  const { tableName } = table;
  if (keyId === null) {
    const Key = organizationKey(organizationId);
    const condition = recordUnchanged({ deleted_at: undefined });
    return {
      name: null,
      item(limits) {
        const change = attributeChange('rate_limits', limits ?? undefined);
        return { Update: { TableName: tableName, Key, ...updateExpressions(change, ...condition) } };
      },
    };
  }
  const record = await findKeyRecord(table, { organizationId, keyId });
  if (record === null) throw noOwnerError();
  const Key = keyAccessKey(record.keyHash);
  return {
    name: record.apiKey.name,
    item(limits) {
      const change = attributeChange('key_rate_limits', limits ?? undefined);
      return { Update: { TableName: tableName, Key, ...updateExpressions(change, ...recordUnchanged({})) } };
    },
  };
}

function noOwnerError(): GatewayError {
  return new GatewayError('not_found', { message: 'There is no such organization or API key any more' });
}

/** Changes no existing key. Resolves to the change that was made; equal limits have no audit record. */
export async function changeDefaultRateLimits(
  table: DirectoryTable,
  { organizationId, name }: { organizationId: string; name: RateLimitDefaultName },
  changeOf: Change,
  audit: AuditTrail,
): Promise<RateLimitChange> {
  for (;;) {
    const before = (await findDefaultRateLimits(table, organizationId))[name];
    const change = { before, after: changeOf(before) };
    if (isDeepStrictEqual(before, change.after)) return change;
    const target = { type: 'rate_limits', id: `${organizationId}/${name}`, name: null } as const;
    const event: AuditEvent = { action: 'rate_limits.defaults_set', organizationId, target, ...change };
    const items = [defaultRateLimitsItem(table, organizationId, name, change)];
    if ((await audit.transact({ event, items })).length === 0) return change;
  }
}

interface NewKeyRateLimits extends RateLimitRecord {
  /** To make with the creation of the key. */
  change: NewKeyChange;
}

/**
 * The limits that a key gets when it is created: the organization's default, as it is now. `null` without one. Limits for keys
 * that members create replace those for all new keys.
 */
export async function readNewKeyRateLimits(
  table: DirectoryTable,
  { id, name, organization_id: organizationId }: ApiKey,
  creator: 'member' | 'other',
): Promise<NewKeyRateLimits | null> {
  const defaults = await findDefaultRateLimits(table, organizationId);
  const limits = (creator === 'member' ? defaults.member_keys : null) ?? defaults.new_keys;
  if (limits === null) return null;
  const scope = { organizationId, keyId: id };
  const change = { before: null, after: limits };
  return {
    scope,
    limits,
    change: {
      event: rateLimitsEvent(scope, name, change),
      items: [rateLimitsItem(table, scope, change)],
      limits: { key_rate_limits: limits },
    },
  };
}

function rateLimitsEvent(
  { organizationId, keyId }: RateLimitScope,
  name: string | null,
  { before, after }: RateLimitChange,
): AuditEvent {
  return {
    action: after === null ? 'rate_limits.removed' : 'rate_limits.set',
    organizationId,
    target: { type: 'rate_limits', id: keyId ?? organizationId, name },
    before,
    after,
  };
}
