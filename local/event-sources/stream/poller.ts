/** Polls a DynamoDB stream as Lambda does: finds its shards and reads them concurrently. */
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import { functionAccessKeyId, localSecretAccessKey } from '#local/identities.ts';
import { messageOf } from '#local/local-gateway-error.ts';
import { createFunctionDelivery, type StreamConsumer } from './function-delivery.ts';
import type { StreamPositions } from './positions.ts';
import { listShards, readableShards, readShard, type ShardReaderOptions } from './shard-reader.ts';

interface StreamPollerOptions extends StreamConsumer {
  awsEndpoint: string;
  region: string;
  positions: StreamPositions;
}

interface StreamPoller {
  /** Stops reading. Unprocessed records are read again after the next start. */
  stop(): void;
  /** Resolves after `stop`, when the running invocations have ended. */
  readonly stopped: Promise<void>;
}

interface PollerState {
  options: StreamPollerOptions;
  client: DynamoDBStreamsClient;
  stopping: AbortSignal;
  wait: (ms: number) => Promise<void>;
  readersByShardId: Map<string, Promise<void>>;
  finishedShardIds: Set<string>;
}

const shardListIntervalMs = 5000;

const errorPauseMs = 1000;

export function startStreamPoller(options: StreamPollerOptions): StreamPoller {
  const controller = new AbortController();
  const stopping = controller.signal;
  const state: PollerState = {
    options,
    client: createStreamsClient(options),
    stopping,
    wait: (ms) => delay(ms, undefined, { signal: stopping }),
    readersByShardId: new Map(),
    finishedShardIds: new Set(),
  };
  const stopped = followShards(state)
    .then(() => Promise.all(state.readersByShardId.values()))
    .then(() => state.client.destroy());
  return { stop: () => controller.abort(), stopped };
}

function createStreamsClient({ awsEndpoint, region, target }: StreamPollerOptions): DynamoDBStreamsClient {
  return new DynamoDBStreamsClient({
    endpoint: awsEndpoint,
    region,
    // Lambda reads the stream with the permissions of the function's role.
    credentials: {
      accessKeyId: functionAccessKeyId(target.definition.logicalId),
      secretAccessKey: localSecretAccessKey,
    },
  });
}

/** Starts reading each shard as soon as its parent has been read. */
async function followShards(state: PollerState): Promise<void> {
  const { options, client, stopping, wait, readersByShardId, finishedShardIds } = state;
  while (!stopping.aborted) {
    try {
      for (const shardId of readableShards(
        await listShards(client, options.mapping.streamArn),
        finishedShardIds,
      )) {
        if (!readersByShardId.has(shardId))
          readersByShardId.set(shardId, readShardWithRetries(state, shardId));
      }
      await wait(shardListIntervalMs);
    } catch (error) {
      await pauseAfterError(state, error);
    }
  }
}

async function readShardWithRetries(state: PollerState, shardId: string): Promise<void> {
  while (!state.stopping.aborted) {
    try {
      await readShard(readerOptions(state, shardId));
      state.finishedShardIds.add(shardId);
      return;
    } catch (error) {
      await pauseAfterError(state, error);
    }
  }
}

/** Reports the error, except after `stop`, which aborts pending calls. */
async function pauseAfterError({ options, stopping, wait }: PollerState, error: unknown): Promise<void> {
  if (stopping.aborted) return;
  options.onError(`${options.mapping.logicalId}: ${messageOf(error)}`);
  await wait(errorPauseMs).catch(() => {});
}

function readerOptions(
  { options, client, stopping, wait }: PollerState,
  shardId: string,
): ShardReaderOptions {
  const { mapping, region, positions } = options;
  const positionKey = `${mapping.logicalId} ${mapping.streamArn} ${shardId}`;
  return {
    client,
    mapping,
    shardId,
    region,
    position: positions.get(positionKey),
    savePosition: (position) => positions.set(positionKey, position),
    delivery: createFunctionDelivery({ consumer: options, shardId, wait, stopping }),
  };
}
