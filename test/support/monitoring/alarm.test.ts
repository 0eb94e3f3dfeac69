import { describe, expect, it } from 'vitest';
import { errors, readAlarmFixture } from './alarm-fixture.ts';

const metricQuery = {
  Id: 'metric',
  ReturnData: false,
  MetricStat: {
    Metric: {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: 'Lost' }],
    },
    Period: 300,
    Stat: 'Maximum',
  },
};

describe('readAlarms', () => {
  it('reads the id and the severity from the name, and the runbook from the description', () => {
    expect(readAlarmFixture()).toEqual({
      id: 'internal-errors',
      name: 'Fixture-page-internal-errors',
      severity: 'page',
      runbook: 'docs/runbook.md#internal-errors',
      root: { kind: 'reference', id: 'metric' },
      definitions: new Map([['metric', { metric: errors, statistic: 'Sum', unit: undefined }]]),
      periodMs: 300_000,
      evaluationPeriods: 1,
      datapointsToAlarm: 1,
      comparison: 'GreaterThanOrEqualToThreshold',
      threshold: 1,
      treatMissingData: 'notBreaching',
      ignoresLowSamples: false,
      warmUpMs: 0,
    });
  });

  it('reads how long a new alarm is not evaluated', () => {
    const WarmUpConfiguration = {
      WarmUpPeriodDurationInMinutes: 90,
      OnlyStartEvaluatingAfterWarmUpPeriodEnds: true,
    };

    expect(readAlarmFixture({ WarmUpConfiguration }).warmUpMs).toBe(90 * 60_000);
  });

  it.each([
    ['a name without a severity', { AlarmName: 'Fixture-internal-errors' }, 'Fixture-internal-errors is not'],
    ['a description without a runbook', { AlarmDescription: 'Any.' }, 'does not name its runbook'],
    ['an unknown metric', { MetricName: 'Heartbeats' }, 'do not record AiGateway Heartbeats by Stack'],
    ['a metric of another service', { Namespace: 'AWS/EC2' }, 'do not record AWS/EC2 InternalErrors'],
    ['unknown dimensions', { Dimensions: [] }, 'do not record AiGateway InternalErrors by no dimension'],
    ['a period of seconds', { Period: 30 }, 'support periods of full minutes, not 30 s'],
    ['another statistic', { Statistic: 'IQM' }, 'not IQM'],
    ['anomaly detection', { ThresholdMetricId: 'ad1' }, 'has ThresholdMetricId'],
    [
      'a warm-up that data ends',
      { WarmUpConfiguration: { WarmUpPeriodDurationInMinutes: 90 } },
      'support only OnlyStartEvaluatingAfterWarmUpPeriodEnds: true',
    ],
    ['another comparison', { ComparisonOperator: 'LessThanLowerThreshold' }, 'not LessThanLowerThreshold'],
    [
      'an id that no metric has',
      { Metrics: [{ Id: 'e', Expression: 'FILL(missing, 0)' }, metricQuery] },
      'has no metric with the id missing',
    ],
    ['no metric', { Metrics: [{ Id: 'e', Expression: '1 + 1' }] }, 'must return one expression'],
  ])('throws for %s', (_, changes, message) => {
    expect(() => readAlarmFixture(changes)).toThrow(message);
  });
});
