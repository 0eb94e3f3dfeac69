import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLog, currentRequestId, withLogContext } from '#lambdas/platform/telemetry/log.ts';

function setUp(level: 'off' | 'all' = 'all') {
  const written: string[] = [];
  const log = createLog({
    write: (line) => written.push(line),
    metrics: { level, stackName: 'Staging' },
    functionVersion: '7',
    now: () => Date.UTC(2026, 10, 23, 9, 30),
  });
  return { log, written };
}

describe('A log line', () => {
  it('is one JSON object with its fields at the top level', () => {
    const { log, written } = setUp();

    log.error('log_entry_queued', { log_id: 'a\nb', error: 'TimeoutError' });

    expect(written).toEqual([
      '{"timestamp":"2026-11-23T09:30:00.000Z","level":"ERROR","event":"log_entry_queued","request_id":null,"function_version":"7","log_id":"a\\nb","error":"TimeoutError"}\n',
    ]);
  });

  it('has the id of its own invocation when invocations overlap', async () => {
    const { log, written } = setUp();
    const handler = withLogContext(async (event: string, _context: { awsRequestId: string }) => {
      await setImmediate();
      log.info(event, {});
      return currentRequestId();
    });

    const ids = await Promise.all([
      handler('first', { awsRequestId: 'one' }),
      handler('second', { awsRequestId: 'two' }),
    ]);

    expect(ids).toEqual(['one', 'two']);
    expect(written.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'INFO', event: 'first', request_id: 'one' },
      { level: 'INFO', event: 'second', request_id: 'two' },
    ]);
    expect(currentRequestId()).toBeNull();
  });

  it('publishes metrics for the stack, unless monitoring is off', () => {
    const { log, written } = setUp();

    log.error('unexpected_error', {}, { InternalErrors: 1, RejectedKeys: 3 });

    const { _aws, Stack, InternalErrors, RejectedKeys } = JSON.parse(written[0] ?? '');
    expect({ Stack, InternalErrors, RejectedKeys }).toEqual({
      Stack: 'Staging',
      InternalErrors: 1,
      RejectedKeys: 3,
    });
    const metrics = ['InternalErrors', 'RejectedKeys'].map((Name) => ({ Name, Unit: 'Count' }));
    expect(_aws).toEqual({
      Timestamp: Date.UTC(2026, 10, 23, 9, 30),
      CloudWatchMetrics: [{ Namespace: 'AiGateway', Dimensions: [['Stack']], Metrics: metrics }],
    });

    const off = setUp('off');
    off.log.error('unexpected_error', {}, { InternalErrors: 1 });
    expect(Object.keys(JSON.parse(off.written[0] ?? ''))).toEqual([
      'timestamp',
      'level',
      'event',
      'request_id',
      'function_version',
    ]);
  });
});
