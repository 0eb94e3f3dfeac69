/** Delivers the batches of a shard to the function, and reports discarded batches to the failure destination. */
import { randomUUID } from 'node:crypto';
import type { HostedFunction } from '#local/functions/host.ts';
import type { InvocationOutcome } from '#local/functions/worker.ts';
import {
  type DiscardedBatch,
  describeDiscard,
  type ShardDelivery,
  type StreamEvent,
} from './batch-delivery.ts';
import type { StreamMapping } from './mapping.ts';
import { arrivalMs } from './records.ts';

export interface StreamConsumer {
  mapping: StreamMapping;
  target: HostedFunction;
  sendToQueue(queueArn: string, message: string): Promise<void>;
  onError(message: string): void;
}

export function createFunctionDelivery(settings: {
  consumer: StreamConsumer;
  shardId: string;
  wait: (ms: number) => Promise<void>;
  stopping: AbortSignal;
}): ShardDelivery {
  const { consumer, shardId, wait, stopping } = settings;
  return {
    mapping: consumer.mapping,
    shardId,
    startedAtMs: Date.now(),
    now: Date.now,
    wait,
    invoke: (event) => invokeTarget(consumer, { event, stopping }),
    onDiscard: (discarded) => handleDiscard(consumer, { shardId, discarded }),
  };
}

async function invokeTarget(
  { target, onError }: StreamConsumer,
  { event, stopping }: { event: StreamEvent; stopping: AbortSignal },
): Promise<{ requestId: string; outcome: InvocationOutcome }> {
  const requestId = randomUUID();
  const lastRecord = event.Records.at(-1);
  const iteratorAgeMs = lastRecord && Math.max(0, Date.now() - arrivalMs(lastRecord));
  const outcome = await target.invoke({ event: JSON.stringify(event), requestId, iteratorAgeMs });
  if (outcome.kind === 'failed') {
    // When the local run stops, the function is stopped too: the batch is neither retried nor discarded.
    stopping.throwIfAborted();
    onError(`${target.definition.name}: ${outcome.error.errorMessage}`);
  }
  return { requestId, outcome };
}

async function handleDiscard(
  { mapping, target, sendToQueue, onError }: StreamConsumer,
  { shardId, discarded }: { shardId: string; discarded: DiscardedBatch },
): Promise<void> {
  const { name, arn: functionArn } = target.definition;
  const message = describeDiscard(discarded, { mapping, shardId, functionArn, nowMs: Date.now() });
  onError(`${name}: discarded ${discarded.records.length} records: ${discarded.condition}`);
  if (mapping.onFailureQueueArn !== undefined) {
    await sendToQueue(mapping.onFailureQueueArn, JSON.stringify(message));
  }
}
