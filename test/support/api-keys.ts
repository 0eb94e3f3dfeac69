import type { ApiKey, ApiKeyReader, RequestKey } from '#lambdas/access/directory.ts';
import { maxCurrentKeys } from '#lambdas/access/directory.ts';
import { newKeyId } from '#lambdas/access/id.ts';
import { testCreator } from './audit/test-audit-trail.ts';

const createdAt = '2026-01-01T00:00:00.000Z';

export function apiKeyRecord(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: newKeyId(new Date(fields.created_at ?? createdAt)),
    organization_id: 'org_0000000000000001',
    name: 'production',
    last_four: 'wXyZ',
    created_at: createdAt,
    created_by: testCreator,
    expires_at: null,
    rotation: null,
    revoked_at: null,
    revoked_by: null,
    ...fields,
  };
}

/** With those in the archive, the newest first. */
export async function listAllApiKeys(
  directory: Pick<ApiKeyReader, 'queryApiKeys'>,
  organizationId: string,
): Promise<ApiKey[]> {
  const read = async (archived: boolean) => {
    const query = { organizationId, archived, before: null, limit: maxCurrentKeys };
    return (await directory.queryApiKeys(query)).apiKeys;
  };
  const apiKeys = [...(await read(false)), ...(await read(true))];
  return apiKeys.sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** As a request finds it. */
export function requestKey(fields: Partial<RequestKey> = {}): RequestKey {
  const { id, organization_id, expires_at, rotation, revoked_at } = apiKeyRecord();
  return { id, organization_id, expires_at, rotation, revoked_at, log_shards: 1, ...fields };
}
