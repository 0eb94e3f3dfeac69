/** Starts everything for which the template must be known. */
import { createAdministratorClient } from './aws/administrator-client.ts';
import type { FunctionGrant } from './aws/authorization.ts';
import type { Engine } from './aws/dynamodb/engine.ts';
import type { AcceptedEvent } from './aws/event-bridge.ts';
import { startAwsServices } from './aws/services.ts';
import { hasDistribution } from './cloudfront/distribution.ts';
import { type LocalUserPool, startUserPool } from './cognito/start.ts';
import { type LocalConnection, readConnectionFile, writeConnectionFile } from './connection-file.ts';
import { ensureDemoAccess } from './demo-access.ts';
import { startEventSources } from './event-sources/start.ts';
import { mergeOverrides, openSignUp } from './functions/environment-overrides.ts';
import { type FunctionFleet, type FunctionProcess, startFunctions } from './functions/fleet.ts';
import { invokeTrigger } from './functions/triggers.ts';
import type { Endpoints } from './http/endpoints.ts';
import { type HttpListener, openHttpListener } from './http/listener.ts';
import { serveRequests } from './http/serve-requests.ts';
import { LocalGatewayError } from './local-gateway-error.ts';
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
  const userPool = await startUserPool({
    stack,
    signInOrigin: endpoints.signIn.origin,
    storeDirectory: run.storeDirectory,
    identityProviderSecret: run.environment.IDENTITY_PROVIDER_CLIENT_SECRET,
    invokeTrigger: async (functionArn, event) => invokeTrigger(await started.promise, functionArn, event),
    log: run.log,
  });
  if (userPool !== null) resources.defer(userPool.stop);
  const aws = await startAwsServices({
    run,
    stack,
    listener: awsListener,
    dynamoDbEndpoint: engine.endpoint,
    userPool,
  });
  const providers = await configureProviders(run, stack, aws);
  run.progress('Starting functions');
  const functions = await startFunctions({
    run,
    stack,
    awsEndpoint: aws.endpoint,
    overrides: run.signUpAsConfigured
      ? providers.overrides
      : mergeOverrides(providers.overrides, openSignUp(stack)),
  });
  started.resolve(functions);
  await startEventSources({ run, stack, functions, aws });
  serveRequests({ run, endpoints, stack, functions, userPool });
  // Deferred a second time: at stop, the endpoints close before everything that requests depend on.
  resources.defer(endpoints.close);

  const connection = await describeConnection({
    run,
    stack,
    endpoints,
    providers,
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
    functionUrlOrigin: endpoints.functionUrl.origin,
    dashboardOrigin: endpoints.dashboard.origin,
    signInOrigin: endpoints.signIn.origin,
    awsOrigin: awsListener.origin,
  });
  client.destroy();
  return { stack, awsListener };
}

async function describeConnection(options: {
  run: RunContext;
  stack: LocalStack;
  endpoints: Endpoints;
  providers: LocalProviders;
  hasUserPool: boolean;
  awsEndpoint: string;
}): Promise<LocalConnection> {
  const { run, stack, endpoints, providers, hasUserPool, awsEndpoint } = options;
  const outputs = {
    ...stack.outputs(),
    ApiBaseUrl: endpoints.restApi.origin,
    ChatUrl: endpoints.functionUrl.origin,
    ProviderSettings: JSON.stringify(providers.settings),
  };
  const access = await ensureAccess({ run, outputs, awsEndpoint });
  return {
    base_url: endpoints.restApi.origin,
    chat_url: endpoints.functionUrl.origin,
    dashboard_url: hasDistribution(stack.template) ? endpoints.dashboard.origin : null,
    sign_in_url: hasUserPool ? endpoints.signIn.origin : null,
    api_key: access.apiKey,
    organization_id: access.organizationId,
    dynamodb_endpoint: awsEndpoint,
    secretsmanager_endpoint: awsEndpoint,
    sqs_endpoint: awsEndpoint,
    region: run.region,
    outputs,
    pid: process.pid,
  };
}

async function ensureAccess(request: {
  run: RunContext;
  outputs: Record<string, string>;
  awsEndpoint: string;
}) {
  const { run, outputs, awsEndpoint } = request;
  const tableName = outputs.DirectoryTableName;
  if (tableName === undefined) throw new LocalGatewayError('The stack has no output DirectoryTableName');
  const known = run.storeDirectory === undefined ? {} : readConnectionFile(run.storeDirectory);
  const client = createAdministratorClient({ endpoint: awsEndpoint, region: run.region });
  const access = await ensureDemoAccess({
    client,
    tableName,
    known: { apiKey: known.api_key, organizationId: known.organization_id },
  });
  client.destroy();
  return access;
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
