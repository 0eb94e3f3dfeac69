/** An AWS endpoint with only the services that a test is about. */
import type { RequestListener } from 'node:http';
import { createAwsEndpoint } from '#local/aws/endpoint.ts';
import { createAuthorizer } from '#local/permissions/authorization.ts';
import type { Statement } from '#local/permissions/policies.ts';

type Services = Parameters<typeof createAwsEndpoint>[0];

const notCalled = { handle: () => Promise.reject(new Error('Not called')), close: () => {} };

/** `callers` are functions by their access keys, with what their roles allow. */
export function createEndpointFixture({
  callers,
  ...services
}: Partial<Services> & {
  callers: Record<string, Pick<Statement, 'actions' | 'resources'>[]>;
}): RequestListener {
  const identities = Object.entries(callers).map(([accessKeyId, allowed]) => {
    const functionName = accessKeyId.replace(/(?:^|-)./g, (start) => start.replace('-', '').toUpperCase());
    const statements = allowed.map((statement) => ({ effect: 'Allow' as const, ...statement }));
    return [accessKeyId, { functionName, roleName: `${functionName}Role`, statements }] as const;
  });
  return createAwsEndpoint({
    authorizer: createAuthorizer(new Map(identities)),
    cloudWatchLogs: notCalled,
    dynamoDb: notCalled,
    eventBridge: { ...notCalled, latestEvents: () => [], onEvent: () => {} },
    sqs: notCalled,
    secretsManager: { ...notCalled, storedValue: () => '' },
    userPool: null,
    ses: null,
    onAuthorizationFailure: () => {},
    ...services,
  });
}
