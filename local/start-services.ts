/** Starts everything for which the template must be known. */
import { createAdministratorClient } from './aws/administrator-client.ts';
import type { Engine } from './aws/dynamodb/engine.ts';
import type { AcceptedEvent } from './aws/event-bridge.ts';
import { startAwsServices } from './aws/services.ts';
import { hasDistribution } from './cloudfront/distribution.ts';
import { type LocalUserPool, startUserPool } from './cognito/start.ts';
import { type LocalConnection, writeConnectionFile } from './connection-file.ts';
import { type Demo, startDemo } from './demo/start.ts';
import { startEventSources } from './event-sources/start.ts';
import { mergeOverrides, openToAnyone } from './functions/environment-overrides.ts';
import { type FunctionFleet, type FunctionProcess, hostFunctions } from './functions/fleet.ts';
import { openLogDirectory } from './functions/log-directory.ts';
import { invokeTrigger } from './functions/triggers.ts';
import { findFunctionUrlTarget, serveRequests } from './http/serve-requests.ts';
import type { Endpoints } from './listeners/endpoints.ts';
import { type HttpListener, openHttpListener } from './listeners/http-listener.ts';
import { createMonitor, type Monitor } from './monitoring/monitor.ts';
import { createRequestTotals } from './monitoring/totals.ts';
import type { FunctionGrant } from './permissions/authorization.ts';
import { configureProviders, type LocalProviders } from './providers/local-providers.ts';
import type { RunContext } from './run-context.ts';
import { createLocalStack, type LocalStack } from './template/local-stack.ts';
import type { Template } from './template/template.ts';

export interface LocalGateway {
  baseUrl: string;
  chatUrl: string;
  /** `null` when the stack has no dashboard, like `signInUrl` and `mailbox`. */
  dashboardUrl: string | null;
  /** Origin of managed login. Its page `/mail` shows the mailbox. */
  signInUrl: string | null;
  /** Mail that the user pool has sent. */
  mailbox: LocalUserPool['mailbox'] | null;
  apiKey: string;
  organizationId: string;
  connection: LocalConnection;
  /** Names of the providers with a credential or a base URL; empty when the demo provider is used. */
  providers: string[];
  unusedGrants(): FunctionGrant[];
  /** The latest events of the default event bus: at most 100, the oldest first. */
  latestEvents(): readonly AcceptedEvent[];
  /** The running processes of the functions. */
  functionProcesses(): FunctionProcess[];
  /** All environment variables of each function's processes. */
  functionEnvironments(): Record<string, string>[];
  /**
   * Invokes the functions of a scheduled rule, with this time as the one when it was due. Resolves when they have ended.
   * `rule` is its logical id without the hash.
   */
  runSchedule(rule: string, due: Date): Promise<void>;
  /** The figures of the page `/_local/metrics`. A report reads all lines that functions have written. */
  monitor: Monitor;
  stack: Pick<LocalStack, 'template' | 'resolve'>;
  stop(): Promise<void>;
}

