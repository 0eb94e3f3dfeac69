/** The signals of the local run: totals of requests, and what waits in the queues. */
import type { Queues } from '../aws/sqs/queues.ts';
import type { FunctionFleet } from '../functions/fleet.ts';
import type { ServiceEvent } from '../service-event.ts';
import type { RequestTotals, Totals } from './totals.ts';

export interface Monitor {
  report(): Promise<MonitoringReport>;
}

export interface MonitoringReport {
  startMs: number;
  nowMs: number;
  lastHour: Totals;
  sinceStart: Totals;
  /** Also those that a consumer has received, but not deleted. */
  queuedMessages: number;
}

export function createMonitor(sources: {
  totals: RequestTotals;
  functions: Pick<FunctionFleet, 'flushLogs'>;
  queues: Pick<Queues, 'all' | 'sample'>;
  observe: (event: ServiceEvent) => void;
  now?: () => number;
}): Monitor {
  const { totals, functions, queues, observe, now = () => Date.now() } = sources;
  const startMs = now();

  async function countQueuedMessages(): Promise<number> {
    let messages = 0;
    for (const queue of queues.all) {
      const contents = await queues.sample(queue);
      if (contents === null) continue;
      observe({ kind: 'queue sampled', queueName: queue.name, ...contents });
      messages += contents.visibleMessages + contents.hiddenMessages;
    }
    return messages;
  }

  return {
    async report() {
      const nowMs = now();
      const queuedMessages = await countQueuedMessages();
      functions.flushLogs();
      return {
        startMs,
        nowMs,
        lastHour: totals.lastHour(nowMs),
        sinceStart: totals.sinceStart(),
        queuedMessages,
      };
    },
  };
}
