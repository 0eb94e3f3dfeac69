import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();

describe('RollupFunction', () => {
  const mappings = gateway
    .ofType('AWS::Lambda::EventSourceMapping')
    .filter(({ path }) => path.startsWith('CostRollup/'));

  it('reads new and changed entries from the stream and retries each batch for 23 hours', () => {
    expect(mappings).toHaveLength(1);
    const { EventSourceArn, FunctionName, DestinationConfig, ...settings } = {
      ...mappings[0]?.resource.Properties,
    };

    expect(settings).toEqual({
      BatchSize: 1000,
      BisectBatchOnFunctionError: true,
      FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT","MODIFY"]}' }] },
      MaximumBatchingWindowInSeconds: 1,
      MaximumRecordAgeInSeconds: 82_800,
      ParallelizationFactor: 1,
      StartingPosition: 'TRIM_HORIZON',
      TumblingWindowInSeconds: 900,
    });
    expect(gateway.readable(EventSourceArn)).toBe('LogEntries.StreamArn');
    expect(gateway.readable(FunctionName)).toBe('CostRollup/Function');
    const { OnFailure } = DestinationConfig as { OnFailure: { Destination: unknown } };
    expect(gateway.readable(OnFailure.Destination)).toBe('CostRollup/DeadLetters.Arn');
  });

  it('gives the rollup function one full vCPU, since a batch can cause thousands of writes', () => {
    expect(gateway.resource('CostRollup/Function').Properties).toMatchObject({
      MemorySize: 1769,
      Timeout: 60,
    });
  });

  it('creates the rollup function after its permissions', () => {
    const policies = gateway.ofType('AWS::IAM::Policy').map(({ path }) => path);
    const dependencies = gateway.resource('CostRollup/Function').DependsOn ?? [];

    expect(policies).toContain('CostRollup/FunctionRole/DefaultPolicy');
    expect(dependencies.map((Ref) => gateway.readable({ Ref }))).toContain(
      'CostRollup/FunctionRole/DefaultPolicy',
    );
  });

  it('retains an encrypted dead-letter queue that keeps messages for two weeks', () => {
    const { Properties, DeletionPolicy } = gateway.resource('CostRollup/DeadLetters');
    expect(Properties).toEqual({ MessageRetentionPeriod: 1_209_600, SqsManagedSseEnabled: true });
    expect(DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it('denies requests to the dead-letter queue without TLS', () => {
    const { PolicyDocument } = gateway.resource('CostRollup/DeadLetters/Policy').Properties;

    expect(PolicyDocument).toMatchObject({
      Statement: [
        {
          Action: 'sqs:*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          Effect: 'Deny',
          Principal: { AWS: '*' },
        },
      ],
    });
  });
});
