import { describe, expect, it } from 'vitest';
import { defaultChatLimits } from '#lambdas/inference/exchange/limits.ts';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway({ mailFrom: 'gateway@acme.example' });
const allFunctions = gateway.ofType('AWS::Lambda::Function');
/** CDK's functions run only during deployments. */
const functions = allFunctions.filter(({ path }) => !path.startsWith('Custom::'));

/** The permissions that every function has: to write to its log group. */
const ownLogs = (functionPath: string) => [
  `logs:CreateLogStream on ${functionPath}LogGroup.Arn`,
  `logs:PutLogEvents on ${functionPath}LogGroup.Arn`,
];

describe('All functions', () => {
  it('creates the seventeen expected functions, and two of CDK that fill and empty the bucket', () => {
    expect(allFunctions.map(({ path }) => path)).toEqual([
      'LogRecovery/Function',
      'Chat/Function',
      'Models',
      'Reports/Logs',
      'Reports/Log',
      'Reports/Costs',
      'CostRollup/Function',
      'BudgetChanges/Function',
      'Maintenance/RecoverRequests',
      'Maintenance/VerifyRollups',
      'Dashboard/SignUp',
      'Dashboard/Session',
      'Dashboard/Organizations',
      'Dashboard/Analytics',
      'Dashboard/TestRequest',
      'Dashboard/BudgetMail/Function',
      'Dashboard/KeyRevocations/Function',
      'Custom::S3AutoDeleteObjectsCustomResourceProvider/Handler',
      'Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C',
    ]);
  });

  it.each(functions)('$path runs on Node 24 on arm64 and logs JSON to a dedicated log group', (entry) => {
    expect(entry.resource.Properties).toMatchObject({
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      LoggingConfig: { LogFormat: 'JSON' },
    });
    const { LogGroup } = entry.resource.Properties.LoggingConfig as { LogGroup: unknown };
    expect(gateway.readable(LogGroup)).toBe(`${entry.path}LogGroup`);
  });

  it('deletes log groups with the stack, except for the chat function', () => {
    const kept = functions.filter(
      ({ path }) => gateway.resource(`${path}LogGroup`).DeletionPolicy === 'RetainExceptOnCreate',
    );

    expect(kept.map(({ path }) => path)).toEqual(['Chat/Function']);
    expect(gateway.resource('ModelsLogGroup').DeletionPolicy).toBe('Delete');
  });

  it.each(functions)('$path has a role that only Lambda can assume', ({ path }) => {
    expect(gateway.resource(`${path}Role`).Properties).toEqual({
      AssumeRolePolicyDocument: {
        Version: '2012-10-17',
        Statement: [
          { Action: 'sts:AssumeRole', Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } },
        ],
      },
    });
  });
});

const onTable = (table: string, ...actions: string[]) =>
  actions.map((action) => `dynamodb:${action} on ${table}.Arn`);
const reads = ['GetItem', 'Query', 'BatchGetItem'];
const logIndexQueries = ['model', 'prompt', 'provider', 'session', 'status', 'user'].map(
  (name) => `dynamodb:Query on LogEntries.Arn/index/by-${name}`,
);
const sendMail = 'ses:SendEmail on arn:AWS::Partition:ses:AWS::Region:AWS::AccountId:identity/acme.example';

