/** Starts an embedded SQS (fauxqs) in this process, or uses the SQS endpoint of the environment. */
import type { AddressInfo } from 'node:net';
import { buildApp } from 'fauxqs';
import { isObject } from '#local/untyped-json.ts';

export interface QueueEngine {
  /** Without a trailing slash. */
  endpoint: string;
  stop(): Promise<void>;
}

type Stores = NonNullable<NonNullable<Parameters<typeof buildApp>[0]>['stores']>;

/** Keeps the messages in memory when `dataDirectory` is `undefined`. */
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
      if (!response.writableFinished) cancelWaitingReceives(stores, body);
    });
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => app.close() };
}

/**
 * Cancels long polling after the caller has disconnected: fauxqs would deliver the next messages to the closed
 * connection, and they would stay invisible until their visibility timeout. Other callers that poll the queue get an
 * empty response and poll again.
 */
function cancelWaitingReceives({ sqsStore }: Stores, body: unknown): void {
  if (isObject(body) && typeof body.QueueUrl === 'string') sqsStore.getQueue(body.QueueUrl)?.cancelWaiters();
}

/** Classes of fauxqs that the package does not export. `fauxqs-internals.test.ts` holds the version that has them. */
interface FauxqsInternals {
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
 * Opens the stores from the internals of fauxqs: its exported function with persistence, `startFauxqs`, listens on all
 * network interfaces, so other machines of the network could write log entries.
 */
async function openStores(dataDirectory: string | undefined): Promise<{ stores: Stores; close(): void }> {
  const load = (file: string) => import(new URL(file, import.meta.resolve('fauxqs')).href);
  const files = ['sqs/sqsStore.js', 'sns/snsStore.js', 's3/s3Store.js', 'persistence.js'];
  const internals: FauxqsInternals = Object.assign({}, ...(await Promise.all(files.map(load))));
  const { SqsStore, SnsStore, S3Store, PersistenceManager } = internals;
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  if (dataDirectory === undefined) return { stores, close: () => {} };
  const persistence = new PersistenceManager(dataDirectory);
  persistence.loadSqsAndSns(stores.sqsStore, stores.snsStore);
  // When the visibility timeout of a message is set to 0, the original method violates a NOT NULL constraint and loses
  // the message. Without it the message is visible again; only a restart hides it for the rest of its timeout.
  Object.assign(persistence, { updateMessageReady: () => {} });
  // Enable persistence after loading, otherwise the loaded messages are written again. Loaded queues need it as well.
  for (const store of [stores.sqsStore, ...stores.sqsStore.allQueues()])
    Object.assign(store, { persistence });
  return { stores, close: () => persistence.close() };
}
