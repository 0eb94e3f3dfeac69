/** The SQS that the local run works on: fauxqs in this process, or the one that the environment names. */
import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';

export interface QueueEngine {
  /** Without a trailing slash. */
  endpoint: string;
  stop(): Promise<void>;
}

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;

/** `dataDirectory` undefined keeps the messages in memory. */
export async function startQueueEngine(settings: {
  dataDirectory: string | undefined;
  environment: NodeJS.ProcessEnv;
  region: string;
}): Promise<QueueEngine> {
  const { dataDirectory, environment, region } = settings;
  const external = environment.AWS_ENDPOINT_URL_SQS;
  if (external) return { endpoint: external.replace(/\/+$/, ''), stop: async () => {} };
  const kept = dataDirectory === undefined ? undefined : await openStores(dataDirectory);
  const app = buildApp({ logger: false, defaultRegion: region, ...(kept && { stores: kept.stores }) });
  app.addHook('preClose', async () => kept?.close());
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => app.close() };
}

/** What fauxqs has in files that it does not export. */
interface Internals {
  SqsStore: new () => Stores['sqsStore'];
  SnsStore: new () => Stores['snsStore'];
  S3Store: new () => Stores['s3Store'];
  PersistenceManager: new (
    directory: string,
  ) => {
    loadSqsAndSns(sqsStore: Stores['sqsStore'], snsStore: Stores['snsStore']): void;
    close(): void;
  };
}

/**
 * Queues and messages of a data folder. The package's own way to have them, `startFauxqs`, listens on every interface
 * of the machine, and whoever is in the same network could write log entries.
 */
async function openStores(dataDirectory: string): Promise<{ stores: Stores; close(): void }> {
  const load = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);
  const files = ['sqs/sqsStore.js', 'sns/snsStore.js', 's3/s3Store.js', 'persistence.js'];
  const internals: Internals = Object.assign({}, ...(await Promise.all(files.map(load))));
  const sqsStore = new internals.SqsStore();
  const snsStore = new internals.SnsStore();
  const persistence = new internals.PersistenceManager(dataDirectory);
  persistence.loadSqsAndSns(sqsStore, snsStore);
  // Only now, since what is loaded would be written again. A queue that was loaded has to be told by itself.
  for (const store of [sqsStore, ...sqsStore.allQueues()]) Object.assign(store, { persistence });
  return {
    stores: { sqsStore, snsStore, s3Store: new internals.S3Store() },
    close: () => persistence.close(),
  };
}
