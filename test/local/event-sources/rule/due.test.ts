import { afterEach, expect, it, vi } from 'vitest';
import { createEventBridge } from '#local/aws/event-bridge.ts';
import { startRules } from '#local/event-sources/rule/start.ts';
import type { HostedFunction } from '#local/functions/host.ts';
import { createStackFixture } from '#test/local/stack-fixture.ts';

/** Each wait ends when the test resolves it. */
const waits = vi.hoisted((): { ms: number; resolve: () => void }[] => []);
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise<void>((resolve) => waits.push({ ms, resolve })),
}));
afterEach(() => void vi.useRealTimers());

it('invokes the function of a scheduled rule each time it is due', async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 31, 5, 40), toFake: ['Date'] });
  const events: Record<string, unknown>[] = [];
  const target = {
    definition: { logicalId: 'Target', name: 'Target', functionName: 'Target', arn: 'arn' },
    invoke: async ({ event }: { event: string }) => {
      events.push(JSON.parse(event));
      return { kind: 'returned' };
    },
  } as unknown as HostedFunction;
  const stack = createStackFixture({
    Target: { Type: 'AWS::Lambda::Function' },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        ScheduleExpression: 'cron(0/15 2-5 * * ? *)',
        Targets: [{ Arn: 'arn', Id: 'Target0' }],
      },
    },
  });
  const log = () => {};
  startRules({
    run: { log, region: 'us-east-1', resources: new AsyncDisposableStack() },
    stack,
    functions: { find: () => target },
    permissions: { requireRule: () => {} },
    aws: { eventBridge: createEventBridge({ region: 'us-east-1', log }) },
  });
  /** Ends the wait; the next one has begun afterwards. */
  const run = async () => {
    waits.at(-1)?.resolve();
    await new Promise(setImmediate);
  };
  vi.setSystemTime(Date.UTC(2026, 0, 31, 5, 45));
  await run();
  vi.setSystemTime(Date.UTC(2026, 1, 1, 2));
  await run();

  expect(waits.map(({ ms }) => ms / 60_000)).toEqual([5, 1215, 15]);
  expect(events.map(({ time }) => time)).toEqual(['2026-01-31T05:45:00Z', '2026-02-01T02:00:00Z']);
});
