import { RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
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
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { chatPath } from '#lambdas/inference/chat/routes.ts';
import { type ChatFunction, chatTimeout } from '../functions/chat-function.ts';
import type { GatewayFunction } from '../functions/gateway-function.ts';
import type { ModelsFunction, ReportFunctions } from '../functions/json-functions.ts';
import { addGatewayResponses, rejectAllMethods, rejectOtherMethods } from './rest-errors.ts';

export interface GatewayRestApiProps {
  logRetention: RetentionDays;
  /** The reserved concurrency of the chat function; `null` for none. */
  chatConcurrency: number | null;
  chat: ChatFunction;
  models: ModelsFunction;
  reports: ReportFunctions;
}

/**
 * The route, but no path, query string or header, since a caller may have put a key there. No free text either, which API
 * Gateway does not escape; the log of the function, found by `integrationRequestId`, has the reason of a failure.
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
  integrationStatus: '$context.integration.status',
  integrationLatency: '$context.integration.latency',
  timeToFirstContent: '$context.integration.timeToFirstContent',
  integrationRequestId: '$context.integration.requestId',
  errorType: '$context.error.responseType',
};

const stageName = 'prod';

const methodDefaults: MethodDeploymentOptions = {
  metricsEnabled: true,
  loggingLevel: MethodLoggingLevel.ERROR,
};

/**
 * A function without free concurrency fails all of its callers alike. So API Gateway passes on no more requests a second
 * than the function can run at the same time, and refuses the excess of a burst itself.
 *
 * A method with its own settings does not inherit those of the stage, so they are repeated:
 * https://github.com/hashicorp/terraform-provider-aws/issues/9738
 */
function chatThrottling(concurrency: number | null): Record<string, MethodDeploymentOptions> | undefined {
  if (concurrency === null) return undefined;
  const throttling = { throttlingRateLimit: concurrency, throttlingBurstLimit: concurrency };
  return { [`${chatPath}/POST`]: { ...methodDefaults, ...throttling } };
}

const keysCheckedByFunctions =
  'Callers hold API keys of the gateway, not AWS or Cognito identities: each function checks the key first, and the other methods answer a fixed error.';

const acknowledgements = [
  { id: 'AwsSolutions-APIG4', reason: keysCheckedByFunctions },
  { id: 'AwsSolutions-COG4', reason: keysCheckedByFunctions },
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

/** The regional REST API: the base URL for every route. */
export class GatewayRestApi extends Construct {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  private readonly api: RestApi;

  constructor(scope: Construct, id: string, props: GatewayRestApiProps) {
    super(scope, id);
    this.api = this.createApi(props);
    this.addRoutes(props);
    addGatewayResponses(this.api);
    this.keepExecutionLogs(props.logRetention);
    Validations.of(this).acknowledge(...acknowledgements);

    const { region, urlSuffix } = Stack.of(this);
    const { restApiId, deploymentStage } = this.api;
    this.baseUrl = `https://${restApiId}.execute-api.${region}.${urlSuffix}/${deploymentStage.stageName}`;
  }

  private createApi({ logRetention, chatConcurrency }: GatewayRestApiProps): RestApi {
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      retention: logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const api = new RestApi(this, 'Api', {
      restApiName: Stack.of(this).stackName,
      description: 'AI gateway: chat completions, models, logs and costs',
      // Streams may be idle for 5 minutes here; behind an edge-optimized endpoint, for 30 seconds.
      endpointTypes: [EndpointType.REGIONAL],
      // In a new account, API Gateway may not write logs yet. The role belongs to the account, so it is retained.
      cloudWatchRole: true,
      cloudWatchRoleRemovalPolicy: RemovalPolicy.RETAIN,
      deployOptions: {
        stageName,
        ...methodDefaults,
        methodOptions: chatThrottling(chatConcurrency),
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLogFields)),
      },
    });
    // CDK's output of the address has a trailing slash; the stack has its own.
    api.node.tryRemoveChild('Endpoint');
    return api;
  }

  private addRoutes({ chat, models, reports }: GatewayRestApiProps): void {
    const streamed = new LambdaIntegration(chat.live, {
      responseTransferMode: ResponseTransferMode.STREAM,
      timeout: chatTimeout,
      allowTestInvoke: false,
    });
    const buffered = (fn: GatewayFunction) => new LambdaIntegration(fn, { allowTestInvoke: false });

    this.addRoute('POST', chatPath, streamed);
    this.addRoute('GET', '/ai/models', buffered(models));
    // IDs contain slashes, which not every client encodes.
    this.addRoute('GET', '/ai/models/{id+}', buffered(models));
    this.addRoute('GET', '/api/logs', buffered(reports.logs));
    this.addRoute('GET', '/api/logs/{id}', buffered(reports.log));
    this.addRoute('GET', '/api/costs', buffered(reports.costs));

    const { root } = this.api;
    const noRoutes = ['/ai', '/ai/chat', '/api', '/{proxy+}'].map((path) => root.resourceForPath(path));
    for (const resource of [root, ...noRoutes]) rejectAllMethods(resource);
  }

  private addRoute(method: string, path: string, integration: Integration): void {
    const resource = this.api.root.resourceForPath(path);
    resource.addMethod(method, integration);
    rejectOtherMethods(resource, method);
  }

  /** API Gateway would create this log group itself, without an expiry. */
  private keepExecutionLogs(retention: RetentionDays): void {
    const executionLogs = new LogGroup(this, 'ExecutionLogs', {
      logGroupName: `API-Gateway-Execution-Logs_${this.api.restApiId}/${stageName}`,
      retention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.api.deploymentStage.node.addDependency(executionLogs);
  }
}
