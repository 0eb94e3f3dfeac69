/** Runs the gateway on this machine, from the synthesized template that a deployment would use. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { FunctionGrant } from './aws/authorization.ts';
import { type Engine, startEngine } from './aws/dynamodb/engine.ts';
import type { AcceptedEvent } from './aws/event-bridge.ts';
import { type AwsServices, startAwsServices } from './aws/services.ts';
import {
  assertNotRunning,
  type LocalConnection,
  readConnectionFile,
  writeConnectionFile,
} from './connection-file.ts';
import { ensureDemoAccess } from './demo-access.ts';
import { startEventSources } from './event-sources/start.ts';
import { startFunctions } from './functions/fleet.ts';
import { type Endpoints, openEndpoints, serveRequests } from './http/endpoints.ts';
import { openHttpListener } from './http/listener.ts';
import { administratorAccessKeyId, localSecretAccessKey } from './identities.ts';
import { LocalGatewayError } from './local-gateway-error.ts';
import { configureProviders, type LocalProviders } from './providers/local-providers.ts';
import type { RunContext } from './run-context.ts';
import { createLocalStack, type LocalStack } from './template/local-stack.ts';
import { synthesize } from './template/synthesize.ts';
import { readTemplate, type Template } from './template/template.ts';

export interface LocalGatewayOptions {
  /** Port of the REST API; the function URL uses the next port. 0 selects two free ports. Default 3000. */
  port?: number;
  /** Default `.gateway` in the project; with `ephemeral` there is no default, and nothing is written. */
  dataDirectory?: string;
  /** Keeps tables, queues and secrets in memory. */
  ephemeral?: boolean;
  /** Default `process.env`. */
  environment?: NodeJS.ProcessEnv;
  /** Directory of a cloud assembly to run. The app is synthesized by default. */
  assemblyDirectory?: string;
  onProgress?: (step: string) => void;
  /** Called with access log lines, the functions' output, rejected AWS calls and errors. */
  onLogLine?: (line: string) => void;
}

export interface LocalGateway {
  baseUrl: string;
  chatUrl: string;
  apiKey: string;
  organizationId: string;
  connection: LocalConnection;
  /** Names of the providers with a credential or a base URL; empty when the demo provider is used. */
  providers: string[];
  unusedGrants(): FunctionGrant[];
  /** The latest events of the default event bus: at most 100, the oldest first. */
  latestEvents(): readonly AcceptedEvent[];
  stop(): Promise<void>;
}

const region = 'us-east-1';
const defaultPort = 3000;
const projectDirectory = resolvePath(import.meta.dirname, '..');

/** Rejects with a `LocalGatewayError` when the user can fix the cause, such as a port that is in use. */
export async function startLocalGateway(options: LocalGatewayOptions = {}): Promise<LocalGateway> {
  const run = createRun(options);
  try {
    return await start(run);
  } catch (error) {
    await run.resources.disposeAsync();
    throw error;
  }
}

function createRun(options: LocalGatewayOptions): RunContext {
  const { ephemeral = false, dataDirectory } = options;
  const directory = dataDirectory ?? (ephemeral ? undefined : join(projectDirectory, '.gateway'));
  return {
    port: options.port ?? defaultPort,
    region,
    connectionFileDirectory: directory && resolvePath(directory),
    storeDirectory: ephemeral || directory === undefined ? undefined : resolvePath(directory),
    environment: options.environment ?? process.env,
    assemblyDirectory: options.assemblyDirectory && resolvePath(options.assemblyDirectory),
    progress: options.onProgress ?? (() => {}),
    log: options.onLogLine ?? (() => {}),
    resources: new AsyncDisposableStack(),
  };
}

