import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();
const functions = ['RecoverRequests', 'VerifyRollups'];

describe('Maintenance', () => {
  it('recovers requests every 15 minutes and verifies rollups at night, several times', () => {
    const rules = gateway
      .ofType('AWS::Events::Rule')
      .filter(({ path }) => path.startsWith('Maintenance/'))
      .map(({ resource: { Properties } }) => ({
        ...Properties,
        Targets: (Properties.Targets as Record<string, unknown>[]).map(({ Id: _, Arn, ...target }) => ({
          ...target,
          Arn: gateway.readable(Arn),
        })),
      }));

    const RetryPolicy = { MaximumEventAgeInSeconds: 900, MaximumRetryAttempts: 0 };
    expect(rules).toEqual([
      {
        ScheduleExpression: 'rate(15 minutes)',
        State: 'ENABLED',
        Targets: [{ Arn: 'Maintenance/RecoverRequests.Arn', RetryPolicy }],
      },
      {
        ScheduleExpression: 'cron(0/15 2-5 * * ? *)',
        State: 'ENABLED',
        Targets: [{ Arn: 'Maintenance/VerifyRollups.Arn', RetryPolicy }],
      },
    ]);
  });

  it.each(functions)('%s is not invoked again after an error, and a run ends before the next', (name) => {
    expect(gateway.resource(`Maintenance/${name}/EventInvokeConfig`).Properties).toMatchObject({
      MaximumEventAgeInSeconds: 900,
      MaximumRetryAttempts: 0,
    });
    expect(gateway.resource(`Maintenance/${name}`).Properties).toMatchObject({ Timeout: 840 });
  });

  it.each(functions)('%s takes no concurrency from other functions', (name) => {
    expect(gateway.resource(`Maintenance/${name}`).Properties).not.toHaveProperty(
      'ReservedConcurrentExecutions',
    );
  });

  it('is not deployed without monitoring', () => {
    const paths = synthesizeGateway({ monitoring: 'off' })
      .ofType('AWS::Lambda::Function')
      .map(({ path }) => path);

    expect(paths.filter((path) => path.startsWith('Maintenance'))).toEqual([]);
  });
});
