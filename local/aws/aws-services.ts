/** Opens the address at which functions and the administrator reach AWS. */
import { join } from 'node:path';
import { readRole } from '../functions/function-definitions.ts';
import { openHttpListener } from '../http/http-listener.ts';
import { functionAccessKeyId } from '../identities.ts';
import type { Run } from '../run.ts';
import type { LocalStack } from '../template/local-stack.ts';
import { nameOf } from '../template/references.ts';
import { type Resource, resourcesOfType } from '../template/template.ts';
import { type Authorizer, createAuthorizer, type FunctionIdentity } from './authorization.ts';
import { createAwsEndpoint } from './aws-endpoint.ts';
import { createDynamoDbProxy } from './dynamodb-proxy.ts';
import { readRoleStatements } from './policies.ts';
import { createSecretsManager, type SecretsManager } from './secrets-manager.ts';

export interface AwsServices {
  endpoint: string;
  authorizer: Authorizer;
  secretsManager: SecretsManager;
}

export async function openAwsServices(
  run: Run,
  stack: LocalStack,
  engineEndpoint: string,
): Promise<AwsServices> {
  const authorizer = createAuthorizer(readIdentities(stack));
  const tableArns = new Map([...stack.tables.values()].map(({ name, arn }) => [name, arn]));
  const dynamoDb = createDynamoDbProxy({ engineEndpoint, tableArn: (name) => tableArns.get(name) });
  const secretsManager = createSecretsManager(
    stack.secrets,
    run.storeDirectory && join(run.storeDirectory, 'secrets.json'),
  );
  const listener = await openHttpListener(0);
  run.resources.defer(async () => {
    await listener.close();
    dynamoDb.close();
  });
  listener.answerWith(
    createAwsEndpoint({ authorizer, dynamoDb, secretsManager, onRefusal: ({ message }) => run.log(message) }),
  );
  return { endpoint: listener.origin, authorizer, secretsManager };
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
