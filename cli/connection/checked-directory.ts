/** The Directory as the command line reads it: every record is checked, so that a damaged one is named and not printed. */
import { z } from 'zod';
import type { ApiKey, Directory, Organization } from '#lambdas/access/directory.ts';
import { maxShardCount } from '#lambdas/request-log/id.ts';
import { AdminError } from '../errors.ts';

const name = z.string().min(1);
const logShards = z.number().int().min(1).max(maxShardCount);

const organization = z.object({
  id: name,
  name,
  created_at: z.iso.datetime(),
  log_shards: logShards,
}) satisfies z.ZodType<Organization>;

const apiKey = z.object({
  id: name,
  organization_id: name,
  name,
  last_four: z.string(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().nullable(),
  revoked_at: z.iso.datetime().nullable(),
  log_shards: logShards,
}) satisfies z.ZodType<ApiKey>;

/** The name of a kind of record in messages, and its schema. */
const recordSchemas = { organization, 'API key': apiKey };

export function createCheckedDirectory(directory: Directory): Directory {
  const one =
    <Arguments extends unknown[], Stored>(
      kind: keyof typeof recordSchemas,
      read: (...given: Arguments) => Promise<Stored | null>,
    ) =>
    async (...given: Arguments) => {
      const stored = await read(...given);
      if (stored !== null) requireValid(kind, stored);
      return stored;
    };
  const all =
    <Arguments extends unknown[], Stored>(
      kind: keyof typeof recordSchemas,
      read: (...given: Arguments) => Promise<Stored[]>,
    ) =>
    async (...given: Arguments) => {
      const stored = await read(...given);
      for (const each of stored) requireValid(kind, each);
      return stored;
    };
  return {
    ...directory,
    findOrganization: one('organization', directory.findOrganization),
    listOrganizations: all('organization', directory.listOrganizations),
    raiseLogShards: one('organization', directory.raiseLogShards),
    findApiKey: one('API key', directory.findApiKey),
    listApiKeys: all('API key', directory.listApiKeys),
    revokeApiKey: one('API key', directory.revokeApiKey),
    expireApiKey: one('API key', directory.expireApiKey),
  };
}

function requireValid(kind: keyof typeof recordSchemas, stored: unknown): void {
  const { success, error } = recordSchemas[kind].safeParse(stored);
  if (success) return;
  const fields = [...new Set(error.issues.map(({ path }) => path.join('.')))].join(', ');
  const { id } = z.looseObject({ id: z.string().catch('without an id') }).parse(stored);
  throw new AdminError(
    `The ${kind} ${id} in the Directory table is damaged (${fields}): correct its item, or restore it from a backup`,
  );
}