async function start(run: RunContext): Promise<LocalGateway> {
  const { connectionFileDirectory, resources } = run;
  if (connectionFileDirectory !== undefined) await assertNotRunning(connectionFileDirectory);
  // Bind the ports first, so that a port in use is reported before the slow steps.
  const endpoints = await openEndpoints(run);
  const { stack, aws } = await startAws(run, endpoints);
  const providers = await configureProviders(run, stack, aws);
  run.progress('Starting functions');
  const functions = await startFunctions({
    run,
    stack,
    awsEndpoint: aws.endpoint,
    overrides: providers.overrides,
  });
  await startEventSources({ run, stack, functions, aws });
  serveRequests({ run, endpoints, stack, functions });
  // Deferred a second time: at stop, the endpoints close before everything that requests depend on.
  resources.defer(endpoints.close);

  const connection = await describeConnection({
    run,
    stack,
    endpoints,
    providers,
    awsEndpoint: aws.endpoint,
  });
  publishConnection(run, connection);
  return {
    baseUrl: connection.base_url,
    chatUrl: connection.chat_url,
    apiKey: connection.api_key,
    organizationId: connection.organization_id,
    connection,
    providers: providers.configured,
    unusedGrants: aws.authorizer.unusedGrants,
    latestEvents: aws.eventBridge.latestEvents,
    stop: () => resources.disposeAsync(),
  };
}

async function describeConnection(options: {
  run: RunContext;
  stack: LocalStack;
  endpoints: Endpoints;
  providers: LocalProviders;
  awsEndpoint: string;
}): Promise<LocalConnection> {
  const { run, stack, endpoints, providers, awsEndpoint } = options;
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

/** Runs both concurrently, because they are slow and independent of each other. */
async function prepareTemplateAndEngine(run: RunContext): Promise<{ template: Template; engine: Engine }> {
  run.progress(run.assemblyDirectory === undefined ? 'Synthesizing the stack' : 'Reading the stack');
  const [template, engine] = await Promise.allSettled([prepareTemplate(run), prepareEngine(run)]);
  if (engine.status === 'rejected') throw engine.reason;
  if (template.status === 'rejected') throw template.reason;
  return { template: template.value, engine: engine.value };
}

async function prepareTemplate(run: RunContext): Promise<Template> {
  if (run.assemblyDirectory !== undefined) return readTemplate(run.assemblyDirectory);
  const directory = run.connectionFileDirectory ?? mkdtempSync(join(tmpdir(), 'ai-gateway-'));
  if (run.connectionFileDirectory === undefined) {
    run.resources.defer(() => rmSync(directory, { recursive: true, force: true }));
  }
  const outputDirectory = join(directory, 'assembly');
  await synthesize({ projectDirectory, outputDirectory, environment: run.environment });
  return readTemplate(outputDirectory);
}

async function prepareEngine(run: RunContext): Promise<Engine> {
  if (run.storeDirectory !== undefined) mkdirSync(run.storeDirectory, { recursive: true, mode: 0o700 });
  const engine = await startEngine({
    databasePath: run.storeDirectory && join(run.storeDirectory, 'dynamodb.sqlite'),
    environment: run.environment,
    onUnexpectedExit: () => run.log('The embedded DynamoDB has exited unexpectedly: restart the gateway'),
  });
  run.resources.defer(engine.stop);
  return engine;
}

/** Opens the AWS listener before it creates the stack, because queue URLs contain the listener's origin. */
async function startAws(
  run: RunContext,
  endpoints: Endpoints,
): Promise<{ stack: LocalStack; aws: AwsServices }> {
  const { template, engine } = await prepareTemplateAndEngine(run);
  run.progress('Creating tables and queues');
  const listener = await openHttpListener(0);
  run.resources.defer(listener.close);
  const client = createAdministratorClient(engine.endpoint);
  const stack = await createLocalStack({
    template,
    region,
    client,
    functionUrlOrigin: endpoints.functionUrl.origin,
    awsOrigin: listener.origin,
  });
  client.destroy();
  const aws = await startAwsServices({ run, stack, listener, dynamoDbEndpoint: engine.endpoint });
  return { stack, aws };
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
  const client = createAdministratorClient(awsEndpoint);
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

function createAdministratorClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region,
    credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
  });
}
