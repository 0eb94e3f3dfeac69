/** Revokes the keys of a removed member: batches of them, each in one transaction with their audit records and the progress. */
import { holdersOf, isActiveApiKey } from '#lambdas/access/api-key.ts';
import type { ApiKey } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { countArchivedKeys, itemsPerArchivedKey } from '#lambdas/access/keys/archive.ts';
import { revocation } from '#lambdas/access/keys/change.ts';
import { type KeyRecord, listCurrentKeyRecords } from '#lambdas/access/keys/read.ts';
import { type AuditTable, type AuditTrail, createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { chunksOf } from '#lambdas/platform/concurrency.ts';
import { maxTransactionItems } from '#lambdas/platform/dynamodb/transaction.ts';
import type { AccountsTable } from '../accounts-table.ts';
import { findMembership } from '../members/store.ts';
import { endItem, type KeyRevocation, progressItem } from './pending.ts';

export interface RevocationDependencies {
  directoryTable: DirectoryTable;
  accounts: AccountsTable;
  auditTable: AuditTable;
  now(): Date;
}

/** The count of keys and the progress. */
const itemsPerBatch = 2;
/** With the audit record of each key. */
const maxKeysPerBatch = Math.floor((maxTransactionItems - itemsPerBatch) / (itemsPerArchivedKey + 1));

/**
 * Can be repeated after each write. Resolves when no key is left, or another removal of the member has replaced this one. Throws
 * what `signal` is aborted with.
 */
export async function revokeKeysOfMember(
  dependencies: RevocationDependencies,
  pending: KeyRevocation,
  signal: AbortSignal,
): Promise<void> {
  const { directoryTable, auditTable, now } = dependencies;
  const audit = createAuditTrail(auditTable, pending.actor, now);
  let { revokedKeys } = pending;
  for (;;) {
    const records = await findKeys(dependencies, pending);
    if (records.length === 0) break;
    const totalKeys = revokedKeys + records.length;
    for (const batch of chunksOf(records, maxKeysPerBatch)) {
      signal.throwIfAborted();
      const result = await revokeBatch(directoryTable, audit, pending, { batch, totalKeys });
      if (result === 'replaced') return;
      // One of the keys has changed since it was read.
      if (result === 'changed') break;
      revokedKeys += batch.length;
    }
  }
  await audit.transact({
    event: revocationEvent(pending, revokedKeys),
    items: [endItem(directoryTable, pending)],
    operation: { id: pending.operationId, stage: 'completed' },
  });
}

async function revokeBatch(
  table: DirectoryTable,
  audit: AuditTrail,
  pending: KeyRevocation,
  { batch, totalKeys }: { batch: readonly KeyRecord[]; totalKeys: number },
): Promise<'revoked' | 'changed' | 'replaced'> {
  const revocations = batch.map((record) => revocation(table, record, audit));
  const revokedKeys = batch.length;
  const [first, ...others] = revocations;
  if (first === undefined) throw new Error('The batch has no keys');
  const items = [
    progressItem(table, pending, { revokedKeys, totalKeys }),
    countArchivedKeys(table, pending.organizationId, revokedKeys),
  ];
  const failed = await audit.transact({ ...first, items: [...items, ...first.items] }, ...others);
  if (failed.includes(0)) return 'replaced';
  return failed.length === 0 ? 'revoked' : 'changed';
}

/** The oldest last, so that the newest keys, of which most are in use, are refused first. */
async function findKeys(
  { directoryTable, accounts, now }: RevocationDependencies,
  { organizationId, userId, removedAt }: KeyRevocation,
): Promise<KeyRecord[]> {
  const records = await listCurrentKeyRecords(directoryTable, organizationId);
  // Keys that the user has created as a member again stay.
  const joinedAt = (await findMembership(accounts, organizationId, userId))?.joinedAt ?? null;
  const isOwn = (apiKey: ApiKey) =>
    holdersOf(apiKey).has(userId) &&
    isActiveApiKey(apiKey, now()) &&
    (joinedAt === null || apiKey.created_at < joinedAt) &&
    !isReplacedByOthers(apiKey, { userId, removedAt });
  return records.filter(({ apiKey }) => isOwn(apiKey));
}

/** Since the removal, others may have rotated a key of the member, who has not been shown the new one. */
function isReplacedByOthers(
  { rotated_by, created_at }: ApiKey,
  { userId, removedAt }: Pick<KeyRevocation, 'userId' | 'removedAt'>,
): boolean {
  return rotated_by !== undefined && rotated_by.id !== userId && created_at > removedAt;
}

export function revocationEvent(
  { organizationId, userId, userName }: Pick<KeyRevocation, 'organizationId' | 'userId' | 'userName'>,
  revokedKeys: number | null,
) {
  const after = revokedKeys === null ? null : { revoked_keys: revokedKeys };
  return {
    action: 'member.keys_revoked',
    organizationId,
    target: { type: 'member', id: userId, name: userName },
    before: null,
    after,
  } as const;
}
