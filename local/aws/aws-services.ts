/** Opens the address at which functions and the administrator reach AWS. */
import { join } from 'node:path';
import { readRole } from '../functions/function-definitions.ts';
import type { HttpListener } from '../http/http-listener.ts';
import { functionAccessKeyId } from '../identities.ts';
import type { Run } from '../run.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { nameOf } from '../template/references.ts';
import { type Resource, resourcesOfType } from '../template/template.ts';
import { type Authorizer, createAuthorizer, type FunctionIdentity } from './authorization.ts';
import { createAwsEndpoint } from './aws-endpoint.ts';
import { createDynamoDbProxy } from './dynamodb-proxy.ts';
import { readRoleStatements } from './policies.ts';
import { startQueueEngine } from './queue-engine.ts';
import { provideQueues, type Queues } from './queues.ts';
import { createSecretsManager, type SecretsManager } from './secrets-manager.ts';
import { createSqsProxy, type SqsProxy } from './sqs-proxy.ts';

export interface AwsServices {
  endpoint: string;
  authorizer: Authorizer;
  secretsManager: SecretsManager;
  queues: Queues;
}

/** Answers at the listener's address. */
export async function openAwsServices(parts: {
  run: Run;
  stack: LocalStack;
  listener: HttpListener;
  dynamoDbEndpoint: string;
}): Promise<AwsServices> {
  const { run, stack, listener, dynamoDbEndpoint } = parts;
  const authorizer = createAuthorizer(readIdentities(stack));
  const tableArns = new Map([...stack.tables.values()].map(({ name, arn }) => [name, arn]));
  const dynamoDb = createDynamoDbProxy({
    engineEndpoint: dynamoDbEndpoint,
    tableArn: (name) => tableArns.get(name),
  });
  const { queues, sqs } = await openQueues(run, stack);
  const secretsManager = createSecretsManager(
    stack.secrets,
    run.storeDirectory && join(run.storeDirectory, 'secrets.json'),
  );
  run.resources.defer(async () => {
    await listener.close();
    dynamoDb.close();
  });
  listener.answerWith(
    createAwsEndpoint({
      authorizer,
      dynamoDb,
      sqs,
      secretsManager,
      onRefusal: ({ message }) => run.log(message),
    }),
  );
  return { endpoint: listener.origin, authorizer, secretsManager, queues };
}

async function openQueues(run: Run, stack: LocalStack): Promise<{ queues: Queues; sqs: SqsProxy }> {
  const { storeDirectory, environment, region } = run;
  const engine = await startQueueEngine({
    dataDirectory: storeDirectory && join(storeDirectory, 'queues'),
    environment,
    region,
  });
  run.resources.defer(engine.stop);
  const queues = await provideQueues({
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
    resourcesOfType(stack.template, 'AWS::Lambda::Function').map((resource) => [
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
