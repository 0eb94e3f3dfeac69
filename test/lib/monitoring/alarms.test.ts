import { describe, expect, it } from 'vitest';
import { type MetricName, metricNamespace, metrics } from '#lambdas/platform/telemetry/metrics.ts';
import { type Gateway, synthesizeGateway } from '../synthesized-gateway.ts';
import { alarmsOf, conditionOf, expressionsOf, metricsOf } from './synthesized-alarms.ts';

const byDefault = synthesizeGateway();
/** With every setting that adds something to monitor. */
const all = synthesizeGateway({
  monitoring: 'all',
  mailFrom: 'gateway@acme.example',
  canary: { everyMinutes: 30 },
});
const withCanary = synthesizeGateway({ canary: {}, alarmEmail: 'ops@acme.example' });
const staging = synthesizeGateway({
  stackName: 'Staging',
  monitoring: 'all',
  chatConcurrency: 50,
  dashboard: false,
});

const conditionsOf = (gateway: Gateway) =>
  Object.fromEntries(alarmsOf(gateway).map((alarm) => [alarm.AlarmName, conditionOf(gateway, alarm)]));

const defaultConditions = {
  'AiGateway-page-internal-errors':
    'FILL(InternalErrors, 0) (Sum of 5 min, Stack=AiGateway) >= 5, missing notBreaching',
  'AiGateway-page-chat-errors':
    'FILL(Errors, 0) (Sum of 20 min, FunctionName=Chat/Function) >= 5, missing notBreaching',
  'AiGateway-page-chat-throttles':
    'FILL(Throttles, 0) (Sum of 5 min, FunctionName=Chat/Function) >= 10, missing notBreaching',
  'AiGateway-page-provider-errors':
    'IF(FILL(errors, 0) >= 10, 100 * errors / requests, 0) (Sum of 5 min) > 25, missing notBreaching',
  'AiGateway-page-unwritten-entries':
    'FILL(UnwrittenEntries, 0) (Sum of 5 min, Stack=AiGateway) >= 1, missing notBreaching',
  'AiGateway-ticket-lost-entries-waiting':
    'FILL(WaitingEntries, 0) (Maximum of 30 min, Stack=AiGateway) >= 1, missing notBreaching',
  'AiGateway-ticket-recovery-missing':
    'FILL(RecoveryRuns, 0) (Sum of 60 min, Stack=AiGateway) < 1, missing breaching',
  'AiGateway-page-counting-delayed':
    'FILL(IteratorAge, 0) (Maximum of 5 min, FunctionName=CostRollup/Function) > 300000, missing notBreaching',
  'AiGateway-ticket-budget-changes-failed':
    'FILL(ApproximateNumberOfMessagesVisible, 0) (Maximum of 5 min, QueueName=BudgetChanges/DeadLetters.QueueName) >= 1, missing notBreaching',
  'AiGateway-ticket-rate-limits-not-checked':
    'FILL(RateLimitsNotChecked, 0) (Sum of 5 min, Stack=AiGateway) >= 5, missing notBreaching',
  'AiGateway-ticket-requests-without-target':
    'FILL(RequestsWithoutTarget, 0) (Sum of 5 min, Stack=AiGateway) >= 5, missing notBreaching',
  'AiGateway-ticket-misconfigured-targets':
    'FILL(MisconfiguredTargets, 0) (Sum of 60 min, Stack=AiGateway) >= 1, missing notBreaching',
  'AiGateway-page-rollup-differences':
    'FILL(RollupDifferences, 0) (Sum of 60 min, Stack=AiGateway) >= 1, missing notBreaching',
};

const sumOf = (count: number) =>
  Array.from({ length: count }, (_, index) => `FILL(m${index + 1}, 0)`).join(' + ');

