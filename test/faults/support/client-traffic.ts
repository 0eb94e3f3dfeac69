/** Concurrent clients. Each request has its own correlation id, as its session id and as the body's `user`. */
import { Agent } from 'node:http';
import { retryWhileThrottled } from '#test/support/http/throttling.ts';
import type { Random } from '#test/support/seeded-random.ts';
import { type ClientBehaviour, type ClientResult, sendRequest } from './client.ts';

export interface TrafficOptions {
  correlationIdPrefix: string;
  /** Request numbers, with an exclusive end. */
  range: readonly [number, number];
  clients: number;
  /** The second origin receives every sixth request. */
  origins: readonly [string, string];
  apiKey: string;
  clientBehaviour(number: number): ClientBehaviour;
  /** Gets the results of requests that were not throttled. */
  onResult?(result: ClientResult): void;
}

export interface RunningTraffic {
  /** Resolves when this share of the requests, from 0 to 1, has ended. */
  reached(share: number): Promise<void>;
  done: Promise<void>;
}

export function startTraffic(options: TrafficOptions): RunningTraffic {
  const { correlationIdPrefix, range, clients, origins, apiKey, clientBehaviour, onResult } = options;
  const [first, end] = range;
  const agent = new Agent({ keepAlive: true });
  const milestones = createMilestones();
  let next = first;
  const sendRequests = async () => {
    for (let number = next++; number < end; number = next++) {
      const origin = number % 6 === 5 ? origins[1] : origins[0];
      const correlationId = `${correlationIdPrefix}-${number}`;
      const request = { origin, agent, apiKey, correlationId, ...clientBehaviour(number) };
      // Each attempt has its own correlation id: one that failed behind API Gateway may have reached the provider.
      const send = (attempt: number) =>
        sendRequest(attempt === 1 ? request : { ...request, correlationId: `${correlationId}-${attempt}` });
      const result = await retryWhileThrottled(send, ({ status }) => status === 'throttled');
      onResult?.(result);
      milestones.pass();
    }
  };
  const done = Promise.all(Array.from({ length: clients }, sendRequests)).then(() => agent.destroy());
  return { reached: (share) => milestones.at(Math.ceil(share * (end - first))), done };
}

function createMilestones() {
  const waiting: { count: number; resolve: () => void }[] = [];
  let passed = 0;
  return {
    pass(): void {
      passed += 1;
      for (const { resolve } of waiting.filter(({ count }) => count === passed)) resolve();
    },
    at(count: number): Promise<void> {
      return new Promise((resolve) => {
        if (passed >= count) resolve();
        else waiting.push({ count, resolve });
      });
    },
  };
}

export const alternateStreaming = (number: number): ClientBehaviour => ({ stream: number % 3 !== 0 });

export function withDisconnects(random: Random, share: number): (number: number) => ClientBehaviour {
  return (number) => ({
    ...alternateStreaming(number),
    ...(random() < share && { disconnects: random() < 0.5 ? { afterMs: random() * 30 } : 'mid-response' }),
  });
}
