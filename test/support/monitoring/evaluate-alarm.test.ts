import { describe, expect, it } from 'vitest';
import { endMs, readAlarmFixture, recordAt } from './alarm-fixture.ts';
import { type AlarmState, evaluateAlarm } from './evaluate-alarm.ts';
import { createMetricStore, type MetricStore } from './metric-store.ts';

const treatments = ['missing', 'ignore', 'breaching', 'notBreaching'];

function evaluate(store: MetricStore, changes: object, { nowMs = endMs, current = 'OK' as AlarmState } = {}) {
  return evaluateAlarm(readAlarmFixture(changes), store, { nowMs, current });
}

/** A store with a value for each period, the latest last: X is breaching, 0 is not, and - is missing. */
function storeOf(datapoints: string): MetricStore {
  const store = createMetricStore(0);
  for (const [age, datapoint] of datapoints.split(' ').reverse().entries()) {
    if (datapoint !== '-') recordAt(store, age, [datapoint === 'X' ? 1 : 0]);
  }
  return store;
}

describe('evaluateAlarm', () => {
  // The tables of https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarms-and-missing-data.html
  it.each([
    [3, '0 - X - X', 'OK', 'OK', 'OK', 'OK'],
    [3, '0 - - - -', 'OK', 'OK', 'OK', 'OK'],
    [3, '- - - - -', 'INSUFFICIENT_DATA', 'retained', 'ALARM', 'OK'],
    [3, '0 X X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    [3, '- - X - -', 'ALARM', 'retained', 'ALARM', 'OK'],
    [2, '0 - X - X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    [2, '0 0 X 0 X', 'ALARM', 'ALARM', 'ALARM', 'ALARM'],
    [2, '0 - X - -', 'OK', 'OK', 'ALARM', 'OK'],
    [2, '- - - - 0', 'OK', 'OK', 'ALARM', 'OK'],
    [2, '- - - X -', 'ALARM', 'retained', 'ALARM', 'OK'],
  ])('evaluates %i of 3 datapoints as CloudWatch does: %s', (DatapointsToAlarm, datapoints, ...expected) => {
    const store = storeOf(datapoints);
    const states = treatments.map((TreatMissingData) => {
      const changes = { EvaluationPeriods: 3, DatapointsToAlarm, TreatMissingData };
      const both = (['OK', 'ALARM'] as const).map((current) => evaluate(store, changes, { current }).state);
      return both[0] === both[1] ? both[0] : 'retained';
    });

    expect(states).toEqual(expected);
  });

  it('compares the statistic of each period with the threshold', () => {
    const store = createMetricStore(0);
    recordAt(store, 0, [1, 5, 3]);
    const valueAs = (Statistic: string) => evaluate(store, { Statistic }).value;

    expect(['Sum', 'Average', 'Minimum', 'Maximum', 'SampleCount'].map(valueAs)).toEqual([9, 3, 1, 5, 3]);
    const stateAt9 = (ComparisonOperator: string) =>
      evaluate(store, { ComparisonOperator, Threshold: 9 }).state;
    expect(
      [
        'GreaterThanOrEqualToThreshold',
        'GreaterThanThreshold',
        'LessThanOrEqualToThreshold',
        'LessThanThreshold',
      ].map(stateAt9),
    ).toEqual(['ALARM', 'OK', 'ALARM', 'OK']);
  });

  it('slides the period by the minute, and includes the current minute', () => {
    const store = createMetricStore(0);
    recordAt(store, 0, [1]);
    const oneOfOne = { TreatMissingData: 'missing' };
    const stateAfter = (minutes: number) =>
      evaluate(store, oneOfOne, { nowMs: endMs + minutes * 60_000 }).state;

    expect(evaluate(store, oneOfOne, { nowMs: endMs - 30_000 }).value).toBe(1);
    // Three periods of five minutes: CloudWatch evaluates older data as long as there is nothing newer.
    expect([0, 14, 15].map(stateAfter)).toEqual(['ALARM', 'ALARM', 'INSUFFICIENT_DATA']);
  });

  it('evaluates metric math in each period', () => {
    const query = (Id: string, MetricName: string) => ({
      Id,
      ReturnData: false,
      MetricStat: {
        Metric: {
          Namespace: 'AiGateway',
          MetricName,
          Dimensions: [{ Name: 'Stack', Value: 'Fixture' }],
        },
        Period: 300,
        Stat: 'Sum',
      },
    });
    const Metrics = [
      { Id: 'expr', Expression: 'IF(errors >= 10, 100 * errors / requests, 0)' },
      query('errors', 'ProviderErrors'),
      query('requests', 'Requests'),
    ];
    const alarm = { Metrics, Threshold: 25 };
    const metric = (name: string) => ({
      namespace: 'AiGateway',
      name,
      dimensions: { Stack: 'Fixture' },
    });
    const withErrors = (count: number) => {
      const store = createMetricStore(0);
      recordAt(store, 0, [count], metric('ProviderErrors'));
      recordAt(store, 0, [40], metric('Requests'));
      return evaluate(store, alarm);
    };

    expect(withErrors(10)).toEqual({ state: 'ALARM', value: 25 });
    expect(withErrors(9)).toEqual({ state: 'OK', value: 0 });
    expect(evaluate(createMetricStore(0), alarm)).toEqual({ state: 'OK', value: null });
  });

  it('evaluates percentiles, and keeps the state if there are too few samples', () => {
    const overhead = { Namespace: 'AiGateway', MetricName: 'GatewayOverhead', Statistic: undefined };
    const p99 = { ...overhead, ExtendedStatistic: 'p99', Threshold: 500 };
    const metric = { namespace: 'AiGateway', name: 'GatewayOverhead', dimensions: { Stack: 'Fixture' } };
    const slow = (count: number) => {
      const store = createMetricStore(0);
      recordAt(store, 0, [...Array(count - 11).fill(20), ...Array(11).fill(700)], metric);
      return store;
    };
    const ignore = { ...p99, EvaluateLowSampleCountPercentile: 'ignore' };

    expect(evaluate(slow(1000), ignore)).toEqual({ state: 'ALARM', value: 700 });
    expect(evaluate(slow(1100), ignore)).toEqual({ state: 'OK', value: 20 });
    expect(evaluate(slow(999), ignore)).toEqual({ state: 'OK', value: 700 });
    expect(evaluate(slow(999), p99)).toEqual({ state: 'ALARM', value: 700 });
  });

  it('leaves a new alarm without a state until its warm-up has passed', () => {
    const startMs = endMs - 20 * 60_000;
    const missing = { Threshold: 1, ComparisonOperator: 'LessThanThreshold', TreatMissingData: 'breaching' };
    const WarmUpConfiguration = {
      WarmUpPeriodDurationInMinutes: 20,
      OnlyStartEvaluatingAfterWarmUpPeriodEnds: true,
    };
    const stateAt = (nowMs: number, changes: object) =>
      evaluate(createMetricStore(startMs), changes, { nowMs, current: 'INSUFFICIENT_DATA' }).state;

    expect(stateAt(startMs, missing)).toBe('ALARM');
    expect(stateAt(endMs - 1, { ...missing, WarmUpConfiguration })).toBe('INSUFFICIENT_DATA');
    expect(stateAt(endMs, { ...missing, WarmUpConfiguration })).toBe('ALARM');
  });

  it('does not end the warm-up early for data', () => {
    const store = createMetricStore(endMs - 60_000);
    recordAt(store, 0, [5]);
    const WarmUpConfiguration = {
      WarmUpPeriodDurationInMinutes: 2,
      OnlyStartEvaluatingAfterWarmUpPeriodEnds: true,
    };

    expect(evaluate(store, { WarmUpConfiguration })).toEqual({ state: 'INSUFFICIENT_DATA', value: 5 });
  });
});
