/** Feeds a table's stream to a function: what Lambda does for an event source mapping. */
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { functionAccessKeyId, localSecretAccessKey } from '../identities.ts';
import { messageOf } from '../local-gateway-error.ts';
import { createFunctionDelivery, type Destination } from './function-delivery.ts';
import { listShards, readableShards, readShard, type ShardReader } from './shard-reader.ts';
import type { StreamPositions } from './stream-positions.ts';

export interface StreamPollerParts extends Destination {
  awsEndpoint: string;
  region: string;
  positions: StreamPositions;
}

export interface StreamPoller {
  /** Reads no more; what a batch that is under way has not finished is read again at the next start. */
  stop(): void;
  /** Resolves after `stop`, when the invocation that was under way has ended. */
  readonly stopped: Promise<void>;
}

interface Polling {
  parts: StreamPollerParts;
  client: DynamoDBStreamsClient;
  stopping: AbortSignal;
  /** Rejects when the poller is stopped. */
  wait: (ms: number) => Promise<void>;
  /** By shard id. */
  readers: Map<string, Promise<void>>;
  /** Ids of the shards that have been closed and read to their end. */
  finished: Set<string>;
}

/** How often a stream is looked at for new shards. */
const shardListIntervalMs = 5000;

/** After an error that is not the function's, such as an engine that does not answer. */
const errorPauseMs = 1000;

export function startStreamPoller(parts: StreamPollerParts): StreamPoller {
  const controller = new AbortController();
  const stopping = controller.signal;
  const polling: Polling = {
    parts,
    client: createStreamsClient(parts),
    stopping,
    wait: (ms) => delay(ms, undefined, { signal: stopping }),
    readers: new Map(),
    finished: new Set(),
  };
  const stopped = followShards(polling)
    .then(() => Promise.all(polling.readers.values()))
    .then(() => polling.client.destroy());
  return { stop: () => controller.abort(), stopped };
}

function createStreamsClient({ awsEndpoint, region, target }: StreamPollerParts): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({
    endpoint: awsEndpoint,
    region,
    // As the function: its role must grant the reading of the stream.
    credentials: {
      accessKeyId: functionAccessKeyId(target.definition.logicalId),
      secretAccessKey: localSecretAccessKey,
    },
  });
}

/** Has each shard read as soon as it may be. */
async function followShards(polling: Polling): Promise<void> {
  const { parts, client, stopping, wait, readers, finished } = polling;
  while (!stopping.aborted) {
    try {
      for (const shardId of readableShards(await listShards(client, parts.mapping.streamArn), finished)) {
        if (!readers.has(shardId)) readers.set(shardId, readWithRetries(polling, shardId));
      }
      await wait(shardListIntervalMs);
    } catch (error) {
      await pauseAfterError(polling, error);
    }
  }
}

/** Resolves when the shard has been read to its end, or the poller is stopped. */
async function readWithRetries(polling: Polling, shardId: string): Promise<void> {
  while (!polling.stopping.aborted) {
    try {
      await readShard(createReader(polling, shardId));
      polling.finished.add(shardId);
      return;
    } catch (error) {
      await pauseAfterError(polling, error);
    }
  }
}

/** Once the poller is stopped, what is under way fails, and nobody need be told. */
async function pauseAfterError({ parts, stopping, wait }: Polling, error: unknown): Promise<void> {
  if (stopping.aborted) return;
  parts.onProblem(`${parts.mapping.logicalId}: ${messageOf(error)}`);
  await wait(errorPauseMs).catch(() => {});
}

function createReader({ parts, client, stopping, wait }: Polling, shardId: string): ShardReader {
  const { mapping, region, positions } = parts;
  const positionKey = `${mapping.logicalId} ${mapping.streamArn} ${shardId}`;
  return {
    client,
    mapping,
    shardId,
    region,
    position: positions.get(positionKey),
    savePosition: (position) => positions.set(positionKey, position),
    delivery: createFunctionDelivery({ destination: parts, shardId, wait, stopping }),
  };
}
