/**
 * Sets and removes the lists of the models that an organization or a key may use: what the command line and the dashboard call. A
 * change takes effect when the functions read the organization and the key again, which they cache for 20 seconds.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AuditTrail } from '#lambdas/audit/audit-trail.ts';
import type { AuditEvent, AuditValues } from '#lambdas/audit/record.ts';
import { updateExpressions } from '#lambdas/platform/dynamodb/expressions.ts';
import type { Item } from '#lambdas/platform/dynamodb/table.ts';
import { GatewayError } from '#lambdas/platform/errors.ts';
import { type ApiKey, exists, type NewKeyChange } from '../directory.ts';
import { attributeChange, type DirectoryTable, findRecord, recordUnchanged } from '../directory-table.ts';
import { keyAccessKey, organizationKey } from '../item-keys.ts';
import { apiKeyEvent } from '../keys/change.ts';
import { type ApiKeyId, findKeyRecord } from '../keys/read.ts';
import { copyToReplacements } from '../keys/replacements.ts';
import { organizationEvent } from '../organizations/change.ts';
import { toOrganization } from '../organizations/read.ts';

/** The organization if `keyId` is `null`, else the first of the keys that were rotated. */
export interface ModelListOwner extends Pick<ApiKeyId, 'organizationId'> {
  keyId: string | null;
}

/** Patterns; `null` for all models. */
export type ModelList = readonly string[] | null;

/**
 * Resolves to the list as it was. One that stays the same has no audit record, but the keys that have replaced the first one get it
 * if theirs differs, as after a change that was interrupted. Throws a `GatewayError` (404) without such an organization or key.
 */
export async function setAllowedModels(
  table: DirectoryTable,
  { organizationId, keyId }: ModelListOwner,
  models: ModelList,
  audit: AuditTrail,
): Promise<ModelList> {
  if (keyId === null)
    return changeList(table, () => readOrganizationList(table, organizationId), models, audit);
  const key = { organizationId, keyId };
  const before = await changeList(table, () => readKeyList(table, key), models, audit);
  await copyToReplacements(table, key, 'key_models');
  return before;
}

/** The item that requests read, with its list. */
interface StoredList {
  key: Item;
  attribute: 'models' | 'key_models';
  models: ModelList;
  /** Attributes that the change relies on, besides the list. */
  unchanged: Item;
  event(values: { before: AuditValues; after: AuditValues }): AuditEvent;
}

/** Repeats the change while others change the same list. */
async function changeList(
  { tableName }: DirectoryTable,
  read: () => Promise<StoredList>,
  models: ModelList,
  audit: AuditTrail,
): Promise<ModelList> {
  for (;;) {
    const { key, attribute, models: before, unchanged, event } = await read();
    if (isDeepStrictEqual(before, models)) return before;
    const condition = recordUnchanged({ ...unchanged, [attribute]: before ?? undefined });
    const update = updateExpressions(attributeChange(attribute, models ?? undefined), ...condition);
    const failed = await audit.transact({
      event: event({ before: { models: before }, after: { models } }),
      items: [{ Update: { TableName: tableName, Key: key, ...update } }],
    });
    if (failed.length === 0) return before;
  }
}

async function readOrganizationList(table: DirectoryTable, organizationId: string): Promise<StoredList> {
  const key = organizationKey(organizationId);
  const item = await findRecord(table, key);
  const organization = item && toOrganization(item);
  if (!exists(organization)) throw noOwnerError();
  return {
    key,
    attribute: 'models',
    models: organization.models ?? null,
    unchanged: { deleted_at: undefined },
    event: (values) => organizationEvent('organization.models_set', organization, values),
  };
}

async function readKeyList(table: DirectoryTable, id: ApiKeyId): Promise<StoredList> {
  const record = await findKeyRecord(table, id);
  if (record === null) throw noOwnerError();
  const key = keyAccessKey(record.keyHash);
  const access = await findRecord(table, key);
  return {
    key,
    attribute: 'key_models',
    models: (access?.key_models as ModelList | undefined) ?? null,
    unchanged: {},
    event: (values) => apiKeyEvent('api_key.models_set', record.apiKey, values),
  };
}

function noOwnerError(): GatewayError {
  return new GatewayError('not_found', { message: 'There is no such organization or API key any more' });
}

/** To make with the creation of the key. */
export function newKeyModels(apiKey: ApiKey, models: readonly string[]): NewKeyChange {
  const values = { before: { models: null }, after: { models } };
  return {
    event: apiKeyEvent('api_key.models_set', apiKey, values),
    items: [],
    limits: { key_models: models },
  };
}
