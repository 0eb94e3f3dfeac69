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

/** Method, path and function of each route of the dashboard. */
const dashboardMethods = [
  ...['GET', 'POST', 'PATCH', 'DELETE'].map((name) => [name, '/dashboard/api/{proxy+}', 'Session'] as const),
  ['GET', '/dashboard/api/organizations', 'Organizations'],
  ['POST', '/dashboard/api/organizations', 'Organizations'],
  ...['GET', 'POST', 'PATCH', 'DELETE', 'PUT'].map(
    (name) => [name, '/dashboard/api/organizations/{proxy+}', 'Organizations'] as const,
  ),
  ['POST', '/dashboard/api/invitations/{proxy+}', 'Organizations'],
  ['GET', '/dashboard/api/analytics/{proxy+}', 'Analytics'],
  ['POST', '/dashboard/api/analytics/{proxy+}', 'Analytics'],
  ['POST', '/dashboard/api/test-requests', 'TestRequest'],
  ['POST', '/dashboard/api/test-requests/{proxy+}', 'TestRequest'],
] as const;

const dashboardPaths = [...new Set(dashboardMethods.map(([, path]) => path))];

describe('REST API', () => {
  it('creates a regional API without IAM authorization', () => {
    expect(gateway.resource('RestApi/Api').Properties).toMatchObject({
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
    expect(new Set(methods.map(({ properties }) => properties.AuthorizationType))).toEqual(new Set(['NONE']));
  });

  it('compresses responses of a kibibyte and more, but not streams, which API Gateway cannot compress', () => {
    const { Properties } = gateway.resource('RestApi/Api');

    expect(Properties).toMatchObject({ MinimumCompressionSize: 1024 });
    const streams = methods.filter(
      ({ properties }) => properties.Integration.ResponseTransferMode === 'STREAM',
    );
    const routes = streams.map(({ route }) => route);
    expect(routes).toContain('POST /ai/chat/completions');
    expect(routes).toContain('POST /dashboard/api/test-requests');
  });

  it('creates a method for each route and a catch-all method for every resource', () => {
    expect(methods.map(({ route }) => route).sort()).toEqual(
      [
        'POST /ai/chat/completions',
        'POST /ai/v1/chat/completions',
        'POST /ai/embeddings',
        'POST /ai/v1/embeddings',
        'POST /ai/messages',
        'POST /ai/v1/messages',
        'POST /ai/messages/count_tokens',
        'POST /ai/v1/messages/count_tokens',
        'POST /ai/responses',
        'POST /ai/v1/responses',
        'GET /ai/responses',
        'GET /ai/v1/responses',
        'GET /ai/stream-test',
        'GET /ai/models',
        'GET /ai/models/{id+}',
        'GET /ai/v1/models',
        'GET /ai/v1/models/{id+}',
        'GET /api/logs',
        'GET /api/logs/{id}',
        'GET /api/costs',
        'HEAD ',
        'HEAD /ai',
        'HEAD /ai/v1',
        ...dashboardMethods.map(([method, path]) => `${method} ${path}`),
        'ANY /ai/chat/completions',
        'ANY /ai/embeddings',
        'ANY /ai/messages',
        'ANY /ai/messages/count_tokens',
        ...['', '/compact', '/input_tokens', '/{id+}'].map((path) => `ANY /ai/responses${path}`),
        'ANY /ai/stream-test',
        'ANY /ai/models',
        'ANY /ai/models/{id+}',
        ...[
          '',
          '/chat',
          '/chat/completions',
          '/embeddings',
          '/messages',
          '/messages/count_tokens',
          '/responses',
          '/responses/compact',
          '/responses/input_tokens',
          '/responses/{id+}',
          '/models',
          '/models/{id+}',
        ].map((path) => `ANY /ai/v1${path}`),
        'ANY /api/logs',
        'ANY /api/logs/{id}',
        'ANY /api/costs',
        ...dashboardPaths.map((path) => `ANY ${path}`),
        'ANY /dashboard',
        'ANY /dashboard/api',
        'ANY /dashboard/api/invitations',
        'ANY /dashboard/api/analytics',
        'ANY ',
        'ANY /ai',
        'ANY /ai/chat',
        'ANY /api',
        'ANY /{proxy+}',
      ].sort(),
    );
  });

  it.each([
    ['POST /ai/chat/completions', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/v1/chat/completions', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/embeddings', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/v1/embeddings', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/messages', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/v1/messages', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/messages/count_tokens', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/v1/messages/count_tokens', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/responses', 'Chat/Function/Aliaslive', 900_000],
    ['POST /ai/v1/responses', 'Chat/Function/Aliaslive', 900_000],
    ['GET /ai/stream-test', 'Chat/Function/Aliaslive', 900_000],
    ['POST /dashboard/api/test-requests', 'Dashboard/TestRequest.Arn', 300_000],
    ['POST /dashboard/api/test-requests/{proxy+}', 'Dashboard/TestRequest.Arn', 300_000],
  ])('streams the responses to %s from %s for up to %i ms', (route, target, TimeoutInMillis) => {
    const { Uri, ...integration } = method(route).Integration;

    expect(integration).toEqual({
      Type: 'AWS_PROXY',
      IntegrationHttpMethod: 'POST',
      ResponseTransferMode: 'STREAM',
      TimeoutInMillis,
    });
    expect(gateway.readable(Uri)).toBe(
      `arn:AWS::Partition:apigateway:AWS::Region:lambda:path/2021-11-15/functions/${target}/response-streaming-invocations`,
    );
  });

  it.each([
    ['GET /ai/models', 'Models'],
    ['GET /ai/models/{id+}', 'Models'],
    ['GET /ai/v1/models', 'Models'],
    ['GET /ai/v1/models/{id+}', 'Models'],
    ['GET /api/logs', 'Reports/Logs'],
    ['GET /api/logs/{id}', 'Reports/Log'],
    ['GET /api/costs', 'Reports/Costs'],
    ...dashboardMethods
      .filter(([, , name]) => name !== 'TestRequest')
      .map(([method, path, name]) => [`${method} ${path}`, `Dashboard/${name}`]),
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
      ['Chat/Function/Aliaslive', '/POST/ai/v1/chat/completions'],
      ['Chat/Function/Aliaslive', '/POST/ai/v1/embeddings'],
      ['Chat/Function/Aliaslive', '/POST/ai/v1/messages'],
      ['Chat/Function/Aliaslive', '/POST/ai/v1/messages/count_tokens'],
      ['Chat/Function/Aliaslive', '/POST/ai/v1/responses'],
      ['Models.Arn', '/GET/ai/v1/models'],
      ['Models.Arn', '/GET/ai/v1/models/*'],
      ['Chat/Function/Aliaslive', '/POST/ai/embeddings'],
      ['Chat/Function/Aliaslive', '/POST/ai/messages'],
      ['Chat/Function/Aliaslive', '/POST/ai/messages/count_tokens'],
      ['Chat/Function/Aliaslive', '/POST/ai/responses'],
      ['Chat/Function/Aliaslive', '/GET/ai/stream-test'],
      ['Models.Arn', '/GET/ai/models'],
      ['Models.Arn', '/GET/ai/models/*'],
      ['Reports/Logs.Arn', '/GET/api/logs'],
      ['Reports/Log.Arn', '/GET/api/logs/*'],
      ['Reports/Costs.Arn', '/GET/api/costs'],
      ...dashboardMethods.map(([method, path, name]) => [
        `Dashboard/${name}.Arn`,
        `/${method}${path.replace('{proxy+}', '*')}`,
      ]),
    ]);
  });
});

