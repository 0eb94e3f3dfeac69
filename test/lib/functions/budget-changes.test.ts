import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

describe('BudgetChanges', () => {
  it('is started by new and changed records of pending changes in the directory', () => {
    const mappings = gateway
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ path }) => path.startsWith('BudgetChanges/'));
    expect(mappings).toHaveLength(1);
    const { EventSourceArn, FunctionName, FilterCriteria, DestinationConfig, ...settings } = {
      ...mappings[0]?.resource.Properties,
    };

    expect(settings).toEqual({
      BatchSize: 100,
      MaximumRecordAgeInSeconds: 21_600,
      MaximumRetryAttempts: 5,
      ParallelizationFactor: 1,
      StartingPosition: 'TRIM_HORIZON',
    });
    const { Filters } = FilterCriteria as { Filters: { Pattern: string }[] };
    expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { pk: { S: ['budget-changes'] } } } },
    ]);
    expect(gateway.readable(EventSourceArn)).toBe('Directory.StreamArn');
    expect(gateway.readable(FunctionName)).toBe('BudgetChanges/Function');
    const { OnFailure } = DestinationConfig as { OnFailure: { Destination: unknown } };
    expect(gateway.readable(OnFailure.Destination)).toBe('BudgetChanges/DeadLetters.Arn');
  });

  it("has Lambda's maximum timeout, since it waits until the rollups have counted everything", () => {
    expect(gateway.resource('BudgetChanges/Function').Properties).toMatchObject({
      MemorySize: 256,
      Timeout: 900,
    });
  });

  it('creates the function after its permissions', () => {
    const dependencies = gateway.resource('BudgetChanges/Function').DependsOn ?? [];

    expect(dependencies.map((Ref) => gateway.readable({ Ref }))).toContain(
      'BudgetChanges/FunctionRole/DefaultPolicy',
    );
  });

  it('retains an encrypted dead-letter queue that keeps notifications for two weeks', () => {
    const { Properties, DeletionPolicy } = gateway.resource('BudgetChanges/DeadLetters');

    expect(Properties).toEqual({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true });
    expect(DeletionPolicy).toBe('RetainExceptOnCreate');
  });
});
