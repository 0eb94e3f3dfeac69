/** Entry point of the function that checks both endpoints. A schedule of EventBridge starts it. */
import { setTimeout } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDirectoryStore } from '#lambdas/access/directory-store.ts';
import { createAuditTrail } from '#lambdas/audit/audit-trail.ts';
import { type Actor, creatorOf } from '#lambdas/audit/record.ts';
import { sdkTimeLimits } from '#lambdas/platform/aws/sdk-time-limits.ts';
import { createDocumentClient } from '#lambdas/platform/dynamodb/sdk-table.ts';
import { readEnvironment } from '#lambdas/platform/environment.ts';
import { logUnexpected } from '#lambdas/platform/http/error-response.ts';
import { log, withLogContext } from '#lambdas/platform/telemetry/log.ts';
import { createCanaryKey, ensureOrganization } from './key.ts';
import { createCanary } from './run.ts';

const environment = readEnvironment(
  'DIRECTORY_TABLE',
  'AUDIT_TRAIL_TABLE',
  'AUDIT_RETENTION_DAYS',
  'API_BASE_URL',
  'CHAT_URL',
  // Empty without a model.
  'CANARY_MODEL',
);
const client = createDocumentClient(new DynamoDBClient(sdkTimeLimits));
const directoryTable = { client, tableName: environment.DIRECTORY_TABLE };
const auditTable = {
  client,
  tableName: environment.AUDIT_TRAIL_TABLE,
  retentionDays: Number(environment.AUDIT_RETENTION_DAYS),
};

const runCanary = createCanary({
  apiBaseUrl: environment.API_BASE_URL,
  functionUrl: environment.CHAT_URL,
  model: environment.CANARY_MODEL || null,
  log,
  logUnexpected,
  clock: { now: Date.now, wait: (ms) => setTimeout(ms) },
});

export const handler = withLogContext((_event: unknown, context: LambdaContext) =>
  runCanary(async () => {
    const actor: Actor = { type: 'operator', id: context.invokedFunctionArn, name: 'Canary', email: null };
    const audit = createAuditTrail(auditTable, actor, () => new Date());
    const organization = await ensureOrganization(createDirectoryStore(directoryTable), audit);
    return createCanaryKey(directoryTable, organization, {
      createdBy: creatorOf(actor),
      createdAt: new Date(),
    });
  }),
);

interface LambdaContext {
  awsRequestId: string;
  invokedFunctionArn: string;
}
