import { describe, expect, it } from 'vitest';
import { createBudgetEventSender } from '#lambdas/limits/budgets/events.ts';
import type { BusEvent } from '#lambdas/platform/aws/event-bridge.ts';
import { readEventPattern } from '#local/event-sources/event-pattern.ts';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();
const withMail = synthesizeGateway({ mailFrom: 'Gateway@mail.acme.example' });

describe('Functions of the dashboard', () => {
  it.each([
    ['Dashboard/Session', 29, 512],
    ['Dashboard/Organizations', 29, 1769],
    ['Dashboard/Analytics', 29, 1024],
    ['Dashboard/TestRequest', 300, 256],
    ['Dashboard/KeyRevocations/Function', 900, 1769],
  ])('%s has %i seconds and %i MB', (path, timeout, memory) => {
    expect(gateway.resource(path).Properties).toMatchObject({ Timeout: timeout, MemorySize: memory });
  });
});

describe('KeyRevocations', () => {
  it('is started by pending revocations in the directory, again and again until it succeeds', () => {
    const mappings = gateway
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ path }) => path.startsWith('Dashboard/'));
    expect(mappings).toHaveLength(1);
    const { EventSourceArn, FunctionName, FilterCriteria, ...settings } = {
      ...mappings[0]?.resource.Properties,
    };

    expect(settings).toEqual({ BatchSize: 100, ParallelizationFactor: 1, StartingPosition: 'TRIM_HORIZON' });
    expect(gateway.readable(EventSourceArn)).toBe('Directory.StreamArn');
    expect(gateway.readable(FunctionName)).toBe('Dashboard/KeyRevocations/Function');
    const { Filters } = FilterCriteria as { Filters: { Pattern: string }[] };
    expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { pk: { S: ['key-revocations'] } } } },
    ]);
  });
});

describe('Without mailFrom', () => {
  it('sends no e-mails and has no permission to', () => {
    const { Environment } = gateway.resource('Dashboard/Organizations').Properties;

    expect(Environment).toMatchObject({ Variables: { MAIL_FROM: '' } });
    expect(gateway.permissionsOf('Dashboard/Organizations').filter((line) => line.includes('ses:'))).toEqual(
      [],
    );
    const isOfDashboard = ({ path }: { path: string }) => path.startsWith('Dashboard/');
    expect(gateway.ofType('AWS::Events::Rule').filter(isOfDashboard)).toEqual([]);
    expect(gateway.ofType('AWS::Lambda::EventInvokeConfig').filter(isOfDashboard)).toEqual([]);
    expect(gateway.template.findOutputs('MailFrom')).toEqual({});
  });
});

describe('With mailFrom', () => {
  it('outputs the address, for the admin command', () => {
    expect(withMail.template.findOutputs('MailFrom')).toEqual({
      MailFrom: { Value: 'gateway@mail.acme.example' },
    });
  });

  it('sends from the verified domain of the address', () => {
    for (const path of ['Dashboard/Organizations', 'Dashboard/BudgetMail/Function']) {
      const { Environment } = withMail.resource(path).Properties;

      expect(Environment).toMatchObject({ Variables: { MAIL_FROM: 'gateway@mail.acme.example' } });
      expect(withMail.permissionsOf(path)).toContain(
        'ses:SendEmail on arn:AWS::Partition:ses:AWS::Region:AWS::AccountId:identity/mail.acme.example',
      );
    }
  });

  it('passes the events of budgets to the function, with retries for six hours', () => {
    const { Targets, ...rule } = withMail.resource('Dashboard/BudgetMail/Rule').Properties;
    const [target] = Targets as { Id: string; Arn: unknown }[];

    expect(rule).toEqual({
      Description: 'Thresholds of budgets',
      EventPattern: {
        source: ['ai-gateway'],
        'detail-type': ['Budget Threshold Reached'],
        detail: { stack: ['AiGateway'] },
      },
      State: 'ENABLED',
    });
    expect({ ...target, Arn: withMail.readable(target?.Arn) }).toEqual({
      Arn: 'Dashboard/BudgetMail/Function.Arn',
      Id: 'Target0',
      RetryPolicy: { MaximumEventAgeInSeconds: 21_600 },
    });
    const invocations = withMail
      .ofType('AWS::Lambda::EventInvokeConfig')
      .find(({ path }) => path.startsWith('Dashboard/BudgetMail/'));
    expect(withMail.readableValues(invocations?.resource.Properties)).toEqual({
      FunctionName: 'Dashboard/BudgetMail/Function',
      MaximumEventAgeInSeconds: '21600',
      MaximumRetryAttempts: '2',
      Qualifier: '$LATEST',
    });
  });

  it('matches the events that the stack sends, and not those of another one', async () => {
    const sent: BusEvent[] = [];
    const bus = {
      send: async (events: readonly BusEvent[]) => {
        sent.push(...events);
      },
    };
    const event = {
      id: 'org_1/counter/2026-11/50',
      organization_id: 'org_1',
      api_key_id: null,
      period: 'month',
      period_start: '2026-11-01T00:00:00.000Z',
      period_end: '2026-12-01T00:00:00.000Z',
      threshold: 50,
      amount_usd: '10',
      spent_usd: '5',
    } as const;
    for (const stack of ['AiGateway', 'Staging']) await createBudgetEventSender(bus, stack)([event]);
    const { EventPattern } = withMail.resource('Dashboard/BudgetMail/Rule').Properties;
    const matches = readEventPattern(EventPattern, 'EventPattern');

    expect(sent.map(({ detail }) => detail)).toEqual([
      { stack: 'AiGateway', ...event },
      { stack: 'Staging', ...event },
    ]);
    expect(
      sent.map(({ source, detailType, detail }) => matches({ source, 'detail-type': detailType, detail })),
    ).toEqual([true, false]);
  });
});
