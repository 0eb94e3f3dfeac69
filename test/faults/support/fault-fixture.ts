/** The local gateway, with fault injection for DynamoDB and SQS and a counting provider. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startQueueEngine } from '#local/aws/sqs/engine.ts';
import { type LocalGateway, type LocalGatewayOptions, startLocalGateway } from '#local/local-gateway.ts';
import { findOrSynthesize } from '#local/template/synthesize.ts';
import { functionProcessIds } from '#test/support/function-processes.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { type CountingProvider, startCountingProvider } from './counting-provider.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { createFunctionLog, type FunctionLog } from './function-log.ts';
import { type KillableEngine, startKillableEngine } from './killable-engine.ts';
import { createOperator, type Operator } from './operator.ts';
import { respondNormally } from './provider-behaviours.ts';
import { setVisibilityTimeout } from './visibility-timeout.ts';

export type EnvironmentVariables = Record<string, string>;

export interface FaultFixture extends AsyncDisposable {
  gateway: LocalGateway;
  /** The data directory that the admin command line reads. */
  directory: string;
  engine: KillableEngine;
  dynamoDb: FaultProxy;
  sqs: FaultProxy;
  provider: CountingProvider;
  log: FunctionLog;
  /** The complete environment of each function's process. */
  functionEnvironments: readonly EnvironmentVariables[];
  /** Sends SIGKILL to the processes of a function, or to some of them, and returns their number. */
  kill(partOfFunctionName: string, choose?: (processIds: readonly number[]) => readonly number[]): number;
  operator: Operator;
}

export const faultSettings = {
  /** Short enough that a stalled request times out within seconds. */
  chatLimits: { firstByteSeconds: 6, idleSeconds: 6, totalSeconds: 60, drainSeconds: 5 },
  /** Clients do not wait for log entries to be written: without a limit they would outpace the embedded DynamoDB. */
  chatConcurrency: 32,
};

export interface FaultFixtureOptions
  extends Pick<LocalGatewayOptions, 'onServiceEvent' | 'reportDisconnects'> {
  /** By default one with `faultSettings`. */
  assemblyDirectory?: string;
  /** Gets the log lines of all functions. */
  onLogLine?: (line: string) => void;
}

export async function startFaultFixture(options: FaultFixtureOptions = {}): Promise<FaultFixture> {
  const resources = new AsyncDisposableStack();
  try {
    return await start(resources, options);
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function startServices(resources: AsyncDisposableStack, databaseDirectory: string) {
  const owned = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
    resources.defer(() => part.stop());
    return part;
  };
  const engine = owned(await startKillableEngine(databaseDirectory));
  const queues = owned(
    await startQueueEngine({ dataDirectory: undefined, environment: {}, region: 'us-east-1' }),
  );
  return {
    engine,
    queues,
    provider: owned(await startCountingProvider(respondNormally)),
    dynamoDb: owned(await startFaultProxy(engine.endpoint, seededRandom(1))),
    sqs: owned(await startFaultProxy(() => queues.endpoint, seededRandom(2))),
  };
}

async function start(
  resources: AsyncDisposableStack,
  { assemblyDirectory: existingAssembly, onLogLine, ...options }: FaultFixtureOptions,
): Promise<FaultFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'gateway-faults-'));
  resources.defer(() => rm(directory, { recursive: true }));
  const environment = { PATH: process.env.PATH };
  const assemblyDirectory =
    existingAssembly ?? (await findOrSynthesize({ environment, settings: faultSettings }));
  const { queues, ...services } = await startServices(resources, directory);
  const log = createFunctionLog();
  const gateway = await startLocalGateway({
    port: 0,
    ephemeral: true,
    dataDirectory: directory,
    assemblyDirectory,
    environment: {
      ...environment,
      OPENAI_BASE_URL: services.provider.baseUrl,
      AWS_ENDPOINT_URL_DYNAMODB: services.dynamoDb.endpoint,
      AWS_ENDPOINT_URL_SQS: services.sqs.endpoint,
    },
    onLogLine: (line) => {
      log.add(line);
      onLogLine?.(line);
    },
    ...options,
  });
  resources.defer(gateway.stop);
  const operator = createOperator(gateway);
  resources.defer(operator.stop);
  await operator.setProviderKey('sk-0');
  const { LostEntriesQueueUrl: queueUrl } = gateway.connection.outputs;
  await setVisibilityTimeout(queues.endpoint, { queueUrl, seconds: 1 });
  return {
    ...services,
    gateway,
    directory,
    log,
    operator,
    functionEnvironments: gateway.functionEnvironments(),
    kill(partOfFunctionName, choose = (all) => all) {
      const ids = choose(functionProcessIds(gateway, partOfFunctionName));
      for (const id of ids) process.kill(id, 'SIGKILL');
      return ids.length;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
