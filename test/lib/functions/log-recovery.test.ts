import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();
const queues = ['LogRecovery/LostEntries', 'LogRecovery/DeadLetters'];

describe('Queues of LogRecovery', () => {
  it('hides received log entries for six times the timeout of the function and allows 1,000 attempts', () => {
    const { RedrivePolicy, ...settings } = gateway.resource('LogRecovery/LostEntries').Properties;
    const { deadLetterTargetArn, maxReceiveCount } = RedrivePolicy as Record<string, unknown>;

    expect(settings).toEqual({
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
      VisibilityTimeout: 60,
    });
    expect(maxReceiveCount).toBe(1000);
    expect(gateway.readable(deadLetterTargetArn)).toBe('LogRecovery/DeadLetters.Arn');
    expect(gateway.resource('LogRecovery/Function').Properties).toMatchObject({ Timeout: 10 });
  });

  it('keeps dead letters for two weeks', () => {
    expect(gateway.resource('LogRecovery/DeadLetters').Properties).toEqual({
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
    });
  });

  it.each(queues)('%s is retained when the stack is deleted', (path) => {
    expect(gateway.resource(path)).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      UpdateReplacePolicy: 'Retain',
    });
  });

  it.each(queues)('%s denies requests without TLS', (path) => {
    const { PolicyDocument } = gateway.resource(`${path}/Policy`).Properties;

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

describe('Recovery function', () => {
  it('receives batches of ten, at most two concurrently, and reports failed items', () => {
    const mappings = gateway
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ path }) => path.startsWith('LogRecovery/'));
    expect(mappings).toHaveLength(1);
    const { EventSourceArn, FunctionName, ...settings } = { ...mappings[0]?.resource.Properties };

    expect(settings).toEqual({
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: 2 },
    });
    expect(gateway.readable(EventSourceArn)).toBe('LogRecovery/LostEntries.Arn');
    expect(gateway.readable(FunctionName)).toBe('LogRecovery/Function');
  });

  it('creates the recovery function after its permissions', () => {
    const dependencies = gateway.resource('LogRecovery/Function').DependsOn ?? [];

    expect(dependencies.map((Ref) => gateway.readable({ Ref }))).toContain(
      'LogRecovery/FunctionRole/DefaultPolicy',
    );
  });
});
