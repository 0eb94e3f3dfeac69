/** The SQS that the local run works on: fauxqs in this process, or the one that the environment names. */
import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';
import { isObject } from '../untyped-json.ts';

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
  const { stores, close } = await openStores(dataDirectory);
  const app = buildApp({ logger: false, defaultRegion: region, stores });
  app.addHook('preClose', async () => close());
  app.addHook('preHandler', async ({ body }, { raw: response }) => {
    response.once('close', () => {
      if (!response.writableFinished) endWaiting(stores, body);
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => app.close() };
}

/**
 * Of a caller who waited for messages and has gone: fauxqs would give it the next ones, and nobody else would see them
 * before their time-out. Whoever else waits is answered too, and asks again.
 */
function endWaiting({ sqsStore }: Stores, body: unknown): void {
  if (isObject(body) && typeof body.QueueUrl === 'string') sqsStore.getQueue(body.QueueUrl)?.cancelWaiters();
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
 * The package's own way to keep queues and messages in a folder, `startFauxqs`, listens on every interface of the
 * machine, and whoever is in the same network could write log entries.
 */
async function openStores(dataDirectory: string | undefined): Promise<{ stores: Stores; close(): void }> {
  const load = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);
  const files = ['sqs/sqsStore.js', 'sns/snsStore.js', 's3/s3Store.js', 'persistence.js'];
  const internals: Internals = Object.assign({}, ...(await Promise.all(files.map(load))));
  const { SqsStore, SnsStore, S3Store, PersistenceManager } = internals;
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  if (dataDirectory === undefined) return { stores, close: () => {} };
  const persistence = new PersistenceManager(dataDirectory);
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  // Of a message that is put back, it clears a column that must not be empty, fails, and the message is gone. Without
  // that the message is there again, and hidden for the rest of its time-out when the folder is opened again.
  Object.assign(persistence, { updateMessageReady: () => {} });
  // Only now, since what is loaded would be written again. A queue that was loaded has to be told by itself.
  for (const store of [stores.sqsStore, ...stores.sqsStore.allQueues()])
    Object.assign(store, { persistence });
  return { stores, close: () => persistence.close() };
}
