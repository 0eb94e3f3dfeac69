import { describe, expect, it } from 'vitest';
import { findingsWith, logicalId } from './planted-error.ts';

const rollupRole = logicalId('CostRollup/FunctionRole');
const rollupStatements = `${logicalId('CostRollup/FunctionRole/DefaultPolicy')}.Properties.PolicyDocument.Statement`;
const rollup = `${logicalId('CostRollup/Function')}.Properties`;
const rollupSource = `${logicalId('CostRollup/Function/DynamoDBEventSource:*')}.Properties`;
const recoveryRole = logicalId('LogRecovery/FunctionRole');
const recoveryStatements = `${logicalId('LogRecovery/FunctionRole/DefaultPolicy')}.Properties.PolicyDocument.Statement`;
const recoverySource = `${logicalId('LogRecovery/Function/LostEntries')}.Properties`;

/** CloudFormation names resources after the stack. */
const nameOf = (path: string) => `Stack-${logicalId(path)}`;
const arn = (service: string, resource: string) => `arn:aws:${service}:us-east-1:000000000000:${resource}`;
const logStream = arn('logs', `log-group:${nameOf('CostRollup/FunctionLogGroup')}:log-stream:label`);
const tableStream = arn('dynamodb', `table/${logicalId('LogEntries')}/stream/label`);
const deadLetters = arn('sqs', nameOf('CostRollup/DeadLetters'));
const lostEntries = arn('sqs', nameOf('LogRecovery/LostEntries'));

describe('checkRequiredGrants', () => {
  it.each<[grant: string, statement: string, findings: string[]]>([
    [
      'writing logs',
      `${rollupStatements}.0`,
      ['CreateLogStream', 'PutLogEvents'].map(
        (action) =>
          `${rollup}.LoggingConfig: ${rollupRole} does not allow logs:${action} on ${logStream}: grant it`,
      ),
    ],
    [
      'writing traces and finding streams',
      `${rollupStatements}.1`,
      [
        `${rollup}.TracingConfig: ${rollupRole} does not allow xray:PutTraceSegments on *: grant it`,
        `${rollup}.TracingConfig: ${rollupRole} does not allow xray:PutTelemetryRecords on *: grant it`,
        `${rollupSource}.EventSourceArn: ${rollupRole} does not allow dynamodb:ListStreams on *: grant it`,
      ],
    ],
    [
      'using a table that the environment names',
      `${rollupStatements}.3`,
      [
        `${rollup}.Environment.Variables.BUDGET_COUNTERS_TABLE: ${rollupRole} allows nothing on ${logicalId('BudgetCounters')}: grant what the function does, or remove it`,
      ],
    ],
    [
      'sending failed batches to a queue',
      `${rollupStatements}.5`,
      [
        `${rollupSource}.DestinationConfig.OnFailure: ${rollupRole} does not allow sqs:SendMessage on ${deadLetters}: grant it`,
        `${rollup}.Environment.Variables.ROLLUP_DEAD_LETTER_QUEUE_URL: ${rollupRole} allows nothing on ${logicalId('CostRollup/DeadLetters')}: grant what the function does, or remove it`,
      ],
    ],
    [
      'reading a stream',
      `${rollupStatements}.6`,
      ['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
        (action) =>
          `${rollupSource}.EventSourceArn: ${rollupRole} does not allow dynamodb:${action} on ${tableStream}: grant it`,
      ),
    ],
    [
      'reading a queue',
      `${recoveryStatements}.5`,
      ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map(
        (action) =>
          `${recoverySource}.EventSourceArn: ${recoveryRole} does not allow sqs:${action} on ${lostEntries}: grant it`,
      ),
    ],
  ])('finds a missing grant for %s', async (_, statement, findings) => {
    expect(await findingsWith(statement, undefined)).toEqual(findings);
  });
});

describe('checkInvocations', () => {
  const url = `${logicalId('Chat/Function/Aliaslive/FunctionUrl')}.Properties.TargetFunctionArn`;
  const chat = `${nameOf('Chat/Function')}:live`;
  const missing = (action: string, functionName: string) =>
    `The stack has no AWS::Lambda::Permission that allows lambda:${action} on ${functionName} to its caller: add it`;

  it.each([
    ['a URL', 'Chat/Function/Aliaslive/invoke-function-url', `${url}: ${missing('InvokeFunctionUrl', chat)}`],
    [
      'the function of a URL',
      'Chat/Function/Aliaslive/invoke-function',
      `${url}: ${missing('InvokeFunction', chat)}`,
    ],
    [
      'a method',
      'RestApi/Api/Default/ai/chat/completions/POST/ApiPermission.*',
      `${logicalId('RestApi/Api/Default/ai/chat/completions/POST')}.Properties.Integration.Uri: ${missing('InvokeFunction', chat)}`,
    ],
    [
      'a schedule',
      'Maintenance/RecoverRequestsSchedule/AllowEventRule*',
      `${logicalId('Maintenance/RecoverRequestsSchedule')}.Properties.Targets[0].Arn: ${missing('InvokeFunction', nameOf('Maintenance/RecoverRequests'))}`,
    ],
  ])('finds a missing permission for %s', async (_, path, finding) => {
    expect(await findingsWith(logicalId(path), undefined)).toEqual([finding]);
  });

  it('finds a trigger whose function does not admit the user pool', async () => {
    const trigger = `${logicalId('Dashboard/UserPool')}.Properties.LambdaConfig.PreSignUp`;

    expect(await findingsWith(trigger, { 'Fn::GetAtt': [logicalId('Models'), 'Arn'] })).toEqual([
      `${trigger}: ${missing('InvokeFunction', nameOf('Models'))}`,
    ]);
  });

  const permission = `${logicalId('Dashboard/UserPool/PreSignUpCognito')}.Properties`;
  it.each([
    [
      'for an action that does not exist',
      'Action',
      'lambda:Invoke',
      'no action lambda:Invoke exists: correct it',
    ],
    [
      'for all resources of a service',
      'SourceArn',
      undefined,
      'is undefined: set it to the ARN of a cognito-idp resource',
    ],
    [
      'for a resource of another service',
      'SourceArn',
      'arn:aws:s3:::bucket',
      'is arn:aws:s3:::bucket: set it to the ARN of a cognito-idp resource',
    ],
  ])('finds a permission %s', async (_, property, value, finding) => {
    expect(await findingsWith(`${permission}.${property}`, value)).toEqual([
      `${permission}.${property}: ${finding}`,
    ]);
  });
});

describe('checkResourcePolicies', () => {
  it.each([
    [
      'a topic that refuses alarms',
      `${logicalId('Monitoring/AlarmTopic/Policy')}.Properties.PolicyDocument.Statement.1`,
      `${logicalId('Monitoring/Alarms/internal-errors')}.Properties.AlarmActions: the policy of ${arn('sns', nameOf('Monitoring/AlarmTopic'))} does not allow sns:Publish to cloudwatch.amazonaws.com: allow it`,
    ],
    [
      'a bucket that refuses the distribution',
      `${logicalId('Dashboard/Page/Policy')}.Properties.PolicyDocument.Statement.2`,
      `${logicalId('Dashboard/Site/Distribution')}.Properties.DistributionConfig.Origins[0].DomainName: the policy of arn:aws:s3:::${nameOf('Dashboard/Page').toLowerCase()}/index.html does not allow s3:GetObject to cloudfront.amazonaws.com: allow it`,
    ],
  ])('finds %s', async (_, statement, finding) => {
    expect(await findingsWith(statement, undefined)).toEqual([finding]);
  });
});
