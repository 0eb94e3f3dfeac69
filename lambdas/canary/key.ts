/**
 * The key of the canary: created for each run and deleted after it, so that no secret is stored. Its id is always the same,
 * so that reports by key do not grow with the runs.
 *
 * The audit trail does not have these keys, which would hide the changes that people make. The log has each run.
 */

import { DeleteCommand, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { hashApiKey, issueApiKey, keyAccessOf } from '#lambdas/access/api-key.ts';
import { type Directory, exists, type Organization } from '#lambdas/access/directory.ts';
import type { DirectoryTable } from '#lambdas/access/directory-table.ts';
import { keyAccessKey, keyRecordKey } from '#lambdas/access/item-keys.ts';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { Creator } from '#lambdas/audit/record.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';

export const canaryKeyId = 'key_canary';

/** Longer than a run, so that the key also ends if its run is killed. */
const lifetimeMs = 5 * minuteMs;

export interface CanaryKey {
  key: string;
  delete(): Promise<void>;
}

/** Also deletes the key of an earlier run that was killed. */
export async function createCanaryKey(
  { client, tableName }: DirectoryTable,
  { id: organizationId }: Organization,
  { createdBy, createdAt }: { createdBy: Creator; createdAt: Date },
): Promise<CanaryKey> {
  const recordKey = keyRecordKey({ organizationId, archived: false }, canaryKeyId);
  const put = (Item: Item) => client.send(new PutCommand({ TableName: tableName, Item }));
  const remove = (Key: Item) => client.send(new DeleteCommand({ TableName: tableName, Key }));
  const { key, apiKey } = issueApiKey({
    organizationId,
    name: 'Canary',
    createdAt,
    createdBy,
    expiresAt: new Date(createdAt.getTime() + lifetimeMs).toISOString(),
  });
  const keyHash = hashApiKey(key);
  const record = { ...apiKey, id: canaryKeyId };

  const earlier = await client.send(
    new GetCommand({ TableName: tableName, Key: recordKey, ConsistentRead: true }),
  );
  if (earlier.Item !== undefined) await remove(keyAccessKey(String(earlier.Item.key_hash)));
  // The record first: a key that works can always be found. It is no part of the number of current keys.
  await put({ ...recordKey, ...record, key_hash: keyHash });
  await put({ ...keyAccessKey(keyHash), ...keyAccessOf(record) });
  return {
    key,
    async delete() {
      await remove(keyAccessKey(keyHash));
      await remove(recordKey);
    },
  };
}

export const canaryOrganizationId = 'org_canary';

/** Creates the organization at the first run. Throws if it has been deleted, since its id cannot be used again. */
export async function ensureOrganization(
  directory: Pick<Directory, 'findOrganization' | 'createOrganization'>,
  audit: AuditTrail,
): Promise<Organization> {
  const found = await directory.findOrganization(canaryOrganizationId);
  if (exists(found)) return found;
  if (found !== null) throw new Error('The organization of the canary is deleted');
  const organization = {
    id: canaryOrganizationId,
    name: 'Canary',
    created_at: audit.now().toISOString(),
    log_shards: 1,
  };
  await directory.createOrganization(organization, audit);
  return organization;
}
