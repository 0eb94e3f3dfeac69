/** The local gateway between services that fail on demand and a provider that counts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startQueueEngine } from '../../../local/aws/queue-engine.ts';
import { type LocalGateway, startLocalGateway } from '../../../local/local-gateway.ts';
import { synthesize } from '../../../local/template/synthesize.ts';
import { functionProcessIds } from '../../support/function-processes.ts';
import { type CountingProvider, startCountingProvider } from './counting-provider.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { createFunctionLog, type FunctionLog } from './function-log.ts';
import { hurryQueue } from './hurry-queue.ts';
import { type KillableEngine, startKillableEngine } from './killable-engine.ts';
import { createOperator, type Operator } from './operator.ts';
import { well } from './provider-answers.ts';
import { seededRandom } from './random.ts';

export interface FaultWorld extends AsyncDisposable {
  gateway: LocalGateway;
  /** Has the facts that the admin command line reads. */
  directory: string;
  engine: KillableEngine;
  dynamoDb: FaultProxy;
  sqs: FaultProxy;
  provider: CountingProvider;
  log: FunctionLog;
  /** Ends the processes of a function with SIGKILL. Resolves to how many there were. */
  kill(partOfFunctionName: string): Promise<number>;
  operator: Operator;
}

/** So short that what stalls is given up within seconds. */
const chatLimits = { firstByteSeconds: 2, idleSeconds: 2, totalSeconds: 60, drainSeconds: 5 };

const projectDirectory = resolve(import.meta.dirname, '../../..');

export async function startFaultWorld(): Promise<FaultWorld> {
  const resources = new AsyncDisposableStack();
  try {
    return await start(resources);
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function start(resources: AsyncDisposableStack): Promise<FaultWorld> {
  const owned = <Part extends { stop(): Promise<void> }>(part: Part): Part => {
    resources.defer(() => part.stop());
    return part;
  };
  const directory = await mkdtemp(join(tmpdir(), 'gateway-faults-'));
  resources.defer(() => rm(directory, { recursive: true }));
  const assemblyDirectory = join(directory, 'assembly');
  const [engine, queues, provider] = await Promise.all([
    startKillableEngine().then(owned),
    startQueueEngine({ dataDirectory: undefined, environment: {}, region: 'us-east-1' }).then(owned),
    startCountingProvider(well).then(owned),
    synthesize({
      projectDirectory,
      outputDirectory: assemblyDirectory,
      environment: process.env,
      context: { chatLimits },
    }),
  ]);
  const dynamoDb = owned(await startFaultProxy(engine.endpoint, seededRandom(1)));
  const sqs = owned(await startFaultProxy(() => queues.endpoint, seededRandom(2)));
  const log = createFunctionLog();
  const gateway = owned(
    await startLocalGateway({
      port: 0,
      ephemeral: true,
      dataDirectory: directory,
      assemblyDirectory,
      environment: {
        PATH: process.env.PATH,
        OPENAI_BASE_URL: provider.baseUrl,
        AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
        AWS_ENDPOINT_URL_SQS: sqs.endpoint,
      },
      onLogLine: log.add,
    }),
  );
  const operator = createOperator(gateway);
  resources.defer(operator.stop);
  await operator.setProviderKey('sk-0');
  await hurryQueue(queues.endpoint, gateway.facts.outputs.LostEntriesQueueUrl);
  return {
    gateway,
    directory,
    engine,
    dynamoDb,
    sqs,
    provider,
    log,
    operator,
    kill,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function kill(partOfFunctionName: string): Promise<number> {
  const ids = await functionProcessIds(partOfFunctionName);
  for (const id of ids) process.kill(id, 'SIGKILL');
  return ids.length;
}
