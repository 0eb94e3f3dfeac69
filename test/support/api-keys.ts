import type { ApiKey } from '#lambdas/access/directory.ts';
import { newId } from '#lambdas/access/id.ts';
import { testCreator } from './audit/test-audit-trail.ts';

export function apiKeyRecord(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: newId('key'),
    organization_id: 'org_0000000000000001',
    name: 'production',
    last_four: 'wXyZ',
    created_at: '2026-01-01T00:00:00.000Z',
    created_by: testCreator,
    expires_at: null,
    revoked_at: null,
    revoked_by: null,
    log_shards: 1,
    ...fields,
  };
}
