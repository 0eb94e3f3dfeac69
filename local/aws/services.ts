import { join } from 'node:path';
import type { LocalUserPool } from '../cognito/start.ts';
import { readRole } from '../functions/definitions.ts';
import { functionAccessKeyId } from '../identities.ts';
import type { HttpListener } from '../listeners/http-listener.ts';
import { type Authorizer, createAuthorizer, type FunctionIdentity } from '../permissions/authorization.ts';
import { readRoleStatements } from '../permissions/policies.ts';
import type { RunContext } from '../run-context.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { nameOf } from '../template/references.ts';
import { hostedFunctions, type Resource } from '../template/template.ts';
import { createCloudWatchLogs, readLogGroups } from './cloudwatch-logs.ts';
import { createDynamoDbProxy } from './dynamodb/proxy.ts';
import { createAwsEndpoint } from './endpoint.ts';
import { createEventBridge, type EventBridge } from './event-bridge.ts';
import { createSecretsManager, type SecretsManager } from './secrets-manager.ts';
import { createMailService, readVerifiedIdentities } from './ses.ts';
import { startQueueEngine } from './sqs/engine.ts';
import { createSqsProxy, type SqsProxy } from './sqs/proxy.ts';
import { ensureQueues, type Queues } from './sqs/queues.ts';

export interface AwsServices {
  endpoint: string;
  authorizer: Authorizer;
  eventBridge: EventBridge;
  secretsManager: SecretsManager;
  queues: Queues;
}

export async function startAwsServices(options: {
  run: RunContext;
  stack: LocalStack;
  listener: HttpListener;
  dynamoDbEndpoint: string;
  userPool: LocalUserPool | null;
  logDirectory: string;
}): Promise<AwsServices> {
  const { run, stack, listener, dynamoDbEndpoint, userPool, logDirectory } = options;
  const authorizer = createAuthorizer(readIdentities(stack));
  const tableArns = new Map([...stack.tables.values()].map(({ name, arn }) => [name, arn]));
  const dynamoDb = createDynamoDbProxy({
    engineEndpoint: dynamoDbEndpoint,
    tableArn: (name) => tableArns.get(name),
    observe: run.observe,
  });
  const { queues, sqs } = await startQueues(run, stack);
  const eventBridge = createEventBridge(run);
  const secretsManager = createSecretsManager(
    stack.secrets,
    run.storeDirectory && join(run.storeDirectory, 'secrets.json'),
  );
  run.resources.defer(async () => {
    await listener.close();
    dynamoDb.close();
  });
  listener.serve(
    createAwsEndpoint({
      authorizer,
      cloudWatchLogs: createCloudWatchLogs(run.region, readLogGroups(stack, logDirectory)),
      dynamoDb,
      eventBridge,
      sqs,
      secretsManager,
      userPool,
      ses:
        userPool &&
        createMailService({
          region: run.region,
          verifiedIdentities: readVerifiedIdentities(stack),
          mailbox: userPool.mailbox,
        }),
      onAuthorizationFailure: ({ message }) => run.log(message),
    }),
  );
  return { endpoint: listener.origin, authorizer, eventBridge, secretsManager, queues };
}

async function startQueues(run: RunContext, stack: LocalStack): Promise<{ queues: Queues; sqs: SqsProxy }> {
  const { storeDirectory, environment, region } = run;
  const engine = await startQueueEngine({
    dataDirectory: storeDirectory && join(storeDirectory, 'queues'),
    environment,
    region,
  });
  run.resources.defer(engine.stop);
  const queues = await ensureQueues({
    definitions: stack.queues,
    engineEndpoint: engine.endpoint,
    region,
  });
  const sqs = createSqsProxy({ engineEndpoint: engine.endpoint, queues: queues.all });
  run.resources.defer(() => {
    queues.close();
    sqs.close();
  });
  return { queues, sqs };
}

function readIdentities(stack: LocalStack): Map<string, FunctionIdentity> {
  return new Map(
    hostedFunctions(stack.template).map((resource) => [
      functionAccessKeyId(resource.logicalId),
      readIdentity(resource, stack),
    ]),
  );
}

function readIdentity(resource: Resource, { template, sources, resolve }: LocalStack): FunctionIdentity {
  const roleLogicalId = readRole(resource);
  const role = template.resources.get(roleLogicalId);
  return {
    functionName: nameOf(sources, resource, 'FunctionName'),
    roleName: role === undefined ? roleLogicalId : nameOf(sources, role, 'RoleName'),
    statements: readRoleStatements(template, roleLogicalId, resolve),
  };
}
