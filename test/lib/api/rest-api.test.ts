import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();
const withoutDashboard = synthesizeGateway({ dashboard: false });

interface Method {
  Integration: Record<string, unknown>;
  [property: string]: unknown;
}

const methods = gateway.ofType('AWS::ApiGateway::Method').map(({ path, resource }) => ({
  // `RestApi/Api/Default/api/logs/GET` is the method GET of /api/logs.
  route: path.replace(/^RestApi\/Api\/Default(.*)\/([A-Z]+)$/, '$2 $1'),
  properties: resource.Properties as Method,
}));

function method(route: string): Method {
  const found = methods.find((candidate) => candidate.route === route);
  if (found === undefined) throw new Error(`No method ${route}`);
  return found.properties;
}

describe('REST API', () => {
  it('creates a regional API without IAM authorization', () => {
    expect(gateway.resource('RestApi/Api').Properties).toMatchObject({
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    expect(new Set(methods.map(({ properties }) => properties.AuthorizationType))).toEqual(new Set(['NONE']));
  });

  it('creates a method for each route and a catch-all method for every resource', () => {
    expect(methods.map(({ route }) => route).sort()).toEqual(
      [
        'POST /ai/chat/completions',
        'GET /ai/models',
        'GET /ai/models/{id+}',
        'GET /api/logs',
        'GET /api/logs/{id}',
        'GET /api/costs',
        'GET /dashboard/api/{proxy+}',
        'POST /dashboard/api/{proxy+}',
        'PATCH /dashboard/api/{proxy+}',
        'DELETE /dashboard/api/{proxy+}',
        'ANY /ai/chat/completions',
        'ANY /ai/models',
        'ANY /ai/models/{id+}',
        'ANY /api/logs',
        'ANY /api/logs/{id}',
        'ANY /api/costs',
        'ANY /dashboard/api/{proxy+}',
        'ANY /dashboard',
        'ANY /dashboard/api',
        'ANY ',
        'ANY /ai',
        'ANY /ai/chat',
        'ANY /api',
        'ANY /{proxy+}',
      ].sort(),
    );
  });

  it('streams chat responses from the alias for up to 15 minutes', () => {
    const { Uri, ...integration } = method('POST /ai/chat/completions').Integration;

    expect(integration).toEqual({
      Type: 'AWS_PROXY',
      IntegrationHttpMethod: 'POST',
      ResponseTransferMode: 'STREAM',
      TimeoutInMillis: 900_000,
    });
    expect(gateway.readable(Uri)).toBe(
      'arn:AWS::Partition:apigateway:AWS::Region:lambda:path/2021-11-15/functions/Chat/Function/Aliaslive/response-streaming-invocations',
    );
  });

  it.each([
    ['GET /ai/models', 'Models'],
    ['GET /ai/models/{id+}', 'Models'],
    ['GET /api/logs', 'Reports/Logs'],
    ['GET /api/logs/{id}', 'Reports/Log'],
    ['GET /api/costs', 'Reports/Costs'],
    ['GET /dashboard/api/{proxy+}', 'Dashboard/Session'],
    ['POST /dashboard/api/{proxy+}', 'Dashboard/Session'],
    ['PATCH /dashboard/api/{proxy+}', 'Dashboard/Session'],
    ['DELETE /dashboard/api/{proxy+}', 'Dashboard/Session'],
  ])('invokes the function of %s', (route, functionPath) => {
    const { Uri, ...integration } = method(route).Integration;

    expect(integration).toEqual({ Type: 'AWS_PROXY', IntegrationHttpMethod: 'POST' });
    expect(gateway.readable(Uri)).toBe(
      `arn:AWS::Partition:apigateway:AWS::Region:lambda:path/2015-03-31/functions/${functionPath}.Arn/invocations`,
    );
  });

  it('allows API Gateway to invoke each function only for its route', () => {
    const permissions = gateway
      .ofType('AWS::Lambda::Permission')
      .map(({ resource }) => gateway.readableValues(resource.Properties))
      .filter(({ Principal }) => Principal === 'apigateway.amazonaws.com')
      .map(({ FunctionName, SourceArn }) => [FunctionName, SourceArn?.split('/DeploymentStage.prod').at(-1)]);

    expect(permissions).toEqual([
      ['Chat/Function/Aliaslive', '/POST/ai/chat/completions'],
      ['Models.Arn', '/GET/ai/models'],
      ['Models.Arn', '/GET/ai/models/*'],
      ['Reports/Logs.Arn', '/GET/api/logs'],
      ['Reports/Log.Arn', '/GET/api/logs/*'],
      ['Reports/Costs.Arn', '/GET/api/costs'],
      ['Dashboard/Session.Arn', '/GET/dashboard/api/*'],
      ['Dashboard/Session.Arn', '/POST/dashboard/api/*'],
      ['Dashboard/Session.Arn', '/PATCH/dashboard/api/*'],
      ['Dashboard/Session.Arn', '/DELETE/dashboard/api/*'],
    ]);
  });
});

describe('Other methods and paths of the dashboard', () => {
  const responsesOf = (route: string) => method(route).Integration.IntegrationResponses;

  it('returns 405 with the supported methods', () => {
    expect(responsesOf('ANY /dashboard/api/{proxy+}')).toEqual([
      expect.objectContaining({
        StatusCode: '405',
        ResponseParameters: { 'method.response.header.Allow': "'GET, POST, PATCH, DELETE'" },
      }),
    ]);
  });

  it.each(['ANY /dashboard', 'ANY /dashboard/api'])('returns 404 for %s', (route) => {
    expect(responsesOf(route)).toEqual([expect.objectContaining({ StatusCode: '404' })]);
  });

  it('has no such paths without the dashboard', () => {
    const paths = withoutDashboard
      .ofType('AWS::ApiGateway::Resource')
      .map(({ resource }) => resource.Properties.PathPart);

    expect(paths).not.toContain('dashboard');
  });
});

const settingsOfAllMethods = {
  DataTraceEnabled: false,
  HttpMethod: '*',
  LoggingLevel: 'ERROR',
  MetricsEnabled: true,
  ResourcePath: '/*',
};

describe('Stage', () => {
  const stage = gateway.resource('RestApi/Api/DeploymentStage.prod').Properties;

  it('enables metrics and error logs, but no data trace', () => {
    expect(stage.StageName).toBe('prod');
    expect(withoutDashboard.resource('RestApi/Api/DeploymentStage.prod').Properties.MethodSettings).toEqual([
      settingsOfAllMethods,
    ]);
  });

  it('throttles the methods of the dashboard, without metrics, which would be billed for each of them', () => {
    expect(stage.MethodSettings).toEqual([
      settingsOfAllMethods,
      ...['GET', 'POST', 'PATCH', 'DELETE'].map((HttpMethod) => ({
        DataTraceEnabled: false,
        HttpMethod,
        LoggingLevel: 'ERROR',
        MetricsEnabled: false,
        ResourcePath: '/~1dashboard~1api~1{proxy+}',
        ThrottlingBurstLimit: 100,
        ThrottlingRateLimit: 50,
      })),
    ]);
  });

  it('throttles chat requests to chatConcurrency', () => {
    const { MethodSettings } = synthesizeGateway({ chatConcurrency: 50, dashboard: false }).resource(
      'RestApi/Api/DeploymentStage.prod',
    ).Properties;

    expect(MethodSettings).toEqual([
      settingsOfAllMethods,
      {
        DataTraceEnabled: false,
        HttpMethod: 'POST',
        LoggingLevel: 'ERROR',
        MetricsEnabled: true,
        ResourcePath: '/~1ai~1chat~1completions',
        ThrottlingBurstLimit: 50,
        ThrottlingRateLimit: 50,
      },
    ]);
  });

  it('writes access logs as JSON without headers, paths, query strings or free text', () => {
    const { Format, DestinationArn } = stage.AccessLogSetting as { Format: string; DestinationArn: unknown };

    expect(Object.values(JSON.parse(Format))).toEqual([
      '$context.requestId',
      '$context.requestTime',
      '$context.identity.sourceIp',
      '$context.httpMethod',
      '$context.resourcePath',
      '$context.status',
      '$context.responseLength',
      '$context.responseLatency',
      '$context.integration.status',
      '$context.integration.latency',
      '$context.integration.timeToFirstContent',
      '$context.integration.requestId',
      '$context.error.responseType',
    ]);
    expect(gateway.readable(DestinationArn)).toMatch(/:log-group:RestApi\/AccessLogs$/);
  });

  it('creates the log group of the execution logs before the stage, so that API Gateway does not create one', () => {
    const { LogGroupName } = gateway.resource('RestApi/ExecutionLogs').Properties;
    const dependencies = gateway.resource('RestApi/Api/DeploymentStage.prod').DependsOn ?? [];

    expect(gateway.readable(LogGroupName)).toBe('API-Gateway-Execution-Logs_RestApi/Api/prod');
    expect(dependencies.map((Ref) => gateway.readable({ Ref }))).toEqual([
      'RestApi/Api/Account',
      'RestApi/ExecutionLogs',
    ]);
  });
});
