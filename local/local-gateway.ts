/** The deployed stack's own template, run on this machine: what is started, and in which order. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { FunctionGrant } from './aws/authorization.ts';
import { type AwsServices, openAwsServices } from './aws/aws-services.ts';
import { type Engine, startEngine } from './aws/engine.ts';
import { startEventSources } from './event-sources.ts';
import { startFunctions } from './functions/function-fleet.ts';
import { answerRequests, type FrontDoors, openFrontDoors } from './http/front-doors.ts';
import { openHttpListener } from './http/http-listener.ts';
import { administratorAccessKeyId, localSecretAccessKey } from './identities.ts';
import { type LocalFacts, readLocalFacts, refuseSecondRun, writeLocalFacts } from './local-facts.ts';
import { LocalGatewayError } from './local-gateway-error.ts';
import { type LocalProviders, provideProviders } from './providers/local-providers.ts';
import type { Run } from './run.ts';
import { provideDemoAccess } from './seed.ts';
import { type LocalStack, provideStack } from './template/local-stack.ts';
import { synthesize } from './template/synthesize.ts';
import { readTemplate, type Template } from './template/template.ts';

export interface LocalGatewayOptions {
  /** Of the REST API; the Function URL has the next one. 0 takes two that are free. Default 3000. */
  port?: number;
  /** Default `.gateway` in the project; with `ephemeral`, default none: nothing is written. */
  dataDirectory?: string;
  /** Keeps tables, queues and secrets in memory. */
  ephemeral?: boolean;
  /** Default that of this process. */
  environment?: NodeJS.ProcessEnv;
  /** A cloud assembly to run as it is. Default: the app is synthesized. */
  assemblyDirectory?: string;
  /** Told of each step of the start. */
  onProgress?: (step: string) => void;
  /** Gets access lines, the functions' output, refused calls and problems. */
  onLogLine?: (line: string) => void;
}

export interface LocalGateway {
  baseUrl: string;
  chatUrl: string;
  apiKey: string;
  organizationId: string;
  facts: LocalFacts;
  /** Providers that have a credential or an address; none when the demo answers. */
  providers: string[];
  /** What the functions' roles allow and none of them has done so far. */
  unusedGrants(): FunctionGrant[];
  stop(): Promise<void>;
}

const region = 'us-east-1';
const defaultPort = 3000;
const projectDirectory = resolvePath(import.meta.dirname, '..');

/** Rejects with a `LocalGatewayError` when something that a person can put right keeps it from starting. */
export async function startLocalGateway(options: LocalGatewayOptions = {}): Promise<LocalGateway> {
  const run = createRun(options);
  try {
    return await start(run);
  } catch (error) {
    await run.resources.disposeAsync();
    throw error;
  }
}

function createRun(options: LocalGatewayOptions): Run {
  const { ephemeral = false, dataDirectory } = options;
  const factsDirectory = dataDirectory ?? (ephemeral ? undefined : join(projectDirectory, '.gateway'));
  return {
    port: options.port ?? defaultPort,
    region,
    factsDirectory: factsDirectory && resolvePath(factsDirectory),
    storeDirectory: ephemeral || factsDirectory === undefined ? undefined : resolvePath(factsDirectory),
    environment: options.environment ?? process.env,
    assemblyDirectory: options.assemblyDirectory && resolvePath(options.assemblyDirectory),
    progress: options.onProgress ?? (() => {}),
    log: options.onLogLine ?? (() => {}),
    resources: new AsyncDisposableStack(),
  };
}

async function start(run: Run): Promise<LocalGateway> {
  const { factsDirectory, resources } = run;
  if (factsDirectory !== undefined) await refuseSecondRun(factsDirectory);
  // First, so that a port in use is told at once.
  const doors = await openFrontDoors(run);
  const { stack, aws } = await provideAws(run, doors);
  const providers = await provideProviders(run, stack, aws);
  run.progress('Starting functions');
  const functions = await startFunctions({
    run,
    stack,
    awsEndpoint: aws.endpoint,
    overrides: providers.overrides,
  });
  await startEventSources({ run, stack, functions, aws });
  answerRequests({ run, doors, stack, functions });
  // Again, and now before all that requests need.
  resources.defer(doors.close);

  const facts = await gatherFacts({ run, stack, doors, providers, awsEndpoint: aws.endpoint });
  publishFacts(run, facts);
  return {
    baseUrl: facts.base_url,
    chatUrl: facts.chat_url,
    apiKey: facts.api_key,
    organizationId: facts.organization_id,
    facts,
    providers: providers.configured,
    unusedGrants: aws.authorizer.unusedGrants,
    stop: () => resources.disposeAsync(),
  };
}

