/** Feeds a table's stream to a function: what Lambda does for an event source mapping. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DescribeStreamCommand, DynamoDBStreamsClient, type Shard } from '@aws-sdk/client-dynamodb-streams';
import type { HostedFunction } from '../functions/function-host.ts';
import { functionAccessKeyId, localSecretAccessKey } from '../identities.ts';
import { messageOf } from '../local-gateway-error.ts';
import { describeDiscard } from './batch-delivery.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';
import { readShard } from './shard-reader.ts';
import type { StreamPositions } from './stream-positions.ts';

export interface StreamPollerParts {
  mapping: EventSourceMapping;
  target: HostedFunction;
  awsEndpoint: string;
  region: string;
  positions: StreamPositions;
  /** Delivers to the mapping's queue. */
  sendToQueue(queueArn: string, message: string): void;
  onProblem(message: string): void;
}

export interface StreamPoller {
  /** Reads no more; what a batch that is under way has not finished is read again at the next start. */
  stop(): void;
  /** Resolves after `stop`, when the invocation that was under way has ended. */
  readonly stopped: Promise<void>;
}

/** How often a stream is looked at for new shards. */
const shardListIntervalMs = 5000;

/** After an error that is not the function's, such as an engine that does not answer. */
const errorPauseMs = 1000;

export function startStreamPoller(parts: StreamPollerParts): StreamPoller {
  const stopping = new AbortController();
  const wait = (ms: number) => delay(ms, undefined, { signal: stopping.signal });
  const client = new DynamoDBStreamsClient({
    endpoint: parts.awsEndpoint,
    region: parts.region,
    // As the function: its role must grant the reading of the stream.
    credentials: {
      accessKeyId: functionAccessKeyId(parts.target.definition.logicalId),
      secretAccessKey: localSecretAccessKey,
    },
  });
  const readers = new Map<string, Promise<void>>();
  const finished = new Set<string>();

  async function readWithRetries(shardId: string): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await readShard(createReader({ parts, client, shardId, wait, stopping: stopping.signal }));
        finished.add(shardId);
        return;
      } catch (error) {
        if (stopping.signal.aborted) return;
        parts.onProblem(`${parts.mapping.logicalId}: ${messageOf(error)}`);
        await wait(errorPauseMs).catch(() => {});
      }
    }
  }

  async function followShards(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        for (const shardId of readableShards(await listShards(client, parts.mapping.streamArn), finished)) {
          if (!readers.has(shardId)) readers.set(shardId, readWithRetries(shardId));
        }
        await wait(shardListIntervalMs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        parts.onProblem(`${parts.mapping.logicalId}: ${messageOf(error)}`);
        await wait(errorPauseMs).catch(() => {});
      }
    }
  }

  const stopped = followShards()
    .then(() => Promise.all(readers.values()))
    .then(() => client.destroy());
  return { stop: () => stopping.abort(), stopped };
}

function createReader(context: {
  parts: StreamPollerParts;
  client: DynamoDBStreamsClient;
  shardId: string;
  wait: (ms: number) => Promise<void>;
  stopping: AbortSignal;
}): Parameters<typeof readShard>[0] {
  const { parts, client, shardId, wait, stopping } = context;
  const { mapping, target, positions } = parts;
  const positionKey = `${mapping.logicalId} ${mapping.streamArn} ${shardId}`;
  return {
    client,
    mapping,
    shardId,
    region: parts.region,
    position: positions.get(positionKey),
    savePosition: (position) => positions.set(positionKey, position),
    delivery: {
      mapping,
      shardId,
      startedAtMs: Date.now(),
      now: Date.now,
      wait,
      async invoke(event) {
        const requestId = randomUUID();
        const outcome = await target.invoke({ event: JSON.stringify(event), requestId });
        // A function that was stopped with the local run has not failed: its batch is neither retried nor discarded.
        if (outcome.kind === 'failed') stopping.throwIfAborted();
        if (outcome.kind === 'failed')
          parts.onProblem(`${target.definition.name}: ${outcome.error.errorMessage}`);
        return { requestId, outcome };
      },
      async onDiscard(discarded) {
        const functionArn = target.definition.arn;
        const message = describeDiscard(discarded, { mapping, shardId, functionArn, nowMs: Date.now() });
        parts.onProblem(
          `${target.definition.name}: gave up on ${discarded.records.length} records: ${discarded.condition}`,
        );
        if (mapping.onFailureQueueArn !== undefined) {
          parts.sendToQueue(mapping.onFailureQueueArn, JSON.stringify(message));
        }
      },
    },
  };
}

async function listShards(client: DynamoDBStreamsClient, streamArn: string): Promise<Shard[]> {
  const shards: Shard[] = [];
  let lastShardId: string | undefined;
  do {
    const page = await client.send(
      new DescribeStreamCommand({ StreamArn: streamArn, ExclusiveStartShardId: lastShardId }),
    );
    shards.push(...(page.StreamDescription?.Shards ?? []));
    lastShardId = page.StreamDescription?.LastEvaluatedShardId;
  } while (lastShardId !== undefined);
  return shards;
}

/** A shard is read once its parent has been read to its end: that keeps the order of an item's changes. */
function readableShards(shards: readonly Shard[], finished: ReadonlySet<string>): string[] {
  const unfinished = new Set(
    shards.map((shard) => shard.ShardId).filter((id) => id !== undefined && !finished.has(id)),
  );
  return shards.flatMap(({ ShardId: id, ParentShardId: parent }) =>
    id === undefined || (parent !== undefined && unfinished.has(parent)) ? [] : [id],
  );
}
