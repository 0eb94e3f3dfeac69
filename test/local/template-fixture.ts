/** A template with every resource type that the local run emulates. */

export interface TemplateFixtureOptions {
  /** URL of the invocation queue, which the functions call. */
  testUrl: string;
  /** Properties that override those of the event source mapping. */
  mapping?: Record<string, unknown>;
  /** Properties that override those of the consumer function. */
  consumer?: Record<string, unknown>;
  resources?: Record<string, unknown>;
}

export function createTemplateFixture({
  testUrl,
  mapping = {},
  consumer,
  resources = {},
}: TemplateFixtureOptions) {
  return {
    Resources: {
      ...data,
      ...functions(testUrl, consumer),
      ...restApi,
      Mapping: eventSource(mapping),
      ...resources,
    },
    Outputs: {
      ApiBaseUrl: {
        Value: {
          'Fn::Join': [
            '',
            [
              'https://',
              { Ref: 'Api' },
              '.execute-api.',
              { Ref: 'AWS::Region' },
              '.',
              { Ref: 'AWS::URLSuffix' },
              '/prod',
            ],
          ],
        },
      },
      DirectoryTableName: { Value: { Ref: 'Directory' } },
      AuditTrailTableName: { Value: { Ref: 'AuditTrail' } },
      AuditRetentionDays: { Value: '400' },
      EventsTableName: { Value: { Ref: 'Events' } },
      SecretArn: { Value: { Ref: 'Secret' } },
      DeadLetterQueueUrl: { Value: { Ref: 'DeadLetters' } },
    },
  };
}

const key = (hash: string, range?: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  ...(range === undefined ? [] : [{ AttributeName: range, KeyType: 'RANGE' }]),
];
const strings = (...names: string[]) => names.map((name) => ({ AttributeName: name, AttributeType: 'S' }));
const attribute = (...path: string[]) => ({ 'Fn::GetAtt': path });

const data = {
  Directory: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      AttributeDefinitions: strings('pk', 'sk'),
      KeySchema: key('pk', 'sk'),
    },
  },
  AuditTrail: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      AttributeDefinitions: strings('organization_id', 'id'),
      KeySchema: key('organization_id', 'id'),
    },
  },
  Events: {
    Type: 'AWS::DynamoDB::Table',
    Properties: {
      AttributeDefinitions: strings('id'),
      KeySchema: key('id'),
      StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    },
  },
  DeadLetters: { Type: 'AWS::SQS::Queue', Properties: {} },
  Secret: { Type: 'AWS::SecretsManager::Secret', Properties: { SecretString: '{}' } },
};

function functions(testUrl: string, consumer: Record<string, unknown> = {}) {
  return {
    ...lambdaFunction({
      name: 'Probe',
      variables: {
        TEST_URL: testUrl,
        EVENTS_TABLE: { Ref: 'Events' },
        PROVIDERS: '{}',
        SIGN_UP: 'invited',
        PROVIDER_SECRET_ARN: { Ref: 'Secret' },
      },
      statements: [
        { Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: attribute('Events', 'Arn') },
        { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: { Ref: 'Secret' } },
      ],
    }),
    ProbeAlias: {
      Type: 'AWS::Lambda::Alias',
      Properties: { FunctionName: { Ref: 'Probe' }, FunctionVersion: '1', Name: 'live' },
    },
    ProbeUrl: {
      Type: 'AWS::Lambda::Url',
      Properties: {
        AuthType: 'NONE',
        InvokeMode: 'RESPONSE_STREAM',
        Qualifier: 'live',
        TargetFunctionArn: attribute('Probe', 'Arn'),
      },
    },
    ProbeUrlPermission: permission(
      { FunctionUrlAuthType: 'NONE', Principal: '*' },
      'lambda:InvokeFunctionUrl',
    ),
    ProbeUrlInvokePermission: permission({ InvokedViaFunctionUrl: true, Principal: '*' }),
    ProbeApiPermission: permission({ Principal: 'apigateway.amazonaws.com', SourceArn: '*/POST/*' }),
    ...lambdaFunction({ name: 'Report', variables: {}, statements: [] }),
    ReportApiPermission: permission({
      FunctionName: { Ref: 'Report' },
      Principal: 'apigateway.amazonaws.com',
      SourceArn: '*/GET/reports/*',
    }),
    ...lambdaFunction({
      name: 'Consumer',
      properties: consumer,
      variables: { TEST_URL: testUrl },
      statements: [
        {
          Effect: 'Allow',
          Action: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
          Resource: attribute('Events', 'StreamArn'),
        },
        { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: attribute('DeadLetters', 'Arn') },
      ],
    }),
  };
}

function permission(properties: Record<string, unknown>, action = 'lambda:InvokeFunction') {
  return {
    Type: 'AWS::Lambda::Permission',
    Properties: { Action: action, FunctionName: { Ref: 'ProbeAlias' }, ...properties },
  };
}

