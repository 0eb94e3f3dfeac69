import { describe, expect, it } from 'vitest';
import { createMetricFields } from '#lambdas/platform/telemetry/metrics.ts';
import { readEmbeddedMetrics } from './embedded-metrics.ts';

const atMs = Date.parse('2026-06-01T12:00:30.500Z');

function lineWith(changes: { metadata?: object; directive?: object; root?: object } = {}): string {
  const directive = {
    Namespace: 'AiGateway',
    Dimensions: [['Stack']],
    Metrics: [{ Name: 'Latency', Unit: 'Milliseconds' }],
    ...changes.directive,
  };
  const metadata = { Timestamp: atMs, CloudWatchMetrics: [directive], ...changes.metadata };
  return JSON.stringify({ event: 'any', Stack: 'Prod', Latency: 12, ...changes.root, _aws: metadata });
}

describe('readEmbeddedMetrics', () => {
  it('returns the values of each metric for each set of dimensions', () => {
    const fields = createMetricFields({ level: 'all', stackName: 'Prod' });
    const line = JSON.stringify(fields({ Requests: 2, Latency: [10, 20] }, { atMs, provider: 'openai' }));
    const byStack = { Stack: 'Prod' };
    const byProvider = { Stack: 'Prod', Provider: 'openai' };
    const measured = (name: string, unit: string, dimensions: object, values: number[]) => ({
      metric: { namespace: 'AiGateway', name, dimensions },
      unit,
      values,
      atMs,
    });

    expect(readEmbeddedMetrics(line)).toEqual([
      measured('Requests', 'Count', byStack, [2]),
      measured('Latency', 'Milliseconds', byStack, [10, 20]),
      measured('Requests', 'Count', byProvider, [2]),
      measured('Latency', 'Milliseconds', byProvider, [10, 20]),
    ]);
  });

  it('returns nothing for a line without embedded metrics', () => {
    const lines = ['plain text with "_aws"', '{"event":"any"}', '{"message":"{\\"_aws\\":{}}"}'];

    expect(lines.map(readEmbeddedMetrics)).toEqual([[], [], []]);
  });

  it.each([
    ['a missing timestamp', { metadata: { Timestamp: undefined } }, '_aws.Timestamp is missing'],
    ['a timestamp as text', { metadata: { Timestamp: '2026' } }, '_aws.Timestamp must be milliseconds'],
    ['an unknown member', { metadata: { Extra: 1 } }, '_aws.Extra is not a member'],
    ['no dimension set', { directive: { Dimensions: [] } }, 'Dimensions must not be empty'],
    ['a flat dimension set', { directive: { Dimensions: ['Stack'] } }, 'Dimensions must be an array'],
    ['a missing dimension', { directive: { Dimensions: [['Model']] } }, 'dimension Model must be a string'],
    ['an empty dimension', { root: { Stack: '' } }, 'dimension Stack must have 1 to 1024'],
    ['a missing value', { root: { Latency: undefined } }, 'metric Latency must be a number'],
    ['text as a value', { root: { Latency: '12' } }, 'metric Latency must be a number'],
    ['no values', { root: { Latency: [] } }, 'metric Latency must have 1 to 100 values'],
    ['101 values', { root: { Latency: Array(101).fill(1) } }, 'metric Latency must have 1 to 100 values'],
    ['an unknown unit', { directive: { Metrics: [{ Name: 'Latency', Unit: 'ms' }] } }, 'ms is not a unit'],
    ['a metric without a name', { directive: { Metrics: [{ Unit: 'Count' }] } }, 'Metrics.Name is missing'],
    [
      '101 metrics',
      { directive: { Metrics: Array(101).fill({ Name: 'Latency' }) } },
      'has more than 100 metrics',
    ],
  ])('throws for %s', (_, changes, message) => {
    expect(() => readEmbeddedMetrics(lineWith(changes))).toThrow(message);
  });
});
