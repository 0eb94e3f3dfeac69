/** Validates records of the Directory table on read, so that an invalid record is reported and never printed. */

import { z } from 'zod';
import type { ApiKey, BudgetCounterRef, Directory, Organization } from '#lambdas/access/directory.ts';
import type { Creator } from '#lambdas/audit/record.ts';
import { maxShardCount } from '#lambdas/request-log/id.ts';
import { AdminError } from '../errors.ts';

const nonEmptyText = z.string().min(1);
const logShards = z.number().int().min(1).max(maxShardCount);

const counterRef = z.object({
  id: nonEmptyText,
  shards: z.number().int().positive(),
  allows_unpriced: z.boolean(),
}) satisfies z.ZodType<BudgetCounterRef>;

const creator = z.object({
  type: z.enum(['user', 'operator']),
  id: nonEmptyText,
  name: nonEmptyText,
}) satisfies z.ZodType<Creator>;

const organization = z.object({
  id: nonEmptyText,
  name: nonEmptyText,
  created_at: z.iso.datetime(),
  log_shards: logShards,
  budget: counterRef.optional(),
  deleted_at: z.iso.datetime().optional(),
}) satisfies z.ZodType<Organization>;

const apiKey = z.object({
  id: nonEmptyText,
  organization_id: nonEmptyText,
  name: nonEmptyText,
  last_four: z.string(),
  created_at: z.iso.datetime(),
  created_by: creator,
  rotated_by: creator.optional(),
  expires_at: z.iso.datetime().nullable(),
  rotation: z.object({ replacement_id: nonEmptyText, ends_at: z.iso.datetime() }).nullable(),
  revoked_at: z.iso.datetime().nullable(),
  revoked_by: creator.nullable(),
  budget_key_id: nonEmptyText.optional(),
}) satisfies z.ZodType<ApiKey>;

const recordSchemas = { Organization: organization, 'API key': apiKey };

export function createCheckedDirectory(directory: Directory): Directory {
  const checkOne =
    <Arguments extends unknown[], Stored>(
      type: keyof typeof recordSchemas,
      read: (...args: Arguments) => Promise<Stored | null>,
    ) =>
    async (...args: Arguments) => {
      const stored = await read(...args);
      if (stored !== null) requireValid(type, stored);
      return stored;
    };
  const checkAll =
    <Arguments extends unknown[], Stored>(
      type: keyof typeof recordSchemas,
      read: (...args: Arguments) => Promise<Stored[]>,
    ) =>
    async (...args: Arguments) => {
      const stored = await read(...args);
      for (const record of stored) requireValid(type, record);
      return stored;
    };
  return {
    ...directory,
    findOrganization: checkOne('Organization', directory.findOrganization),
    listOrganizations: checkAll('Organization', directory.listOrganizations),
    raiseLogShards: checkOne('Organization', directory.raiseLogShards),
    findApiKey: checkOne('API key', directory.findApiKey),
    findApiKeys: checkAll('API key', directory.findApiKeys),
    listCurrentApiKeys: checkAll('API key', directory.listCurrentApiKeys),
    async queryApiKeys(query) {
      const page = await directory.queryApiKeys(query);
      for (const record of page.apiKeys) requireValid('API key', record);
      return page;
    },
    revokeApiKey: checkOne('API key', directory.revokeApiKey),
  };
}

function requireValid(type: keyof typeof recordSchemas, stored: unknown): void {
  const { success, error } = recordSchemas[type].safeParse(stored);
  if (success) return;
  const fields = [...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ');
  const { id } = z.looseObject({ id: z.string().catch('without id') }).parse(stored);
  throw new AdminError(
    `${type} ${id} in the Directory table has invalid fields (${fields}): correct the item or restore it from a backup`,
  );
}
