/**
 * Checks what `engine.ts` assumes of the internals of fauxqs, which a new version may change without notice: it loads
 * classes by their files, replaces a method and sets a field.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { projectRoot, sourceFilesIn, sourceModule } from '#test/support/source/modules.ts';

interface Message {
  messageId: string;
}

interface Queue {
  persistence: unknown;
  enqueue(message: Message): void;
  dequeue(maxCount: number): { ReceiptHandle: string }[];
  changeVisibility(receiptHandle: string, timeoutSeconds: number): void;
  waitForMessages(seconds: number): Promise<void>;
  cancelWaiters(): void;
}

interface SqsStore {
  createQueue(name: string, url: string, arn: string, attributes: object, tags: object): Queue;
  getQueue(url: string): Queue | undefined;
  allQueues(): Iterable<Queue>;
}

interface PersistenceManager {
  loadSqsAndSns(sqsStore: SqsStore, snsStore: object): void;
  updateMessageReady(messageId: string): void;
  close(): void;
}

interface Internals {
  SqsStore: new () => SqsStore;
  SnsStore: new () => object;
  S3Store: new () => object;
  PersistenceManager: new (directory: string) => PersistenceManager;
}

const engine = 'local/aws/sqs/engine.ts';
const hint = `This is what ${engine} assumes of fauxqs. Adapt both, and check whether the workaround is still needed.`;

const load = async (file: string): Promise<Partial<Internals>> =>
  await import(new URL(file, import.meta.resolve('fauxqs')).href);

const url = 'http://127.0.0.1/000000000000/One';
const createQueue = (store: SqsStore) =>
  store.createQueue('One', url, 'arn:aws:sqs:us-east-1:000000000000:One', {}, {});

const message = {
  messageId: '6d1f7a0e-0000-4000-8000-000000000000',
  body: 'text',
  md5OfBody: '',
  messageAttributes: {},
  md5OfMessageAttributes: '',
  sentTimestamp: 1_700_000_000_000,
  approximateReceiveCount: 0,
};

describe('fauxqs', () => {
  let internals: Internals;

  beforeAll(async () => {
    const files = ['sqs/sqsStore.js', 'sns/snsStore.js', 's3/s3Store.js', 'persistence.js'];
    internals = Object.assign({}, ...(await Promise.all(files.map(load))));
  });

  function openPersistence(): { directory: string; persistence: PersistenceManager } {
    const directory = mkdtempSync(join(tmpdir(), 'fauxqs-'));
    const persistence = new internals.PersistenceManager(directory);
    onTestFinished(() => {
      persistence.close();
      rmSync(directory, { recursive: true });
    });
    return { directory, persistence };
  }

  it('is pinned to the version whose internals have been read', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'));
    expect(devDependencies.fauxqs, `${hint} Then change the version here.`).toBe('2.4.1');
  });

  it('is loaded only by the engine and this test', () => {
    const files = sourceFilesIn(
      ...['bench', 'bin', 'cli', 'dashboard', 'lambdas', 'lib', 'local', 'test'],
    ).filter((file) => /['"]fauxqs['"/]/.test(sourceModule(file).code));
    expect(files).toEqual([engine, 'test/local/aws/sqs/fauxqs-internals.test.ts']);
  });

  it.each([
    ['sqs/sqsStore.js', 'SqsStore'],
    ['sns/snsStore.js', 'SnsStore'],
    ['s3/s3Store.js', 'S3Store'],
    ['persistence.js', 'PersistenceManager'],
  ] as const)('has in %s the class %s', async (file, name) => {
    expect((await load(file))[name], hint).toBeTypeOf('function');
  });

  it('finds a queue by its URL, and ends its waiting receives without a message', async () => {
    const store = new internals.SqsStore();
    const queue = createQueue(store);
    expect(store.getQueue(url), hint).toBe(queue);

    const waiting = queue.waitForMessages(600);
    queue.cancelWaiters();
    await expect(waiting, hint).resolves.toBeUndefined();
  });

  it('loads the queues and messages of a directory into stores without persistence', () => {
    const { directory, persistence } = openPersistence();
    const store = Object.assign(new internals.SqsStore(), { persistence });
    createQueue(store).enqueue(message);

    const second = new internals.PersistenceManager(directory);
    onTestFinished(() => second.close());
    const loaded = new internals.SqsStore();
    second.loadSqsAndSns(loaded, new internals.SnsStore());
    const [queue] = loaded.allQueues();

    expect(queue?.persistence, hint).toBeUndefined();
    expect(queue?.dequeue(1), hint).toHaveLength(1);
  });

  it('writes the changes of a store and of a queue to the persistence in their fields', () => {
    const store = new internals.SqsStore();
    const before = createQueue(store);
    const written: string[] = [];
    const persistence = {
      insertQueue: () => written.push('queue'),
      insertMessage: () => written.push('message'),
    };
    before.enqueue(message);
    Object.assign(store, { persistence });
    store.createQueue('Two', `${url}2`, 'arn:aws:sqs:us-east-1:000000000000:Two', {}, {}).enqueue(message);
    before.enqueue(message);
    Object.assign(before, { persistence });
    before.enqueue(message);

    expect(written, hint).toEqual(['queue', 'message', 'message']);
  });

  it('calls only the method that is replaced when a message becomes visible at once', () => {
    const queue = createQueue(new internals.SqsStore());
    queue.enqueue(message);
    const [received] = queue.dequeue(1);
    const made: string[] = [];
    const recordCalls = { get: (_: object, name: string) => () => made.push(name) };
    Object.assign(queue, { persistence: new Proxy({}, recordCalls) });
    queue.changeVisibility(received?.ReceiptHandle ?? '', 0);

    expect(made, hint).toEqual(['updateMessageReady']);
    expect(queue.dequeue(1), hint).toHaveLength(1);
  });

  it('would violate a constraint in that method, which therefore is replaced', () => {
    const { persistence } = openPersistence();
    const store = Object.assign(new internals.SqsStore(), { persistence });
    createQueue(store).enqueue(message);

    expect(() => persistence.updateMessageReady(message.messageId), hint).toThrow(
      /NOT NULL constraint failed/,
    );
  });
});
