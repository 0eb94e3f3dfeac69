import { expect, it } from 'vitest';
import { awsMetricsOf } from './aws-metrics.ts';

it('The metrics of an invocation have the time of its start, as on Lambda', () => {
  const invoked = { functionName: 'Chat', qualifier: undefined };
  const metrics = [
    ...awsMetricsOf({ kind: 'invocation ended', invoked, durationMs: 400_000, isError: true }, 1_000_000),
    ...awsMetricsOf({ kind: 'invocation throttled', invoked }, 1_000_000),
  ];

  expect(
    metrics.map(({ metric: { name, dimensions }, values, atMs }) => [name, dimensions, values, atMs]),
  ).toEqual([
    ['Invocations', { FunctionName: 'Chat' }, [1], 600_000],
    ['Errors', { FunctionName: 'Chat' }, [1], 600_000],
    ['Throttles', { FunctionName: 'Chat' }, [0], 600_000],
    ['Duration', { FunctionName: 'Chat' }, [400_000], 600_000],
    ['Throttles', { FunctionName: 'Chat' }, [1], 1_000_000],
  ]);
});

it('The metrics of an alias are also those of its function', () => {
  const invoked = { functionName: 'Chat', qualifier: 'live' };
  const metrics = awsMetricsOf({ kind: 'invocation started', invoked, concurrency: 3 }, 1_000_000);

  expect(metrics.map(({ metric: { dimensions }, values }) => [dimensions, values])).toEqual([
    [{ FunctionName: 'Chat' }, [3]],
    [{ FunctionName: 'Chat', Resource: 'Chat:live' }, [3]],
  ]);
});