const furtherConditions = {
  'AiGateway-page-server-errors':
    'FILL(api, 0) + FILL(url, 0) - FILL(provider, 0) (Sum of 5 min) >= 10, 2 of 3, missing notBreaching',
  'AiGateway-ticket-gateway-overhead':
    'IF(FILL(requests, 0) >= 100, FILL(p99, 0), 0) (SampleCount of 5 min) > 500, 3 of 3, missing notBreaching',
  'AiGateway-ticket-function-errors': `${sumOf(9)} (Sum of 5 min) >= 3, missing notBreaching`,
  'AiGateway-ticket-rejected-keys':
    'FILL(RejectedKeys, 0) (Sum of 5 min, Stack=AiGateway) >= 100, missing notBreaching',
  'AiGateway-page-canary-failed':
    'FILL(CanaryFailures, 1) (Minimum of 65 min, Stack=AiGateway) >= 1, missing breaching',
  'AiGateway-ticket-concurrency':
    '100 * used / SERVICE_QUOTA(used) (Maximum of 5 min) >= 80, missing notBreaching',
  'AiGateway-ticket-table-throttling': `${sumOf(10)} (Sum of 5 min) >= 10, missing notBreaching`,
  'AiGateway-ticket-index-throttling': `${sumOf(6)} (Sum of 5 min) >= 10, missing notBreaching`,
  'AiGateway-ticket-unpriced-requests':
    'FILL(UnpricedRequests, 0) (Sum of 60 min, Stack=AiGateway) >= 1, missing notBreaching',
  'AiGateway-ticket-uncertain-costs':
    'IF(FILL(uncertain, 0) >= 1, 100 * uncertain / cost, 0) (Sum of 60 min) > 50, missing notBreaching',
  'AiGateway-ticket-unreadable-entries':
    'FILL(ApproximateNumberOfMessagesVisible, 0) (Maximum of 5 min, QueueName=LogRecovery/DeadLetters.QueueName) >= 1, missing notBreaching',
  'AiGateway-ticket-killed-requests':
    'FILL(InterruptedRequests, 0) (Sum of 60 min, Stack=AiGateway) >= 1, missing notBreaching',
  'AiGateway-page-counting-stopped':
    'IF(FILL(writes, 0) > 0 AND FILL(invocations, 0) < 1, 1, 0) (SampleCount of 15 min) >= 1, 2 of 4, missing notBreaching',
  'AiGateway-ticket-rollup-lag':
    'FILL(RollupLag, 0) (Maximum of 5 min, Stack=AiGateway) > 120, 2 of 2, missing notBreaching',
  'AiGateway-ticket-event-source-failures': `${sumOf(4)} (Sum of 20 min) >= 3, missing notBreaching`,
  'AiGateway-ticket-uncounted-records':
    'FILL(ApproximateNumberOfMessagesVisible, 0) (Maximum of 5 min, QueueName=CostRollup/DeadLetters.QueueName) >= 1, missing notBreaching',
  'AiGateway-ticket-verification-missing':
    'FILL(VerificationRuns, 0) (Sum of 60 min, Stack=AiGateway) < 1, 26 of 26, missing breaching',
};

describe('Alarms', () => {
  it('are thirteen by default, which refer to fourteen metrics', () => {
    expect(conditionsOf(byDefault)).toEqual(defaultConditions);
    expect(alarmsOf(byDefault).flatMap((alarm) => metricsOf(byDefault, alarm))).toHaveLength(14);
  });

  it('are more at the level all', () => {
    expect(conditionsOf(all)).toEqual({ ...defaultConditions, ...furtherConditions });
  });

  it('include the canary at the default level', () => {
    const names = Object.keys(conditionsOf(withCanary));

    expect(names.filter((name) => !(name in defaultConditions))).toEqual(['AiGateway-page-canary-failed']);
  });

  it('compare the concurrency of chat with chatConcurrency if it is set', () => {
    expect(conditionsOf(staging)['Staging-ticket-concurrency']).toBe(
      'FILL(ConcurrentExecutions, 0) (Maximum of 5 min, FunctionName=Chat/Function) >= 40, missing notBreaching',
    );
  });

  it('about missing runs wait after their creation for their window, and half an hour for the deployment', () => {
    const warmUps = [...alarmsOf(all), ...alarmsOf(withCanary)].flatMap(
      ({ AlarmName, TreatMissingData, WarmUpConfiguration: warmUp }) => {
        if (warmUp === undefined) return TreatMissingData === 'breaching' ? [[AlarmName, 0]] : [];
        expect(warmUp.OnlyStartEvaluatingAfterWarmUpPeriodEnds).toBe(true);
        return [[AlarmName, warmUp.WarmUpPeriodDurationInMinutes]];
      },
    );

    expect(Object.fromEntries(warmUps)).toEqual({
      'AiGateway-ticket-recovery-missing': 60 + 30,
      'AiGateway-ticket-verification-missing': 26 * 60 + 30,
      'AiGateway-page-canary-failed': 2 * 15 + 5 + 30,
    });
  });

  it('have names and metrics of their own stack', () => {
    const custom = alarmsOf(staging)
      .flatMap((alarm) => metricsOf(staging, alarm))
      .filter(({ namespace }) => namespace === metricNamespace);

    expect(alarmsOf(staging).every(({ AlarmName }) => AlarmName.startsWith('Staging-'))).toBe(true);
    expect(new Set(custom.map(({ dimensions }) => dimensions))).toEqual(new Set(['Stack=Staging']));
  });
});

