import { type Duration, RemovalPolicy, Size, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  EndpointType,
  type Integration,
  LambdaIntegration,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { countTokensPath, operationPaths, versioned } from '#lambdas/inference/paths.ts';
import { baseUrlPaths, modelsPath, streamTestPath } from '#lambdas/inference/routes.ts';
import { type ChatFunction, chatTimeout } from '../functions/chat-function.ts';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import type { ModelsFunction, ReportFunctions } from '../functions/json-functions.ts';
import { addBaseUrlChecks } from './base-url-checks.ts';
import { addPreflights, crossOriginErrorHeaders } from './cross-origin.ts';
import { addDashboardRoutes, dashboardMethodOptions, testRequestTimeout } from './dashboard-routes.ts';
import { addResponsesRejections, pathsBelowResponses, responsesPaths } from './responses-rejections.ts';
import { addGatewayResponses, rejectAllMethods, rejectOtherMethods } from './rest-errors.ts';

interface GatewayRestApiProps {
  logRetention: RetentionDays;
  chatConcurrency: number | null;
  allowedOrigins: readonly string[];
  tracing: boolean;
  chat: ChatFunction;
  models: ModelsFunction;
  reports: ReportFunctions;
  /** Whether `addDashboard` will be called. */
  hasDashboard: boolean;
}

interface DashboardFunctions {
  signIn: GatewayFunction;
  organizations: GatewayFunction;
  analytics: GatewayFunction;
  /** Streams its responses. */
  testRequest: GatewayFunction;
}

/**
 * Access logs contain the route, but no path, query string or header, since a caller may have put a key there. They
 * contain no free text either, since API Gateway does not escape it. The reason for a failure is in the function's log,
 * under the request id `integrationRequestId`.
 */
const accessLogFields = {
  requestId: '$context.requestId',
  requestTime: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  resource: '$context.resourcePath',
  status: '$context.status',
  responseLength: '$context.responseLength',
  responseLatency: '$context.responseLatency',
  // The status of the invocation, also of one that fails. Without `errorType`, the function's own status is `status`.
  lambdaStatus: '$context.integration.integrationStatus',
  integrationLatency: '$context.integration.latency',
  timeToFirstContent: '$context.integration.timeToFirstContent',
  integrationRequestId: '$context.integration.requestId',
  errorType: '$context.error.responseType',
};

const stageName = 'prod';

/** Reports and lists of the dashboard shrink to about a tenth. Below, a response fits into a packet or two anyway. */
const minCompressionSize = Size.kibibytes(1);

const inferencePaths = [...Object.values(operationPaths), countTokensPath].flatMap((path) => [
  path,
  versioned(path),
]);
// Model ids contain slashes, which some clients do not encode.
const modelsPaths = [modelsPath, versioned(modelsPath)].flatMap((path) => [path, `${path}/{id+}`]);
const reportPaths = ['/api/logs', '/api/logs/{id}', '/api/costs'];
const otherPaths = ['/ai', '/ai/chat', '/ai/v1', '/ai/v1/chat', '/api', '/{proxy+}'];
const publicPaths = [
  ...inferencePaths,
  streamTestPath,
  ...modelsPaths,
  ...reportPaths,
  ...pathsBelowResponses,
  ...otherPaths,
];

const methodDefaults: MethodDeploymentOptions = {
  metricsEnabled: true,
  loggingLevel: MethodLoggingLevel.ERROR,
};

/**
 * Throttles the requests of the chat function to its concurrency, so that API Gateway itself rejects the excess of a burst with
 * a 429. Requests that Lambda throttles get a 503 instead, since API Gateway cannot tell them from failed ones.
 *
 * A method with its own settings does not inherit the settings of the stage, so they are repeated here:
 * https://github.com/hashicorp/terraform-provider-aws/issues/9738
 */
function chatThrottling(concurrency: number | null): Record<string, MethodDeploymentOptions> {
  if (concurrency === null) return {};
  const throttling = { throttlingRateLimit: concurrency, throttlingBurstLimit: concurrency };
  const options = { ...methodDefaults, ...throttling };
  const methods = [...inferencePaths.map((path) => `${path}/POST`), `${streamTestPath}/GET`];
  return Object.fromEntries(methods.map((method) => [method, options]));
}

/** Metrics of each of these methods would have a monthly price. */
function withoutMetrics(paths: readonly string[], method: string): Record<string, MethodDeploymentOptions> {
  const options = { ...methodDefaults, metricsEnabled: false };
  return Object.fromEntries(paths.map((path) => [`${path}/${method}`, options]));
}

const callersCheckedByFunctions =
  'Callers have API keys of the gateway or sessions of the dashboard, not AWS or Cognito identities: each function checks them first, and all other methods return a fixed error.';

const acknowledgements = [
  { id: 'AwsSolutions-APIG4', reason: callersCheckedByFunctions },
  { id: 'AwsSolutions-COG4', reason: callersCheckedByFunctions },
  {
    id: 'AwsSolutions-APIG2',
    reason:
      'The functions validate requests, so that an error can name the parameter and unknown chat parameters reach the provider.',
  },
  {
    id: 'AwsSolutions-APIG3',
    reason:
      'A web ACL has a monthly price, and the common rules block bodies over 8 KB, which chats exceed. An operator can associate one with the stage.',
  },
  {
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
    reason:
      'API Gateway has one logging role for all APIs of an account and region, and this is the policy that AWS documents for it.',
  },
];

export class GatewayRestApi extends Construct {
  readonly host: string;
  /** A literal: a reference to the stage would make the functions that know the API's or the dashboard's URL circular. */
  readonly originPath = `/${stageName}`;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly api: RestApi;
  readonly stageName = stageName;
  readonly accessLogs: LogGroup;

  constructor(scope: Construct, id: string, props: GatewayRestApiProps) {
    super(scope, id);
    this.accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api = this.createApi(props);
    this.addRoutes(props);
    addGatewayResponses(this.api, crossOriginErrorHeaders(props.allowedOrigins));
    this.createExecutionLogs(props.logRetention);
    Validations.of(this).acknowledge(...acknowledgements);

    const { region, urlSuffix } = Stack.of(this);
    this.host = `${this.api.restApiId}.execute-api.${region}.${urlSuffix}`;
    this.baseUrl = `https://${this.host}${this.originPath}`;
  }

  addDashboard({ signIn, organizations, analytics, testRequest }: DashboardFunctions): void {
    addDashboardRoutes(this.api, {
      signIn: buffered(signIn),
      organizations: buffered(organizations),
      analytics: buffered(analytics),
      testRequest: streamed(testRequest, testRequestTimeout),
    });
  }

  private createApi({
    tracing,
    chatConcurrency,
    allowedOrigins,
    hasDashboard,
  }: GatewayRestApiProps): RestApi {
    const api = new RestApi(this, 'Api', {
      restApiName: Stack.of(this).stackName,
      description: 'AI gateway: chat completions, embeddings, messages, responses, models, logs and costs',
      // The idle timeout of streams is 5 minutes for regional endpoints and 30 seconds for edge-optimized endpoints.
      endpointTypes: [EndpointType.REGIONAL],
      // Does not apply to streams, which API Gateway passes on as they are.
      minCompressionSize,
      // API Gateway needs an account-wide role to write logs. Other APIs of the account may use it too: retain it.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName,
        ...methodDefaults,
        tracingEnabled: tracing,
        methodOptions: {
          ...chatThrottling(chatConcurrency),
          ...withoutMetrics(baseUrlPaths, 'HEAD'),
          ...withoutMetrics(responsesPaths, 'GET'),
          ...(allowedOrigins.length > 0 && withoutMetrics(publicPaths, 'OPTIONS')),
          ...(hasDashboard && dashboardMethodOptions(methodDefaults)),
        },
        accessLogDestination: new LogGroupLogDestination(this.accessLogs),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    // CDK's own output has a trailing slash. The stack adds an output without it.
    api.node.tryRemoveChild('Endpoint');
    return api;
  }

  private addRoutes({ chat, models, reports, allowedOrigins }: GatewayRestApiProps): void {
    const { root } = this.api;
    const errorHeaders = crossOriginErrorHeaders(allowedOrigins);
    const addRoute = (method: string, path: string, integration: Integration) => {
      const resource = root.resourceForPath(path);
      resource.addMethod(method, integration);
      rejectOtherMethods(resource, [method], errorHeaders);
    };
    for (const path of inferencePaths) addRoute('POST', path, streamed(chat.live, chatTimeout));
    addRoute('GET', streamTestPath, streamed(chat.live, chatTimeout));
    for (const path of modelsPaths) addRoute('GET', path, buffered(models));
    addRoute('GET', '/api/logs', buffered(reports.logs));
    addRoute('GET', '/api/logs/{id}', buffered(reports.log));
    addRoute('GET', '/api/costs', buffered(reports.costs));

    for (const path of otherPaths) rejectAllMethods(root.resourceForPath(path), errorHeaders);
    rejectAllMethods(root, errorHeaders);
    addBaseUrlChecks(this.api, errorHeaders);
    addResponsesRejections(this.api, errorHeaders);
    // The chat function does not answer them, so that they take none of its concurrency.
    if (allowedOrigins.length > 0) addPreflights(this.api, publicPaths, buffered(models));
  }

  /** Without this log group, API Gateway would create one that never expires. */
  private createExecutionLogs(retention: RetentionDays): void {
    const executionLogs = new LogGroup(this, 'ExecutionLogs', {
      logGroupName: `API-Gateway-Execution-Logs_${this.api.restApiId}/${stageName}`,
      retention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api.deploymentStage.node.addDependency(executionLogs);
  }
}

/** `timeout` is that of the function. */
function streamed(handler: IFunction, timeout: Duration): LambdaIntegration {
  const responseTransferMode = ResponseTransferMode.STREAM;
  return new LambdaIntegration(handler, { responseTransferMode, timeout, allowTestInvoke: false });
}

function buffered(fn: GatewayFunction): LambdaIntegration {
  return new LambdaIntegration(fn, { allowTestInvoke: false });
}
