/** Responses of DynamoDB and Secrets Manager to the chat function. */
import { newKeyId } from '#lambdas/access/id.ts';

export const apiKeyResponse = JSON.stringify({
  Item: {
    pk: { S: 'key#hash' },
    sk: { S: 'key' },
    id: { S: newKeyId(new Date()) },
    organization_id: { S: 'org_0000000000000001' },
    name: { S: 'test' },
    last_four: { S: '0000' },
    created_at: { S: '2026-01-01T00:00:00.000Z' },
    expires_at: { NULL: true },
    revoked_at: { NULL: true },
    log_shards: { N: '1' },
  },
});

export function secretResponse(credentials: object): string {
  return JSON.stringify({ Name: 'providers', SecretString: JSON.stringify(credentials) });
}