describe('Checks of the base URL', () => {
  it.each(['HEAD ', 'HEAD /ai', 'HEAD /ai/v1'])('get 200 from API Gateway itself: %s', (route) => {
    const { Integration, MethodResponses, ApiKeyRequired = false } = method(route);

    expect(Integration).toEqual({
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":200}' },
      IntegrationResponses: [
        {
          StatusCode: '200',
          ResponseParameters: { 'method.response.header.x-request-id': 'context.requestId' },
        },
      ],
    });
    expect([ApiKeyRequired, MethodResponses]).toEqual([
      false,
      [{ StatusCode: '200', ResponseParameters: { 'method.response.header.x-request-id': true } }],
    ]);
  });
});

describe('Other methods and paths of the dashboard', () => {
  const responsesOf = (route: string) => method(route).Integration.IntegrationResponses;

  it.each(dashboardPaths)('returns 405 with the supported methods for %s', (path) => {
    const supported = dashboardMethods.filter(([, other]) => other === path).map(([name]) => name);

    expect(responsesOf(`ANY ${path}`)).toEqual([
      expect.objectContaining({
        StatusCode: '405',
        ResponseParameters: {
          'method.response.header.Allow': `'${supported.join(', ')}'`,
          'method.response.header.x-request-id': 'context.requestId',
        },
      }),
    ]);
  });

  it.each([
    'ANY /dashboard',
    'ANY /dashboard/api',
    'ANY /dashboard/api/invitations',
    'ANY /dashboard/api/analytics',
  ])('returns 404 for %s', (route) => {
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

/** Checks of the base URL and handshakes of WebSockets. The metrics of each method would be billed. */
const settingsOfChecks = [
  ['HEAD', '/'],
  ['HEAD', '/~1ai'],
  ['HEAD', '/~1ai~1v1'],
  ['GET', '/~1ai~1responses'],
  ['GET', '/~1ai~1v1~1responses'],
].map(([HttpMethod, ResourcePath]) => ({
  ...settingsOfAllMethods,
  HttpMethod,
  MetricsEnabled: false,
  ResourcePath,
}));

describe('Stage', () => {
  const stage = gateway.resource('RestApi/Api/DeploymentStage.prod').Properties;

  it('enables metrics and error logs, but no data trace', () => {
    expect(stage.StageName).toBe('prod');
    expect(withoutDashboard.resource('RestApi/Api/DeploymentStage.prod').Properties.MethodSettings).toEqual([
      settingsOfAllMethods,
      ...settingsOfChecks,
    ]);
  });

  it('throttles the methods of the dashboard, without metrics, which would be billed for each of them', () => {
    expect(stage.MethodSettings).toEqual([
      settingsOfAllMethods,
      ...settingsOfChecks,
      ...dashboardMethods.map(([HttpMethod, path]) => ({
        DataTraceEnabled: false,
        HttpMethod,
        LoggingLevel: 'ERROR',
        MetricsEnabled: false,
        ResourcePath: `/${path.replaceAll('/', '~1')}`,
        ThrottlingBurstLimit: 100,
        ThrottlingRateLimit: 50,
      })),
    ]);
  });

  it('throttles the requests of the chat function to chatConcurrency', () => {
    const { MethodSettings } = synthesizeGateway({ chatConcurrency: 50, dashboard: false }).resource(
      'RestApi/Api/DeploymentStage.prod',
    ).Properties;

    expect(MethodSettings).toEqual([
      settingsOfAllMethods,
      ...[
        ['POST', '/~1ai~1chat~1completions'],
        ['POST', '/~1ai~1v1~1chat~1completions'],
        ['POST', '/~1ai~1embeddings'],
        ['POST', '/~1ai~1v1~1embeddings'],
        ['POST', '/~1ai~1messages'],
        ['POST', '/~1ai~1v1~1messages'],
        ['POST', '/~1ai~1responses'],
        ['POST', '/~1ai~1v1~1responses'],
        ['POST', '/~1ai~1messages~1count_tokens'],
        ['POST', '/~1ai~1v1~1messages~1count_tokens'],
        ['GET', '/~1ai~1stream-test'],
      ].map(([HttpMethod, ResourcePath]) => ({
        DataTraceEnabled: false,
        HttpMethod,
        LoggingLevel: 'ERROR',
        MetricsEnabled: true,
        ResourcePath,
        ThrottlingBurstLimit: 50,
        ThrottlingRateLimit: 50,
      })),
      ...settingsOfChecks,
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
      '$context.integration.integrationStatus',
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

describe('Requests of browsers', () => {
  const templateFor = (allowedOrigins: string[]) => synthesizeGateway({ allowedOrigins, dashboard: false });
  const methodsOf = (synthesized: ReturnType<typeof templateFor>) =>
    synthesized.ofType('AWS::ApiGateway::Method').map(({ resource }) => resource.Properties);
  const gatewayResponsesOf = (synthesized: ReturnType<typeof templateFor>) =>
    synthesized
      .ofType('AWS::ApiGateway::GatewayResponse')
      .map(({ resource }) => (resource.Properties.ResponseParameters ?? {}) as Record<string, string>);
  const allowOrigin = 'gatewayresponse.header.access-control-allow-origin';

  it('have no method and no header without the setting', () => {
    const synthesized = templateFor([]);
    expect(methodsOf(synthesized).filter(({ HttpMethod }) => HttpMethod === 'OPTIONS')).toEqual([]);
    expect(JSON.stringify(synthesized.template)).not.toContain('access-control-');
  });

  it('reach the models function with their preflight requests of all paths but the root, without metrics of their own', () => {
    const synthesized = templateFor(['https://app.example.com']);
    const options = synthesized
      .ofType('AWS::ApiGateway::Method')
      .filter(({ path }) => path.endsWith('/OPTIONS'))
      .map(({ path, resource }) => [
        path.split('/Default')[1],
        JSON.stringify(resource.Properties.Integration),
      ]);
    expect(options).toHaveLength(30);
    expect(options).toContainEqual(['/{proxy+}/OPTIONS', expect.anything()]);
    expect(options.filter(([, integration]) => !integration?.includes('"Models'))).toEqual([]);
    const [stage] = synthesized.ofType('AWS::ApiGateway::Stage');
    const settings = stage?.resource.Properties.MethodSettings as Record<string, unknown>[];
    const ofOptions = settings.filter(({ HttpMethod }) => HttpMethod === 'OPTIONS');
    expect(ofOptions.map(({ MetricsEnabled }) => MetricsEnabled)).toEqual(Array(30).fill(false));
  });

  it("can read API Gateway's own errors from the only allowed origin, and from all if there are several", () => {
    const one = gatewayResponsesOf(templateFor(['https://app.example.com']));
    const two = gatewayResponsesOf(templateFor(['https://app.example.com', 'http://localhost:5173']));
    expect(new Set(one.map((parameters) => parameters[allowOrigin]))).toEqual(
      new Set(["'https://app.example.com'"]),
    );
    expect(new Set(two.map((parameters) => parameters[allowOrigin]))).toEqual(new Set(["'*'"]));
  });
});
