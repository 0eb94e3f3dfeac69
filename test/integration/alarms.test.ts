/** Fault injection: each fault raises the alarm that is meant for it, and no page about something else. */

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ProviderBehaviour } from '#test/faults/support/counting-provider.ts';
import {
  resetBeforeResponse,
  respondNormally,
  stallBeforeResponse,
} from '#test/faults/support/provider-behaviours.ts';
import { setVisibilityTimeout } from '#test/faults/support/visibility-timeout.ts';
import { functionProcessIds } from '#test/support/function-processes.ts';
import {
  chatConcurrency,
  type MonitoredGateway,
  startMonitoredGateway,
} from '#test/support/signals/monitored-gateway.ts';
import { entryWrites } from '../faults/support/fault-proxy.ts';

const minuteMs = 60_000;

let gateway: MonitoredGateway;
beforeAll(async () => {
  gateway = await startMonitoredGateway();
  // As in the stack: a message that could not be written stays hidden until it is delivered again.
  const { LostEntriesQueueUrl: queueUrl } = gateway.gateway.connection.outputs;
  await setVisibilityTimeout(gateway.sqs.endpoint, { queueUrl, seconds: 60 });
});
afterAll(() => gateway[Symbol.asyncDispose]());

afterEach(async () => {
  vi.useRealTimers();
  gateway.provider.behaviour = respondNormally;
  await gateway.dynamoDb.setFault(null);
});

interface ActiveAlarm {
  id: string;
  severity: string;
}

async function activeAlarms(): Promise<ActiveAlarm[]> {
  return (await gateway.alarms()).flatMap(({ id, severity, state }) =>
    state === 'ALARM' ? [{ id, severity }] : [],
  );
}

/** Expects that the fault raises the alarm, and no further page. */
async function expectAlarm(
  { id, severity }: ActiveAlarm,
  injectFault: () => Promise<unknown>,
): Promise<void> {
  await expect.poll(gateway.isIdle).toBe(true);
  const before = new Set((await activeAlarms()).map((alarm) => alarm.id));
  await injectFault();
  await expect.poll(() => activeAlarms()).toContainEqual({ id, severity });
  const pages = (await activeAlarms()).filter((alarm) => alarm.severity === 'page');
  const expected = severity === 'page' ? [id] : [];

  expect(before.has(id)).toBe(false);
  expect(pages.map((page) => page.id).filter((page) => !before.has(page))).toEqual(expected);
}

describe('Alarms', () => {
  it('none is raised by ordinary traffic', async () => {
    expect(await gateway.chatTimes(5)).toEqual([200, 200, 200, 200, 200]);
    await expect.poll(gateway.isIdle).toBe(true);

    expect(await activeAlarms()).toEqual([]);
  });

  it('lost-entries-waiting is raised while the table refuses log entries', async () => {
    await expectAlarm({ id: 'lost-entries-waiting', severity: 'ticket' }, async () => {
      await gateway.dynamoDb.setFault({ kind: 'reset', operations: entryWrites });
      expect(await gateway.chat()).toBe(200);
      await expect.poll(() => gateway.linesOf('log_entry_queued')).toHaveLength(1);
      await gateway.gateway.runSchedule('MaintenanceRecoverRequestsSchedule', new Date());
    });
    expect(gateway.linesOf('log_entry_queued')).toMatchObject([{ QueuedEntries: 1 }]);
  });

  it('provider-errors is raised while a provider fails', async () => {
    await expectAlarm({ id: 'provider-errors', severity: 'page' }, async () => {
      gateway.provider.behaviour = resetBeforeResponse;
      // 504 where a stalled machine passes a deadline.
      const statuses = await gateway.chatTimes(12);
      expect(statuses.filter((status) => status !== 502 && status !== 504)).toEqual([]);
      // Until the failures are counted, they look like failures of the gateway.
      await expect.poll(providerErrorResponses).toBe(12);
    });
  });

  it('chat-errors is raised when the chat function is killed repeatedly', async () => {
    await expectAlarm({ id: 'chat-errors', severity: 'page' }, async () => {
      gateway.provider.behaviour = stallBeforeResponse;
      for (let kills = 0; kills < 5; kills += 1) {
        const killed = gateway.chat();
        await expect.poll(() => gateway.provider.inFlight()).toBe(1);
        gateway.kill('Chat');
        expect(await killed).toBe(502);
        await expect.poll(() => gateway.provider.inFlight()).toBe(0);
      }
    });
  });

  it('chat-throttles is raised when chat is at its concurrency limit', async () => {
    const released = Promise.withResolvers<void>();
    const waitForRelease: ProviderBehaviour = (call) => async (exchange) => {
      await released.promise;
      await respondNormally(call)(exchange);
    };
    await expectAlarm({ id: 'chat-throttles', severity: 'page' }, async () => {
      gateway.provider.behaviour = waitForRelease;
      const waiting = gateway.chatTimes(chatConcurrency);
      await expect.poll(() => gateway.provider.inFlight()).toBe(chatConcurrency);
      expect(new Set(await gateway.chatTimes(10))).toEqual(new Set([429]));
      released.resolve();
      expect(new Set(await waiting)).toEqual(new Set([200]));
    });
  });

  it('counting-delayed is raised when the rollup function is blocked for six minutes', async () => {
    // Otherwise it may be blocked while it counts the entries of the last test, and not start another batch.
    await expect.poll(gateway.isCounted).toBe(true);
    const [rollup = 0] = functionProcessIds(gateway.gateway, 'CostRollup');
    await expectAlarm({ id: 'counting-delayed', severity: 'page' }, async () => {
      const batches = startedBatches();
      process.kill(rollup, 'SIGSTOP');
      expect(await gateway.chat()).toBe(200);
      await expect.poll(startedBatches).toBeGreaterThan(batches);
      // Its entry waits in the stream for the end of that batch.
      expect(await gateway.chat()).toBe(200);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 6 * minuteMs });
      process.kill(rollup, 'SIGCONT');
    });
  });
});

const startedBatches = () =>
  gateway.lines.filter(
    ({ functionName, fields }) => functionName === 'CostRollupFunction' && fields.type === 'platform.start',
  ).length;

const providerErrorResponses = () =>
  gateway
    .linesOf('request_metrics')
    .reduce((sum, { ProviderErrorResponses }) => sum + Number(ProviderErrorResponses ?? 0), 0);
