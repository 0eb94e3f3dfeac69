import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

describe('BudgetChanges', () => {
  it('is started by new and changed records of pending changes in the directory', () => {
    const mappings = gateway
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ path }) => path.startsWith('BudgetChanges/'));
    expect(mappings).toHaveLength(1);
    const { EventSourceArn, FunctionName, FilterCriteria, ...settings } = {
      ...mappings[0]?.resource.Properties,
    };

    // Without further settings, Lambda retries until the record leaves the stream.
    expect(settings).toEqual({
      BatchSize: 100,
      ParallelizationFactor: 1,
      StartingPosition: 'TRIM_HORIZON',
    });
    const { Filters } = FilterCriteria as { Filters: { Pattern: string }[] };
    expect(Filters.map(({ Pattern }) => JSON.parse(Pattern))).toEqual([
      { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { pk: { S: ['budget-changes'] } } } },
    ]);
    expect(gateway.readable(EventSourceArn)).toBe('Directory.StreamArn');
    expect(gateway.readable(FunctionName)).toBe('BudgetChanges/Function');
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
});
