import { expect, it } from 'vitest';
import { createAwsMetrics } from '#local/monitoring/aws-metrics.ts';
import type { Measurement } from '#local/monitoring/metric-store.ts';

it('The metrics of an invocation have the time of its start, as on Lambda', () => {
  const recorded: Measurement[] = [];
  const metrics = createAwsMetrics(
    (measurement) => recorded.push(measurement),
    () => 1_000_000,
  );
  const fn = { functionName: 'Chat', qualifier: undefined };

  metrics.invocationEnded(fn, { durationMs: 400_000, isError: true });
  metrics.invocationThrottled(fn);

  expect(
    recorded.map(({ metric: { name, dimensions }, values, atMs }) => [name, dimensions, values, atMs]),
  ).toEqual([
    ['Invocations', { FunctionName: 'Chat' }, [1], 600_000],
    ['Errors', { FunctionName: 'Chat' }, [1], 600_000],
    ['Throttles', { FunctionName: 'Chat' }, [0], 600_000],
    ['Duration', { FunctionName: 'Chat' }, [400_000], 600_000],
    ['Throttles', { FunctionName: 'Chat' }, [1], 1_000_000],
  ]);
});
