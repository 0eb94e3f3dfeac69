/** Delivers a shard's batches to the mapping's function, and tells its queue of those that are given up. */
import { randomUUID } from 'node:crypto';
import type { HostedFunction } from '../functions/function-host.ts';
import type { InvocationOutcome } from '../functions/function-worker.ts';
import { type DiscardedBatch, describeDiscard, type ShardDelivery } from './batch-delivery.ts';
import type { EventSourceMapping } from './event-source-mapping.ts';

export interface Destination {
  mapping: EventSourceMapping;
  target: HostedFunction;
  /** Delivers to the mapping's queue. */
  sendToQueue(queueArn: string, message: string): Promise<void>;
  onProblem(message: string): void;
}

export function createFunctionDelivery(settings: {
  destination: Destination;
  shardId: string;
  /** Rejects when the local run stops. */
  wait: (ms: number) => Promise<void>;
  stopping: AbortSignal;
}): ShardDelivery {
  const { destination, shardId, wait, stopping } = settings;
  return {
    mapping: destination.mapping,
    shardId,
    startedAtMs: Date.now(),
    now: Date.now,
    wait,
    invoke: (event) => invokeTarget(destination, { event, stopping }),
    onDiscard: (discarded) => giveUp(destination, { shardId, discarded }),
  };
}

async function invokeTarget(
  { target, onProblem }: Destination,
  { event, stopping }: { event: unknown; stopping: AbortSignal },
): Promise<{ requestId: string; outcome: InvocationOutcome }> {
  const requestId = randomUUID();
  const outcome = await target.invoke({ event: JSON.stringify(event), requestId });
  if (outcome.kind === 'failed') {
    // A function that was stopped with the local run has not failed: its batch is neither retried nor discarded.
    stopping.throwIfAborted();
    onProblem(`${target.definition.name}: ${outcome.error.errorMessage}`);
  }
  return { requestId, outcome };
}

async function giveUp(
  { mapping, target, sendToQueue, onProblem }: Destination,
  { shardId, discarded }: { shardId: string; discarded: DiscardedBatch },
): Promise<void> {
  const { name, arn: functionArn } = target.definition;
  const message = describeDiscard(discarded, { mapping, shardId, functionArn, nowMs: Date.now() });
  onProblem(`${name}: gave up on ${discarded.records.length} records: ${discarded.condition}`);
  if (mapping.onFailureQueueArn !== undefined) {
    await sendToQueue(mapping.onFailureQueueArn, JSON.stringify(message));
  }
}
