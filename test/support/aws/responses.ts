/** Responses of DynamoDB and Secrets Manager to the chat function. */
import { newKeyId } from '#lambdas/access/id.ts';

const organizationId = { S: 'org_0000000000000001' };

/** The part of a key that requests read, with further attributes. */
export const keyAccessResponse = (attributes: object = {}) =>
  JSON.stringify({
    Item: {
      pk: { S: 'key#hash' },
      sk: { S: 'key' },
      id: { S: newKeyId(new Date()) },
      organization_id: organizationId,
      expires_at: { NULL: true },
      rotation: { NULL: true },
      revoked_at: { NULL: true },
      ...attributes,
    },
  });

export const organizationResponse = (attributes: object = {}) =>
  JSON.stringify({
    Item: {
      pk: { S: `organization#${organizationId.S}` },
      sk: { S: 'organization' },
      id: organizationId,
      name: { S: 'test' },
      created_at: { S: '2026-01-01T00:00:00.000Z' },
      log_shards: { N: '1' },
      ...attributes,
    },
  });

/** Whether a request to `GetItem` reads the organization of a key. */
export function isOrganizationRead(body: string): boolean {
  return body.includes('"organization#');
}

export function secretResponse(credentials: object): string {
  return JSON.stringify({ Name: 'providers', SecretString: JSON.stringify(credentials) });
}
