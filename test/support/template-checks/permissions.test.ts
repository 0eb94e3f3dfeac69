import { describe, expect, it } from 'vitest';
import { findingsWith, logicalId } from './planted-error.ts';

const policy = `${logicalId('Reports/LogsRole/DefaultPolicy')}.Properties.PolicyDocument`;
const topicPolicy = `${logicalId('Monitoring/AlarmTopic/Policy')}.Properties.PolicyDocument`;
const role = `${logicalId('RestApi/Api/CloudWatchRole')}.Properties`;
const directory = { 'Fn::GetAtt': [logicalId('Directory'), 'Arn'] };
const directoryStream = { 'Fn::GetAtt': [logicalId('Directory'), 'StreamArn'] };

const dynamoDbArn = 'arn:aws:dynamodb:us-east-1:000000000000:table';
const topicArn = `arn:aws:sns:us-east-1:000000000000:Stack-${logicalId('Monitoring/AlarmTopic')}`;
const formats = {
  table: 'arn:<Partition>:dynamodb:<Region>:<Account>:table/<TableName>',
  queue: 'arn:<Partition>:sqs:<Region>:<Account>:<QueueName>',
};

describe('checkPermissions', () => {
  it.each<[error: string, path: string, value: unknown, findings: string[]]>([
    [
      'an action that does not exist',
      `${policy}.Statement.2.Action`,
      'dynamodb:GetItems',
      [`${policy}.Statement[2]: no action dynamodb:GetItems exists: correct it`],
    ],
    [
      'an action of a service that does not exist',
      `${policy}.Statement.2.Action`,
      'dynamo:GetItem',
      [`${policy}.Statement[2]: no action dynamo:GetItem exists: correct it`],
    ],
    [
      'a pattern that no action matches',
      `${policy}.Statement.2.Action`,
      'dynamodb:Fetch*',
      [`${policy}.Statement[2]: no action dynamodb:Fetch* exists: correct it`],
    ],
    [
      'an action on a resource of another service',
      `${policy}.Statement.2.Action`,
      'sqs:SendMessage',
      [
        `${policy}.Statement[2]: sqs:SendMessage does not apply to ${dynamoDbArn}/${logicalId('Directory')}: name a resource such as ${formats.queue}`,
      ],
    ],
    [
      'an action on another type of resource',
      `${policy}.Statement.4.Action`,
      ['dynamodb:Query', 'dynamodb:GetRecords'],
      [
        `${policy}.Statement[4]: dynamodb:GetRecords does not apply to ${dynamoDbArn}/${logicalId('CostRollups')}: name a resource such as ${formats.table}/stream/<StreamLabel>`,
      ],
    ],
    [
      'a resource to which no action applies',
      `${policy}.Statement.2.Resource`,
      [directory, directoryStream],
      [
        `${policy}.Statement[2]: no action of the statement applies to ${dynamoDbArn}/${logicalId('Directory')}/stream/label: remove it from Resource`,
      ],
    ],
    [
      'all resources where one is possible',
      `${policy}.Statement.2.Resource`,
      '*',
      [`${policy}.Statement[2]: dynamodb:GetItem on *: name a resource such as ${formats.table}`],
    ],
    [
      'a resource where none is possible',
      `${policy}.Statement.1.Resource`,
      directory,
      [
        `${policy}.Statement[1]: xray:PutTelemetryRecords applies to no resource: set Resource to *`,
        `${policy}.Statement[1]: xray:PutTraceSegments applies to no resource: set Resource to *`,
      ],
    ],
    [
      'a misspelled element',
      `${policy}.Statement.2.Conditions`,
      {},
      [
        `${policy}.Statement[2]: Conditions is not supported in this kind of policy: use Sid, Effect, Action, Resource, Condition`,
      ],
    ],
    [
      'a condition operator that does not exist',
      `${topicPolicy}.Statement.1.Condition`,
      { Equals: { 'aws:SourceVpc': 'vpc' } },
      [`${topicPolicy}.Statement[1]: there is no condition operator Equals: correct it`],
    ],
    [
      'a condition key that does not exist',
      `${topicPolicy}.Statement.1.Condition`,
      { StringEquals: { 'aws:SourceVpcs': 'vpc' } },
      [`${topicPolicy}.Statement[1]: the condition key aws:SourceVpcs does not exist: correct it`],
    ],
    [
      'a condition key of other actions',
      `${topicPolicy}.Statement.1.Condition`,
      { StringEquals: { 'sns:Protocol': 'https' } },
      [
        `${topicPolicy}.Statement[1]: the condition key sns:Protocol applies to no action of the statement: remove it`,
      ],
    ],
    [
      'a managed policy that does not exist',
      `${role}.ManagedPolicyArns.0`,
      'arn:aws:iam::aws:policy/Logs',
      [
        `${role}.ManagedPolicyArns: arn:aws:iam::aws:policy/Logs is unknown: correct it, or add it to managed-policies.ts`,
      ],
    ],
    [
      'a resource policy for nobody',
      `${topicPolicy}.Statement.1.Principal`,
      undefined,
      [`${topicPolicy}.Statement[1]: Principal is required: set it`],
    ],
    [
      'an action of another service in a resource policy',
      `${topicPolicy}.Statement.1.Action`,
      'sqs:SendMessage',
      [
        `${topicPolicy}.Statement[1]: sqs:SendMessage does not apply to ${topicArn}: name a resource such as ${formats.queue}`,
      ],
    ],
  ])('finds %s', async (_, path, value, findings) => {
    expect(await findingsWith(path, value)).toEqual(findings);
  });
});
