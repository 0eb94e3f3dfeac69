/** The template's SQS queues, emulated in this process. */
import { mkdirSync } from 'node:fs';
import { startFauxqs } from 'fauxqs';
import { localAccountId } from '../identities.ts';
import type { JsonObject } from '../untyped-json.ts';

export interface Queues {
  /** By the queue's logical id. */
  urls: ReadonlyMap<string, string>;
  send(queueArn: string, message: string): void;
  stop(): Promise<void>;
}

export interface QueueDefinition {
  logicalId: string;
  name: string;
  properties: JsonObject;
}

/** Of a queue's properties, those that change how it behaves locally. */
const attributes = [
  'DelaySeconds',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'VisibilityTimeout',
];

/** `dataDirectory` undefined keeps the messages in memory. */
export async function startQueues(settings: {
  definitions: readonly QueueDefinition[];
  region: string;
  dataDirectory?: string;
}): Promise<Queues> {
  const { definitions, region, dataDirectory } = settings;
  if (definitions.length === 0) return { urls: new Map(), send: () => {}, stop: async () => {} };
  if (dataDirectory !== undefined) mkdirSync(dataDirectory, { recursive: true });
  const server = await startFauxqs({
    port: 0,
    host: '127.0.0.1',
    logger: false,
    defaultRegion: region,
    ...(dataDirectory !== undefined && { dataDir: dataDirectory }),
  });
  const urls = new Map<string, string>();
  for (const { logicalId, name, properties } of definitions) {
    const chosen = attributes.filter((attribute) => properties[attribute] !== undefined);
    server.createQueue(name, {
      region,
      attributes: Object.fromEntries(chosen.map((attribute) => [attribute, String(properties[attribute])])),
    });
    // Its own URL has a host name that need not resolve.
    urls.set(logicalId, `http://127.0.0.1:${server.port}/${localAccountId}/${name}`);
  }
  return {
    urls,
    send(queueArn, message) {
      server.sendMessage(queueArn.split(':').at(-1) ?? '', message, { region });
    },
    stop: () => server.stop(),
  };
}
