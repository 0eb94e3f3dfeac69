import { describe, expect, it } from 'vitest';
import { synthesizeGateway } from '../synthesized-gateway.ts';

const gateway = synthesizeGateway();
const queues = ['LogRecovery/LostEntries', 'LogRecovery/DeadLetters'];

describe('the queue of lost entries', () => {
  it('hides a message for six times as long as its function may take, and does not give it up for long', () => {
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

  it('has a queue for what is no entry, which keeps it for two weeks', () => {
    expect(gateway.resource('LogRecovery/DeadLetters').Properties).toEqual({
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
    });
  });

  it.each(queues)('is kept when the stack goes, as %s is', (path) => {
    expect(gateway.resource(path)).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it.each(queues)('refuses callers without TLS, as %s does', (path) => {
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

describe('the recovery function', () => {
  it('gets ten entries at a time, twice at most, and reports those that it could not write', () => {
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

  it('starts to read when it has its permissions', () => {
    const dependencies = gateway.resource('LogRecovery/Function').DependsOn ?? [];

    expect(dependencies.map((Ref) => gateway.readable({ Ref }))).toContain(
      'LogRecovery/FunctionRole/DefaultPolicy',
    );
  });
});
