/** Systems Manager, DynamoDB, Cognito, SQS, Secrets Manager and CloudWatch Logs, in the JSON protocols. */

import type { DeploymentAccount } from './account.ts';
import { json, jsonProtocol, type ServiceResponse } from './responses.ts';

type Operation = (account: DeploymentAccount, input: Record<string, unknown>) => ServiceResponse;

/** By IAM action. */
export const jsonOperations: Record<string, Operation> = {
  'ssm:GetParameter'({ parameters }, { Name }) {
    const Value = parameters.get(String(Name));
    if (Value === undefined) return jsonProtocol.error({ code: 'ParameterNotFound', message: '' });
    return json({ Parameter: { Name, Value, Type: 'String' } });
  },

  'dynamodb:DescribeTable': forResource('tables', 'TableName', ({ isProtected }, TableName) =>
    json({ Table: { TableName, TableStatus: 'ACTIVE', DeletionProtectionEnabled: isProtected } }),
  ),
  'dynamodb:Scan': forResource('tables', 'TableName', ({ items }) =>
    json({ Items: Array(Math.min(items, 1)).fill({ pk: { S: 'x' } }), Count: Math.min(items, 1) }),
  ),
  'dynamodb:UpdateTable': forResource('tables', 'TableName', (table) => {
    table.isProtected = false;
    return json({});
  }),
  'dynamodb:DeleteTable': forResource('tables', 'TableName', ({ isProtected }, name, { tables }) => {
    if (isProtected)
      return refused('ValidationException', 'Resource cannot be deleted as it is currently protected');
    tables.delete(name);
    return json({});
  }),

  'cognito-idp:DescribeUserPool': forResource('userPools', 'UserPoolId', ({ isProtected, domain }, Id) =>
    json({
      UserPool: { Id, DeletionProtection: isProtected ? 'ACTIVE' : 'INACTIVE', Domain: domain ?? undefined },
    }),
  ),
  'cognito-idp:ListUsers': forResource('userPools', 'UserPoolId', ({ users }) =>
    json({ Users: Array(Math.min(users, 1)).fill({ Username: 'ada' }) }),
  ),
  'cognito-idp:UpdateUserPool': forResource('userPools', 'UserPoolId', (pool) => {
    pool.isProtected = false;
    return json({});
  }),
  'cognito-idp:DeleteUserPoolDomain': forResource(
    'userPools',
    'UserPoolId',
    (pool, _id, _account, { Domain }) => {
      if (Domain !== pool.domain) return refused('InvalidParameterException', 'No such domain');
      pool.domain = null;
      return json({});
    },
  ),
  'cognito-idp:DeleteUserPool': forResource('userPools', 'UserPoolId', (pool, id, { userPools }) => {
    if (pool.isProtected) return refused('InvalidParameterException', 'Deletion protection is active');
    if (pool.domain !== null)
      return refused('InvalidParameterException', 'User pool cannot be deleted. It has a domain');
    userPools.delete(id);
    return json({});
  }),

  'sqs:GetQueueAttributes': forResource('queues', 'QueueUrl', ({ visible, inFlight, delayed }) =>
    json({
      Attributes: {
        ApproximateNumberOfMessages: String(visible),
        ApproximateNumberOfMessagesNotVisible: String(inFlight),
        ApproximateNumberOfMessagesDelayed: String(delayed),
      },
    }),
  ),
  'sqs:DeleteQueue': forResource('queues', 'QueueUrl', (_, url, { queues }) => {
    queues.delete(url);
    return json({});
  }),

  'secretsmanager:DescribeSecret': forResource('secrets', 'SecretId', ({ isDeleted }, ARN) =>
    json({ ARN, DeletedDate: isDeleted ? 1_767_225_600 : undefined }),
  ),
  'secretsmanager:GetSecretValue': forResource('secrets', 'SecretId', ({ value }, ARN) =>
    json({ ARN, SecretString: value }),
  ),
  'secretsmanager:DeleteSecret': forResource('secrets', 'SecretId', (secret, ARN) => {
    secret.isDeleted = true;
    return json({ ARN });
  }),

  'logs:DescribeLogGroups'({ logGroups }, { logGroupNamePrefix, limit }) {
    const names = [...logGroups.keys()].filter((name) => name.startsWith(String(logGroupNamePrefix))).sort();
    return json({ logGroups: names.slice(0, Number(limit)).map((logGroupName) => ({ logGroupName })) });
  },
  'logs:DescribeLogStreams': forResource('logGroups', 'logGroupName', (streams) =>
    json({ logStreams: streams.slice(0, 1).map((logStreamName) => ({ logStreamName })) }),
  ),
  'logs:DeleteLogGroup': forResource('logGroups', 'logGroupName', (_, name, { logGroups }) => {
    logGroups.delete(name);
    return json({});
  }),
};

type Collection = 'tables' | 'userPools' | 'queues' | 'secrets' | 'logGroups';
type ResourceOf<Name extends Collection> =
  DeploymentAccount[Name] extends Map<string, infer Value> ? Value : never;

/** An operation on the resource that the field of the input names, which must exist. */
function forResource<Name extends Collection>(
  collection: Name,
  field: string,
  respond: (
    resource: ResourceOf<Name>,
    id: string,
    account: DeploymentAccount,
    input: Record<string, unknown>,
  ) => ServiceResponse,
): Operation {
  return (account, input) => {
    const id = String(input[field]);
    const resource = (account[collection] as Map<string, ResourceOf<Name>>).get(id);
    if (resource !== undefined) return respond(resource, id, account, input);
    const code = collection === 'queues' ? 'QueueDoesNotExist' : 'ResourceNotFoundException';
    return refused(code, `${id} does not exist`);
  };
}

function refused(code: string, message: string): ServiceResponse {
  return jsonProtocol.error({ code, message });
}
