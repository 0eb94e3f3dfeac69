/** Runs the gateway on this machine, from the synthesized template that a deployment would use. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve as resolvePath } from 'node:path';
import { projectRoot } from '#lib/build-cache.ts';
import { type Engine, startEngine } from './aws/dynamodb/engine.ts';
import { assertNotRunning } from './connection-file.ts';
import { openEndpoints } from './listeners/endpoints.ts';
import type { RunContext } from './run-context.ts';
import type { ServiceEvent } from './service-event.ts';
import type { LocalGateway } from './start-services.ts';
import { findOrSynthesize } from './template/synthesize.ts';
import { readTemplate, type Template } from './template/template.ts';

export type { LocalGateway };

export interface LocalGatewayOptions {
  /**
   * Port of the REST API; the function URL, the dashboard and its sign-in use the next three. 0 selects free ports.
   * Default 3000.
   */
  port?: number;
  /** Default `.gateway` in the project; with `ephemeral` there is no default, and nothing is written. */
  dataDirectory?: string;
  /** Keeps tables, queues and secrets in memory. */
  ephemeral?: boolean;
  /** Default `process.env`. */
  environment?: NodeJS.ProcessEnv;
  /** The CDK context, whose `config` is a configuration file to use instead of the project's. */
  context?: Readonly<Record<string, string>>;
  /** Applies the sign-up setting of the template. By default, anyone may sign up. */
  signUpAsConfigured?: boolean;
  /** Sends a small write of a response stream with the next one, as Lambda is reported to do. */
  holdChunks?: boolean;
  /** Tells functions that their caller has disconnected, as behind a server of their own. AWS does not, the default. */
  reportDisconnects?: boolean;
  /** Directory of a cloud assembly to run. The app is synthesized by default. */
  assemblyDirectory?: string;
  onProgress?: (step: string) => void;
  /** Called with access log lines, the functions' log lines, rejected AWS calls and errors. */
  onLogLine?: (line: string) => void;
  onServiceEvent?: (event: ServiceEvent) => void;
}

const region = 'us-east-1';
const defaultPort = 3000;

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
  const directory = dataDirectory ?? (ephemeral ? undefined : join(projectRoot, '.gateway'));
  return {
    port: options.port ?? defaultPort,
    region,
    connectionFileDirectory: directory && resolvePath(directory),
    storeDirectory: ephemeral || directory === undefined ? undefined : resolvePath(directory),
    environment: options.environment ?? process.env,
    context: options.context ?? {},
    assemblyDirectory: options.assemblyDirectory && resolvePath(options.assemblyDirectory),
    signUpAsConfigured: options.signUpAsConfigured ?? false,
    holdChunks: options.holdChunks ?? false,
    reportDisconnects: options.reportDisconnects ?? false,
    progress: options.onProgress ?? (() => {}),
    log: options.onLogLine ?? (() => {}),
    observe: options.onServiceEvent ?? (() => {}),
    resources: new AsyncDisposableStack(),
  };
}

async function start(run: RunContext): Promise<LocalGateway> {
  if (run.connectionFileDirectory !== undefined) await assertNotRunning(run.connectionFileDirectory);
  // Bind the ports first, so that a port in use is reported before the slow steps.
  const endpoints = await openEndpoints(run);
  const prepared = prepareTemplateAndEngine(run);
  // Loads the AWS SDK and the OpenID provider, which takes half a second, while the stack is synthesized.
  const [{ template, engine }, { startServices }] = await Promise.all([
    prepared,
    import('./start-services.ts'),
  ]);
  return startServices(run, { endpoints, template, engine });
}

/** Runs both concurrently, because they are slow and independent of each other. */
async function prepareTemplateAndEngine(run: RunContext): Promise<{ template: Template; engine: Engine }> {
  const [template, engine] = await Promise.allSettled([prepareTemplate(run), prepareEngine(run)]);
  if (engine.status === 'rejected') throw engine.reason;
  if (template.status === 'rejected') throw template.reason;
  return { template: template.value, engine: engine.value };
}

async function prepareTemplate(run: RunContext): Promise<Template> {
  if (run.assemblyDirectory !== undefined) return readTemplate(run.assemblyDirectory);
  const { environment, context, progress: onProgress } = run;
  const cached = await findOrSynthesize({ environment, context, onProgress });
  // A copy, because functions that start later still need it, and old builds are removed from the cache.
  const directory = run.connectionFileDirectory ?? mkdtempSync(join(tmpdir(), 'ai-gateway-'));
  if (run.connectionFileDirectory === undefined) {
    run.resources.defer(() => rmSync(directory, { recursive: true, force: true }));
  }
  const assembly = join(directory, 'assembly');
  rmSync(assembly, { recursive: true, force: true });
  cpSync(cached, assembly, { recursive: true });
  return readTemplate(assembly);
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