describe('Permissions', () => {
  it.each([
    [
      'Chat/Function',
      [
        'dynamodb:GetItem on BudgetCounters.Arn',
        'dynamodb:GetItem on Directory.Arn',
        'dynamodb:GetItem on Prices.Arn',
        'dynamodb:PutItem on LogEntries.Arn',
        'dynamodb:UpdateItem on BudgetCounters.Arn',
        ...onTable('ConversationState', 'BatchGetItem', 'BatchWriteItem', 'UpdateItem'),
        'secretsmanager:GetSecretValue on ProviderSecret',
        'sqs:SendMessage on LogRecovery/LostEntries.Arn',
      ],
    ],
    [
      'LogRecovery/Function',
      [
        ...onTable('LogEntries', 'GetItem', 'PutItem', 'UpdateItem'),
        ...onTable('CostRollups', 'PutItem', 'UpdateItem'),
        ...onTable('Prices', 'GetItem'),
        'sqs:DeleteMessage on LogRecovery/LostEntries.Arn',
        'sqs:GetQueueAttributes on LogRecovery/LostEntries.Arn',
        'sqs:ReceiveMessage on LogRecovery/LostEntries.Arn',
      ],
    ],
    ['Models', ['dynamodb:GetItem on Directory.Arn', 'secretsmanager:GetSecretValue on ProviderSecret']],
    [
      'Reports/Logs',
      [
        'dynamodb:GetItem on CostRollups.Arn',
        'dynamodb:GetItem on Directory.Arn',
        'dynamodb:Query on CostRollups.Arn',
        'dynamodb:Query on LogEntries.Arn',
        ...logIndexQueries,
      ],
    ],
    [
      'Reports/Log',
      [
        'dynamodb:GetItem on Directory.Arn',
        'dynamodb:GetItem on LogEntries.Arn',
        'dynamodb:GetItem on Prices.Arn',
      ],
    ],
    [
      'Reports/Costs',
      [
        'dynamodb:GetItem on Directory.Arn',
        'dynamodb:GetItem on CostRollups.Arn',
        'dynamodb:Query on CostRollups.Arn',
        'dynamodb:Query on LogEntries.Arn',
      ],
    ],
    [
      'CostRollup/Function',
      [
        'dynamodb:DeleteItem on CostRollups.Arn',
        'dynamodb:DescribeStream on LogEntries.StreamArn',
        'dynamodb:GetItem on BudgetCounters.Arn',
        'dynamodb:GetItem on CostRollups.Arn',
        'dynamodb:GetRecords on LogEntries.StreamArn',
        'dynamodb:GetShardIterator on LogEntries.StreamArn',
        'dynamodb:ListStreams on *',
        'dynamodb:Query on CostRollups.Arn',
        'dynamodb:UpdateItem on BudgetCounters.Arn',
        'dynamodb:UpdateItem on CostRollups.Arn',
        'events:PutEvents on arn:AWS::Partition:events:AWS::Region:AWS::AccountId:event-bus/default',
        'sqs:SendMessage on CostRollup/DeadLetters.Arn',
      ],
    ],
    [
      'BudgetChanges/Function',
      [
        'dynamodb:BatchGetItem on Directory.Arn',
        'dynamodb:DeleteItem on BudgetCounters.Arn',
        'dynamodb:DeleteItem on Directory.Arn',
        'dynamodb:DescribeStream on Directory.StreamArn',
        'dynamodb:GetItem on BudgetCounters.Arn',
        'dynamodb:GetItem on CostRollups.Arn',
        'dynamodb:GetItem on Directory.Arn',
        'dynamodb:GetRecords on Directory.StreamArn',
        'dynamodb:GetShardIterator on Directory.StreamArn',
        'dynamodb:ListStreams on *',
        'dynamodb:PutItem on BudgetCounters.Arn',
        'dynamodb:Query on CostRollups.Arn',
        'dynamodb:Query on Directory.Arn',
        'dynamodb:Query on LogEntries.Arn',
        'dynamodb:UpdateItem on BudgetCounters.Arn',
        'dynamodb:UpdateItem on CostRollups.Arn',
        'dynamodb:UpdateItem on Directory.Arn',
        'sqs:SendMessage on BudgetChanges/DeadLetters.Arn',
      ],
    ],
    [
      'Maintenance/RecoverRequests',
      [
        ...onTable('LogEntries', 'GetItem', 'PutItem'),
        ...onTable('CostRollups', 'GetItem', 'PutItem', 'UpdateItem'),
        ...onTable('Prices', 'GetItem'),
        'logs:FilterLogEvents on Chat/FunctionLogGroup.Arn',
        'sqs:GetQueueAttributes on LogRecovery/DeadLetters.Arn',
        'sqs:GetQueueAttributes on LogRecovery/LostEntries.Arn',
      ],
    ],
    [
      'Maintenance/VerifyRollups',
      [
        ...onTable('Directory', ...reads),
        ...onTable('LogEntries', 'Query'),
        ...onTable('CostRollups', 'GetItem', 'PutItem', 'Query'),
      ],
    ],
    [
      'Dashboard/Session',
      [
        'cognito-idp:DescribeUserPoolClient on Dashboard/UserPool.Arn',
        'dynamodb:GetItem on Directory.Arn',
        'dynamodb:PutItem on AuditTrail.Arn',
        ...onTable('Dashboard/Accounts', ...reads, 'PutItem', 'UpdateItem', 'DeleteItem'),
      ],
    ],
    ['Dashboard/SignUp', onTable('Dashboard/Accounts', 'Query')],
    [
      'Dashboard/Organizations',
      [
        ...onTable(
          'Dashboard/Accounts',
          ...reads,
          'PutItem',
          'UpdateItem',
          'DeleteItem',
          'ConditionCheckItem',
        ),
        ...onTable('Directory', ...reads, 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
        ...onTable('BudgetCounters', 'BatchGetItem'),
        ...onTable('CostRollups', 'GetItem', 'Query'),
        ...onTable('AuditTrail', 'PutItem', 'Query'),
        sendMail,
      ],
    ],
    [
      'Dashboard/Analytics',
      [
        ...onTable('Dashboard/Accounts', 'GetItem'),
        ...onTable('Directory', 'GetItem', 'BatchGetItem'),
        ...onTable('CostRollups', 'GetItem', 'Query'),
        ...onTable('Prices', 'GetItem', 'Scan', 'BatchGetItem'),
        ...onTable('LogEntries', 'GetItem', 'Query'),
        ...logIndexQueries,
        'secretsmanager:GetSecretValue on ProviderSecret',
      ],
    ],
    ['Dashboard/TestRequest', onTable('Dashboard/Accounts', 'GetItem')],
    [
      'Dashboard/KeyRevocations/Function',
      [
        ...onTable('Dashboard/Accounts', 'GetItem'),
        ...onTable('Directory', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'),
        ...onTable('AuditTrail', 'PutItem'),
        ...['DescribeStream', 'GetRecords', 'GetShardIterator'].map(
          (action) => `dynamodb:${action} on Directory.StreamArn`,
        ),
        'dynamodb:ListStreams on *',
      ],
    ],
    [
      'Dashboard/BudgetMail/Function',
      [...onTable('Dashboard/Accounts', ...reads, 'PutItem'), ...onTable('Directory', 'GetItem'), sendMail],
    ],
  ])('%s has only the permissions it needs', (path, permissions) => {
    expect(gateway.permissionsOf(path)).toEqual([...permissions, ...ownLogs(path)].sort());
  });
});

const dashboardOrigin = 'https://Dashboard/Site/Distribution.DomainName';
const apiBaseUrl = 'https://RestApi/Api.execute-api.AWS::Region.AWS::URLSuffix/prod';

describe('Environment variables', () => {
  it.each([
    [
      'Chat/Function',
      {
        DIRECTORY_TABLE: 'Directory',
        LOG_ENTRIES_TABLE: 'LogEntries',
        ENTRY_RETENTION_DAYS: '90',
        LOST_ENTRIES_QUEUE_URL: 'LogRecovery/LostEntries',
        PRICES_TABLE: 'Prices',
        BUDGET_COUNTERS_TABLE: 'BudgetCounters',
        CONVERSATION_STATE_TABLE: 'ConversationState',
        PROVIDER_SECRET_ARN: 'ProviderSecret',
        PROVIDERS: '{}',
        DEFAULT_PROVIDER: 'null',
        AGENT_SESSIONS: 'true',
        CHAT_LIMITS: JSON.stringify(defaultChatLimits),
        STREAM_FLUSH_MS: '0',
        ALLOWED_ORIGINS: '[]',
      },
    ],
    [
      'LogRecovery/Function',
      {
        LOG_ENTRIES_TABLE: 'LogEntries',
        ENTRY_RETENTION_DAYS: '90',
        COST_ROLLUPS_TABLE: 'CostRollups',
        PRICES_TABLE: 'Prices',
        PROVIDERS: '{}',
      },
    ],
    [
      'Models',
      {
        DIRECTORY_TABLE: 'Directory',
        PROVIDER_SECRET_ARN: 'ProviderSecret',
        PROVIDERS: '{}',
        ALLOWED_ORIGINS: '[]',
      },
    ],
    [
      'Reports/Logs',
      {
        DIRECTORY_TABLE: 'Directory',
        LOG_ENTRIES_TABLE: 'LogEntries',
        RESPONSE_ID_INDEX: 'false',
        COST_ROLLUPS_TABLE: 'CostRollups',
        ALLOWED_ORIGINS: '[]',
      },
    ],
    [
      'Reports/Log',
      {
        DIRECTORY_TABLE: 'Directory',
        LOG_ENTRIES_TABLE: 'LogEntries',
        PRICES_TABLE: 'Prices',
        PROVIDERS: '{}',
        ALLOWED_ORIGINS: '[]',
      },
    ],
    [
      'Reports/Costs',
      {
        DIRECTORY_TABLE: 'Directory',
        LOG_ENTRIES_TABLE: 'LogEntries',
        COST_ROLLUPS_TABLE: 'CostRollups',
        ALLOWED_ORIGINS: '[]',
      },
    ],
    [
      'CostRollup/Function',
      {
        COST_ROLLUPS_TABLE: 'CostRollups',
        BUDGET_COUNTERS_TABLE: 'BudgetCounters',
        ROLLUP_DEAD_LETTER_QUEUE_URL: 'CostRollup/DeadLetters',
        METRIC_MODELS: '[]',
      },
    ],
    [
      'BudgetChanges/Function',
      {
        DIRECTORY_TABLE: 'Directory',
        LOG_ENTRIES_TABLE: 'LogEntries',
        COST_ROLLUPS_TABLE: 'CostRollups',
        BUDGET_COUNTERS_TABLE: 'BudgetCounters',
      },
    ],
    [
      'Maintenance/RecoverRequests',
      {
        CHAT_LOG_GROUP: 'Chat/FunctionLogGroup',
        LOG_RETENTION_DAYS: '30',
        LOST_ENTRIES_QUEUE_URL: 'LogRecovery/LostEntries',
        LOST_ENTRIES_DEAD_LETTER_QUEUE_URL: 'LogRecovery/DeadLetters',
        LOG_ENTRIES_TABLE: 'LogEntries',
        ENTRY_RETENTION_DAYS: '90',
        COST_ROLLUPS_TABLE: 'CostRollups',
        PRICES_TABLE: 'Prices',
        PROVIDERS: '{}',
      },
    ],
    [
      'Maintenance/VerifyRollups',
      { DIRECTORY_TABLE: 'Directory', LOG_ENTRIES_TABLE: 'LogEntries', COST_ROLLUPS_TABLE: 'CostRollups' },
    ],
    [
      'Dashboard/Session',
      {
        ACCOUNTS_TABLE: 'Dashboard/Accounts',
        DIRECTORY_TABLE: 'Directory',
        DASHBOARD_ORIGIN: dashboardOrigin,
        USER_POOL_ID: 'Dashboard/UserPool',
        USER_POOL_CLIENT_ID: 'Dashboard/Client',
        TOKEN_ISSUER: 'Dashboard/UserPool.ProviderURL',
        SIGN_IN_ORIGIN: 'https://Dashboard/UserPool/Domain.auth.AWS::Region.amazoncognito.com',
        SIGN_UP: 'invited',
        ORGANIZATION_CREATORS: '[]',
        REQUIRE_MFA: 'false',
        IDENTITY_PROVIDER: 'null',
        AUDIT_TRAIL_TABLE: 'AuditTrail',
        AUDIT_RETENTION_DAYS: '400',
      },
    ],
    [
      'Dashboard/SignUp',
      {
        ACCOUNTS_TABLE: 'Dashboard/Accounts',
        SIGN_UP: 'invited',
        ORGANIZATION_CREATORS: '[]',
        IDENTITY_PROVIDER: 'null',
      },
    ],
    [
      'Dashboard/Organizations',
      {
        ACCOUNTS_TABLE: 'Dashboard/Accounts',
        DIRECTORY_TABLE: 'Directory',
        BUDGET_COUNTERS_TABLE: 'BudgetCounters',
        COST_ROLLUPS_TABLE: 'CostRollups',
        AUDIT_TRAIL_TABLE: 'AuditTrail',
        AUDIT_RETENTION_DAYS: '400',
        DASHBOARD_ORIGIN: dashboardOrigin,
        API_BASE_URL: apiBaseUrl,
        ORGANIZATION_CREATORS: '[]',
        ENTRY_RETENTION_DAYS: '90',
        MAIL_FROM: 'gateway@acme.example',
      },
    ],
    [
      'Dashboard/Analytics',
      {
        ACCOUNTS_TABLE: 'Dashboard/Accounts',
        DIRECTORY_TABLE: 'Directory',
        LOG_ENTRIES_TABLE: 'LogEntries',
        RESPONSE_ID_INDEX: 'false',
        COST_ROLLUPS_TABLE: 'CostRollups',
        PRICES_TABLE: 'Prices',
        PROVIDER_SECRET_ARN: 'ProviderSecret',
        PROVIDERS: '{}',
        DASHBOARD_ORIGIN: dashboardOrigin,
      },
    ],
    [
      'Dashboard/TestRequest',
      {
        ACCOUNTS_TABLE: 'Dashboard/Accounts',
        DASHBOARD_ORIGIN: dashboardOrigin,
        API_BASE_URL: apiBaseUrl,
        STREAM_FLUSH_MS: '0',
      },
    ],
    [
      'Dashboard/KeyRevocations/Function',
      {
        ACCOUNTS_TABLE: 'Dashboard/Accounts',
        DIRECTORY_TABLE: 'Directory',
        AUDIT_TRAIL_TABLE: 'AuditTrail',
        AUDIT_RETENTION_DAYS: '400',
      },
    ],
    [
      'Dashboard/BudgetMail/Function',
      {
        ACCOUNTS_TABLE: 'Dashboard/Accounts',
        DIRECTORY_TABLE: 'Directory',
        DASHBOARD_ORIGIN: dashboardOrigin,
        MAIL_FROM: 'gateway@acme.example',
      },
    ],
  ])('%s has the environment variables of its grants', (path, variables) => {
    const { Variables } = gateway.resource(path).Properties.Environment as { Variables: unknown };

    const common = { STACK_NAME: 'AiGateway', MONITORING: 'alarms' };
    expect(gateway.readableValues(Variables)).toEqual({ ...common, ...variables });
  });
});