async function gatherFacts(parts: {
  run: Run;
  stack: LocalStack;
  doors: FrontDoors;
  providers: LocalProviders;
  awsEndpoint: string;
}): Promise<LocalFacts> {
  const { run, stack, doors, providers, awsEndpoint } = parts;
  const outputs = {
    ...stack.outputs(),
    ApiBaseUrl: doors.rest.origin,
    ChatUrl: doors.functionUrl.origin,
    ProviderSettings: JSON.stringify(providers.settings),
  };
  const access = await provideAccess({ run, outputs, awsEndpoint });
  return {
    base_url: doors.rest.origin,
    chat_url: doors.functionUrl.origin,
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

/** Both at once: each takes a while, and needs nothing of the other. */
async function prepareTemplateAndEngine(run: Run): Promise<{ template: Template; engine: Engine }> {
  run.progress(run.assemblyDirectory === undefined ? 'Synthesizing the stack' : 'Reading the stack');
  const [template, engine] = await Promise.allSettled([prepareTemplate(run), prepareEngine(run)]);
  if (engine.status === 'rejected') throw engine.reason;
  if (template.status === 'rejected') throw template.reason;
  return { template: template.value, engine: engine.value };
}

async function prepareTemplate(run: Run): Promise<Template> {
  if (run.assemblyDirectory !== undefined) return readTemplate(run.assemblyDirectory);
  const directory = run.factsDirectory ?? mkdtempSync(join(tmpdir(), 'ai-gateway-'));
  if (run.factsDirectory === undefined) {
    run.resources.defer(() => rmSync(directory, { recursive: true, force: true }));
  }
  const outputDirectory = join(directory, 'assembly');
  await synthesize({ projectDirectory, outputDirectory, environment: run.environment });
  return readTemplate(outputDirectory);
}

async function prepareEngine(run: Run): Promise<Engine> {
  if (run.storeDirectory !== undefined) mkdirSync(run.storeDirectory, { recursive: true, mode: 0o700 });
  const engine = await startEngine({
    databasePath: run.storeDirectory && join(run.storeDirectory, 'dynamodb.sqlite'),
    environment: run.environment,
    onUnexpectedExit: () => run.log('The embedded DynamoDB has ended: stop the gateway and start it again'),
  });
  run.resources.defer(engine.stop);
  return engine;
}

/** The stack's data, and the address at which it is reached, which is a part of the names of queues. */
async function provideAws(run: Run, doors: FrontDoors): Promise<{ stack: LocalStack; aws: AwsServices }> {
  const { template, engine } = await prepareTemplateAndEngine(run);
  run.progress('Creating tables and queues');
  const listener = await openHttpListener(0);
  run.resources.defer(listener.close);
  const client = createAdministratorClient(engine.endpoint);
  const stack = await provideStack({
    template,
    region,
    client,
    functionUrlOrigin: doors.functionUrl.origin,
    awsOrigin: listener.origin,
  });
  client.destroy();
  const aws = await openAwsServices({ run, stack, listener, dynamoDbEndpoint: engine.endpoint });
  return { stack, aws };
}

async function provideAccess(request: { run: Run; outputs: Record<string, string>; awsEndpoint: string }) {
  const { run, outputs, awsEndpoint } = request;
  const tableName = outputs.DirectoryTableName;
  if (tableName === undefined) throw new LocalGatewayError('The stack has no output DirectoryTableName');
  const known = run.storeDirectory === undefined ? {} : readLocalFacts(run.storeDirectory);
  const client = createAdministratorClient(awsEndpoint);
  const access = await provideDemoAccess({
    client,
    tableName,
    known: { apiKey: known.api_key, organizationId: known.organization_id },
  });
  client.destroy();
  return access;
}

/** While the gateway runs the file has its process id, so that a second run on the same folder is refused. */
function publishFacts({ factsDirectory, resources }: Run, facts: LocalFacts): void {
  if (factsDirectory === undefined) return;
  writeLocalFacts(factsDirectory, facts);
  const { pid: _, ...factsAfterwards } = facts;
  resources.defer(() => writeLocalFacts(factsDirectory, factsAfterwards));
}

function createAdministratorClient(endpoint: string): DynamoDBClient {
  return new DynamoDBClient({
    endpoint,
    region,
    credentials: { accessKeyId: administratorAccessKeyId, secretAccessKey: localSecretAccessKey },
  });
}