/** Creates the tables, and starts the AWS services, the functions and the endpoints. */
export async function startServices(
  run: RunContext,
  { endpoints, template, engine }: { endpoints: Endpoints; template: Template; engine: Engine },
): Promise<LocalGateway> {
  const { resources } = run;
  if (!hasDistribution(template)) await endpoints.closeDashboard();
  run.progress('Creating tables and queues');
  const { stack, awsListener } = await createStack(run, { endpoints, template, engine });
  const started = Promise.withResolvers<FunctionFleet>();
  const startedDemo = Promise.withResolvers<Demo>();
  const userPool = await startUserPool({
    stack,
    signInOrigin: endpoints.signIn.origin,
    storeDirectory: run.storeDirectory,
    identityProviderSecret: run.environment.IDENTITY_PROVIDER_CLIENT_SECRET,
    invokeTrigger: async (functionArn, event) => invokeTrigger(await started.promise, functionArn, event),
    onSignUp: async (user) => {
      if (!run.signUpAsConfigured) await (await startedDemo.promise).welcome(user);
    },
    log: run.log,
  });
  if (userPool !== null) resources.defer(userPool.stop);
  const logDirectory = openLogDirectory(run);
  const aws = await startAwsServices({
    run,
    stack,
    listener: awsListener,
    dynamoDbEndpoint: engine.endpoint,
    userPool,
    logDirectory,
  });
  const providers = await configureProviders(run, stack, aws);
  const totals = createRequestTotals();
  const functions = hostFunctions({
    run,
    stack,
    awsEndpoint: aws.endpoint,
    overrides: run.signUpAsConfigured
      ? providers.overrides
      : mergeOverrides(providers.overrides, openToAnyone(stack)),
    logDirectory,
    readLine: totals.readLine,
  });
  started.resolve(functions);
  const { runSchedule } = await startEventSources({ run, stack, functions, aws });
  const { queues } = aws;
  const monitor = createMonitor({ totals, functions, queues, observe: run.observe });
  serveRequests({ run, endpoints, stack, functions, userPool, monitor });
  // Deferred a second time: at stop, the endpoints close before everything that requests depend on.
  resources.defer(endpoints.close);

  run.progress('Starting the chat function');
  const [demo] = await Promise.all([
    startDemo({ run, outputs: stack.outputs(), awsEndpoint: aws.endpoint }),
    findFunctionUrlTarget(stack, functions).warmUp(),
  ]);
  startedDemo.resolve(demo);
  const connection = describeConnection({
    run,
    stack,
    endpoints,
    providers,
    demo,
    hasUserPool: userPool !== null,
    awsEndpoint: aws.endpoint,
  });
  publishConnection(run, connection);
  return {
    baseUrl: connection.base_url,
    chatUrl: connection.chat_url,
    dashboardUrl: connection.dashboard_url,
    signInUrl: connection.sign_in_url,
    mailbox: userPool?.mailbox ?? null,
    apiKey: connection.api_key,
    organizationId: connection.organization_id,
    connection,
    providers: providers.configured,
    unusedGrants: aws.authorizer.unusedGrants,
    latestEvents: aws.eventBridge.latestEvents,
    functionProcesses: functions.processes,
    functionEnvironments: functions.environments,
    runSchedule,
    monitor,
    stack,
    stop: () => resources.disposeAsync(),
  };
}

/** Opens the AWS listener first, because queue URLs contain its origin. */
async function createStack(
  run: RunContext,
  { endpoints, template, engine }: { endpoints: Endpoints; template: Template; engine: Engine },
): Promise<{ stack: LocalStack; awsListener: HttpListener }> {
  const awsListener = await openHttpListener(0);
  run.resources.defer(awsListener.close);
  const client = createAdministratorClient({ endpoint: engine.endpoint, region: run.region });
  const stack = await createLocalStack({
    template,
    region: run.region,
    client,
    restApiOrigin: endpoints.restApi.origin,
    functionUrlOrigin: endpoints.functionUrl.origin,
    dashboardOrigin: endpoints.dashboard.origin,
    signInOrigin: endpoints.signIn.origin,
    awsOrigin: awsListener.origin,
  });
  client.destroy();
  return { stack, awsListener };
}

function describeConnection(options: {
  run: RunContext;
  stack: LocalStack;
  endpoints: Endpoints;
  providers: LocalProviders;
  demo: Demo;
  hasUserPool: boolean;
  awsEndpoint: string;
}): LocalConnection {
  const { run, stack, endpoints, providers, demo, hasUserPool, awsEndpoint } = options;
  return {
    base_url: endpoints.restApi.origin,
    chat_url: endpoints.functionUrl.origin,
    dashboard_url: hasDistribution(stack.template) ? endpoints.dashboard.origin : null,
    sign_in_url: hasUserPool ? endpoints.signIn.origin : null,
    api_key: demo.apiKey,
    organization_id: demo.organizationId,
    dynamodb_endpoint: awsEndpoint,
    secretsmanager_endpoint: awsEndpoint,
    sqs_endpoint: awsEndpoint,
    sts_endpoint: awsEndpoint,
    ses_endpoint: awsEndpoint,
    region: run.region,
    outputs: {
      ...stack.outputs(),
      ChatUrl: endpoints.functionUrl.origin,
      ProviderSettings: JSON.stringify(providers.settings),
    },
    pid: process.pid,
  };
}

/** The process id in the file is removed at stop: it lets a second run detect a running gateway. */
function publishConnection(
  { connectionFileDirectory, resources }: RunContext,
  connection: LocalConnection,
): void {
  if (connectionFileDirectory === undefined) return;
  writeConnectionFile(connectionFileDirectory, connection);
  const { pid: _, ...connectionAfterStop } = connection;
  resources.defer(() => writeConnectionFile(connectionFileDirectory, connectionAfterStop));
}
