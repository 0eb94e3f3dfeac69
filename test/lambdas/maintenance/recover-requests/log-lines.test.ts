import { describe, expect, it } from 'vitest';
import { createLogReader } from '#lambdas/maintenance/recover-requests/log-lines.ts';
import { ServiceError } from '#lambdas/platform/aws/errors.ts';
import type { JsonObject } from '#lambdas/platform/json/json.ts';

type Result = JsonObject | ServiceError;

const window = { startMs: 1_000_000, endMs: 2_000_000 };
const throttled = new ServiceError('ThrottlingException', { status: 400 });

/** Calls return the results in turn and take 100 ms; waits only advance the clock. */
function createReader(results: Result[], { runEndsMs = Number.POSITIVE_INFINITY } = {}) {
  let nowMs = 5_000_000;
  const startMs = nowMs;
  const failures: object[] = [];
  const calls: { afterMs: number; input: unknown }[] = [];
  const logs = {
    async call(operation: string, input: unknown) {
      expect(operation).toBe('FilterLogEvents');
      calls.push({ afterMs: nowMs - startMs, input });
      nowMs += 100;
      const result = results.shift();
      if (result === undefined || result instanceof Error) throw result;
      return result;
    },
  };
  const readLogLines = createLogReader({
    logs,
    logGroupName: 'Chat',
    now: () => new Date(nowMs),
    log: { error: (_event, fields) => failures.push(fields) },
    async wait(milliseconds) {
      nowMs += milliseconds;
      if (nowMs - startMs >= runEndsMs) throw new Error('The run ends');
    },
  });
  return { calls, failures, read: async () => (await Array.fromAsync(readLogLines(window))).flat() };
}

const page = (messages: string[], nextToken?: string) => ({
  events: messages.map((message) => ({ message, timestamp: 1 })),
  ...(nextToken !== undefined && { nextToken }),
});

describe('createLogReader', () => {
  it('reads all pages of the lines with entries, four in a second at most', async () => {
    const { calls, read } = createReader([page(['a'], 'one'), page([], 'two'), page(['b', 'c'])]);

    expect(await read()).toEqual(['a', 'b', 'c']);
    const request = {
      logGroupName: 'Chat',
      filterPattern: '?"request_forwarded" ?"request_completed"',
      startTime: 1_000_000,
      endTime: 1_999_999,
    };
    expect(calls).toEqual([
      { afterMs: 0, input: request },
      { afterMs: 250, input: { ...request, nextToken: 'one' } },
      { afterMs: 500, input: { ...request, nextToken: 'two' } },
    ]);
    expect(await createReader([page([])]).read()).toEqual([]);
  });

  it('repeats a throttled call with longer and longer pauses', async () => {
    const failures = Array.from({ length: 7 }, () => throttled);
    const { calls, read } = createReader([...failures, page(['a'])]);

    expect(await read()).toEqual(['a']);
    const pauses = calls.slice(1).map(({ afterMs }, index) => afterMs - (calls[index]?.afterMs ?? 0) - 100);
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('stops repeating when the run has to end', async () => {
    const failures = Array.from({ length: 100 }, () => throttled);
    const { calls, read } = createReader(failures, { runEndsMs: 60_000 });

    await expect(read()).rejects.toThrow('The run ends');
    expect(calls).toHaveLength(6);
  });

  it('does not repeat a call that the service refuses', async () => {
    const { calls, read } = createReader([new ServiceError('AccessDeniedException', { status: 400 })]);

    await expect(read()).rejects.toMatchObject({ name: 'AccessDeniedException' });
    expect(calls).toHaveLength(1);
  });
});