function lambdaFunction(fn: {
  name: string;
  variables: Record<string, unknown>;
  statements: unknown[];
  properties?: Record<string, unknown>;
}) {
  const { name, variables, statements, properties } = fn;
  return {
    [name]: {
      Type: 'AWS::Lambda::Function',
      Properties: {
        Code: { S3Bucket: 'assets', S3Key: `${name.toLowerCase()}.zip` },
        Environment: { Variables: variables },
        Handler: 'index.handler',
        LoggingConfig: { LogFormat: 'JSON' },
        Role: attribute(`${name}Role`, 'Arn'),
        Runtime: 'nodejs24.x',
        Timeout: 10,
        ...properties,
      },
    },
    [`${name}Role`]: { Type: 'AWS::IAM::Role', Properties: {} },
    [`${name}Policy`]: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        PolicyDocument: { Statement: statements },
        Roles: [{ Ref: `${name}Role` }],
      },
    },
  };
}

function eventSource(properties: Record<string, unknown>) {
  return {
    Type: 'AWS::Lambda::EventSourceMapping',
    Properties: {
      EventSourceArn: attribute('Events', 'StreamArn'),
      FunctionName: { Ref: 'Consumer' },
      StartingPosition: 'TRIM_HORIZON',
      FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
      DestinationConfig: { OnFailure: { Destination: attribute('DeadLetters', 'Arn') } },
      ...properties,
    },
  };
}

const restId = { RestApiId: { Ref: 'Api' } };
const resource = (parent: unknown, pathPart: string) => ({
  Type: 'AWS::ApiGateway::Resource',
  Properties: { ...restId, ParentId: parent, PathPart: pathPart },
});
const method = (resourceId: string, httpMethod: string, integration: object) => ({
  Type: 'AWS::ApiGateway::Method',
  Properties: {
    ...restId,
    ResourceId: { Ref: resourceId },
    HttpMethod: httpMethod,
    AuthorizationType: 'NONE',
    Integration: integration,
  },
});
const invocationOf = (target: unknown, version: string, action: string) => {
  const lambda = { 'Fn::Join': [':', ['arn:aws:apigateway', { Ref: 'AWS::Region' }, 'lambda:path']] };
  return { 'Fn::Join': ['/', [lambda, version, 'functions', target, action]] };
};
const errorBody = (code: string) => `{"error":{"code":"${code}","message":$context.error.messageString}}`;
const gatewayResponse = (type: string, code: string, status?: string) => ({
  Type: 'AWS::ApiGateway::GatewayResponse',
  Properties: {
    ...restId,
    ResponseType: type,
    ResponseTemplates: { 'application/json': errorBody(code) },
    ...(status !== undefined && { StatusCode: status }),
  },
});

const restApi = {
  Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'Api' } },
  Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { ...restId, StageName: 'prod' } },
  Streams: resource(attribute('Api', 'RootResourceId'), 'streams'),
  StreamsPost: method('Streams', 'POST', {
    Type: 'AWS_PROXY',
    ResponseTransferMode: 'STREAM',
    TimeoutInMillis: 60_000,
    Uri: invocationOf({ Ref: 'ProbeAlias' }, '2021-11-15', 'response-streaming-invocations'),
  }),
  Impatient: resource(attribute('Api', 'RootResourceId'), 'impatient'),
  ImpatientPost: method('Impatient', 'POST', {
    Type: 'AWS_PROXY',
    ResponseTransferMode: 'STREAM',
    TimeoutInMillis: 50,
    Uri: invocationOf({ Ref: 'ProbeAlias' }, '2021-11-15', 'response-streaming-invocations'),
  }),
  Reports: resource(attribute('Api', 'RootResourceId'), 'reports'),
  ReportById: resource({ Ref: 'Reports' }, '{id}'),
  ReportByIdGet: method('ReportById', 'GET', {
    Type: 'AWS_PROXY',
    Uri: invocationOf(attribute('Report', 'Arn'), '2015-03-31', 'invocations'),
  }),
  ReportByIdAny: method('ReportById', 'ANY', {
    Type: 'MOCK',
    PassthroughBehavior: 'NEVER',
    RequestTemplates: { 'application/json': '{"statusCode":405}' },
    IntegrationResponses: [
      {
        StatusCode: '405',
        ResponseParameters: { 'method.response.header.Allow': "'GET'" },
        ResponseTemplates: { 'application/json': '{"error":{"code":"method_not_allowed"}}' },
      },
    ],
  }),
  NotFound: gatewayResponse('MISSING_AUTHENTICATION_TOKEN', 'not_found', '404'),
  ClientError: gatewayResponse('DEFAULT_4XX', 'bad_request'),
  ServerError: gatewayResponse('DEFAULT_5XX', 'internal_error'),
  FunctionFailure: gatewayResponse('INTEGRATION_FAILURE', 'service_unavailable', '503'),
};
