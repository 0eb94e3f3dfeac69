import { expect, it } from 'vitest';
import { createScheduledHandler, type ScheduledRun } from '#lambdas/maintenance/scheduled-run.ts';
import { currentRequestId } from '#lambdas/platform/telemetry/log.ts';

const context = { awsRequestId: 'invocation', getRemainingTimeInMillis: () => 840_000 };
const now = () => new Date('2026-01-31T09:30:02Z');

async function runWith(event: object | null, remainingMs = 840_000) {
  const runs: (ScheduledRun & { requestId: string | null })[] = [];
  const handler = createScheduledHandler({
    run: async (run) => void runs.push({ ...run, requestId: currentRequestId() }),
    onFailure: () => {},
    now,
  });
  await handler(event, { ...context, getRemainingTimeInMillis: () => remainingMs });
  return runs;
}

it('takes the time when the run was due from the event', async () => {
  expect(await runWith({ time: '2026-01-31T09:30:00Z' })).toMatchObject([
    { atMs: Date.parse('2026-01-31T09:30:00Z'), signal: { aborted: false }, requestId: 'invocation' },
  ]);
});

it.each([null, {}, { time: 'now' }])('uses the clock for an invocation with %j', async (event) => {
  expect(await runWith(event)).toMatchObject([{ atMs: now().getTime() }]);
});

it('lets the run end a minute before Lambda ends it', async () => {
  const [run] = await runWith(null, 60_000);
  await expect.poll(() => run?.signal.aborted).toBe(true);
});

it('reports a failure, and fails', async () => {
  const failures: unknown[] = [];
  const error = new Error('Unavailable');
  const handler = createScheduledHandler({
    run: () => Promise.reject(error),
    onFailure: (failure) => failures.push(failure),
    now,
  });

  await expect(handler(null, context)).rejects.toBe(error);
  expect(failures).toEqual([error]);
});