describe.each(alarmsOf(all))('Alarm $AlarmName', (alarm) => {
  const [, id = ''] = /^AiGateway-(?:page|ticket)-([a-z-]+)$/.exec(alarm.AlarmName) ?? [];

  it('describes itself in one sentence with a link to its entry in the runbook', () => {
    expect(alarm.AlarmDescription).toMatch(/^[A-Z][^\n]*\. Runbook: docs\/runbook\.md#[a-z-]+$/);
    expect(alarm.AlarmDescription).toContain(`docs/runbook.md#${id}`);
  });

  it('notifies the topic when it is raised and when it ends', () => {
    expect(alarm.AlarmActions.map(all.readable)).toEqual(['Monitoring/AlarmTopic']);
    expect(alarm.OKActions.map(all.readable)).toEqual(['Monitoring/AlarmTopic']);
  });

  it('refers to at most ten metrics, the limit of CloudWatch, with the same period', () => {
    const referenced = metricsOf(all, alarm);

    expect(referenced.length).toBeLessThanOrEqual(10);
    expect(new Set(referenced.map(({ aggregation }) => aggregation.split(' of ')[1])).size).toBe(1);
  });

  it('uses only metrics that its level publishes', () => {
    const custom = metricsOf(all, alarm).filter(({ namespace }) => !namespace.startsWith('AWS/'));
    const isDefault = alarm.AlarmName in defaultConditions || id === 'canary-failed';

    for (const { namespace, name } of custom) {
      expect(namespace).toBe(metricNamespace);
      const { level } = metrics[name as MetricName];
      if (isDefault) expect(level).toBe('alarms');
    }
  });

  it('uses only expressions that the local run can evaluate', () => {
    const functions = expressionsOf(alarm).flatMap((formula) => formula.match(/[A-Z_]+/g) ?? []);
    const supported = ['IF', 'FILL', 'AND', 'OR', ...(id === 'concurrency' ? ['SERVICE_QUOTA'] : [])];

    expect(functions.filter((name) => !supported.includes(name))).toEqual([]);
  });
});

describe('Metrics of AWS', () => {
  const dimensionsOf = (id: string, gateway = all) =>
    alarmsOf(gateway)
      .filter(({ AlarmName }) => AlarmName.endsWith(`-${id}`))
      .flatMap((alarm) => metricsOf(gateway, alarm))
      .map(({ name, dimensions }) => `${name} ${dimensions}`);

  it('of endpoints are those of the stage and the function', () => {
    expect(dimensionsOf('server-errors')).toEqual([
      '5XXError ApiName=AiGateway, Stage=prod',
      'Url5xxCount FunctionName=Chat/Function',
      'ProviderErrorResponses Stack=AiGateway',
    ]);
  });

  it('of functions leave out those with alarms of their own, and one that refuses sign-ups with errors', () => {
    expect(dimensionsOf('function-errors')).toEqual(
      [
        'Models',
        'Reports/Logs',
        'Reports/Log',
        'Reports/Costs',
        'Dashboard/Session',
        'Dashboard/Organizations',
        'Dashboard/Analytics',
        'Dashboard/TestRequest',
        'Dashboard/BudgetMail/Function',
      ].map((path) => `Errors FunctionName=${path}`),
    );
    expect(dimensionsOf('event-source-failures')).toEqual([
      'Errors FunctionName=CostRollup/Function',
      'Errors FunctionName=LogRecovery/Function',
      'Errors FunctionName=BudgetChanges/Function',
      'Errors FunctionName=Dashboard/KeyRevocations/Function',
    ]);
  });

  it('of tables and indexes count throttled reads and writes', () => {
    expect(dimensionsOf('table-throttling')).toEqual([
      ...['Directory', 'LogEntries', 'CostRollups', 'BudgetCounters'].map(
        (table) => `WriteThrottleEvents TableName=${table}`,
      ),
      ...['Directory', 'LogEntries', 'CostRollups', 'BudgetCounters', 'Prices', 'Dashboard/Accounts'].map(
        (table) => `ReadThrottleEvents TableName=${table}`,
      ),
    ]);
    expect(dimensionsOf('index-throttling')).toEqual(
      ['model', 'provider', 'prompt', 'session', 'user', 'status'].map(
        (name) => `WriteThrottleEvents GlobalSecondaryIndexName=by-${name}, TableName=LogEntries`,
      ),
    );
    expect(dimensionsOf('counting-stopped')).toEqual([
      'SuccessfulRequestLatency Operation=PutItem, TableName=LogEntries',
      'Invocations FunctionName=CostRollup/Function',
    ]);
  });

  it('are only those of deployed resources without the dashboard', () => {
    expect(dimensionsOf('function-errors', staging)).toHaveLength(4);
    expect(dimensionsOf('table-throttling', staging)).toHaveLength(9);
  });
});

describe('Topic of the alarms', () => {
  it('accepts messages only from alarms of this stack, over TLS', () => {
    const { PolicyDocument } = byDefault.resource('Monitoring/AlarmTopic/Policy').Properties;
    const { Statement } = PolicyDocument as { Statement: Record<string, unknown>[] };

    expect(
      Statement.map(({ Resource, Condition, ...statement }) => ({
        ...statement,
        Resource: byDefault.readable(Resource),
        Condition: Object.values(Condition as object).map((value) => byDefault.readableValues(value)),
      })),
    ).toEqual([
      {
        Sid: 'AllowPublishThroughSSLOnly',
        Effect: 'Deny',
        Principal: '*',
        Action: 'sns:Publish',
        Resource: 'Monitoring/AlarmTopic',
        Condition: [{ 'aws:SecureTransport': 'false' }],
      },
      {
        Sid: 'AlarmsOfThisStack',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: 'sns:Publish',
        Resource: 'Monitoring/AlarmTopic',
        Condition: [
          {
            'aws:SourceArn': 'arn:AWS::Partition:cloudwatch:AWS::Region:AWS::AccountId:alarm:AiGateway-*',
          },
          { 'aws:SourceAccount': 'AWS::AccountId' },
        ],
      },
    ]);
    // CloudWatch cannot publish to a topic that is encrypted with the AWS-managed key.
    expect(byDefault.resource('Monitoring/AlarmTopic').Properties).toEqual({ DisplayName: 'AiGateway' });
  });

  it('has a subscription only for alarmEmail, without e-mails for the first state of an alarm', () => {
    const subscriptionsOf = (gateway: Gateway) =>
      gateway.ofType('AWS::SNS::Subscription').map(({ resource: { Properties } }) => {
        const { FilterPolicy: _, ...others } = Properties;
        return gateway.readableValues(others);
      });

    expect(subscriptionsOf(byDefault)).toEqual([]);
    expect(subscriptionsOf(withCanary)).toEqual([
      {
        Protocol: 'email',
        Endpoint: 'ops@acme.example',
        TopicArn: 'Monitoring/AlarmTopic',
        FilterPolicyScope: 'MessageBody',
      },
    ]);
    withCanary.template.hasResourceProperties('AWS::SNS::Subscription', {
      FilterPolicy: { $or: [{ NewStateValue: ['ALARM'] }, { OldStateValue: ['ALARM'] }] },
    });
  });
});
