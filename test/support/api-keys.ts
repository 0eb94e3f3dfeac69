import type { ApiKey, RequestKey } from '#lambdas/access/directory.ts';
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

/** As a request finds it. */
export function requestKey(fields: Partial<RequestKey> = {}): RequestKey {
  const { id, organization_id, expires_at, rotation, revoked_at } = apiKeyRecord();
  return { id, organization_id, expires_at, rotation, revoked_at, log_shards: 1, ...fields };
}
